//! Vectors of 128 bits: a row of one node, or a word of four.
#![expect(unsafe_code, reason = "instructions that the token proves; loads and stores of vectors")]

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;

use super::lanes::Words;
use super::rows::{Row, Sole};
use super::vector::Vector;
use super::{Block, Value};
use crate::kernels::md_block::tail;

/// The bytes of words that are rotated to the right by so many bytes.
pub(super) const fn rotation<const LEN: usize>(bytes: u8) -> [u8; LEN] {
    let mut order = [0; LEN];
    let mut place = 0;
    while place < LEN {
        order[place] = (place as u8 & 12) | ((place as u8 + bytes) & 3);
        place += 1;
    }
    order
}

/// This quarter of 16 bytes.
#[inline(always)]
pub(super) fn quarter_of<const LEN: usize>(row: &[u8; LEN], quarter: usize) -> __m128i {
    let bytes = &row.as_chunks::<16>().0[quarter];
    // SAFETY: SSE2 is part of x86-64; there are 16 bytes, and no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Writes this half of a value.
#[inline(always)]
pub(super) fn put(vector: __m128i, value: &mut Value, half: usize) {
    let bytes = &mut value.as_chunks_mut::<16>().0[half];
    // SAFETY: SSE2 is part of x86-64; there are 16 bytes, and no alignment is asked for.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) }
}

/// The same, but not to the compiler: of a shuffle by 16 bits it would make two others.
#[inline(always)]
fn hidden(
    #[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))] mut order: __m128i,
) -> __m128i {
    #[cfg(not(miri))]
    // SAFETY: SSE2 is part of x86-64. The empty assembly changes nothing.
    unsafe {
        asm!("/* {0} */", inout(xmm_reg) order, options(pure, nomem, nostack, preserves_flags));
    }
    order
}

/// A row of a node, or a word of four.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Xmm(__m128i);

impl Vector for Xmm {
    type Orders = [__m128i; 2];

    #[inline(always)]
    fn orders() -> Self::Orders {
        let orders = const { &[rotation::<16>(2), rotation::<16>(1)] };
        [hidden(quarter_of(&orders[0], 0)), quarter_of(&orders[1], 0)]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, orders: Self::Orders) -> Self {
        let word = self.0;
        // SAFETY: only called under a token, all of which prove SSSE3.
        Self(unsafe {
            match BITS {
                16 => _mm_shuffle_epi8(word, orders[0]),
                8 => _mm_shuffle_epi8(word, orders[1]),
                12 => _mm_or_si128(_mm_srli_epi32::<12>(word), _mm_slli_epi32::<20>(word)),
                _ => {
                    const { assert!(matches!(BITS, 16 | 12 | 8 | 7)) }
                    _mm_or_si128(_mm_srli_epi32::<7>(word), _mm_slli_epi32::<25>(word))
                }
            }
        })
    }
}

impl Row<1> for Xmm {
    #[inline(always)]
    fn splat(words: &[u32; 4]) -> Self {
        // SAFETY: SSE2 is part of x86-64; there are 16 bytes, and no alignment is asked for.
        Self(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load([[a, b, c, d]]: &[[u32; 4]; 1]) -> Self {
        let [a, b, c, d] = [a, b, c, d].map(|word| word.cast_signed());
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_set_epi32(d, c, b, a) })
    }

    #[inline(always)]
    fn quarter<const LEN: usize>([row]: &[&[u8; LEN]; 1], quarter: usize) -> Self {
        Self(quarter_of(row, quarter))
    }

    #[inline(always)]
    fn put(self, [value]: &mut [Value; 1], half: usize) {
        put(self.0, value, half);
    }

    #[inline(always)]
    fn pick<const PLACES: i32>(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_shuffle_epi32::<PLACES>(self.0) })
    }

    #[inline(always)]
    fn pick_of<const PLACES: i32>(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe {
            let [one, two] = [_mm_castsi128_ps(self.0), _mm_castsi128_ps(other.0)];
            _mm_castps_si128(_mm_shuffle_ps::<PLACES>(one, two))
        })
    }

    #[inline(always)]
    fn blend<const PLACES: i32>(self, other: Self) -> Self {
        // SAFETY: only called under a token, all of which prove SSE4.1.
        Self(unsafe {
            match PLACES {
                0b1010 => _mm_blend_epi16::<0b1100_1100>(self.0, other.0),
                _ => {
                    const { assert!(matches!(PLACES, 0b1010 | 0b1000)) }
                    _mm_blend_epi16::<0b1100_0000>(self.0, other.0)
                }
            }
        })
    }

    #[inline(always)]
    fn zip_low(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_unpacklo_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn zip_high(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_unpackhi_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_unpacklo_epi64(self.0, other.0) })
    }
}

impl Sole for Xmm {
    #[inline(always)]
    fn tail(data: &[u8]) -> [Self; 4] {
        let [a, b, c, d] = tail::marked(data, 0);
        [Self(a), Self(b), Self(c), Self(d)]
    }
}

impl Words<4> for Xmm {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(words: &[u32; 4]) -> Self {
        // SAFETY: SSE2 is part of x86-64; there are 16 bytes, and no alignment is asked for.
        Self(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn columns<const LEN: usize>([a, b, c, d]: &[&[u8; LEN]; 4], quarter: usize) -> [Self; 4] {
        transposed([
            Self(quarter_of(a, quarter)),
            Self(quarter_of(b, quarter)),
            Self(quarter_of(c, quarter)),
            Self(quarter_of(d, quarter)),
        ])
    }

    #[inline(always)]
    fn rows(columns: [Self; 4], values: &mut [Value; 4], half: usize) {
        for (row, value) in transposed(columns).into_iter().zip(values) {
            put(row.0, value, half);
        }
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        *block = tail::block(data, 0);
    }
}

/// Rows to columns of a matrix of 4 × 4 words, and back.
#[inline(always)]
fn transposed([a, b, c, d]: [Xmm; 4]) -> [Xmm; 4] {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let [ab_low, ab_high] = [_mm_unpacklo_epi32(a.0, b.0), _mm_unpackhi_epi32(a.0, b.0)];
        let [cd_low, cd_high] = [_mm_unpacklo_epi32(c.0, d.0), _mm_unpackhi_epi32(c.0, d.0)];
        [
            Xmm(_mm_unpacklo_epi64(ab_low, cd_low)),
            Xmm(_mm_unpackhi_epi64(ab_low, cd_low)),
            Xmm(_mm_unpacklo_epi64(ab_high, cd_high)),
            Xmm(_mm_unpackhi_epi64(ab_high, cd_high)),
        ]
    }
}
