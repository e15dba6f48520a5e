//! A server that cannot be asked any more, and what it said before.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Longest message of a server that is told.
const LETTERS_MAX: usize = 300;

/// Why a server cannot be asked.
#[derive(Debug, Clone)]
pub(super) enum Lost {
    /// It said nothing for so long.
    Silent(Duration),
    /// The connection has ended.
    Ended,
    /// Nobody can speak to it: no thread is to be had, and why.
    NoThread(String),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent(time) => write!(f, "the server did not answer for {} s", time.as_secs()),
            Self::Ended => f.write_str("the connection to the server has ended"),
            Self::NoThread(why) => write!(f, "cannot start a thread to speak to the server: {why}"),
        }
    }
}

/// What a server or the way to it said, as one line that can be shown.
pub(super) fn said(error: &postgres::Error) -> String {
    let text = match error.as_db_error() {
        Some(refused) => refused.message().to_owned(),
        None if error.is_closed() => Lost::Ended.to_string(),
        None => match error.source() {
            Some(source) => source.to_string(),
            None => error.to_string(),
        },
    };
    let is_shown = |c: &char| !c.is_control();
    text.chars().filter(is_shown).take(LETTERS_MAX).collect()
}
