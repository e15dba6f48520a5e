//! Serpent in the 32-bit lanes of 256-bit registers.

#![expect(unsafe_code, reason = "calls with a token")]

use core::arch::x86_64::*;
use core::ops::{BitAnd, BitOr, BitXor, Not};

use super::{Schedule, sboxes, soft};
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::cbc::words::Words;
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// Words of a schedule.
const KEYS: usize = 132;

/// One chain in portable code, with the AND-NOT and the rotations of BMI.
pub(crate) fn chain(_: Avx2, schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
    // SAFETY: the token proves the features.
    unsafe { chain_with_bmi(schedule, y, run) }
}

#[target_feature(enable = "bmi1,bmi2")]
fn chain_with_bmi(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
    soft::chain(schedule, y, run);
}

/// The chains of `jobs`, 8 at once.
pub(crate) fn cbc(token: Avx2, jobs: &[CbcJob<'_, Schedule, 16>], y: &mut [[u8; 16]]) {
    cbc_many::<Lanes, _, 16, LANES>(|_| Lanes(Words::new(token)), jobs, y);
}

/// Number of lanes: one group, as the registers have no room for the S-boxes of two.
const LANES: usize = 8;

pub(super) const WORTH: Worth = Worth { least: 2, start: 4 };

struct Lanes(Words<__m256i, KEYS, 1>);

impl<'a> CbcLanes<'a, Schedule, 16, LANES> for Lanes {
    const WORTH: Worth = WORTH;
    const REFILL: usize = 1;

    fn put(&mut self, fills: &[Fill<'a, Schedule, 16>]) {
        self.0.put(fills, |schedule| schedule.flat());
    }

    fn absorb(&mut self, runs: &[&[[u8; 16]]; LANES], count: usize) {
        // SAFETY: the lanes hold the token, which proves the features.
        unsafe { absorb(&mut self.0, runs, count) }
    }

    fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; 16]]) {
        self.0.take(ended, y);
    }

    fn chain(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
        match Avx2::get() {
            Some(token) => chain(token, schedule, y, run),
            None => soft::chain(schedule, y, run),
        }
    }
}

#[target_feature(enable = "avx2")]
fn absorb(lanes: &mut Words<__m256i, KEYS, 1>, runs: &[&[[u8; 16]]], count: usize) {
    lanes.absorb(runs, count, |[y], [keys]| encrypt(y, keys));
}

#[inline]
#[target_feature(enable = "avx2")]
fn encrypt(y: &mut [__m256i; 4], keys: &[__m256i; KEYS]) {
    for eight in 0..4 {
        round::<0>(y, keys, 8 * eight);
        round::<1>(y, keys, 8 * eight);
        round::<2>(y, keys, 8 * eight);
        round::<3>(y, keys, 8 * eight);
        round::<4>(y, keys, 8 * eight);
        round::<5>(y, keys, 8 * eight);
        round::<6>(y, keys, 8 * eight);
        if eight < 3 {
            round::<7>(y, keys, 8 * eight);
        }
    }
    let mixed = vectors(sboxes::s7(bits(mix(*y, keys, 31))));
    *y = mix(mixed, keys, 32);
}

/// Round `from` + `BOX`: key, S-box, linear transformation.
#[inline]
#[target_feature(enable = "avx2")]
fn round<const BOX: usize>(y: &mut [__m256i; 4], keys: &[__m256i; KEYS], from: usize) {
    let x = bits(mix(*y, keys, from + BOX));
    *y = transform(vectors(match BOX {
        0 => sboxes::s0(x),
        1 => sboxes::s1(x),
        2 => sboxes::s2(x),
        3 => sboxes::s3(x),
        4 => sboxes::s4(x),
        5 => sboxes::s5(x),
        6 => sboxes::s6(x),
        _ => sboxes::s7(x),
    }));
}

#[inline]
#[target_feature(enable = "avx2")]
fn mix([a, b, c, d]: [__m256i; 4], keys: &[__m256i; KEYS], round: usize) -> [__m256i; 4] {
    [
        _mm256_xor_si256(a, keys[4 * round]),
        _mm256_xor_si256(b, keys[4 * round + 1]),
        _mm256_xor_si256(c, keys[4 * round + 2]),
        _mm256_xor_si256(d, keys[4 * round + 3]),
    ]
}

/// The linear transformation.
#[inline]
#[target_feature(enable = "avx2")]
fn transform([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let xor3 = |x, y, z| _mm256_xor_si256(x, _mm256_xor_si256(y, z));
    let a = rotate::<13, 19>(a);
    let c = rotate::<3, 29>(c);
    let b = rotate::<1, 31>(xor3(b, a, c));
    let d = rotate::<7, 25>(xor3(d, c, _mm256_slli_epi32::<3>(a)));
    let a = rotate::<5, 27>(xor3(a, b, d));
    let c = rotate::<22, 10>(xor3(c, d, _mm256_slli_epi32::<7>(b)));
    [a, b, c, d]
}

#[inline]
#[target_feature(enable = "avx2")]
fn rotate<const LEFT: i32, const RIGHT: i32>(x: __m256i) -> __m256i {
    const { assert!(LEFT + RIGHT == 32) }
    _mm256_or_si256(_mm256_slli_epi32::<LEFT>(x), _mm256_srli_epi32::<RIGHT>(x))
}

/// A vector as the S-boxes take it. Made and used only inside the functions above.
#[derive(Clone, Copy)]
struct Bits(__m256i);

#[inline(always)]
fn bits([a, b, c, d]: [__m256i; 4]) -> [Bits; 4] {
    [Bits(a), Bits(b), Bits(c), Bits(d)]
}

#[inline(always)]
fn vectors([Bits(a), Bits(b), Bits(c), Bits(d)]: [Bits; 4]) -> [__m256i; 4] {
    [a, b, c, d]
}

impl BitAnd for Bits {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }
}

impl BitOr for Bits {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
}

impl BitXor for Bits {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
}

impl Not for Bits {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi32(-1)) })
    }
}
