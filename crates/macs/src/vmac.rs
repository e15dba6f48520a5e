//! VMAC: draft-krovetz-vmac-01; Krovetz 2006, Dai and Krovetz 2007. The hash has three layers, each
//! under a key of its own: NH sums products of 64-bit words over blocks of 128 bytes, a polynomial
//! modulo 2^127 − 1 joins the blocks, and an inner product modulo 2^64 − 257 makes 64 bits of it.
//! The tag of 128 bits is two such hashes; the second takes the NH key from two words further on.

use core::marker::PhantomData;
use core::slice;

use cipher::Block;
use digest::InvalidLength;
use digest::array::{Array, ArraySize};
use digest::consts::{U8, U16, U128};
use zeroize::ZeroizeOnDrop;

use crate::carter_wegman::{CarterWegman, HashAndPad};
use crate::catalog::MacInfo;
use crate::ciphers::{CipherInfo, WideCipher, over_aes};
use crate::len::Len;
use crate::status::{Mode, Standing};
use crate::wipe::{overwrite, supersede, wipe};

/// VMAC with 64-bit tags over the block cipher `C`.
pub type Vmac64<C> = CarterWegman<Vmac<C, U8>>;
/// VMAC with 128-bit tags over the block cipher `C`.
pub type Vmac128<C> = CarterWegman<Vmac<C, U16>>;

/// 2^127 − 1, the modulus of the second layer.
const P127: u128 = (1 << 127) - 1;
/// 2^64 − 257, the modulus of the third layer.
const P64: u64 = 257_u64.wrapping_neg();
/// What 2^64 is modulo `P64`.
const FOLD_64: u64 = 257;
/// The first layer's sums go on with 126 bits (§5.3 of the draft).
const NH_MASK: u128 = (1 << 126) - 1;
/// The bits that a word of the polynomial's key may have (§5.4).
const POLY_KEY_MASK: u64 = 0x1fff_ffff_1fff_ffff;

/// First bytes of the blocks that are encrypted to derive the keys of the layers (§5.3 to §5.5).
/// Their top bit is set, a nonce's is not.
const NH_DOMAIN: u8 = 0x80;
const POLY_DOMAIN: u8 = 0xc0;
const L3_DOMAIN: u8 = 0xe0;

/// Pairs of NH key words for a block.
const NH_PAIRS: usize = 8;

/// The most hashes a tag is made of.
const HASHES_MAX: usize = 2;

/// The keys of VMAC over the block cipher `C` with tags of `T` bytes, 8 or 16.
#[derive(Clone)]
pub struct Vmac<C: WideCipher, T: ArraySize> {
    cipher: C,
    nh: [[u64; 2]; NH_PAIRS + HASHES_MAX - 1],
    /// A key for each hash, as for the third layer.
    poly: [[u64; 2]; HASHES_MAX],
    l3: [[u64; 2]; HASHES_MAX],
    tag_size: PhantomData<fn() -> T>,
}

/// The polynomial of each hash up to here, and whether a block has gone into it.
#[derive(Clone, Copy)]
pub struct Running {
    y: [u128; HASHES_MAX],
    is_begun: bool,
}

impl<C: WideCipher, T: ArraySize> Vmac<C, T> {
    const HASHES: usize = T::USIZE / size_of::<u64>();

