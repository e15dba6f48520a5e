//! AES by RustCrypto's traits, forward and backward. A mode's loop runs inside the kernel's
//! `target_feature` region, by the rank-2 closures of the `cipher` crate.

mod backends;

use core::fmt;

use cipher::consts::{U16, U24, U32};
use cipher::{
    AlgorithmName, Array, Block, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncClosure,
    BlockCipherEncrypt, BlockSizeUser, Key, KeyInit, KeySizeUser, array::ArraySize,
};
use zeroize::ZeroizeOnDrop;

use super::{Kernel, Schedule};
use crate::kernels::Choice;
use crate::wipe::overwrite;

/// AES with a 128-bit key, forward only (FIPS 197).
pub type Aes128 = Aes<11>;
/// AES with a 192-bit key, forward only (FIPS 197).
pub type Aes192 = Aes<13>;
/// AES with a 256-bit key, forward only (FIPS 197).
pub type Aes256 = Aes<15>;

/// A number of round keys, and so a length of keys.
#[derive(Debug)]
pub struct RoundKeys<const KEYS: usize>(());

/// The length of the keys that have this many round keys.
pub trait KeyLen {
    /// Length in bytes.
    type Size: ArraySize;
}

impl KeyLen for RoundKeys<11> {
    type Size = U16;
}

impl KeyLen for RoundKeys<13> {
    type Size = U24;
}

impl KeyLen for RoundKeys<15> {
    type Size = U32;
}

/// One direction of AES as a type. Its round keys are wiped when dropped.
macro_rules! directions {
    ($($(#[$doc:meta])* $name:ident, $keys:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name<const KEYS: usize> {
            kernel: Kernel,
            $keys: Schedule<KEYS>,
        }

        impl<const KEYS: usize> KeySizeUser for $name<KEYS>
        where
            RoundKeys<KEYS>: KeyLen,
        {
            type KeySize = <RoundKeys<KEYS> as KeyLen>::Size;
        }

        impl<const KEYS: usize> KeyInit for $name<KEYS>
        where
            RoundKeys<KEYS>: KeyLen,
        {
            #[inline]
            fn new(key: &Key<Self>) -> Self {
                Self::new_on(Kernel::best(), key)
            }
        }

        impl<const KEYS: usize> BlockSizeUser for $name<KEYS> {
            type BlockSize = U16;
        }

        impl<const KEYS: usize> AlgorithmName for $name<KEYS> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "Aes{}", 8 * super::key_len(KEYS))
            }
        }

        impl<const KEYS: usize> fmt::Debug for $name<KEYS> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl<const KEYS: usize> Drop for $name<KEYS> {
            fn drop(&mut self) {
                overwrite(&mut self.$keys, Schedule::BLANK);
            }
        }

        impl<const KEYS: usize> ZeroizeOnDrop for $name<KEYS> {}
    )*};
}

directions! {
    /// AES forward, with `KEYS` round keys, on one of its kernels.
    Aes, schedule;
    /// AES backward.
    AesInverse, inverse;
}

impl<const KEYS: usize> Aes<KEYS> {
    /// Sets a key up for this kernel. It has the length that goes with `KEYS`.
    #[inline]
    pub(crate) fn new_on(kernel: Kernel, key: &[u8]) -> Self {
        let mut cipher = Self::blank(kernel);
        kernel.expand(key, &mut cipher.schedule);
        cipher
    }

    /// Without a key yet.
    #[inline(always)]
    pub(crate) fn blank(kernel: Kernel) -> Self {
        Self { kernel, schedule: Schedule::BLANK }
    }

    /// Its kernel and the place of its round keys.
    #[inline(always)]
    pub(crate) fn parts_mut(&mut self) -> (Kernel, &mut Schedule<KEYS>) {
        (self.kernel, &mut self.schedule)
    }

    /// Its kernel and round keys, for the modes that have functions of the kernel for themselves.
    #[inline(always)]
    pub(crate) fn parts(&self) -> (Kernel, &Schedule<KEYS>) {
        (self.kernel, &self.schedule)
    }
}

impl<const KEYS: usize> AesInverse<KEYS> {
    /// Sets a key up for this kernel. It has the length that goes with `KEYS`.
    #[inline]
    pub(crate) fn new_on(kernel: Kernel, key: &[u8]) -> Self {
        let forward = Aes::<KEYS>::new_on(kernel, key);
        Self { kernel, inverse: kernel.inverse(&forward.schedule) }
    }
}

impl<const KEYS: usize> BlockCipherEncrypt for Aes<KEYS> {
    #[inline(always)]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        backends::encrypt(self.kernel, &self.schedule, f);
    }

    #[inline(always)]
    fn encrypt_block(&self, block: &mut Block<Self>) {
        self.kernel.encrypt(&self.schedule, &mut block.0);
    }

    #[inline(always)]
    fn encrypt_blocks(&self, blocks: &mut [Block<Self>]) {
        self.kernel.encrypt_blocks(&self.schedule, Array::cast_slice_to_core_mut(blocks));
    }
}

impl<const KEYS: usize> BlockCipherDecrypt for AesInverse<KEYS> {
    #[inline(always)]
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        backends::decrypt(self.kernel, &self.inverse, f);
    }

    #[inline(always)]
    fn decrypt_blocks(&self, blocks: &mut [Block<Self>]) {
        self.kernel.decrypt_blocks(&self.inverse, Array::cast_slice_to_core_mut(blocks));
    }
}
