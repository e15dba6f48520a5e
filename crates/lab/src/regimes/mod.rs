//! Regimes: how calls follow one another. Each kind is a room of its own, in a file here, where it
//! answers what the lab asks of every regime; `rooms!` lists the kinds. What is not about one of
//! them never asks which it is.

pub mod batch;
pub mod calls;
pub mod cold;
mod error;
pub mod keys;
pub mod segments;
pub mod sessions;

use std::fmt;
use std::num::NonZeroU32;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use words::KeyLife;

use batch::Batch;
use calls::Calls;
use cold::Cold;
pub use error::{RegimeError, SessionsMistake, UnknownName};
use keys::Keys;
use segments::Segments;
use sessions::Sessions;

/// How a regime is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A sample is of calls that follow one another in a worker that is warm.
    Calls,
    /// A sample is a call in a process just started; there are no blocks.
    FirstCalls,
    /// A sample is of transactions, which schemes make and macs do not.
    Transactions,
    /// A sample is a window, which says by itself how many messages it had.
    Windows,
}

/// What the lab asks of a regime. Most answer most of it alike.
pub trait Room: fmt::Display {
    /// How it is timed.
    fn way(&self) -> Way {
        Way::Calls
    }

    /// How many messages one call gets, where it gets many.
    fn batch(&self) -> Option<usize> {
        None
    }

    /// Whether the messages of a cell have several lengths, up to the cell's.
    fn mixes_lengths(&self) -> bool {
        false
    }

    /// Length of message i of a cell whose length is `len`.
    fn message_len(&self, _i: usize, len: usize) -> usize {
        len
    }

    /// Whether each message depends on the last tag.
    fn is_chained(&self) -> bool {
        false
    }

    /// How many keys messages take in turn, where they are more than those of other regimes.
    fn keys_in_turn(&self) -> Option<NonZeroU32> {
        None
    }

    /// Whether there are such calls.
    fn has(&self, _key_life: KeyLife) -> bool {
        true
    }

    /// The regime that is measured for this one and for others, where one sample gives the times of
    /// all of them.
    fn leader(&self) -> Option<Regime> {
        None
    }

    /// Whether its tags are held against those of the same regime only: whose keys they are made
    /// under is its own matter.
    fn has_own_keys(&self) -> bool {
        false
    }

    /// Most messages that one proof takes.
    fn proved_max(&self) -> Option<usize> {
        self.batch()
    }

    /// Whether what is kept of a sample is the time of a message.
    fn gives_times(&self) -> bool {
        true
    }

    /// Whether a sample counts how often threads were put aside for others.
    fn counts_preemptions(&self) -> bool {
        false
    }

    /// Whether a sample tells how unevenly those who are at work are served.
    fn tells_evenness(&self) -> bool {
        false
    }

    /// The regime that is the same without files, where a sample writes such.
    fn without_files(&self) -> Option<Regime> {
        None
    }

    /// Seconds that a segment usually takes, where messages are sent in such.
    fn segment_s(&self) -> Option<f64> {
        None
    }

    /// The regime that is the same on a machine of so many processors and cores, if a part has it.
    fn same_with(&self, _processors: usize, _cores: usize) -> Option<Regime> {
        None
    }

    /// Processors that it needs at least, where it says so: a plan may not know them.
    fn processors_min(&self) -> usize {
        0
    }
}

/// The names of a kind.
trait Named: Room + Copy + Sized {
    /// What its names look like, where there are more of them than are told.
    const PATTERN: Option<&'static str> = None;

    /// Every regime of the kind; one, where they are too many.
    fn known() -> Vec<Self>;

    /// Every regime that a name stands for; `None` for a name that another kind may have.
    fn read(name: &str) -> Option<Result<Vec<Self>, RegimeError>> {
        let own = Self::known().into_iter().find(|it| it.to_string() == name);
        own.map(|it| Ok(vec![it]))
    }
}

macro_rules! rooms {
    ($($(#[$doc:meta])+ $kind:ident),+ $(,)?) => {
        /// How calls follow one another.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
        )]
        #[serde(try_from = "String", into = "String")]
        pub enum Regime {
            $($(#[$doc])+ $kind($kind)),+
        }

        impl Deref for Regime {
            type Target = dyn Room;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$kind(own) => own),+
                }
            }
        }

        $(
            impl From<$kind> for Regime {
                fn from(own: $kind) -> Self {
                    Self::$kind(own)
                }
            }
        )+

        impl Regime {
            /// One of each kind of regime: what our own workers know.
            pub fn kinds() -> impl Iterator<Item = Self> {
                let kinds = [$($kind::known().into_iter().map(Self::from).collect::<Vec<_>>()),+];
                kinds.into_iter().flatten()
            }

            /// Whether a worker that knows `other` knows this one too: kinds with numbers in their
            /// names are known whole.
            #[must_use]
            pub fn is_kind_of(self, other: Self) -> bool {
                match (self, other) {
                    $((Self::$kind(_), Self::$kind(_)) if $kind::PATTERN.is_some() => true,)+
                    _ => self == other,
                }
            }

            /// Every regime that a name stands for.
            ///
            /// # Errors
            /// When it is none, with what would be right.
            pub fn parse_all(name: &str) -> Result<Vec<Self>, RegimeError> {
                $(
                    if let Some(read) = $kind::read(name) {
                        return read.map(|own| own.into_iter().map(Self::from).collect());
                    }
                )+
                let known = |pattern: Option<&str>, known: Vec<String>| {
                    pattern.map_or(known.join(", "), str::to_owned)
                };
                let known = vec![$(known(
                    $kind::PATTERN,
                    $kind::known().iter().map(ToString::to_string).collect(),
                )),+];
                Err(UnknownName { what: "regime", name: name.into(), known }.into())
            }
        }
    };
}