    /// Derives the keys of the layers: KDF and key set-up of §3.2 and §5.2.
    fn derive(&mut self) {
        let mut blocks = [Block::<C>::default(); NH_PAIRS - 1 + 3 * HASHES_MAX];
        let blocks = &mut blocks[..NH_PAIRS - 1 + 3 * Self::HASHES];
        let (nh, rest) = blocks.split_at_mut(NH_PAIRS - 1 + Self::HASHES);
        let (poly, l3) = rest.split_at_mut(Self::HASHES);
        for (domain, part) in [(NH_DOMAIN, nh), (POLY_DOMAIN, poly), (L3_DOMAIN, l3)] {
            for (index, block) in (0..).zip(part) {
                *block = derivation_block(domain, index);
            }
        }
        self.cipher.encrypt_blocks(blocks);

        let mut pairs = blocks.iter().map(be_words);
        for (key, pair) in self.nh[..NH_PAIRS - 1 + Self::HASHES].iter_mut().zip(&mut pairs) {
            *key = pair;
        }
        for (key, pair) in self.poly[..Self::HASHES].iter_mut().zip(&mut pairs) {
            *key = pair.map(|word| word & POLY_KEY_MASK);
        }
        // A pair that is not below the modulus, which is rare, is passed over for the next one.
        let further = (Self::HASHES as u8..).map(|index| {
            let mut block = derivation_block(L3_DOMAIN, index);
            self.cipher.encrypt_block(&mut block);
            be_words(&block)
        });
        let mut below = pairs.chain(further).filter(|pair| pair.iter().all(|&word| word < P64));
        for key in &mut self.l3[..Self::HASHES] {
            *key = below.next().expect("the cipher gives blocks without end");
        }
        wipe(Array::slice_as_flattened_mut(blocks));
    }

    /// Adds NH of these pairs of message words, under the keys from the first on, to `sums`.
    #[inline(always)]
    fn nh(keys: &[[u64; 2]], pairs: &[[u8; 16]], sums: &mut [u128; HASHES_MAX]) {
        for (pair, keys) in pairs.iter().zip(keys.windows(HASHES_MAX)) {
            let message = u128::from_le_bytes(*pair);
            let (m0, m1) = (message as u64, (message >> 64) as u64);
            for (sum, key) in sums.iter_mut().zip(keys).take(Self::HASHES) {
                let (a, b) = (m0.wrapping_add(key[0]), m1.wrapping_add(key[1]));
                *sum = sum.wrapping_add(u128::from(a) * u128::from(b));
            }
        }
    }

    /// The next coefficient of every polynomial.
    #[inline(always)]
    fn step(&self, y: &mut [u128; HASHES_MAX], sums: &[u128; HASHES_MAX]) {
        for ((y, sum), key) in y.iter_mut().zip(sums).zip(&self.poly).take(Self::HASHES) {
            *y = poly_step(*y, key, sum & NH_MASK);
        }
    }

    /// NH and polynomial of the last, incomplete block, zero-padded to a whole pair of words.
    #[inline(always)]
    fn absorb_tail(&self, y: &mut [u128; HASHES_MAX], tail: &[u8]) {
        let mut sums = [0; HASHES_MAX];
        let (pairs, rest) = tail.as_chunks();
        Self::nh(&self.nh, pairs, &mut sums);
        if !rest.is_empty() {
            let mut padded = [0; 16];
            padded[..rest.len()].copy_from_slice(rest);
            Self::nh(&self.nh[pairs.len()..], slice::from_ref(&padded), &mut sums);
        }
        self.step(y, &sums);
    }
}

impl<C: WideCipher, T: ArraySize> HashAndPad for Vmac<C, T> {
    type KeySize = C::KeySize;
    type BlockSize = U128;
    type TagSize = T;
    type Running = Running;

    const START: Running = Running { y: [1; HASHES_MAX], is_begun: false };

    #[inline]
    fn new(key: &Array<u8, C::KeySize>) -> Self {
        let mut keys = Self {
            cipher: C::new(key),
            nh: [[0; 2]; NH_PAIRS + HASHES_MAX - 1],
            poly: [[0; 2]; HASHES_MAX],
            l3: [[0; 2]; HASHES_MAX],
            tag_size: PhantomData,
        };
        keys.derive();
        keys
    }

    #[inline]
    fn rekey(&mut self, key: &Array<u8, C::KeySize>) {
        supersede(&mut self.cipher, C::new(key));
        self.derive();
    }

    /// PDF of §3.3: with 64-bit tags the lowest bit of the nonce chooses the half of a block that
    /// two nonces share.
    #[inline]
    fn pad_into(&self, nonce: &[u8], pad: &mut Array<u8, T>) -> Result<(), InvalidLength> {
        let mut block = Block::<C>::default();
        let start = block.len().checked_sub(nonce.len()).ok_or(InvalidLength)?;
        block[start..].copy_from_slice(nonce);
        if nonce.is_empty() || block[0] >= 0x80 {
            return Err(InvalidLength);
        }
        let pads_per_block = block.len() / T::USIZE;
        let index = usize::from(block[15]) % pads_per_block;
        block[15] -= index as u8;
        self.cipher.encrypt_block(&mut block);
        pad.copy_from_slice(&block[index * T::USIZE..][..T::USIZE]);
        wipe(&mut block);
        Ok(())
    }

