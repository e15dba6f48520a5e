//! GHASH without carry-less multiplication in the CPU: integer products with holes between the
//! bits, so that carries fall into the holes (T. Pornin, BearSSL, "ghash_ctmul64"). No table and
//! no branch depends on secrets; it is constant-time where 64-bit multiplication is.

use super::multiply::{self, Multiply};
use super::{Block, IN_ORDER, Key};

/// The portable arithmetic.
#[derive(Clone, Copy)]
pub(super) struct Soft;

/// Three parts of a 256-bit product: of weights x^0, x^64 and x^128.
#[derive(Clone, Copy)]
pub(super) struct Product([u128; 3]);

/// The lower 64 bits of a carry-less product. Every fourth bit of a factor is taken at a time: at
/// most 16 ones are added up at a place, and where it is 16 the carry leaves the word.
#[inline(always)]
fn low_half(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let split = |word: u64| [0, 1, 2, 3].map(|offset| word & (EVERY_FOURTH << offset));
    let (a, b) = (split(a), split(b));
    let mut product = 0;
    for offset in 0..4 {
        let column = |i: usize| a[i].wrapping_mul(b[(offset + 4 - i) % 4]);
        let sum = column(0) ^ column(1) ^ column(2) ^ column(3);
        product |= sum & (EVERY_FOURTH << offset);
    }
    product
}

/// A carry-less product. Its upper half is the lower half of the product of the reversed words.
#[inline(always)]
fn carry_less(a: u64, b: u64) -> u128 {
    let high = low_half(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(high) << 64 | u128::from(low_half(a, b))
}

impl Multiply for Soft {
    type Element = u128;
    type Product = Product;
    const GROUP: usize = 1;

    #[inline(always)]
    fn load(self, slot: &Block) -> u128 {
        u128::from_ne_bytes(*slot)
    }

    #[inline(always)]
    fn store(self, element: u128) -> Block {
        element.to_ne_bytes()
    }

    #[inline(always)]
    fn ordered(self, element: u128, order: &Block) -> u128 {
        if *order == IN_ORDER { element.to_le() } else { element.to_be() }
    }

    #[inline(always)]
    fn add(self, a: u128, b: u128) -> u128 {
        a ^ b
    }

    /// By Karatsuba's three products. Apart from its callers: it is long.
    #[inline(never)]
    fn product(self, a: u128, b: u128) -> Product {
        let [(a0, a1), (b0, b1)] = [a, b].map(|word| (word as u64, (word >> 64) as u64));
        let (low, high) = (carry_less(a0, b0), carry_less(a1, b1));
        Product([low, carry_less(a0 ^ a1, b0 ^ b1) ^ low ^ high, high])
    }

    #[inline(always)]
    fn sum(self, Product(a): Product, Product(b): Product) -> Product {
        Product([a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2]])
    }

    /// Twice, the lower word times the polynomial is added to clear it.
    #[inline(always)]
    fn reduce(self, Product([low, middle, high]): Product) -> u128 {
        let fold = |part: u128| {
            let word = u128::from(part as u64);
            part.rotate_left(64) ^ word << 63 ^ word << 62 ^ word << 57
        };
        high ^ fold(middle ^ fold(low))
    }
}

#[inline]
pub(super) fn key(soft: Soft, key: &mut Key, h: &Block, reach_bytes: usize) {
    multiply::key(soft, key, h, reach_bytes);
}

pub(super) fn absorb(soft: Soft, key: &Key, y: &mut Block, data: &[u8]) {
    multiply::absorb(soft, key, y, data);
}

pub(super) fn finish(
    soft: Soft,
    key: &Key,
    y: &Block,
    data: &[u8],
    lens_bytes: [u64; 2],
    onto: &mut Block,
) {
    multiply::finish(soft, key, y, data, lens_bytes, onto);
}
