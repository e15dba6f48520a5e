//! A block cipher of another crate.

use core::fmt;

use cipher::{
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InvalidLength, Key, KeyInit,
    KeySizeUser,
};
use zeroize::{ZeroizeOnDrop, optimization_barrier};

use super::{AnyCipher, Engine};
use crate::doubling::DoublingSize;
use crate::inside::Inside;
use crate::kernels::OnlySoft;

/// A cipher of another crate, so that the modes here can be had over it: `Cmac<Foreign<C>>`. When
/// dropped, the schedule of a public key takes the place of the secret one, whatever features that
/// crate was built with.
#[derive(Clone)]
pub struct Foreign<C: KeyInit>(C);

impl<C: KeyInit> KeySizeUser for Foreign<C> {
    type KeySize = C::KeySize;
}

impl<C: KeyInit> KeyInit for Foreign<C> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self(C::new(key))
    }
}

impl<C: KeyInit + BlockSizeUser> BlockSizeUser for Foreign<C> {
    type BlockSize = C::BlockSize;
}

impl<C: KeyInit + BlockCipherEncrypt> BlockCipherEncrypt for Foreign<C> {
    #[inline(always)]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = C::BlockSize>) {
        self.0.encrypt_with_backend(f);
    }
}

impl<C> AnyCipher for Foreign<C>
where
    C: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize: DoublingSize>,
    C: Clone + Send + Sync + 'static,
{
    type Cipher = Self;
}

impl<C> Engine for Foreign<C>
where
    C: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize: DoublingSize>,
    C: Clone + Send + Sync + 'static,
{
    /// Which path the other crate takes is its own affair.
    type Kernel = OnlySoft;
    type OfAnyKey = Self;

    fn blank(_: OnlySoft, _: Inside) -> Self {
        Self(C::new(&Key::<C>::default()))
    }

    #[inline]
    fn rekey(&mut self, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        self.0 = C::new_from_slice(key)?;
        Ok(())
    }

    fn kernel(&self, _: Inside) -> OnlySoft {
        OnlySoft
    }
}

impl<C: KeyInit> fmt::Debug for Foreign<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Foreign { .. }")
    }
}

impl<C: KeyInit> Drop for Foreign<C> {
    fn drop(&mut self) {
        self.0 = C::new(&Key::<C>::default());
        optimization_barrier(&self.0);
    }
}

impl<C: KeyInit> ZeroizeOnDrop for Foreign<C> {}
