//! SHA-256's compression function (FIPS 180-4 §6.2.2), and what is quicker done whole than block by
//! block: tags of HMAC and of KHC, one message at a time and many at once.

#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod batch;
mod khc;
mod message;
#[cfg(target_arch = "x86_64")]
mod sha_ni;
mod soft;
#[cfg(test)]
mod tests;
mod unit;

use core::borrow::Borrow;

#[cfg(target_arch = "aarch64")]
use crate::kernels::cpu::ArmSha2;
#[cfg(target_arch = "x86_64")]
use crate::kernels::cpu::{Avx512, ShaNi};
use crate::kernels::lanes::hmac::{Hash, HmacKey, Job};
use crate::kernels::{Choice, KernelName};

pub(crate) use khc::{Khc, KhcVariant};
use unit::Task;

/// A message block.
pub(crate) type Block = [u8; BLOCK_LEN];

/// A chaining value: the words H0 to H7.
pub(crate) type State = [u32; 8];

const BLOCK_LEN: usize = 64;

/// A digest, of which SHA-224 takes the first 28 bytes.
pub(crate) type Digest = [u8; 32];

/// SHA-224 as HMAC's hash.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sha224 {}

/// SHA-256 as HMAC's hash.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sha256 {}

/// SHA-224 or SHA-256.
macro_rules! hashes {
    ($($hash:ident $digest_len:literal $initial:expr;)*) => {$(
        impl Hash<BLOCK_LEN> for $hash {
            type State = State;
            const INITIAL: State = $initial;
            const DIGEST_LEN: usize = $digest_len;
            const FIELD_LEN: usize = 8;
            const IS_BIG_ENDIAN: bool = true;

            #[inline(always)]
            fn write_digest(state: &State, bytes: &mut [u8]) {
                for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(state) {
                    *bytes = word.to_be_bytes();
                }
            }
        }
    )*};
}

hashes! {
    // FIPS 180-4 §5.3.2.
    Sha224 28 [
        0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7,
        0xbefa4fa4,
    ];
    // FIPS 180-4 §5.3.3.
    Sha256 32 [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
        0x5be0cd19,
    ];
}

/// A code path.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// SHA instructions; batches in four interleaved streams.
    #[cfg(target_arch = "x86_64")]
    ShaNi(ShaNi),
    /// Scalar code with rotations to another register; batches in the 16 lanes of a vector.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// SHA instructions; batches in four interleaved streams.
    #[cfg(target_arch = "aarch64")]
    Armv8(ArmSha2),
    /// Portable.
    Soft,
}

impl Choice for Kernel {
    const ALL: &'static [(KernelName, fn() -> Option<Self>)] = &[
        #[cfg(target_arch = "x86_64")]
        (KernelName::ShaNi, || ShaNi::get().map(Self::ShaNi)),
        #[cfg(target_arch = "x86_64")]
        (KernelName::Avx512, || Avx512::get().map(Self::Avx512)),
        #[cfg(target_arch = "aarch64")]
        (KernelName::Armv8, || ArmSha2::get().map(Self::Armv8)),
        (KernelName::Soft, || Some(Self::Soft)),
    ];

    fn name(self) -> KernelName {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::ShaNi(_) => KernelName::ShaNi,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => KernelName::Avx512,
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(_) => KernelName::Armv8,
            Self::Soft => KernelName::Soft,
        }
    }

    #[inline]
    fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = ShaNi::get() {
            return Self::ShaNi(token);
        } else if let Some(token) = Avx512::get() {
            return Self::Avx512(token);
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(token) = ArmSha2::get() {
            return Self::Armv8(token);
        }
        Self::Soft
    }
}

