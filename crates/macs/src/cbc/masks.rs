//! The ending of XCBC and of all that followed it: a full last block is masked by one key, a padded
//! one by another, so that no message is the beginning of another's chain.

use cipher::{Block, KeySizeUser};
use digest::InvalidLength;

use super::{Ending, Joined, LastBlock, Omac, Padding, Variant};
use crate::ciphers::BlockCipher;
use crate::doubling::DoublingSize;
use crate::inside::Inside;
use crate::wipe::wipe;

/// The masks of the last block.
pub struct Masks<C: BlockCipher> {
    /// Of a full one: K2 of XCBC.
    pub(super) full: Block<C>,
    /// Of a padded one: K3 of XCBC.
    pub(super) padded: Block<C>,
}

impl<C: BlockCipher> Masks<C> {
    /// The two of CMAC, made of L = E_K(0): SP 800-38B §6.1.
    #[inline(always)]
    pub(crate) fn of_cmac(l: &Block<C>) -> Self {
        let full = C::BlockSize::double(l);
        let padded = C::BlockSize::double(&full);
        Self { full, padded }
    }

    /// That of a full last block, and that of a padded one.
    #[inline(always)]
    pub(crate) fn both(&self) -> [&Block<C>; 2] {
        [&self.full, &self.padded]
    }
}

impl<C: BlockCipher> Ending<C> for Masks<C> {
    const HOLDS_FULL_BLOCK: bool = true;
    const PADDING: Padding = Padding::One;

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

/// L·u and L·u²: the subkeys K1 and K2 of SP 800-38B §6.1.
pub enum Omac1Masks {}

impl<C: BlockCipher> Variant<C> for Omac1Masks {
    type KeySize = <C as KeySizeUser>::KeySize;
    type Ending = Masks<C>;

    const NAME: &'static str = "Cmac";
    const JOINED: Joined = Joined::Omac(Omac::One);

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Masks<C>, InvalidLength> {
        let [full, padded] = cipher.rekey_omac(key, Omac::One, Inside(()))?;
        Ok(Masks { full, padded })
    }
}
