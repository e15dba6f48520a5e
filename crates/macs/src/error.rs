//! The one error of this crate: what was asked for by name or length and cannot be.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::catalog::KeyLen;

/// Why a mac could not be made, or a tag not be given or accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The mac takes no key of this length.
    KeyLen {
        /// Canonical name of the mac.
        mac: &'static str,
        /// What it takes.
        accepted: KeyLen,
        /// What it was given.
        given_bytes: usize,
    },
    /// The tag handed over, or the buffer for it, has not the length of the mac's tags.
    TagLen {
        /// Length of the mac's tags.
        expected_bytes: usize,
        /// What was handed over.
        given_bytes: usize,
    },
    /// The tag is not the message's.
    TagMismatch,
    /// The catalog has no mac of this name.
    UnknownMac {
        /// The name asked for.
        name: String,
        /// The nearest names, best first; may be empty.
        suggestions: Vec<&'static str>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLen { mac, accepted, given_bytes } => {
                write!(f, "{mac} takes a key of {accepted}, not of {given_bytes} bytes")
            }
            Self::TagLen { expected_bytes, given_bytes } => {
                write!(f, "a tag of this mac has {expected_bytes} bytes, not {given_bytes}")
            }
            Self::TagMismatch => f.write_str("the tag does not belong to this message and key"),
            Self::UnknownMac { name, suggestions } => {
                write!(f, "there is no mac `{name}` in the catalog")?;
                match suggestions.split_last() {
                    None => Ok(()),
                    Some((last, [])) => write!(f, "; did you mean {last}?"),
                    Some((last, others)) => {
                        write!(f, "; did you mean {} or {last}?", others.join(", "))
                    }
                }
            }
        }
    }
}

impl core::error::Error for Error {}
