//! CBC chains of many messages side by side, each under a key of its own. A round of one chain is
//! two instructions that wait for each other; those of eight do not.

use core::arch::aarch64::{vaeseq_u8, vaesmcq_u8, vdupq_n_u8, veorq_u8};
use core::array::from_fn;

use super::{ArmAes, Block, Schedule, V, load, store};
use crate::kernels::aes::soft;
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// Number of lanes.
const LANES: usize = 8;

/// A guess, for nothing was measured: from `BLOCKS_MIN` on, one chain fills what a core looks
/// ahead, so that the next message does not begin before it ends.
const WORTH: Worth = Worth { least: 2, start: 16 };

/// The mean number of blocks that lanes are worth.
const BLOCKS_MIN: usize = 8;

/// Whether so many chains of so many blocks together are quicker in lanes.
pub(in crate::kernels::aes) fn gathers(chains: usize, blocks: usize) -> bool {
    blocks / BLOCKS_MIN >= chains && WORTH.pays(chains, blocks)
}

/// As `Kernel::cbc_many`.
pub(in crate::kernels::aes) fn cbc<const KEYS: usize>(
    token: ArmAes,
    jobs: &[CbcJob<'_, Schedule<KEYS>, 16>],
    y: &mut [Block],
) {
    let new = |first| {
        // SAFETY: the token proves the instructions.
        let zero = unsafe { vdupq_n_u8(0) };
        Lanes { token, schedules: [first; LANES], y: [zero; LANES] }
    };
    cbc_many::<Lanes<'_, KEYS>, _, 16, LANES>(new, jobs, y);
}

/// The chains in the lanes.
struct Lanes<'a, const KEYS: usize> {
    token: ArmAes,
    schedules: [&'a Schedule<KEYS>; LANES],
    y: [V; LANES],
}

impl<'a, const KEYS: usize> CbcLanes<'a, Schedule<KEYS>, 16, LANES> for Lanes<'a, KEYS> {
    const WORTH: Worth = WORTH;
    const REFILL: usize = 1;

    fn put(&mut self, fills: &[Fill<'a, Schedule<KEYS>, 16>]) {
        for fill in fills {
            self.schedules[fill.lane] = fill.schedule;
            self.y[fill.lane] = load(&fill.y);
        }
    }

    fn absorb(&mut self, runs: &[&[Block]; LANES], count: usize) {
        let Self { token: _, schedules, y } = self;
        // SAFETY: the token, which the lanes hold, proves the instructions.
        unsafe { absorb(schedules, y, runs, count) }
    }

    fn take(&self, ended: &[(usize, usize)], y: &mut [Block]) {
        for &(lane, number) in ended {
            store(&mut y[number], self.y[lane]);
        }
    }

    fn chain(schedule: &Schedule<KEYS>, y: &mut Block, run: &[Block]) {
        match ArmAes::get() {
            Some(token) => super::cbc(token, schedule, y, run, &[]),
            None => soft::cbc(schedule, y, run, &[]),
        }
    }
}

/// `count` blocks of each run.
#[target_feature(enable = "aes")]
fn absorb<const KEYS: usize>(
    schedules: &[&Schedule<KEYS>; LANES],
    y: &mut [V; LANES],
    runs: &[&[Block]; LANES],
    count: usize,
) {
    let runs = runs.map(|run| &run[..count]);
    let mut state = *y;
    for (index, first) in runs[0].iter().enumerate() {
        let block = |lane: usize| if lane == 0 { first } else { &runs[lane][index] };
        state = from_fn(|lane| veorq_u8(state[lane], load(block(lane))));
        for key in 0..KEYS - 2 {
            for (state, schedule) in state.iter_mut().zip(schedules) {
                *state = vaesmcq_u8(vaeseq_u8(*state, load(&schedule.keys[key])));
            }
        }
        for (state, schedule) in state.iter_mut().zip(schedules) {
            let [before, last] = [KEYS - 2, KEYS - 1].map(|key| load(&schedule.keys[key]));
            *state = veorq_u8(vaeseq_u8(*state, before), last);
        }
    }
    *y = state;
}
