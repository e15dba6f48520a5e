//! NH in portable code, in a form of which compilers make vectors.

use core::array;

use super::{Chunk, Key, Quad};

/// Adds NH of chunks, the first of which has this number in its block, to the sum of each hash.
#[inline(always)]
pub(super) fn add<const N: usize>(key: &Key, first: usize, chunks: &[Chunk], sums: &mut [u64; N]) {
    for (hash, sum) in sums.iter_mut().enumerate() {
        let (even, odd) = (&key.even[first + hash / 2..], &key.odd[first + hash / 2..]);
        let added = if hash % 2 == 0 { nh(even, odd, chunks) } else { nh(odd, &even[1..], chunks) };
        *sum = sum.wrapping_add(added);
    }
}

/// One hash, by the quads of the key for the low ones of the message and for the high ones. On its
/// own, because in a larger function, and of more hashes, it gets no vectors.
#[inline(never)]
fn nh(low_key: &[Quad], high_key: &[Quad], chunks: &[Chunk]) -> u64 {
    let mut lanes = [0; 4];
    for ((chunk, low_key), high_key) in chunks.iter().zip(low_key).zip(high_key) {
        let (low, high) = (le_quad(&chunk[..16]), le_quad(&chunk[16..]));
        lanes = multiply_add(&sum(&low, low_key), &sum(&high, high_key), &lanes);
    }
    lanes.into_iter().fold(0, u64::wrapping_add)
}

#[inline(always)]
fn le_quad(bytes: &[u8]) -> Quad {
    array::from_fn(|i| u32::from_le_bytes(bytes.as_chunks().0[i]))
}

#[inline(always)]
fn sum(a: &Quad, b: &Quad) -> Quad {
    array::from_fn(|i| a[i].wrapping_add(b[i]))
}

#[inline(always)]
fn multiply_add(a: &Quad, b: &Quad, sums: &[u64; 4]) -> [u64; 4] {
    array::from_fn(|i| sums[i].wrapping_add(u64::from(a[i]) * u64::from(b[i])))
}
