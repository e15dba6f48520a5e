//! Many independent CBC chains Yi = E_K(Xi ⊕ Yi−1) at once, each under a key of its own and in a
//! lane of its own, of whatever lengths: the scheduler. Blocks of `B` bytes, schedules of type `S`.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod words;

use alloc::vec::Vec;

use crate::kernels::wiped::wipe_values;

/// One chain: its key, and its blocks in two runs, because a MAC's last block is its own while the
/// others are the caller's.
pub(crate) struct CbcJob<'a, S, const B: usize> {
    /// The key.
    pub(crate) schedule: &'a S,
    /// The first blocks.
    pub(crate) blocks: &'a [[u8; B]],
    /// The last block.
    pub(crate) last: Option<[u8; B]>,
}

impl<S, const B: usize> CbcJob<'_, S, B> {
    fn len_blocks(&self) -> usize {
        self.blocks.len() + usize::from(self.last.is_some())
    }
}

/// A chain that goes into a lane.
pub(crate) struct Fill<'a, S, const B: usize> {
    pub(crate) lane: usize,
    pub(crate) schedule: &'a S,
    /// Its value before the first block.
    pub(crate) y: [u8; B],
}

/// When lanes are faster than one chain after the other: there have to be enough chains, and those
/// beyond that long enough.
#[derive(Clone, Copy)]
pub(crate) struct Worth {
    /// So few chains are faster one after the other.
    pub(crate) least: usize,
    /// What it costs to begin, in blocks of one chain.
    pub(crate) start: usize,
}

impl Worth {
    /// Where there are no lanes.
    pub(crate) const NEVER: Self = Self { least: usize::MAX, start: 0 };

    /// Whether it is so for so many chains of so many blocks together.
    #[inline(always)]
    pub(crate) fn pays(self, chains: usize, blocks: usize) -> bool {
        // In `usize` of 32 bits the products could be too large.
        chains >= self.least
            && (chains - self.least) as u64 * blocks as u64 >= (self.start * chains) as u64
    }
}

/// `LANES` chains side by side.
pub(crate) trait CbcLanes<'a, S: 'a, const B: usize, const LANES: usize> {
    /// When they are faster than one chain after the other.
    const WORTH: Worth;
    /// With so many lanes empty it pays to fill them.
    const REFILL: usize;

    /// Begins chains in lanes; no lane twice.
    fn put(&mut self, fills: &[Fill<'a, S, B>]);

    /// Every lane absorbs the first `count` blocks of its run.
    fn absorb(&mut self, runs: &[&[[u8; B]]; LANES], count: usize);

    /// The chaining values of lanes: `(lane, place in y)`.
    fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; B]]);

    /// One chain alone.
    fn chain(schedule: &S, y: &mut [u8; B], run: &[[u8; B]]);
}

/// Runs all `jobs`; the chain of each begins with its value in `y` and leaves its last there. The
/// longest go first, and a lane takes the next when its chain has ended. `new` makes the lanes.
///
/// # Panics
/// When there are not as many `y` as jobs.
#[inline(always)]
pub(crate) fn cbc_many<'a, L, S, const B: usize, const LANES: usize>(
    new: impl FnOnce(&'a S) -> L,
    jobs: &'a [CbcJob<'a, S, B>],
    y: &mut [[u8; B]],
) where
    L: CbcLanes<'a, S, B, LANES>,
{
    assert_eq!(jobs.len(), y.len(), "a chaining value a job");
    if !L::WORTH.pays(jobs.len(), jobs.iter().map(CbcJob::len_blocks).sum()) {
        for (job, y) in jobs.iter().zip(y) {
            L::chain(job.schedule, y, job.blocks);
            L::chain(job.schedule, y, job.last.as_slice());
        }
        return;
    }
    let order = longest_first(jobs);
    let nth = |n: usize| order.as_ref().map_or(n, |order| order[n] as usize);
    let mut queue = (0..jobs.len()).map(nth).filter(|&number| jobs[number].len_blocks() > 0);
    let mut lanes = new(jobs[0].schedule);
    let mut running = Running::<S, B, LANES>::new(jobs);
    let (mut fills, mut ended) = (Vec::with_capacity(LANES), Vec::with_capacity(LANES));
    let mut waiting = true;
    loop {
        if waiting && LANES - running.active >= L::REFILL {
            waiting = running.fill(&mut queue, &mut fills, y);
            lanes.put(&fills);
        }
        if running.active == 0 || !waiting && running.active < L::WORTH.least {
            break;
        }
        let count = running.common_run();
        lanes.absorb(&running.runs, count);
        running.advance(count, &mut ended);
        if !ended.is_empty() {
            lanes.take(&ended, y);
        }
    }
    running.all(&mut ended);
    lanes.take(&ended, y);
    for &(lane, number) in &ended {
        L::chain(jobs[number].schedule, &mut y[number], running.runs[lane]);
        if !running.on_last[lane] {
            L::chain(jobs[number].schedule, &mut y[number], jobs[number].last.as_slice());
        }
    }
    // What chains began with may be of other chains.
    wipe_values(&mut fills);
}

