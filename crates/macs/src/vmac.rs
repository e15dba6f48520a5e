//! VMAC: draft-krovetz-vmac-01; Krovetz 2006, Dai and Krovetz 2007. The hash has three layers, each
//! under a key of its own: NH sums products of 64-bit words over blocks of 128 bytes, a polynomial
//! modulo 2^127 − 1 joins the blocks, and an inner product modulo 2^64 − 257 makes 64 bits of it.
//! The tag of 128 bits is two such hashes; the second takes the NH key from two words further on.

use core::marker::PhantomData;

use digest::InvalidLength;
use digest::array::{Array, ArraySize};
use digest::consts::{U8, U16, U128};
use zeroize::ZeroizeOnDrop;

use crate::carter_wegman::{CarterWegman, HashAndPad, NONCE_LEN, NONCE_LEN_BYTES};
use crate::ciphers::{CipherInfo, WideCipher, rows_over};
use crate::facts::{ConstantTime, Facts, KeyLife};
use crate::inside::Inside;
use crate::kernels::partial::le_number;
use crate::kernels::vhash::{self, HASHES_MAX, Kernel};
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Standing};
use crate::wipe::{overwrite, wipe};

/// VMAC with 64-bit tags over the block cipher `C`.
pub type Vmac64<C> = CarterWegman<Vmac<C, U8>>;
/// VMAC with 128-bit tags over the block cipher `C`.
pub type Vmac128<C> = CarterWegman<Vmac<C, U16>>;

/// The keys of VMAC over the block cipher `C` with tags of `T` bytes, 8 or 16.
#[derive(Clone)]
pub struct Vmac<C: WideCipher, T: ArraySize> {
    kernel: Kernel,
    cipher: C,
    keys: vhash::Keys,
    tag_size: PhantomData<fn() -> T>,
}

/// The hashes of a message up to here.
#[derive(Clone, Copy)]
pub struct Running(vhash::Running);

impl<C: WideCipher, T: ArraySize> Vmac<C, T> {
    const HASHES: usize = T::USIZE / size_of::<u64>();

    /// Derives the keys of the hash: KDF and key set-up of §3.2 and §5.2.
    #[inline(always)]
    fn derive(&mut self) {
        match Self::HASHES {
            1 => self.derive_for::<1>(),
            _ => self.derive_for::<HASHES_MAX>(),
        }
    }

    #[inline(always)]
    fn derive_for<const N: usize>(&mut self) {
        let mut blocks = vhash::Keys::plaintexts::<N>();
        let (cipher, used) = (&self.cipher, vhash::key_blocks(N));
        cipher.encrypt_blocks(Array::cast_slice_from_core_mut(&mut blocks[..used]));
        self.keys.derive::<N>(&blocks, |block| cipher.encrypt_block(block.into()));
        wipe(blocks.as_flattened_mut());
    }

    /// The tag: the hashes added to the pad.
    #[inline(always)]
    fn add<const N: usize>(mut pad: u128, hashes: [u64; N], tag: &mut Array<u8, T>) {
        for (word, hash) in tag.as_chunks_mut().0.iter_mut().zip(hashes) {
            *word = (pad as u64).swap_bytes().wrapping_add(hash).to_be_bytes();
            pad >>= 64;
        }
    }
}

impl<C: WideCipher, T: ArraySize> HashAndPad for Vmac<C, T> {
    type KeySize = C::KeySize;
    type BlockSize = U128;
    type TagSize = T;
    type Running = Running;

    const START: Running = Running(vhash::Running::START);

    #[inline]
    fn new(pin: Pin, key: &Array<u8, C::KeySize>) -> Self {
        let (kernel, cipher) = (Kernel::pinned(pin), C::keyed_on(pin, key, Inside(())));
        let mut vmac = Self { kernel, cipher, keys: vhash::Keys::BLANK, tag_size: PhantomData };
        vmac.derive();
        vmac
    }

    #[inline]
    fn rekey(&mut self, key: &Array<u8, C::KeySize>) {
        self.cipher.rekey(key, Inside(())).expect("the key is of the cipher's length");
        self.derive();
    }

