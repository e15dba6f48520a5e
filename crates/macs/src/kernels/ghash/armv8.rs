//! GHASH by the 64-bit polynomial multiplication of ARMv8, eight blocks to a reduction: the
//! arithmetic of the kernel for x86-64 in its words (C. Gouvêa, J. López, "Implementing GCM on
//! ARMv8", 2015).
#![expect(unsafe_code, reason = "intrinsics")]

use core::arch::aarch64::*;
use core::mem::transmute;

use super::multiply::{self, Multiply};
use super::{Block, Key};
use crate::kernels::cpu::ArmAes;

/// x^63 + x^62 + x^57: the polynomial without x^128 and 1, over x^64.
const POLYNOMIAL: u64 = 0xc2 << 56;

/// Parts of weights x^0, x^64 and x^128.
type Product = [uint8x16_t; 3];

#[target_feature(enable = "neon,aes")]
#[inline]
fn times(a: u64, b: u64) -> uint8x16_t {
    vreinterpretq_u8_p128(vmull_p64(a, b))
}

#[target_feature(enable = "neon,aes")]
#[inline]
fn words(a: uint8x16_t) -> (u64, u64) {
    let words = vreinterpretq_u64_u8(a);
    (vgetq_lane_u64::<0>(words), vgetq_lane_u64::<1>(words))
}

#[target_feature(enable = "neon,aes")]
#[inline]
fn product(a: uint8x16_t, b: uint8x16_t) -> Product {
    let (a0, a1) = words(a);
    let (b0, b1) = words(b);
    [times(a0, b0), veorq_u8(times(a0, b1), times(a1, b0)), times(a1, b1)]
}

/// Twice, the lower word times the polynomial is added to clear it.
#[target_feature(enable = "neon,aes")]
#[inline]
fn reduce([low, middle, high]: Product) -> uint8x16_t {
    let swapped = veorq_u8(middle, vextq_u8::<8>(low, low));
    let middle = veorq_u8(swapped, times(words(low).0, POLYNOMIAL));
    let swapped = veorq_u8(high, vextq_u8::<8>(middle, middle));
    veorq_u8(swapped, times(words(middle).0, POLYNOMIAL))
}

#[target_feature(enable = "neon,aes")]
#[inline]
fn ordered(element: uint8x16_t, order: uint8x16_t) -> uint8x16_t {
    vqtbl1q_u8(element, order)
}

impl Multiply for ArmAes {
    type Element = uint8x16_t;
    type Product = Product;
    const GROUP: usize = 8;

    #[inline(always)]
    fn load(self, slot: &Block) -> uint8x16_t {
        // SAFETY: both are 16 bytes of which any value is valid.
        unsafe { transmute(*slot) }
    }

    #[inline(always)]
    fn store(self, element: uint8x16_t) -> Block {
        // SAFETY: both are 16 bytes of which any value is valid.
        unsafe { transmute(element) }
    }

    #[inline(always)]
    fn ordered(self, element: uint8x16_t, order: &Block) -> uint8x16_t {
        // SAFETY: the token proves the instructions.
        unsafe { ordered(element, self.load(order)) }
    }

    #[inline(always)]
    fn add(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: the token proves the instructions.
        unsafe { veorq_u8(a, b) }
    }

    #[inline(always)]
    fn product(self, a: uint8x16_t, b: uint8x16_t) -> Product {
        // SAFETY: the token proves the instructions.
        unsafe { product(a, b) }
    }

    #[inline(always)]
    fn sum(self, a: Product, b: Product) -> Product {
        [self.add(a[0], b[0]), self.add(a[1], b[1]), self.add(a[2], b[2])]
    }

    #[inline(always)]
    fn reduce(self, product: Product) -> uint8x16_t {
        // SAFETY: the token proves the instructions.
        unsafe { reduce(product) }
    }
}

multiply::entries!(ArmAes, "neon,aes");
