//! What is wrong with a word of a policy's file.

use thiserror::Error;

use super::NAME_BYTES_MAX;

/// What is wrong with a word of a policy's file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Mistake {
    /// A status that no rule gives.
    #[error("status \"silent\": MACs that no rule names are silent; leave the rule out")]
    Silent,
    /// A status that is none.
    #[error("status {word:?}: must be approved, allowed, legacy or disallowed")]
    Status { word: String },
    /// A text of nothing.
    #[error("`{key}` is empty")]
    Empty { key: &'static str },
    /// A text in which nothing is said.
    #[error("`{key}` has no letter or digit")]
    Blank { key: &'static str },
    /// An address that is none.
    #[error("`url` {text:?}: must begin with https:// or http://")]
    Url { text: String },
    /// A name that cannot stand in lists, in JSON and on command lines.
    #[error(
        "`name` {name:?}: must be letters, digits, `.`, `_` and `-`, at most {NAME_BYTES_MAX}, the \
         first a letter or digit"
    )]
    Name { name: String },
}
