//! The transposition of `transpose` in small steps, for compression functions that make them
//! between their rounds: a quarter is four vectors with a half of the block of each of eight lanes.
//! Nothing here is moved by the compiler against what is pinned beside it.
#![expect(unsafe_code, reason = "loads, and instructions that the token proves")]

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;

use super::in_order;
use crate::kernels::md_block::LengthOrder;

/// The same, made where it stands: the compiler has an order of its own for long runs of
/// instructions, in which a Zen 4 loses a tenth of its time.
#[inline]
#[target_feature(enable = "avx512f")]
#[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))]
pub(crate) fn pinned(mut vector: __m512i) -> __m512i {
    #[cfg(not(miri))]
    // SAFETY: the empty instruction changes nothing.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) vector, options(nomem, nostack, preserves_flags))
    };
    vector
}

/// Of the block at `offset`, row `index` of a quarter: a half of a lane's block, the first in the
/// quarters 0 and 1, and of that four lanes on.
///
/// # Safety
/// At each of `starts`, `offset + 64` bytes are readable.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) unsafe fn row(
    order: LengthOrder,
    starts: &[*const u8; 16],
    offset: usize,
    quarter: usize,
    index: usize,
) -> __m512i {
    let lane = quarter % 2 * 8 + index;
    let [low, high] = [starts[lane], starts[lane + 4]].map(|start| {
        // SAFETY: the caller's promise.
        unsafe { _mm256_loadu_si256(start.add(offset + quarter / 2 * 32).cast()) }
    });
    let row = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    pinned(in_order(order, row))
}

/// Pairs of words of two rows.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn pairs(one: __m512i, other: __m512i) -> [__m512i; 2] {
    [pinned(_mm512_unpacklo_epi32(one, other)), pinned(_mm512_unpackhi_epi32(one, other))]
}

/// A quarter, of the pairs of its first two rows and those of its last two: vector i has column i
/// of four lanes, column i + 4 of them, and the same of the other four.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn fours([a, b]: [__m512i; 2], [c, d]: [__m512i; 2]) -> [__m512i; 4] {
    [
        pinned(_mm512_unpacklo_epi64(a, c)),
        pinned(_mm512_unpackhi_epi64(a, c)),
        pinned(_mm512_unpacklo_epi64(b, d)),
        pinned(_mm512_unpackhi_epi64(b, d)),
    ]
}

/// A whole quarter at once.
///
/// # Safety
/// As for `row`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) unsafe fn quarter(
    order: LengthOrder,
    starts: &[*const u8; 16],
    offset: usize,
    quarter: usize,
) -> [__m512i; 4] {
    // SAFETY: the caller's promise.
    let row = |index| unsafe { row(order, starts, offset, quarter, index) };
    fours(pairs(row(0), row(1)), pairs(row(2), row(3)))
}

/// Column i and column i + 4, of vector i of two quarters that have the same half of all lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn columns(first: __m512i, second: __m512i) -> [__m512i; 2] {
    [
        pinned(_mm512_shuffle_i32x4::<0x88>(first, second)),
        pinned(_mm512_shuffle_i32x4::<0xdd>(first, second)),
    ]
}
