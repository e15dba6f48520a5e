//! VHASH in portable code: products of 64-bit words, which compilers make one multiplication of.

use super::{Block, Keys, P127, PAIRS};
use crate::kernels::partial::le_number;

/// The first layer's sums go on with 126 bits (draft §5.3).
pub(super) const NH_MASK: u128 = (1 << 126) - 1;
/// 2^64 − 257, the modulus of the third layer.
pub(super) const P64: u64 = 257_u64.wrapping_neg();
/// What 2^64 is modulo `P64`.
const FOLD_64: u64 = 257;

/// NH and polynomials of whole blocks.
#[inline(always)]
pub(super) fn absorb<const N: usize>(keys: &Keys, y: &mut [u128; N], blocks: &[Block]) {
    *y = blocks.iter().fold(*y, |y, block| absorb_block(keys, y, block));
}

/// The same of one block.
#[inline(always)]
pub(super) fn absorb_block<const N: usize>(keys: &Keys, y: [u128; N], block: &Block) -> [u128; N] {
    step(keys, y, nh_block(keys, block))
}

/// The hashes of a message of a block or less: its polynomial is that of one coefficient, the empty
/// message's as well, which is key + m, and below the modulus even with the length.
#[inline(always)]
pub(super) fn hash_short<const N: usize>(keys: &Keys, message: &[u8]) -> [u64; N] {
    let sums: [u128; N] = nh_bytes(keys, message);
    let len_bits = tail_len_bits(message);
    let mut hashes = [0; N];
    for (i, hash) in hashes.iter_mut().enumerate() {
        let [high, low] = keys.poly[i];
        let key = u128::from(high + len_bits) << 64 | u128::from(low);
        *hash = l3(key + (sums[i] & NH_MASK), &keys.l3[i]);
    }
    hashes
}

/// The hashes of a message of more blocks whose last bytes, less than a block, are `tail`.
#[inline(always)]
pub(super) fn close<const N: usize>(keys: &Keys, mut y: [u128; N], tail: &[u8]) -> [u64; N] {
    if !tail.is_empty() {
        y = step(keys, y, nh_bytes(keys, tail));
    }
    let mut hashes = [0; N];
    for (i, hash) in hashes.iter_mut().enumerate() {
        let sum = y[i] + (u128::from(tail_len_bits(tail)) << 64);
        *hash = l3(reduce(sum), &keys.l3[i]);
    }
    hashes
}

/// The bits of the last block, 0 of a whole one.
#[inline(always)]
fn tail_len_bits(tail: &[u8]) -> u64 {
    8 * (tail.len() % size_of::<Block>()) as u64
}

/// The next coefficient of every polynomial.
#[inline(always)]
fn step<const N: usize>(keys: &Keys, mut y: [u128; N], sums: [u128; N]) -> [u128; N] {
    for ((y, sum), key) in y.iter_mut().zip(sums).zip(&keys.poly) {
        *y = poly_step(*y, key, sum & NH_MASK);
    }
    y
}

/// NH of a whole block.
#[inline(always)]
fn nh_block<const N: usize>(keys: &Keys, block: &Block) -> [u128; N] {
    let (pairs, _) = block.as_chunks();
    let mut sums = [0; N];
    for (i, pair) in pairs.iter().enumerate().take(PAIRS) {
        add_product(keys, i, u128::from_le_bytes(*pair), &mut sums);
    }
    sums
}

/// NH of at most a block, zero-padded to a whole pair of words.
#[inline(always)]
pub(super) fn nh_bytes<const N: usize>(keys: &Keys, bytes: &[u8]) -> [u128; N] {
    let mut sums = [0; N];
    let (pairs, rest) = bytes.as_chunks();
    for (i, pair) in pairs.iter().enumerate().take(PAIRS) {
        add_product(keys, i, u128::from_le_bytes(*pair), &mut sums);
    }
    if !rest.is_empty() && pairs.len() < PAIRS {
        let last = match bytes.last_chunk() {
            Some(last) => u128::from_le_bytes(*last) >> (8 * (16 - rest.len())),
            None => le_number(rest),
        };
        add_product(keys, pairs.len(), last, &mut sums);
    }
    sums
}

/// Adds the product of a pair of message words, as a little-endian number, to each hash's sum.
#[inline(always)]
fn add_product<const N: usize>(keys: &Keys, pair: usize, message: u128, sums: &mut [u128; N]) {
    let (m0, m1) = (message as u64, (message >> 64) as u64);
    for (hash, sum) in sums.iter_mut().enumerate() {
        let key = keys.nh[pair + hash];
        let (a, b) = (m0.wrapping_add(key[0]), m1.wrapping_add(key[1]));
        *sum = sum.wrapping_add(u128::from(a) * u128::from(b));
    }
}

/// y·key + m modulo 2^127 − 1 (§5.4), not reduced: below 2^127 + 2^126 + 2^64, as y may be. Words
/// of the key have 61 bits, m has 126.
#[inline(always)]
pub(super) fn poly_step(y: u128, &[key_high, key_low]: &[u64; 2], m: u128) -> u128 {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let (high, low) = ((y >> 64) as u64, y as u64);
    // 2^128 is 2.
    let ends = product(low, key_low) + product(high, 2 * key_high);
    let middle = product(high, key_low) + product(low, key_high);
    let (ends_high, carry) = ((ends >> 64) as u64).overflowing_add(middle as u64);
    let middle_high = (middle >> 64) as u64 + u64::from(carry);
    // 2^127 is 1. As one number, what is above it would be made by a slow shift of two registers.
    let below = u128::from(ends_high & (u64::MAX >> 1)) << 64 | u128::from(ends as u64);
    (below + u128::from(ends_high >> 63)) + (m + u128::from(2 * middle_high))
}

/// A value below 2^128 modulo 2^127 − 1, at most 2^127.
#[inline(always)]
fn fold(sum: u128) -> u128 {
    (sum & P127) + (sum >> 127)
}

/// A value below 2^128 modulo 2^127 − 1, fully reduced.
#[inline(always)]
pub(super) fn reduce(sum: u128) -> u128 {
    let folded = fold(sum);
    (folded + u128::from(folded >= P127)) & P127
}

/// L3-HASH (§5.5) of a value that is fully reduced.
#[inline(always)]
pub(super) fn l3(y: u128, key: &[u64; 2]) -> u64 {
    // Quotient and remainder by 2^64 − 2^32: `high` times of it leave high·2^32 + low.
    let (high, low) = ((y >> 64) as u64, y as u64);
    let quotient = high + (high + (low >> 32)) / 0xffff_ffff;
    let remainder = low.wrapping_add(quotient << 32);
    multiply_mod_p64(add_mod_p64(quotient, key[0]), add_mod_p64(remainder, key[1]))
}

/// The sum modulo `P64`, not fully reduced; `b` is.
#[inline(always)]
fn add_mod_p64(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    sum.wrapping_add(FOLD_64 * u64::from(carry))
}

#[inline(always)]
fn multiply_mod_p64(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let (high, low) = ((product >> 64) as u64, product as u64);
    // 257·high is high + 2^8·high; what is above 2^64 has 9 bits.
    let folded = u128::from(low) + u128::from(high) + (u128::from(high) << 8);
    let (sum, carry) = (folded as u64).overflowing_add((folded >> 64) as u64 * FOLD_64);
    // Where this carries, `sum` is small.
    let sum = sum + FOLD_64 * u64::from(carry);
    sum.wrapping_add(FOLD_64 * u64::from(sum >= P64))
}
