//! NEON for words of 32 bits: what several kernels do with them.
#![expect(unsafe_code, reason = "intrinsics, and an instruction whose intrinsic becomes another")]

use core::arch::aarch64::*;
use core::arch::asm;

/// `word`, to the right by so many bits, below the other bits of `above`: SRI. Of its intrinsic,
/// `vsriq_n_u32`, LLVM makes USRA where it sees that there are zeros, which takes twice as long.
#[inline(always)]
pub(super) fn insert<const BITS: u32>(mut above: uint32x4_t, word: uint32x4_t) -> uint32x4_t {
    // SAFETY: NEON is part of the target; nothing but the named registers is touched.
    unsafe {
        asm!(
            "sri {above:v}.4s, {word:v}.4s, #{bits}",
            above = inout(vreg) above,
            word = in(vreg) word,
            bits = const BITS,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    above
}

/// Rows to columns of a matrix of 4 × 4 words, and back.
#[inline(always)]
pub(super) fn transposed([a, b, c, d]: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
    // SAFETY: NEON is part of the target.
    unsafe {
        let pairs = |a, b| {
            let (low, high) = (vzip1q_u32(a, b), vzip2q_u32(a, b));
            [vreinterpretq_u64_u32(low), vreinterpretq_u64_u32(high)]
        };
        let [[ab, ab2], [cd, cd2]] = [pairs(a, b), pairs(c, d)];
        [vzip1q_u64(ab, cd), vzip2q_u64(ab, cd), vzip1q_u64(ab2, cd2), vzip2q_u64(ab2, cd2)]
            .map(|words| vreinterpretq_u32_u64(words))
    }
}
