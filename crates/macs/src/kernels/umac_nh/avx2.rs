//! NH on 256-bit vectors: two chunks side by side, low quads in one register, high ones in another.
#![expect(unsafe_code, reason = "loads, and calls of functions with target features")]

use core::arch::x86_64::*;

use super::{CHUNKS, Chunk, Key, Quad, Quads, last_quads};
use crate::kernels::cpu::Avx2;

/// Adds NH of chunks and then of the bytes behind them, less than a chunk, together at most a
/// block, to the sum of each hash.
#[inline(always)]
pub(super) fn add<const N: usize>(
    _: Avx2,
    key: &Key,
    chunks: &[Chunk],
    rest: &[u8],
    sums: &mut [u64; N],
) {
    // SAFETY: the token proves the instructions.
    unsafe { run(key, chunks, rest, sums) }
}

#[target_feature(enable = "avx2")]
fn run<const N: usize>(key: &Key, chunks: &[Chunk], rest: &[u8], sums: &mut [u64; N]) {
    let chunks = &chunks[..chunks.len().min(CHUNKS)];
    let mut lanes = [_mm256_setzero_si256(); N];
    let (twos, odd) = chunks.as_chunks::<2>();
    for (two, index) in twos.iter().zip((0..).step_by(2)) {
        let (x, y) = (load(&two[0]), load(&two[1]));
        let low = _mm256_permute2x128_si256(x, y, 0x20);
        let high = _mm256_permute2x128_si256(x, y, 0x31);
        // SAFETY: with this chunk and the next one, the index is at most CHUNKS − 2.
        let quads = |quads: &Quads, i: usize| unsafe { two_quads(quads, index + i) };
        for (hash, lanes) in lanes.iter_mut().enumerate() {
            let i = hash / 2;
            let (a, b) = match hash % 2 {
                0 => (quads(&key.even, i), quads(&key.odd, i)),
                _ => (quads(&key.odd, i), quads(&key.even, i + 1)),
            };
            *lanes = add_products(*lanes, _mm256_add_epi32(low, a), _mm256_add_epi32(high, b));
        }
    }
    if let [chunk] = odd {
        add_one(key, chunks.len() - 1, load(chunk), &mut lanes);
    }
    // Made here: given in memory, it would be written in halves and then waited for.
    if let Some([low, high]) = last_quads(chunks, rest)
        && chunks.len() < CHUNKS
    {
        let low = _mm_set_epi64x((low >> 64) as i64, low as i64);
        let high = _mm_set_epi64x((high >> 64) as i64, high as i64);
        add_one(key, chunks.len(), _mm256_set_m128i(high, low), &mut lanes);
    }
    for (sum, lanes) in sums.iter_mut().zip(lanes) {
        let half = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
        let lane = _mm_add_epi64(half, _mm_unpackhi_epi64(half, half));
        *sum = sum.wrapping_add(_mm_cvtsi128_si64(lane) as u64);
    }
}

/// The same for the chunk of this number alone.
#[target_feature(enable = "avx2")]
fn add_one<const N: usize>(key: &Key, index: usize, chunk: __m256i, lanes: &mut [__m256i; N]) {
    let low = _mm256_zextsi128_si256(_mm256_castsi256_si128(chunk));
    let high = _mm256_permute2x128_si256(chunk, chunk, 0x81);
    for (hash, lanes) in lanes.iter_mut().enumerate() {
        let i = index + hash / 2;
        let (a, b) = match hash % 2 {
            0 => (quad(&key.even[i]), quad(&key.odd[i])),
            _ => (quad(&key.odd[i]), quad(&key.even[i + 1])),
        };
        *lanes = add_products(*lanes, _mm256_add_epi32(low, a), _mm256_add_epi32(high, b));
    }
}

/// Adds the products of words at the same place.
#[target_feature(enable = "avx2")]
fn add_products(lanes: __m256i, a: __m256i, b: __m256i) -> __m256i {
    let odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
    _mm256_add_epi64(lanes, _mm256_add_epi64(_mm256_mul_epu32(a, b), odd))
}

/// Two quads of a key, from this one on.
///
/// # Safety
/// There are that many.
#[target_feature(enable = "avx2")]
unsafe fn two_quads(quads: &Quads, first: usize) -> __m256i {
    // SAFETY: 32 bytes, says the caller.
    unsafe { _mm256_loadu_si256(quads.as_ptr().add(first).cast()) }
}

/// A quad of a key, zeros above it.
#[target_feature(enable = "avx2")]
fn quad(key: &Quad) -> __m256i {
    // SAFETY: 16 bytes.
    _mm256_zextsi128_si256(unsafe { _mm_loadu_si128(key.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
fn load(chunk: &Chunk) -> __m256i {
    // SAFETY: 32 bytes.
    unsafe { _mm256_loadu_si256(chunk.as_ptr().cast()) }
}
