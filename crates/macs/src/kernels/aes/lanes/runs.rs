//! The scheduler of lanes for messages of mixed lengths. It says where each lane reads its next
//! two blocks; a lane whose message ends takes the next one.
//!
//! What a lane encrypts is X1, X2 ⊕ Y1, …, and the state between is the next input whitened with
//! the first round key. The steps go in pairs, so the chain is brought to an even number of them:
//! - an even number b of blocks: the state begins as X1 ⊕ k0, and the steps take X2, …, Xb, k0,
//! - an odd one: the state begins as k0, the whitened block of zeros, and the steps take
//!   E_K(0) ⊕ X1, X2, …, Xb, k0.
//!
//! The k0 at the end undoes the whitening of a next block, so that the last state is the tag. All
//! of X but the first and last blocks are read where they are. X1 has the value in it that the
//! chain starts from.
#![expect(unsafe_code, reason = "kernels read the lanes' messages through pointers")]

use core::ptr;

use super::super::Block;
use super::ring::{KeyRing, Quad};
use super::{Padding, Start};
use crate::kernels::Job;
use crate::wipe::overwrite;

/// Two blocks, which a lane takes in one go.
pub(super) type Pair = [Block; 2];

/// Where `N` lanes are.
#[repr(C, align(64))]
pub(super) struct Runs<const N: usize> {
    /// Where a lane reads its next pair.
    pub(super) at: [*const u8; N],
    /// When it comes here it goes on at `body`.
    pub(super) head_end: [*const u8; N],
    pub(super) body: [*const u8; N],
    /// When it then comes here it goes on at `tail`.
    pub(super) body_end: [*const u8; N],
    pub(super) tail_at: [*const u8; N],
    /// The states.
    pub(super) state: [Block; N],
    /// Pairs that it has to take until its message ends; most of all for an idle lane.
    left: [u64; N],
    /// The number of its job.
    job: [usize; N],
}

/// The pairs of `N` lanes that do not lie in their messages as they are read. They are written and
/// read through one pointer: a borrow between would make those invalid that [`Runs`] keeps.
#[repr(C, align(64))]
struct Ends<const N: usize> {
    head: [Pair; N],
    tail: [Pair; N],
}

/// Lanes of a kernel, in its registers and memory.
///
/// # Safety
/// `run` reads nothing but what the pointers promise.
pub(super) unsafe trait Engine<'a, const KEYS: usize, const N: usize> {
    /// Gives a lane the key in this slot of the quad.
    fn set_key(&mut self, lane: usize, quad: &'a Quad<KEYS>, slot: usize);

    /// Sets the state of a lane.
    fn set_state(&self, runs: &mut Runs<N>, lane: usize, state: &Block);

    /// The last block: `tail`, at most a block, padded with a one bit where one is asked for and
    /// there is room, and masked.
    fn last_block(&self, tail: &[u8], one: bool, mask: &Block) -> Block;

    /// Takes this number of pairs in each lane.
    ///
    /// # Safety
    /// Every lane can read so many pairs from where it is, going on at `body` and `tail_at` as
    /// [`Runs`] says.
    unsafe fn run(&mut self, runs: &mut Runs<N>, pairs: u64);
}

impl<const N: usize> Runs<N> {
    #[inline(always)]
    fn new() -> Self {
        let none = [ptr::null(); N];
        Self {
            at: none,
            head_end: none,
            body: none,
            body_end: none,
            tail_at: none,
            state: [[0; 16]; N],
            left: [0; N],
            job: [0; N],
        }
    }

