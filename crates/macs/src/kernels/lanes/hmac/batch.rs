//! Which messages of a batch go together. Those that take equally many blocks go in step, the
//! others, the longest first, through lanes that are refilled, and too few of either one by one.

use core::ops::Range;

use super::{Hash, HmacKey, Tags, Unlike, blocks};
use crate::kernels::Job;
use crate::kernels::lanes::Plan;
use crate::kernels::lanes::order::{Order, WINDOW};

/// What a kernel can do with messages.
pub(crate) trait Ways<H: Hash<B>, const B: usize>: Copy {
    /// Most messages that go in step.
    const STEP: usize;
    /// Fewest that are quicker in step than one after the other; more than `STEP` if none are.
    const STEP_MIN: usize;
    /// Fewest that are quicker in lanes than one after the other.
    const LANES_MIN: usize;

    /// The tag of one message.
    fn one(self, key: &HmacKey<H::State>, message: &[u8], tag: &mut [u8]);

    /// The tags of the messages of these numbers, at most `STEP`, which take equally many blocks.
    fn in_step(self, tags: &mut Tags<'_, '_, H, B>, numbers: &[u16]);

    /// The tags of messages that are too few for steps and for lanes: one by one, unless there is
    /// something between.
    #[inline(always)]
    fn few(self, tags: &mut Tags<'_, '_, H, B>, numbers: &[u16]) {
        one_by_one(self, tags, numbers);
    }

    /// Carries a plan out in lanes.
    fn drive<'a, P: Plan<'a, B, State = H::State>>(self, plan: P);
}

/// The tags of many messages, each `DIGEST_LEN` bytes, in the order of the jobs.
#[inline(always)]
pub(crate) fn macs<W: Ways<H, B>, H: Hash<B>, const B: usize>(
    ways: W,
    keys: &[HmacKey<H::State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    in_windows(keys, jobs, tags, |tags, numbers| some(ways, tags, numbers));
}

/// The same, by `some`, which gets a window of the messages and their numbers.
#[inline(always)]
pub(crate) fn in_windows<H: Hash<B>, const B: usize>(
    keys: &[HmacKey<H::State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
    some: impl Fn(&mut Tags<'_, '_, H, B>, &[u16]),
) {
    let windows = jobs.chunks(WINDOW).zip(tags.chunks_mut(WINDOW * H::DIGEST_LEN));
    for (jobs, tags) in windows {
        some(&mut Tags::new(keys, jobs, tags), &IDENTITY[..jobs.len()]);
    }
}

/// The tags of the messages of these numbers, at most a window. Each of the ways is called in one
/// place only: they are long, and inlined.
#[inline(always)]
pub(crate) fn some<W: Ways<H, B>, H: Hash<B>, const B: usize>(
    ways: W,
    tags: &mut Tags<'_, '_, H, B>,
    numbers: &[u16],
) {
    let (mut sorted, mut rest, mut drives) = (None::<Order>, 0..numbers.len(), false);
    if numbers.len() >= W::STEP_MIN.min(W::LANES_MIN) {
        let first = count(tags, numbers[0]);
        if numbers.iter().any(|&number| count(tags, number) != first) {
            // The order knows blocks of 16 bytes.
            let mut order = Order::new(numbers.iter().map(|&number| 16 * count(tags, number)));
            order.renumber(numbers);
            sorted = Some(order);
        }
        if W::STEP_MIN > W::STEP {
            drives = true;
        } else {
            rest = in_steps(ways, tags, numbers, &mut sorted);
            drives = sorted.is_some() && rest.len() >= W::LANES_MIN;
        }
    }
    let rest = &sorted.as_ref().map_or(numbers, Order::numbers)[rest];
    if drives {
        ways.drive(Unlike { tags, numbers: rest });
    } else {
        ways.few(tags, rest);
    }
}

/// Blocks of a message.
#[inline(always)]
fn count<H: Hash<B>, const B: usize>(tags: &Tags<'_, '_, H, B>, number: u16) -> usize {
    blocks::<H, B>(tags.message(number).len())
}

/// The tags of the messages that go in step; says where the numbers of the others are now. They
/// are `numbers`, of messages that take equally many blocks, or those that are sorted.
#[inline(always)]
fn in_steps<W: Ways<H, B>, H: Hash<B>, const B: usize>(
    ways: W,
    tags: &mut Tags<'_, '_, H, B>,
    numbers: &[u16],
    sorted: &mut Option<Order>,
) -> Range<usize> {
    let (mut at, mut rest) = (0, 0..0);
    while at < numbers.len() {
        let left = &sorted.as_ref().map_or(numbers, Order::numbers)[at..];
        let (mut len, mut len_min) = (left.len().min(W::STEP), W::STEP_MIN);
        if sorted.is_some() {
            let blocks = count(tags, left[0]);
            let alike = left[..len].iter().take_while(|&&number| count(tags, number) == blocks);
            len = alike.count();
            // Lanes left empty cost more than lanes that are refilled.
            len_min = len_min.max((3 * W::STEP).div_ceil(4));
        }
        if len >= len_min {
            ways.in_step(tags, &left[..len]);
        } else if let Some(order) = sorted {
            order.keep(at..at + len, rest.end);
            rest.end += len;
        } else {
            rest = at..at + len;
        }
        at += len;
    }
    rest
}

static IDENTITY: [u16; WINDOW] = {
    let mut numbers = [0; WINDOW];
    let mut i = 0;
    while i < WINDOW {
        numbers[i] = i as u16;
        i += 1;
    }
    numbers
};

#[inline(always)]
pub(crate) fn one_by_one<W: Ways<H, B>, H: Hash<B>, const B: usize>(
    ways: W,
    tags: &mut Tags<'_, '_, H, B>,
    numbers: &[u16],
) {
    for &number in numbers {
        ways.one(tags.key(number), tags.message(number), tags.tag(number));
    }
}
