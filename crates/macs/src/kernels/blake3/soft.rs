//! Portable code: one node after the other, in words.

use core::array;

use super::form;
use super::lanes::{Lanes, Words};
use super::vector::Vector;
use super::{Input, Node, Value};

/// As `Kernel::values`.
pub(super) fn values(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    for (input, output) in inputs.iter().zip(values) {
        value(*input, node, output);
    }
}

/// As `Kernel::value`.
pub(super) fn value(input: Input<'_>, node: Node, value: &mut Value) {
    form::values::<Lanes<Word, 1>, 1>(&[input], node, array::from_mut(value));
}

/// A word of one node.
#[derive(Clone, Copy)]
struct Word(u32);

impl Vector for Word {
    type Orders = ();

    #[inline(always)]
    fn orders() {}

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, (): ()) -> Self {
        Self(self.0.rotate_right(BITS))
    }
}

impl Words<1> for Word {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self(word)
    }

    #[inline(always)]
    fn load([word]: &[u32; 1]) -> Self {
        Self(*word)
    }

    #[inline(always)]
    fn columns<const LEN: usize>([row]: &[&[u8; LEN]; 1], quarter: usize) -> [Self; 4] {
        let words = row.as_chunks::<16>().0[quarter].as_chunks().0;
        array::from_fn(|word| Self(u32::from_le_bytes(words[word])))
    }

    #[inline(always)]
    fn rows(columns: [Self; 4], [value]: &mut [Value; 1], half: usize) {
        let words = value.as_chunks_mut::<16>().0[half].as_chunks_mut().0;
        for (word, column) in words.iter_mut().zip(columns) {
            *word = column.0.to_le_bytes();
        }
    }
}
