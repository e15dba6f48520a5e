//! Portable code: a node in words; and where every CPU of the target has vectors of 128 bits, four
//! at once in arrays of words, of which the compiler makes such vectors.

use core::array;

use super::form;
use super::lanes::{Lanes, Words};
use super::{BLOCK_BYTES, Block, Input, Node, Value};

/// Nodes at once.
pub(super) const LANES: usize = if cfg!(any(
    target_feature = "sse2",
    target_feature = "simd128",
    all(target_arch = "aarch64", target_feature = "neon")
)) {
    4
} else {
    1
};

/// As `Kernel::values`.
pub(super) fn values(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    for (inputs, values) in inputs.chunks(LANES).zip(values.chunks_mut(LANES)) {
        if LANES == 4 && inputs.len() > 2 {
            form::values::<Lanes<Array<4>, 4>, 4>(inputs, node, values);
        } else {
            for (input, output) in inputs.iter().zip(values) {
                value(*input, node, output);
            }
        }
    }
}

/// As `Kernel::value`.
pub(super) fn value(input: Input<'_>, node: Node, value: &mut Value) {
    form::values::<Lanes<Array<1>, 1>, 1>(&[input], node, array::from_mut(value));
}

/// A word of `N` nodes.
#[derive(Clone, Copy)]
struct Array<const N: usize>([u32; N]);

impl<const N: usize> Words<N> for Array<N> {
    type Orders = ();

    #[inline(always)]
    fn orders() {}

    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self([word; N])
    }

    #[inline(always)]
    fn load(words: &[u32; N]) -> Self {
        Self(*words)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(array::from_fn(|lane| self.0[lane].wrapping_add(other.0[lane])))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(array::from_fn(|lane| self.0[lane] ^ other.0[lane]))
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, (): ()) -> Self {
        Self(self.0.map(|word| word.rotate_right(BITS)))
    }

    #[inline(always)]
    fn columns<const LEN: usize>(rows: &[&[u8; LEN]; N], quarter: usize) -> [Self; 4] {
        let words = rows.map(|row| row.as_chunks::<16>().0[quarter].as_chunks::<4>().0);
        array::from_fn(|word| Self(array::from_fn(|lane| u32::from_le_bytes(words[lane][word]))))
    }

    #[inline(always)]
    fn rows(columns: [Self; 4], values: &mut [Value; N], half: usize) {
        for (lane, value) in values.iter_mut().enumerate() {
            let words = value.as_chunks_mut::<16>().0[half].as_chunks_mut().0;
            for (word, column) in words.iter_mut().zip(columns) {
                *word = column.0[lane].to_le_bytes();
            }
        }
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        let (_, tail) = data.as_chunks::<BLOCK_BYTES>();
        block[..tail.len()].copy_from_slice(tail);
    }
}
