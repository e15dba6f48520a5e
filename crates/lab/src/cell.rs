//! What is measured: a candidate × message size × key life × regime, with its stable name.

pub mod sessions;

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use words::ProviderName;

pub use sessions::{Binding, Quantity, Serving, Sessions};
pub use words::KeyLife;

use crate::worker::WINDOWS;

/// Most keys that `keys-N` rotates through.
pub const KEYS_MAX: u32 = 10_000_000;

/// How calls follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Regime {
    /// One tag after another, independent.
    Single,
    /// Each message depends on the last tag.
    Latency,
    /// 4 messages under 4 keys handed over at once.
    Batch4,
    /// 16 messages under 16 keys.
    Batch16,
    /// 64 messages under 64 keys.
    Batch64,
    /// 256 messages under 256 keys.
    Batch256,
    /// 64 messages under 64 keys, whose lengths are spread evenly up to the cell's.
    Batch64Mixed,
    /// A file sealed, sent in segments and opened again: one action of that transaction.
    Segments(Medium, Action),
    /// Many sessions at once.
    Sessions(Sessions),
    /// As `Single`, each message under the next of so many keys, in an order without pattern: the
    /// contexts of all keys are the working set.
    Keys(NonZeroU32),
    /// The first call of each mac in a process just started, all macs of a case in one process.
    Cold(Turns),
}

/// Who comes first in a process just started, and pays for what the others find loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turns {
    /// The first mac of the case, always.
    Fixed,
    /// Another one in each launch.
    Rotated,
}

/// Where the segments of a transaction are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Medium {
    /// In memory.
    Memory,
    /// In a folder, a file each, as the operating system writes them back.
    Disk,
    /// In a folder, each file and the folder synchronised before the next action.
    Fsync,
}

/// What a transaction is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The sender cuts a file or its ciphertext.
    Splitting,
    /// The receiver joins segments.
    Combining,
    /// The sender seals the file, or each part of it.
    Encryption,
    /// The receiver opens it, or each part of it.
    Decryption,
    /// All four.
    Transaction,
}

impl Regime {
    /// How many messages one call gets, where it gets many.
    #[must_use]
    pub fn batch(self) -> Option<usize> {
        match self {
            Self::Single
            | Self::Latency
            | Self::Segments(..)
            | Self::Sessions(_)
            | Self::Keys(_)
            | Self::Cold(_) => None,
            Self::Batch4 => Some(4),
            Self::Batch16 => Some(16),
            Self::Batch64 | Self::Batch64Mixed => Some(64),
            Self::Batch256 => Some(256),
        }
    }

    /// The action of a transaction that is timed.
    #[must_use]
    pub fn action(self) -> Option<Action> {
        if let Self::Segments(_, action) = self { Some(action) } else { None }
    }

    /// The sessions that are at work at once.
    #[must_use]
    pub fn sessions(self) -> Option<Sessions> {
        if let Self::Sessions(sessions) = self { Some(sessions) } else { None }
    }

    /// Who comes first in a process just started, where such are timed.
    #[must_use]
    pub fn cold(self) -> Option<Turns> {
        if let Self::Cold(turns) = self { Some(turns) } else { None }
    }

    /// Whether samples are calls that follow one another in a worker that is warm.
    #[must_use]
    pub fn is_of_calls(self) -> bool {
        !matches!(self, Self::Segments(..) | Self::Sessions(_) | Self::Cold(_))
    }

    /// Whether a worker that knows `other` knows this one too: kinds with numbers in their names
    /// are known whole.
    #[must_use]
    pub fn is_kind_of(self, other: Self) -> bool {
        match (self, other) {
            (Self::Sessions(_), Self::Sessions(_)) | (Self::Keys(_), Self::Keys(_)) => true,
            _ => self == other,
        }
    }

    /// Every regime that a name stands for: that of sessions without a quantity for both.
    ///
    /// # Errors
    /// One line that says what is wrong, and what would be right.
    pub fn parse_all(name: &str) -> Result<Vec<Self>, String> {
        let is_of_sessions = ["sessions", "pooled", "batched"].iter().any(|word| {
            name.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        });
        if is_of_sessions {
            return Ok(Sessions::parse(name)?.into_iter().map(Self::Sessions).collect());
        }
        if let Some(count) = name.strip_prefix("keys-") {
            let count = count.parse().ok().filter(|n: &NonZeroU32| n.get() <= KEYS_MAX);
            let wrong = || format!("{name:?}: must be keys-N, N from 1 to {KEYS_MAX}");
            return Ok(vec![Self::Keys(count.ok_or_else(wrong)?)]);
        }
        let known = Self::CLOSED.iter().find(|(_, own)| *own == name);
        known.map(|(regime, _)| vec![*regime]).ok_or_else(|| {
            let names: Vec<&str> = Self::CLOSED.iter().map(|(_, name)| *name).collect();
            let names = names.join(", ");
            format!(
                "no regime {name:?}: must be one of {names}, keys-N, sessions-N-on-all and so on"
            )
        })
    }

