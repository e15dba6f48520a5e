//! Which messages of a batch go together. Those that take equally many blocks go in step, the
//! others, the longest first, through lanes that are refilled, and too few of either one by one.

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

/// The tags of the messages of these numbers, at most a window.
#[inline(always)]
pub(crate) fn some<W: Ways<H, B>, H: Hash<B>, const B: usize>(
    ways: W,
    tags: &mut Tags<'_, '_, H, B>,
    numbers: &[u16],
) {
    if numbers.len() < W::STEP_MIN.min(W::LANES_MIN) {
        return ways.few(tags, numbers);
    }
    let count = |&number: &u16| blocks::<H, B>(tags.message(number).len());
    let first = count(&numbers[0]);
    if numbers.iter().all(|number| count(number) == first) {
        equal(ways, tags, numbers);
    } else {
        mixed(ways, tags, numbers);
    }
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

/// Messages that take equally many blocks.
#[inline(always)]
fn equal<W: Ways<H, B>, H: Hash<B>, const B: usize>(
    ways: W,
    tags: &mut Tags<'_, '_, H, B>,
    numbers: &[u16],
) {
    if W::STEP_MIN > W::STEP {
        return ways.drive(Unlike { tags, numbers });
    }
    for numbers in numbers.chunks(W::STEP) {
        if numbers.len() >= W::STEP_MIN {
            ways.in_step(tags, numbers);
        } else {
            ways.few(tags, numbers);
        }
    }
}

/// Messages of any lengths.
#[inline(always)]
fn mixed<W: Ways<H, B>, H: Hash<B>, const B: usize>(
    ways: W,
    tags: &mut Tags<'_, '_, H, B>,
    numbers: &[u16],
) {
    let count = |tags: &Tags<'_, '_, H, B>, number| blocks::<H, B>(tags.message(number).len());
    // The order knows blocks of 16 bytes.
    let mut order = Order::new(numbers.iter().map(|&number| 16 * count(tags, number)));
    order.renumber(numbers);
    let mut order = order.numbers();
    if W::STEP_MIN > W::STEP {
        return ways.drive(Unlike { tags, numbers: order });
    }
    let (mut rest, mut rest_len) = ([0; WINDOW], 0);
    while let [first, ..] = order {
        let blocks = count(tags, *first);
        let most = order.len().min(W::STEP);
        let alike = order[..most].iter().take_while(|&&number| count(tags, number) == blocks);
        let (group, others) = order.split_at(alike.count());
        // Lanes left empty cost more than lanes that are refilled.
        if group.len() >= W::STEP_MIN && 4 * group.len() >= 3 * W::STEP {
            ways.in_step(tags, group);
        } else {
            rest[rest_len..][..group.len()].copy_from_slice(group);
            rest_len += group.len();
        }
        order = others;
    }
    let rest = &rest[..rest_len];
    if rest.len() >= W::LANES_MIN {
        ways.drive(Unlike { tags, numbers: rest });
    } else {
        ways.few(tags, rest);
    }
}
