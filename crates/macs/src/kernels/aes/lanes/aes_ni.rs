//! Eight lanes on 128-bit registers.
#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use core::arch::x86_64::*;
use core::array::from_fn;

use super::super::{Block, Schedule};
use super::order::Order;
use super::ring::{KeyRing, Quad};
use super::runs::{Engine, Runs, mixed};
use super::{Message, Padding};
use crate::kernels::cpu::AesNi;
use crate::wipe::overwrite;

/// Number of lanes.
const LANES: usize = 8;

#[target_feature(enable = "aes,avx")]
#[inline]
fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[target_feature(enable = "aes,avx")]
#[inline]
fn store(block: &mut Block, value: __m128i) {
    // SAFETY: 16 bytes.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), value) }
}

/// The lanes' keys, where they lie in the ring.
struct Narrow<'a, const KEYS: usize> {
    keys: [(&'a Quad<KEYS>, usize); LANES],
    _proof: AesNi,
}

// SAFETY: `run` reads a pair where the lane is and goes on as the trait says.
unsafe impl<'a, const KEYS: usize> Engine<'a, KEYS, LANES> for Narrow<'a, KEYS> {
    #[inline(always)]
    fn set_key(&mut self, lane: usize, quad: &'a Quad<KEYS>, slot: usize) {
        self.keys[lane] = (quad, slot);
    }

    #[inline(always)]
    fn set_state(&self, runs: &mut Runs<LANES>, lane: usize, state: &Block) {
        runs.state[lane] = *state;
    }

    #[inline(always)]
    fn last_block(&self, tail: &[u8], one: bool, mask: &Block) -> Block {
        let mut block = [0; 16];
        block[..tail.len()].copy_from_slice(tail);
        if let (true, Some(pad)) = (one, block.get_mut(tail.len())) {
            *pad = 0x80;
        }
        from_fn(|byte| block[byte] ^ mask[byte])
    }

    #[inline(always)]
    unsafe fn run(&mut self, runs: &mut Runs<LANES>, pairs: u64) {
        // SAFETY: the value was made from a proof of the instructions; the caller promises the
        // rest.
        unsafe { run(&self.keys, runs, pairs) };
    }
}

/// # Safety
/// As [`Engine::run`].
#[target_feature(enable = "aes,avx")]
#[inline]
unsafe fn run<const KEYS: usize>(
    keys: &[(&Quad<KEYS>, usize); LANES],
    runs: &mut Runs<LANES>,
    pairs: u64,
) {
    let mut state: [_; LANES] = from_fn(|lane| load(&runs.state[lane]));
    let slots: [_; LANES] = from_fn(|lane| keys[lane].1 & 3);
    for _ in 0..pairs {
        for half in 0..2 {
            for number in 1..KEYS - 1 {
                for lane in 0..LANES {
                    let key = load(&keys[lane].0.round[number].0[slots[lane]]);
                    state[lane] = _mm_aesenc_si128(state[lane], key);
                }
            }
            for lane in 0..LANES {
                let at = runs.at[lane].wrapping_add(16 * half).cast();
                // SAFETY: the caller promises that a pair can be read here.
                let block = unsafe { _mm_loadu_si128(at) };
                let fold = load(&keys[lane].0.fold.0[slots[lane]]);
                state[lane] = _mm_aesenclast_si128(state[lane], _mm_xor_si128(block, fold));
            }
        }
        runs.advance();
    }
    for (to, state) in runs.state.iter_mut().zip(state) {
        store(to, state);
    }
}

/// As [`KeyRing::cbc`], of a window.
pub(super) fn cbc<const KEYS: usize, J: Message>(
    proof: AesNi,
    ring: &KeyRing<KEYS>,
    jobs: &[J],
    padding: Padding,
    tags: &mut [Block],
) {
    if jobs.is_empty() {
        return;
    }
    // SAFETY: the token proves the instructions.
    unsafe { window(proof, ring, jobs, padding, tags) }
}

#[target_feature(enable = "aes,avx")]
fn window<const KEYS: usize, J: Message>(
    proof: AesNi,
    ring: &KeyRing<KEYS>,
    jobs: &[J],
    padding: Padding,
    tags: &mut [Block],
) {
    let mut order = Order::new(jobs.iter().map(|job| padding.head_len(job.message().len())));
    let mut engine = Narrow { keys: [ring.quad(0); LANES], _proof: proof };
    mixed(&mut engine, ring, jobs, order.numbers(), padding, tags);
}

/// As [`KeyRing::expand`], a key at a time.
pub(super) fn expand<const KEYS: usize>(
    proof: AesNi,
    ring: &mut KeyRing<KEYS>,
    first: usize,
    keys: &[&[u8]],
    omac: bool,
) {
    for (number, key) in (first..).zip(keys) {
        // SAFETY: the token proves the instructions.
        let mut schedule = unsafe { expand_key::<KEYS>(key) };
        let mut zero = zero(proof, &schedule);
        ring.set_schedule(number, &schedule, &zero);
        if omac {
            let (full, padded) = (double(&zero), double(&double(&zero)));
            ring.set_masks(number, &full, &padded);
        }
        overwrite(&mut schedule.keys, [[0; 16]; KEYS]);
        overwrite(&mut zero, [0; 16]);
    }
}

/// FIPS 197 §5.2; the S-box is `aesenclast` of a word in all columns.
#[target_feature(enable = "aes,avx")]
fn expand_key<const KEYS: usize>(key: &[u8]) -> Schedule<KEYS> {
    let words = KEYS - 7;
    assert_eq!(key.len(), 4 * words);
    let mut schedule = Schedule { keys: [[0; 16]; KEYS] };
    let w = schedule.keys.as_flattened_mut();
    w[..key.len()].copy_from_slice(key);
    let w = w.as_chunks_mut::<4>().0;
    let mut rcon = 1;
    for at in words..4 * KEYS {
        let mut word = u32::from_le_bytes(w[at - 1]);
        let (begins, half) = (at % words == 0, words > 6 && at % words == 4);
        if begins || half {
            let columns = _mm_aesenclast_si128(_mm_set1_epi32(word as i32), _mm_setzero_si128());
            word = _mm_cvtsi128_si32(columns) as u32;
        }
        if begins {
            word = word.rotate_right(8) ^ rcon;
            rcon = if rcon == 0x80 { 0x1b } else { rcon << 1 };
        }
        w[at] = (u32::from_le_bytes(w[at - words]) ^ word).to_le_bytes();
    }
    schedule
}

/// Doubling in GF(2^128), SP 800-38B §6.1.
fn double(block: &Block) -> Block {
    let value = u128::from_be_bytes(*block);
    ((value << 1) ^ ((value >> 127) * 0x87)).to_be_bytes()
}

/// E_K(0).
pub(super) fn zero<const KEYS: usize>(_: AesNi, keys: &Schedule<KEYS>) -> Block {
    // SAFETY: the token proves the instructions.
    unsafe { encrypt_zero(keys) }
}

#[target_feature(enable = "aes,avx")]
fn encrypt_zero<const KEYS: usize>(keys: &Schedule<KEYS>) -> Block {
    let [first, between @ .., last] = &keys.keys[..] else { return [0; 16] };
    let rounds = between.iter().fold(load(first), |state, key| _mm_aesenc_si128(state, load(key)));
    let mut block = [0; 16];
    store(&mut block, _mm_aesenclast_si128(rounds, load(last)));
    block
}
