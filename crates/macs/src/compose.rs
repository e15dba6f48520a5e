//! Authenticated encryption composed of a cipher and a mac, in place: seal turns a message into a
//! ciphertext and a tag, open turns them back or gives nothing.

use digest::{InvalidLength, KeyInit};

use crate::error::Error;

/// A composition of encryption and authentication under one (joined) key.
pub trait Composition: KeyInit + Clone {
    /// Sets up another key in place.
    ///
    /// # Errors
    /// When the composition takes no key of this length; the old key then stays.
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        *self = Self::new_from_slice(key)?;
        Ok(())
    }

    /// Length of the ciphertext of a message, without the tag. More than the message's only where
    /// the mode pads.
    fn ciphertext_len_bytes(message_len_bytes: usize) -> usize {
        message_len_bytes
    }

    /// Encrypts and authenticates. `buffer` is as long as the ciphertext and begins with the
    /// message, which is `message_len_bytes` long. A tag shorter than the whole one is its leftmost
    /// bytes, except where the mode makes the length an input (CCM).
    ///
    /// # Errors
    /// A nonce, associated data, message or tag of a length that the composition does not take;
    /// the buffer is then untouched.
    fn seal_in_place(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), Error>;

    /// Verifies and decrypts; the message is then the first bytes of `buffer`, as many as returned.
    ///
    /// # Errors
    /// [`Error::TagMismatch`] for whatever was not sealed so; lengths that the composition does not
    /// take. In both cases the whole buffer is zero: no plaintext is released.
    fn open_in_place(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error>;
}