/// What is in the lanes.
struct Running<'a, S, const B: usize, const LANES: usize> {
    jobs: &'a [CbcJob<'a, S, B>],
    /// What is left of the current run of each.
    runs: [&'a [[u8; B]]; LANES],
    /// The job of each; `EMPTY` where there is none.
    numbers: [u32; LANES],
    /// Whether no other run comes after.
    on_last: [bool; LANES],
    active: usize,
}

const EMPTY: u32 = u32::MAX;

impl<'a, S, const B: usize, const LANES: usize> Running<'a, S, B, LANES> {
    #[inline(always)]
    fn new(jobs: &'a [CbcJob<'a, S, B>]) -> Self {
        let numbers = [EMPTY; LANES];
        Self { jobs, runs: [&[]; LANES], numbers, on_last: [true; LANES], active: 0 }
    }

    /// Fills the empty lanes from the queue; whether there may be more in it.
    #[inline(always)]
    fn fill(
        &mut self,
        queue: &mut impl Iterator<Item = usize>,
        fills: &mut Vec<Fill<'a, S, B>>,
        y: &[[u8; B]],
    ) -> bool {
        fills.clear();
        for lane in 0..LANES {
            if self.numbers[lane] != EMPTY {
                continue;
            }
            let Some(number) = queue.next() else { return false };
            let job = &self.jobs[number];
            self.numbers[lane] = number as u32;
            self.on_last[lane] = job.blocks.is_empty();
            self.runs[lane] = if self.on_last[lane] { job.last.as_slice() } else { job.blocks };
            self.active += 1;
            fills.push(Fill { lane, schedule: job.schedule, y: y[number] });
        }
        true
    }

    /// How many blocks all active lanes have in their runs. Lanes without a chain get the run of
    /// another; what becomes of them does not matter.
    #[inline(always)]
    fn common_run(&mut self) -> usize {
        let (mut count, mut any) = (usize::MAX, self.runs[0]);
        for (run, &number) in self.runs.iter().zip(&self.numbers) {
            if number != EMPTY && run.len() < count {
                (count, any) = (run.len(), run);
            }
        }
        if self.active < LANES {
            for (run, _) in self.runs.iter_mut().zip(&self.numbers).filter(|(_, n)| **n == EMPTY) {
                *run = any;
            }
        }
        count
    }

    /// Goes past `count` blocks; notes the lanes whose chain has ended, and empties them.
    #[inline(always)]
    fn advance(&mut self, count: usize, ended: &mut Vec<(usize, usize)>) {
        ended.clear();
        for lane in 0..LANES {
            self.runs[lane] = &self.runs[lane][count..];
            let number = self.numbers[lane];
            if !self.runs[lane].is_empty() || number == EMPTY {
                continue;
            }
            let job = &self.jobs[number as usize];
            if self.on_last[lane] || job.last.is_none() {
                ended.push((lane, number as usize));
                self.numbers[lane] = EMPTY;
                self.active -= 1;
            } else {
                self.runs[lane] = job.last.as_slice();
                self.on_last[lane] = true;
            }
        }
    }

    /// Notes the lanes that have a chain.
    fn all(&self, ended: &mut Vec<(usize, usize)>) {
        ended.clear();
        let active = (0..LANES).filter(|&lane| self.numbers[lane] != EMPTY);
        ended.extend(active.map(|lane| (lane, self.numbers[lane] as usize)));
    }
}

/// The jobs in the order of falling lengths; `None` when they are all of one length.
fn longest_first<S, const B: usize>(jobs: &[CbcJob<'_, S, B>]) -> Option<Vec<u32>> {
    let first = jobs.first()?.len_blocks();
    if jobs.iter().all(|job| job.len_blocks() == first) {
        return None;
    }
    Some(longest_of(&jobs.iter().map(CbcJob::len_blocks).collect::<Vec<_>>()))
}

/// Compiled once, not for each cipher.
#[inline(never)]
fn longest_of(lens: &[usize]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..lens.len() as u32).collect();
    order.sort_unstable_by_key(|&number| usize::MAX - lens[number as usize]);
    order
}

#[cfg(test)]
pub(crate) mod tests;
