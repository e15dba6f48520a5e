//! SHA-256's compression function (FIPS 180-4 §6.2.2), and what is quicker done whole than block by
//! block: tags of HMAC and of KHC, one message at a time and many at once.

#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod batch;
#[cfg(feature = "frame")]
pub(crate) mod frame;
#[cfg(feature = "khc")]
mod khc;
mod message;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod rorx;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod scalar;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sha_ni;
mod soft;
#[cfg(test)]
mod tests;
mod unit;

use crate::kernels::Job;
#[cfg(target_arch = "aarch64")]
use crate::kernels::cpu::ArmSha2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::cpu::{Avx2, Avx512, ShaNi, is_intel};
use crate::kernels::lanes::hmac::batch::in_windows;
use crate::kernels::lanes::hmac::{Hash, HmacKernel, HmacKey, hashes};

#[cfg(feature = "khc")]
pub(crate) use khc::{KhcKernel, KhcVariant};
use unit::Task;

/// A message block.
pub(crate) type Block = [u8; BLOCK_LEN];

/// A chaining value: the words H0 to H7.
pub(crate) type State = [u32; 8];

const BLOCK_LEN: usize = 64;

/// A digest, of which SHA-224 takes the first 28 bytes.
pub(crate) type Digest = [u8; 32];

hashes! {
    /// SHA-224 (FIPS 180-4 §6.3).
    Sha224: 64 [u32; 8] 28 8 to_be_bytes true
        // FIPS 180-4 §5.3.2.
        [
            0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7,
            0xbefa4fa4,
        ];
    /// SHA-256 (FIPS 180-4 §6.2).
    Sha256: 64 [u32; 8] 32 8 to_be_bytes true
        // FIPS 180-4 §5.3.3.
        [
            0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
            0x5be0cd19,
        ];
}

/// A code path.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// SHA instructions; batches in four interleaved streams, or in the lanes of wide vectors where
    /// these are quicker.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    ShaNi(ShaNi, Option<Avx512>),
    /// Rounds in general registers; batches in the 16 lanes of a vector.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// The same, and batches in the eight lanes of a vector.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// SHA instructions; batches in four interleaved streams.
    #[cfg(target_arch = "aarch64")]
    Armv8(ArmSha2),
    /// Portable.
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    ShaNi = ShaNi::get().map(|token| Kernel::ShaNi(token, None)),
        else ShaNi::get().map(|token| Kernel::ShaNi(token, wide_lanes()));
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512 = Avx512::get().map(Kernel::Avx512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    #[cfg(target_arch = "aarch64")]
    Armv8 = ArmSha2::get().map(Kernel::Armv8);
    Soft = Some(Kernel::Soft);
}

/// Vectors whose 16 lanes take many messages in less time than four streams of SHA instructions. On
/// Intel's CPUs they take 0.6 of it (Sapphire Rapids); on Zen 4 streams take 0.85 of the lanes'.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn wide_lanes() -> Option<Avx512> {
    Avx512::get().filter(|_| is_intel())
}

impl Kernel {
    /// One call of the kernel, within which everything is inlined. `message` is apart from the rest
    /// of the task, so that it travels in registers; `output` is written where it is wanted.
    #[inline(always)]
    fn run<T: Task>(self, task: T, message: &[u8], output: &mut T::Output) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::ShaNi(token, _) => sha_ni::run(token, task, message, output),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::run(token, task, message, output),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::run(token, task, message, output),
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(token) => armv8::run(token, task, message, output),
            Self::Soft => soft::run(task, message, output),
        }
    }

    /// As `run`, the digest to a tag, which may take a part of it.
    #[inline(always)]
    fn run_to<T: Task<Output = Digest>>(self, task: T, message: &[u8], tag: &mut [u8]) {
        if let Ok(tag) = <&mut Digest>::try_from(&mut *tag) {
            return self.run(task, message, tag);
        }
        let mut digest = [0; size_of::<Digest>()];
        self.run(task, message, &mut digest);
        tag.copy_from_slice(&digest[..tag.len()]);
    }
}

impl<H: Hash<BLOCK_LEN, State = State>> HmacKernel<H, BLOCK_LEN> for Kernel {
    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        self.run(message::Blocks { state }, blocks.as_flattened(), &mut ());
    }

    #[inline(always)]
    fn hmac_key(self, key: &[u8], states: &mut HmacKey<State>) {
        self.run(message::SetUp::<H>::new(), key, states);
    }

    #[inline(always)]
    fn hmac(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        self.run_to(message::Hmac::<H>::new(key), message, tag);
    }

    #[inline(always)]
    fn hmac_once(self, key: &[u8], message: &[u8], tag: &mut [u8]) {
        self.run_to(message::HmacOnce::<H>::new(key), message, tag);
    }

    fn hmac_keys(self, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
        assert_eq!(keys.len(), states.len(), "a place for each key");
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Self::Avx512(token) | Self::ShaNi(_, Some(token)) = self {
            return avx512::keys::<H>(token, self, keys, states);
        }
        self.run(batch::SetUps::<H>::new(keys, states), &[], &mut ());
    }

    fn hmac_batch(self, keys: &[HmacKey<State>], jobs: &[Job<'_>], tags: &mut [u8]) {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Self::Avx512(token) | Self::ShaNi(_, Some(token)) = self {
            return avx512::macs::<H>(token, self, keys, jobs, tags);
        }
        in_windows(keys, jobs, tags, |tags, numbers| {
            self.run(batch::Hmacs::<H> { tags, numbers }, &[], &mut ());
        });
    }
}
