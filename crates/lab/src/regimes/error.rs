//! Why a text is no name of a regime, or of one of its words.

use thiserror::Error;

use super::Regime;

/// A text that is none of the names of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no {what} {name:?}: must be one of {}", .known.join(", "))]
pub struct UnknownName {
    /// What was to be named.
    pub what: &'static str,
    /// The text that names none.
    pub name: String,
    /// Names that there are, or what they look like.
    pub known: Vec<String>,
}

/// Why a text is no name of a regime.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegimeError {
    /// No kind has such a name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// It stands for several, where one is meant.
    #[error("{name:?}: must be one of {} here", listed(.all))]
    Several {
        /// The name as it was given.
        name: String,
        /// What it stands for.
        all: Vec<Regime>,
    },
    /// It begins as `keys-N` does.
    #[error("{name:?}: must be keys-N, N from 1 to {most}")]
    Keys {
        /// The text as it was given.
        name: String,
        /// The largest number.
        most: u32,
    },
    /// It begins as names of sessions do.
    #[error(
        "{name:?}: {mistake}; must be {{sessions|pooled|batched}}[-COUNT]-{{free|on-N|on-all|\
         on-cores|pinned-N|pinned-all}}[-absolute|-apparent], or without COUNT and with -capacity"
    )]
    Sessions {
        /// The text as it was given.
        name: String,
        /// What is wrong with it.
        mistake: SessionsMistake,
    },
}

/// Why a text is no name of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionsMistake {
    /// It begins otherwise.
    #[error("not a regime of sessions")]
    Serving,
    /// A number that is none, or too large.
    #[error("{word:?} is not a number from 1 to {most}")]
    Number {
        /// What stands in its place.
        word: String,
        /// The largest number.
        most: u32,
    },
    /// A capacity with a number of sessions.
    #[error("a capacity takes no number: it is what is searched for")]
    CountOfCapacity,
    /// Where they would run.
    #[error("no such placement")]
    Placement,
}

fn listed(regimes: &[Regime]) -> String {
    regimes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
