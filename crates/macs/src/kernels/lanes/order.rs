//! The order in which lanes take messages: long ones first, so that the lanes end together. A
//! counting sort by classes of lengths; within a class the jobs keep their order.

use core::ops::Range;

/// Most jobs that are ordered at once.
pub(crate) const WINDOW: usize = 256;

const CLASSES: usize = 128;

/// Job numbers, the longest first.
pub(crate) struct Order {
    numbers: [u16; WINDOW],
    len: usize,
}

impl Order {
    /// The order of at most a window of lengths.
    #[inline(always)]
    pub(crate) fn new(lens: impl ExactSizeIterator<Item = usize>) -> Self {
        let len = lens.len().min(WINDOW);
        let (mut classes, mut ends) = ([0u8; WINDOW], [0u16; CLASSES]);
        for (class, len) in classes.iter_mut().zip(lens) {
            *class = class_of(len / 16);
            ends[usize::from(*class)] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut().rev() {
            (*end, sum) = (sum, sum + *end);
        }
        let mut numbers = [0; WINDOW];
        for (number, class) in (0..).zip(&classes[..len]) {
            let place = &mut ends[usize::from(*class)];
            numbers[usize::from(*place)] = number;
            *place += 1;
        }
        Self { numbers, len }
    }

    /// The jobs have these numbers, in the order of the lengths, not 0, 1, and so on.
    #[inline(always)]
    pub(crate) fn renumber(&mut self, numbers: &[u16]) {
        for number in &mut self.numbers[..self.len] {
            *number = numbers[usize::from(*number)];
        }
    }

    #[inline(always)]
    pub(crate) fn numbers(&self) -> &[u16] {
        &self.numbers[..self.len]
    }

    /// Moves numbers forward, to where they are out of the way.
    #[inline(always)]
    pub(crate) fn keep(&mut self, numbers: Range<usize>, place: usize) {
        self.numbers.copy_within(numbers, place);
    }
}

/// Each number of blocks below 64, then eight classes an octave.
#[inline(always)]
fn class_of(blocks: usize) -> u8 {
    let class = match blocks.checked_ilog2() {
        Some(octave @ 6..) => 16 + 8 * octave as usize + ((blocks >> (octave - 3)) & 7),
        _ => blocks,
    };
    class.min(CLASSES - 1) as u8
}
