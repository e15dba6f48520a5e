//! The nodes of BLAKE3's tree: J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3:
//! one function, fast everywhere", 2020, §2. A node is a chunk of at most 1024 bytes, or a parent,
//! whose one block is the values of its two children. Nodes of one level do not wait for each
//! other: they go side by side, one or more in a vector as rows ([`rows`]), or one a lane as
//! columns ([`lanes`]).

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
mod eight;
mod form;
mod lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod rows;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod soft;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse41;
#[cfg(test)]
mod tests;
mod vector;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod xmm;

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
use super::cpu::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::cpu::Simd128;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu::{Avx2, Avx512, Sse41};

/// A key; it is the chaining value that every node begins with (§2.3).
pub(crate) type Key = [u8; 32];
/// The chaining value that a node ends with.
pub(crate) type Value = [u8; 32];
/// What the compression function takes at once.
pub(crate) type Block = [u8; BLOCK_BYTES];

/// Length of a block.
pub(crate) const BLOCK_BYTES: usize = 64;
/// Length of a chunk that is not the last (§2.1).
pub(crate) const CHUNK_BYTES: usize = 1024;
/// As many nodes as any kernel takes at once.
pub(crate) const LANES_MAX: usize = 16;

/// §2.2, table 1: the first words of the state's second half, those of SHA-256.
const IV: [u32; 4] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];

/// Which word of the message a round takes at each place: table 2, applied once more each round.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let mut place = 0;
    while place < 16 {
        schedule[0][place] = place;
        place += 1;
    }
    let mut round = 1;
    while round < 7 {
        let mut place = 0;
        while place < 16 {
            schedule[round][place] = schedule[round - 1][PERMUTATION[place]];
            place += 1;
        }
        round += 1;
    }
    schedule
};

/// Flags of the compression function: table 3.
const CHUNK_START: u32 = 1 << 0;
const CHUNK_END: u32 = 1 << 1;
const PARENT: u32 = 1 << 2;
const ROOT: u32 = 1 << 3;
const KEYED_HASH: u32 = 1 << 4;

/// What a node is: the flags of its first block, and those of its last.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    first: u32,
    last: u32,
}

impl Node {
    /// A chunk of several.
    pub(crate) const CHUNK: Self = Self { first: CHUNK_START, last: CHUNK_END };
    /// The chunk of a message that has no other. Its value is the tag.
    pub(crate) const ONLY_CHUNK: Self = Self { first: CHUNK_START, last: CHUNK_END | ROOT };
    /// A parent.
    pub(crate) const PARENT: Self = Self { first: PARENT, last: 0 };
    /// The parent of all. Its value is the tag.
    pub(crate) const ROOT: Self = Self { first: PARENT, last: ROOT };
}

/// What a node takes.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) key: &'a Key,
    /// At most a chunk.
    pub(crate) data: &'a [u8],
    /// The number of a chunk in its message; 0 of a parent.
    pub(crate) counter: u64,
}

/// The code paths.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Sixteen nodes at once.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// Eight nodes at once.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// Four nodes at once.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Sse41(Sse41),
    /// Four nodes at once.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon(Neon),
    /// Four nodes at once.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(Simd128),
    Soft,
}

impl Kernel {
    /// The values of nodes of one kind.
    #[inline]
    pub(crate) fn values(self, inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::values(token, inputs, node, values),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::values(token, inputs, node, values),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Sse41(token) => sse41::values(token, inputs, node, values),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(token) => neon::values(token, inputs, node, values),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128(token) => simd128::values(token, inputs, node, values),
            Self::Soft => soft::values(inputs, node, values),
        }
    }

    /// The value of one node.
    #[inline]
    pub(crate) fn value(self, input: Input<'_>, node: Node) -> Value {
        let mut value = [0; 32];
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::value(token, input, node, &mut value),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::value(token, input, node, &mut value),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Sse41(token) => sse41::value(token, input, node, &mut value),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(_) => soft::value(input, node, &mut value),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128(_) => soft::value(input, node, &mut value),
            Self::Soft => soft::value(input, node, &mut value),
        }
        value
    }

    /// Whether two nodes are quicker together.
    pub(crate) fn takes_pairs(self) -> bool {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) | Self::Avx2(_) | Self::Sse41(_) => true,
            _ => false,
        }
    }
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512 = Avx512::get().map(Kernel::Avx512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Sse41 = Sse41::get().map(Kernel::Sse41);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon = Neon::get().map(Kernel::Neon);
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128 = Simd128::get().map(Kernel::Simd128);
    Soft = Some(Kernel::Soft);
}
