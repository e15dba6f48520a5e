//! Chains of a cipher of four 32-bit words in the 32-bit lanes of vectors, `GROUPS` of these; each
//! lane has the `KEYS` words of its own schedule.

#![expect(unsafe_code, reason = "words of vectors are written one by one")]

mod avx2;
mod avx512;

use core::slice;

use super::Fill;
use crate::wipe::overwrite;

/// A word of as many chains as it has lanes. To be used in functions that have its instructions.
pub(crate) trait Vector: Copy {
    /// The proof of the instructions.
    type Proof: Copy;
    const ZERO: Self;
    /// Number of lanes.
    const LANES: usize;
    /// Fewer schedules of a group are written word by word.
    const FEW: usize;

    fn xor(self, other: Self) -> Self;

    /// The four words of block `number` of as many runs as there are lanes.
    fn words(runs: &[&[[u8; 16]]], number: usize) -> [Self; 4];

    /// Writes the schedules of the lanes `filled` into their places.
    fn transpose<const KEYS: usize>(
        proof: Self::Proof,
        keys: &mut [Self; KEYS],
        schedules: &[&[u32; KEYS]],
        filled: u32,
    );
}

/// The words of a vector's lanes.
#[inline(always)]
fn lanes<V: Vector>(vector: &V) -> &[u32] {
    const { assert!(size_of::<V>() == 4 * V::LANES) }
    // SAFETY: a vector is so many words, all of which may have any value, and aligned to more.
    unsafe { slice::from_raw_parts((&raw const *vector).cast(), V::LANES) }
}

/// The same, to be written.
#[inline(always)]
fn lanes_mut<V: Vector>(vector: &mut V) -> &mut [u32] {
    const { assert!(size_of::<V>() == 4 * V::LANES) }
    // SAFETY: a vector is so many words, all of which may have any value, and aligned to more;
    // whatever is written is a value of a vector.
    unsafe { slice::from_raw_parts_mut((&raw mut *vector).cast(), V::LANES) }
}

/// Most lanes of a vector.
const LANES_MAX: usize = 16;

/// The round keys and the chaining values of all lanes, word by word.
pub(crate) struct Words<V: Vector, const KEYS: usize, const GROUPS: usize> {
    keys: [[V; KEYS]; GROUPS],
    y: [[V; 4]; GROUPS],
    proof: V::Proof,
}

impl<V: Vector, const KEYS: usize, const GROUPS: usize> Words<V, KEYS, GROUPS> {
    pub(crate) fn new(proof: V::Proof) -> Self {
        Self { keys: [[V::ZERO; KEYS]; GROUPS], y: [[V::ZERO; 4]; GROUPS], proof }
    }

    /// Begins chains in lanes.
    pub(crate) fn put<'a, S>(
        &mut self,
        fills: &[Fill<'a, S, 16>],
        keys: impl Fn(&'a S) -> &'a [u32; KEYS],
    ) {
        for Fill { lane, y, .. } in fills {
            for (word, &bytes) in self.y[lane / V::LANES].iter_mut().zip(y.as_chunks().0) {
                lanes_mut(word)[lane % V::LANES] = u32::from_le_bytes(bytes);
            }
        }
        for fills in fills.chunk_by(|one, next| one.lane / V::LANES == next.lane / V::LANES) {
            let kept = &mut self.keys[fills[0].lane / V::LANES];
            if fills.len() < V::FEW {
                for Fill { lane, schedule, .. } in fills {
                    for (word, &key) in kept.iter_mut().zip(keys(schedule)) {
                        lanes_mut(word)[lane % V::LANES] = key;
                    }
                }
                continue;
            }
            let (mut filled, mut schedules) = (0, [keys(fills[0].schedule); LANES_MAX]);
            for Fill { lane, schedule, .. } in fills {
                filled |= 1 << (lane % V::LANES);
                schedules[lane % V::LANES] = keys(schedule);
            }
            V::transpose(self.proof, kept, &schedules, filled);
        }
    }

    /// The chaining values of lanes.
    pub(crate) fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; 16]]) {
        for &(lane, number) in ended {
            let (group, lane) = (lane / V::LANES, lane % V::LANES);
            for (bytes, word) in y[number].as_chunks_mut().0.iter_mut().zip(&self.y[group]) {
                *bytes = lanes(word)[lane].to_le_bytes();
            }
        }
    }

    /// The lanes absorb the first `count` blocks of the runs; `encrypt` is the cipher. To be called
    /// from functions that have the instructions.
    #[inline(always)]
    pub(crate) fn absorb(
        &mut self,
        runs: &[&[[u8; 16]]],
        count: usize,
        encrypt: impl Fn(&mut [[V; 4]; GROUPS], &[[V; KEYS]; GROUPS]),
    ) {
        let mut y = self.y;
        for number in 0..count {
            for (y, runs) in y.iter_mut().zip(runs.chunks_exact(V::LANES)) {
                let x = V::words(runs, number);
                for (y, x) in y.iter_mut().zip(x) {
                    *y = y.xor(x);
                }
            }
            encrypt(&mut y, &self.keys);
        }
        self.y = y;
    }
}

impl<V: Vector, const KEYS: usize, const GROUPS: usize> Drop for Words<V, KEYS, GROUPS> {
    fn drop(&mut self) {
        overwrite(&mut self.keys, [[V::ZERO; KEYS]; GROUPS]);
        overwrite(&mut self.y, [[V::ZERO; 4]; GROUPS]);
    }
}
