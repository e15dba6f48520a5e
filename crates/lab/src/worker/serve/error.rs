//! Why a request is not done.

use std::fmt::Display;

use thiserror::Error;
use words::{Refused, Unavailable};

use crate::segments::SegmentsError;
use crate::sessions::SessionsError;
use crate::sessions::needs::NotEnough;
use crate::worker::memory_limit::MemoryLimitError;

/// Why a request is not done. The lab gets its words, as those of something that does not work.
#[derive(Debug, Error)]
pub(super) enum NotDone {
    /// The request itself, which is no word of the protocol or comes at the wrong time: the whole
    /// words, since nobody but its writer can do anything about it.
    #[error("{0}")]
    Request(String),
    /// The number of a cell that is not open.
    #[error("no open cell {0}")]
    NoCell(u32),
    /// A cell that was there when the request began.
    #[error("no such cell")]
    Gone,
    /// What it is asked cannot be kept or counted.
    #[error("{0}")]
    Counts(String),
    /// The provider does not do it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The sessions were not put on, or came to nothing.
    #[error(transparent)]
    Sessions(#[from] SessionsError),
    /// A transaction was not done.
    #[error(transparent)]
    Segments(#[from] SegmentsError),
    /// This machine has too little for many keys.
    #[error(transparent)]
    NotEnough(#[from] NotEnough),
    /// The memory limit cannot be held, or leaves no room.
    #[error(transparent)]
    MemoryLimit(#[from] MemoryLimitError),
}

impl NotDone {
    /// What cannot be kept or counted.
    pub(super) fn counts(why: impl Display) -> Self {
        Self::Counts(why.to_string())
    }
}

/// What a call says that is timed.
impl From<&'static str> for NotDone {
    fn from(words: &'static str) -> Self {
        Self::Refused(words.into())
    }
}

/// What is wrong with a word of the request.
impl From<String> for NotDone {
    fn from(words: String) -> Self {
        Self::Request(words)
    }
}

impl From<NotDone> for Unavailable {
    fn from(not_done: NotDone) -> Self {
        not_done.to_string().into()
    }
}
