//! The messages of lanes that end together.

use super::super::Block;
use super::{Padding, Start};

/// The messages of `N` lanes, brought to one end: all have heads of so many blocks, but some lanes
/// skip the first ones.
#[repr(C, align(64))]
pub(super) struct Texts<const N: usize> {
    pub(super) start: Start,
    /// Where the heads begin, with what is skipped.
    pub(super) at: [*const u8; N],
    /// Length in bytes of the heads, with what is skipped.
    pub(super) head_len: usize,
    /// Length in bytes of what is skipped, a number of blocks.
    pub(super) skip: [usize; N],
    pub(super) most_skip: usize,
    /// Length in bytes of the last blocks.
    pub(super) tail_len: [usize; N],
    /// Whether all these are the first one's.
    pub(super) same_tails: bool,
}

/// A block to read for lanes that have not begun.
static NOTHING: Block = [0; 16];

impl<const N: usize> Texts<N> {
    /// Texts that skip nothing, all with heads of this length.
    #[inline(always)]
    pub(super) fn new(start: Start, head_len: usize) -> Self {
        Self {
            start,
            at: [core::ptr::null(); N],
            head_len,
            skip: [0; N],
            most_skip: 0,
            tail_len: [0; N],
            same_tails: true,
        }
    }

    /// Brings texts of these lengths, which begin at `at`, to one end.
    #[inline(always)]
    pub(super) fn align(&mut self, lens: &[usize; N], padding: Padding) {
        let head_lens = lens.map(|len| padding.head_len(len));
        self.head_len = head_lens.into_iter().fold(0, usize::max);
        for lane in 0..N {
            let skip = self.head_len - head_lens[lane];
            self.skip[lane] = skip;
            self.most_skip = self.most_skip.max(skip);
            self.at[lane] = self.at[lane].wrapping_sub(skip);
            self.tail_len[lane] = lens[lane] - head_lens[lane];
            self.same_tails &= self.tail_len[lane] == self.tail_len[0];
        }
    }

    /// Where the lane reads the block `offset` bytes from the beginning: where it has begun, its
    /// own.
    #[inline(always)]
    pub(super) fn first_block(&self, lane: usize, offset: usize) -> *const u8 {
        if self.skip[lane] <= offset {
            self.at[lane].wrapping_add(offset)
        } else {
            NOTHING.as_ptr()
        }
    }
}
