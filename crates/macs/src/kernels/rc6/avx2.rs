//! RC6 in the 32-bit lanes of 256-bit registers.

#![expect(unsafe_code, reason = "calls with a token")]

use core::arch::x86_64::*;

use super::{Schedule, soft};
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::cbc::words::Words;
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// Words of a schedule.
const KEYS: usize = 44;

/// The chains of `jobs`, 8 or 16 at once.
pub(crate) fn cbc(token: Avx2, jobs: &[CbcJob<'_, Schedule, 16>], y: &mut [[u8; 16]]) {
    if jobs.len() <= 8 {
        cbc_many::<Lanes<1>, _, 16, 8>(|_| Lanes(Words::new(token)), jobs, y);
    } else {
        cbc_many::<Lanes<2>, _, 16, 16>(|_| Lanes(Words::new(token)), jobs, y);
    }
}

/// Of one group.
pub(super) const WORTH: Worth = Worth { least: 2, start: 6 };

/// Groups of eight lanes; `LANES` lanes.
struct Lanes<const GROUPS: usize>(Words<__m256i, KEYS, GROUPS>);

impl<'a, const GROUPS: usize, const LANES: usize> CbcLanes<'a, Schedule, 16, LANES>
    for Lanes<GROUPS>
{
    const WORTH: Worth = Worth { least: GROUPS + 1, ..WORTH };
    const REFILL: usize = 1;

    fn put(&mut self, fills: &[Fill<'a, Schedule, 16>]) {
        self.0.put(fills, |schedule| &schedule.round_keys);
    }

    fn absorb(&mut self, runs: &[&[[u8; 16]]; LANES], count: usize) {
        // SAFETY: the lanes hold the token, which proves the features.
        unsafe { absorb(&mut self.0, runs, count) }
    }

    fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; 16]]) {
        self.0.take(ended, y);
    }

    fn chain(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
        soft::chain(schedule, y, run);
    }
}

#[target_feature(enable = "avx2")]
fn absorb<const GROUPS: usize>(
    lanes: &mut Words<__m256i, KEYS, GROUPS>,
    runs: &[&[[u8; 16]]],
    count: usize,
) {
    lanes.absorb(runs, count, |y, keys| encrypt(y, keys));
}

/// §2, encryption.
#[inline]
#[target_feature(enable = "avx2")]
fn encrypt<const GROUPS: usize>(y: &mut [[__m256i; 4]; GROUPS], keys: &[[__m256i; KEYS]; GROUPS]) {
    for ([_, b, _, d], keys) in y.iter_mut().zip(keys) {
        *b = _mm256_add_epi32(*b, keys[0]);
        *d = _mm256_add_epi32(*d, keys[1]);
    }
    for number in 1..=20 {
        for (y, keys) in y.iter_mut().zip(keys) {
            let [a, b, c, d] = *y;
            let (t, u) = (quadratic(b), quadratic(d));
            let a = rotate(_mm256_xor_si256(a, t), u);
            let c = rotate(_mm256_xor_si256(c, u), t);
            let a = _mm256_add_epi32(a, keys[2 * number]);
            let c = _mm256_add_epi32(c, keys[2 * number + 1]);
            *y = [b, c, d, a];
        }
    }
    for ([a, _, c, _], keys) in y.iter_mut().zip(keys) {
        *a = _mm256_add_epi32(*a, keys[42]);
        *c = _mm256_add_epi32(*c, keys[43]);
    }
}

/// f(x) = x(2x + 1), rotated by lg 32.
#[inline]
#[target_feature(enable = "avx2")]
fn quadratic(x: __m256i) -> __m256i {
    let odd = _mm256_add_epi32(_mm256_add_epi32(x, x), _mm256_set1_epi32(1));
    let product = _mm256_mullo_epi32(x, odd);
    _mm256_or_si256(_mm256_slli_epi32::<5>(product), _mm256_srli_epi32::<27>(product))
}

/// Rotates by the low five bits of `by`.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate(x: __m256i, by: __m256i) -> __m256i {
    let left = _mm256_and_si256(by, _mm256_set1_epi32(31));
    // By 32 it shifts everything out.
    let right = _mm256_sub_epi32(_mm256_set1_epi32(32), left);
    _mm256_or_si256(_mm256_sllv_epi32(x, left), _mm256_srlv_epi32(x, right))
}
