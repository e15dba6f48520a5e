//! Sixteen nodes in columns of 512 bits, eight in columns of 256; up to four in rows. There are
//! registers for state and message, and rotations are one instruction each: what the shorter
//! vectors have in shifts, the compiler makes such instructions of.
#![expect(unsafe_code, reason = "instructions that the token proves; loads and stores of vectors")]

use core::arch::x86_64::*;

use super::avx2::Ymm;
use super::form;
use super::lanes::{Lanes, Words};
use super::rows::{self, Rows, TwiceTwo};
use super::vector::Vector;
use super::xmm::{Xmm, put, quarter_of};
use super::{Block, Input, Node, Value};
use crate::kernels::cpu::Avx512;
use crate::kernels::md_block::tail;

/// As `Kernel::values`.
pub(super) fn values(token: Avx512, inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::in_groups(16, inputs, values, |inputs, values| match (inputs, &mut *values) {
        ([input], [output]) => value(token, *input, node, output),
        // SAFETY: the token proves the instructions of the function for two.
        ([_, _], _) => unsafe { two(inputs, node, values) },
        // SAFETY: the token proves the instructions of the function for four.
        ([_, _, _] | [_, _, _, _], _) => unsafe { four(inputs, node, values) },
        // SAFETY: the token proves the instructions of the function for eight.
        _ if inputs.len() <= 8 => unsafe { eight(inputs, node, values) },
        // SAFETY: the token proves the instructions of the function for sixteen.
        _ => unsafe { sixteen(inputs, node, values) },
    });
}

/// As `Kernel::value`.
#[inline]
pub(super) fn value(_: Avx512, input: Input<'_>, node: Node, value: &mut Value) {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
    fn on_cpu(input: Input<'_>, node: Node, value: &mut Value) {
        rows::value::<Xmm>(input, node, value);
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(input, node, value) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn two(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<Rows<Ymm>, 2>(inputs, node, values);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn four(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<TwiceTwo<Ymm>, 4>(inputs, node, values);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn eight(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<Lanes<Ymm, 8>, 8>(inputs, node, values);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn sixteen(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<Lanes<Zmm, 16>, 16>(inputs, node, values);
}

/// A word of sixteen nodes.
#[derive(Clone, Copy)]
pub(super) struct Zmm(__m512i);

/// This quarter of 16 bytes of four lanes, each of them four behind the one before.
#[inline(always)]
fn quarters_of<const LEN: usize>(rows: &[&[u8; LEN]; 16], first: usize, quarter: usize) -> __m512i {
    let [a, b] = [quarter_of(rows[first], quarter), quarter_of(rows[first + 4], quarter)];
    let [c, d] = [quarter_of(rows[first + 8], quarter), quarter_of(rows[first + 12], quarter)];
    // SAFETY: only called under the token, which proves the instructions.
    unsafe {
        let ab = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
        _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(ab, c), d)
    }
}

/// Rows to columns of four matrices of 4 × 4 words, and back.
#[inline(always)]
fn transposed([a, b, c, d]: [__m512i; 4]) -> [Zmm; 4] {
    // SAFETY: only called under the token, which proves the instructions.
    unsafe {
        let [ab_low, ab_high] = [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)];
        let [cd_low, cd_high] = [_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d)];
        [
            Zmm(_mm512_unpacklo_epi64(ab_low, cd_low)),
            Zmm(_mm512_unpackhi_epi64(ab_low, cd_low)),
            Zmm(_mm512_unpacklo_epi64(ab_high, cd_high)),
            Zmm(_mm512_unpackhi_epi64(ab_high, cd_high)),
        ]
    }
}

impl Vector for Zmm {
    type Orders = ();

    #[inline(always)]
    fn orders() {}

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, (): ()) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe {
            match BITS {
                16 => _mm512_ror_epi32::<16>(self.0),
                12 => _mm512_ror_epi32::<12>(self.0),
                8 => _mm512_ror_epi32::<8>(self.0),
                _ => {
                    const { assert!(matches!(BITS, 16 | 12 | 8 | 7)) }
                    _mm512_ror_epi32::<7>(self.0)
                }
            }
        })
    }
}

impl Words<16> for Zmm {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(words: &[u32; 16]) -> Self {
        // SAFETY: only called under the token, which proves the instructions; there are 64 bytes,
        // and no alignment is asked for.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn columns<const LEN: usize>(rows: &[&[u8; LEN]; 16], quarter: usize) -> [Self; 4] {
        transposed([
            quarters_of(rows, 0, quarter),
            quarters_of(rows, 1, quarter),
            quarters_of(rows, 2, quarter),
            quarters_of(rows, 3, quarter),
        ])
    }

    #[inline(always)]
    fn rows([a, b, c, d]: [Self; 4], values: &mut [Value; 16], half: usize) {
        for (lane, row) in transposed([a.0, b.0, c.0, d.0]).into_iter().enumerate() {
            // SAFETY: only called under the token, which proves the instructions.
            let quarters = unsafe {
                [
                    _mm512_castsi512_si128(row.0),
                    _mm512_extracti32x4_epi32::<1>(row.0),
                    _mm512_extracti32x4_epi32::<2>(row.0),
                    _mm512_extracti32x4_epi32::<3>(row.0),
                ]
            };
            for (number, vector) in quarters.into_iter().enumerate() {
                put(vector, &mut values[lane + 4 * number], half);
            }
        }
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        *block = tail::block(data, 0);
    }
}
