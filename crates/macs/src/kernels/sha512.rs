//! SHA-512's compression function (FIPS 180-4 §6.4.2), which SHA-384, SHA-512/224 and SHA-512/256
//! share, and HMAC on it (RFC 2104, FIPS 198-1).

#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod constants;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod in_step;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod lanes;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod pair;
mod soft;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vector;

use core::slice;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use self::lanes::{Eight, Four};
#[cfg(target_arch = "aarch64")]
use crate::kernels::cpu::ArmSha3;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::cpu::{Avx2, Avx512};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::lanes::hmac::batch;
use crate::kernels::lanes::hmac::{
    Hash, HmacKernel, HmacKey, IPAD, OPAD, hashes, keys_in_turn, macs_in_turn,
};
use crate::kernels::{Job, by_place};
use crate::wipe::overwrite;

/// A message block.
pub(crate) type Block = [u8; 128];

/// A chaining value: the words H0 to H7.
pub(crate) type State = [u64; 8];

hashes! {
    /// SHA-384 (FIPS 180-4 §6.5).
    Sha384: 128 [u64; 8] 48 16 to_be_bytes true
        // FIPS 180-4 §5.3.4.
        [
            0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
            0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
        ];
    /// SHA-512 (FIPS 180-4 §6.4).
    Sha512: 128 [u64; 8] 64 16 to_be_bytes true
        // FIPS 180-4 §5.3.5.
        [
            0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
            0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
        ];
    /// SHA-512/224 (FIPS 180-4 §6.6).
    Sha512_224: 128 [u64; 8] 28 16 to_be_bytes true
        // FIPS 180-4 §5.3.6.1.
        [
            0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
            0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
        ];
    /// SHA-512/256 (FIPS 180-4 §6.7).
    Sha512_256: 128 [u64; 8] 32 16 to_be_bytes true
        // FIPS 180-4 §5.3.6.2.
        [
            0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
            0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
        ];
}

/// How the compression function is computed.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Rounds half in general registers, half in vectors.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// Rounds in general registers with BMI2, the schedules of two blocks in vectors.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// The SHA-512 instructions.
    #[cfg(target_arch = "aarch64")]
    Armv8(ArmSha3),
    /// Portable code.
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512 = Avx512::get().map(Kernel::Avx512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    #[cfg(target_arch = "aarch64")]
    Armv8 = ArmSha3::get().map(Kernel::Armv8);
    Soft = Some(Kernel::Soft);
}

