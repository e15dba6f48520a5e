//! Why a provider does not do what it is asked. A worker replies with its words, a line.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::path::PathBuf;

use thiserror::Error;

use crate::KeyLife;

/// Why a provider does not do what it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// It has nothing of this name: no such mac, or no hash that it is made of.
    #[error("no {0} here")]
    NotHere(String),
    /// The same, by the name of who has not.
    #[error("{who} has no {what}")]
    Lacks {
        /// A provider, or a version of it.
        who: String,
        /// What was asked for.
        what: String,
    },
    /// Nothing has this name.
    #[error("no {0}")]
    Unknown(String),
    /// It has no call for keys that live so long, or none for this mac.
    #[error("{why}")]
    KeyLife {
        /// How long the key was to live.
        key_life: KeyLife,
        /// The whole sentence.
        why: Cow<'static, str>,
    },
    /// A length that the mac's definition does not allow.
    #[error("{who} {} a {input} of {takes}, not {given} bytes", input.verb())]
    Len {
        /// Name of the mac.
        who: String,
        /// What has the length.
        input: Input,
        /// The lengths that it takes, with their unit.
        takes: String,
        /// That which was given, in bytes.
        given: usize,
    },
    /// The mac has no such input.
    #[error("{who} takes no {input}")]
    Untaken {
        /// Name of the mac.
        who: String,
        /// What was given.
        input: Input,
    },
    /// The provider takes less than the mac's definition allows.
    #[error("{why}")]
    Limit {
        /// What it is about.
        of: &'static [Input],
        /// Whole: what it takes, as a rule.
        why: Cow<'static, str>,
    },
    /// A tag is asked for where there are ciphertexts, or the other way round.
    #[error("{0}")]
    Purpose(Cow<'static, str>),
    /// It cannot do it on this processor.
    #[error("{0}")]
    Processor(&'static str),
    /// What it gives is known to be wrong.
    #[error("{0}")]
    Faulty(&'static str),
    /// The library has no such function.
    #[error("{}: it has no function {name}", library.display())]
    Symbol {
        /// File of the library.
        library: PathBuf,
        /// The function's name.
        name: String,
    },
    /// A call failed, in the words that calls which are timed have: an error of theirs must not
    /// allocate.
    #[error("{0}")]
    Call(&'static str),
    /// A function of the library failed.
    #[error("{call} failed: {code}")]
    Failed {
        /// Name of the function.
        call: String,
        /// What it returned.
        code: i32,
    },
    /// Words of the library's own.
    #[error("{0}")]
    Said(String),
    /// One of the above, with what it is about.
    #[error("{what}: {why}")]
    Of {
        /// The mac, the algorithm, the file.
        what: String,
        /// The reason itself.
        why: Box<Self>,
    },
}

/// What goes into a call or comes out of it, and may have a length that a provider refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The key.
    Key,
    /// The nonce.
    Nonce,
    /// The customization string.
    Customization,
    /// The associated data.
    AssociatedData,
    /// The message.
    Message,
    /// The tag.
    Tag,
}

impl Input {
    fn verb(self) -> &'static str {
        if self == Self::Tag { "has" } else { "takes" }
    }
}

impl Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key => "key",
            Self::Nonce => "nonce",
            Self::Customization => "customization string",
            Self::AssociatedData => "associated data",
            Self::Message => "message",
            Self::Tag => "tag",
        })
    }
}

impl Refused {
    /// Nothing of this name.
    pub fn not_here(what: impl Into<String>) -> Self {
        Self::NotHere(what.into())
    }

    /// The same, by the name of who has not.
    pub fn lacks(who: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Lacks { who: who.into(), what: what.into() }
    }

    /// No call for this key life.
    pub fn key_life(key_life: KeyLife, why: impl Into<Cow<'static, str>>) -> Self {
        Self::KeyLife { key_life, why: why.into() }
    }

    /// A limit of the provider's own.
    pub fn limit(of: &'static [Input], why: impl Into<Cow<'static, str>>) -> Self {
        Self::Limit { of, why: why.into() }
    }

    /// What a library, or whatever else is not ours, says of itself.
    pub fn said(words: impl Display) -> Self {
        Self::Said(words.to_string())
    }

    /// With what it is about.
    #[must_use]
    pub fn of(self, what: impl Into<String>) -> Self {
        Self::Of { what: what.into(), why: Box::new(self) }
    }
}

/// What a call says that could be timed.
impl From<&'static str> for Refused {
    fn from(words: &'static str) -> Self {
        Self::Call(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_line() {
        let len = |input| {
            let (who, takes) = ("cmac-aes-128".into(), "16 bytes".into());
            Refused::Len { who, input, takes, given: 3 }.to_string()
        };
        assert_eq!(len(Input::Key), "cmac-aes-128 takes a key of 16 bytes, not 3 bytes");
        assert_eq!(len(Input::Tag), "cmac-aes-128 has a tag of 16 bytes, not 3 bytes");
        let untaken = Refused::Untaken { who: "hmac-md5".into(), input: Input::Customization };
        assert_eq!(untaken.to_string(), "hmac-md5 takes no customization string");
        let of = Refused::limit(&[Input::Nonce], "12-byte nonces only").of("gcm-aes-128");
        assert_eq!(of.to_string(), "gcm-aes-128: 12-byte nonces only");
        let (library, name) = ("/usr/lib/libnettle.so.8".into(), "nettle_md5_init".into());
        let symbol = Refused::Symbol { library, name }.to_string();
        assert_eq!(symbol, "/usr/lib/libnettle.so.8: it has no function nettle_md5_init");
    }
}
