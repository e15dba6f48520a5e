//! SHA-256 where there are no SHA instructions but AVX2: eight messages in the eight words of a
//! vector.
#![expect(unsafe_code, reason = "intrinsics under a token")]

use core::arch::x86_64::*;

use super::message::Blocks;
use super::scalar::{Scalar, Wide};
use super::soft::{quarters, sixteen_times};
use super::unit::Task;
use super::{Block, State};
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::md_block::ymm::{Columns, YmmLanes};

pub(crate) fn run<T: Task>(token: Avx2, task: T, message: &[u8], output: &mut T::Output) {
    // SAFETY: the token proves the features.
    unsafe { run_with(token, task, message, output) }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run_with<T: Task>(token: Avx2, task: T, message: &[u8], output: &mut T::Output) {
    *output = task.run(Scalar(token), message);
}

impl Wide for Avx2 {
    const LANES_MIN: usize = 3;

    #[inline(always)]
    fn avx2(self) -> Avx2 {
        self
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 8>(&mut Eight::new(self, Sha256Columns), plan);
    }
}

/// Eight chains.
type Eight = YmmLanes<Sha256Columns, 8, 1>;

/// One block in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Sha256Columns;

impl Columns<8> for Sha256Columns {
    const ORDER: LengthOrder = LengthOrder::Big;
    const ALONE: usize = 1;

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m256i; 8]; GROUPS],
        words: &mut [[__m256i; 16]; GROUPS],
    ) {
        for (chains, words) in states.iter_mut().zip(words) {
            compress_8(chains, words);
        }
    }

    fn absorb_one(&self, token: Avx2, state: &mut State, blocks: &[Block]) {
        run(token, Blocks { state }, blocks.as_flattened(), &mut ());
    }
}

type Vectors<const N: usize> = [__m256i; N];

/// A block for each of eight chains: FIPS 180-4 §6.2.2.
#[inline(always)]
fn compress_8(chains: &mut Vectors<8>, words: &mut Vectors<16>) {
    let mut working = *chains;
    let [first, others @ ..] = quarters();
    sixteen_times!(T => {
        working = round_8(working, words[T], first[T]);
    });
    for constants in others {
        sixteen_times!(T => {
            let [far, near] = [words[(T + 1) % 16], words[(T + 14) % 16]];
            words[T] = extended(words[T], far, words[(T + 9) % 16], near);
            working = round_8(working, words[T], constants[T]);
        });
    }
    for (chain, working) in chains.iter_mut().zip(working) {
        // SAFETY: only called under a token.
        *chain = unsafe { _mm256_add_epi32(*chain, working) };
    }
}

#[inline(always)]
fn ror<const RIGHT: i32, const LEFT: i32>(x: __m256i) -> __m256i {
    // SAFETY: only called under a token.
    unsafe { _mm256_or_si256(_mm256_srli_epi32::<RIGHT>(x), _mm256_slli_epi32::<LEFT>(x)) }
}

#[inline(always)]
fn xor(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
    // SAFETY: only called under a token.
    unsafe { _mm256_xor_si256(_mm256_xor_si256(x, y), z) }
}

/// Wt from those of 16, 15, 7 and 2 rounds before.
#[inline(always)]
fn extended(oldest: __m256i, far: __m256i, middle: __m256i, near: __m256i) -> __m256i {
    // SAFETY: only called under a token.
    unsafe {
        let far = xor(ror::<7, 25>(far), ror::<18, 14>(far), _mm256_srli_epi32::<3>(far));
        let near = xor(ror::<17, 15>(near), ror::<19, 13>(near), _mm256_srli_epi32::<10>(near));
        _mm256_add_epi32(_mm256_add_epi32(oldest, middle), _mm256_add_epi32(far, near))
    }
}

/// One round.
#[inline(always)]
fn round_8([a, b, c, d, e, f, g, h]: Vectors<8>, word: __m256i, constant: u32) -> Vectors<8> {
    // SAFETY: only called under a token.
    unsafe {
        let input = _mm256_add_epi32(word, _mm256_set1_epi32(constant as i32));
        let sum_e = xor(ror::<6, 26>(e), ror::<11, 21>(e), ror::<25, 7>(e));
        let choice = _mm256_xor_si256(g, _mm256_and_si256(e, _mm256_xor_si256(f, g)));
        let t1 = _mm256_add_epi32(_mm256_add_epi32(h, input), _mm256_add_epi32(choice, sum_e));
        let sum_a = xor(ror::<2, 30>(a), ror::<13, 19>(a), ror::<22, 10>(a));
        // b ⊕ c is the a ⊕ b of the round before.
        let differ = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(b, c));
        let t2 = _mm256_add_epi32(sum_a, _mm256_xor_si256(differ, b));
        [_mm256_add_epi32(t1, t2), a, b, c, _mm256_add_epi32(d, t1), e, f, g]
    }
}
