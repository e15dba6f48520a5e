//! The ending of XCBC and of all that followed it: a full last block is masked by one key, a padded
//! one by another, so that no message is the beginning of another's chain.

use cipher::Block;

use super::Ending;
use super::chain::{pad_with_one, xor};
use crate::ciphers::BlockCipher;
use crate::wipe::wipe;

/// The masks of the last block.
pub struct Masks<C: BlockCipher> {
    /// Of a full one: K2 of XCBC.
    pub(super) full: Block<C>,
    /// Of a padded one: K3 of XCBC.
    pub(super) padded: Block<C>,
}

impl<C: BlockCipher> Ending<C> for Masks<C> {
    const HOLDS_FULL_BLOCK: bool = true;

    #[inline(always)]
    fn last_block(&self, tail: &[u8]) -> Block<C> {
        // One XOR for both: two are merged by the compiler, byte by byte.
        let (mut last, mask) = match Block::<C>::slice_as_array(tail) {
            Some(full) => (full.clone(), &self.full),
            None => (pad_with_one(tail), &self.padded),
        };
        xor(&mut last, mask);
        last
    }
}

impl<C: BlockCipher> Clone for Masks<C> {
    fn clone(&self) -> Self {
        Self { full: self.full.clone(), padded: self.padded.clone() }
    }
}

impl<C: BlockCipher> Drop for Masks<C> {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.full);
        wipe(&mut self.padded);
    }
}
