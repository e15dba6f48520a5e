//! GHASH by the carry-less multiplication of 256-bit registers: sixteen blocks to a reduction.
#![expect(unsafe_code, reason = "intrinsics")]

use core::arch::x86_64::*;

use super::aggregate::{self, Products, Register, add};
use super::{Block, Key, element};
use crate::kernels::cpu::Vpclmul256;

impl Register for __m256i {
    const LANES: usize = 2;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn load(blocks: &[Block]) -> Self {
        let blocks = &blocks[..2];
        // SAFETY: inlined where the instructions are enabled; two blocks are 32 bytes, and no
        // alignment is asked for.
        unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, blocks: &mut [Block]) {
        let blocks = &mut blocks[..2];
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_storeu_si256(blocks.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn first_only(block: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_zextsi128_si256(block) }
    }

    #[inline(always)]
    fn first(self) -> __m128i {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_castsi256_si128(self) }
    }

    #[inline(always)]
    fn spread(block: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_broadcastsi128_si256(block) }
    }

    #[inline(always)]
    fn base(h: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_set_m128i(h, element::reduce(element::product(h, h))) }
    }

    #[inline(always)]
    fn ordered(self, order: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_shuffle_epi8(self, order) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_xor_si256(self, other) }
    }

    #[inline(always)]
    fn multiply<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_clmulepi64_epi128::<HALVES>(self, other) }
    }

    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_shuffle_epi32::<0x4e>(self) }
    }

    #[inline(always)]
    fn lower_halves(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_unpacklo_epi64(self, other) }
    }

    #[inline(always)]
    fn add_up(self) -> __m128i {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_xor_si128(_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self)) }
    }

    #[inline(always)]
    fn add_two(sum: Products<Self>, a: __m128i, b: __m128i, powers: &[Block]) -> Products<Self> {
        // SAFETY: inlined where the instructions are enabled.
        add(sum, unsafe { _mm256_set_m128i(b, a) }, Self::load(powers))
    }
}

aggregate::entries!(Vpclmul256, __m256i, "vpclmulqdq,pclmulqdq,avx,avx2");
