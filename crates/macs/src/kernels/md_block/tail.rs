//! The last bytes of a message in four vectors, without reading past it, without a copy in memory
//! and, from 16 bytes on, without a branch: each vector is loaded where the message has 16 bytes,
//! and shifted down to its place.
#![expect(unsafe_code, reason = "loads of vectors, instructions that the caller's token proves")]

use core::arch::x86_64::*;

use super::Block;
use crate::kernels::by_place;
use crate::wipe::overwrite;

/// Behind an index for each byte of a vector, indices of no byte.
#[repr(align(32))]
struct Shift([u8; 32]);

static SHIFT: Shift = {
    let mut table = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        table[i] = i as u8;
        i += 1;
    }
    Shift(table)
};

/// The mark among zeros.
#[repr(align(64))]
struct Mark([u8; 128]);

static MARK: Mark = {
    let mut table = [0; 128];
    table[64] = 0x80;
    Mark(table)
};

#[inline(always)]
fn vector(bytes: &[u8], start: usize) -> __m128i {
    debug_assert!(start + 16 <= bytes.len());
    // SAFETY: every call below keeps to `start + 16 <= bytes.len()`.
    unsafe { _mm_loadu_si128(bytes.as_ptr().add(start).cast()) }
}

/// A block as it lies.
#[inline(always)]
pub(crate) fn vectors(block: &Block) -> [__m128i; 4] {
    // No `map`: where that is not inlined, its closure has no instructions of the caller's.
    [vector(block, 0), vector(block, 16), vector(block, 32), vector(block, 48)]
}

/// The bytes of `message` after its full blocks, then `mark`, 0x80 or 0, then zeros.
#[inline(always)]
pub(crate) fn marked(message: &[u8], mark: u8) -> [__m128i; 4] {
    let len = message.len() % 64;
    let vectors = if message.len() >= 16 {
        // SAFETY: only called under a token; `Sse41` is the least of them, and proves SSSE3.
        unsafe { shifted(message, len) }
    } else {
        short(message)
    };
    if mark == 0 {
        return vectors;
    }
    // Byte 64 of the table comes to lie at byte `len`, which is below 64.
    let place = 64 - len;
    by_place(vectors[0], |at| {
        let mark = vector(&MARK.0, place + 16 * at);
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_or_si128(vectors[at], mark) }
    })
}

/// `marked` as a block.
#[inline(always)]
pub(crate) fn block(message: &[u8], mark: u8) -> Block {
    // SAFETY: a block is four vectors, without invalid values.
    unsafe { core::mem::transmute::<[__m128i; 4], Block>(marked(message, mark)) }
}

/// The tail with its padding as blocks in memory, written in vectors.
#[inline(always)]
pub(crate) fn close(message: &[u8], field: [u8; 8], blocks: &mut [Block; 2]) -> usize {
    let mut vectors = marked(message, 0x80);
    // SAFETY: SSE2 is part of x86-64; a block is four vectors, without invalid values.
    unsafe {
        let field = _mm_set_epi64x(i64::from_le_bytes(field), 0);
        if message.len() % 64 < 56 {
            vectors[3] = _mm_or_si128(vectors[3], field);
            blocks[0] = core::mem::transmute::<[__m128i; 4], Block>(vectors);
            return 1;
        }
        blocks[0] = core::mem::transmute::<[__m128i; 4], Block>(vectors);
        let zero = _mm_setzero_si128();
        blocks[1] = core::mem::transmute::<[__m128i; 4], Block>([zero, zero, zero, field]);
    }
    2
}

/// Hands a message with its padding over to `absorb`, which is quickest on two blocks at once.
#[inline(always)]
pub(crate) fn absorb_by_two(message: &[u8], field: [u8; 8], mut absorb: impl FnMut(&[Block])) {
    let (blocks, _) = message.as_chunks();
    let (pairs, odd) = blocks.split_at(blocks.len() & !1);
    if !pairs.is_empty() {
        absorb(pairs);
    }
    let mut last = [[0; 64]; 3];
    let count = if let [block] = odd {
        let [first, closing @ ..] = &mut last;
        *first = *block;
        1 + close(message, field, closing)
    } else {
        let [closing @ .., _] = &mut last;
        close(message, field, closing)
    };
    absorb(&last[..count]);
    overwrite(&mut last, [[0; 64]; 3]);
}

/// The last `len` bytes, below 64, of a message of at least 16.
#[inline]
#[target_feature(enable = "ssse3")]
fn shifted(message: &[u8], len: usize) -> [__m128i; 4] {
    let begin = message.len() - len;
    by_place(_mm_setzero_si128(), |at| {
        let start = 16 * at;
        // How far beyond the end of the message the vector would reach.
        let excess = (start + 16).saturating_sub(len);
        // Beyond by 16 and more: any 16 bytes do, all are shifted out.
        let bytes = vector(message, (begin + start).min(message.len() - 16));
        let order = vector(&SHIFT.0, excess.min(16));
        _mm_shuffle_epi8(bytes, order)
    })
}

/// A message of less than 16 bytes.
#[inline(always)]
fn short(message: &[u8]) -> [__m128i; 4] {
    let len = message.len();
    let (low, high) =
        if let (Some(first), Some(last)) = (message.first_chunk(), message.last_chunk()) {
            // The bytes that both have go out at the low end.
            (u64::from_le_bytes(*first), (u64::from_le_bytes(*last) >> 8) >> (8 * (15 - len)))
        } else if let (Some(first), Some(last)) = (message.first_chunk(), message.last_chunk()) {
            let [first, last] = [first, last].map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
            (first | last << (8 * (len - 4)), 0)
        } else if len > 0 {
            // First, middle and last byte, which of two or one are the same.
            let byte = |i: usize| u64::from(message[i]) << (8 * i);
            (byte(0) | byte(len / 2) | byte(len - 1), 0)
        } else {
            (0, 0)
        };
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let zero = _mm_setzero_si128();
        [_mm_set_epi64x(high as i64, low as i64), zero, zero, zero]
    }
}
