//! PMAC's sum over a cipher that is known by its blocks only. Every block is masked by its place
//! and encrypted by itself: a cipher that takes many side by side gets them.

use cipher::array::{Array, ArraySize};
use cipher::{Block, BlockCipherEncBackend, BlockCipherEncClosure, BlockSizeUser, ParBlocks};

use super::BlockCipher;
use super::chain::{pad_with_one, split_held, xor};
use crate::doubling::DoublingSize;
use crate::kernels::chaining::{KEPT_MASKS, MaskedPass};
use crate::wipe::wipe;

/// From how many blocks on a backend is asked to encrypt side by side: some first spread their
/// round keys over wide registers, which takes as long as a few blocks.
const WIDE_BLOCKS_MIN: usize = 4;

/// The PMAC of a whole message.
#[inline(always)]
pub(crate) fn mac<C: BlockCipher>(
    cipher: &C,
    masks: &[Block<C>; KEPT_MASKS],
    full: &Block<C>,
    message: &[u8],
    tag: &mut Block<C>,
) {
    let (blocks, tail) = split_held::<C>(message);
    let (mut offset, mut count) = (Block::<C>::default(), 0);
    *tag = Block::<C>::default();
    let runs = [blocks, &[]];
    sum(cipher, MaskedPass { masks, sum: tag, offset: &mut offset, count: &mut count, runs });
    end(cipher, tag, full, tail);
    // The tag may be known, the mask may not.
    wipe(&mut offset);
}

/// The tag, from the sum of all blocks but the last and from that.
#[inline(always)]
pub(crate) fn end<C: BlockCipher>(cipher: &C, sum: &mut Block<C>, full: &Block<C>, tail: &[u8]) {
    if let Some(block) = Block::<C>::slice_as_array(tail) {
        xor(sum, block);
        xor(sum, full);
    } else {
        xor(sum, &pad_with_one(tail));
    }
    cipher.encrypt_block(sum);
}

/// The pass through a cipher, in one call of its backend.
#[inline(always)]
pub(crate) fn sum<C: BlockCipher>(cipher: &C, pass: MaskedPass<'_, Block<C>>) {
    if pass.runs[0].len() + pass.runs[1].len() < WIDE_BLOCKS_MIN {
        cipher.encrypt_with_backend(Blocks::<_, false>(pass));
    } else {
        cipher.encrypt_with_backend(Blocks::<_, true>(pass));
    }
}

/// Only if `IS_WIDE` it looks for runs of blocks to encrypt side by side.
struct Blocks<'a, N: ArraySize, const IS_WIDE: bool>(MaskedPass<'a, Array<u8, N>>);

impl<N: DoublingSize, const IS_WIDE: bool> BlockSizeUser for Blocks<'_, N, IS_WIDE> {
    type BlockSize = N;
}

impl<N: DoublingSize, const IS_WIDE: bool> BlockCipherEncClosure for Blocks<'_, N, IS_WIDE> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = N>>(self, backend: &B) {
        let Self(pass) = self;
        // Local copies, so that they can stay in registers from block to block.
        let (mut sum, mut offset, mut count) = (pass.sum.clone(), pass.offset.clone(), *pass.count);
        for run in pass.runs {
            let (wide, narrow) =
                if IS_WIDE { ParBlocks::<B>::slice_as_chunks(run) } else { (&[][..], run) };
            for blocks in wide {
                let mut blocks = blocks.clone();
                for block in &mut blocks {
                    count += 1;
                    offset = next_offset(pass.masks, offset, count);
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
                offset = next_offset(pass.masks, offset, count);
                xor(&mut block, &offset);
                backend.encrypt_block_inplace(&mut block);
                xor(&mut sum, &block);
            }
        }
        (*pass.sum, *pass.offset, *pass.count) = (sum, offset, count);
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
