//! GHASH by the carry-less multiplication of 256-bit registers: sixteen blocks to a reduction.
#![expect(unsafe_code, reason = "intrinsics")]

use core::arch::x86_64::*;

use super::aggregate::{self, Register};
use super::{Block, Key, element};
use crate::kernels::cpu::Vpclmul256;
use crate::kernels::partial::le_number;

impl Register for __m256i {
    const LANES: usize = 2;
    const THIRDS: bool = true;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        let bytes = &bytes[..Self::BYTES];
        // SAFETY: inlined where the instructions are enabled; there are 32 bytes, and no alignment
        // is asked for.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let bytes = &mut bytes[..Self::BYTES];
        // SAFETY: inlined where the instructions are enabled; there are 32 bytes, and no alignment
        // is asked for.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn load_part(bytes: &[u8]) -> Self {
        let part = |bytes: &[u8]| element::of_number(le_number(bytes));
        match bytes.split_first_chunk() {
            // SAFETY: inlined where the instructions are enabled.
            Some((first, rest)) => unsafe { _mm256_set_m128i(part(rest), element::load(first)) },
            None => Self::first_only(part(bytes)),
        }
    }

    #[inline(always)]
    fn first_only(block: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_zextsi128_si256(block) }
    }

    #[inline(always)]
    fn with_block(self, place: usize, block: __m128i) -> Self {
        if place == 0 {
            return Self::first_only(block);
        }
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_inserti128_si256::<1>(self, block) }
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
}

aggregate::entries!(Vpclmul256, __m256i, "vpclmulqdq,pclmulqdq,avx,avx2");