impl Kernel {
    /// Absorbs a run of blocks.
    #[inline]
    pub(crate) fn compress(self, state: &mut [u64; 8], blocks: &[Block]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::compress(token, state, blocks),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::compress(token, state, blocks),
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(token) => armv8::compress(token, state, blocks),
            Self::Soft => soft::compress(state, blocks),
        }
    }

    /// Each state absorbs its block.
    #[inline]
    pub(crate) fn compress_pair(self, states: [&mut [u64; 8]; 2], blocks: [&Block; 2]) {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Self::Avx512(token) = self {
            return pair::compress_pair(token, states, blocks);
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Self::Avx2(token) = self {
            return avx2::compress_pair(token, states, blocks);
        }
        for (state, block) in states.into_iter().zip(blocks) {
            self.compress(state, slice::from_ref(block));
        }
    }

    /// Absorbs a block given as its 16 words (FIPS 180-4 §5.2.2).
    #[inline]
    pub(crate) fn compress_words(self, state: &mut [u64; 8], words: &[u64; 16]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::compress_words(token, state, words),
            Self::Soft => soft::compress_words(state, words),
            #[cfg(any(
                all(target_arch = "x86_64", target_feature = "sse2"),
                target_arch = "aarch64"
            ))]
            _ => {
                let mut block = [0; 128];
                for (bytes, word) in block.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                    *bytes = word.to_be_bytes();
                }
                self.compress(state, slice::from_ref(&block));
            }
        }
    }

    /// HMAC's hashes of a message whose key has been absorbed into `inner` and `outer`: FIPS 198-1
    /// §4 steps 5 to 9. The tag is the first `digest_len_bytes` of the result's big-endian words.
    #[inline(never)]
    pub(crate) fn hmac(
        self,
        inner: &[u64; 8],
        outer: &[u64; 8],
        message: &[u8],
        digest_len_bytes: usize,
    ) -> [u64; 8] {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Self::Avx512(token) = self {
            return avx512::hmac(token, inner, outer, message, digest_len_bytes);
        }
        let mut state = *inner;
        let (blocks, tail) = message.as_chunks::<128>();
        if !blocks.is_empty() {
            self.compress(&mut state, blocks);
        }
        self.close(&mut state, tail, message.len() as u64 + 128);
        let mut tag = *outer;
        self.compress_words(&mut tag, &digest_block(&state, digest_len_bytes));
        overwrite(&mut state, [0; 8]);
        tag
    }

    /// HMAC with a key of at most 128 bytes, whose set-up it includes: FIPS 198-1 §4. `initial` is
    /// the hash's initial value.
    #[inline(never)]
    pub(crate) fn hmac_once(
        self,
        initial: &[u64; 8],
        key: &[u8],
        message: &[u8],
        digest_len_bytes: usize,
    ) -> [u64; 8] {
        let [mut inner, mut outer] = self.hmac_states(initial, key);
        let tag = self.hmac(&inner, &outer, message, digest_len_bytes);
        overwrite(&mut inner, [0; 8]);
        overwrite(&mut outer, [0; 8]);
        tag
    }

    /// The chaining values after K0 ⊕ ipad and K0 ⊕ opad, of a key of at most 128 bytes: FIPS 198-1
    /// §4 steps 1 to 4 and 7.
    ///
    /// # Panics
    /// When the key is longer.
    #[inline(never)]
    pub(crate) fn hmac_states(self, initial: &[u64; 8], key: &[u8]) -> [[u64; 8]; 2] {
        assert!(key.len() <= 128, "a key of at most a block");
        let mut inner_block = [0; 128];
        self.fill(key, &mut inner_block);
        let mut outer_block = by_place(0, |at| inner_block[at] ^ OPAD);
        inner_block.iter_mut().for_each(|byte| *byte ^= IPAD);
        let [mut inner, mut outer] = [*initial; 2];
        self.compress_pair([&mut inner, &mut outer], [&inner_block, &outer_block]);
        overwrite(&mut inner_block, [0; 128]);
        overwrite(&mut outer_block, [0; 128]);
        [inner, outer]
    }

    /// Absorbs a tail shorter than a block, with its padding (FIPS 180-4 §5.1.2);
    /// `message_len_bytes` counts everything absorbed since the initial value.
    #[inline(never)]
    pub(crate) fn close(self, state: &mut [u64; 8], tail: &[u8], message_len_bytes: u64) {
        debug_assert!(tail.len() < 128, "shorter than a block");
        let mut blocks = [[0; 128]; 2];
        self.fill(tail, &mut blocks[0]);
        blocks[0][tail.len() & 127] = 0x80;
        let used = if tail.len() < 112 { 1 } else { 2 };
        let field: &mut [u8; 16] = blocks[used - 1].last_chunk_mut().expect("128 bytes");
        *field = (u128::from(message_len_bytes) << 3).to_be_bytes();
        self.compress(state, &blocks[..used]);
        overwrite(&mut blocks[0], [0; 128]);
    }

    /// Copies at most 128 bytes to the start of a block of zeros.
    #[inline(always)]
    fn fill(self, bytes: &[u8], block: &mut Block) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::fill(token, bytes, block),
            _ => block[..bytes.len()].copy_from_slice(bytes),
        }
    }
}

impl<H: Hash<128, State = State>> HmacKernel<H, 128> for Kernel {
    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        Kernel::compress(self, state, blocks);
    }

    #[inline(always)]
    fn hmac_key(self, key: &[u8], states: &mut HmacKey<State>) {
        [states.inner, states.outer] = self.hmac_states(&H::INITIAL, key);
    }

    #[inline(always)]
    fn hmac(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        let state = Kernel::hmac(self, &key.inner, &key.outer, message, H::DIGEST_LEN);
        H::write_digest(&state, tag);
    }

    #[inline(always)]
    fn hmac_once(self, key: &[u8], message: &[u8], tag: &mut [u8]) {
        let state = Kernel::hmac_once(self, &H::INITIAL, key, message, H::DIGEST_LEN);
        H::write_digest(&state, tag);
    }

    fn hmac_keys(self, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => in_step::keys::<H>(token, self, keys, states),
            _ => keys_in_turn::<_, H, 128>(self, keys, states),
        }
    }

    fn hmac_batch(self, keys: &[HmacKey<State>], jobs: &[Job<'_>], tags: &mut [u8]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => {
                batch::macs::<_, H, 128>(Eight { token, kernel: self }, keys, jobs, tags);
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => {
                batch::macs::<_, H, 128>(Four { token, kernel: self }, keys, jobs, tags);
            }
            _ => macs_in_turn::<_, H, 128>(self, keys, jobs, tags),
        }
    }
}

/// The block of HMAC's outer hash after the key's: the inner digest, cut to `digest_len_bytes`,
/// and the padding.
#[inline(always)]
fn digest_block(state: &[u64; 8], digest_len_bytes: usize) -> [u64; 16] {
    let mut words = [0; 16];
    words[..8].copy_from_slice(state);
    let (whole, cut) = (digest_len_bytes / 8, digest_len_bytes % 8 * 8);
    words.iter_mut().skip(whole + 1).for_each(|word| *word = 0);
    let kept = words[whole] & !(u64::MAX >> cut);
    words[whole] = kept | (1 << 63 >> cut);
    words[15] = (128 + digest_len_bytes as u64) << 3;
    words
}
