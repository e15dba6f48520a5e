//! SHA-256 where there are no SHA instructions but AVX-512: 16 messages in the 16 words of a
//! vector.
#![expect(unsafe_code, reason = "intrinsics under a token, loads of vectors")]

use core::arch::x86_64::*;

use super::message::Blocks;
use super::scalar::{Scalar, Wide};
use super::soft::{quarters, sixteen_times};
use super::unit::Task;
use super::{Block, State};
use crate::kernels::cpu::{Avx2, Avx512};
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::zmm::{Columns, ZmmLanes};

pub(crate) fn run<T: Task>(token: Avx512, task: T, message: &[u8], output: &mut T::Output) {
    // SAFETY: the token proves the features.
    unsafe { run_with(token, task, message, output) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run_with<T: Task>(token: Avx512, task: T, message: &[u8], output: &mut T::Output) {
    *output = task.run(Scalar(token), message);
}

impl Wide for Avx512 {
    const LANES_MIN: usize = 3;

    #[inline(always)]
    fn avx2(self) -> Avx2 {
        Avx512::avx2(self)
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 16>(&mut Sixteen::new(self, Sha256Columns), plan);
    }
}

/// 16 chains.
pub(crate) type Sixteen = ZmmLanes<Sha256Columns, 8, 1>;

/// One block in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Sha256Columns;

impl Columns<8> for Sha256Columns {
    const ORDER: LengthOrder = LengthOrder::Big;
    const ALONE: usize = 2;

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m512i; 8]; GROUPS],
        words: &mut [[__m512i; 16]; GROUPS],
    ) {
        for (chains, words) in states.iter_mut().zip(words) {
            compress_16(chains, words);
        }
    }

    fn absorb_one(&self, token: Avx512, state: &mut State, blocks: &[Block]) {
        run(token, Blocks { state }, blocks.as_flattened(), &mut ());
    }
}

const XOR: i32 = 0x96;
const CHOICE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

type Vectors<const N: usize> = [__m512i; N];

/// A block for each of 16 chains: FIPS 180-4 §6.2.2.
#[inline(always)]
fn compress_16(chains: &mut Vectors<8>, words: &mut Vectors<16>) {
    let mut working = *chains;
    let [first, others @ ..] = quarters();
    sixteen_times!(T => {
        working = round_16(working, words[T], first[T]);
    });
    for constants in others {
        sixteen_times!(T => {
            let [far, near] = [words[(T + 1) % 16], words[(T + 14) % 16]];
            words[T] = extended(words[T], far, words[(T + 9) % 16], near);
            working = round_16(working, words[T], constants[T]);
        });
    }
    for (chain, working) in chains.iter_mut().zip(working) {
        // SAFETY: only called under a token.
        *chain = unsafe { _mm512_add_epi32(*chain, working) };
    }
}

/// Wt from those of 16, 15, 7 and 2 rounds before.
#[inline(always)]
fn extended(oldest: __m512i, far: __m512i, middle: __m512i, near: __m512i) -> __m512i {
    // SAFETY: only called under a token.
    unsafe {
        let far = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<7>(far),
            _mm512_ror_epi32::<18>(far),
            _mm512_srli_epi32::<3>(far),
        );
        let near = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<17>(near),
            _mm512_ror_epi32::<19>(near),
            _mm512_srli_epi32::<10>(near),
        );
        _mm512_add_epi32(_mm512_add_epi32(oldest, middle), _mm512_add_epi32(far, near))
    }
}

/// One round.
#[inline(always)]
fn round_16([a, b, c, d, e, f, g, h]: Vectors<8>, word: __m512i, constant: u32) -> Vectors<8> {
    // SAFETY: only called under a token.
    unsafe {
        let input = _mm512_add_epi32(word, _mm512_set1_epi32(constant as i32));
        let sum_e = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<6>(e),
            _mm512_ror_epi32::<11>(e),
            _mm512_ror_epi32::<25>(e),
        );
        let choice = _mm512_ternarylogic_epi32::<CHOICE>(e, f, g);
        let t1 = _mm512_add_epi32(_mm512_add_epi32(h, input), _mm512_add_epi32(choice, sum_e));
        let sum_a = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<2>(a),
            _mm512_ror_epi32::<13>(a),
            _mm512_ror_epi32::<22>(a),
        );
        let t2 = _mm512_add_epi32(sum_a, _mm512_ternarylogic_epi32::<MAJORITY>(a, b, c));
        [_mm512_add_epi32(t1, t2), a, b, c, _mm512_add_epi32(d, t1), e, f, g]
    }
}