    #[inline]
    fn absorb(&self, running: &mut Running, blocks: &[Array<u8, U128>]) {
        running.is_begun = true;
        let mut y = running.y;
        for block in blocks {
            let mut sums = [0; HASHES_MAX];
            Self::nh(&self.nh, block.0.as_chunks().0, &mut sums);
            self.step(&mut y, &sums);
        }
        running.y = y;
    }

    #[inline]
    fn finish(&self, running: &mut Running, tail: &[u8], tag: &mut Array<u8, T>) {
        // The empty message has one coefficient, zero, of no bits.
        if !tail.is_empty() || !running.is_begun {
            self.absorb_tail(&mut running.y, tail);
        }
        let tail_len_bits = 8 * tail.len() as u64;
        for (hash, word) in tag.as_chunks_mut().0.iter_mut().enumerate() {
            let hashed = l3(running.y[hash], &self.l3[hash], tail_len_bits);
            *word = u64::from_be_bytes(*word).wrapping_add(hashed).to_be_bytes();
        }
    }
}

impl<C: WideCipher, T: ArraySize> Drop for Vmac<C, T> {
    /// The cipher wipes its own key schedule.
    fn drop(&mut self) {
        overwrite(&mut self.nh, [[0; 2]; NH_PAIRS + HASHES_MAX - 1]);
        overwrite(&mut self.poly, [[0; 2]; HASHES_MAX]);
        overwrite(&mut self.l3, [[0; 2]; HASHES_MAX]);
    }
}

impl<C: WideCipher + ZeroizeOnDrop, T: ArraySize> ZeroizeOnDrop for Vmac<C, T> {}

/// The block whose encryption is the pair of key words of this number.
fn derivation_block(domain: u8, index: u8) -> Array<u8, U16> {
    let mut block = Array::default();
    (block[0], block[15]) = (domain, index);
    block
}

fn be_words(block: &Array<u8, U16>) -> [u64; 2] {
    let block = u128::from_be_bytes(block.0);
    [(block >> 64) as u64, block as u64]
}

/// y·key + m modulo 2^127 − 1 (§5.4), not fully reduced: at most 2^127, as y is. Words of the key
/// have 61 bits with three zeros at bit 29, so that the sum below stays under 2^128.
#[inline(always)]
fn poly_step(y: u128, &[key_high, key_low]: &[u64; 2], m: u128) -> u128 {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let (high, low) = ((y >> 64) as u64, y as u64);
    // 2^128 is 2, and 2^64·2^63 is 1.
    let ends = product(low, key_low) + product(high, 2 * key_high);
    let middle = product(high, key_low) + product(low, key_high);
    let sum = ends + m + (middle >> 63) + ((middle << 64) & P127);
    (sum & P127) + (sum >> 127)
}

/// L3-HASH (§5.5) of the polynomial's value, at most 2^127, and the length of the last block.
#[inline(always)]
fn l3(y: u128, key: &[u64; 2], tail_len_bits: u64) -> u64 {
    let sum = y + (u128::from(tail_len_bits) << 64);
    let folded = (sum & P127) + (sum >> 127);
    let reduced = (folded + u128::from(folded == P127)) & P127;

    // Quotient and remainder by 2^64 − 2^32: `high` times of it leave high·2^32 + low.
    let (high, low) = ((reduced >> 64) as u64, reduced as u64);
    let quotient = high + (high + (low >> 32)) / 0xffff_ffff;
    let remainder = low.wrapping_add(quotient << 32);
    multiply_mod_p64(add_mod_p64(quotient, key[0]), add_mod_p64(remainder, key[1]))
}

/// The sum modulo `P64`, not fully reduced; `b` is.
#[inline(always)]
fn add_mod_p64(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    sum.wrapping_add(FOLD_64 * u64::from(carry))
}

