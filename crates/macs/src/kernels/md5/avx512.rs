//! MD5 of 16 messages side by side, or twice 16: RFC 1321 §3.4.
//!
//! A step is one chain of 5 cycles and 6 instructions, of which the machine does about 9 in that
//! time: two groups of 16 keep it busy.
#![expect(unsafe_code, reason = "instructions that the token proves")]

use core::arch::x86_64::*;

use super::{Block, Kernel, Md5, State, T, rotation_of, scalar, word_of};
use crate::kernels::Job;
use crate::kernels::cpu::Avx512;
use crate::kernels::lanes::hmac::batch::{self, Ways};
use crate::kernels::lanes::hmac::{HmacKernel, HmacKey, Tags, keys_in_turn};
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::zmm::quarters::pinned;
use crate::kernels::zmm::{self, Columns, ZmmLanes, tail_quarters};

/// Prepares many keys of at most a block.
pub(super) fn keys(token: Avx512, kernel: Kernel, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
    for (keys, states) in keys.chunks(16).zip(states.chunks_mut(16)) {
        if keys.len() < KEYS_MIN {
            keys_in_turn::<_, Md5, 64>(kernel, keys, states);
        } else {
            zmm::hmac::keys::<Md5Columns, Md5, 4>(token, keys, states);
        }
    }
}

/// Fewest keys that are quicker side by side.
const KEYS_MIN: usize = 4;

/// The tags of many messages; `kernel` takes those that go alone.
pub(super) fn macs(
    token: Avx512,
    kernel: Kernel,
    keys: &[HmacKey<State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    batch::macs::<_, Md5, 64>(Sixteens { token, kernel }, keys, jobs, tags);
}

/// 16 or twice 16.
#[derive(Clone, Copy)]
struct Sixteens {
    token: Avx512,
    kernel: Kernel,
}

impl Ways<Md5, 64> for Sixteens {
    const STEP: usize = 32;
    const STEP_MIN: usize = super::TOGETHER_MIN;
    const LANES_MIN: usize = 4;

    #[inline(always)]
    fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        HmacKernel::hmac(self.kernel, key, message, tag);
    }

    #[inline(always)]
    fn in_step(self, tags: &mut Tags<'_, '_, Md5, 64>, numbers: &[u16]) {
        if numbers.len() > 16 {
            zmm::hmac::in_step::<Md5Columns, Md5, 4, 2>(self.token, tags, numbers);
        } else {
            zmm::hmac::in_step::<Md5Columns, Md5, 4, 1>(self.token, tags, numbers);
        }
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        if plan.jobs() > 16 {
            lanes::drive::<_, _, 64, 32>(&mut Md5Lanes::<2>::new(self.token, Md5Columns), plan);
        } else {
            lanes::drive::<_, _, 64, 16>(&mut Md5Lanes::<1>::new(self.token, Md5Columns), plan);
        }
    }
}

/// `GROUPS` times 16 chains.
pub(super) type Md5Lanes<const GROUPS: usize> = ZmmLanes<Md5Columns, 4, GROUPS>;

/// One block in each lane.
pub(crate) struct Md5Columns;

impl Columns<4> for Md5Columns {
    const ORDER: LengthOrder = LengthOrder::Little;

    #[inline(always)]
    fn alone(&self) -> usize {
        1
    }

    fn absorb_one(&self, state: &mut State, run: &[Block]) {
        scalar::compress(state, run);
    }

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m512i; 4]; GROUPS],
        words: &mut [[__m512i; 16]; GROUPS],
    ) {
        // SAFETY: the caller's promise.
        unsafe { rounds(states, words) };
    }
}

/// The compiler's order is the quicker one for two groups, whose words do not fit into registers;
/// for one group a Zen 4 takes 1.17 times as long with it.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn placed<const GROUPS: usize>(vector: __m512i) -> __m512i {
    // SAFETY: the caller's promise.
    if GROUPS == 1 { unsafe { pinned(vector) } } else { vector }
}

/// A block in each lane.
///
/// Without target features, so that it is always inlined into a function that has them.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn rounds<const GROUPS: usize>(
    states: &mut [[__m512i; 4]; GROUPS],
    words: &[[__m512i; 16]; GROUPS],
) {
    let before = *states;
    macro_rules! step {
        ($a:literal $b:literal $c:literal $d:literal, $step:expr, $function:literal) => {
            for (state, words) in states.iter_mut().zip(words) {
                // SAFETY: the caller's promise.
                unsafe {
                    let addend = _mm512_set1_epi32(T[$step].cast_signed());
                    let word = words[const { word_of($step) }];
                    let [b, c, d] = [state[$b], state[$c], state[$d]];
                    let sum = placed::<GROUPS>(_mm512_add_epi32(state[$a], word));
                    let sum = placed::<GROUPS>(_mm512_add_epi32(sum, addend));
                    let value = placed::<GROUPS>(_mm512_ternarylogic_epi32::<$function>(b, c, d));
                    let sum = placed::<GROUPS>(_mm512_add_epi32(sum, value));
                    const ROTATION: i32 = rotation_of($step).cast_signed();
                    let turned = placed::<GROUPS>(_mm512_rol_epi32::<ROTATION>(sum));
                    state[$a] = placed::<GROUPS>(_mm512_add_epi32(turned, b));
                }
            }
        };
    }
    macro_rules! round {
        ($function:literal: $($step:expr),+) => {$(
            step!(0 1 2 3, $step, $function);
            step!(3 0 1 2, $step + 1, $function);
            step!(2 3 0 1, $step + 2, $function);
            step!(1 2 3 0, $step + 3, $function);
        )+};
    }
    round!(0xca: 0, 4, 8, 12);
    round!(0xe4: 16, 20, 24, 28);
    round!(0x96: 32, 36, 40, 44);
    round!(0x39: 48, 52, 56, 60);
    for (state, before) in states.iter_mut().zip(&before) {
        for (word, before) in state.iter_mut().zip(before) {
            // SAFETY: the caller's promise.
            *word = unsafe { _mm512_add_epi32(*word, *before) };
        }
    }
}

/// The last `tail_len` bytes of `bytes`, at most 64, with `marker` and zeros behind them.
#[inline]
pub(super) fn tail_block(_: Avx512, bytes: &[u8], tail_len: usize, marker: u8) -> Block {
    #[target_feature(enable = "avx512bw,avx512vl")]
    fn run(bytes: &[u8], tail_len: usize, marker: u8) -> Block {
        let quarters = tail_quarters(bytes, tail_len, marker);
        // SAFETY: both are 64 bytes of any value.
        unsafe { core::mem::transmute(quarters) }
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(bytes, tail_len, marker) }
}
