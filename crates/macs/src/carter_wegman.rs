//! Macs after Carter and Wegman (1981): a universal hash of the message, hidden by a pad that a
//! cipher makes of the nonce. Buffering, streaming and wiping are written here once; the hash and
//! the pad are VMAC's and UMAC's.

use core::fmt;
use core::slice;

use digest::array::{Array, ArraySize};
use digest::common::KeySizeUser;
use digest::typenum::Unsigned;
use digest::{InvalidLength, Key, KeyInit};
use zeroize::ZeroizeOnDrop;

use crate::kernels::Pin;
use crate::len::Len;
use crate::prepared::{NonceByRow, NonceMac};
use crate::wipe::{overwrite, wipe};

/// A universal hash over blocks and the pad over it, both set up from one key. It wipes itself.
pub trait HashAndPad: Clone + Send + Sync + 'static {
    /// Length of the key in bytes.
    type KeySize: ArraySize;
    /// Length of the hash's blocks in bytes.
    type BlockSize: ArraySize;
    /// Length of the tag in bytes.
    type TagSize: ArraySize;
    /// The hash of a message under way.
    type Running: Copy + Send + Sync;

    /// The hash of no message yet.
    const START: Self::Running;

    /// Sets up a key on the code paths that are pinned.
    fn new(pin: Pin, key: &Array<u8, Self::KeySize>) -> Self;

    /// Sets up another key in place of the old one, whose bytes it overwrites.
    fn rekey(&mut self, key: &Array<u8, Self::KeySize>);

    /// The pad of this nonce: the first bytes of a number, little-endian, as many as the tag has.
    /// In registers it does not wait for the message before.
    ///
    /// # Errors
    /// When the mac does not take this nonce.
    fn pad(&self, nonce: &[u8]) -> Result<u128, InvalidLength>;

    /// Hashes a run of whole blocks.
    fn absorb(&self, running: &mut Self::Running, blocks: &[Array<u8, Self::BlockSize>]);

    /// Closes the hash of a message whose last bytes, less than a block, are `tail`, and hides it
    /// by the pad: the tag. The caller wipes `running`.
    fn finish(
        &self,
        running: &mut Self::Running,
        tail: &[u8],
        pad: u128,
        tag: &mut Array<u8, Self::TagSize>,
    );

    /// As [`finish`](Self::finish), for a whole message.
    #[inline(always)]
    fn hash_whole(&self, message: &[u8], pad: u128, tag: &mut Array<u8, Self::TagSize>) {
        hash_in_blocks(self, message, pad, tag);
    }
}

/// [`HashAndPad::hash_whole`] for a message of any length.
#[inline(always)]
pub(crate) fn hash_in_blocks<H: HashAndPad>(
    keys: &H,
    message: &[u8],
    pad: u128,
    tag: &mut Array<u8, H::TagSize>,
) {
    let mut running = H::START;
    let (blocks, tail) = Array::slice_as_chunks(message);
    if !blocks.is_empty() {
        keys.absorb(&mut running, blocks);
    }
    keys.finish(&mut running, tail, pad, tag);
    overwrite(&mut running, H::START);
}

/// Length of the nonces that a key takes as long as nothing else is said: room for a counter that
/// never comes to its end.
pub(crate) const NONCE_LEN_BYTES: usize = 8;

/// The lengths that can be chosen, once for a key: the cipher's block and shorter ones. The pad is
/// made of the nonce with zeros up to a block, so nonces of two lengths can be the same to it.
pub(crate) const NONCE_LEN: Len = Len::Between(1, 16);

/// A Carter-Wegman mac over the hash and pad `H`.
#[derive(Clone)]
pub struct CarterWegman<H: HashAndPad> {
    key: H,
    nonce_len_bytes: usize,
    running: H::Running,
    /// The last, incomplete block; its first `message_len_bytes` modulo the block length are set.
    buffer: Array<u8, H::BlockSize>,
    message_len_bytes: u64,
}

