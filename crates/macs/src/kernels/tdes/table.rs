//! TDES by tables that hold S, P and E together.
//!
//! A half block is kept expanded by E through all rounds, its eight groups of six bits in the bytes
//! of a `u64`, S1's group at the top: a group is an index as it stands, and since P and E are
//! linear, nothing has to be expanded or gathered between the rounds. FP and IP cancel out between
//! the three passes and are done once a block. The indices depend on the secrets.

use core::array::from_fn;

use super::{P, PC2, S, Schedule, TURNS};
use crate::wipe::overwrite;

/// Key set-up.
#[inline(always)]
pub(crate) fn set_up(schedule: &mut Schedule, [k1, k2, k3]: [u64; 3]) {
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

/// One chain from `y` over a run of blocks.
pub(crate) fn chain(schedule: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]) {
    let mut chained = u64::from_le_bytes(*y);
    for block in run {
        chained = encrypt(schedule, chained ^ u64::from_le_bytes(*block));
    }
    *y = chained.to_le_bytes();
}

#[inline(always)]
fn encrypt(schedule: &Schedule, block: u64) -> u64 {
    let [l, r] = initial_permutation(block);
    let mut l = l ^ schedule.masks[0];
    let mut r = r ^ schedule.masks[1];
    for steps in &schedule.steps {
        for &[even, odd] in steps.as_chunks().0 {
            l = round(l, r);
            r = (r ^ even) & GROUPS;
            r = round(r, l);
            l = (l ^ odd) & GROUPS;
        }
        (l, r) = (r, l);
    }
    final_permutation(l, r)
}

/// The differences from the keys of a pass to those of the second round after, which takes the same
/// half; `next` are the keys that the two halves meet after the pass.
#[inline(always)]
fn steps(keys: &[u64; 16], next: [u64; 2]) -> [u64; 16] {
    from_fn(|i| keys[i] ^ keys.get(i + 2).copied().unwrap_or(next[i % 2]))
}

/// The bits of a half in use. No others are ever set, but the compiler does not know: the mask
/// keeps it from adding a step to the sum of the look-ups, late, in place of the half, early.
const GROUPS: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// `other` and the function f of `half`, which has the round key in it already.
#[inline(always)]
fn round(other: u64, half: u64) -> u64 {
    let x = half.to_le_bytes().map(usize::from);
    let s = |group: usize| S_P_E[group][x[7 - group]];
    // Each look-up has bits of its own, so |, + and ^ are the same; the mixture keeps the compiler
    // from making one long chain of the tree.
    other ^ ((s(0) | s(1)) + (s(2) | s(3))) ^ ((s(4) | s(5)) + (s(6) | s(7)))
}

/// L and R of IP, expanded. IP is the transpose of the block as a matrix of bits, a byte a row; its
/// columns 2, 4, 6, 8 are L, the others R.
#[inline(always)]
fn initial_permutation(block: u64) -> [u64; 2] {
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
fn final_permutation(l: u64, r: u64) -> u64 {
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

/// The round keys of DES, their groups of six bits in bytes as in a half block.
#[inline(always)]
fn round_keys(key: u64) -> [u64; 16] {
    // PC-1: C is the columns 1, 2, 3 and half of 4, D is 7, 6, 5 and the other half.
    let columns = transpose(key);
    let c = columns >> 36;
    let d = ((columns.swap_bytes() >> 32) & 0x00ff_ffff) << 4 | ((columns >> 32) & 15);
    from_fn(|round| {
        let half = |half: u64, pc2: &[[u32; 128]; 4]| {
            let turned = (half << TURNS[round]) | (half >> (28 - TURNS[round]));
            let part = |part: usize| pc2[part][(turned >> (21 - 7 * part)) as usize & 127];
            u64::from((part(0) | part(1)) | (part(2) | part(3)))
        };
        half(c, &PC2_OF[0]) << 32 | half(d, &PC2_OF[1])
    })
}

/// What S and then P make of the six bits of each group, expanded by E. Only the first 64 entries
/// are ever read: with 256 of them a byte is an index without mask or check.
static S_P_E: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 * 64 {
        let (group, x) = (at / 64, at % 64);
        let (row, column) = (x >> 5 << 1 | x & 1, x >> 1 & 15);
        let nibble = (S[group][row] >> (60 - 4 * column)) as u32 & 15;
        let s = nibble << (28 - 4 * group);
        let (mut p, mut bit) = (0, 0);
        while bit < 32 {
            p |= (s >> (32 - P[bit]) & 1) << (31 - bit);
            bit += 1;
        }
        table[group][x] = expand(p);
        at += 1;
    }
    table
};

/// E, a group a byte: each nibble with the bit before it and the bit after it.
const fn expand(half: u32) -> u64 {
    let (mut expanded, mut group) = (0, 0);
    while group < 8 {
        expanded = expanded << 8 | (half.rotate_left(4 * group + 5) & 63) as u64;
        group += 1;
    }
    expanded
}

/// PC-2 of C and of D, by seven bits of them: its groups of six bits in bytes.
static PC2_OF: [[[u32; 128]; 4]; 2] = {
    let mut table = [[[0; 128]; 4]; 2];
    let mut at = 0;
    while at < 48 {
        let (half, group, bit) = (at / 24, at % 24 / 6, at % 6);
        let from = PC2[at] as usize - 1 - 28 * half;
        let mut x = 0;
        while x < 128 {
            let set = (x >> (6 - from % 7) & 1) as u32;
            table[half][from / 7][x] |= set << (8 * (3 - group) + 5 - bit);
            x += 1;
        }
        at += 1;
    }
    table
};
