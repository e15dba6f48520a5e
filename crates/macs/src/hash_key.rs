//! GHASH under a key, and the first counter block: what GCM and GMAC share (NIST SP 800-38D).

use digest::array::Array;
use digest::consts::U16;
use zeroize::ZeroizeOnDrop;

use crate::ciphers::WideCipher;
use crate::inside::Inside;
#[cfg(all(
    any(feature = "gcm", feature = "gmac"),
    feature = "aes",
    target_arch = "x86_64",
    target_feature = "sse2"
))]
use crate::kernels::gcm;
use crate::kernels::ghash::{self, Kernel};
use crate::kernels::partial::le_number;
use crate::kernels::{Choice, KernelName, Pin};
use crate::wipe::{overwrite, wipe};

/// The nonce length that needs no GHASH: §5.2.1.1 recommends it.
pub(crate) const NONCE_LEN_BYTES: usize = 12;

/// How far the powers of H reach when the key may be for one short message.
const SHORT_REACH_BYTES: usize = 112;

/// From this length on it pays to make more powers for one message.
const LONG_BYTES: usize = 2048;

/// From this length on it pays to do so for one message that is sealed or opened in one pass.
#[cfg(all(feature = "gcm", feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
const ONE_PASS_BYTES: usize = 1024;

/// GHASH under the key H.
#[derive(Clone)]
pub(crate) struct HashKey {
    kernel: Kernel,
    h: ghash::Block,
    powers: ghash::Key,
    /// Whether the powers reach as far as a message may.
    reaches_all: bool,
}

/// The pin of the hash beside a cipher: for a kernel of AES that of the same registers, for the two
/// go together.
fn beside(pin: Pin) -> Pin {
    match pin.kernel() {
        Some(KernelName::Vaes512) => Pin::to(KernelName::Vpclmul512),
        Some(KernelName::Vaes256) => Pin::to(KernelName::Vpclmul256),
        Some(KernelName::AesNi) => Pin::to(KernelName::Clmul),
        _ => pin,
    }
}

impl HashKey {
    /// H = E_K(0), for many messages: §7.1 step 1.
    pub(crate) fn new<C: WideCipher>(pin: Pin, cipher: &C) -> Self {
        let kernel = Kernel::pinned(beside(pin));
        let mut key = Self { kernel, h: [0; 16], powers: ghash::Key::PUBLIC, reaches_all: true };
        key.set(cipher, usize::MAX);
        key
    }

    /// Another H, perhaps for one message only.
    #[inline]
    pub(crate) fn rekey<C: WideCipher>(&mut self, cipher: &C) {
        self.set(cipher, SHORT_REACH_BYTES);
        self.reaches_all = self.powers.reaches_all();
    }

    #[inline(always)]
    fn set<C: WideCipher>(&mut self, cipher: &C, reach_bytes: usize) {
        let h = Array::cast_from_core_mut(&mut self.h);
        cipher.encrypt_number(0, h, Inside(()));
        self.kernel.set(&mut self.powers, &self.h, reach_bytes);
    }

    /// Seals or opens a message in one pass under this key and the cipher's, but for the comparison
    /// of tags, if there is a kernel for that; tells whether it did.
    #[cfg(all(feature = "gcm", feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
    #[inline(always)]
    pub(crate) fn gcm<C: WideCipher, const SEALS: bool>(
        &self,
        cipher: &C,
        j0: u128,
        associated_data: &[u8],
        pass: &mut gcm::Pass<'_>,
    ) -> bool {
        self.absorb(&mut pass.y, associated_data);
        // A block more is that of the lengths.
        if self.reaches_all || pass.data.len() <= SHORT_REACH_BYTES {
            cipher.gcm::<SEALS>((self.kernel, &self.powers), j0, pass, Inside(()))
        } else {
            pass.data.len() >= ONE_PASS_BYTES && self.gcm_long::<C, SEALS>(cipher, j0, pass)
        }
    }

    #[cfg(all(feature = "gcm", feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
    #[cold]
    fn gcm_long<C: WideCipher, const SEALS: bool>(
        &self,
        cipher: &C,
        j0: u128,
        pass: &mut gcm::Pass<'_>,
    ) -> bool {
        let mut powers = ghash::Key::PUBLIC;
        self.kernel.set(&mut powers, &self.h, usize::MAX);
        let is_done = cipher.gcm::<SEALS>((self.kernel, &powers), j0, pass, Inside(()));
        overwrite(&mut powers, ghash::Key::PUBLIC);
        is_done
    }

    /// Adds to the block that masks the tag the hash at the end of a message that is not encrypted,
    /// `len_bytes` long.
    #[cfg(feature = "gmac")]
    #[inline(always)]
    pub(crate) fn gmac<C: WideCipher>(
        &self,
        cipher: &C,
        nonce: &[u8],
        (y, rest, len_bytes): (&ghash::Block, &[u8], u64),
        tag: &mut Array<u8, U16>,
    ) {
        let j0 = self.initial_counter_number(nonce);
        #[cfg(all(feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
        if self.reaches_all || rest.len() < LONG_BYTES {
            let end = gcm::End { y, data: rest, len_bytes };
            if cipher.gmac((self.kernel, &self.powers), j0, &end, &mut tag.0, Inside(())) {
                return;
            }
        }
        cipher.encrypt_number(j0, tag, Inside(()));
        self.finish(y, rest, [len_bytes, 0], tag);
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

    /// The first counter block J0 of a nonce: §7.1 step 2; as a little-endian number, which a
    /// cipher takes in registers.
    #[inline(always)]
    pub(crate) fn initial_counter_number(&self, nonce: &[u8]) -> u128 {
        if nonce.len() == NONCE_LEN_BYTES {
            return le_number(nonce) | 1 << 120;
        }
        self.hashed_nonce(nonce)
    }

    #[cold]
    fn hashed_nonce(&self, nonce: &[u8]) -> u128 {
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
