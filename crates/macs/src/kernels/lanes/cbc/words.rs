//! Chains of a cipher of four 32-bit words in the 32-bit lanes of 512-bit registers, `GROUPS` times
//! sixteen of them; each lane has the `KEYS` words of its own schedule.

#![expect(unsafe_code, reason = "loads and stores of AVX-512")]

use core::arch::x86_64::*;

use super::Fill;
use crate::kernels::cpu::Avx512;
use crate::wipe::overwrite;

/// So few schedules of a group are written word by word.
const FEW: usize = 5;

/// A word of sixteen chains.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Word([u32; 16]);

impl Word {
    const ZERO: Self = Self([0; 16]);

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn load(&self) -> __m512i {
        // SAFETY: a word is 64 bytes, aligned to as many.
        unsafe { _mm512_load_si512((&raw const self.0).cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(&mut self, x: __m512i) {
        // SAFETY: a word is 64 bytes, aligned to as many.
        unsafe { _mm512_store_si512((&raw mut self.0).cast(), x) }
    }
}

/// The round keys and the chaining values of all lanes, word by word.
pub(crate) struct Words<const KEYS: usize, const GROUPS: usize> {
    keys: [[Word; KEYS]; GROUPS],
    y: [[Word; 4]; GROUPS],
    _proof: Avx512,
}

impl<const KEYS: usize, const GROUPS: usize> Words<KEYS, GROUPS> {
    pub(crate) fn new(token: Avx512) -> Self {
        Self { keys: [[Word::ZERO; KEYS]; GROUPS], y: [[Word::ZERO; 4]; GROUPS], _proof: token }
    }

    /// Begins chains in lanes.
    pub(crate) fn put<'a, S>(
        &mut self,
        fills: &[Fill<'a, S, 16>],
        keys: impl Fn(&'a S) -> &'a [u32; KEYS],
    ) {
        for Fill { lane, y, .. } in fills {
            for (word, &bytes) in self.y[lane / 16].iter_mut().zip(y.as_chunks().0) {
                word.0[lane % 16] = u32::from_le_bytes(bytes);
            }
        }
        for fills in fills.chunk_by(|one, next| one.lane / 16 == next.lane / 16) {
            let kept = &mut self.keys[fills[0].lane / 16];
            if fills.len() < FEW {
                for Fill { lane, schedule, .. } in fills {
                    for (word, &key) in kept.iter_mut().zip(keys(schedule)) {
                        word.0[lane % 16] = key;
                    }
                }
                continue;
            }
            let (mut filled, mut schedules) = (0, [keys(fills[0].schedule); 16]);
            for Fill { lane, schedule, .. } in fills {
                filled |= 1 << (lane % 16);
                schedules[lane % 16] = keys(schedule);
            }
            // SAFETY: the token proves the features.
            unsafe { transpose(kept, &schedules, filled) }
        }
    }

    /// The chaining values of lanes.
    pub(crate) fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; 16]]) {
        for &(lane, number) in ended {
            let (group, lane) = (lane / 16, lane % 16);
            for (bytes, word) in y[number].as_chunks_mut().0.iter_mut().zip(&self.y[group]) {
                *bytes = word.0[lane].to_le_bytes();
            }
        }
    }

    /// The lanes absorb the first `count` blocks of the runs; `encrypt` is the cipher.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
    pub(crate) fn absorb(
        &mut self,
        runs: &[&[[u8; 16]]],
        count: usize,
        encrypt: impl Fn(&mut [[__m512i; 4]; GROUPS], &[[Word; KEYS]; GROUPS]),
    ) {
        let zero = _mm512_setzero_si512();
        let mut y = [[zero; 4]; GROUPS];
        for (y, kept) in y.as_flattened_mut().iter_mut().zip(self.y.as_flattened()) {
            *y = kept.load();
        }
        for number in 0..count {
            for (y, runs) in y.iter_mut().zip(runs.as_chunks().0) {
                let x = words(runs, number);
                for (y, x) in y.iter_mut().zip(x) {
                    *y = _mm512_xor_si512(*y, x);
                }
            }
            encrypt(&mut y, &self.keys);
        }
        for (y, kept) in y.as_flattened().iter().zip(self.y.as_flattened_mut()) {
            kept.store(*y);
        }
    }
}

impl<const KEYS: usize, const GROUPS: usize> Drop for Words<KEYS, GROUPS> {
    fn drop(&mut self) {
        overwrite(&mut self.keys, [[Word::ZERO; KEYS]; GROUPS]);
        overwrite(&mut self.y, [[Word::ZERO; 4]; GROUPS]);
    }
}

/// The four words of block `number` of sixteen runs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn words(runs: &[&[[u8; 16]]; 16], number: usize) -> [__m512i; 4] {
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
    keys: &mut [Word; KEYS],
    schedules: &[&[u32; KEYS]; 16],
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
                kept.store(_mm512_mask_blend_epi32(filled, kept.load(), word));
            }
        }
    }
}
