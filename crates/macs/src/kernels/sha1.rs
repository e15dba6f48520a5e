//! SHA-1: FIPS 180-4 §6.1, one message at a time and many at once.

use super::lanes::hmac::{Hash as _, HmacKernel, HmacKey, hashes, keys_in_turn, macs_in_turn};
use super::md_block::{self, Block, Hash, LengthOrder};
use super::{Choice, KernelName};
use crate::inside::Sealed;
#[cfg(target_arch = "aarch64")]
use crate::kernels::cpu::ArmSha2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::cpu::{Avx2, Avx512, ShaNi};
use crate::kernels::{InTurn, Job};

#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod rorx;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sha_ni;
mod soft;
#[cfg(test)]
mod tests;

/// A chaining value: a, b, c, d, e.
pub(crate) type State = [u32; 5];

hashes! {
    /// SHA-1 (FIPS 180-4 §6.1).
    Sha1: 64 [u32; 5] 20 8 to_be_bytes true
        // FIPS 180-4 §5.3.1.
        [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
}

const INITIAL: State = Sha1::INITIAL;

/// The constants of 20 rounds each: FIPS 180-4 §4.2.1.
const K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

/// The code paths.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// SHA instructions: the quickest for one message. Many go through wide vectors if they may.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    ShaNi(ShaNi, Option<Wide>),
    /// 16 messages side by side; one message goes through the general registers.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// Eight messages side by side; one message goes through the general registers.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// SHA instructions of ARMv8.
    #[cfg(target_arch = "aarch64")]
    Armv8(ArmSha2),
    /// General registers.
    Soft,
}

/// Vectors for many messages beside SHA instructions.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[derive(Clone, Copy, Debug)]
pub enum Wide {
    /// 16 lanes.
    Avx512(Avx512),
    /// Eight lanes.
    Avx2(Avx2),
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl Wide {
    /// Fewer messages take less time two by two through SHA instructions than in eight lanes.
    const LANES_FROM: usize = 5;

    fn get() -> Option<Self> {
        Avx512::get().map(Self::Avx512).or_else(|| Avx2::get().map(Self::Avx2))
    }
}

impl Sealed for Kernel {}

impl Choice for Kernel {
    const ALL: &'static [(KernelName, fn() -> Option<Self>)] = &[
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        (KernelName::ShaNi, || ShaNi::get().map(|token| Self::ShaNi(token, None))),
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        (KernelName::Avx512, || Avx512::get().map(Self::Avx512)),
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        (KernelName::Avx2, || Avx2::get().map(Self::Avx2)),
        #[cfg(target_arch = "aarch64")]
        (KernelName::Armv8, || ArmSha2::get().map(Self::Armv8)),
        (KernelName::Soft, || Some(Self::Soft)),
    ];

