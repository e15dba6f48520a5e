//! Poly1305 in words of 64 bits, block after block: the quickest for short messages on every CPU
//! that multiplies them. Constant-time where that multiplication is.

use super::{Accumulator, Tag, words};

/// h = (h + block + `high_bit`·2^128)·r.
#[inline(always)]
pub(super) fn step(
    [h0, h1, h2]: [u64; 3],
    r: [u64; 2],
    block: &[u8; 16],
    high_bit: u64,
) -> [u64; 3] {
    let [m0, m1] = words(block);
    // r1 is a multiple of 4: 2^128·r1 = 2^130·r1/4, congruent to 5·r1/4, which fits a word.
    let s1 = u128::from(r[1].wrapping_add(r[1] >> 2));
    let [r0, r1] = r.map(u128::from);
    let sum = u128::from(h0) + u128::from(m0);
    let h0 = sum as u64;
    let sum = u128::from(h1) + u128::from(m1) + (sum >> 64);
    let h1 = sum as u64;
    let h2 = h2 + (sum >> 64) as u64 + high_bit;

    let low = u128::from(h0) * r0 + u128::from(h1) * s1;
    let high = u128::from(h0) * r1 + u128::from(h1) * r0 + u128::from(h2 * s1 as u64);
    let high = high + (low >> 64);
    let h2 = h2 * r0 as u64 + (high >> 64) as u64;
    // What is above 2^130 counts five times: (h2 >> 2) and four times that.
    let sum = u128::from(low as u64) + u128::from((h2 >> 2) + (h2 & !3));
    let h0 = sum as u64;
    let sum = u128::from(high as u64) + (sum >> 64);
    [h0, sum as u64, (h2 & 3) + (sum >> 64) as u64]
}

/// Absorbs whole blocks.
#[inline(always)]
pub(super) fn absorb(running: &mut Accumulator, blocks: &[[u8; 16]]) {
    let Accumulator { mut h, r } = *running;
    for block in blocks {
        h = step(h, r, block, 1);
    }
    running.h = h;
}

/// Absorbs all bytes; the last block may be incomplete.
#[inline(always)]
pub(super) fn absorb_all(running: &mut Accumulator, data: &[u8]) {
    let (blocks, tail) = data.as_chunks();
    absorb(running, blocks);
    if !tail.is_empty() {
        let last = incomplete(data, tail.len()) | 1 << (8 * tail.len());
        running.h = step(running.h, running.r, &last.to_le_bytes(), 0);
    }
}

/// The last bytes of the message, 1 to 15, as a number: by loads that overlap, because a copy of
/// so few bytes is dear.
#[inline(always)]
fn incomplete(data: &[u8], tail_len: usize) -> u128 {
    if let Some(whole) = data.last_chunk() {
        return u128::from_le_bytes(*whole) >> (128 - 8 * tail_len);
    }
    if let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) {
        let last = u128::from(u64::from_le_bytes(*last)) << (8 * tail_len - 64);
        return last | u128::from(u64::from_le_bytes(*first));
    }
    if let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * tail_len - 32);
        return u128::from(last | u64::from(u32::from_le_bytes(*first)));
    }
    data.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// h modulo 2^130 − 5, plus s, modulo 2^128.
#[inline(always)]
pub(super) fn tag(running: &Accumulator, s: &[u8; 16]) -> Tag {
    let [h0, h1, h2] = running.h;
    let low = u128::from(h1) << 64 | u128::from(h0);
    // h + 5 reaches 2^130 if and only if h reaches the modulus.
    let (plus_5, carry) = low.overflowing_add(5);
    let is_above = (h2 + u64::from(carry)) >> 2;
    let mask = u128::from(is_above).wrapping_neg();
    let reduced = (low & !mask) | (plus_5 & mask);
    reduced.wrapping_add(u128::from_le_bytes(*s)).to_le_bytes()
}
