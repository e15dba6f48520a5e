//! PMAC: Black, Rogaway, A Block-Cipher Mode of Operation for Parallelizable Message
//! Authentication, EUROCRYPT 2002. Every block but the last is masked by its place and encrypted by
//! itself, so that a cipher that takes many blocks side by side gets them. (PMAC1 of Rogaway 2004
//! has other masks.)

use cipher::array::Array;
use cipher::{
    Block, BlockCipherEncBackend, BlockCipherEncClosure, BlockSizeUser, KeySizeUser, ParBlocks,
};
use digest::InvalidLength;
use zeroize::ZeroizeOnDrop;

use crate::block_mac::{BlockMac, BlockMode};
use crate::ciphers::chain::{pad_with_one, xor};
use crate::ciphers::{AnyCipher, BlockCipher, CipherInfo, over_ciphers};
use crate::doubling::DoublingSize;
use crate::facts::{Facts, KeyLife, Quantum};
use crate::kernels::{Choice, Pin};
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::wipe::{supersede, wipe};
use crate::work::Theory;

/// PMAC over the block cipher `C`.
pub type Pmac<C> = BlockMac<MaskedSum<<C as AnyCipher>::Cipher>>;

/// How many L·u^i are kept. A larger i comes up once in 2^8 blocks, and is computed then.
const KEPT_MASKS: usize = 8;

/// From how many blocks on a backend is asked to encrypt side by side: some first spread their
/// round keys over wide registers, which takes as long as a few blocks.
const WIDE_BLOCKS_MIN: usize = 4;

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

/// Takes blocks that are not the last and then, where the message ends, the last as `end` has it:
/// the sum is then the tag. One call of the cipher's backend does all. Only if `IS_WIDE` it looks
/// for runs of blocks to encrypt side by side.
struct Pass<'a, N: DoublingSize, const IS_WIDE: bool> {
    masks: &'a [Array<u8, N>; KEPT_MASKS],
    running: &'a mut Running<N>,
    runs: [&'a [Array<u8, N>]; 2],
    end: Option<&'a Array<u8, N>>,
}

impl<N: DoublingSize, const IS_WIDE: bool> BlockSizeUser for Pass<'_, N, IS_WIDE> {
    type BlockSize = N;
}

impl<N: DoublingSize, const IS_WIDE: bool> BlockCipherEncClosure for Pass<'_, N, IS_WIDE> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = N>>(self, backend: &B) {
        // Local copies, so that they can stay in registers from block to block.
        let Running { mut sum, mut offset, mut count } = self.running.clone();
        for run in self.runs {
            let (wide, narrow) =
                if IS_WIDE { ParBlocks::<B>::slice_as_chunks(run) } else { (&[][..], run) };
            for blocks in wide {
                let mut blocks = blocks.clone();
                for block in &mut blocks {
                    count += 1;
                    offset = next_offset(self.masks, offset, count);
                    xor(block, &offset);
                }
                backend.encrypt_par_blocks_inplace(&mut blocks);
                for block in &blocks {
                    xor(&mut sum, block);
                }
            }
            for block in narrow {
                let mut block = block.clone();
                count += 1;
                offset = next_offset(self.masks, offset, count);
                xor(&mut block, &offset);
                backend.encrypt_block_inplace(&mut block);
                xor(&mut sum, &block);
            }
        }
        if let Some(last) = self.end {
            xor(&mut sum, last);
            backend.encrypt_block_inplace(&mut sum);
            // The tag may be known, the mask may not: nothing of it stays behind.
            offset = Array::default();
        }
        *self.running = Running { sum, offset, count };
    }
}

impl<C: BlockCipher> MaskedSum<C> {
    #[inline]
    fn keyed_on(kernel: C::Kernel, key: &[u8]) -> Result<Self, InvalidLength> {
        let cipher = C::new_on(kernel, key)?;
        let mut masks: [Block<C>; KEPT_MASKS] = Default::default();
        cipher.encrypt_block(&mut masks[0]);
        for i in 1..KEPT_MASKS {
            masks[i] = C::BlockSize::double(&masks[i - 1]);
        }
        let full = C::BlockSize::halve(&masks[0]);
        Ok(Self { cipher, masks, full })
    }

    #[inline(always)]
    fn pass(
        &self,
        running: &mut Running<C::BlockSize>,
        runs: [&[Block<C>]; 2],
        end: Option<&Block<C>>,
    ) {
        let masks = &self.masks;
        if runs[0].len() + runs[1].len() < WIDE_BLOCKS_MIN {
            self.cipher.encrypt_with_backend(Pass::<_, false> { masks, running, runs, end });
        } else {
            self.cipher.encrypt_with_backend(Pass::<_, true> { masks, running, runs, end });
        }
    }
}

/// The mask of block `count`, from 1: it differs from that of the block before by one L·u^i, i the
/// number of zeros that `count` ends in (a Gray code).
#[inline(always)]
fn next_offset<N: DoublingSize>(
    masks: &[Array<u8, N>; KEPT_MASKS],
    mut offset: Array<u8, N>,
    count: u64,
) -> Array<u8, N> {
    let power = count.trailing_zeros() as usize;
    if power >= KEPT_MASKS {
        return next_offset_far(&masks[KEPT_MASKS - 1], offset, power);
    }
    xor(&mut offset, &masks[power]);
    offset
}

/// As [`next_offset`], for a power beyond the last mask kept.
#[cold]
#[inline(never)]
fn next_offset_far<N: DoublingSize>(
    last_kept: &Array<u8, N>,
    mut offset: Array<u8, N>,
    power: usize,
) -> Array<u8, N> {
    let far = (KEPT_MASKS - 1..power).fold(last_kept.clone(), |mask, _| N::double(&mask));
    xor(&mut offset, &far);
    offset
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
        supersede(self, Self::keyed_on(self.cipher.kernel(), key)?);
        Ok(())
    }

    #[inline(always)]
    fn absorb(&self, running: &mut Self::Running, first: &[Block<C>], then: &[Block<C>]) {
        self.pass(running, [first, then], None);
    }

    #[inline(always)]
    fn finish(
        &self,
        running: &mut Self::Running,
        blocks: &[Block<C>],
        tail: &[u8],
        tag: &mut Block<C>,
    ) {
        let mut last;
        if let Some(full) = Block::<C>::slice_as_array(tail) {
            last = full.clone();
            xor(&mut last, &self.full);
        } else {
            last = pad_with_one(tail);
        }
        self.pass(running, [blocks, &[]], Some(&last));
        tag.copy_from_slice(&running.sum);
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

pub(crate) const ROWS: &[MacInfo] = over_ciphers!(row, "pmac", "PMAC");

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
    key_life: "well below 2^(n/2) messages",
    approved_by: "none",
    attacks: "at the birthday bound L is found, and forging is easy (Lee, Kim, Sung, Hong, Lee \
        2006)",
    facts: Facts { key_life: KeyLife::Blocks, quantum: Quantum::Superposition, ..Facts::MAC },
};
