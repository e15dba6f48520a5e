//! NH of UMAC: RFC 4418 §5.2.2; Black, Halevi, Krawczyk, Krovetz, Rogaway 1999. It sums products of
//! 32-bit words over chunks of 32 bytes. N is the number of hashes, 1 to 4: hash number i takes the
//! key from i quads further on.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
mod soft;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::cpu::Avx2;
use crate::kernels::partial::le_number;

/// Four words of 32 bits: by so much the keys of two hashes differ.
pub(crate) type Quad = [u32; 4];
/// Two quads of the message, as little-endian words: those at the same place are a pair.
pub(crate) type Chunk = [u8; 32];

/// Chunks in a block.
pub(crate) const CHUNKS: usize = 32;
/// The most hashes a tag is made of.
pub(crate) const HASHES_MAX: usize = 4;
/// Quads of the key.
pub(crate) const QUADS: usize = 2 * CHUNKS + HASHES_MAX - 1;

/// Every other quad of a key.
type Quads = [Quad; CHUNKS + 2];

/// The key of NH.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// Quads number 0, 2, 4, …
    even: Quads,
    /// Quads number 1, 3, 5, …; the last one is not used.
    odd: Quads,
}

impl Key {
    /// What takes the place of a key that is dropped.
    pub(crate) const BLANK: Self = Self { even: [[0; 4]; CHUNKS + 2], odd: [[0; 4]; CHUNKS + 2] };

    /// Sets the first quads from the blocks that KDF (§3.2.1) makes of index 1: at most `QUADS`.
    #[inline(always)]
    pub(crate) fn derive(&mut self, blocks: &[[u8; 16]]) {
        let quad = |block: &[u8; 16]| {
            let words = block.as_chunks().0;
            core::array::from_fn(|i| u32::from_be_bytes(words[i]))
        };
        let (pairs, last) = blocks.as_chunks();
        for ([first, second], (even, odd)) in
            pairs.iter().zip(self.even.iter_mut().zip(&mut self.odd))
        {
            (*even, *odd) = (quad(first), quad(second));
        }
        if let ([block], Some(even)) = (last, self.even.get_mut(pairs.len())) {
            *even = quad(block);
        }
    }
}

/// A code path of NH.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// 256-bit vectors.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// Portable code.
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    Soft = Some(Kernel::Soft);
}

impl Kernel {
    /// Adds NH of the chunks, some and at most a block of them, to the sum of each hash.
    #[inline(always)]
    pub(crate) fn add<const N: usize>(self, key: &Key, chunks: &[Chunk], sums: &mut [u64; N]) {
        const { assert!(0 < N && N <= HASHES_MAX) };
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::add(token, key, chunks, &[], sums),
            Self::Soft => soft::add(key, 0, chunks, sums),
        }
    }

    /// NH of the last bytes of a message, less than a block, zero-padded to whole chunks, at least
    /// one, added to the sum of each hash.
    #[inline(always)]
    pub(crate) fn add_tail<const N: usize>(self, key: &Key, tail: &[u8], sums: &mut [u64; N]) {
        const { assert!(0 < N && N <= HASHES_MAX) };
        let (chunks, rest) = tail.as_chunks();
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::add(token, key, chunks, rest, sums),
            Self::Soft => {
                soft::add(key, 0, chunks, sums);
                if let Some(last) = last_quads(chunks, rest) {
                    let mut chunk = [0; 32];
                    chunk.as_chunks_mut().0.copy_from_slice(&last.map(u128::to_le_bytes));
                    soft::add(key, chunks.len(), &[chunk], sums);
                }
            }
        }
    }
}

/// The chunk of the bytes behind the whole ones, padded with zeros, as two numbers. There is one,
/// even of no bytes, if the message has no other.
#[inline(always)]
fn last_quads(chunks: &[Chunk], rest: &[u8]) -> Option<[u128; 2]> {
    let (low, high) = rest.split_at(rest.len().min(16));
    (!rest.is_empty() || chunks.is_empty()).then(|| [le_number(low), le_number(high)])
}