    /// PDF of §3.3: with 64-bit tags the lowest bit of the nonce chooses the half of a block that
    /// two nonces share.
    #[inline(always)]
    fn pad(&self, nonce: &[u8]) -> Result<u128, InvalidLength> {
        const BLOCK_BYTES: usize = 16;
        let unused_len = BLOCK_BYTES.checked_sub(nonce.len()).ok_or(InvalidLength)?;
        if nonce.is_empty() || nonce[0] >= 0x80 && unused_len == 0 {
            return Err(InvalidLength);
        }
        let number = le_number(nonce) << (8 * unused_len);
        let pads_per_block = BLOCK_BYTES / T::USIZE;
        let index = (number >> 120) as usize % pads_per_block;
        let pads = self.cipher.encrypted_number(number - ((index as u128) << 120), Inside(()));
        Ok(pads >> (8 * index * T::USIZE))
    }

    #[inline]
    fn absorb(&self, Running(running): &mut Running, blocks: &[Array<u8, U128>]) {
        let blocks = Array::cast_slice_to_core(blocks);
        match Self::HASHES {
            1 => self.kernel.absorb::<1>(&self.keys, running, blocks),
            _ => self.kernel.absorb::<HASHES_MAX>(&self.keys, running, blocks),
        }
    }

    #[inline]
    fn finish(
        &self,
        Running(running): &mut Running,
        tail: &[u8],
        pad: u128,
        tag: &mut Array<u8, T>,
    ) {
        match Self::HASHES {
            1 => Self::add(pad, self.kernel.finish::<1>(&self.keys, running, tail), tag),
            _ => Self::add(pad, self.kernel.finish::<HASHES_MAX>(&self.keys, running, tail), tag),
        }
    }

    #[inline(always)]
    fn hash_whole(&self, message: &[u8], pad: u128, tag: &mut Array<u8, T>) {
        match Self::HASHES {
            1 => Self::add(pad, self.kernel.hash::<1>(&self.keys, message), tag),
            _ => Self::add(pad, self.kernel.hash::<HASHES_MAX>(&self.keys, message), tag),
        }
    }
}

impl<C: WideCipher, T: ArraySize> Drop for Vmac<C, T> {
    /// The cipher wipes its own key schedule.
    fn drop(&mut self) {
        overwrite(&mut self.keys, vhash::Keys::BLANK);
    }
}

impl<C: WideCipher + ZeroizeOnDrop, T: ArraySize> ZeroizeOnDrop for Vmac<C, T> {}

pub(crate) const ROWS_64: &[MacInfo] = rows_over!(aes: row_64, "vmac64", "VMAC-64");
pub(crate) const ROWS_128: &[MacInfo] = rows_over!(aes: row_128, "vmac128", "VMAC-128");

/// All three layers have no table and no branch by data, but for key set-up: it passes over words
/// that are not below the modulus of the third layer, one of 2^56, which may be seen. The third
/// layer divides by a constant: where a product of 128 bits is one instruction, compilers multiply.
const OF_HASH: ConstantTime =
    ConstantTime::Mostly("where multiplication and division by a constant are, for the hash");

const fn row_64<C: WideCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    MacInfo::nonce_mac::<Vmac64<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len(), NONCE)
        .with_one_nonce_len_per_key()
        .with_universal_hash(Paths::own::<Kernel>(), OF_HASH)
}

const fn row_128<C: WideCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    MacInfo::nonce_mac::<Vmac128<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len(), NONCE)
        .with_one_nonce_len_per_key()
        .with_universal_hash(Paths::own::<Kernel>(), OF_HASH)
}

/// Of a nonce of 16 bytes the top bit must be zero; with 8 nobody can go wrong.
const NONCE: (usize, Len) = (NONCE_LEN_BYTES, NONCE_LEN);

static MODE: Mode = Mode {
    title: "VMAC",
    specification: "draft-krovetz-vmac-01 (2007, expired); Krovetz 2006, Dai and Krovetz 2007",
    standing: Standing::Conditional,
    proof: "almost-Δ-universal hash (Dai, Krovetz 2007) under a pad by AES as pseudorandom \
            function",
    bound: "a forgery succeeds with 2^-60 a try with 64-bit tags, with 2^-120 with 128-bit ones \
            (draft §6.2), and what tells AES from a random function",
    nonce: "never twice under a key, and all of one length, 8 bytes unless another is chosen: they \
            are padded with zeros on the left, so that 01 and 0001 would be the same; at most 127 \
            bits",
    key_life: "far fewer than 2^64 messages per key: the pads are blocks of a permutation",
    approved_by: "nobody: an Internet-Draft that expired",
    attacks: "two tags under one nonce give the difference of two hashes away, from which keys of \
              the hash can be found and tags forged",
    facts: Facts { key_life: KeyLife::Messages, ..Facts::NONCE_MAC },
};
