//! GMAC: NIST SP 800-38D; GCM without a message to encrypt. The tag is GHASH_H of the message and
//! its length, masked by one block of the cipher: E(J0), J0 made of the nonce. H = E(0).
//!
//! The nonce is needed only at the end.

use core::fmt;

use cipher::Block;
use digest::array::Array;
use digest::block_buffer::EagerBuffer;
use digest::common::KeySizeUser;
use digest::consts::U16;
use digest::{InvalidLength, Key, KeyInit};
use zeroize::ZeroizeOnDrop;

use crate::ciphers::{CipherInfo, WideCipher, rows_over};
use crate::facts::{
    ConstantTime, Facts, Hardware, KeyLife, LeastBits, NonceNeed, Quantum, Repeat, ShortTags,
};
use crate::hash_key::{HashKey, NONCE_LEN_BYTES};
use crate::inside::Inside;
use crate::kernels::{Choice, Pin, ghash};
use crate::len::Len;
use crate::prepared::{NonceByRow, NonceMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Standing};
use crate::wipe::{wipe, wipe_buffer};

/// GMAC over the cipher `C`.
#[derive(Clone)]
pub struct Gmac<C: WideCipher> {
    cipher: C,
    key: HashKey,
    running: ghash::Block,
    buffer: EagerBuffer<U16>,
    message_len_bytes: u64,
}

impl<C: WideCipher> Gmac<C> {
    fn with_cipher(pin: Pin, cipher: C) -> Self {
        let key = HashKey::new(pin, &cipher);
        let (running, buffer) = ([0; 16], EagerBuffer::default());
        Self { cipher, key, running, buffer, message_len_bytes: 0 }
    }

    /// The hash of a message, masked by E(J0): §7.1 steps 5 and 6, and §6.5.
    #[inline(always)]
    fn close(
        &self,
        running: &ghash::Block,
        rest: &[u8],
        len_bytes: u64,
        nonce: &[u8],
        tag: &mut Block<C>,
    ) {
        self.key.gmac(&self.cipher, nonce, (running, rest, len_bytes), tag);
    }
}

/// §5.2.1.1: a nonce is not empty.
fn check(nonce: &[u8]) -> Result<(), InvalidLength> {
    if nonce.is_empty() { Err(InvalidLength) } else { Ok(()) }
}

impl<C: WideCipher> NonceByRow for Gmac<C> {}

impl<C: WideCipher> NonceMac for Gmac<C> {
    type TagSize = U16;

    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        let cipher = C::new_on(C::Kernel::pinned(pin), key, Inside(()))?;
        Ok(Self::with_cipher(pin, cipher))
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.cipher.rekey(key, Inside(()))?;
        self.key.rekey(&self.cipher);
        self.reset();
        Ok(())
    }

    #[inline]
    fn mac_into(
        &self,
        nonce: &[u8],
        message: &[u8],
        tag: &mut Array<u8, U16>,
    ) -> Result<(), InvalidLength> {
        check(nonce)?;
        self.close(&[0; 16], message, message.len() as u64, nonce, tag);
        Ok(())
    }

    fn update(&mut self, data: &[u8]) {
        self.message_len_bytes = self.message_len_bytes.wrapping_add(data.len() as u64);
        let Self { key, running, buffer, .. } = self;
        buffer.digest_blocks(data, |blocks| {
            key.absorb(running, Array::slice_as_flattened(blocks));
        });
    }

    fn finalize_reset_into(
        &mut self,
        nonce: &[u8],
        tag: &mut Array<u8, U16>,
    ) -> Result<(), InvalidLength> {
        check(nonce)?;
        let tail = self.buffer.get_data();
        self.close(&self.running, tail, self.message_len_bytes, nonce, tag);
        self.reset();
        Ok(())
    }

    fn reset(&mut self) {
        wipe(&mut self.running);
        self.message_len_bytes = 0;
        wipe_buffer(&mut self.buffer);
    }
}

impl<C: WideCipher> KeySizeUser for Gmac<C> {
    type KeySize = C::KeySize;
}

impl<C: WideCipher> KeyInit for Gmac<C> {
    fn new(key: &Key<Self>) -> Self {
        Self::with_cipher(Pin::BEST, C::new(key))
    }
}

impl<C: WideCipher> fmt::Debug for Gmac<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gmac { .. }")
    }
}

impl<C: WideCipher> Drop for Gmac<C> {
    /// The cipher and the key of the hash wipe themselves.
    fn drop(&mut self) {
        wipe(&mut self.running);
        wipe_buffer(&mut self.buffer);
    }
}

impl<C: WideCipher + ZeroizeOnDrop> ZeroizeOnDrop for Gmac<C> {}

#[cfg(feature = "std")]
crate::reading::io_write! { [C: WideCipher] Gmac<C>, NonceMac::update }

pub(crate) const ROWS: &[MacInfo] = rows_over!(aes: row, "gmac", "GMAC");

/// The longest message is that whose length in bits has 64 bits (§5.2.1.1).
const fn row<C: WideCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    let nonce_len = (NONCE_LEN_BYTES, Len::Between(1, u64::MAX));
    let (primitive, key_len) = (&cipher.primitive, cipher.key_len());
    MacInfo::nonce_mac::<Gmac<C>>(name, title, &MODE, primitive, key_len, nonce_len)
        .with_message_len_max((1 << 61) - 1)
        .with_universal_hash(Paths::own::<ghash::Kernel>(), ConstantTime::OF_GHASH)
}

static MODE: Mode = Mode {
    title: "GMAC",
    specification: "NIST SP 800-38D",
    standing: Standing::Conditional,
    proof: "unforgeable with distinct nonces if the cipher is a pseudorandom permutation (McGrew, \
            Viega 2004; Iwata, Ohashi, Minematsu 2012)",
    bound: "a forgery succeeds with probability about blocks/2^t, t the bits of the tag; and \
            σ²/2^128 for the cipher",
    nonce: "never twice under one key; of 12 bytes, if there is no reason for another length",
    key_life: "at most 2^32 messages per key unless all nonces are of 12 bytes and not random \
               (SP 800-38D §8.3)",
    approved_by: "NIST (SP 800-38D); ISO/IEC 9797-3",
    attacks: "two messages with one nonce give H away, and then any tag can be forged (Joux 2006); \
              short tags give H away after some forgeries (Ferguson 2005), so that below 12 bytes \
              SP 800-38D allows 4 and 8 alone, with limits",
    facts: Facts {
        nonce: NonceNeed::Unique(Repeat::AllForgeries),
        // SP 800-38D §5.2.1.2.
        short_tags: ShortTags::Leftmost(LeastBits::Bits(96)),
        key_life: KeyLife::Sp80038D,
        hardware: Hardware::Carryless,
        quantum: Quantum::Superposition,
        ..Facts::NONCE_MAC
    },
};