    /// Length of message i of a cell whose length is `len`.
    #[must_use]
    pub fn message_len(self, i: usize, len: usize) -> usize {
        if self != Self::Batch64Mixed {
            return len;
        }
        // 7 has no factor in common with 16, so that each sixteenth comes up once in 16 messages.
        len * (i * 7 % WINDOWS + 1) / WINDOWS
    }

    /// Whether there are such calls: a batch has its keys prepared, or all of them anew.
    #[must_use]
    pub fn has(self, key_life: KeyLife) -> bool {
        match self {
            Self::Keys(_) => key_life == KeyLife::Prepared,
            // What a first call pays for is mostly the set-up.
            Self::Cold(_) => key_life == KeyLife::NewKey,
            Self::Sessions(Sessions { serving: Serving::Batched, .. }) => {
                key_life != KeyLife::OneShot
            }
            _ => self.batch().is_none() || key_life != KeyLife::OneShot,
        }
    }
}

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

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $kind {
            type Err = String;

            fn from_str(name: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|value| value.name() == name).ok_or_else(|| {
                    format!("no {} {name:?}: must be one of {}", $what, [$($name),+].join(", "))
                })
            }
        }
    };
}

names!(Medium, "medium", Memory = "memory", Disk = "disk", Fsync = "fsync");
names!(
    Action,
    "action",
    Splitting = "splitting",
    Combining = "combining",
    Encryption = "encryption",
    Decryption = "decryption",
    Transaction = "transaction",
);
impl Regime {
    /// Every regime without a number of its own in its name, in the order of the documents.
    pub const CLOSED: &'static [(Self, &'static str)] = &[
        (Self::Single, "single"),
        (Self::Latency, "latency"),
        (Self::Batch4, "batch-4"),
        (Self::Batch16, "batch-16"),
        (Self::Batch64, "batch-64"),
        (Self::Batch256, "batch-256"),
        (Self::Batch64Mixed, "batch-64-mixed"),
        (Self::Cold(Turns::Fixed), "cold-fixed"),
        (Self::Cold(Turns::Rotated), "cold-rotated"),
        (Self::Segments(Medium::Memory, Action::Splitting), "segments-memory-splitting"),
        (Self::Segments(Medium::Memory, Action::Combining), "segments-memory-combining"),
        (Self::Segments(Medium::Memory, Action::Encryption), "segments-memory-encryption"),
        (Self::Segments(Medium::Memory, Action::Decryption), "segments-memory-decryption"),
        (Self::Segments(Medium::Memory, Action::Transaction), "segments-memory-transaction"),
        (Self::Segments(Medium::Disk, Action::Splitting), "segments-disk-splitting"),
        (Self::Segments(Medium::Disk, Action::Combining), "segments-disk-combining"),
        (Self::Segments(Medium::Disk, Action::Encryption), "segments-disk-encryption"),
        (Self::Segments(Medium::Disk, Action::Decryption), "segments-disk-decryption"),
        (Self::Segments(Medium::Disk, Action::Transaction), "segments-disk-transaction"),
        (Self::Segments(Medium::Fsync, Action::Splitting), "segments-fsync-splitting"),
        (Self::Segments(Medium::Fsync, Action::Combining), "segments-fsync-combining"),
        (Self::Segments(Medium::Fsync, Action::Encryption), "segments-fsync-encryption"),
        (Self::Segments(Medium::Fsync, Action::Decryption), "segments-fsync-decryption"),
        (Self::Segments(Medium::Fsync, Action::Transaction), "segments-fsync-transaction"),
    ];

    /// One of each kind of regime: what our own workers know.
    pub fn kinds() -> impl Iterator<Item = Self> {
        let closed = Self::CLOSED.iter().map(|(regime, _)| *regime);
        closed.chain([Self::Sessions(Sessions::KIND), Self::Keys(NonZeroU32::MIN)])
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sessions(sessions) => sessions.fmt(f),
            Self::Keys(count) => write!(f, "keys-{count}"),
            closed => {
                let name = Self::CLOSED.iter().find(|(regime, _)| regime == closed);
                f.pad(name.map_or("", |(_, name)| name))
            }
        }
    }
}

impl FromStr for Regime {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match Self::parse_all(name)?[..] {
            [one] => Ok(one),
            _ => Err(format!("{name:?}: absolute, apparent or capacity must be named here")),
        }
    }
}

impl TryFrom<String> for Regime {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Regime> for String {
    fn from(regime: Regime) -> Self {
        regime.to_string()
    }
}

/// In which order a file is sealed and cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flow {
    /// The whole file is encrypted, then split.
    Es,
    /// The file is split, then each part is encrypted.
    Se,
    /// As `Se`, and each part's number and their count are its associated data.
    SeBound,
}

