//! Lanes in eight registers, as many as hide the latency of a round and leave as many for the
//! messages: eight lanes by AES-NI, sixteen by VAES on 256-bit registers. The round keys are
//! operands in memory.
#![expect(unsafe_code, reason = "messages are read through pointers")]

use core::arch::x86_64::*;
use core::slice;

use super::super::words::padded;
use super::super::{Block, Schedule};
use super::registers::{Register, load, number};
use super::ring::{KeyRing, Quad, Row};
use super::runs::{Engine, Runs};
use super::texts::Texts;
use super::window::{self, window};
use super::{Padding, Start};
use crate::kernels::chaining;
use crate::kernels::{Job, by_place};

mod rounds;

/// Registers side by side.
const REGISTERS: usize = 8;

/// The states of all lanes.
type States<R> = [R; REGISTERS];

/// A register with the loops over eight of its kind.
pub(super) trait Eight: Register {
    /// The proof of the instructions.
    type Token: Copy;

    /// All rounds but the last.
    fn rounds<const KEYS: usize>(quads: &[&Quad<KEYS>], states: &mut States<Self>);

    /// Takes this number of blocks in each lane, from `offset` on behind the pointers at `at`.
    ///
    /// # Safety
    /// All these blocks can be read, and `blocks` is not 0. There are as many quads as lanes take.
    unsafe fn absorb<const KEYS: usize>(
        quads: &[&Quad<KEYS>],
        states: &mut States<Self>,
        at: *const *const u8,
        offset: usize,
        blocks: usize,
    );
}

/// The lanes.
#[derive(Clone, Copy)]
struct Lanes<R: Eight>(R::Token);

// SAFETY: `together` reads what the function of this name reads.
unsafe impl<R: Eight, const KEYS: usize, const N: usize, const Q: usize> window::Kernel<KEYS, N, Q>
    for Lanes<R>
{
    type Engine<'a> = Mixed<'a, R, KEYS, Q>;

    #[inline(always)]
    fn engine(self, keys: &mut [Quad<KEYS>; Q]) -> Mixed<'_, R, KEYS, Q> {
        Mixed { keys, _proof: self.0 }
    }

    #[inline(always)]
    fn gather(self, from: &[(&Quad<KEYS>, usize); 4], to: &mut Quad<KEYS>) {
        for (lane, &(quad, slot)) in from.iter().enumerate() {
            copy(to, lane, quad, slot);
        }
    }

    #[inline(always)]
    unsafe fn together(
        self,
        quads: [&Quad<KEYS>; Q],
        texts: &mut Texts<N>,
        one: bool,
        tags: &mut [Block; N],
    ) {
        const { assert!(N == REGISTERS * R::LANES) }
        // SAFETY: the caller promises it.
        unsafe { together::<R, KEYS, N>(&quads, texts, one, tags) }
    }
}

/// Copies a key with its masks.
#[inline(always)]
fn copy<const KEYS: usize>(to: &mut Quad<KEYS>, lane: usize, from: &Quad<KEYS>, slot: usize) {
    let (lane, slot) = (lane & 3, slot & 3);
    for (to, from) in to.round.iter_mut().zip(&from.round) {
        to.0[lane] = from.0[slot];
    }
    to.fold.0[lane] = from.fold.0[slot];
    to.full.0[lane] = from.full.0[slot];
    to.padded.0[lane] = from.padded.0[slot];
}

/// What the lanes of messages of mixed lengths have besides [`Runs`].
struct Mixed<'a, R: Eight, const KEYS: usize, const Q: usize> {
    keys: &'a mut [Quad<KEYS>; Q],
    _proof: R::Token,
}

// SAFETY: `run` reads two blocks where the lane is and goes on as the trait says.
unsafe impl<R: Eight, const KEYS: usize, const Q: usize, const N: usize> Engine<'_, KEYS, N>
    for Mixed<'_, R, KEYS, Q>
{
    #[inline(always)]
    fn set_key(&mut self, lane: usize, quad: &Quad<KEYS>, slot: usize) {
        copy(&mut self.keys[lane / 4], lane, quad, slot);
    }

    #[inline(always)]
    fn set_state(&self, runs: &mut Runs<N>, lane: usize, state: &Block) {
        runs.state[lane] = *state;
    }

    #[inline(always)]
    fn last_block(&self, tail: &[u8], one: bool, mask: &Block) -> Block {
        let number = padded(tail, padding(one)) ^ u128::from_le_bytes(*mask);
        number.to_le_bytes()
    }

    #[inline(always)]
    unsafe fn run(&mut self, runs: &mut Runs<N>, pairs: u64) {
        let quads = self.keys.each_ref();
        let mut states: States<R> =
            by_place(R::zero(), |group| R::load(&runs.state[group * R::LANES..]));
        for _ in 0..pairs {
            // SAFETY: the caller promises that a pair can be read.
            unsafe { R::absorb(&quads, &mut states, runs.at.as_ptr(), 0, 2) };
            runs.advance();
        }
        for (group, states) in states.into_iter().enumerate() {
            states.store(&mut runs.state[group * R::LANES..]);
        }
    }
}

