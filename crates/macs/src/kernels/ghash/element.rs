//! Elements of GHASH's field in 128-bit registers: what all kernels by carry-less multiplication
//! share.
#![expect(unsafe_code, reason = "intrinsics")]

use core::arch::x86_64::*;

use super::Block;

/// x^63 + x^62 + x^57: the polynomial without x^128 and 1, over x^64.
pub(super) const POLYNOMIAL: i64 = 0xc2 << 56;

/// Parts of weights x^0, x^64 and x^128.
pub(super) type Product = [__m128i; 3];

#[inline(always)]
pub(in crate::kernels) fn load(block: &Block) -> __m128i {
    // SAFETY: a block has 16 bytes, and no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline(always)]
pub(in crate::kernels) fn store(block: &mut Block, value: __m128i) {
    // SAFETY: a block has 16 bytes, and no alignment is asked for.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), value) }
}

/// Adds the value to the block.
#[inline(always)]
pub(super) fn add_onto(block: &mut Block, value: __m128i) {
    // SAFETY: every x86-64 has the instruction.
    store(block, unsafe { _mm_xor_si128(load(block), value) });
}

/// The block that is this number, little-endian.
#[inline(always)]
pub(in crate::kernels) fn of_number(number: u128) -> __m128i {
    // SAFETY: every x86-64 has the instruction.
    unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) }
}

/// The polynomial as a factor of lower halves.
#[inline(always)]
pub(super) fn polynomial() -> __m128i {
    of_number(u128::from(POLYNOMIAL as u64))
}

/// The element of two lengths.
#[inline(always)]
pub(in crate::kernels) fn lengths([upper, lower]: [u64; 2]) -> __m128i {
    of_number(u128::from(upper << 3) << 64 | u128::from(lower << 3))
}

/// H times x: see `times_x`.
#[target_feature(enable = "pclmulqdq,avx")]
#[inline]
pub(super) fn first_power(h: &Block) -> __m128i {
    let h = reverse(load(h));
    let carry = _mm_bslli_si128::<8>(_mm_srli_epi64::<63>(h));
    let top = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0xff>(h));
    let folded = _mm_and_si128(top, _mm_set_epi64x(POLYNOMIAL, 1));
    _mm_xor_si128(_mm_xor_si128(_mm_add_epi64(h, h), carry), folded)
}

#[target_feature(enable = "pclmulqdq,avx")]
#[inline]
pub(super) fn product(a: __m128i, b: __m128i) -> Product {
    let low = _mm_clmulepi64_si128::<0x00>(a, b);
    let middle =
        _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b));
    [low, middle, _mm_clmulepi64_si128::<0x11>(a, b)]
}

/// Twice, the lower word times the polynomial is added to clear it.
#[target_feature(enable = "pclmulqdq,avx")]
#[inline]
pub(super) fn reduce([low, middle, high]: Product) -> __m128i {
    let polynomial = _mm_set_epi64x(0, POLYNOMIAL);
    let folded = _mm_clmulepi64_si128::<0x00>(low, polynomial);
    let swapped = _mm_xor_si128(middle, _mm_shuffle_epi32::<0x4e>(low));
    let middle = _mm_xor_si128(swapped, folded);
    let folded = _mm_clmulepi64_si128::<0x00>(middle, polynomial);
    let swapped = _mm_xor_si128(high, _mm_shuffle_epi32::<0x4e>(middle));
    _mm_xor_si128(swapped, folded)
}

#[target_feature(enable = "avx")]
#[inline]
fn reverse(element: __m128i) -> __m128i {
    let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    _mm_shuffle_epi8(element, order)
}

/// The element that a block is whose bytes lie in this order, and back.
#[target_feature(enable = "avx")]
#[inline]
pub(super) fn ordered(element: __m128i, order: &Block) -> __m128i {
    _mm_shuffle_epi8(element, load(order))
}