impl<H: HashAndPad> CarterWegman<H> {
    #[inline(always)]
    fn keyed(pin: Pin, key: &Array<u8, H::KeySize>) -> Self {
        let (key, buffer) = (H::new(pin, key), Array::default());
        let nonce_len_bytes = NONCE_LEN_BYTES;
        Self { key, nonce_len_bytes, running: H::START, buffer, message_len_bytes: 0 }
    }

    /// The pad of a nonce that has the length of all the key's nonces.
    #[inline(always)]
    fn pad(&self, nonce: &[u8]) -> Result<u128, InvalidLength> {
        if nonce.len() != self.nonce_len_bytes {
            return Err(InvalidLength);
        }
        self.key.pad(nonce)
    }

    fn buffered_len(&self) -> usize {
        (self.message_len_bytes % H::BlockSize::U64) as usize
    }

    /// Of the buffer, only what the message reached is wiped: it is long beside a short message.
    fn restart(&mut self) {
        let used_len = self.message_len_bytes.min(H::BlockSize::U64) as usize;
        wipe(&mut self.buffer[..used_len]);
        overwrite(&mut self.running, H::START);
        self.message_len_bytes = 0;
    }
}

impl<H: HashAndPad> NonceByRow for CarterWegman<H> {}

impl<H: HashAndPad> NonceMac for CarterWegman<H> {
    type TagSize = H::TagSize;

    #[inline]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::keyed(pin, Array::slice_as_array(key).ok_or(InvalidLength)?))
    }

    fn set_nonce_len(&mut self, nonce_len_bytes: usize) -> Result<(), InvalidLength> {
        if !NONCE_LEN.accepts(nonce_len_bytes) {
            return Err(InvalidLength);
        }
        self.nonce_len_bytes = nonce_len_bytes;
        Ok(())
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key.rekey(Array::slice_as_array(key).ok_or(InvalidLength)?);
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(
        &self,
        nonce: &[u8],
        message: &[u8],
        tag: &mut Array<u8, H::TagSize>,
    ) -> Result<(), InvalidLength> {
        let pad = self.pad(nonce)?;
        self.key.hash_whole(message, pad, tag);
        Ok(())
    }

    #[inline]
    fn update(&mut self, mut data: &[u8]) {
        let buffered = self.buffered_len();
        self.message_len_bytes += data.len() as u64;
        if buffered > 0 {
            let (fill, rest) = data.split_at(data.len().min(self.buffer.len() - buffered));
            self.buffer[buffered..][..fill.len()].copy_from_slice(fill);
            if buffered + fill.len() < self.buffer.len() {
                return;
            }
            self.key.absorb(&mut self.running, slice::from_ref(&self.buffer));
            data = rest;
        }
        let (blocks, tail) = Array::slice_as_chunks(data);
        if !blocks.is_empty() {
            self.key.absorb(&mut self.running, blocks);
        }
        self.buffer[..tail.len()].copy_from_slice(tail);
    }

    #[inline]
    fn finalize_reset_into(
        &mut self,
        nonce: &[u8],
        tag: &mut Array<u8, H::TagSize>,
    ) -> Result<(), InvalidLength> {
        let pad = self.pad(nonce)?;
        let tail = &self.buffer[..self.buffered_len()];
        self.key.finish(&mut self.running, tail, pad, tag);
        self.restart();
        Ok(())
    }

    fn reset(&mut self) {
        self.restart();
    }
}

impl<H: HashAndPad> KeySizeUser for CarterWegman<H> {
    type KeySize = H::KeySize;
}

impl<H: HashAndPad> KeyInit for CarterWegman<H> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::keyed(Pin::BEST, key)
    }
}

impl<H: HashAndPad> fmt::Debug for CarterWegman<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CarterWegman { .. }")
    }
}

impl<H: HashAndPad> Drop for CarterWegman<H> {
    /// The key wipes itself.
    fn drop(&mut self) {
        self.restart();
    }
}

impl<H: HashAndPad + ZeroizeOnDrop> ZeroizeOnDrop for CarterWegman<H> {}

#[cfg(feature = "std")]
crate::reading::io_write! { [H: HashAndPad] CarterWegman<H>, NonceMac::update }
