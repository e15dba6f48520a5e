//! Eight lanes to a register.
#![expect(unsafe_code, reason = "loads and stores of AVX2")]

use core::arch::x86_64::*;
use core::mem::zeroed;

use super::Vector;
use crate::kernels::cpu::Avx2;

impl Vector for __m256i {
    type Proof = Avx2;
    // SAFETY: zeros are a value.
    const ZERO: Self = unsafe { zeroed() };
    const LANES: usize = 8;
    const FEW: usize = 3;

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_xor_si256(self, other) }
    }

    #[inline(always)]
    fn words(runs: &[&[[u8; 16]]], number: usize) -> [Self; 4] {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { words(runs, number) }
    }

    #[inline(always)]
    fn transpose<const KEYS: usize>(
        _: Avx2,
        keys: &mut [Self; KEYS],
        schedules: &[&[u32; KEYS]],
        filled: u32,
    ) {
        // SAFETY: the token proves the instructions.
        unsafe { transpose(keys, schedules, filled) }
    }
}

/// The four words of block `number` of eight runs.
#[inline]
#[target_feature(enable = "avx2")]
fn words(runs: &[&[[u8; 16]]], number: usize) -> [__m256i; 4] {
    let block = |lane: usize| {
        let block: &[u8; 16] = &runs[lane][number];
        // SAFETY: a block is 16 bytes.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    };
    // Half h of row i is the block of lane 4h + i.
    let row = |i: usize| _mm256_set_m128i(block(4 + i), block(i));
    columns([row(0), row(1), row(2), row(3)])
}

/// Each half a matrix of 4×4 words, transposed.
#[inline]
#[target_feature(enable = "avx2")]
fn columns([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
    [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ]
}

/// Writes the schedules of the lanes `filled` into their places.
#[target_feature(enable = "avx2")]
fn transpose<const KEYS: usize>(
    keys: &mut [__m256i; KEYS],
    schedules: &[&[u32; KEYS]],
    filled: u32,
) {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let filled = _mm256_and_si256(_mm256_set1_epi32(filled as i32), bits);
    let filled = _mm256_cmpeq_epi32(filled, bits);
    let mut next = 0;
    while next < KEYS {
        // The last eight words may overlap those before.
        let from = next.min(KEYS - 8);
        next = from + 8;
        let row = |lane: usize| {
            let row: &[u32; 8] = schedules[lane][from..].first_chunk().expect("KEYS ≥ 8");
            // SAFETY: eight words are 32 bytes.
            unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
        };
        // Half h of word i of a part is word 4h + i of its four lanes.
        let part = |lane: usize| columns([row(lane), row(lane + 1), row(lane + 2), row(lane + 3)]);
        let [a, b] = [part(0), part(4)];
        for i in 0..4 {
            let words = [
                _mm256_permute2x128_si256::<0x20>(a[i], b[i]),
                _mm256_permute2x128_si256::<0x31>(a[i], b[i]),
            ];
            for (half, word) in words.into_iter().enumerate() {
                let kept = &mut keys[from + 4 * half + i];
                *kept = _mm256_blendv_epi8(*kept, word, filled);
            }
        }
    }
}