names!(Flow, "flow", Es = "es", Se = "se", SeBound = "se-bound");

/// What seals the files of a transaction, and how: `eax-aes-128-se`. To the plan it is a mac like
/// others, with the key of its composition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme<'a> {
    /// Canonical name of the composition.
    pub composition: &'a str,
    /// The order of sealing and cutting.
    pub flow: Flow,
}

impl<'a> Scheme<'a> {
    /// Takes a name apart; `None` for one that does not end in a flow.
    #[must_use]
    pub fn of(name: &'a str) -> Option<Self> {
        Flow::ALL.iter().find_map(|&flow| {
            let composition = name.strip_suffix(flow.name())?.strip_suffix('-')?;
            (!composition.is_empty()).then_some(Self { composition, flow })
        })
    }
}

impl fmt::Display for Scheme<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.composition, self.flow)
    }
}

/// An offer on one code path: who computes what, and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Candidate {
    /// Canonical name of the algorithm, `hmac-sha256`; `null` for the floor.
    pub mac: String,
    /// Who computes it.
    pub provider: String,
    /// The code path that runs, `sha-ni`, `soft`, …
    pub kernel: String,
}

impl fmt::Display for Candidate {
    /// `openssl[sha-ni]/hmac-sha256`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.source(), self.mac)
    }
}

impl Candidate {
    /// `openssl[sha-ni]`. A provider whose code path was pinned has it in its name.
    #[must_use]
    pub fn source(&self) -> String {
        if ProviderName::of(&self.provider).is_plain() {
            return format!("{}[{}]", self.provider, self.kernel);
        }
        self.provider.clone()
    }
}

/// One cell of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// Who computes what.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// How calls follow one another.
    pub regime: Regime,
    /// What happens to the key in each call.
    pub key_life: KeyLife,
    /// Length of each message in bytes.
    pub len_bytes: u64,
    /// Length of the key in bytes.
    pub key_len_bytes: u32,
    /// Whether that key length is the mac's usual one; only another is part of the name.
    pub usual_key: bool,
}

impl Cell {
    /// The cell that is measured for this one, and for others that differ from it in the action or
    /// quantity only: one transaction gives the times of all its actions, and one window of
    /// sessions all its quantities.
    #[must_use]
    pub fn measured_as(&self) -> Self {
        let regime = match self.regime {
            Regime::Segments(medium, _) => Regime::Segments(medium, Action::Transaction),
            Regime::Sessions(sessions) => Regime::Sessions(sessions.measured_as()),
            other => other,
        };
        Self { regime, ..self.clone() }
    }

    /// Mean length of its messages in bytes: less than the cell's where lengths are mixed.
    #[must_use]
    pub fn mean_len_bytes(&self) -> f64 {
        let len = |i| self.regime.message_len(i, self.len_bytes as usize) as f64;
        (0..WINDOWS).map(len).sum::<f64>() / WINDOWS as f64
    }
}

impl fmt::Display for Cell {
    /// The stable path `mac/provider/kernel/regime/key-life/len`, with `/key-16` behind it where
    /// the key is not of the mac's usual length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Candidate { mac, provider, kernel } = &self.candidate;
        let (regime, key_life, len) = (self.regime, self.key_life, self.len_bytes);
        write!(f, "{mac}/{provider}/{kernel}/{regime}/{key_life}/{len}")?;
        if self.usual_key { Ok(()) } else { write!(f, "/key-{}", self.key_len_bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for regime in Regime::kinds().chain([Regime::Keys(NonZeroU32::new(1000).unwrap())]) {
            assert_eq!(regime.to_string().parse(), Ok(regime));
        }
        assert_eq!(Regime::parse_all("sessions-10-on-1").unwrap().len(), 2);
        assert!("keys-0".parse::<Regime>().unwrap_err().contains("N from 1 to"));
        assert!("sessionless".parse::<Regime>().unwrap_err().contains("no regime"));
        let regime = Regime::Segments(Medium::Fsync, Action::Decryption);
        assert_eq!(serde_json::to_string(&regime).unwrap(), "\"segments-fsync-decryption\"");
        assert!("segments".parse::<Regime>().unwrap_err().contains("one of single, latency"));
    }

    #[test]
    fn a_scheme_is_a_composition_and_a_flow() {
        let of = |name| Scheme::of(name).map(|it| (it.composition, it.flow));
        assert_eq!(of("eax-aes-128-es"), Some(("eax-aes-128", Flow::Es)));
        assert_eq!(of("ctr+cmac-aes-128-se-bound"), Some(("ctr+cmac-aes-128", Flow::SeBound)));
        assert_eq!((of("eax-aes-128"), of("-se"), of("these")), (None, None, None));
        assert_eq!(Scheme::of("gcm-aes-256-se").unwrap().to_string(), "gcm-aes-256-se");
    }
}
