//! The second layer, L2-HASH and POLY: RFC 4418 §5.3. The first 2^14 values of the first layer are
//! coefficients modulo 2^64 − 59, the further ones, two by two, modulo 2^128 − 159. A message of
//! one block skips the layer.

use crate::kernels::opaque::opaque;

/// Values of the first layer that the polynomial of 64 bits takes: 2^17 bytes of them.
const NARROW_MAX: u64 = 1 << 14;

/// 2^64 less the prime below it, and likewise for 128 bits.
const OFFSET_64: u64 = 59;
const OFFSET_128: u128 = 159;

/// The largest coefficients that are taken as they are; the 32 highest bits of all above are ones.
#[cfg(test)]
const PLAIN_MAX_64: u64 = u64::MAX - (1 << 32);
#[cfg(test)]
const PLAIN_MAX_128: u128 = u128::MAX - (1 << 96);

/// What is taken before any other coefficient, which is then made smaller by the offset: p − 1.
const MARKER_64: u64 = (OFFSET_64 + 1).wrapping_neg();
const MARKER_128: u128 = (OFFSET_128 + 1).wrapping_neg();

/// The bits that a key may have.
const KEY_MASK_64: u64 = 0x01ff_ffff_01ff_ffff;
const KEY_MASK_128: u128 = 0x01ff_ffff_01ff_ffff_01ff_ffff_01ff_ffff;

/// The keys of one hash's two polynomials.
#[derive(Clone, Copy)]
pub(super) struct Key {
    narrow: u64,
    wide: u128,
}

impl Key {
    pub(super) const NONE: Self = Self { narrow: 0, wide: 0 };

    /// From the 24 bytes that KDF gives.
    pub(super) fn new(bytes: &[u8; 24]) -> Self {
        let narrow = bytes.first_chunk().expect("8 of 24 bytes");
        let wide = bytes.last_chunk().expect("16 of 24 bytes");
        Self {
            narrow: u64::from_be_bytes(*narrow) & KEY_MASK_64,
            wide: u128::from_be_bytes(*wide) & KEY_MASK_128,
        }
    }
}

/// The polynomials of N hashes up to here.
#[derive(Clone, Copy)]
pub struct Polynomial<const N: usize> {
    narrow: [u64; N],
    wide: [u128; N],
    /// The value last taken: the only one, or the first half of a coefficient of 128 bits.
    held: [u64; N],
    /// Values taken, the same number for every hash.
    count: u64,
}

impl<const N: usize> Polynomial<N> {
    pub(super) const START: Self = Self { narrow: [1; N], wide: [1; N], held: [0; N], count: 0 };

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes the next value of each hash that has a key here.
    #[inline(always)]
    pub(super) fn absorb(&mut self, keys: &[Key], values: &[u64; N]) {
        for (hash, key) in keys.iter().enumerate() {
            let value = values[hash];
            if self.count < NARROW_MAX {
                self.narrow[hash] = step_64(self.narrow[hash], key.narrow, value);
            } else {
                self.absorb_wide(hash, key, value);
            }
            self.held[hash] = value;
        }
        self.count += 1;
    }

    /// As [`absorb`](Self::absorb), for the last value; alone, it skips the layer.
    #[inline(always)]
    pub(super) fn absorb_last(&mut self, keys: &[Key], values: &[u64; N]) {
        if self.is_empty() {
            (self.held, self.count) = (*values, 1);
        } else {
            self.absorb(keys, values);
        }
    }

    /// The value of the narrow polynomial is the first coefficient of the wide one.
    fn absorb_wide(&mut self, hash: usize, key: &Key, value: u64) {
        if self.count == NARROW_MAX {
            let first = u128::from(reduce_64(self.narrow[hash]));
            self.wide[hash] = step_128(self.wide[hash], key.wide, first);
        }
        if self.count % 2 == 1 {
            let pair = u128::from(self.held[hash]) << 64 | u128::from(value);
            self.wide[hash] = step_128(self.wide[hash], key.wide, pair);
        }
    }

    /// What the second layer makes of the values of this hash.
    #[inline(always)]
    pub(super) fn finish(&self, key: &Key, hash: usize) -> u128 {
        match self.count {
            0 | 1 => u128::from(self.held[hash]),
            2..=NARROW_MAX => u128::from(reduce_64(self.narrow[hash])),
            _ => self.finish_wide(key, hash),
        }
    }

    /// The last coefficient is padded with a one bit and zeros, always.
    fn finish_wide(&self, key: &Key, hash: usize) -> u128 {
        let last = if self.count % 2 == 1 {
            u128::from(self.held[hash]) << 64 | 1 << 63
        } else {
            1 << 127
        };
        reduce_128(step_128(self.wide[hash], key.wide, last))
    }
}

/// POLY's step for words of 64 bits, without the last reduction. The marker's step is computed
/// where it is not needed as well, so that the time does not depend on the coefficient; and what
/// chooses, here and below, is opaque to the compiler.
#[inline(always)]
fn step_64(y: u64, key: u64, m: u64) -> u64 {
    let marked = opaque(((m >> 32) + 1) >> 32).wrapping_neg();
    let y = y ^ marked & (y ^ multiply_add_64(y, key, MARKER_64));
    let m = m - (marked & OFFSET_64);
    multiply_add_64(y, key, m)
}

