//! The CBC family: one chain, and one file for each member that says how its key is set up, and
//! what becomes of the last block.

pub(crate) mod batch;
pub(crate) mod cbc_mac;
pub(crate) mod chain;
pub(crate) mod emac;
pub(crate) mod masks;
pub(crate) mod omac;
pub(crate) mod rfc;
pub(crate) mod tmac;
pub(crate) mod xcbc;
pub(crate) mod xcbc_kdf;

use alloc::boxed::Box;
use core::ops::Add;

use cipher::Block;
use digest::InvalidLength;
use digest::array::{Array, ArraySize, typenum};
use typenum::Sum;
use zeroize::ZeroizeOnDrop;

use crate::batch::KeyedBatch;
use crate::block_mac::BlockMode;
use crate::ciphers::BlockCipher;
use crate::doubling::DoublingSize;
pub use crate::kernels::aes::{Omac, Padding};
use crate::kernels::{Choice, Pin};
use crate::wipe::supersede;
use chain::{pad_with_one, xor};

/// A member of the family over the cipher `C`.
pub trait Variant<C: BlockCipher>: 'static {
    /// Length of the joined key in bytes; of the usual one where several lengths are taken.
    type KeySize: ArraySize;
    /// How a message ends.
    type Ending: Ending<C>;

    /// Name of the public type.
    const NAME: &'static str;

    /// What the joined key is, for kernels that set many up at once or make masks on the way.
    const JOINED: Joined = Joined::Other;

    /// Sets the cipher of the chain up, and says what else the joined key becomes.
    ///
    /// # Errors
    /// When the mac takes no key of this length; the cipher is as it was then.
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Self::Ending, InvalidLength>;
}

/// What a joined key is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// The cipher's key, and nothing is masked.
    One,
    /// The cipher's key, of which OMAC's masks are made.
    Omac(Omac),
    /// The cipher's key and another of the cipher, for the last encryption.
    Two,
    /// The cipher's key and a block that the masks are made of: K2·u and K2.
    Mask,
    /// The cipher's key and both masks.
    TwoMasks,
    /// Something else.
    Other,
}

/// How a message ends. It wipes its part of the key when dropped.
pub trait Ending<C: BlockCipher>: Clone + Send + Sync + 'static {
    /// As in [`BlockMode`].
    const HOLDS_FULL_BLOCK: bool;
    /// What a block that is not full is padded with.
    const PADDING: Padding;

    /// What becomes of the rest of the message as [`BlockMode::finish`] has it.
    fn last_block(&self) -> LastBlock<'_, C>;
}

/// The last block of the chain, and what follows it.
pub struct LastBlock<'a, C: BlockCipher> {
    /// The mask of a full block, where there is one.
    pub full: Option<&'a Block<C>>,
    /// The mask of a padded block, where there is one.
    pub padded: Option<&'a Block<C>>,
    /// What a block that is not full is padded with.
    pub padding: Padding,
    /// What encrypts the last value of the chain once more.
    pub outer: Option<&'a C>,
}

impl<'a, C: BlockCipher> LastBlock<'a, C> {
    /// Padded, without masks.
    #[inline(always)]
    pub(crate) fn bare(padding: Padding) -> Self {
        Self { full: None, padded: None, padding, outer: None }
    }

    /// Padded with a one bit, with masks.
    #[inline(always)]
    pub(crate) fn masked(full: &'a Block<C>, padded: &'a Block<C>) -> Self {
        Self { full: Some(full), padded: Some(padded), padding: Padding::One, outer: None }
    }

    /// The block that `tail`, at most a block, becomes.
    #[inline(always)]
    fn block(&self, tail: &[u8]) -> Block<C> {
        let (mut last, mask) = match Block::<C>::slice_as_array(tail) {
            Some(full) => (full.clone(), self.full),
            None => (pad(tail, self.padding), self.padded),
        };
        if let Some(mask) = mask {
            xor(&mut last, mask);
        }
        last
    }
}

/// `tail`, which is less than a block, with its padding.
#[inline(always)]
fn pad<N: ArraySize>(tail: &[u8], padding: Padding) -> Array<u8, N> {
    match padding {
        Padding::One => pad_with_one(tail),
        Padding::Zeros => {
            let mut last = Array::default();
            last[..tail.len()].copy_from_slice(tail);
            last
        }
    }
}

impl Omac {
    /// The masks made of L = E_K(0): of a full last block, and of a padded one. SP 800-38B §6.1;
    /// Iwata, Kurosawa 2003.
    #[inline(always)]
    pub(crate) fn masks<N: DoublingSize>(self, l: &Array<u8, N>) -> [Array<u8, N>; 2] {
        let full = N::double(l);
        let padded = match self {
            Self::One => N::double(&full),
            Self::Two => N::halve(l),
        };
        [full, padded]
    }
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

    /// What else the key becomes, likewise.
    #[inline(always)]
    pub(crate) fn ending(&self) -> &V::Ending {
        &self.ending
    }

    #[inline(always)]
    fn keyed_on(kernel: C::Kernel, key: &[u8]) -> Result<Self, InvalidLength> {
        let mut cipher = C::blank(kernel);
        let ending = V::set_up(&mut cipher, key)?;
        Ok(Self { cipher, ending })
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
            return C::omac_once(C::Kernel::best(), key, omac, message, tag);
        }
        Self::new_on(Pin::BEST, key)?.mac_into(message, tag);
        Ok(())
    }

    fn batch(pin: Pin, keys: &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        C::batch::<V>(C::Kernel::pinned(pin), keys)
    }

    #[inline(always)]
    fn absorb(&self, y: &mut Block<C>, first: &[Block<C>], then: &[Block<C>]) {
        self.cipher.chain(y, first, then);
    }

    #[inline(always)]
    fn finish(&self, y: &mut Block<C>, blocks: &[Block<C>], tail: &[u8], tag: &mut Block<C>) {
        self.cipher.finish_chain(y, blocks, tail, self.ending.last_block(), tag);
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
