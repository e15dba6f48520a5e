//! The CBC family: one chain, and one file for each member that says how its key is set up, and
//! what becomes of the last block.

#[cfg(feature = "batch")]
pub(crate) mod batch;
pub(crate) mod cbc_mac;
pub(crate) mod emac;
#[cfg(feature = "dyn")]
pub(crate) mod foreign;
pub(crate) mod masks;
mod named;
pub(crate) mod omac;
#[cfg(feature = "retail-mac")]
pub(crate) mod retail;
#[cfg(feature = "aes")]
pub(crate) mod rfc;
pub(crate) mod tmac;
pub(crate) mod xcbc;
pub(crate) mod xcbc_kdf;

#[cfg(feature = "batch")]
use alloc::boxed::Box;
use core::ops::Add;

use cipher::Block;
use digest::InvalidLength;
use digest::array::{ArraySize, typenum};
use typenum::Sum;
use zeroize::ZeroizeOnDrop;

#[cfg(feature = "batch")]
use crate::block_mac::BlockMac;
use crate::block_mac::{BlockMode, split};
use crate::ciphers::BlockCipher;
use crate::ciphers::variant::{Ending, Joined, LastBlock, Variant};
use crate::inside::Inside;
use crate::kernels::chaining::{Omac, Padding};
use crate::kernels::{Choice, Pin};
#[cfg(feature = "batch")]
use crate::keyed::{KeyedBatch, apart};
#[cfg(feature = "batch")]
use crate::prepared::boxed;
use crate::wipe::supersede;

/// [`Variant::set_up`] of a variant with this ending.
#[cfg(feature = "dyn")]
type SetUp<C, E> = fn(&mut C, &[u8]) -> Result<E, InvalidLength>;

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

    /// What else the key becomes, likewise.
    #[inline(always)]
    pub(crate) fn ending(&self) -> &V::Ending {
        &self.ending
    }

    /// Apart from its callers, each of which would have a copy of the set-up: who changes keys
    /// often sets them up in place.
    #[inline(never)]
    fn keyed_on(kernel: C::Kernel, key: &[u8]) -> Result<Self, InvalidLength> {
        let mut cipher = C::blank(kernel, Inside(()));
        let ending = V::set_up(&mut cipher, key)?;
        Ok(Self { cipher, ending })
    }

    /// The same of any variant that ends so.
    #[cfg(feature = "dyn")]
    fn keyed_by(
        kernel: C::Kernel,
        set_up: SetUp<C, V::Ending>,
        key: &[u8],
    ) -> Result<Self, InvalidLength> {
        let mut cipher = C::blank(kernel, Inside(()));
        let ending = set_up(&mut cipher, key)?;
        Ok(Self { cipher, ending })
    }

    #[cfg(feature = "dyn")]
    fn rekey_by(&mut self, set_up: SetUp<C, V::Ending>, key: &[u8]) -> Result<(), InvalidLength> {
        let ending = set_up(&mut self.cipher, key)?;
        supersede(&mut self.ending, ending);
        Ok(())
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
        let ending = V::set_up(&mut self.cipher, key)?;
        supersede(&mut self.ending, ending);
        Ok(())
    }

    #[inline(always)]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Block<C>) -> Result<(), InvalidLength> {
        if let Joined::Omac(omac) = V::JOINED {
            return C::omac_once(C::Kernel::best(), key, omac, message, tag, Inside(()));
        }
        Self::new_on(Pin::BEST, key)?.mac_into(message, tag);
        Ok(())
    }

    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        let kernel = C::Kernel::pinned(pin);
        if let Some(chains) = C::in_lanes::<V>(kernel, keys, false, Inside(()))? {
            return Ok(chains);
        }
        if C::LANES_ARE_USUAL {
            return apart(boxed::keyed::<BlockMac<Self>>, pin, keys);
        }
        Ok(batch::Chains::<C, V>::boxed(kernel, keys)?)
    }

    #[inline(always)]
    fn absorb(&self, y: &mut Block<C>, first: &[Block<C>], then: &[Block<C>]) {
        self.cipher.chain(y, first, then, Inside(()));
    }

    #[inline(always)]
    fn mac_into(&self, message: &[u8], tag: &mut Block<C>) {
        let (blocks, tail) = split::<Self>(message);
        self.cipher.finish_chain(None, blocks, tail, self.ending.last_block(), tag, Inside(()));
    }

    #[inline(always)]
    fn finish(&self, y: &mut Block<C>, blocks: &[Block<C>], tail: &[u8], tag: &mut Block<C>) {
        self.cipher.finish_chain(Some(y), blocks, tail, self.ending.last_block(), tag, Inside(()));
    }
}

impl<C: BlockCipher, V: Variant<C>> Clone for Cbc<C, V> {
    /// Apart, so that it writes the clone where it is wanted.
    #[inline(never)]
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

/// Cuts a joined key after the cipher's own, behind which this many bytes follow.
#[inline]
fn split_key<C: BlockCipher>(
    joined: &[u8],
    rest_len: usize,
) -> Result<(&[u8], &[u8]), InvalidLength> {
    // Known to the compiler where the cipher has keys of one length.
    let key_len = match C::key_size() {
        0 => joined.len().checked_sub(rest_len).ok_or(InvalidLength)?,
        key_len => key_len,
    };
    joined.split_at_checked(key_len).ok_or(InvalidLength)
}
