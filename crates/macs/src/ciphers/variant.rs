//! A member of the CBC family as a cipher sees it: how its key is set up, and how a message ends.

use core::slice;

use cipher::Block;
use digest::InvalidLength;
use digest::array::{Array, ArraySize};

use super::BlockCipher;
use super::chain::{pad_with_one, xor};
use crate::doubling::DoublingSize;
use crate::inside::Inside;
use crate::kernels::chaining::{Omac, Padding};
#[cfg(feature = "batch")]
use crate::{kernels::Job, keyed::KeyedBatch};

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

/// Prepared keys whose chains come together, and their ciphers, for the modes that encrypt with
/// them as well.
#[cfg(feature = "batch")]
pub trait KeyedChains<C: BlockCipher>: KeyedBatch {
    /// The cipher under the key of this number.
    ///
    /// # Panics
    /// When there are not that many keys, or they were set up without ciphers.
    fn cipher(&self, key: usize) -> &C;

    /// Runs the chain of each message from its value in `y` on to its end, which is a block even of
    /// a message that is empty.
    fn go_on(&self, jobs: &[Job<'_>], y: &mut [Block<C>]);
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
    /// Whether a full last block has to be held back, since it is treated apart.
    const HOLDS_FULL_BLOCK: bool;
    /// What a block that is not full is padded with.
    const PADDING: Padding;

    /// What becomes of the rest of the message as a mac over blocks has it.
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
    pub(crate) fn block(&self, tail: &[u8]) -> Block<C> {
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

/// The end of a message through a cipher that is known by its blocks only: `blocks`, then what
/// `ending` makes of `tail`.
#[inline(always)]
pub(crate) fn finish<C: BlockCipher>(
    cipher: &C,
    y: Option<&Block<C>>,
    blocks: &[Block<C>],
    tail: &[u8],
    ending: LastBlock<'_, C>,
    tag: &mut Block<C>,
) {
    let last = ending.block(tail);
    match y {
        Some(y) => tag.clone_from(y),
        None => tag.fill(0),
    }
    cipher.chain(tag, blocks, slice::from_ref(&last), Inside(()));
    if let Some(outer) = ending.outer {
        outer.encrypt_block(tag);
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
