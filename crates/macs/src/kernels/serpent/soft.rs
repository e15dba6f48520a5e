//! Serpent in portable code.

use super::{Schedule, sboxes};
use crate::kernels::lanes::cbc::CbcJob;

/// One chain from `y` over a run of blocks.
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

/// The same, not for every caller to take in.
#[inline(never)]
pub(crate) fn chain_apart(schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
    chain(schedule, y, run);
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

/// One block.
#[inline(always)]
fn encrypt(schedule: &Schedule, x: [u32; 4]) -> [u32; 4] {
    let [k0, keys @ .., k32] = &schedule.round_keys;
    let mut x = mix(x, *k0);
    let (eights, last) = keys.as_chunks::<8>();
    for keys in eights {
        x = transform(sboxes::s0(x), keys[0]);
        x = transform(sboxes::s1(x), keys[1]);
        x = transform(sboxes::s2(x), keys[2]);
        x = transform(sboxes::s3(x), keys[3]);
        x = transform(sboxes::s4(x), keys[4]);
        x = transform(sboxes::s5(x), keys[5]);
        x = transform(sboxes::s6(x), keys[6]);
        x = transform(sboxes::s7(x), keys[7]);
    }
    for (number, &key) in last.iter().enumerate() {
        x = transform(s_box(number, x), key);
    }
    mix(sboxes::s7(x), *k32)
}

/// The S-box of this number.
#[inline(always)]
pub(crate) fn s_box(number: usize, x: [u32; 4]) -> [u32; 4] {
    match number % 8 {
        0 => sboxes::s0(x),
        1 => sboxes::s1(x),
        2 => sboxes::s2(x),
        3 => sboxes::s3(x),
        4 => sboxes::s4(x),
        5 => sboxes::s5(x),
        6 => sboxes::s6(x),
        _ => sboxes::s7(x),
    }
}

#[inline(always)]
fn mix([a, b, c, d]: [u32; 4], k: [u32; 4]) -> [u32; 4] {
    [a ^ k[0], b ^ k[1], c ^ k[2], d ^ k[3]]
}

/// The linear transformation, and then the key of the next round: two words of it go in before the
/// last rotation, where nothing waits for them.
#[inline(always)]
fn transform([a, b, c, d]: [u32; 4], k: [u32; 4]) -> [u32; 4] {
    let a = a.rotate_left(13);
    let c = c.rotate_left(3);
    let b = ((b ^ c) ^ a).rotate_left(1);
    let d = ((d ^ c) ^ (a << 3)).rotate_left(7);
    let a = (((a ^ k[0].rotate_right(5)) ^ b) ^ d).rotate_left(5);
    let c = (((c ^ k[2].rotate_right(22)) ^ (b << 7)) ^ d).rotate_left(22);
    [a, b ^ k[1], c, d ^ k[3]]
}
