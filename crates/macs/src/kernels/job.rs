//! A message of many that are handed over at once.

/// One message of a batch, made by [`new`](Self::new).
#[derive(Clone, Copy)]
#[non_exhaustive]
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

/// Batches that are quickest one message after the other, by the code for one message.
#[derive(Clone, Copy, Debug)]
pub struct InTurn {
    /// Those of at most so many messages,
    pub messages: usize,
    /// of which none is longer than this.
    pub bytes: usize,
}

impl InTurn {
    /// Of one message only.
    pub const ONE: Self = Self::few(1);

    /// Of so many messages of any length.
    pub const fn few(messages: usize) -> Self {
        Self { messages, bytes: usize::MAX }
    }

    /// Whether these are such a batch.
    #[inline(always)]
    pub fn takes(self, jobs: &[Job<'_>]) -> bool {
        jobs.len() <= self.messages && jobs.iter().all(|job| job.message.len() <= self.bytes)
    }
}
