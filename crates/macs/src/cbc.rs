//! The CBC family: one chain, and one file for each member that says how its key is set up, and
//! what becomes of the last block.

pub(crate) mod cbc_mac;
pub(crate) mod chain;
pub(crate) mod emac;
mod masks;
pub(crate) mod omac;
pub(crate) mod rfc;
pub(crate) mod tmac;
pub(crate) mod xcbc;
pub(crate) mod xcbc_kdf;

use core::ops::Add;
use core::slice;

use cipher::Block;
use digest::InvalidLength;
use digest::array::{ArraySize, typenum};
use typenum::Sum;
use zeroize::ZeroizeOnDrop;

use crate::block_mac::BlockMode;
use crate::ciphers::BlockCipher;
use crate::kernels::{Choice, Pin};
use crate::wipe::supersede;
use chain::absorb;

/// A member of the family over the cipher `C`.
pub trait Variant<C: BlockCipher>: 'static {
    /// Length of the joined key in bytes; of the usual one where several lengths are taken.
    type KeySize: ArraySize;
    /// How a message ends.
    type Ending: Ending<C>;

    /// Name of the public type.
    const NAME: &'static str;

    /// Gives the cipher of the chain to `place`, which keeps it where it is to be used, and says
    /// what else the joined key becomes. (A key schedule is long: a copy of it would be felt.)
    ///
    /// # Errors
    /// When the mac takes no key of this length; nothing was placed then.
    fn set_up<'a>(
        kernel: C::Kernel,
        key: &[u8],
        place: impl FnOnce(C) -> &'a C,
    ) -> Result<Self::Ending, InvalidLength>;
}

/// How a message ends. It wipes its part of the key when dropped.
pub trait Ending<C: BlockCipher>: Clone + Send + Sync + 'static {
    /// As in [`BlockMode`].
    const HOLDS_FULL_BLOCK: bool;

    /// The last block of the chain, from the rest of the message as [`BlockMode::finish`] has it.
    fn last_block(&self, tail: &[u8]) -> Block<C>;

    /// From the chain's last value to the tag.
    #[inline(always)]
    fn after_chain(&self, _y: &mut Block<C>) {}
}

/// A member of the family with its key.
pub struct Cbc<C: BlockCipher, V: Variant<C>> {
    cipher: C,
    ending: V::Ending,
}

impl<C: BlockCipher, V: Variant<C>> Cbc<C, V> {
    /// The cipher of the chain, for the modes that encrypt with it as well.
    #[inline(always)]
    pub(crate) fn cipher(&self) -> &C {
        &self.cipher
    }

    #[inline(always)]
    fn keyed_on(kernel: C::Kernel, key: &[u8]) -> Result<Self, InvalidLength> {
        let mut cipher = None;
        let ending = V::set_up(kernel, key, |placed| cipher.insert(placed))?;
        Ok(Self { cipher: cipher.expect("set_up places a cipher"), ending })
    }
}

impl<C: BlockCipher, V: Variant<C>> BlockMode for Cbc<C, V> {
    type Cipher = C;
    type KeySize = V::KeySize;
    /// The chaining value.
    type Running = Block<C>;

    const NAME: &'static str = V::NAME;
    const HOLDS_FULL_BLOCK: bool = V::Ending::HOLDS_FULL_BLOCK;

    #[inline(always)]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::keyed_on(C::Kernel::pinned(pin), key)
    }

    #[inline(always)]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        let ending = V::set_up(self.cipher.kernel(), key, |cipher| {
            supersede(&mut self.cipher, cipher);
            &self.cipher
        })?;
        supersede(&mut self.ending, ending);
        Ok(())
    }

    #[inline(always)]
    fn absorb(&self, y: &mut Block<C>, first: &[Block<C>], then: &[Block<C>]) {
        absorb(&self.cipher, y, first, then);
    }

    #[inline(always)]
    fn finish(&self, y: &mut Block<C>, blocks: &[Block<C>], tail: &[u8], tag: &mut Block<C>) {
        let last = self.ending.last_block(tail);
        absorb(&self.cipher, y, blocks, slice::from_ref(&last));
        self.ending.after_chain(y);
        tag.copy_from_slice(y);
    }
}

impl<C: BlockCipher, V: Variant<C>> Clone for Cbc<C, V> {
    fn clone(&self) -> Self {
        Self { cipher: self.cipher.clone(), ending: self.ending.clone() }
    }
}

impl<C: BlockCipher + ZeroizeOnDrop, V: Variant<C>> ZeroizeOnDrop for Cbc<C, V> {}

/// A cipher whose keys can be joined with further keys and with masks of a block each: all can, but
/// the lengths have to be said in types.
pub trait JoinedKeys: BlockCipher {
    /// Length of two cipher keys.
    type TwoKeys: ArraySize;
    /// Length of a cipher key and a block.
    type KeyAndMask: ArraySize;
    /// Length of a cipher key and two blocks.
    type KeyAndTwoMasks: ArraySize;
}

impl<C: BlockCipher> JoinedKeys for C
where
    C::KeySize: Add<Output: ArraySize>
        + Add<C::BlockSize, Output: ArraySize + Add<C::BlockSize, Output: ArraySize>>,
{
    type TwoKeys = Sum<C::KeySize, C::KeySize>;
    type KeyAndMask = Sum<C::KeySize, C::BlockSize>;
    type KeyAndTwoMasks = Sum<Sum<C::KeySize, C::BlockSize>, C::BlockSize>;
}

/// Cuts a joined key after the cipher's own.
#[inline]
fn split_key<C: BlockCipher>(joined: &[u8]) -> Result<(&[u8], &[u8]), InvalidLength> {
    joined.split_at_checked(C::key_size()).ok_or(InvalidLength)
}