impl Kernel {
    /// One call of the kernel, within which everything is inlined. `message` is apart from the rest
    /// of the task, so that it travels in registers.
    #[inline(always)]
    fn run<T: Task>(self, task: T, message: &[u8]) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::ShaNi(token) => sha_ni::run(token, task, message),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(token) => avx512::run(token, task, message),
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(token) => armv8::run(token, task, message),
            Self::Soft => soft::run(task, message),
        }
    }

    /// Absorbs a whole run of blocks.
    #[inline(always)]
    pub(crate) fn compress(self, state: &mut State, blocks: &[Block]) {
        self.run(message::Blocks { state }, blocks.as_flattened());
    }

    /// Absorbs a block each into two states, in little more than the time of one with SHA
    /// instructions.
    #[inline(always)]
    pub(crate) fn compress_pair(self, states: [&mut State; 2], blocks: [&Block; 2]) {
        self.run(message::Pair { states, blocks }, &[]);
    }

    /// The digest of a whole message; SHA-224's is the first 28 bytes.
    #[inline(always)]
    pub(crate) fn hash<H: Hash<BLOCK_LEN, State = State>>(self, message: &[u8]) -> Digest {
        self.run(message::Plain { initial: &H::INITIAL }, message)
    }

    /// The tag of a whole message under a prepared key; HMAC-SHA-224's is the first 28 bytes.
    #[inline(always)]
    pub(crate) fn hmac<H: Hash<BLOCK_LEN, State = State>>(
        self,
        inner: &State,
        outer: &State,
        message: &[u8],
    ) -> Digest {
        self.run(message::Hmac::<H>::new(inner, outer), message)
    }

    /// The tag of a whole message under a key of any length that is used once.
    #[inline(always)]
    pub(crate) fn hmac_once<H: Hash<BLOCK_LEN, State = State>>(
        self,
        key: &[u8],
        message: &[u8],
    ) -> Digest {
        self.run(message::HmacOnce::<H>::new(key), message)
    }

    /// Prepares a key of any length.
    #[inline(always)]
    pub(crate) fn hmac_key<H: Hash<BLOCK_LEN, State = State>>(self, key: &[u8]) -> HmacKey<State> {
        self.run(message::SetUp::<H>::new(), key)
    }

    /// Prepares many keys of any lengths: `states[i]` from `keys[i]`.
    pub(crate) fn hmac_keys<H: Hash<BLOCK_LEN, State = State>>(
        self,
        keys: &[&[u8]],
        states: &mut [HmacKey<State>],
    ) {
        assert_eq!(keys.len(), states.len(), "a place for each key");
        self.run(batch::SetUps::<H>::new(keys, states), &[]);
    }

    /// The tags of many messages, each `DIGEST_LEN` bytes, in the order of the jobs.
    pub(crate) fn hmac_batch<'a, H, K, J>(self, keys: &'a [K], jobs: &'a [J], tags: &'a mut [u8])
    where
        H: Hash<BLOCK_LEN, State = State>,
        K: Borrow<HmacKey<State>>,
        J: Job<'a>,
    {
        assert_eq!(jobs.len() * H::DIGEST_LEN, tags.len(), "a place for each tag");
        self.run(batch::Hmacs::<H, K, J>::new(keys, jobs, tags), &[]);
    }

    /// The tag of a whole message under KHC.
    #[inline(always)]
    pub(crate) fn khc(self, variant: KhcVariant, key: &State, message: &[u8]) -> Digest {
        match variant {
            KhcVariant::Khc1 => self.run(Khc::<false> { key }, message),
            KhcVariant::Khc2 => self.run(Khc::<true> { key }, message),
        }
    }

    /// The tags of many messages under KHC, 32 bytes each, in the order of the jobs.
    pub(crate) fn khc_batch<'a, K, J>(
        self,
        variant: KhcVariant,
        keys: &'a [K],
        jobs: &'a [J],
        tags: &'a mut [u8],
    ) where
        K: Borrow<State>,
        J: Job<'a>,
    {
        assert_eq!(jobs.len() * size_of::<Digest>(), tags.len(), "a place for each tag");
        match variant {
            KhcVariant::Khc1 => self.run(batch::Khcs::<K, J, false>::new(keys, jobs, tags), &[]),
            KhcVariant::Khc2 => self.run(batch::Khcs::<K, J, true>::new(keys, jobs, tags), &[]),
        }
    }
}
