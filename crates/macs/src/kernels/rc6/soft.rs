//! RC6 in portable code.

use super::Schedule;
use crate::kernels::lanes::cbc::CbcJob;

/// One chain from `y` over a run of blocks. Always inlined: blocks of a mode that do not wait for
/// each other then overlap.
#[inline(always)]
pub(crate) fn chain(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
    let mut chained = words(y);
    for block in run {
        let block = words(block);
        for (chained, x) in chained.iter_mut().zip(block) {
            *chained ^= x;
        }
        chained = encrypt(schedule, chained);
    }
    for (bytes, word) in y.as_chunks_mut().0.iter_mut().zip(chained) {
        *bytes = word.to_le_bytes();
    }
}

/// The chains of `jobs`, one after the other.
pub(crate) fn cbc(jobs: &[CbcJob<'_, Schedule, 16>], y: &mut [[u8; 16]]) {
    assert_eq!(jobs.len(), y.len(), "a chaining value a job");
    for (job, y) in jobs.iter().zip(y) {
        chain(job.schedule, y, job.blocks);
        chain(job.schedule, y, job.last.as_slice());
    }
}

/// The four words of a block, little-endian.
#[inline(always)]
fn words(block: &[u8; 16]) -> [u32; 4] {
    let block = u128::from_le_bytes(*block);
    [block as u32, (block >> 32) as u32, (block >> 64) as u32, (block >> 96) as u32]
}

/// §2, encryption.
#[inline(always)]
fn encrypt(schedule: &Schedule, block: [u32; 4]) -> [u32; 4] {
    let [s0, s1, rounds @ .., s42, s43] = &schedule.round_keys;
    let [mut a, mut b, mut c, mut d] = block;
    b = b.wrapping_add(*s0);
    d = d.wrapping_add(*s1);
    for &[k0, k1, k2, k3, k4, k5, k6, k7] in rounds.as_chunks().0 {
        (a, c) = round(a, b, c, d, k0, k1);
        (b, d) = round(b, c, d, a, k2, k3);
        (c, a) = round(c, d, a, b, k4, k5);
        (d, b) = round(d, a, b, c, k6, k7);
    }
    a = a.wrapping_add(*s42);
    c = c.wrapping_add(*s43);
    [a, b, c, d]
}

/// One round: what becomes of `a` and `c`; the words change their names for the next.
#[inline(always)]
fn round(a: u32, b: u32, c: u32, d: u32, k0: u32, k1: u32) -> (u32, u32) {
    let t = quadratic(b);
    let u = quadratic(d);
    let a = (a ^ t).rotate_left(u & 31).wrapping_add(k0);
    let c = (c ^ u).rotate_left(t & 31).wrapping_add(k1);
    (a, c)
}

/// f(x) = x(2x + 1), rotated by lg 32.
#[inline(always)]
fn quadratic(x: u32) -> u32 {
    x.wrapping_mul(x.wrapping_add(x).wrapping_add(1)).rotate_left(5)
}
