//! The portable code on CPUs whose multiplication of words writes to any two registers, and leaves
//! the flags: BMI2. A fifth of the instructions of the portable code only moves words to where the
//! older multiplication has them.
#![expect(unsafe_code, reason = "a call of a function with target features")]

use super::{Block, Keys, soft};
use crate::kernels::cpu::Avx2;

/// NH and polynomials of whole blocks.
#[inline(always)]
pub(super) fn absorb<const N: usize>(
    _: Avx2,
    keys: &Keys,
    y: [u128; N],
    blocks: &[Block],
) -> [u128; N] {
    // SAFETY: the token proves the instructions.
    unsafe { run(keys, y, blocks) }
}

#[target_feature(enable = "bmi1,bmi2")]
fn run<const N: usize>(keys: &Keys, y: [u128; N], blocks: &[Block]) -> [u128; N] {
    // No `fold`: it would be compiled without the instructions.
    let mut y = y;
    for block in blocks {
        y = soft::absorb_block(keys, y, block);
    }
    y
}
