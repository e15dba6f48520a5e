//! Sixteen lanes on 512-bit registers. Messages of about one length begin where they end together;
//! others are left to the scheduler of [`super::runs`].
#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::super::{Block, Schedule};
use super::order::{Order, WINDOW};
use super::ring::{KeyRing, Quad, Row};
use super::runs::{Engine, Runs, mixed};
use super::{Message, Padding};
use crate::kernels::cpu::Vaes512;
use crate::wipe::overwrite;

mod expand;
mod rounds;
mod texts;

pub(super) use expand::expand;
use rounds::{States, absorb, join, load, load_block, store, store_block};
use texts::{Texts, pad, together};

/// Number of lanes.
pub(super) const LANES: usize = 16;
/// Groups of four lanes.
const GROUPS: usize = LANES / 4;

/// Keys gathered from anywhere, in the order of the lanes.
struct Gathered<const KEYS: usize> {
    quads: MaybeUninit<[Quad<KEYS>; GROUPS]>,
    used: bool,
}

impl<const KEYS: usize> Gathered<KEYS> {
    #[inline(always)]
    fn none() -> Self {
        Self { quads: MaybeUninit::uninit(), used: false }
    }

    #[inline(always)]
    fn quads(&mut self) -> &mut [Quad<KEYS>; GROUPS] {
        if !self.used {
            self.used = true;
            return self.quads.write([Quad::ZERO; GROUPS]);
        }
        // SAFETY: they were written when first used.
        unsafe { self.quads.assume_init_mut() }
    }
}

impl<const KEYS: usize> Drop for Gathered<KEYS> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.used {
            overwrite(self.quads(), [Quad::ZERO; GROUPS]);
        }
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
        // SAFETY: as before.
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

/// As [`super::KeyRing::cbc`].
pub(super) fn cbc<const KEYS: usize, J: Message>(
    proof: Vaes512,
    ring: &KeyRing<KEYS>,
    jobs: &[J],
    padding: Padding,
    tags: &mut [Block],
) {
    // SAFETY: the token proves the instructions.
    unsafe { window(proof, ring, jobs, padding, tags) }
}

#[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl,avx512dq")]
fn window<const KEYS: usize, J: Message>(
    proof: Vaes512,
    ring: &KeyRing<KEYS>,
    jobs: &[J],
    padding: Padding,
    tags: &mut [Block],
) {
    let head_len = |job: &J| padding.head_len(job.message().len());
    let mut gathered = Gathered::none();
    let Some(first_head) = jobs.first().map(head_len) else { return };
    if jobs.iter().all(|job| head_len(job) == first_head) {
        for (jobs, tags) in jobs.chunks(LANES).zip(tags.chunks_mut(LANES)) {
            let states = side_by_side(ring, &mut gathered, |lane| jobs.get(lane), padding);
            match <&mut [Block; LANES]>::try_from(&mut *tags) {
                Ok(tags) => store_tags(tags, states),
                Err(_) => {
                    let mut all = [[0; 16]; LANES];
                    store_tags(&mut all, states);
                    tags.copy_from_slice(&all[..tags.len()]);
                }
            }
        }
        return;
    }
    let mut order = Order::new(jobs.iter().map(head_len));
    let order = order.numbers();
    let (mut rest, mut rest_len) = ([0; WINDOW], 0);
    for numbers in order.chunks(LANES) {
        let heads = numbers.iter().map(|&number| head_len(&jobs[usize::from(number)]));
        let (least, most) = heads.fold((usize::MAX, 0), |(a, b), len| (a.min(len), b.max(len)));
        if most - least > SPREAD_MAX {
            rest[rest_len..][..numbers.len()].copy_from_slice(numbers);
            rest_len += numbers.len();
            continue;
        }
        let job = |lane| numbers.get(lane).map(|&number: &u16| &jobs[usize::from(number)]);
        let states = side_by_side(ring, &mut gathered, job, padding);
        let mut all = [[0; 16]; LANES];
        store_tags(&mut all, states);
        for (number, tag) in numbers.iter().zip(all) {
            tags[usize::from(*number)] = tag;
        }
    }
    if rest_len > 0 {
        let mut engine = Wide { keys: gathered.quads(), _proof: proof };
        mixed(&mut engine, ring, jobs, &rest[..rest_len], padding, tags);
    }
}

/// Messages are brought to one end if their lengths in bytes differ by no more than this; beyond,
/// lanes that take the next message when one ends are quicker.
const SPREAD_MAX: usize = 16 * 32;

#[target_feature(enable = "avx512f")]
#[inline]
fn store_tags(tags: &mut [Block; LANES], states: States) {
    for (tags, state) in tags.as_chunks_mut::<4>().0.iter_mut().zip(states) {
        // SAFETY: 64 bytes.
        unsafe { _mm512_storeu_si512(tags.as_mut_ptr().cast(), state) };
    }
}

/// At most sixteen jobs side by side. A lane without one takes the first message again, under a key
/// that lies well.
#[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn side_by_side<'a, const KEYS: usize, J: Message + 'a>(
    ring: &KeyRing<KEYS>,
    gathered: &mut Gathered<KEYS>,
    job: impl Fn(usize) -> Option<&'a J>,
    padding: Padding,
) -> States {
    let first = job(0).map(|job| job.message()).unwrap_or_default();
    let mut texts = Texts::new(padding.head_len(first.len()));
    let (mut keys, mut lens) = ([0; LANES], [0; LANES]);
    let (mut apart, mut most, mut unlike) = (0, 0, 0);
    for lane in 0..LANES {
        let (key, message) = match job(lane) {
            Some(job) => {
                let key = job.key();
                most = most.max(key);
                (key, job.message())
            }
            None if lane % 4 == 0 => (keys[0] & !3, first),
            None => ((keys[lane & !3] & !3) + (lane & 3), first),
        };
        (texts.at[lane], lens[lane], keys[lane]) = (message.as_ptr(), message.len(), key);
        apart |= key ^ ((keys[lane & !3] & !3) + (lane & 3));
        unlike |= message.len() ^ first.len();
    }
    assert!(most < ring.keys(), "key {most} of {}", ring.keys());
    texts.tail_len[0] = first.len() - texts.head_len;
    if unlike != 0 {
        texts.align(&lens, padding);
    }
    let quads: [&Quad<KEYS>; GROUPS] = if apart == 0 {
        core::array::from_fn(|group| ring.quad_of(keys[4 * group]))
    } else {
        let quads = gathered.quads();
        for (keys, quad) in keys.as_chunks::<4>().0.iter().zip(&mut *quads) {
            gather(&keys.map(|key| (ring.quad_of(key), key % 4)), quad);
        }
        quads.each_ref()
    };
    // SAFETY: the texts are whole messages, each with what it skips before it.
    unsafe { together(quads, &mut texts, padding != Padding::Zeros) }
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
