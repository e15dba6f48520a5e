//! Sixteen lanes on 512-bit registers.
#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use core::arch::x86_64::*;

use super::super::{Block, Schedule};
use super::expand;
use super::ring::{KeyRing, Quad, Row};
use super::runs::{Engine, Runs};
use super::texts::Texts;
use super::window::{self, window};
use super::{Padding, Start};
use crate::kernels::Job;
use crate::kernels::cpu::Vaes512;

mod rounds;
mod texts;

use rounds::{States, absorb, join, load, load_block, store, store_block};
use texts::{pad, together};

/// Number of lanes.
pub(super) const LANES: usize = 16;
/// Groups of four lanes.
const GROUPS: usize = LANES / 4;

/// The lanes.
#[derive(Clone, Copy)]
struct Lanes(Vaes512);

// SAFETY: `together` reads what the function of this name reads.
unsafe impl<const KEYS: usize> window::Kernel<KEYS, LANES, GROUPS> for Lanes {
    type Engine<'a> = Wide<'a, KEYS>;

    #[inline(always)]
    fn engine(self, keys: &mut [Quad<KEYS>; GROUPS]) -> Wide<'_, KEYS> {
        Wide { keys, _proof: self.0 }
    }

    #[inline(always)]
    fn gather(self, from: &[(&Quad<KEYS>, usize); 4], to: &mut Quad<KEYS>) {
        // SAFETY: the token proves the instructions.
        unsafe { gather(from, to) }
    }

    #[inline(always)]
    unsafe fn together(
        self,
        quads: [&Quad<KEYS>; GROUPS],
        texts: &mut Texts<LANES>,
        one: bool,
        tags: &mut [Block; LANES],
    ) {
        // SAFETY: the token proves the instructions; the caller promises the rest.
        unsafe { store_tags(tags, together(quads, texts, one, tags)) }
    }
}

/// Row `row` of a lane's quad, put into the lanes of `mask` of another one.
#[target_feature(enable = "avx512f")]
#[inline]
fn insert(to: &mut Row, lanes: __mmask16, from: &Row, slot: usize) {
    let block = load_block(&from.0[slot]);
    store(to, _mm512_mask_broadcast_i32x4(load(to), lanes, block));
}

/// What the lanes of messages of mixed lengths have besides [`Runs`].
struct Wide<'a, const KEYS: usize> {
    keys: &'a mut [Quad<KEYS>; GROUPS],
    _proof: Vaes512,
}

// SAFETY: `run` reads what `absorb` reads.
unsafe impl<const KEYS: usize> Engine<'_, KEYS, LANES> for Wide<'_, KEYS> {
    #[inline(always)]
    fn set_key(&mut self, lane: usize, quad: &Quad<KEYS>, slot: usize) {
        let (to, lanes) = (&mut self.keys[lane / 4], 0xf << (4 * (lane % 4)));
        for number in 1..KEYS - 1 {
            // SAFETY: the value was made from a proof of the instructions.
            unsafe { insert(&mut to.round[number], lanes, &quad.round[number], slot) };
        }
        // SAFETY: the value was made from a proof of the instructions.
        unsafe { insert(&mut to.fold, lanes, &quad.fold, slot) };
    }

    #[inline(always)]
    fn set_state(&self, runs: &mut Runs<LANES>, lane: usize, state: &Block) {
        // SAFETY: the value was made from a proof of the instructions.
        unsafe { set_state(runs, lane, state) }
    }

    #[inline(always)]
    fn last_block(&self, tail: &[u8], one: bool, mask: &Block) -> Block {
        // SAFETY: the value was made from a proof of the instructions.
        unsafe { last_block(tail, one, mask) }
    }