/// As [`step_64`], for words of 128 bits.
fn step_128(y: u128, key: u128, m: u128) -> u128 {
    let marked = u128::from(opaque((((m >> 96) + 1) >> 32) as u64)).wrapping_neg();
    let y = y ^ marked & (y ^ multiply_add_128(y, key, MARKER_128));
    let m = m - (marked & OFFSET_128);
    multiply_add_128(y, key, m)
}

/// y·key + m modulo 2^64 − 59, not fully reduced; the key has 57 bits.
#[inline(always)]
fn multiply_add_64(y: u64, key: u64, m: u64) -> u64 {
    let sum = u128::from(y) * u128::from(key) + u128::from(m);
    // The high half has 58 bits, its product with the offset 64.
    let (low, carry) = (sum as u64).overflowing_add((sum >> 64) as u64 * OFFSET_64);
    // Where this carries, `low` is small.
    add_64(low, OFFSET_64 * opaque(u64::from(carry)))
}

/// a + b modulo 2^64 − 59, not fully reduced; b is small.
#[inline(always)]
fn add_64(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    sum + OFFSET_64 * opaque(u64::from(carry))
}

/// y·key + m modulo 2^128 − 159, not fully reduced. Each half of the key has 57 bits.
fn multiply_add_128(y: u128, key: u128, m: u128) -> u128 {
    let product = |a: u128, b: u128| u128::from(a as u64) * u128::from(b as u64);
    let middle = product(y >> 64, key) + product(y, key >> 64);
    let (low, carry) = product(y, key).overflowing_add(middle << 64);
    let high = product(y >> 64, key >> 64) + (middle >> 64) + u128::from(opaque(u64::from(carry)));
    // 159·high in two parts: it has up to 130 bits.
    let folded_low = product(high, OFFSET_128);
    let folded_high = product(high >> 64, OFFSET_128) + (folded_low >> 64);
    let folded = folded_high << 64 | u128::from(folded_low as u64);
    let over = (folded_high >> 64) * OFFSET_128;
    add_128(add_128(add_128(low, folded), over), m)
}

/// a + b modulo 2^128 − 159, not fully reduced.
fn add_128(a: u128, b: u128) -> u128 {
    let (sum, carry) = a.overflowing_add(b);
    let (sum, carry) = sum.overflowing_add(OFFSET_128 * u128::from(opaque(u64::from(carry))));
    sum + OFFSET_128 * u128::from(opaque(u64::from(carry)))
}

#[inline(always)]
fn reduce_64(y: u64) -> u64 {
    y.wrapping_add(OFFSET_64 * opaque(u64::from(y >= OFFSET_64.wrapping_neg())))
}

fn reduce_128(y: u128) -> u128 {
    y.wrapping_add(OFFSET_128 * u128::from(opaque(u64::from(y >= OFFSET_128.wrapping_neg()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const P64: u128 = (1 << 64) - 59;
    const P128: u128 = u128::MAX - 158;

    /// Values at which sums carry, coefficients need the marker, and residues are not the least.
    const ENDS_64: [u64; 8] =
        [0, 1, 58, PLAIN_MAX_64, PLAIN_MAX_64 + 1, u64::MAX - 59, u64::MAX - 58, u64::MAX];
    const ENDS_128: [u128; 9] = [
        0,
        1,
        158,
        u64::MAX as u128,
        PLAIN_MAX_128,
        PLAIN_MAX_128 + 1,
        u128::MAX - 159,
        u128::MAX - 158,
        u128::MAX,
    ];

    /// y·key + m modulo 2^128 − 159, bit by bit.
    fn plain(y: u128, key: u128, m: u128) -> u128 {
        let add = |a: u128, b: u128| if b > 0 && a >= P128 - b { a - (P128 - b) } else { a + b };
        let product = (0..128).rev().fold(0, |sum, bit| {
            let doubled = add(sum, sum);
            if key >> bit & 1 == 1 { add(doubled, y % P128) } else { doubled }
        });
        add(product, m % P128)
    }

    #[test]
    fn a_narrow_step_is_that_of_the_specification() {
        for y in ENDS_64 {
            for key in [0, 1, KEY_MASK_64 - 1, KEY_MASK_64] {
                for m in ENDS_64 {
                    let times_key = |y: u128| y % P64 * u128::from(key);
                    let expected = if m > PLAIN_MAX_64 {
                        let marked = (times_key(y.into()) + P64 - 1) % P64;
                        (times_key(marked) + u128::from(m - OFFSET_64)) % P64
                    } else {
                        (times_key(y.into()) + u128::from(m)) % P64
                    };
                    let stepped = u128::from(reduce_64(step_64(y, key, m)));
                    assert_eq!(stepped, expected, "{y:x}·{key:x} + {m:x}");
                }
            }
        }
    }

    #[test]
    fn a_wide_step_is_that_of_the_specification() {
        for y in ENDS_128 {
            for key in [0, 1, 1 << 64, KEY_MASK_128 - 1, KEY_MASK_128] {
                for m in ENDS_128 {
                    let expected = if m > PLAIN_MAX_128 {
                        plain(plain(y, key, P128 - 1), key, m - OFFSET_128)
                    } else {
                        plain(y, key, m)
                    };
                    let stepped = reduce_128(step_128(y, key, m));
                    assert_eq!(stepped, expected, "{y:x}·{key:x} + {m:x}");
                }
            }
        }
    }
}
