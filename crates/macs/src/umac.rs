//! UMAC: RFC 4418; Black, Halevi, Krawczyk, Krovetz, Rogaway 1999. One to four hashes of 32 bits,
//! each of three layers: NH sums products of 32-bit words over blocks of 1024 bytes, a polynomial
//! joins the blocks of a longer message, and an inner product modulo 2^36 − 5 makes 32 bits of it.
//! Hash number i takes the NH key from i·4 words further on. The pad is by AES-128.

mod polynomial;

use core::array;
use core::marker::PhantomData;

use cipher::{Block, BlockCipherEncrypt};
use digest::InvalidLength;
use digest::array::{Array, ArraySize};
use digest::consts::{U4, U8, U12, U16, U1024};
use zeroize::ZeroizeOnDrop;

use self::polynomial::Polynomial;
use crate::carter_wegman::{CarterWegman, HashAndPad, NONCE_LEN, NONCE_LEN_BYTES, hash_in_blocks};
use crate::ciphers::{AES_128, Aes128, Engine};
use crate::facts::{ConstantTime, Facts, KeyLife};
use crate::inside::Inside;
use crate::kernels::opaque::opaque;
use crate::kernels::partial::le_number;
use crate::kernels::umac_nh::{self, HASHES_MAX, Kernel, QUADS};
use crate::kernels::{Choice, Pin};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Standing};
use crate::wipe::{overwrite, wipe};

/// UMAC with 32-bit tags.
pub type Umac32 = CarterWegman<Umac<U4>>;
/// UMAC with 64-bit tags.
pub type Umac64 = CarterWegman<Umac<U8>>;
/// UMAC with 96-bit tags.
pub type Umac96 = CarterWegman<Umac<U12>>;
/// UMAC with 128-bit tags.
pub type Umac128 = CarterWegman<Umac<U16>>;

const BLOCK_LEN: usize = 1024;
/// Bits of a block, which the first layer adds to NH.
const BLOCK_LEN_BITS: u64 = 8 * BLOCK_LEN as u64;
/// Words of 16 bits that the third layer takes.
const L3_WORDS: usize = 8;
/// 2^36 − 5, the modulus of the third layer.
const P36: u64 = (1 << 36) - 5;

/// The keys of UMAC with tags of `T` bytes: 4, 8, 12 or 16.
#[derive(Clone)]
pub struct Umac<T: ArraySize> {
    kernel: Kernel,
    /// Under the key that KDF derives for the pads.
    pad_cipher: Aes128,
    nh: umac_nh::Key,
    poly: [polynomial::Key; HASHES_MAX],
    l3: [L3Key; HASHES_MAX],
    tag_size: PhantomData<fn() -> T>,
}

/// K1 and K2 of L3-HASH (§5.4).
#[derive(Clone, Copy)]
struct L3Key {
    factors: [u64; L3_WORDS],
    mask: u32,
}

const NO_L3_KEY: L3Key = L3Key { factors: [0; L3_WORDS], mask: 0 };

/// Blocks that KDF (§3.2.1) makes for each of its indices, 0 to 4: the key of the pads, then those
/// of the layers (§5.1).
const fn kdf_blocks(hashes: usize) -> [usize; 5] {
    [1, QUADS - HASHES_MAX + hashes, (24 * hashes).div_ceil(16), 4 * hashes, 1]
}

const KDF_BLOCKS_MAX: usize = {
    let [pad, nh, poly, factors, masks] = kdf_blocks(HASHES_MAX);
    pad + nh + poly + factors + masks
};

impl<T: ArraySize> Umac<T> {
    const HASHES: usize = T::USIZE / size_of::<u32>();

    const KDF_BLOCKS: [usize; 5] = kdf_blocks(Self::HASHES);

    /// Sets all keys up. `pad_cipher` is under the mac's own key before.
    fn derive(&mut self) {
        let mut blocks = [Block::<Aes128>::default(); KDF_BLOCKS_MAX];
        let blocks = &mut blocks[..Self::KDF_BLOCKS.iter().sum()];
        let mut rest = &mut *blocks;
        for (index, count) in (0_u128..).zip(Self::KDF_BLOCKS) {
            let part = rest.split_off_mut(..count).expect("as many as counted");
            for (i, block) in (1_u128..).zip(part) {
                block.0 = (index << 64 | i).to_be_bytes();
            }
        }
        self.pad_cipher.encrypt_blocks(blocks);
        self.take_keys(blocks);
        wipe(Array::slice_as_flattened_mut(blocks));
    }