    #[inline(always)]
    unsafe fn run(&mut self, runs: &mut Runs<LANES>, pairs: u64) {
        // SAFETY: the value was made from a proof of the instructions; the caller promises the
        // rest.
        unsafe { run(self.keys, runs, pairs) };
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn set_state(runs: &mut Runs<LANES>, lane: usize, state: &Block) {
    let row = runs.state[lane & !3..][..4].as_mut_ptr().cast::<__m512i>();
    // SAFETY: four states are a row, aligned as `Runs` is.
    unsafe {
        let lanes = 0xf << (4 * (lane % 4));
        *row = _mm512_mask_broadcast_i32x4(*row, lanes, load_block(state));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn last_block(tail: &[u8], one: bool, mask: &Block) -> Block {
    let mut block = [0; 16];
    // SAFETY: the bytes are those of the slice.
    let tail = unsafe { pad(tail.as_ptr(), tail.len(), one) };
    store_block(&mut block, _mm_xor_si128(tail, load_block(mask)));
    block
}

/// # Safety
/// As [`Engine::run`].
#[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
unsafe fn run<const KEYS: usize>(keys: &[Quad<KEYS>; GROUPS], runs: &mut Runs<LANES>, pairs: u64) {
    let at = &raw mut *runs;
    // SAFETY: the states are four rows, aligned as `Runs` is; the caller promises the rest.
    unsafe {
        let rows = (&raw mut (*at).state).cast::<__m512i>();
        let mut state = [*rows, *rows.add(1), *rows.add(2), *rows.add(3)];
        let quads = keys.each_ref();
        absorb::<KEYS, true>(quads, &mut state, at.cast(), 0, pairs);
        for (group, state) in state.into_iter().enumerate() {
            *rows.add(group) = state;
        }
    }
}

/// As [`super::KeyRing::cbc`], of a window.
pub(super) fn cbc<const KEYS: usize>(
    proof: Vaes512,
    ring: &KeyRing<KEYS>,
    jobs: &[Job<'_>],
    padding: Padding,
    start: Start,
    tags: &mut [Block],
) {
    #[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl,avx512dq")]
    fn on_cpu<const KEYS: usize>(
        proof: Vaes512,
        ring: &KeyRing<KEYS>,
        jobs: &[Job<'_>],
        padding: Padding,
        start: Start,
        tags: &mut [Block],
    ) {
        window(Lanes(proof), ring, jobs, padding, start, tags);
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(proof, ring, jobs, padding, start, tags) }
}

/// As [`KeyRing::expand`].
pub(super) fn expand<const KEYS: usize>(
    _: Vaes512,
    ring: &mut KeyRing<KEYS>,
    first: usize,
    keys: &[&[u8]],
    omac: bool,
) {
    #[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl,avx512dq")]
    fn on_cpu<const KEYS: usize>(
        ring: &mut KeyRing<KEYS>,
        first: usize,
        keys: &[&[u8]],
        omac: bool,
    ) {
        expand::expand::<__m512i, KEYS>(ring, first, keys, omac);
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(ring, first, keys, omac) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_tags(tags: &mut [Block; LANES], states: States) {
    for (tags, state) in tags.as_chunks_mut::<4>().0.iter_mut().zip(states) {
        // SAFETY: 64 bytes.
        unsafe { _mm512_storeu_si512(tags.as_mut_ptr().cast(), state) };
    }
}

/// Four keys to a quad.
#[target_feature(enable = "avx512f")]
#[inline]
fn gather<const KEYS: usize>(from: &[(&Quad<KEYS>, usize); 4], to: &mut Quad<KEYS>) {
    let bases = from.map(|(quad, slot)| (&raw const *quad).cast::<Block>().wrapping_add(slot));
    let rows = (&raw mut *to).cast::<__m512i>();
    for row in 0..KEYS + 3 {
        // SAFETY: a quad begins with so many rows, and a slot is one of the four of a row.
        unsafe {
            let blocks = bases.map(|base| _mm_loadu_si128(base.add(4 * row).cast()));
            *rows.add(row) = join(blocks);
        }
    }
}

/// As [`super::KeyRing::set`].
pub(super) fn zero<const KEYS: usize>(_: Vaes512, keys: &Schedule<KEYS>) -> Block {
    // SAFETY: the token proves the instructions.
    unsafe { encrypt_zero(keys) }
}

#[target_feature(enable = "aes,avx512f")]
fn encrypt_zero<const KEYS: usize>(keys: &Schedule<KEYS>) -> Block {
    let [first, between @ .., last] = &keys.keys[..] else { return [0; 16] };
    let rounds = between
        .iter()
        .fold(load_block(first), |state, key| _mm_aesenc_si128(state, load_block(key)));
    let mut block = [0; 16];
    store_block(&mut block, _mm_aesenclast_si128(rounds, load_block(last)));
    block
}
