//! GHASH by the carry-less multiplication of 512-bit registers: 32 blocks to a reduction.
#![expect(unsafe_code, reason = "intrinsics, masked loads")]

use core::arch::x86_64::*;

use super::aggregate::{self, Register};
use super::{Block, Key, element};
use crate::kernels::cpu::Vpclmul512;

impl Register for __m512i {
    const LANES: usize = 4;
    const THIRDS: bool = false;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        let bytes = &bytes[..Self::BYTES];
        // SAFETY: inlined where the instructions are enabled; there are 64 bytes, and no alignment
        // is asked for.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let bytes = &mut bytes[..Self::BYTES];
        // SAFETY: inlined where the instructions are enabled; there are 64 bytes, and no alignment
        // is asked for.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn load_part(bytes: &[u8]) -> Self {
        // A load under a mask would wait for a block that has just been written.
        if let Ok(block) = bytes.try_into() {
            return Self::first_only(element::load(block));
        }
        // SAFETY: inlined where the instructions are enabled; by the mask only bytes of the slice
        // are loaded.
        unsafe {
            let inside = _bzhi_u64(u64::MAX, bytes.len().min(64) as u32);
            _mm512_maskz_loadu_epi8(inside, bytes.as_ptr().cast())
        }
    }

    #[inline(always)]
    fn first_only(block: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_zextsi128_si512(block) }
    }

    #[inline(always)]
    fn with_block(self, place: usize, block: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_mask_broadcast_i64x2(self, 0b11 << (2 * place), block) }
    }

    #[inline(always)]
    fn first(self) -> __m128i {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_castsi512_si128(self) }
    }

    #[inline(always)]
    fn spread(block: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_broadcast_i32x4(block) }
    }

    #[inline(always)]
    fn base(h: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe {
            let h2 = element::reduce(element::product(h, h));
            let pair = _mm512_castsi256_si512(_mm256_set_m128i(h, h2));
            let next = aggregate::product(pair, Self::spread(h2));
            _mm512_shuffle_i64x2::<0b01_00_01_00>(next, pair)
        }
    }

    #[inline(always)]
    fn ordered(self, order: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_shuffle_epi8(self, order) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_xor_si512(self, other) }
    }

    #[inline(always)]
    fn multiply<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_clmulepi64_epi128::<HALVES>(self, other) }
    }

    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_shuffle_epi32::<0x4e>(self) }
    }

    #[inline(always)]
    fn lower_halves(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_unpacklo_epi64(self, other) }
    }

    #[inline(always)]
    fn add_up(self) -> __m128i {
        // SAFETY: inlined where the instructions are enabled.
        unsafe {
            let upper = _mm512_extracti64x4_epi64::<1>(self);
            _mm256_xor_si256(_mm512_castsi512_si256(self), upper).add_up()
        }
    }
}

aggregate::entries!(
    Vpclmul512,
    __m512i,
    "vpclmulqdq,pclmulqdq,avx2,avx512f,avx512bw,avx512vl,avx512dq,bmi2"
);
