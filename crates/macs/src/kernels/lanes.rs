//! Many independent chains of one compression function at once, each in a lane of its own, and the
//! scheduler that keeps the lanes full.

#[cfg(any(
    feature = "rc6",
    feature = "serpent",
    feature = "tdes",
    feature = "twofish",
    all(feature = "aes", feature = "batch", target_arch = "aarch64")
))]
pub(crate) mod cbc;
pub(crate) mod hmac;
pub(crate) mod order;

use crate::wipe::overwrite;

/// Chains side by side. The scheduler fills a lane when its message ends.
pub(crate) trait Lanes {
    /// A chaining value.
    type State: Copy;
    /// A message block.
    type Block;
    /// Number of lanes.
    const LANES: usize;

    /// Begins another chain in a lane.
    fn put(&mut self, lane: usize, state: &Self::State);

    /// The chaining value of a lane.
    fn take(&self, lane: usize) -> Self::State;

    /// Every lane absorbs its run of blocks: `LANES` runs, all of one length.
    fn absorb(&mut self, runs: &[&[Self::Block]]);

    /// Writes the bytes of `message` after its last full block, 0x80 and zeros up to the last eight
    /// bytes of a block, which `field` is; the number of blocks that makes, two if mark and field,
    /// `field_len` bytes of which eight may be set, have no room in one. FIPS 180-4 §5.1, RFC 1321
    /// §3.1. Kernels override it to write whole vectors, which they load again at once.
    #[inline(always)]
    fn close(
        message: &[u8],
        field: [u8; 8],
        field_len: usize,
        blocks: &mut [Self::Block; 2],
    ) -> usize
    where
        Self::Block: AsMut<[u8]>,
    {
        close(message, field, field_len, blocks.each_mut().map(AsMut::as_mut))
    }

    /// As `absorb`, with only the first `active` lanes in use: the runs of the others repeat one of
    /// theirs, and their chaining values may become anything.
    #[inline(always)]
    fn absorb_first(&mut self, active: usize, runs: &[&[Self::Block]]) {
        let _ = active;
        self.absorb(runs);
    }
}

/// `Lanes::close` for any kernel.
#[inline(always)]
pub(crate) fn close(
    message: &[u8],
    field: [u8; 8],
    field_len: usize,
    [first, second]: [&mut [u8]; 2],
) -> usize {
    let tail = &message[message.len() / first.len() * first.len()..];
    first.fill(0);
    first[..tail.len()].copy_from_slice(tail);
    first[tail.len()] = 0x80;
    let room = first.len() - 8;
    if tail.len() + 1 + field_len <= first.len() {
        first[room..].copy_from_slice(&field);
        return 1;
    }
    second.fill(0);
    second[room..].copy_from_slice(&field);
    2
}

/// Jobs that go through lanes, each as runs of blocks with something to do between two of them.
/// A job is a number and a stage, so that a lane has little to remember.
pub(crate) trait Plan<'a, const B: usize> {
    /// A chaining value.
    type State: Copy;

    /// Number of jobs.
    fn jobs(&self) -> usize;

    /// The next run of a job, after the lane has absorbed the last one. At stage 0 it puts the
    /// chaining value with which the job begins; before `Run::End` it takes what came out. It sets
    /// the stage of the next call. `buffer` is the lane's own, for blocks that do not lie in the
    /// message as they are.
    fn next<L: Lanes<State = Self::State, Block = [u8; B]>>(
        &mut self,
        job: usize,
        stage: &mut usize,
        lanes: &mut L,
        lane: usize,
        buffer: &mut Buffer<B>,
    ) -> Run<'a, B>;
}

/// Blocks that a plan makes.
pub(crate) type Buffer<const B: usize> = [[u8; B]; 2];

/// What a lane absorbs next.
pub(crate) enum Run<'a, const B: usize> {
    /// Blocks of the message, at least one.
    Message(&'a [[u8; B]]),
    /// The first blocks of the buffer, one or two.
    Buffer(usize),
    /// Nothing: the job is done.
    End,
}

/// A lane in use.
#[derive(Clone, Copy)]
struct Busy<'a, const B: usize> {
    job: usize,
    stage: usize,
    /// What it has still to absorb of its run, if that is in the message; else empty.
    message: &'a [[u8; B]],
    /// Blocks to absorb, of either.
    left: usize,
    /// Where in the buffer the run goes on, if it is there.
    start: usize,
}

impl<'a, const B: usize> Busy<'a, B> {
    /// Goes on to the next run; false at the end of the job.
    #[inline(always)]
    fn advance<P: Plan<'a, B>, L: Lanes<State = P::State, Block = [u8; B]>>(
        &mut self,
        plan: &mut P,
        lanes: &mut L,
        lane: usize,
        buffer: &mut Buffer<B>,
    ) -> bool {
        self.start = 0;
        match plan.next(self.job, &mut self.stage, lanes, lane, buffer) {
            Run::Message(blocks) => {
                self.message = blocks;
                self.left = blocks.len();
            }
            Run::Buffer(blocks) => {
                self.message = &[];
                self.left = blocks;
            }
            Run::End => return false,
        }
        true
    }

    /// Takes the next `count` blocks of its run.
    #[inline(always)]
    fn run<'b>(&mut self, count: usize, buffer: &'b Buffer<B>) -> &'b [[u8; B]]
    where
        'a: 'b,
    {
        self.left -= count;
        if let Some((run, rest)) = self.message.split_at_checked(count) {
            self.message = rest;
            return run;
        }
        let run = &buffer[self.start..][..count];
        self.start += count;
        run
    }
}

/// Does all jobs, as many at a time as there are lanes; `N` is their number. Lanes are refilled as
/// jobs end; when no job is left to begin, the busy lanes move together to the front.
#[inline(always)]
pub(crate) fn drive<'a, L, P, const B: usize, const N: usize>(lanes: &mut L, mut plan: P)
where
    L: Lanes<State = P::State, Block = [u8; B]>,
    P: Plan<'a, B>,
{
    const { assert!(N == L::LANES) };
    let mut buffers = [[[0; B]; 2]; N];
    let idle = Busy { job: 0, stage: 0, message: &[], left: 0, start: 0 };
    let mut busy = [idle; N];
    let jobs = plan.jobs();
    let mut active = jobs.min(N);
    busy.iter_mut().enumerate().for_each(|(lane, busy)| busy.job = lane);
    let mut begun = active;
    loop {
        let mut lane = 0;
        let mut count = usize::MAX;
        while lane < active {
            let slot = &mut busy[lane];
            if slot.left > 0 || slot.advance(&mut plan, lanes, lane, &mut buffers[lane]) {
                count = count.min(slot.left);
                lane += 1;
            } else if begun < jobs {
                *slot = Busy { job: begun, ..idle };
                begun += 1;
            } else {
                active -= 1;
                if lane < active {
                    busy[lane] = busy[active];
                    buffers[lane] = buffers[active];
                    lanes.put(lane, &lanes.take(active));
                }
            }
        }
        if active == 0 {
            break;
        }
        let mut runs = [&[][..]; N];
        for ((run, busy), buffer) in runs.iter_mut().zip(&mut busy[..active]).zip(&buffers) {
            *run = busy.run(count, buffer);
        }
        let first = runs[0];
        runs[active..].fill(first);
        lanes.absorb_first(active, &runs);
    }
    overwrite(&mut buffers, [[[0; B]; 2]; N]);
}
