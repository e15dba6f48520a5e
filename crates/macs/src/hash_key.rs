//! GHASH under a key, and the first counter block: what GCM and GMAC share (NIST SP 800-38D).

use digest::array::Array;
use digest::consts::U16;
use zeroize::ZeroizeOnDrop;

use crate::ciphers::WideCipher;
use crate::kernels::ghash::{self, Kernel};
use crate::kernels::partial::{le_number, write_number};
use crate::kernels::{Choice, Pin};
use crate::wipe::{overwrite, wipe};

/// The nonce length that needs no GHASH: §5.2.1.1 recommends it.
pub(crate) const NONCE_LEN_BYTES: usize = 12;

/// How far the powers of H reach when the key may be for one short message.
const SHORT_REACH_BYTES: usize = 128;

/// From this length on it pays to make more powers for one message.
const LONG_BYTES: usize = 2048;

/// GHASH under the key H.
#[derive(Clone)]
pub(crate) struct HashKey {
    kernel: Kernel,
    h: ghash::Block,
    powers: ghash::Key,
    /// Whether the powers reach as far as a message may.
    reaches_all: bool,
}

impl HashKey {
    /// H = E_K(0), for many messages: §7.1 step 1.
    pub(crate) fn new<C: WideCipher>(pin: Pin, cipher: &C) -> Self {
        let kernel = Kernel::pinned(pin);
        let mut key = Self { kernel, h: [0; 16], powers: ghash::Key::PUBLIC, reaches_all: true };
        key.set(cipher, usize::MAX);
        key
    }

    /// Another H, perhaps for one message only.
    #[inline]
    pub(crate) fn rekey<C: WideCipher>(&mut self, cipher: &C) {
        self.set(cipher, SHORT_REACH_BYTES);
        self.reaches_all = false;
    }

    #[inline(always)]
    fn set<C: WideCipher>(&mut self, cipher: &C, reach_bytes: usize) {
        let h = Array::cast_from_core_mut(&mut self.h);
        cipher.encrypt_number(0, h);
        self.kernel.set(&mut self.powers, &self.h, reach_bytes);
    }

    /// The hash `y` goes on over data that is padded with zeros to whole blocks.
    #[inline(always)]
    pub(crate) fn absorb(&self, y: &mut ghash::Block, data: &[u8]) {
        self.kernel.absorb(&self.powers, y, data);
    }

    /// Adds to `onto` the hash after the last data, padded likewise, and the block of the two
    /// lengths, given in bytes: §7.1 step 5.
    #[inline(always)]
    pub(crate) fn finish(
        &self,
        y: &ghash::Block,
        data: &[u8],
        lens_bytes: [u64; 2],
        onto: &mut Array<u8, U16>,
    ) {
        if data.len() >= LONG_BYTES && !self.reaches_all {
            self.finish_long(y, data, lens_bytes, onto);
        } else {
            self.kernel.finish(&self.powers, y, data, lens_bytes, &mut onto.0);
        }
    }

    #[cold]
    fn finish_long(
        &self,
        y: &ghash::Block,
        data: &[u8],
        lens_bytes: [u64; 2],
        onto: &mut Array<u8, U16>,
    ) {
        let mut powers = ghash::Key::PUBLIC;
        self.kernel.set(&mut powers, &self.h, usize::MAX);
        self.kernel.finish(&powers, y, data, lens_bytes, &mut onto.0);
        overwrite(&mut powers, ghash::Key::PUBLIC);
    }

    /// Adds to `onto` GHASH_H of both, each padded with zeros, and of their lengths in bits: §7.1
    /// steps 4 and 5.
    #[inline(always)]
    pub(crate) fn add_hash(
        &self,
        associated_data: &[u8],
        ciphertext: &[u8],
        onto: &mut Array<u8, U16>,
    ) {
        let mut y = [0; 16];
        self.absorb(&mut y, associated_data);
        let lens_bytes = [associated_data, ciphertext].map(|data| data.len() as u64);
        self.finish(&y, ciphertext, lens_bytes, onto);
    }

    /// The first counter block J0 of a nonce: §7.1 step 2.
    #[inline(always)]
    pub(crate) fn initial_counter(&self, nonce: &[u8]) -> Array<u8, U16> {
        let mut block = Array::default();
        write_number(self.initial_counter_number(nonce), &mut block.0);
        block
    }

    /// The same as a little-endian number, which a cipher takes in registers.
    #[inline(always)]
    pub(crate) fn initial_counter_number(&self, nonce: &[u8]) -> u128 {
        if nonce.len() == NONCE_LEN_BYTES {
            return le_number(nonce) | 1 << 120;
        }
        let mut hash = Array::default();
        self.add_hash(&[], nonce, &mut hash);
        u128::from_le_bytes(hash.0)
    }
}

impl Drop for HashKey {
    fn drop(&mut self) {
        overwrite(&mut self.powers, ghash::Key::PUBLIC);
        wipe(&mut self.h);
    }
}

impl ZeroizeOnDrop for HashKey {}
