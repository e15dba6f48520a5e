//! The ending of XCBC and of all that followed it: a full last block is masked by one key, a padded
//! one by another, so that no message is the beginning of another's chain.

use cipher::Block;

use super::{Ending, LastBlock};
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
    fn last_block(&self) -> LastBlock<'_, C> {
        LastBlock::masked(&self.full, &self.padded)
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
