//! Twofish by its tables: one chain, or several whose look-ups overlap.

use core::array::from_fn;

use super::Schedule;
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// Chains at once.
const LANES: usize = 3;

/// One chain from `y` over a run of blocks.
pub(crate) fn chain(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
    let mut chained = words(y);
    for block in run {
        [chained] = encrypt([schedule], [xor(chained, words(block))]);
    }
    *y = bytes(chained);
}

/// The chains of `jobs`, `LANES` at once.
pub(crate) fn cbc(jobs: &[CbcJob<'_, Schedule, 16>], y: &mut [[u8; 16]]) {
    let new = |first| Lanes { schedules: [first; LANES], y: [[0; 4]; LANES] };
    cbc_many::<Lanes<'_>, _, 16, LANES>(new, jobs, y);
}

pub(super) const WORTH: Worth = Worth { least: 2, start: 5 };

struct Lanes<'a> {
    schedules: [&'a Schedule; LANES],
    y: [[u32; 4]; LANES],
}

impl<'a> CbcLanes<'a, Schedule, 16, LANES> for Lanes<'a> {
    const WORTH: Worth = WORTH;
    const REFILL: usize = 1;

    fn put(&mut self, fills: &[Fill<'a, Schedule, 16>]) {
        for fill in fills {
            self.schedules[fill.lane] = fill.schedule;
            self.y[fill.lane] = words(&fill.y);
        }
    }

    fn absorb(&mut self, runs: &[&[[u8; 16]]; LANES], count: usize) {
        let mut y = self.y;
        (0..count).for_each(|number| {
            let x = from_fn(|lane| xor(y[lane], words(&runs[lane][number])));
            y = encrypt(self.schedules, x);
        });
        self.y = y;
    }

    fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; 16]]) {
        for &(lane, number) in ended {
            y[number] = bytes(self.y[lane]);
        }
    }

    fn chain(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
        chain(schedule, y, run);
    }
}

/// §4.1 and 4.2, N blocks, each under a schedule of its own.
#[inline(always)]
fn encrypt<const N: usize>(schedules: [&Schedule; N], mut x: [[u32; 4]; N]) -> [[u32; 4]; N] {
    for (x, schedule) in x.iter_mut().zip(schedules) {
        *x = xor(*x, schedule.subkeys[0]);
    }
    for cycle in 2..10 {
        for (x, schedule) in x.iter_mut().zip(schedules) {
            let [a, b, c, d] = *x;
            let [k0, k1, ..] = schedule.subkeys[cycle];
            let (c, d) = round(schedule, a, b, c, d, k0, k1);
            *x = [a, b, c, d];
        }
        for (x, schedule) in x.iter_mut().zip(schedules) {
            let [a, b, c, d] = *x;
            let [.., k2, k3] = schedule.subkeys[cycle];
            let (a, b) = round(schedule, c, d, a, b, k2, k3);
            *x = [a, b, c, d];
        }
    }
    for (x, schedule) in x.iter_mut().zip(schedules) {
        let [a, b, c, d] = *x;
        *x = xor([c, d, a, b], schedule.subkeys[1]);
    }
    x
}

/// One round: `c` and `d` with F of `a` and `b` in them (§4.1).
#[inline(always)]
fn round(schedule: &Schedule, a: u32, b: u32, c: u32, d: u32, k0: u32, k1: u32) -> (u32, u32) {
    let [s0, s1, s2, s3] = &schedule.s_boxes;
    let [a0, a1, a2, a3] = a.to_le_bytes().map(usize::from);
    let [b0, b1, b2, b3] = b.to_le_bytes().map(usize::from);
    let t0 = s0[a0] ^ s1[a1] ^ s2[a2] ^ s3[a3];
    let t1 = s1[b0] ^ s2[b1] ^ s3[b2] ^ s0[b3];
    let f0 = t0.wrapping_add(t1).wrapping_add(k0);
    let f1 = t0.wrapping_add(t1.wrapping_add(t1).wrapping_add(k1));
    ((c ^ f0).rotate_right(1), d.rotate_left(1) ^ f1)
}

#[inline(always)]
fn xor(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

/// The four words of a block, little-endian.
#[inline(always)]
fn words(block: &[u8; 16]) -> [u32; 4] {
    let block = u128::from_le_bytes(*block);
    [block as u32, (block >> 32) as u32, (block >> 64) as u32, (block >> 96) as u32]
}

/// The block of four words, little-endian.
#[inline(always)]
fn bytes([a, b, c, d]: [u32; 4]) -> [u8; 16] {
    let low = u128::from(a) | u128::from(b) << 32;
    let high = u128::from(c) | u128::from(d) << 32;
    (low | high << 64).to_le_bytes()
}
