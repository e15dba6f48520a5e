//! Random inputs, the same in every run: for unit tests, and for the programs in `tests`, which
//! have this file as a module of theirs.
#![allow(dead_code, reason = "no program needs all of it")]

extern crate alloc;

use alloc::vec;
use alloc::vec::Vec;

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// From 0 to one less than `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From 0 to `max`.
    pub(crate) fn up_to(&mut self, max: usize) -> usize {
        self.below(max + 1)
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.fill(&mut bytes);
        bytes
    }

    /// The same, or all ones in one case of four: they drive sums and carries to their ends.
    pub(crate) fn bytes_or_ones(&mut self, len: usize) -> Vec<u8> {
        if self.next().is_multiple_of(4) { vec![0xff; len] } else { self.bytes(len) }
    }
}
