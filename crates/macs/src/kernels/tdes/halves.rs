//! What tables and shuffles share: halves of a block that are kept expanded by E, and their keys.
//!
//! A half block is kept expanded through all rounds, its eight groups of six bits in the bytes of a
//! `u64`, S1's group at the top: a group is an index as it stands, and since P and E are linear,
//! nothing has to be expanded or gathered between the rounds. FP and IP cancel out between the
//! three passes and are done once a block.

use core::array::from_fn;

use super::{P, PC2, S, Schedule, TURNS};
use crate::wipe::overwrite;

/// Key set-up.
#[inline(always)]
pub(super) fn set_up(schedule: &mut Schedule, [k1, k2, k3]: [u64; 3]) {
    let mut first = round_keys(k1);
    let mut second = round_keys(k2);
    second.reverse();
    let mut third = round_keys(k3);

    // The half that a pass ends on is the one that the next pass begins with.
    schedule.steps = [
        steps(&first, [second[1], second[0]]),
        steps(&second, [third[1], third[0]]),
        steps(&third, [0, 0]),
    ];
    schedule.masks = [first[1], first[0]];
    for secret in [&mut first, &mut second, &mut third] {
        overwrite(secret, [0; 16]);
    }
}

/// The differences from the keys of a pass to those of the second round after, which takes the same
/// half; `next` are the keys that the two halves meet after the pass.
#[inline(always)]
fn steps(keys: &[u64; 16], next: [u64; 2]) -> [u64; 16] {
    from_fn(|i| keys[i] ^ keys.get(i + 2).copied().unwrap_or(next[i % 2]))
}

/// L and R of IP, expanded. IP is the transpose of the block as a matrix of bits, a byte a row; its
/// columns 2, 4, 6, 8 are L, the others R.
#[inline(always)]
pub(super) fn initial_permutation(block: u64) -> [u64; 2] {
    let columns = transpose(block);
    [columns, columns >> 8].map(|columns| {
        let bytes = columns & 0x00ff_00ff_00ff_00ff;
        let inner = ((bytes | bytes << 4) & 0x0f0f_0f0f_0f0f_0f0f) << 1;
        let left = inner.rotate_right(4) & 0x2020_2020_2020_2020;
        let right = inner.rotate_left(4) & 0x0101_0101_0101_0101;
        inner | left | right
    })
}

/// FP of L and R, expanded.
#[inline(always)]
pub(super) fn final_permutation(l: u64, r: u64) -> u64 {
    let [l, r] = [l, r].map(|half| {
        let inner = (half >> 1) & 0x0f0f_0f0f_0f0f_0f0f;
        (inner | inner >> 4) & 0x00ff_00ff_00ff_00ff
    });
    transpose(l | r << 8)
}

/// Transposes a matrix of 8×8 bits, a byte a row (Warren 2013, Hacker's Delight §7-3).
#[inline(always)]
fn transpose(mut x: u64) -> u64 {
    let t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ (t << 7);
    let t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= t ^ (t << 14);
    let t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}

/// The round keys of DES, their groups of six bits in bytes as in a half block. PC-2 is a sum of
/// what it makes of each bit, so that no table is read by the key.
#[inline(always)]
fn round_keys(key: u64) -> [u64; 16] {
    // PC-1: C is the columns 1, 2, 3 and half of 4, D is 7, 6, 5 and the other half.
    let columns = transpose(key);
    let c = columns >> 36;
    let d = ((columns.swap_bytes() >> 32) & 0x00ff_ffff) << 4 | ((columns >> 32) & 15);
    let [c, d] = [(c as u32, &PC2_OF[0]), (d as u32, &PC2_OF[1])].map(|(half, pc2)| {
        let turned = TURNS.map(|by| (half << by) | (half >> (28 - by)));
        let mut keys = [0_u32; 16];
        for (bit, &made) in pc2.iter().enumerate() {
            for (key, turned) in keys.iter_mut().zip(&turned) {
                *key ^= (turned >> bit & 1).wrapping_neg() & made;
            }
        }
        keys
    });
    from_fn(|round| u64::from(c[round]) << 32 | u64::from(d[round]))
}

/// What PC-2 makes of each bit of C and of D, from the lowest on: groups of six bits in bytes.
static PC2_OF: [[u32; 28]; 2] = {
    let mut made = [[0; 28]; 2];
    let mut at = 0;
    while at < 48 {
        let (half, group, bit) = (at / 24, at % 24 / 6, at % 6);
        let from = PC2[at] as usize - 1 - 28 * half;
        made[half][27 - from] |= 1 << (8 * (3 - group) + 5 - bit);
        at += 1;
    }
    made
};

/// What the S-box of a group makes of its six bits.
pub(super) const fn substituted(group: usize, x: usize) -> u8 {
    let (row, column) = (x >> 5 << 1 | x & 1, x >> 1 & 15);
    (S[group][row] >> (60 - 4 * column)) as u8 & 15
}

/// What P and then E make of the four bits that an S-box gives, of the group.
pub(super) const fn permuted(group: usize, nibble: u8) -> u64 {
    let s = (nibble as u32) << (28 - 4 * group);
    let (mut p, mut bit) = (0, 0);
    while bit < 32 {
        p |= (s >> (32 - P[bit]) & 1) << (31 - bit);
        bit += 1;
    }
    expand(p)
}

/// E, a group a byte: each nibble with the bit before it and the bit after it.
const fn expand(half: u32) -> u64 {
    let (mut expanded, mut group) = (0, 0);
    while group < 8 {
        expanded = expanded << 8 | (half.rotate_left(4 * group + 5) & 63) as u64;
        group += 1;
    }
    expanded
}
