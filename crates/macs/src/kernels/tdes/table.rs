//! TDES by tables that hold S, P and E together: the fastest for one chain. The indices depend on
//! the secrets.

use super::Schedule;
use super::halves::{final_permutation, initial_permutation, permuted, substituted};

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

/// What S and then P make of the six bits of each group, expanded by E. Only the first 64 entries
/// are ever read: with 256 of them a byte is an index without mask or check.
static S_P_E: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 * 64 {
        let (group, x) = (at / 64, at % 64);
        table[group][x] = permuted(group, substituted(group, x));
        at += 1;
    }
    table
};
