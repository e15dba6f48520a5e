//! SHA-512 for CPUs with BMI2: the portable rounds, compiled for them.
#![expect(unsafe_code, reason = "a call that needs the CPU's features")]

use super::{Block, soft};
use crate::kernels::cpu::Avx2;

/// Absorbs a run of blocks.
pub(crate) fn compress(_: Avx2, state: &mut [u64; 8], blocks: &[Block]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run(state, blocks) }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run(state: &mut [u64; 8], blocks: &[Block]) {
    soft::compress(state, blocks);
}