#[inline(always)]
fn padding(one: bool) -> chaining::Padding {
    if one { chaining::Padding::One } else { chaining::Padding::Zeros }
}

/// A row of the lanes' keys.
#[inline(always)]
fn row<R: Register, const KEYS: usize>(
    quads: &[&Quad<KEYS>],
    row: impl Fn(&Quad<KEYS>) -> &Row,
) -> States<R> {
    by_place(R::zero(), |group| {
        let lane = group * R::LANES;
        R::load(&row(quads[lane / 4]).0[lane % 4..])
    })
}

/// A block of each lane.
#[inline(always)]
fn blocks<R: Register>(block: impl Fn(usize) -> __m128i) -> States<R> {
    let mut states = [R::zero(); REGISTERS];
    // Not `by_place`: the closure would be a function without the instructions of its caller.
    for (group, state) in states.iter_mut().enumerate() {
        let mut blocks = [__m128i::zero(); 4];
        for (lane, to) in blocks[..R::LANES].iter_mut().enumerate() {
            *to = block(group * R::LANES + lane);
        }
        *state = R::join(blocks);
    }
    states
}

#[inline(always)]
fn xor<R: Register>(mut a: States<R>, b: States<R>) -> States<R> {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.xor(b);
    }
    a
}

/// [`Eight::rounds`] where there is no assembly.
#[cfg(miri)]
fn rounds<R: Register, const KEYS: usize>(quads: &[&Quad<KEYS>], states: &mut States<R>) {
    for number in 1..KEYS - 1 {
        let keys = row(quads, |quad| &quad.round[number]);
        for (state, key) in states.iter_mut().zip::<States<R>>(keys) {
            *state = state.aesenc(key);
        }
    }
}

/// [`Eight::absorb`] where there is no assembly.
///
/// # Safety
/// As there.
#[cfg(miri)]
unsafe fn absorb<R: Eight, const KEYS: usize>(
    quads: &[&Quad<KEYS>],
    states: &mut States<R>,
    at: *const *const u8,
    offset: usize,
    count: usize,
) {
    for number in 0..count {
        // SAFETY: the caller promises it.
        let block =
            |lane| unsafe { _mm_loadu_si128((*at.add(lane)).add(offset + 16 * number).cast()) };
        step(quads, states, blocks(block));
    }
}

/// The last blocks, padded and masked.
///
/// # Safety
/// The texts can be read.
#[inline(always)]
unsafe fn last<R: Register, const KEYS: usize, const N: usize>(
    quads: &[&Quad<KEYS>],
    texts: &Texts<N>,
    one: bool,
) -> States<R> {
    let tail = |lane: usize| texts.at[lane].wrapping_add(texts.head_len);
    if texts.same_tails && texts.tail_len[0] == 16 {
        // SAFETY: the caller promises it.
        let tails = blocks(|lane| unsafe { _mm_loadu_si128(tail(lane).cast()) });
        return xor(tails, row(quads, |quad| &quad.full));
    }
    blocks(|lane| {
        let (len, quad) = (texts.tail_len[lane], quads[lane / 4]);
        // SAFETY: the caller promises it.
        let tail = unsafe { slice::from_raw_parts(tail(lane), len) };
        let mask = if len == 16 { &quad.full } else { &quad.padded };
        number(padded(tail, padding(one))).xor(load(&mask.0[lane % 4]))
    })
}

/// The rest of a chain step, and the whitening of the next one with `blocks`.
#[inline(always)]
fn step<R: Eight, const KEYS: usize>(
    quads: &[&Quad<KEYS>],
    states: &mut States<R>,
    blocks: States<R>,
) {
    R::rounds(quads, states);
    let keys = xor(row(quads, |quad| &quad.fold), blocks);
    for (state, key) in states.iter_mut().zip(keys) {
        *state = state.aesenclast(key);
    }
}

/// The lanes whose message begins at `offset` begin with these blocks.
#[inline(always)]
fn begin<R: Register, const KEYS: usize, const N: usize>(
    quads: &[&Quad<KEYS>],
    states: &mut States<R>,
    texts: &Texts<N>,
    offset: usize,
    new: States<R>,
) {
    let new = xor(new, row(quads, |quad| &quad.round[0]));
    let begins = blocks::<R>(|lane| number(u128::from(texts.skip[lane] == offset).wrapping_neg()));
    for ((state, new), begins) in states.iter_mut().zip(new).zip(begins) {
        *state = state.xor(begins.and(state.xor(new)));
    }
}

