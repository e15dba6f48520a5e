//! The portable code on CPUs whose multiplication of words writes to any two registers, and leaves
//! the flags: BMI2. A fifth of the instructions of the portable code only moves words to where the
//! older multiplication has them. Longer runs are for vectors.
#![expect(unsafe_code, reason = "a call of a function with target features")]

use super::{Block, Keys, avx2, soft};
use crate::kernels::cpu::{Avx2, is_intel};

/// From this number of blocks on vectors are worth their end.
const fn vectors_min(hashes: usize) -> usize {
    if hashes == 1 { 8 } else { 4 }
}

/// NH and polynomials of whole blocks. Intel's processors have vectors and words share units: by
/// models of them nothing is gained there.
#[inline(always)]
pub(super) fn absorb<const N: usize>(
    token: Avx2,
    keys: &Keys,
    y: &mut [u128; N],
    blocks: &[Block],
) {
    // The tests run both everywhere: valgrind passes itself off as one of Intel's.
    if blocks.len() >= vectors_min(N) && (cfg!(test) || !is_intel()) {
        return avx2::absorb(token, keys, y, blocks);
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(keys, y, blocks) }
}

#[target_feature(enable = "bmi1,bmi2")]
fn run<const N: usize>(keys: &Keys, y: &mut [u128; N], blocks: &[Block]) {
    // No `fold`: it would be compiled without the instructions.
    let mut sum = *y;
    for block in blocks {
        sum = soft::absorb_block(keys, sum, block);
    }
    *y = sum;
}
