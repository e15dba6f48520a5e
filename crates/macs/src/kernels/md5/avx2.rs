//! MD5 of eight messages side by side, or twice eight: RFC 1321 §3.4.
//!
//! A step is one chain of 6 or 7 cycles and 10 instructions, of which the machine does three or
//! four in a cycle: two groups of eight keep it busy.
#![expect(unsafe_code, reason = "instructions that the token proves")]

use core::arch::x86_64::*;

use super::{Block, Kernel, Md5, State, T, rotation_of, scalar, word_of};
use crate::kernels::Job;
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::hmac::batch::{self, Ways};
use crate::kernels::lanes::hmac::{HmacKernel, HmacKey, Tags, keys_in_turn};
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::md_block::ymm::{self, Columns, YmmLanes, pinned};

/// Prepares many keys of at most a block.
pub(super) fn keys(token: Avx2, kernel: Kernel, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
    for (keys, states) in keys.chunks(8).zip(states.chunks_mut(8)) {
        if keys.len() < KEYS_MIN {
            keys_in_turn::<_, Md5, 64>(kernel, keys, states);
        } else {
            ymm::keys::<Md5Columns, Md5, 4>(token, keys, states);
        }
    }
}

/// Fewest keys that are quicker side by side.
const KEYS_MIN: usize = 3;

/// The tags of many messages; `kernel` takes those that go alone.
pub(super) fn macs(
    token: Avx2,
    kernel: Kernel,
    keys: &[HmacKey<State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    batch::macs::<_, Md5, 64>(Eights { token, kernel }, keys, jobs, tags);
}

/// Eight or twice eight.
#[derive(Clone, Copy)]
struct Eights {
    token: Avx2,
    kernel: Kernel,
}

impl Ways<Md5, 64> for Eights {
    const STEP: usize = 16;
    const STEP_MIN: usize = super::TOGETHER_MIN;
    const LANES_MIN: usize = 4;

    #[inline(always)]
    fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        HmacKernel::hmac(self.kernel, key, message, tag);
    }

    #[inline(always)]
    fn in_step(self, tags: &mut Tags<'_, '_, Md5, 64>, numbers: &[u16]) {
        if numbers.len() > 8 {
            ymm::in_step::<Md5Columns, Md5, 4, 2>(self.token, tags, numbers);
        } else {
            ymm::in_step::<Md5Columns, Md5, 4, 1>(self.token, tags, numbers);
        }
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        if plan.jobs() > 8 {
            lanes::drive::<_, _, 64, 16>(&mut Md5Lanes::<2>::new(self.token, Md5Columns), plan);
        } else {
            lanes::drive::<_, _, 64, 8>(&mut Md5Lanes::<1>::new(self.token, Md5Columns), plan);
        }
    }
}

/// `GROUPS` times eight chains.
pub(super) type Md5Lanes<const GROUPS: usize> = YmmLanes<Md5Columns, 4, GROUPS>;

/// One block in each lane.
pub(crate) struct Md5Columns;

impl Columns<4> for Md5Columns {
    const ORDER: LengthOrder = LengthOrder::Little;
    const ALONE: usize = 1;

    fn absorb_one(&self, _: Avx2, state: &mut State, run: &[Block]) {
        scalar::compress(state, run);
    }

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m256i; 4]; GROUPS],
        words: &mut [[__m256i; 16]; GROUPS],
    ) {
        // SAFETY: the caller's promise.
        unsafe { rounds(states, words) };
    }
}

/// One instruction for all groups.
macro_rules! each {
    ($group:ident => $value:expr) => {{
        let mut all = [_mm256_setzero_si256(); GROUPS];
        for ($group, place) in all.iter_mut().enumerate() {
            *place = pinned($value);
        }
        all
    }};
}