/// The CBC-MACs of messages that end together; `tags` may have what they start from.
///
/// # Safety
/// The texts can be read.
#[inline(always)]
unsafe fn together<R: Eight, const KEYS: usize, const N: usize>(
    quads: &[&Quad<KEYS>],
    texts: &Texts<N>,
    one: bool,
    tags: &mut [Block; N],
) {
    let head_len = texts.head_len;
    let first_blocks = |offset| {
        // SAFETY: the caller promises it of lanes that have begun.
        blocks::<R>(|lane| unsafe { _mm_loadu_si128(texts.first_block(lane, offset).cast()) })
    };
    // SAFETY: the caller promises it.
    let last = unsafe { last::<R, KEYS, N>(quads, texts, one) };
    let first = if head_len == 0 { last } else { first_blocks(0) };
    let mut y = [R::zero(); REGISTERS];
    if texts.start == Start::Tags {
        y = by_place(R::zero(), |group| R::load(&tags[group * R::LANES..]));
    }
    let mut states = xor(xor(first, y), row(quads, |quad| &quad.round[0]));
    if head_len > 0 {
        let mut taken = 16;
        while taken <= texts.most_skip && taken < head_len {
            let blocks = first_blocks(taken);
            step(quads, &mut states, blocks);
            begin(quads, &mut states, texts, taken, xor(blocks, y));
            taken += 16;
        }
        if taken < head_len {
            let (at, blocks) = (texts.at.as_ptr(), (head_len - taken) / 16);
            // SAFETY: all lanes have begun, and the caller promises the rest.
            unsafe { R::absorb(quads, &mut states, at, taken, blocks) };
        }
        step(quads, &mut states, last);
        if texts.most_skip == head_len {
            begin(quads, &mut states, texts, head_len, xor(last, y));
        }
    }
    R::rounds(quads, &mut states);
    let keys = row(quads, |quad| &quad.round[KEYS - 1]);
    for (group, (state, key)) in states.into_iter().zip(keys).enumerate() {
        state.aesenclast(key).store(&mut tags[group * R::LANES..]);
    }
}

/// As [`KeyRing::cbc`], of a window.
#[inline(always)]
pub(super) fn cbc<R: Eight, const KEYS: usize, const N: usize, const Q: usize>(
    proof: R::Token,
    ring: &KeyRing<KEYS>,
    jobs: &[Job<'_>],
    padding: Padding,
    start: Start,
    tags: &mut [Block],
) {
    window::<_, KEYS, N, Q>(Lanes::<R>(proof), ring, jobs, padding, start, tags);
}

/// E_K(0).
#[inline(always)]
pub(super) fn zero<const KEYS: usize>(keys: &Schedule<KEYS>) -> Block {
    let [first, between @ .., last] = &keys.keys[..] else { return [0; 16] };
    let rounds = between.iter().fold(load(first), |state, key| state.aesenc(load(key)));
    let mut block = [[0; 16]];
    rounds.aesenclast(load(last)).store(&mut block);
    block[0]
}

/// The functions of a kernel, with its token in front.
macro_rules! entries {
    ($token:ident, $register:ident, $features:literal, $lanes:expr, $quads:literal) => {
        /// As [`KeyRing::cbc`], of a window.
        pub(super) fn cbc<const KEYS: usize>(
            proof: $token,
            ring: &KeyRing<KEYS>,
            jobs: &[Job<'_>],
            padding: Padding,
            start: Start,
            tags: &mut [Block],
        ) {
            #[target_feature(enable = $features)]
            fn on_cpu<const KEYS: usize>(
                proof: $token,
                ring: &KeyRing<KEYS>,
                jobs: &[Job<'_>],
                padding: Padding,
                start: Start,
                tags: &mut [Block],
            ) {
                eight::cbc::<$register, KEYS, { $lanes }, $quads>(
                    proof, ring, jobs, padding, start, tags,
                );
            }
            // SAFETY: the token proves the instructions.
            unsafe { on_cpu(proof, ring, jobs, padding, start, tags) }
        }

        /// As [`KeyRing::expand`].
        pub(super) fn expand<const KEYS: usize>(
            _: $token,
            ring: &mut KeyRing<KEYS>,
            first: usize,
            keys: &[&[u8]],
            omac: bool,
        ) {
            #[target_feature(enable = $features)]
            fn on_cpu<const KEYS: usize>(
                ring: &mut KeyRing<KEYS>,
                first: usize,
                keys: &[&[u8]],
                omac: bool,
            ) {
                expand::expand::<$register, KEYS>(ring, first, keys, omac);
            }
            // SAFETY: the token proves the instructions.
            unsafe { on_cpu(ring, first, keys, omac) }
        }

        /// E_K(0).
        pub(super) fn zero<const KEYS: usize>(_: $token, keys: &Schedule<KEYS>) -> Block {
            #[target_feature(enable = $features)]
            fn on_cpu<const KEYS: usize>(keys: &Schedule<KEYS>) -> Block {
                eight::zero(keys)
            }
            // SAFETY: the token proves the instructions.
            unsafe { on_cpu(keys) }
        }
    };
}

pub(super) use entries;
