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

    /// Whether it takes associated data. Where it does not (Encrypt-and-MAC of CTR and CMAC), what
    /// is to be bound goes in front of the message instead: encrypted, authenticated, and sent.
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

    /// Opens a ciphertext; the message's length, or `None` for what is not genuine, of which
    /// nothing is left in the buffer.
    fn open(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Option<usize>;
}
