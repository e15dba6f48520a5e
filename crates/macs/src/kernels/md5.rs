//! MD5: RFC 1321 §3.4, one message at a time and many at once.

use super::lanes::hmac::{Hash as _, HmacKernel, HmacKey, hashes, keys_in_turn, macs_in_turn};
use super::md_block::{self, Block, Hash, LengthOrder, block_of_words, tail_words};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::cpu::{Avx2, Avx512};
use crate::kernels::{InTurn, Job};

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod soft;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod x86_64;

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use self::soft as scalar;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use self::x86_64 as scalar;

/// A chaining value: A, B, C, D.
pub(crate) type State = [u32; 4];

hashes! {
    /// MD5 (RFC 1321).
    Md5: 64 [u32; 4] 16 8 to_le_bytes false
        // RFC 1321 §3.3.
        [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
}

#[cfg(test)]
const INITIAL: State = Md5::INITIAL;

/// The sine table T of RFC 1321 §3.4.
const T: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// By how much the steps of each round rotate.
const ROTATIONS: [[u32; 4]; 4] =
    [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// Which word of the block a step adds.
const fn word_of(step: usize) -> usize {
    let (factor, first) = [(1, 0), (5, 1), (3, 5), (7, 0)][step / 16];
    (factor * step + first) % 16
}

/// By how much a step rotates.
const fn rotation_of(step: usize) -> u32 {
    ROTATIONS[step / 16][step % 4]
}

/// Fewer messages have no use for vectors.
const TOGETHER_MIN: usize = 3;

/// The code paths. One message at a time goes through the general registers in all of them: the
/// steps are one chain.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// 16 or 32 messages side by side.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// 8 or 16 messages side by side.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// General registers.
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512 = Avx512::get().map(Kernel::Avx512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    Soft = Some(Kernel::Soft);
}

impl Kernel {
    /// Absorbs a run of blocks.
    #[inline]
    pub(crate) fn compress(self, state: &mut State, blocks: &[Block]) {
        scalar::compress(state, blocks);
    }

    /// HMAC: the outer hash's last chaining value, from the chaining values after the key blocks
    /// of both hashes.
    #[inline]
    pub(crate) fn hmac(self, inner: &State, outer: &State, message: &[u8]) -> State {
        md_block::hmac(self, inner, outer, message)
    }

    /// The chaining values after the key blocks of the inner and of the outer hash, of a key of at
    /// most 64 bytes.
    #[inline]
    pub(crate) fn hmac_key(self, key: &[u8]) -> [State; 2] {
        md_block::key_states(self, key)
    }

    /// HMAC under a key, of at most 64 bytes, that is used once.
    #[inline(never)]
    pub(crate) fn hmac_once(self, key: &[u8], message: &[u8]) -> State {
        md_block::hmac_once(self, key, message)
    }
}

impl HmacKernel<Md5, 64> for Kernel {
    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        Kernel::compress(self, state, blocks);
    }

    #[inline(always)]
    fn hmac_key(self, key: &[u8], states: &mut HmacKey<State>) {
        [states.inner, states.outer] = Kernel::hmac_key(self, key);
    }

    #[inline(always)]
    fn hmac(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        Md5::write_digest(&Kernel::hmac(self, &key.inner, &key.outer, message), tag);
    }

    #[inline(always)]
    fn hmac_once(self, key: &[u8], message: &[u8], tag: &mut [u8]) {
        Md5::write_digest(&Kernel::hmac_once(self, key, message), tag);
    }

    fn hmac_keys(self, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::keys(token, self, keys, states),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::keys(token, self, keys, states),
            Self::Soft => keys_in_turn::<_, Md5, 64>(self, keys, states),
        }
    }

    fn in_turn(self) -> InTurn {
        InTurn::few(TOGETHER_MIN - 1)
    }

    fn hmac_batch(self, keys: &[HmacKey<State>], jobs: &[Job<'_>], tags: &mut [u8]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::macs(token, self, keys, jobs, tags),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::macs(token, self, keys, jobs, tags),
            Self::Soft => macs_in_turn::<_, Md5, 64>(self, keys, jobs, tags),
        }
    }
}

impl Hash for Kernel {
    type State = State;
    const INITIAL: State = Md5::INITIAL;
    const LENGTH_ORDER: LengthOrder = LengthOrder::Little;
    const DIGEST_LEN: usize = Md5::DIGEST_LEN;

    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        scalar::compress(state, blocks);
    }

    #[inline(always)]
    fn compress_pair(self, states: [&mut State; 2], blocks: [&Block; 2]) {
        scalar::compress_pair(states, blocks);
    }

    #[inline(always)]
    fn tail_block(self, bytes: &[u8], tail_len: usize, marker: u8) -> Block {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::tail_block(token, bytes, tail_len, marker),
            _ => block_of_words(&tail_words(bytes, tail_len, marker)),
        }
    }

    #[inline(always)]
    fn digest_block(state: &State) -> Block {
        let mut block = [0; 64];
        for (bytes, word) in block.as_chunks_mut::<4>().0.iter_mut().zip(state) {
            *bytes = word.to_le_bytes();
        }
        block
    }
}
