//! A message of many that are handed over at once.

/// One message of a batch.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Which of the batch's keys, counted from 0.
    pub key: usize,
    /// The nonce; empty for a mac that takes none.
    pub nonce: &'a [u8],
    /// The message.
    pub message: &'a [u8],
}

impl<'a> Job<'a> {
    /// A message under the batch's key of this number.
    pub const fn new(key: usize, message: &'a [u8]) -> Self {
        Self { key, nonce: &[], message }
    }

    /// The same with a nonce.
    pub const fn with_nonce(self, nonce: &'a [u8]) -> Self {
        Self { nonce, ..self }
    }
}
