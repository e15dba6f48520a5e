//! PMAC, up to eight blocks at once. A short message goes through registers alone: what is stored
//! on its way keeps the stores of the next message waiting for its tag.

use core::arch::x86_64::*;

use super::super::{Block, KEPT_MASKS, MaskedPass, Padding, Schedule, far_mask, split_last};
use super::{AesNi, V, WIDTH, encrypt_vector, encrypt_vectors, last_block, load, store, vectors};

/// Fewer blocks than this are taken one by one, and not side by side.
const SIDE_BY_SIDE_MIN: usize = 4;

/// What is kept of the blocks taken so far, and the masks.
pub(in super::super) struct Masked<'a> {
    pub(in super::super) masks: &'a [Block; KEPT_MASKS],
    /// Of the encrypted blocks.
    pub(in super::super) sum: V,
    /// The mask of the block taken last.
    pub(in super::super) offset: V,
    /// Number of blocks taken.
    pub(in super::super) count: u64,
}

impl<'a> Masked<'a> {
    /// Of no blocks.
    #[inline]
    #[target_feature(enable = "aes,avx")]
    pub(in super::super) fn new(masks: &'a [Block; KEPT_MASKS]) -> Self {
        Self { masks, sum: _mm_setzero_si128(), offset: _mm_setzero_si128(), count: 0 }
    }

    /// Of the blocks before a pass.
    #[inline]
    #[target_feature(enable = "aes,avx")]
    pub(in super::super) fn before(pass: &MaskedPass<'a, Block>) -> Self {
        let MaskedPass { masks, sum, offset, count, .. } = pass;
        Self { masks, sum: load(sum), offset: load(offset), count: **count }
    }

    /// Ends a pass.
    #[inline]
    #[target_feature(enable = "aes,avx")]
    pub(in super::super) fn leave(self, pass: MaskedPass<'a, Block>) {
        store(pass.sum, self.sum);
        store(pass.offset, self.offset);
        *pass.count = self.count;
    }

    /// By what the mask of block `count` differs from that of the block before.
    #[inline]
    #[target_feature(enable = "aes,avx")]
    pub(in super::super) fn mask(&self, count: u64) -> V {
        // A mask that is copied on its way would wait for memory.
        let power = count.trailing_zeros() as usize;
        match self.masks.get(power) {
            Some(mask) => load(mask),
            None => load(&far_mask(self.masks, power)),
        }
    }

    /// Takes N blocks, side by side.
    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn take<const KEYS: usize, const N: usize>(&mut self, keys: &[V; KEYS], blocks: &[Block; N]) {
        let mut masked = [_mm_setzero_si128(); N];
        for (to, block) in masked.iter_mut().zip(blocks) {
            self.count += 1;
            self.offset = _mm_xor_si128(self.offset, self.mask(self.count));
            *to = _mm_xor_si128(load(block), self.offset);
        }
        for block in encrypt_vectors(keys, masked) {
            self.sum = _mm_xor_si128(self.sum, block);
        }
    }

    /// Takes any number of blocks. In memory, and not by value: that would be copied by wider
    /// vectors than it was stored by.
    #[target_feature(enable = "aes,avx")]
    pub(in super::super) fn take_all<const KEYS: usize>(
        &mut self,
        keys: &[V; KEYS],
        blocks: &[Block],
    ) {
        let (runs, rest) = blocks.as_chunks::<WIDTH>();
        for run in runs {
            self.take(keys, run);
        }
        let (runs, rest) = rest.as_chunks::<SIDE_BY_SIDE_MIN>();
        for run in runs {
            self.take(keys, run);
        }
        for block in rest.as_chunks::<1>().0 {
            self.take(keys, block);
        }
    }
}

/// The sum of any number of blocks from the first on.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(in super::super) fn sum_of<const KEYS: usize>(
    keys: &[V; KEYS],
    masks: &[Block; KEPT_MASKS],
    blocks: &[Block],
) -> V {
    let mut masked = Masked::new(masks);
    if blocks.len() < SIDE_BY_SIDE_MIN {
        for block in blocks.as_chunks::<1>().0 {
            masked.take(keys, block);
        }
        return masked.sum;
    }
    let mut masked = Masked::new(masks);
    masked.take_all(keys, blocks);
    masked.sum
}

/// The tag, from the sum of all blocks but the last and from that.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(in super::super) fn tag_of_sum<const KEYS: usize>(keys: &[V; KEYS], sum: V, last: V) -> V {
    encrypt_vector(keys, _mm_xor_si128(sum, last))
}

entries! {
    AesNi, "aes,avx";

    /// As `Kernel::masked_mac`.
    fn masked_mac<const KEYS: usize>(
        schedule: &Schedule<KEYS>,
        masks: &[Block; KEPT_MASKS],
        full: &Block,
        message: &[u8],
        tag: &mut Block,
    ) {
        let (keys, (blocks, tail)) = (vectors(schedule), split_last(message));
        let last = last_block(tail, load(full), _mm_setzero_si128(), Padding::One);
        store(tag, tag_of_sum(keys, sum_of(keys, masks, blocks), last));
    }

    /// As `Kernel::masked_sum`.
    fn masked_sum<const KEYS: usize>(schedule: &Schedule<KEYS>, pass: MaskedPass<'_, Block>) {
        let (keys, mut masked) = (vectors(schedule), Masked::before(&pass));
        for run in pass.runs {
            masked.take_all(keys, run);
        }
        masked.leave(pass);
    }
}
