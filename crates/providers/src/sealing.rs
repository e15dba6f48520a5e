//! What libraries share that seal messages which differ in nonce and associated data.

use crate::Sealing;

/// What a call gives; errors are those that a caller could make.
pub(crate) type Step = Result<(), &'static str>;

/// Whether a message is genuine.
pub(crate) type Opened = Result<bool, &'static str>;

/// What a library does where a ciphertext is as long as its message; the rest is the same for all:
/// see [`SameLength`].
pub(crate) trait SealInPlace {
    /// Encrypts the whole buffer, which `data` is associated with, and writes the tag.
    fn seal_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Step;

    /// Decrypts the whole buffer; whether it is genuine. What is left of one that is not does not
    /// matter.
    fn open_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Opened;
}

/// A library's composition whose ciphertexts are as long as their messages, with nonces and tags of
/// one length each.
pub(crate) struct SameLength<T> {
    pub(crate) nonce_len_bytes: usize,
    pub(crate) tag_len_bytes: usize,
    pub(crate) takes_associated_data: bool,
    pub(crate) library: T,
}

impl<T> SameLength<T> {
    fn has_lengths(&self, nonce: &[u8], tag: &[u8]) -> bool {
        nonce.len() == self.nonce_len_bytes && tag.len() == self.tag_len_bytes
    }
}

impl<T: SealInPlace> Sealing for SameLength<T> {
    fn nonce_len_bytes(&self) -> usize {
        self.nonce_len_bytes
    }

    fn tag_len_bytes(&self) -> usize {
        self.tag_len_bytes
    }

    fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize {
        message_len_bytes
    }

    fn takes_associated_data(&self) -> bool {
        self.takes_associated_data
    }

    fn seal(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        message_len: usize,
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        if !self.has_lengths(nonce, tag) {
            return Err("wrong nonce or tag length");
        }
        if message_len != buffer.len() {
            return Err("the ciphertext is as long as the message");
        }
        self.library.seal_whole(nonce, associated_data, buffer, tag)
    }

    fn open(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Option<usize> {
        let is_genuine = self.has_lengths(nonce, tag)
            && self.library.open_whole(nonce, associated_data, buffer, tag) == Ok(true);
        if !is_genuine {
            buffer.fill(0);
        }
        is_genuine.then_some(buffer.len())
    }
}
