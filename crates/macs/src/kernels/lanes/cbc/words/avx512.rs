//! Sixteen lanes to a register.
#![expect(unsafe_code, reason = "loads and stores of AVX-512")]

use core::arch::x86_64::*;
use core::mem::zeroed;

use super::Vector;
use crate::kernels::cpu::Avx512;

impl Vector for __m512i {
    type Proof = Avx512;
    // SAFETY: zeros are a value.
    const ZERO: Self = unsafe { zeroed() };
    const LANES: usize = 16;
    const FEW: usize = 5;

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_xor_si512(self, other) }
    }

    #[inline(always)]
    fn words(runs: &[&[[u8; 16]]], number: usize) -> [Self; 4] {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { words(runs, number) }
    }

    #[inline(always)]
    fn transpose<const KEYS: usize>(
        _: Avx512,
        keys: &mut [Self; KEYS],
        schedules: &[&[u32; KEYS]],
        filled: u32,
    ) {
        // SAFETY: the token proves the instructions.
        unsafe { transpose(keys, schedules, filled as u16) }
    }
}

/// The four words of block `number` of sixteen runs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn words(runs: &[&[[u8; 16]]], number: usize) -> [__m512i; 4] {
    let block = |lane: usize| {
        let block: &[u8; 16] = &runs[lane][number];
        // SAFETY: a block is 16 bytes.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    };
    // Quarter q of row i is the block of lane 4q + i: a transpose of each 4×4 words then has the
    // lanes in order.
    let row = |i: usize| {
        let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(block(i)), block(4 + i));
        let high =
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(block(8 + i)), block(12 + i));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    };
    columns([row(0), row(1), row(2), row(3)])
}

/// Each quarter a matrix of 4×4 words, transposed.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn columns([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab, cd),
        _mm512_unpackhi_epi64(ab, cd),
        _mm512_unpacklo_epi64(ab_high, cd_high),
        _mm512_unpackhi_epi64(ab_high, cd_high),
    ]
}

/// Writes the schedules of the lanes `filled` into their places.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn transpose<const KEYS: usize>(
    keys: &mut [__m512i; KEYS],
    schedules: &[&[u32; KEYS]],
    filled: u16,
) {
    let mut next = 0;
    while next < KEYS {
        // The last sixteen words may overlap those before.
        let from = next.min(KEYS - 16);
        next = from + 16;
        let row = |lane: usize| {
            let row: &[u32; 16] = schedules[lane][from..].first_chunk().expect("KEYS ≥ 16");
            // SAFETY: sixteen words are 64 bytes.
            unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
        };
        // Quarter q of word i of a part is word 4q + i of its four lanes.
        let part = |lane: usize| columns([row(lane), row(lane + 1), row(lane + 2), row(lane + 3)]);
        let [a, b, c, d] = [part(0), part(4), part(8), part(12)];
        for i in 0..4 {
            let ab_even = _mm512_shuffle_i32x4::<0b10_00_10_00>(a[i], b[i]);
            let ab_odd = _mm512_shuffle_i32x4::<0b11_01_11_01>(a[i], b[i]);
            let cd_even = _mm512_shuffle_i32x4::<0b10_00_10_00>(c[i], d[i]);
            let cd_odd = _mm512_shuffle_i32x4::<0b11_01_11_01>(c[i], d[i]);
            let words = [
                _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_even, cd_even),
                _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_odd, cd_odd),
                _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_even, cd_even),
                _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_odd, cd_odd),
            ];
            for (q, word) in words.into_iter().enumerate() {
                let kept = &mut keys[from + 4 * q + i];
                *kept = _mm512_mask_blend_epi32(filled, *kept, word);
            }
        }
    }
}
