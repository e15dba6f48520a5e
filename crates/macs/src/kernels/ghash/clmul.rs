//! GHASH by the carry-less multiplication of 128-bit registers: eight blocks to a reduction, each
//! by four products of words. S. Gueron, M. Kounavis, "Intel Carry-Less Multiplication Instruction
//! and its Usage for Computing the GCM Mode", 2014.
#![expect(unsafe_code, reason = "intrinsics")]

use core::arch::x86_64::*;
use core::mem::transmute;

use super::multiply::{self, Multiply};
use super::{Block, Key};
use crate::kernels::cpu::Clmul;

/// x^63 + x^62 + x^57: the polynomial without x^128 and 1, over x^64.
pub(super) const POLYNOMIAL: i64 = 0xc2 << 56;

/// Parts of weights x^0, x^64 and x^128.
pub(super) type Product = [__m128i; 3];

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
pub(super) fn reverse(element: __m128i) -> __m128i {
    let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    _mm_shuffle_epi8(element, order)
}

impl Multiply for Clmul {
    type Element = __m128i;
    type Product = Product;
    const GROUP: usize = 8;

    #[inline(always)]
    fn load(self, slot: &Block) -> __m128i {
        // SAFETY: both are 16 bytes of which any value is valid.
        unsafe { transmute(*slot) }
    }

    #[inline(always)]
    fn store(self, element: __m128i) -> Block {
        // SAFETY: both are 16 bytes of which any value is valid.
        unsafe { transmute(element) }
    }

    #[inline(always)]
    fn reverse(self, element: __m128i) -> __m128i {
        // SAFETY: the token proves the instructions.
        unsafe { reverse(element) }
    }

    #[inline(always)]
    fn add(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm_xor_si128(a, b) }
    }

    #[inline(always)]
    fn product(self, a: __m128i, b: __m128i) -> Product {
        // SAFETY: the token proves the instructions.
        unsafe { product(a, b) }
    }

    #[inline(always)]
    fn sum(self, a: Product, b: Product) -> Product {
        [self.add(a[0], b[0]), self.add(a[1], b[1]), self.add(a[2], b[2])]
    }

    #[inline(always)]
    fn reduce(self, product: Product) -> __m128i {
        // SAFETY: the token proves the instructions.
        unsafe { reduce(product) }
    }
}

multiply::entries!(Clmul, "pclmulqdq,avx");
