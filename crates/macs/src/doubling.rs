//! Multiplication and division by u (doubling and halving) in GF(2^64) and GF(2^128), big-endian:
//! SP 800-38B §5.3 and §6.1; Iwata, Kurosawa 2003. The masks of TMAC, OMAC and PMAC come from it.
//! Constant time: the carry becomes a mask.

use digest::array::{Array, ArraySize};
use digest::consts::{U8, U16};

use crate::kernels::partial::write_number;

/// A block length for which the field polynomial is defined: 64 or 128 bits.
pub trait DoublingSize: ArraySize {
    /// `block`·u: shifted left by one bit and, if a one fell out, reduced by the field polynomial.
    fn double(block: &Array<u8, Self>) -> Array<u8, Self>;

    /// `block`·u⁻¹: what [`double`](Self::double) makes `block` of.
    fn halve(block: &Array<u8, Self>) -> Array<u8, Self>;

    /// Makes every block but the first the double of the one before it, and `half` half the first:
    /// as whole blocks, so that who loads them at once does not wait.
    #[inline(always)]
    fn multiples(blocks: &mut [Array<u8, Self>], half: &mut Array<u8, Self>) {
        *half = Self::halve(&blocks[0]);
        for i in 1..blocks.len() {
            blocks[i] = Self::double(&blocks[i - 1]);
        }
    }
}

/// u^64 + u^4 + u^3 + u + 1, without its leading term.
const R64: u64 = 0x1b;

/// u^128 + u^7 + u^2 + u + 1, without its leading term.
const R128: u128 = 0x87;

/// u⁻¹: what stands for a one shifted out below.
const HALF_R64: u64 = (R64 >> 1) | (1 << 63);

/// As [`HALF_R64`].
const HALF_R128: u128 = (R128 >> 1) | (1 << 127);

impl DoublingSize for U8 {
    #[inline]
    fn double(block: &Array<u8, U8>) -> Array<u8, U8> {
        let value = u64::from_be_bytes(block.0);
        Array(((value << 1) ^ (R64 * (value >> 63))).to_be_bytes())
    }

    #[inline]
    fn halve(block: &Array<u8, U8>) -> Array<u8, U8> {
        let value = u64::from_be_bytes(block.0);
        Array(((value >> 1) ^ (HALF_R64 * (value & 1))).to_be_bytes())
    }
}

impl DoublingSize for U16 {
    #[inline]
    fn double(block: &Array<u8, U16>) -> Array<u8, U16> {
        Array(double_128(u128::from_be_bytes(block.0)).to_be_bytes())
    }

    #[inline]
    fn halve(block: &Array<u8, U16>) -> Array<u8, U16> {
        Array(halve_128(u128::from_be_bytes(block.0)).to_be_bytes())
    }

    #[inline(always)]
    fn multiples(blocks: &mut [Array<u8, U16>], half: &mut Array<u8, U16>) {
        let [first, doubles @ ..] = blocks else { return };
        let mut value = u128::from_be_bytes(first.0);
        write_number(halve_128(value).swap_bytes(), &mut half.0);
        for block in doubles {
            value = double_128(value);
            write_number(value.swap_bytes(), &mut block.0);
        }
    }
}

#[inline(always)]
fn double_128(value: u128) -> u128 {
    (value << 1) ^ (R128 * (value >> 127))
}

#[inline(always)]
fn halve_128(value: u128) -> u128 {
    (value >> 1) ^ (HALF_R128 * (value & 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carry_is_reduced_by_the_field_polynomial() {
        let mut top64 = [0; 8];
        top64[0] = 0x80;
        assert_eq!(U8::double(&Array(top64)).0, 0x1b_u64.to_be_bytes());
        let mut top128 = [0; 16];
        top128[0] = 0x80;
        assert_eq!(U16::double(&Array(top128)).0, 0x87_u128.to_be_bytes());
    }

    /// RFC 4493 §4: L, then K1 and K2.
    #[test]
    fn subkeys_of_rfc_4493() {
        let l = 0x7df76b0c1ab899b33e42f047b91b546f_u128;
        let k1 = U16::double(&Array(l.to_be_bytes()));
        assert_eq!(k1.0, 0xfbeed618357133667c85e08f7236a8de_u128.to_be_bytes());
        assert_eq!(U16::double(&k1).0, 0xf7ddac306ae266ccf90bc11ee46d513b_u128.to_be_bytes());
    }

    #[test]
    fn halving_undoes_doubling() {
        assert_eq!(HALF_R64, 0x8000_0000_0000_000d);
        assert_eq!(HALF_R128, 0x8000_0000_0000_0000_0000_0000_0000_0043);
        for bit in 0..64 {
            let block = Array((1_u64 << bit | 1 << 63 | 0x5a).to_be_bytes());
            assert_eq!(U8::halve(&U8::double(&block)), block);
            assert_eq!(U8::double(&U8::halve(&block)), block);
        }
        for bit in 0..128 {
            let block = Array((1_u128 << bit | 1 << 127 | 0x5a).to_be_bytes());
            assert_eq!(U16::halve(&U16::double(&block)), block);
            assert_eq!(U16::double(&U16::halve(&block)), block);
        }
    }
}
