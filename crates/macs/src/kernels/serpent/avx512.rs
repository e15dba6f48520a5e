//! Serpent in the 32-bit lanes of 512-bit registers.

#![expect(unsafe_code, reason = "calls with a token")]

mod lut;

use core::arch::x86_64::*;

use super::{Schedule, soft};
use crate::kernels::cpu::Avx512;
use crate::kernels::lanes::cbc::words::Words;
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// Words of a schedule.
const KEYS: usize = 132;

/// One chain in portable code, with the AND-NOT and the rotations of BMI.
pub(crate) fn chain(_: Avx512, schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
    // SAFETY: the token proves the features.
    unsafe { chain_with_bmi(schedule, y, run) }
}

#[target_feature(enable = "bmi1,bmi2")]
fn chain_with_bmi(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
    soft::chain(schedule, y, run);
}

/// The chains of `jobs`, 16 or 32 at once.
pub(crate) fn cbc(token: Avx512, jobs: &[CbcJob<'_, Schedule, 16>], y: &mut [[u8; 16]]) {
    if jobs.len() <= 16 {
        cbc_many::<Lanes<1>, _, 16, 16>(|_| Lanes(Words::new(token)), jobs, y);
    } else {
        cbc_many::<Lanes<2>, _, 16, 32>(|_| Lanes(Words::new(token)), jobs, y);
    }
}

/// Of one group.
pub(super) const WORTH: Worth = Worth { least: 2, start: 4 };

/// Groups of sixteen lanes; `LANES` lanes.
struct Lanes<const GROUPS: usize>(Words<__m512i, KEYS, GROUPS>);

impl<'a, const GROUPS: usize, const LANES: usize> CbcLanes<'a, Schedule, 16, LANES>
    for Lanes<GROUPS>
{
    const WORTH: Worth = Worth { least: GROUPS + 1, ..WORTH };
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
        match Avx512::get() {
            Some(token) => chain(token, schedule, y, run),
            None => soft::chain(schedule, y, run),
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn absorb<const GROUPS: usize>(
    lanes: &mut Words<__m512i, KEYS, GROUPS>,
    runs: &[&[[u8; 16]]],
    count: usize,
) {
    lanes.absorb(runs, count, |y, keys| encrypt(y, keys));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn encrypt<const GROUPS: usize>(y: &mut [[__m512i; 4]; GROUPS], keys: &[[__m512i; KEYS]; GROUPS]) {
    for eight in 0..4 {
        round::<0, GROUPS>(y, keys, 8 * eight);
        round::<1, GROUPS>(y, keys, 8 * eight);
        round::<2, GROUPS>(y, keys, 8 * eight);
        round::<3, GROUPS>(y, keys, 8 * eight);
        round::<4, GROUPS>(y, keys, 8 * eight);
        round::<5, GROUPS>(y, keys, 8 * eight);
        round::<6, GROUPS>(y, keys, 8 * eight);
        if eight < 3 {
            round::<7, GROUPS>(y, keys, 8 * eight);
        }
    }
    for (y, keys) in y.iter_mut().zip(keys) {
        let mixed = lut::s7(mix(*y, keys, 31));
        *y = mix(mixed, keys, 32);
    }
}

/// Round `from` + `BOX`: key, S-box, linear transformation.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn round<const BOX: usize, const GROUPS: usize>(
    y: &mut [[__m512i; 4]; GROUPS],
    keys: &[[__m512i; KEYS]; GROUPS],
    from: usize,
) {
    for (y, keys) in y.iter_mut().zip(keys) {
        let x = mix(*y, keys, from + BOX);
        *y = transform(match BOX {
            0 => lut::s0(x),
            1 => lut::s1(x),
            2 => lut::s2(x),
            3 => lut::s3(x),
            4 => lut::s4(x),
            5 => lut::s5(x),
            6 => lut::s6(x),
            _ => lut::s7(x),
        });
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn mix([a, b, c, d]: [__m512i; 4], keys: &[__m512i; KEYS], round: usize) -> [__m512i; 4] {
    [
        _mm512_xor_si512(a, keys[4 * round]),
        _mm512_xor_si512(b, keys[4 * round + 1]),
        _mm512_xor_si512(c, keys[4 * round + 2]),
        _mm512_xor_si512(d, keys[4 * round + 3]),
    ]
}

/// The linear transformation.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn transform([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let xor3 = |x, y, z| _mm512_ternarylogic_epi32::<0x96>(x, y, z);
    let a = _mm512_rol_epi32::<13>(a);
    let c = _mm512_rol_epi32::<3>(c);
    let b = _mm512_rol_epi32::<1>(xor3(b, a, c));
    let d = _mm512_rol_epi32::<7>(xor3(d, c, _mm512_slli_epi32::<3>(a)));
    let a = _mm512_rol_epi32::<5>(xor3(a, b, d));
    let c = _mm512_rol_epi32::<22>(xor3(c, d, _mm512_slli_epi32::<7>(b)));
    [a, b, c, d]
}
