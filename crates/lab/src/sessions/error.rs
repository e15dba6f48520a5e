//! Why sessions were not put on, or came to nothing.

use std::io;

use hdrhistogram::CreationError;
use thiserror::Error;
use words::Refused;

use super::account::NotBound;
use super::needs::NotEnough;

/// Why sessions were not put on, or came to nothing.
#[derive(Debug, Error)]
pub enum SessionsError {
    /// A load without lengths of messages.
    #[error("sessions without a message length")]
    NoLength,
    /// A load with lengths that never come.
    #[error("a mix of messages whose weights are all 0")]
    NoWeight,
    /// Messages that are longer than what they are cut from.
    #[error("the pool is too short for messages of {0} bytes")]
    Pool(u32),
    /// A load of nobody.
    #[error("0 sessions: must be at least 1")]
    NoSessions,
    /// A window without length, or without end.
    #[error("no window from {from_ms} to {to_ms} ms")]
    NoWindow {
        /// Its begin t1, in milliseconds.
        from_ms: f64,
        /// Its end t2, in milliseconds.
        to_ms: f64,
    },
    /// A rate that is none.
    #[error("{0} messages per second: must be above 0")]
    Rate(f64),
    /// This machine has too little for them.
    #[error(transparent)]
    NotEnough(#[from] NotEnough),
    /// The system started only some of the threads.
    #[error("{started} of {wanted} threads were started, then: {error}")]
    Threads {
        /// Threads that it started.
        started: usize,
        /// Threads that are needed.
        wanted: u32,
        /// Why it did not start the next.
        error: io::Error,
    },
    /// A thread cannot be held to its processors.
    #[error(transparent)]
    NotBound(#[from] NotBound),
    /// Nothing to count times in.
    #[error("{0}")]
    Histogram(CreationError),
    /// A thread ended before the window did.
    #[error("a session stopped halfway")]
    Halfway,
    /// A tag is wrong, seen in the window.
    #[error("tags differ under threads: not the tag that was computed beforehand")]
    WrongTag,
    /// A tag is wrong, seen behind the window.
    #[error(
        "tags differ under threads: session {session} has {tag}, but {alone} when computed alone"
    )]
    WrongLastTag {
        /// Number of the session.
        session: u32,
        /// Its last tag, in hexadecimal.
        tag: String,
        /// What it should be.
        alone: String,
    },
    /// The provider does not do it.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// What a call says that is timed.
impl From<&'static str> for SessionsError {
    fn from(words: &'static str) -> Self {
        Self::Refused(words.into())
    }
}
