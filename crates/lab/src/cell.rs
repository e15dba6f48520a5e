//! What is measured: a candidate × message size × key life × regime, with its stable name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::worker::WINDOWS;

/// How long a key lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyLife {
    /// Key set up once, context reused.
    Prepared,
    /// Key set up for every message.
    NewKey,
    /// The library's one-call interface.
    OneShot,
}

/// How calls follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regime {
    /// One tag after another, independent.
    Single,
    /// Each message depends on the last tag.
    Latency,
    /// 4 messages under 4 keys handed over at once.
    #[serde(rename = "batch-4")]
    Batch4,
    /// 16 messages under 16 keys.
    #[serde(rename = "batch-16")]
    Batch16,
    /// 64 messages under 64 keys.
    #[serde(rename = "batch-64")]
    Batch64,
    /// 256 messages under 256 keys.
    #[serde(rename = "batch-256")]
    Batch256,
    /// 64 messages under 64 keys, whose lengths are spread evenly up to the cell's.
    #[serde(rename = "batch-64-mixed")]
    Batch64Mixed,
}

impl Regime {
    /// How many messages one call gets, where it gets many.
    #[must_use]
    pub fn batch(self) -> Option<usize> {
        match self {
            Self::Single | Self::Latency => None,
            Self::Batch4 => Some(4),
            Self::Batch16 => Some(16),
            Self::Batch64 | Self::Batch64Mixed => Some(64),
            Self::Batch256 => Some(256),
        }
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
        self.batch().is_none() || key_life != KeyLife::OneShot
    }
}

macro_rules! names {
    ($kind:ty, $what:literal, $($variant:ident = $name:literal),+) => {
        impl $kind {
            /// Every value, in the order of the documents.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it in files, cell names and on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
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
                    format!("no {} {name:?}: it is one of {}", $what, [$($name),+].join(", "))
                })
            }
        }
    };
}

names!(KeyLife, "key life", Prepared = "prepared", NewKey = "new-key", OneShot = "one-shot");
names!(
    Regime,
    "regime",
    Single = "single",
    Latency = "latency",
    Batch4 = "batch-4",
    Batch16 = "batch-16",
    Batch64 = "batch-64",
    Batch256 = "batch-256",
    Batch64Mixed = "batch-64-mixed"
);

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
        if self.provider.ends_with(']') {
            return self.provider.clone();
        }
        format!("{}[{}]", self.provider, self.kernel)
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
