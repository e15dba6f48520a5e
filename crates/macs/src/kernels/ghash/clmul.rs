//! GHASH by the carry-less multiplication of 128-bit registers: eight blocks to a reduction. S.
//! Gueron, M. Kounavis, "Intel Carry-Less Multiplication Instruction and its Usage for Computing
//! the GCM Mode", 2014.
#![expect(unsafe_code, reason = "intrinsics")]

use core::arch::x86_64::*;

use super::aggregate::{self, Products, Register, add};
use super::element::{self, load, of_number, store};
use super::{Block, Key};
use crate::kernels::cpu::Clmul;

impl Register for __m128i {
    const LANES: usize = 1;

    #[inline(always)]
    fn zero() -> Self {
        of_number(0)
    }

    #[inline(always)]
    fn load(blocks: &[Block]) -> Self {
        load(&blocks[0])
    }

    #[inline(always)]
    fn store(self, blocks: &mut [Block]) {
        store(&mut blocks[0], self);
    }

    #[inline(always)]
    fn first_only(block: Self) -> Self {
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

    #[inline(always)]
    fn add_two(sum: Products<Self>, a: Self, b: Self, powers: &[Block]) -> Products<Self> {
        add(add(sum, a, Self::load(powers)), b, Self::load(&powers[1..]))
    }
}

aggregate::entries!(Clmul, __m128i, "pclmulqdq,avx");