#[inline(always)]
fn multiply_mod_p64(a: u64, b: u64) -> u64 {
    let fold = |x: u128| u128::from(x as u64) + (x >> 64) * u128::from(FOLD_64);
    // Below 2^128, 2^73, 2^64 + 2^18 and 2^64.
    let folded = fold(fold(fold(u128::from(a) * u128::from(b)))) as u64;
    folded.wrapping_add(FOLD_64 * u64::from(folded >= P64))
}

pub(crate) const ROWS_64: &[MacInfo] = over_aes!(row_64, "vmac64", "VMAC-64");
pub(crate) const ROWS_128: &[MacInfo] = over_aes!(row_128, "vmac128", "VMAC-128");

const fn row_64<C: WideCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    MacInfo::nonce_mac::<Vmac64<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len(), NONCE)
}

const fn row_128<C: WideCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    MacInfo::nonce_mac::<Vmac128<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len(), NONCE)
}

/// Of a nonce of 16 bytes the top bit must be zero; with 8 nobody can go wrong.
const NONCE: (usize, Len) = (8, Len::Between(1, 16));

static MODE: Mode = Mode {
    title: "VMAC",
    specification: "draft-krovetz-vmac-01 (2007, expired); Krovetz 2006, Dai and Krovetz 2007",
    standing: Standing::Conditional,
    proof: "almost-Δ-universal hash (Dai, Krovetz 2007) under a pad by AES as pseudorandom \
            function",
    bound: "a forgery succeeds with 2^-60 a try with 64-bit tags, with 2^-120 with 128-bit ones \
            (draft §6.2), and what tells AES from a random function",
    nonce: "never twice under a key; 127 bits at most, shorter ones padded with zeros on the left, \
            so that 01 and 0001 are the same",
    key_life: "far fewer than 2^64 messages a key: the pads are blocks of a permutation",
    approved_by: "nobody: an Internet-Draft that expired",
    attacks: "two tags under one nonce give the difference of two hashes away, from which keys of \
              the hash can be found and tags forged",
};

#[cfg(test)]
mod tests {
    use super::*;

    /// y·key + m modulo 2^127 − 1, bit by bit.
    fn plain(y: u128, key: u128, m: u128) -> u128 {
        let product = (0..127).rev().fold(0, |sum, bit| {
            let doubled = 2 * sum % P127;
            if key >> bit & 1 == 1 { (doubled + y % P127) % P127 } else { doubled }
        });
        (product + m) % P127
    }

    #[test]
    fn a_polynomial_step_stays_in_its_bound() {
        for y in [0, 1, u64::MAX.into(), 1 << 126, P127 - 1, P127, P127 + 1] {
            for key in [[0, 1], [1, 0], [POLY_KEY_MASK; 2]] {
                for m in [0, 1, u64::MAX.into(), NH_MASK] {
                    let stepped = poly_step(y, &key, m);
                    assert!(stepped <= P127 + 1);
                    let key = u128::from(key[0]) << 64 | u128::from(key[1]);
                    assert_eq!(stepped % P127, plain(y, key, m), "{y:x}·{key:x} + {m:x}");
                }
            }
        }
    }

    #[test]
    fn the_third_layer_is_that_of_the_specification() {
        let divisor = (1 << 64) - (1 << 32);
        let ys = [0, 1, divisor - 1, divisor, P127 - 1, P127, P127 + 1, divisor << 62];
        for y in ys.into_iter().chain([(divisor << 62) - 1, P127 - (1 << 32), P127 - divisor]) {
            for tail_len_bits in [0, 8, 1016] {
                for key in [[0, 0], [1, P64 - 1], [P64 - 1, 1], [P64 - 1; 2]] {
                    let sum = (y % P127 + (u128::from(tail_len_bits) << 64)) % P127;
                    let p64 = u128::from(P64);
                    let a = (sum / divisor + u128::from(key[0])) % p64;
                    let b = (sum % divisor + u128::from(key[1])) % p64;
                    let hashed = l3(y, &key, tail_len_bits);
                    assert_eq!(u128::from(hashed), a * b % p64, "{y:x} {key:x?} {tail_len_bits}");
                }
            }
        }
    }
}