    fn take_keys(&mut self, blocks: &[Block<Aes128>]) {
        let (pad, rest) = blocks.split_at(Self::KDF_BLOCKS[0]);
        let (nh, rest) = rest.split_at(Self::KDF_BLOCKS[1]);
        let (poly, rest) = rest.split_at(Self::KDF_BLOCKS[2]);
        let (factors, masks) = rest.split_at(Self::KDF_BLOCKS[3]);
        self.set_pad_key(&pad[0]);
        self.nh.derive(Array::cast_slice_to_core(nh));
        let poly = Array::slice_as_flattened(poly).as_chunks().0;
        for (key, bytes) in self.poly.iter_mut().zip(poly).take(Self::HASHES) {
            *key = polynomial::Key::new(bytes);
        }
        let factors = factors.as_chunks::<4>().0;
        let masks = masks[0].0.as_chunks().0;
        for ((key, factors), mask) in self.l3.iter_mut().zip(factors).zip(masks) {
            let words = Array::slice_as_flattened(factors).as_chunks().0;
            key.factors = array::from_fn(|i| reduce_36(u64::from_be_bytes(words[i])));
            key.mask = u32::from_be_bytes(*mask);
        }
    }

    fn set_pad_key(&mut self, key: &Array<u8, U16>) {
        self.pad_cipher.rekey(key, Inside(())).expect("the key is of the cipher's length");
    }

    /// NH of a whole block for N hashes, added to their sums.
    #[inline(always)]
    fn add_block<const N: usize>(&self, block: &[u8; 1024], sums: &mut [u64; HASHES_MAX]) {
        let sums = sums.first_chunk_mut::<N>().expect("N is at most HASHES_MAX");
        self.kernel.add(&self.nh, block.as_chunks().0, sums);
    }

    /// NH of the last, incomplete block for N hashes, added to their sums.
    #[inline(always)]
    fn add_tail<const N: usize>(&self, tail: &[u8], sums: &mut [u64; HASHES_MAX]) {
        let sums = sums.first_chunk_mut::<N>().expect("N is at most HASHES_MAX");
        self.kernel.add_tail(&self.nh, tail, sums);
    }

    /// L1-HASH (§5.2) of a whole block.
    #[inline(always)]
    fn l1_of_block(&self, block: &[u8; 1024]) -> [u64; HASHES_MAX] {
        let mut sums = [BLOCK_LEN_BITS; HASHES_MAX];
        match Self::HASHES {
            1 => self.add_block::<1>(block, &mut sums),
            2 => self.add_block::<2>(block, &mut sums),
            3 => self.add_block::<3>(block, &mut sums),
            _ => self.add_block::<HASHES_MAX>(block, &mut sums),
        }
        sums
    }

    /// L1-HASH of the last, incomplete block.
    #[inline(always)]
    fn l1_of_tail(&self, tail: &[u8]) -> [u64; HASHES_MAX] {
        let mut sums = [8 * tail.len() as u64; HASHES_MAX];
        match Self::HASHES {
            1 => self.add_tail::<1>(tail, &mut sums),
            2 => self.add_tail::<2>(tail, &mut sums),
            3 => self.add_tail::<3>(tail, &mut sums),
            _ => self.add_tail::<HASHES_MAX>(tail, &mut sums),
        }
        sums
    }
}

impl<T: ArraySize> HashAndPad for Umac<T> {
    type KeySize = U16;
    type BlockSize = U1024;
    type TagSize = T;
    type Running = Polynomial<HASHES_MAX>;

    const START: Self::Running = Polynomial::START;

    #[inline]
    fn new(pin: Pin, key: &Array<u8, U16>) -> Self {
        let mut keys = Self {
            kernel: Kernel::pinned(pin),
            pad_cipher: Aes128::keyed_on(pin, key, Inside(())),
            nh: umac_nh::Key::BLANK,
            poly: [polynomial::Key::NONE; HASHES_MAX],
            l3: [NO_L3_KEY; HASHES_MAX],
            tag_size: PhantomData,
        };
        keys.derive();
        keys
    }

    #[inline]
    fn rekey(&mut self, key: &Array<u8, U16>) {
        self.set_pad_key(key);
        self.derive();
    }

    /// PDF of §3.3.1: with tags of 4 or 8 bytes the lowest bits of the nonce choose the part of a
    /// block that several nonces share.
    #[inline(always)]
    fn pad(&self, nonce: &[u8]) -> Result<u128, InvalidLength> {
        const BLOCK_BYTES: usize = size_of::<Block<Aes128>>();
        let last = match (nonce, nonce.len()) {
            ([.., last], ..=BLOCK_BYTES) => *last,
            _ => return Err(InvalidLength),
        };
        let index = usize::from(last) % (BLOCK_BYTES / T::USIZE);
        let number = le_number(nonce) - ((index as u128) << (8 * (nonce.len() - 1)));
        Ok(self.pad_cipher.encrypted_number(number, Inside(())) >> (8 * index * T::USIZE))
    }

    #[inline]
    fn absorb(&self, running: &mut Self::Running, blocks: &[Array<u8, U1024>]) {
        for block in blocks {
            running.absorb(&self.poly[..Self::HASHES], &self.l1_of_block(&block.0));
        }
    }

    #[inline]
    fn finish(&self, running: &mut Self::Running, tail: &[u8], pad: u128, tag: &mut Array<u8, T>) {
        put(pad, tag);
        if !tail.is_empty() || running.is_empty() {
            running.absorb_last(&self.poly[..Self::HASHES], &self.l1_of_tail(tail));
        }
        for (hash, word) in tag.as_chunks_mut().0.iter_mut().enumerate() {
            let l2 = running.finish(&self.poly[hash], hash);
            hide(word, l3(&l2.to_be_bytes(), &self.l3[hash]));
        }
    }

