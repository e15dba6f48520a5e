//! GHASH by the carry-less multiplication of 128-bit registers: eight blocks to a reduction. S.
//! Gueron, M. Kounavis, "Intel Carry-Less Multiplication Instruction and its Usage for Computing
//! the GCM Mode", 2014.
#![expect(unsafe_code, reason = "intrinsics")]

use core::arch::x86_64::*;

use super::aggregate::{self, Register};
use super::element::{self, load, of_number, store};
use super::{Block, Key};
use crate::kernels::cpu::Clmul;
use crate::kernels::partial::le_number;

impl Register for __m128i {
    const LANES: usize = 1;
    const THIRDS: bool = true;

    #[inline(always)]
    fn zero() -> Self {
        of_number(0)
    }

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        load(bytes.first_chunk().expect("a block"))
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        store(bytes.first_chunk_mut().expect("a block"), self);
    }

    #[inline(always)]
    fn load_part(bytes: &[u8]) -> Self {
        of_number(le_number(bytes))
    }

    #[inline(always)]
    fn first_only(block: Self) -> Self {
        block
    }

    #[inline(always)]
    fn with_block(self, _: usize, block: Self) -> Self {
        block
    }

    #[inline(always)]
    fn first(self) -> Self {
        self
    }

    #[inline(always)]
    fn spread(block: Self) -> Self {
        block
    }

    #[inline(always)]
    fn base(h: Self) -> Self {
        h
    }

    #[inline(always)]
    fn ordered(self, order: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_shuffle_epi8(self, order) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_xor_si128(self, other) }
    }

    #[inline(always)]
    fn multiply<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_clmulepi64_si128::<HALVES>(self, other) }
    }

    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_shuffle_epi32::<0x4e>(self) }
    }

    #[inline(always)]
    fn lower_halves(self, other: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_unpacklo_epi64(self, other) }
    }

    #[inline(always)]
    fn add_up(self) -> Self {
        self
    }
}

aggregate::entries!(Clmul, __m128i, "pclmulqdq,avx");
