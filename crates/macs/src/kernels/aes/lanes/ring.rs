//! The prepared keys of a batch, four side by side in one 64-byte row, so that one load brings a
//! round key for four lanes.

use alloc::vec::Vec;

use super::super::{Block, Schedule};
use crate::wipe::overwrite;

/// A block for each of four neighbouring keys.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [Block; 4]);

impl Row {
    pub(super) const ZERO: Self = Self([[0; 16]; 4]);
}

/// Four keys. The kernels count the rows from the beginning.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Quad<const KEYS: usize> {
    /// The round keys.
    pub(super) round: [Row; KEYS],
    /// The last round key ⊕ the first: the last round of a block and the whitening of the next one
    /// in one.
    pub(super) fold: Row,
    /// The mask of a full last block.
    pub(super) full: Row,
    /// The mask of a padded last block.
    pub(super) padded: Row,
    /// E_K(0).
    pub(super) zero: Row,
}

impl<const KEYS: usize> Quad<KEYS> {
    pub(super) const ZERO: Self = Self {
        round: [Row::ZERO; KEYS],
        fold: Row::ZERO,
        full: Row::ZERO,
        padded: Row::ZERO,
        zero: Row::ZERO,
    };
}

/// The prepared keys of a batch with the masks of their endings. It wipes itself when dropped.
#[derive(Clone)]
pub(crate) struct KeyRing<const KEYS: usize> {
    quads: Vec<Quad<KEYS>>,
    keys: usize,
}

impl<const KEYS: usize> KeyRing<KEYS> {
    /// Room for this number of keys; they are all zeros, which is no AES key, until set.
    pub(crate) fn new(keys: usize) -> Self {
        Self { quads: alloc::vec![Quad::ZERO; keys.div_ceil(4)], keys }
    }

    /// Number of keys.
    pub(crate) fn keys(&self) -> usize {
        self.keys
    }

    /// Sets the masks of a key: of a full last block and of a padded one. Zeros where a mode has
    /// none.
    ///
    /// # Panics
    /// When there are not that many keys.
    pub(crate) fn set_masks(&mut self, key: usize, full: &Block, padded: &Block) {
        let (quad, slot) = self.place(key);
        quad.full.0[slot] = *full;
        quad.padded.0[slot] = *padded;
    }

    /// E_K(0), of which OMAC's masks are made.
    ///
    /// # Panics
    /// When there are not that many keys.
    pub(crate) fn zero(&self, key: usize) -> &Block {
        let (quad, slot) = self.quad(key);
        &quad.zero.0[slot]
    }

    /// Copies the round keys of a key.
    ///
    /// # Panics
    /// When there are not that many keys.
    #[inline(always)]
    pub(crate) fn copy_schedule(&self, key: usize, schedule: &mut Schedule<KEYS>) {
        let (quad, slot) = self.quad(key);
        for (key, row) in schedule.keys.iter_mut().zip(&quad.round) {
            *key = row.0[slot];
        }
    }

    /// Sets a key without its masks.
    pub(super) fn set_schedule(&mut self, key: usize, keys: &Schedule<KEYS>, zero: &Block) {
        let (quad, slot) = self.place(key);
        for (row, key) in quad.round.iter_mut().zip(&keys.keys) {
            row.0[slot] = *key;
        }
        for (fold, (first, last)) in
            quad.fold.0[slot].iter_mut().zip(keys.keys[0].iter().zip(&keys.keys[KEYS - 1]))
        {
            *fold = first ^ last;
        }
        quad.zero.0[slot] = *zero;
    }

    /// The quad of a key and its slot in there.
    #[inline(always)]
    pub(super) fn quad(&self, key: usize) -> (&Quad<KEYS>, usize) {
        assert!(key < self.keys, "key {key} of {}", self.keys);
        (&self.quads[key / 4], key % 4)
    }

    /// The quad of a key, or of a spare slot behind the last one.
    #[inline(always)]
    pub(super) fn quad_of(&self, key: usize) -> &Quad<KEYS> {
        &self.quads[key / 4]
    }

    /// All quads; the slots behind the last key are spare.
    #[inline(always)]
    pub(super) fn quads_mut(&mut self) -> &mut [Quad<KEYS>] {
        &mut self.quads
    }

    fn place(&mut self, key: usize) -> (&mut Quad<KEYS>, usize) {
        assert!(key < self.keys, "key {key} of {}", self.keys);
        (&mut self.quads[key / 4], key % 4)
    }
}

impl<const KEYS: usize> Drop for KeyRing<KEYS> {
    fn drop(&mut self) {
        for quad in &mut self.quads {
            overwrite(quad, Quad::ZERO);
        }
    }
}