    /// A message of at most a block has no second layer: see `Polynomial::absorb_last`.
    #[inline(always)]
    fn hash_whole(&self, message: &[u8], pad: u128, tag: &mut Array<u8, T>) {
        put(pad, tag);
        let mut l2 = match message.try_into() {
            Ok(block) => self.l1_of_block(block),
            Err(_) if message.len() < BLOCK_LEN => self.l1_of_tail(message),
            Err(_) => return hash_in_blocks(self, message, pad, tag),
        };
        for ((word, l2), key) in tag.as_chunks_mut().0.iter_mut().zip(&l2).zip(&self.l3) {
            hide(word, l3(&l2.to_be_bytes(), key));
        }
        overwrite(&mut l2, [0; HASHES_MAX]);
    }
}

impl<T: ArraySize> Drop for Umac<T> {
    /// The cipher wipes its own key schedule.
    fn drop(&mut self) {
        overwrite(&mut self.nh, umac_nh::Key::BLANK);
        overwrite(&mut self.poly, [polynomial::Key::NONE; HASHES_MAX]);
        overwrite(&mut self.l3, [NO_L3_KEY; HASHES_MAX]);
    }
}

impl<T: ArraySize> ZeroizeOnDrop for Umac<T> {}

/// Modulo 2^36 − 5, without a division, whose time might depend on the word.
#[inline(always)]
fn reduce_36(word: u64) -> u64 {
    // 2^36 is 5; below 2^36 + 5·2^28, and then below the modulus.
    let folded = (word & (u64::MAX >> 28)) + 5 * (word >> 36);
    folded - (P36 & opaque(u64::from(folded >= P36)).wrapping_neg())
}

/// L3-HASH (§5.4) of `N` bytes, before which there are zeros.
#[inline(always)]
fn l3<const N: usize>(l2: &[u8; N], key: &L3Key) -> u32 {
    let words = l2.as_chunks().0.iter().map(|word| u64::from(u16::from_be_bytes(*word)));
    // Up to eight products of 16 and 36 bits.
    let factors = &key.factors[L3_WORDS - N / 2..];
    let sum: u64 = words.zip(factors).map(|(word, factor)| word * factor).sum();
    reduce_36(sum) as u32 ^ key.mask
}

/// Puts the pad where the tag will be: in registers it would be in the way of the hash.
#[inline(always)]
fn put<T: ArraySize>(pad: u128, tag: &mut Array<u8, T>) {
    let (pad, len) = (pad.to_le_bytes(), tag.len());
    tag.copy_from_slice(&pad[..len]);
}

/// Adds a hash to the pad: the tag.
#[inline(always)]
fn hide(pad: &mut [u8; 4], hash: u32) {
    *pad = (u32::from_be_bytes(*pad) ^ hash).to_be_bytes();
}

pub(crate) const ROWS: &[MacInfo] = &[
    row::<U4>("umac-32", "UMAC-32"),
    row::<U8>("umac-64", "UMAC-64"),
    row::<U12>("umac-96", "UMAC-96"),
    row::<U16>("umac-128", "UMAC-128"),
];

/// All three layers have no table and no branch by data.
const OF_HASH: ConstantTime = ConstantTime::Mostly("where the multiplications of the hash are");

const fn row<T: ArraySize + Send + Sync>(name: &'static str, title: &'static str) -> MacInfo {
    let nonce_len = (NONCE_LEN_BYTES, NONCE_LEN);
    let primitive = &AES_128.primitive;
    MacInfo::nonce_mac::<CarterWegman<Umac<T>>>(
        name,
        title,
        &MODE,
        primitive,
        AES_128.key_len(),
        nonce_len,
    )
    .with_one_nonce_len_per_key()
    .with_universal_hash(Paths::own::<Kernel>(), OF_HASH)
}

static MODE: Mode = Mode {
    title: "UMAC",
    specification: "RFC 4418 with erratum 3507",
    standing: Standing::Conditional,
    proof: "almost-universal hash under a pad by AES as pseudorandom function (Black, Halevi, \
            Krawczyk, Krovetz, Rogaway 1999; RFC 4418 §6)",
    bound: "a forgery succeeds with 2^-30, 2^-60, 2^-90 or 2^-120 a try with tags of 32, 64, 96 or \
            128 bits (RFC 4418 §6.2), and what tells AES from a random function",
    nonce: "never twice under a key, and all of one length, 8 bytes unless another is chosen: they \
            are padded with zeros on the right, so that 04 and 0400 would be the same",
    key_life: "far fewer than 2^64 messages per key: the pads are blocks of a permutation; with \
               32-bit tags few forgery tries may be allowed",
    approved_by: "ISO/IEC 9797-3; RFC 4418 is informational",
    attacks: "two tags under one nonce give the difference of two hashes away, from which keys of \
              the hash can be found and tags forged; so may a forgery that succeeded (Handschuh, \
              Preneel 2008)",
    facts: Facts { key_life: KeyLife::Messages, ..Facts::NONCE_MAC },
};