/// A block in each lane. Instruction by instruction for all groups: with the compiler's order, or
/// one group's step after the other's, a Zen 4 takes 1.05 times as long.
///
/// Without target features, so that it is always inlined into a function that has them.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn rounds<const GROUPS: usize>(
    states: &mut [[__m256i; 4]; GROUPS],
    words: &[[__m256i; 16]; GROUPS],
) {
    let mut chains = *states;
    macro_rules! step {
        ($f:ident $a:literal $b:literal $c:literal $d:literal, $step:expr) => {
            const WORD: usize = word_of($step);
            const LEFT: i32 = rotation_of($step).cast_signed();
            // SAFETY: the caller's promise.
            let made = unsafe {
                let sums = each!(g => _mm256_add_epi32(chains[g][$a], words[g][WORD]));
                let addend = _mm256_set1_epi32(T[$step].cast_signed());
                let sums = each!(g => _mm256_add_epi32(sums[g], addend));
                let sums = boolean!($f, sums, chains, $b, $c, $d);
                let left = each!(g => _mm256_slli_epi32::<LEFT>(sums[g]));
                let right = each!(g => _mm256_srli_epi32::<{ 32 - LEFT }>(sums[g]));
                let turned = each!(g => _mm256_or_si256(left[g], right[g]));
                each!(g => _mm256_add_epi32(turned[g], chains[g][$b]))
            };
            chains.iter_mut().zip(made).for_each(|(chain, word)| chain[$a] = word);
        };
    }
    macro_rules! round {
        ($f:ident: $($step:expr),+) => {$(
            { step!($f 0 1 2 3, $step); }
            { step!($f 3 0 1 2, $step + 1); }
            { step!($f 2 3 0 1, $step + 2); }
            { step!($f 1 2 3 0, $step + 3); }
        )+};
    }
    round!(f: 0, 4, 8, 12);
    round!(g: 16, 20, 24, 28);
    round!(h: 32, 36, 40, 44);
    round!(i: 48, 52, 56, 60);
    for (state, chain) in states.as_flattened_mut().iter_mut().zip(chains.as_flattened()) {
        // SAFETY: the caller's promise.
        *state = unsafe { _mm256_add_epi32(*state, *chain) };
    }
}

/// Sums and the round's function of b, c and d: RFC 1321 §3.4.
macro_rules! boolean {
    (f, $sums:expr, $of:expr, $b:expr, $c:expr, $d:expr) => {{
        let either = each!(g => _mm256_xor_si256($of[g][$c], $of[g][$d]));
        let chosen = each!(g => _mm256_and_si256(either[g], $of[g][$b]));
        let choice = each!(g => _mm256_xor_si256(chosen[g], $of[g][$d]));
        each!(g => _mm256_add_epi32($sums[g], choice[g]))
    }};
    // Two sums, of which only one waits for b.
    (g, $sums:expr, $of:expr, $b:expr, $c:expr, $d:expr) => {{
        let without = each!(g => _mm256_andnot_si256($of[g][$d], $of[g][$c]));
        let sums = each!(g => _mm256_add_epi32($sums[g], without[g]));
        let with = each!(g => _mm256_and_si256($of[g][$d], $of[g][$b]));
        each!(g => _mm256_add_epi32(sums[g], with[g]))
    }};
    (h, $sums:expr, $of:expr, $b:expr, $c:expr, $d:expr) => {{
        let two = each!(g => _mm256_xor_si256($of[g][$c], $of[g][$d]));
        let parity = each!(g => _mm256_xor_si256(two[g], $of[g][$b]));
        each!(g => _mm256_add_epi32($sums[g], parity[g]))
    }};
    (i, $sums:expr, $of:expr, $b:expr, $c:expr, $d:expr) => {{
        let not = each!(g => _mm256_xor_si256($of[g][$d], _mm256_set1_epi32(-1)));
        let or = each!(g => _mm256_or_si256(not[g], $of[g][$b]));
        let value = each!(g => _mm256_xor_si256(or[g], $of[g][$c]));
        each!(g => _mm256_add_epi32($sums[g], value[g]))
    }};
}
use boolean;
