//! Messages sealed and opened one after the other, each with its own nonce and associated data.

/// An authenticated encryption under one key, in place: the library's best way for messages that
/// differ in nonce and associated data.
pub trait Sealing {
    /// Length of a nonce.
    fn nonce_len_bytes(&self) -> usize;

    /// Length of a tag.
    fn tag_len_bytes(&self) -> usize;

    /// Length of the ciphertext of a message, without nonce and tag.
    fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize;

    /// Whether it takes associated data.
    fn takes_associated_data(&self) -> bool;

    /// Seals the first `message_len` bytes of `buffer`, which is as long as their ciphertext.
    ///
    /// # Errors
    /// Lengths that it does not take.
    fn seal(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        message_len: usize,
        tag: &mut [u8],
    ) -> Result<(), &'static str>;

    /// Opens a ciphertext: the message's length, or `None` for what is not genuine.
    fn open(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Option<usize>;
}

/// What a library does where a ciphertext is as long as its message; the rest is the same for all:
/// see [`SameLength`].
pub(crate) trait SealInPlace {
    /// Encrypts the whole buffer and writes the tag.
    fn seal_whole(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str>;

    /// Decrypts the whole buffer; whether it is genuine. What is left of one that is not does not
    /// matter.
    fn open_whole(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<bool, &'static str>;
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
            return Err("the nonce or the tag has another length");
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