    fn name(self) -> KernelName {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(..) => KernelName::ShaNi,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) => KernelName::Avx512,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => KernelName::Avx2,
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(_) => KernelName::Armv8,
            Self::Soft => KernelName::Soft,
        }
    }

    #[inline(always)]
    fn best() -> Self {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Some(token) = ShaNi::get() {
            return Self::ShaNi(token, Wide::get());
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Some(token) = Avx512::get() {
            return Self::Avx512(token);
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Some(token) = Avx2::get() {
            return Self::Avx2(token);
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(token) = ArmSha2::get() {
            return Self::Armv8(token);
        }
        Self::Soft
    }
}

impl Kernel {
    /// Absorbs a run of blocks.
    #[inline]
    pub(crate) fn compress(self, state: &mut State, blocks: &[Block]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(token, _) => sha_ni::compress(token, state, blocks),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => rorx::compress(token.avx2(), state, blocks),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => rorx::compress(token, state, blocks),
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(token) => armv8::compress(token, state, blocks),
            _ => soft::compress(state, blocks),
        }
    }

    /// One block each for two chaining values, quicker than one after the other.
    #[inline]
    pub(crate) fn compress_pair(self, states: [&mut State; 2], blocks: [&Block; 2]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(token, _) => sha_ni::compress_pair(token, states, blocks),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => rorx::compress_pair(token.avx2(), states, blocks),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => rorx::compress_pair(token, states, blocks),
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(token) => armv8::compress_pair(token, states, blocks),
            _ => soft::compress_pair(states, blocks),
        }
    }

    /// HMAC: the outer hash's last chaining value, from the chaining values after the key blocks
    /// of both hashes.
    #[inline]
    pub(crate) fn hmac(self, inner: &State, outer: &State, message: &[u8]) -> State {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(token, _) => sha_ni::hmac(token, inner, outer, message),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => rorx::hmac(token.avx2(), inner, outer, message),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => rorx::hmac(token, inner, outer, message),
            _ => md_block::hmac(self, inner, outer, message),
        }
    }

    /// The chaining values after the key blocks of the inner and of the outer hash, of a key of at
    /// most 64 bytes.
    #[inline]
    pub(crate) fn hmac_key(self, key: &[u8]) -> [State; 2] {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(token, _) => sha_ni::hmac_key(token, key),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => rorx::hmac_key(token.avx2(), key),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => rorx::hmac_key(token, key),
            _ => md_block::key_states(self, key),
        }
    }

    /// HMAC under a key, of at most 64 bytes, that is used once.
    #[inline]
    pub(crate) fn hmac_once(self, key: &[u8], message: &[u8]) -> State {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(token, _) => sha_ni::hmac_once(token, key, message),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => rorx::hmac_once(token.avx2(), key, message),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => rorx::hmac_once(token, key, message),
            _ => md_block::hmac_once(self, key, message),
        }
    }
}

impl HmacKernel<Sha1, 64> for Kernel {
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
        Sha1::write_digest(&Kernel::hmac(self, &key.inner, &key.outer, message), tag);
    }

    #[inline(always)]
    fn hmac_once(self, key: &[u8], message: &[u8], tag: &mut [u8]) {
        Sha1::write_digest(&Kernel::hmac_once(self, key, message), tag);
    }

    fn hmac_keys(self, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) | Self::ShaNi(_, Some(Wide::Avx512(token))) => {
                avx512::keys(token, self, keys, states);
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::keys(token, self, keys, states),
            _ => keys_in_turn::<_, Sha1, 64>(self, keys, states),
        }
    }

    fn in_turn(self) -> InTurn {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(_, Some(Wide::Avx512(_))) => {
                InTurn { messages: avx512::TOGETHER_MIN - 1, bytes: sha_ni::PAIRED_MIN_BYTES - 1 }
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) => InTurn::few(avx512::TOGETHER_MIN - 1),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => InTurn::few(avx2::TOGETHER_MIN - 1),
            _ => InTurn::ONE,
        }
    }

    fn hmac_batch(self, keys: &[HmacKey<State>], jobs: &[Job<'_>], tags: &mut [u8]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) | Self::ShaNi(_, Some(Wide::Avx512(token))) => {
                avx512::macs(token, self, keys, jobs, tags);
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::macs(token, self, keys, jobs, tags),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(_, Some(Wide::Avx2(token))) if jobs.len() >= Wide::LANES_FROM => {
                avx2::macs(token, self, keys, jobs, tags);
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(token, _) => sha_ni::macs(token, self, keys, jobs, tags),
            _ => macs_in_turn::<_, Sha1, 64>(self, keys, jobs, tags),
        }
    }
}

impl Hash for Kernel {
    type State = State;
    const INITIAL: State = INITIAL;
    const LENGTH_ORDER: LengthOrder = LengthOrder::Big;
    const DIGEST_LEN: usize = Sha1::DIGEST_LEN;

    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        Kernel::compress(self, state, blocks);
    }

    #[inline(always)]
    fn compress_pair(self, states: [&mut State; 2], blocks: [&Block; 2]) {
        Kernel::compress_pair(self, states, blocks);
    }

    #[inline(always)]
    fn digest_block(state: &State) -> Block {
        let mut block = [0; 64];
        for (bytes, word) in block.as_chunks_mut::<4>().0.iter_mut().zip(state) {
            *bytes = word.to_be_bytes();
        }
        block
    }
}
