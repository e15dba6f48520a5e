//! One message of a [`CompositionBatch`](crate::CompositionBatch).

use core::fmt;

use super::Header;

/// One message of a batch, in its place, made by [`new`](Self::new).
#[non_exhaustive]
pub struct CompositionJob<'a> {
    /// Which of the batch's keys, counted from 0.
    pub key: usize,
    /// What goes with the message and is not encrypted.
    pub header: Header<'a>,
    /// As long as the ciphertext. It begins with the message when that is sealed, and after it was
    /// opened.
    pub buffer: &'a mut [u8],
    /// Length of the message: read when it is sealed, written when it is opened.
    pub message_len_bytes: usize,
}

impl<'a> CompositionJob<'a> {
    /// A message under the batch's key of this number, as long as its ciphertext.
    pub const fn new(key: usize, header: Header<'a>, buffer: &'a mut [u8]) -> Self {
        let message_len_bytes = buffer.len();
        Self { key, header, buffer, message_len_bytes }
    }

    /// The same with a message of this length, whose ciphertext is longer.
    pub const fn with_message_len(mut self, message_len_bytes: usize) -> Self {
        self.message_len_bytes = message_len_bytes;
        self
    }
}

/// One message of a batch, which is sealed into another place and stays as it is, made by
/// [`new`](Self::new).
#[non_exhaustive]
pub struct SealJob<'a> {
    /// Which of the batch's keys, counted from 0.
    pub key: usize,
    /// What goes with the message and is not encrypted.
    pub header: Header<'a>,
    /// What is sealed.
    pub message: &'a [u8],
    /// Where its ciphertext goes, which is as long as this.
    pub ciphertext: &'a mut [u8],
}

impl<'a> SealJob<'a> {
    /// A message under the batch's key of this number, and the place for its ciphertext.
    pub const fn new(
        key: usize,
        header: Header<'a>,
        message: &'a [u8],
        ciphertext: &'a mut [u8],
    ) -> Self {
        Self { key, header, message, ciphertext }
    }
}

/// The message is not printed.
impl fmt::Debug for CompositionJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("CompositionJob");
        text.field("key", &self.key).field("message_len_bytes", &self.message_len_bytes);
        text.finish_non_exhaustive()
    }
}

/// The message is not printed.
impl fmt::Debug for SealJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("SealJob");
        text.field("key", &self.key).field("message_len_bytes", &self.message.len());
        text.finish_non_exhaustive()
    }
}
