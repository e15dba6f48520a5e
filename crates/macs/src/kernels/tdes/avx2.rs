//! TDES on bits, 256 blocks in the bits of 256-bit registers.

#![expect(unsafe_code, reason = "AVX2 intrinsics in the methods of a word")]

use core::arch::x86_64::*;
use core::mem::zeroed;

use super::bitslice::{self, Slice, Word};
use super::{Schedule, shuffle, soft};
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// Number of lanes.
pub(crate) const LANES: usize = 256;

/// The chains of `jobs`, 256 at once.
pub(crate) fn cbc(token: Avx2, jobs: &[CbcJob<'_, Schedule, 8>], y: &mut [[u8; 8]]) {
    cbc_many::<Lanes, _, 8, 256>(
        |_| Lanes { bits: bitslice::Lanes::new(), _proof: token },
        jobs,
        y,
    );
}

pub(super) const WORTH: Worth = Worth { least: 11, start: 20 };

struct Lanes {
    bits: bitslice::Lanes<Bits>,
    _proof: Avx2,
}

impl<'a> CbcLanes<'a, Schedule, 8, 256> for Lanes {
    const WORTH: Worth = WORTH;
    const REFILL: usize = 64;

    fn put(&mut self, fills: &[Fill<'a, Schedule, 8>]) {
        // SAFETY: the token proves the features.
        unsafe { put(&mut self.bits, fills) }
    }

    fn absorb(&mut self, runs: &[&[[u8; 8]]; 256], count: usize) {
        // SAFETY: the token proves the features.
        unsafe { absorb(&mut self.bits, runs, count) }
    }

    fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; 8]]) {
        // SAFETY: the token proves the features.
        unsafe { take(&self.bits, ended, y) }
    }

    fn chain(schedule: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]) {
        match Avx2::get() {
            Some(token) => shuffle::chain(token, schedule, y, run),
            None => soft::chain(schedule, y, run),
        }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn put(lanes: &mut bitslice::Lanes<Bits>, fills: &[Fill<'_, Schedule, 8>]) {
    lanes.put::<256>(fills);
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn absorb(lanes: &mut bitslice::Lanes<Bits>, runs: &[&[[u8; 8]]; 256], count: usize) {
    lanes.absorb(runs, count, |l, r, keys, pick| {
        round(l, r, keys, pick);
    });
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn round(l: &mut [Bits; 32], r: &[Bits; 32], keys: &[Bits; 64], pick: &[u8; 48]) {
    bitslice::round(l, r, keys, pick);
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn take(lanes: &bitslice::Lanes<Bits>, ended: &[(usize, usize)], y: &mut [[u8; 8]]) {
    lanes.take::<256>(ended, y);
}

/// 256 bits. Made and used only inside the functions above.
#[derive(Clone, Copy)]
struct Bits(__m256i);

impl Word for Bits {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi64x(-1)) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
}

impl Slice for Bits {
    const LEN: usize = 4;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: zeros are a value.
        unsafe { zeroed() }
    }

    #[inline(always)]
    fn splat(x: u64) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_set1_epi64x(x as i64) })
    }

    #[inline(always)]
    fn load(from: &[u64]) -> Self {
        let from: &[u64; 4] = from.try_into().expect("LEN");
        // SAFETY: inlined where AVX2 is enabled; four words are 32 bytes.
        Self(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [u64]) {
        let to: &mut [u64; 4] = to.try_into().expect("LEN");
        // SAFETY: inlined where AVX2 is enabled; four words are 32 bytes.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(N as i32)) })
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        // SAFETY: inlined where AVX2 is enabled.
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(N as i32)) })
    }
}
