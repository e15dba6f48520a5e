//! TDES on bits, 512 blocks in the bits of 512-bit registers.

#![expect(unsafe_code, reason = "AVX-512 intrinsics in the methods of a word")]

mod sboxes;

use core::arch::x86_64::*;
use core::mem::zeroed;

use super::bitslice::{self, Slice, Word};
use super::{Schedule, shuffle, soft};
use crate::kernels::cpu::{Avx2, Avx512};
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// The chains of `jobs`, 512 at once.
pub(crate) fn cbc(token: Avx512, jobs: &[CbcJob<'_, Schedule, 8>], y: &mut [[u8; 8]]) {
    cbc_many::<Lanes, _, 8, 512>(
        |_| Lanes { bits: bitslice::Lanes::new(), _proof: token },
        jobs,
        y,
    );
}

pub(super) const WORTH: Worth = Worth { least: 13, start: 17 };

struct Lanes {
    bits: bitslice::Lanes<Bits>,
    _proof: Avx512,
}

impl<'a> CbcLanes<'a, Schedule, 8, 512> for Lanes {
    const WORTH: Worth = WORTH;
    const REFILL: usize = 64;

    fn put(&mut self, fills: &[Fill<'a, Schedule, 8>]) {
        // SAFETY: the token proves the features.
        unsafe { put(&mut self.bits, fills) }
    }

    fn absorb(&mut self, runs: &[&[[u8; 8]]; 512], count: usize) {
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

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn put(lanes: &mut bitslice::Lanes<Bits>, fills: &[Fill<'_, Schedule, 8>]) {
    lanes.put::<512>(fills);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn absorb(lanes: &mut bitslice::Lanes<Bits>, runs: &[&[[u8; 8]]; 512], count: usize) {
    lanes.absorb(runs, count, |l, r, keys, pick| {
        round(l, r, keys, pick);
    });
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn round(l: &mut [Bits; 32], r: &[Bits; 32], keys: &[Bits; 64], pick: &[u8; 48]) {
    bitslice::round(l, r, keys, pick);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn take(lanes: &bitslice::Lanes<Bits>, ended: &[(usize, usize)], y: &mut [[u8; 8]]) {
    lanes.take::<512>(ended, y);
}

/// 512 bits. Made and used only inside the functions above.
#[derive(Clone, Copy)]
struct Bits(__m512i);

impl Word for Bits {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_ternarylogic_epi64::<0x0f>(self.0, self.0, self.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn s_box<const GROUP: usize>(x: [Self; 6]) -> [Self; 4] {
        match GROUP {
            0 => sboxes::s1(x),
            1 => sboxes::s2(x),
            2 => sboxes::s3(x),
            3 => sboxes::s4(x),
            4 => sboxes::s5(x),
            5 => sboxes::s6(x),
            6 => sboxes::s7(x),
            _ => sboxes::s8(x),
        }
    }
}

impl sboxes::Lut for Bits {
    #[inline(always)]
    fn lut<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_ternarylogic_epi64::<TABLE>(a.0, b.0, c.0) })
    }
}

impl Slice for Bits {
    const LEN: usize = 8;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: zeros are a value.
        unsafe { zeroed() }
    }

    #[inline(always)]
    fn splat(x: u64) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_set1_epi64(x as i64) })
    }

    #[inline(always)]
    fn load(from: &[u64]) -> Self {
        let from: &[u64; 8] = from.try_into().expect("LEN");
        // SAFETY: inlined where AVX-512 is enabled; eight words are 64 bytes.
        Self(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [u64]) {
        let to: &mut [u64; 8] = to.try_into().expect("LEN");
        // SAFETY: inlined where AVX-512 is enabled; eight words are 64 bytes.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        // SAFETY: inlined where AVX-512 is enabled.
        Self(unsafe { _mm512_srli_epi64::<N>(self.0) })
    }
}
