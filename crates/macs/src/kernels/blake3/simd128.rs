//! Four nodes in columns of 128 bits, of WebAssembly. One node is quicker in words.
#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use core::arch::wasm32::*;

use super::form;
use super::lanes::{Lanes, Words};
use super::vector::Vector;
use super::{Input, Node, Value, soft};
use crate::kernels::cpu::Simd128;

/// As `Kernel::values`.
pub(super) fn values(_: Simd128, inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::in_groups(4, inputs, values, |inputs, values| {
        if inputs.len() > 2 {
            return form::values::<Lanes<V, 4>, 4>(inputs, node, values);
        }
        for (input, output) in inputs.iter().zip(values) {
            soft::value(*input, node, output);
        }
    });
}

/// A word of four nodes.
#[derive(Clone, Copy)]
struct V(v128);

/// Rows to columns of a matrix of 4 × 4 words, and back.
#[inline(always)]
fn transposed([a, b, c, d]: [v128; 4]) -> [V; 4] {
    let [ab, ab2] = [u32x4_shuffle::<0, 4, 1, 5>(a, b), u32x4_shuffle::<2, 6, 3, 7>(a, b)];
    let [cd, cd2] = [u32x4_shuffle::<0, 4, 1, 5>(c, d), u32x4_shuffle::<2, 6, 3, 7>(c, d)];
    [
        V(u64x2_shuffle::<0, 2>(ab, cd)),
        V(u64x2_shuffle::<1, 3>(ab, cd)),
        V(u64x2_shuffle::<0, 2>(ab2, cd2)),
        V(u64x2_shuffle::<1, 3>(ab2, cd2)),
    ]
}

impl Vector for V {
    type Orders = ();

    #[inline(always)]
    fn orders() {}

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(u32x4_add(self.0, other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, (): ()) -> Self {
        let word = self.0;
        Self(match BITS {
            16 => u16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(word, word),
            8 => u8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(word, word),
            _ => v128_or(u32x4_shr(word, BITS), u32x4_shl(word, 32 - BITS)),
        })
    }
}

impl Words<4> for V {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self(u32x4_splat(word))
    }

    #[inline(always)]
    fn load([a, b, c, d]: &[u32; 4]) -> Self {
        Self(u32x4(*a, *b, *c, *d))
    }

    #[inline(always)]
    fn columns<const LEN: usize>(rows: &[&[u8; LEN]; 4], quarter: usize) -> [Self; 4] {
        let row = |lane: usize| {
            let bytes = &rows[lane].as_chunks::<16>().0[quarter];
            // SAFETY: there are 16 bytes, and no alignment is asked for.
            unsafe { v128_load(bytes.as_ptr().cast()) }
        };
        transposed([row(0), row(1), row(2), row(3)])
    }

    #[inline(always)]
    fn rows([a, b, c, d]: [Self; 4], values: &mut [Value; 4], half: usize) {
        for (row, value) in transposed([a.0, b.0, c.0, d.0]).into_iter().zip(values) {
            let bytes = &mut value.as_chunks_mut::<16>().0[half];
            // SAFETY: there are 16 bytes, and no alignment is asked for.
            unsafe { v128_store(bytes.as_mut_ptr().cast(), row.0) };
        }
    }
}
