//! Four nodes in columns of 128 bits, of which AArch64 has 32. One node is quicker in words.
#![expect(unsafe_code, reason = "intrinsics; vectors are loaded and stored through pointers")]

use core::arch::aarch64::*;

use super::form;
use super::lanes::{Lanes, Words};
use super::vector::Vector;
use super::{Input, Node, Value, soft};
use crate::kernels::cpu::Neon;
use crate::kernels::neon::{insert, transposed};

/// As `Kernel::values`.
pub(super) fn values(_: Neon, inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::in_groups(4, inputs, values, |inputs, values| {
        if inputs.len() > 2 {
            return form::values::<Lanes<Q, 4>, 4>(inputs, node, values);
        }
        for (input, output) in inputs.iter().zip(values) {
            soft::value(*input, node, output);
        }
    });
}

/// A word of four nodes.
#[derive(Clone, Copy)]
struct Q(uint32x4_t);

/// The places of bytes in words that are rotated to the right by eight bits.
const BYTE: [u8; 16] = [1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12];

impl Vector for Q {
    /// That of a rotation by eight bits. The others are an instruction or two without a table.
    type Orders = uint8x16_t;

    #[inline(always)]
    fn orders() -> Self::Orders {
        // SAFETY: NEON is part of the target; there are 16 bytes, and no alignment is asked for.
        unsafe { vld1q_u8(BYTE.as_ptr()) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: NEON is part of the target.
        Self(unsafe { vaddq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: NEON is part of the target.
        Self(unsafe { veorq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, order: Self::Orders) -> Self {
        let word = self.0;
        // SAFETY: NEON is part of the target.
        Self(unsafe {
            match BITS {
                16 => vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(word))),
                8 => vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(word), order)),
                12 => insert::<12>(vshlq_n_u32::<20>(word), word),
                _ => {
                    const { assert!(matches!(BITS, 16 | 12 | 8 | 7)) }
                    insert::<7>(vshlq_n_u32::<25>(word), word)
                }
            }
        })
    }
}

impl Words<4> for Q {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: NEON is part of the target.
        Self(unsafe { vdupq_n_u32(word) })
    }

    #[inline(always)]
    fn load(words: &[u32; 4]) -> Self {
        // SAFETY: NEON is part of the target; there are four words.
        Self(unsafe { vld1q_u32(words.as_ptr()) })
    }

    #[inline(always)]
    fn columns<const LEN: usize>(rows: &[&[u8; LEN]; 4], quarter: usize) -> [Self; 4] {
        let row = |lane: usize| {
            let bytes = &rows[lane].as_chunks::<16>().0[quarter];
            // SAFETY: NEON is part of the target; there are 16 bytes, and no alignment is asked
            // for.
            unsafe { vreinterpretq_u32_u8(vld1q_u8(bytes.as_ptr())) }
        };
        transposed([row(0), row(1), row(2), row(3)]).map(Q)
    }

    #[inline(always)]
    fn rows([a, b, c, d]: [Self; 4], values: &mut [Value; 4], half: usize) {
        for (row, value) in transposed([a.0, b.0, c.0, d.0]).into_iter().zip(values) {
            let bytes = &mut value.as_chunks_mut::<16>().0[half];
            // SAFETY: NEON is part of the target; there are 16 bytes, and no alignment is asked
            // for.
            unsafe { vst1q_u8(bytes.as_mut_ptr(), vreinterpretq_u8_u32(row)) };
        }
    }
}
