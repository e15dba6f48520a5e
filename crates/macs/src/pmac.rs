//! PMAC: Black, Rogaway, A Block-Cipher Mode of Operation for Parallelizable Message
//! Authentication, EUROCRYPT 2002. Every block but the last is masked by its place and encrypted by
//! itself, so that a cipher that takes many blocks side by side gets them. (PMAC1 of Rogaway 2004
//! has other masks.)

use cipher::array::Array;
use cipher::{Block, KeySizeUser};
use digest::InvalidLength;
use zeroize::ZeroizeOnDrop;

use crate::block_mac::{BlockMac, BlockMode};
use crate::ciphers::{AnyCipher, BlockCipher, CipherInfo, masked, rows_over};
use crate::doubling::DoublingSize;
use crate::facts::{Facts, KeyLife, Quantum};
use crate::inside::Inside;
use crate::kernels::chaining::{KEPT_MASKS, MaskedPass};
use crate::kernels::{Choice, Pin};
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::wipe::wipe;
use crate::work::Theory;

/// PMAC over the block cipher `C`.
pub type Pmac<C> = BlockMac<MaskedSum<<C as AnyCipher>::Cipher>>;

/// PMAC with its key.
pub struct MaskedSum<C: BlockCipher> {
    cipher: C,
    /// L·u^i, where L = E_K(0).
    masks: [Block<C>; KEPT_MASKS],
    /// L·u⁻¹, the mask of a full last block.
    full: Block<C>,
}

/// What is kept of the blocks taken so far.
#[derive(Clone, Default)]
pub struct Running<N: DoublingSize> {
    /// Of the encrypted blocks.
    sum: Array<u8, N>,
    /// The mask of the block taken last.
    offset: Array<u8, N>,
    /// Number of blocks taken.
    count: u64,
}

impl<C: BlockCipher> MaskedSum<C> {
    #[inline]
    fn keyed_on(kernel: C::Kernel, key: &[u8]) -> Result<Self, InvalidLength> {
        let cipher = C::new_on(kernel, key, Inside(()))?;
        let mut sum = Self { cipher, masks: Default::default(), full: Block::<C>::default() };
        sum.set_masks();
        Ok(sum)
    }

    #[inline]
    fn set_masks(&mut self) {
        let Self { cipher, masks, full } = self;
        masks[0].fill(0);
        cipher.encrypt_block(&mut masks[0]);
        C::BlockSize::multiples(masks, full);
    }
}

impl<C: BlockCipher> BlockMode for MaskedSum<C> {
    type Cipher = C;
    type KeySize = <C as KeySizeUser>::KeySize;
    type Running = Running<C::BlockSize>;

    const NAME: &'static str = "Pmac";
    const HOLDS_FULL_BLOCK: bool = true;

    #[inline]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::keyed_on(C::Kernel::pinned(pin), key)
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.cipher.rekey(key, Inside(()))?;
        self.set_masks();
        Ok(())
    }

    #[inline(always)]
    fn mac_into(&self, message: &[u8], tag: &mut Block<C>) {
        self.cipher.masked_mac(&self.masks, &self.full, message, tag, Inside(()));
    }

    #[inline(always)]
    fn absorb(&self, running: &mut Self::Running, first: &[Block<C>], then: &[Block<C>]) {
        let Running { sum, offset, count } = running;
        let (masks, runs) = (&self.masks, [first, then]);
        self.cipher.masked_sum(MaskedPass { masks, sum, offset, count, runs }, Inside(()));
    }

    #[inline(always)]
    fn finish(
        &self,
        running: &mut Self::Running,
        blocks: &[Block<C>],
        tail: &[u8],
        tag: &mut Block<C>,
    ) {
        if !blocks.is_empty() {
            self.absorb(running, blocks, &[]);
        }
        tag.clone_from(&running.sum);
        masked::end(&self.cipher, tag, &self.full, tail);
    }
}

impl<C: BlockCipher> Clone for MaskedSum<C> {
    fn clone(&self) -> Self {
        Self { cipher: self.cipher.clone(), masks: self.masks.clone(), full: self.full.clone() }
    }
}

impl<C: BlockCipher> Drop for MaskedSum<C> {
    /// The cipher wipes its own key schedule.
    fn drop(&mut self) {
        self.masks.iter_mut().for_each(|mask| wipe(mask));
        wipe(&mut self.full);
    }
}

impl<C: BlockCipher + ZeroizeOnDrop> ZeroizeOnDrop for MaskedSum<C> {}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "pmac", "PMAC");

const fn row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    Pmac::<C>::row(name, title, &MODE, cipher).with_theory(Theory::MASKED)
}

static MODE: Mode = Mode {
    title: "PMAC",
    specification: "Black, Rogaway: A Block-Cipher Mode of Operation for Parallelizable Message \
        Authentication, EUROCRYPT 2002",
    standing: Standing::Sound,
    proof: "pseudorandom function if the cipher is a pseudorandom permutation (Black, Rogaway \
        2002; Rogaway 2004)",
    bound: "about σ²/2^n (Black, Rogaway 2002)",
    nonce: "",
    key_life: "well below 2^(n/2) blocks",
    approved_by: "none",
    attacks: "at the birthday bound L is found, and forging is easy (Lee, Kim, Sung, Hong, Lee \
        2006)",
    facts: Facts { key_life: KeyLife::Blocks, quantum: Quantum::Superposition, ..Facts::MAC },
};