    /// The lanes go on by a pair.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        for lane in 0..N {
            let mut at = self.at[lane].wrapping_add(32);
            at = if at == self.head_end[lane] { self.body[lane] } else { at };
            at = if at == self.body_end[lane] { self.tail_at[lane] } else { at };
            self.at[lane] = at;
        }
    }

    /// The lane reads its own tail again and again.
    ///
    /// # Safety
    /// `ends` is valid, and nothing else accesses it as long as the lane reads there.
    #[inline(always)]
    unsafe fn idle(&mut self, ends: *mut Ends<N>, lane: usize) {
        // SAFETY: the caller's promise.
        let tail = unsafe { &raw const (*ends).tail[lane] }.cast::<u8>();
        self.at[lane] = tail;
        self.head_end[lane] = tail.wrapping_add(32);
        self.body[lane] = tail;
        self.body_end[lane] = ptr::null();
        self.left[lane] = u64::MAX;
    }

    /// The lane begins this message, from the value `y`.
    ///
    /// # Safety
    /// As of `idle`.
    #[inline(always)]
    unsafe fn begin<'a, const KEYS: usize, E: Engine<'a, KEYS, N>>(
        &mut self,
        engine: &mut E,
        ends: *mut Ends<N>,
        lane: usize,
        (y, message): (&Block, &[u8]),
        (quad, slot): (&Quad<KEYS>, usize),
        padding: Padding,
    ) {
        let (head_len, one) = (padding.head_len(message.len()), padding != Padding::Zeros);
        let (head, tail) = message.split_at(head_len);
        let mask = if tail.len() == 16 { &quad.full.0[slot] } else { &quad.padded.0[slot] };
        let (blocks, _) = head.as_chunks::<16>();
        let (k0, zero) = (&quad.round[0].0[slot], &quad.zero.0[slot]);
        let mut last = engine.last_block(tail, one, mask);
        // SAFETY: the caller's promise.
        let [head_at, tail_at] =
            unsafe { [(&raw mut (*ends).head[lane]), (&raw mut (*ends).tail[lane])] };
        let tail_begin = tail_at.cast_const().cast::<u8>();
        let (at, mut head_end, mut body_end) = (head.as_ptr(), ptr::null(), ptr::null());
        let mut begin = tail_begin;
        let mut body = tail_begin;
        match *blocks {
            [] => {
                engine.set_state(self, lane, k0);
                last = xor(&xor(&last, y), zero);
            }
            [ref first, ref rest @ ..] if rest.len() % 2 == 0 => {
                engine.set_state(self, lane, &xor(&xor(first, y), k0));
                if !rest.is_empty() {
                    begin = at.wrapping_add(16);
                    body_end = at.wrapping_add(head_len);
                }
            }
            [ref first, ref second, ref rest @ ..] => {
                engine.set_state(self, lane, k0);
                // SAFETY: the caller's promise.
                unsafe { *head_at = [xor(&xor(first, y), zero), *second] };
                begin = head_at.cast_const().cast::<u8>();
                head_end = begin.wrapping_add(32);
                if !rest.is_empty() {
                    body = at.wrapping_add(32);
                    body_end = at.wrapping_add(head_len);
                }
            }
            [_] => unreachable!("its rest is empty"),
        }
        // SAFETY: the caller's promise.
        unsafe { *tail_at = [last, *k0] };
        self.at[lane] = begin;
        self.head_end[lane] = head_end;
        self.body[lane] = body;
        self.body_end[lane] = body_end;
        self.tail_at[lane] = tail_begin;
        self.left[lane] = (blocks.len() as u64) / 2 + 1;
    }
}

/// Chaining values are in there.
impl<const N: usize> Drop for Runs<N> {
    #[inline(always)]
    fn drop(&mut self) {
        overwrite(&mut self.state, [[0; 16]; N]);
    }
}

/// Keys are in there.
impl<const N: usize> Drop for Ends<N> {
    #[inline(always)]
    fn drop(&mut self) {
        overwrite(&mut self.head, [[[0; 16]; 2]; N]);
        overwrite(&mut self.tail, [[[0; 16]; 2]; N]);
    }
}

/// XOR of two blocks.
#[inline(always)]
fn xor(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}

/// The CBC-MACs of the jobs of these numbers, best the longest first.
#[inline(always)]
pub(super) fn mixed<'a, const KEYS: usize, const N: usize, E: Engine<'a, KEYS, N>>(
    engine: &mut E,
    ring: &'a KeyRing<KEYS>,
    jobs: &[Job<'_>],
    numbers: &[u16],
    padding: Padding,
    start: Start,
    tags: &mut [Block],
) {
    let mut runs = Runs::<N>::new();
    let none = [[[0; 16]; 2]; N];
    let mut ends = Ends { head: none, tail: none };
    let ends = &raw mut ends;
    let mut next = numbers.iter();
    let mut done = (1u32 << N) - 1;
    let mut busy = 0;
    loop {
        while done != 0 {
            let lane = done.trailing_zeros() as usize;
            done &= done - 1;
            let Some(&job) = next.next() else {
                // SAFETY: `ends` is used through this pointer only, to the end of the function.
                unsafe { runs.idle(ends, lane) };
                continue;
            };
            let job = usize::from(job);
            let (quad, slot) = ring.quad(jobs[job].key);
            let y = if start == Start::Tags { tags[job] } else { [0; 16] };
            engine.set_key(lane, quad, slot);
            // SAFETY: `ends` is used through this pointer only, to the end of the function.
            unsafe {
                runs.begin(engine, ends, lane, (&y, jobs[job].message), (quad, slot), padding);
            }
            runs.job[lane] = job;
            busy += 1;
        }
        if busy == 0 {
            return;
        }
        let pairs = runs.left.iter().copied().fold(u64::MAX, u64::min);
        // SAFETY: `begin` lets a lane read pairs of its head, its message without the last block,
        // and its tail, `left` in all, of which `pairs` is the least; `idle` ones of its tail.
        unsafe { engine.run(&mut runs, pairs) };
        for (lane, left) in runs.left.iter_mut().enumerate() {
            *left -= pairs;
            done |= u32::from(*left == 0) << lane;
        }
        let mut ended = done;
        while ended != 0 {
            let lane = ended.trailing_zeros() as usize;
            ended &= ended - 1;
            tags[runs.job[lane]] = runs.state[lane];
            busy -= 1;
        }
    }
}