// In the order in which cells are measured.
rooms!(
    /// One call after another.
    Calls,
    /// Many messages handed over at once.
    Batch,
    /// A file sealed, sent in segments and opened again: one action of that transaction.
    Segments,
    /// Many sessions at once.
    Sessions,
    /// Each message under the next of many keys.
    Keys,
    /// The first call of each mac in a process just started, all macs of a case in one process.
    Cold,
);

impl Regime {
    /// What is meant where nothing is said, and left out where it is told: independent calls.
    pub const USUAL: Self = Self::Calls(Calls::Single);

    /// Whether samples are calls that follow one another in a worker that is warm.
    #[must_use]
    pub fn is_of_calls(self) -> bool {
        self.way() == Way::Calls
    }

    /// Whether schemes are measured, and no macs.
    #[must_use]
    pub fn is_of_schemes(self) -> bool {
        self.way() == Way::Transactions
    }

    /// Whether a sample is a window in which many are at work.
    #[must_use]
    pub fn is_of_windows(self) -> bool {
        self.way() == Way::Windows
    }

    /// Whether it is measured in the blocks of a launch.
    #[must_use]
    pub fn is_in_blocks(self) -> bool {
        self.way() != Way::FirstCalls
    }

    /// Whether it is decided beforehand how often a sample has what it is of: a window says by
    /// itself how many messages it had, and a first call is one.
    #[must_use]
    pub fn is_counted(self) -> bool {
        self.is_in_blocks() && !self.is_of_windows()
    }

    /// What a warm worker is asked: what it has of a first call is its tag.
    #[must_use]
    pub fn opened_as(self) -> Self {
        if self.is_in_blocks() { self } else { Self::USUAL }
    }

    /// The regime that is measured for this one.
    #[must_use]
    pub fn measured_as(self) -> Self {
        self.leader().unwrap_or(self)
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl FromStr for Regime {
    type Err = RegimeError;

    fn from_str(name: &str) -> Result<Self, RegimeError> {
        let all = Self::parse_all(name)?;
        let [one] = all[..] else {
            return Err(RegimeError::Several { name: name.into(), all });
        };
        Ok(one)
    }
}

impl TryFrom<String> for Regime {
    type Error = RegimeError;

    fn try_from(name: String) -> Result<Self, RegimeError> {
        name.parse()
    }
}

impl From<Regime> for String {
    fn from(regime: Regime) -> Self {
        regime.to_string()
    }
}

/// An enum whose values have names.
macro_rules! names {
    ($kind:ty, $what:literal, $($variant:ident = $name:literal),+ $(,)?) => {
        impl $kind {
            /// Every value, in the order of the documents.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it in files, cell names and on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $kind {
            type Err = $crate::regimes::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|value| value.name() == name).ok_or_else(|| {
                    let known = [$($name),+].map(str::to_owned).to_vec();
                    $crate::regimes::UnknownName { what: $what, name: name.into(), known }
                })
            }
        }
    };
}
pub(crate) use names;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for regime in Regime::kinds().chain(["keys-1000".parse().unwrap()]) {
            assert_eq!(regime.to_string().parse(), Ok(regime));
            assert_eq!(serde_json::to_string(&regime).unwrap(), format!("\"{regime}\""));
        }
        assert_eq!(Regime::parse_all("sessions-10-on-1").unwrap().len(), 2);
        let of = |name: &str| name.parse::<Regime>().unwrap_err().to_string();
        assert!(of("sessions-10-on-1").contains("sessions-10-on-1-apparent here"));
        assert!(of("keys-0").contains("N from 1 to"));
        assert!(of("sessionless").contains("no regime"));
        assert!(of("segments").contains("one of single, latency"));
    }

    #[test]
    fn kinds_with_numbers_are_known_whole() {
        let of = |name: &str| name.parse::<Regime>().unwrap();
        assert!(of("keys-7").is_kind_of(of("keys-1")));
        assert!(of("pooled-free-capacity").is_kind_of(of("sessions-on-all-apparent")));
        assert!(
            !of("latency").is_kind_of(Regime::USUAL) && of("latency").is_kind_of(of("latency"))
        );
    }
}
