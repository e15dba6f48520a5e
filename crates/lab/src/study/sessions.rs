//! What a part asks of its sessions beyond what the names of their regimes say.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::{Bounds, LengthError, OutOfRange, Part, check_len};
use crate::cell::Regime;
use crate::regimes::sessions::Quantity;

/// Longest time that sessions of one sample may take: ten minutes.
const TIME_MS_MAX: f64 = 600_000.0;

/// What a part asks of its sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Asked {
    /// Messages of several lengths, instead of the part's `sizes`.
    pub mix: Option<Mix>,
    /// Sessions verify tags instead of making them.
    pub verify: bool,
    /// Each session gets its key anew after so many messages; 0: never.
    pub rekey_every: u32,
    /// The window [t1, t2] in milliseconds since the sessions began; absent: it is adjusted until
    /// it is long enough.
    pub window_ms: Option<[f64; 2]>,
    /// Where a capacity is sought: messages a second of each session.
    pub rate_per_s: f64,
    /// Where a capacity is sought: the longest tail that will do, in milliseconds.
    pub tail_ms: f64,
    /// Where a capacity is sought: the share of messages that must not take longer.
    pub tail_quantile: f64,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            mix: None,
            verify: false,
            rekey_every: 0,
            window_ms: None,
            rate_per_s: 100.0,
            tail_ms: 10.0,
            tail_quantile: 0.99,
        }
    }
}

/// Messages of several lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "\"imix\", a list of lengths, or a list of [length, weight]")]
pub enum Mix {
    /// By name: `imix`, 64, 576 and 1500 bytes as 7 : 4 : 1.
    Named(String),
    /// As often one as another.
    List(Vec<u32>),
    /// Lengths in bytes, each with its weight.
    Histogram(Vec<[u32; 2]>),
}

/// The simple Internet mix of packets, as testers of routers use it.
const IMIX: [(u32, u32); 3] = [(64, 7), (576, 4), (1500, 1)];

impl Mix {
    /// Lengths in bytes, each with its weight.
    #[must_use]
    pub fn lengths(&self) -> Vec<(u32, u32)> {
        match self {
            Self::Named(name) if name == "imix" => IMIX.to_vec(),
            Self::Named(_) => vec![],
            Self::List(lengths) => lengths.iter().map(|&len| (len, 1)).collect(),
            Self::Histogram(rows) => rows.iter().map(|&[len, weight]| (len, weight)).collect(),
        }
    }

    fn check(&self) -> Result<(), AskedError> {
        if let Self::Named(name) = self
            && name != "imix"
        {
            return Err(AskedError::MixName { name: name.clone() });
        }
        let lengths = self.lengths();
        lengths.iter().try_for_each(|(len, _)| check_len(u64::from(*len)))?;
        let weights: u64 = lengths.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let right =
            lengths.iter().all(|(_, weight)| *weight > 0) && (1..=10_000).contains(&weights);
        if right && !lengths.is_empty() { Ok(()) } else { Err(AskedError::MixWeights) }
    }
}

/// What is wrong with what is asked of sessions.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AskedError {
    /// It is asked of a part without sessions.
    #[error("`sessions` is for regimes of sessions")]
    NoSessions,
    /// A mix in a part with other regimes.
    #[error("sessions.mix: other regimes than those of sessions have one length")]
    MixBesideOthers,
    /// No mix has this name.
    #[error(
        "sessions.mix = {name:?}: must be \"imix\", a list of lengths, or a list of \
         [length, weight]"
    )]
    MixName {
        /// The name that stands in the file.
        name: String,
    },
    /// A mix of nothing, or with weights that cannot be kept.
    #[error("sessions.mix: needs lengths, with weights from 1 on that are 10,000 in all at most")]
    MixWeights,
    /// A length of a mix.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// A window that ends before it begins, or too late.
    #[error("sessions.window_ms = [{from}, {to}]: needs 0 <= t1 < t2 <= {TIME_MS_MAX}")]
    Window {
        /// Its begin, in milliseconds.
        from: f64,
        /// Its end, in milliseconds.
        to: f64,
    },
    /// What a capacity is to carry.
    #[error("sessions.{0}")]
    Range(OutOfRange),
}

impl Asked {
    /// Whether nothing is asked beyond the usual.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Lengths of messages, each with its weight, in a cell of `len_bytes`.
    #[must_use]
    pub fn lengths(&self, len_bytes: u64) -> Vec<(u32, u32)> {
        self.mix.as_ref().map_or_else(|| vec![(len_bytes as u32, 1)], Mix::lengths)
    }

    /// The length that stands for a mix in names and tables: its mean, to the next whole byte.
    pub(super) fn mean_lengths(&self) -> Vec<u64> {
        let lengths = self.mix.as_ref().map(Mix::lengths).unwrap_or_default();
        let weights: f64 = lengths.iter().map(|it| f64::from(it.1)).sum();
        let bytes: f64 = lengths.iter().map(|it| f64::from(it.0) * f64::from(it.1)).sum();
        if weights > 0.0 { vec![(bytes / weights).round() as u64] } else { vec![] }
    }

    /// Refuses what no worker could do.
    pub(super) fn check(&self, part: &Part) -> Result<(), AskedError> {
        let has_sessions = part.regimes.iter().any(|regime| regime.is_of_windows());
        if !has_sessions && !self.is_usual() {
            return Err(AskedError::NoSessions);
        }
        if let Some(mix) = &self.mix {
            mix.check()?;
            if part.regimes.iter().any(|regime| !regime.is_of_windows()) {
                return Err(AskedError::MixBesideOthers);
            }
        }
        if let Some([from, to]) = self.window_ms {
            let right = from >= 0.0 && to > from && to <= TIME_MS_MAX;
            if !right {
                return Err(AskedError::Window { from, to });
            }
        }
        let capacity =
            |regime: &Regime| regime.sessions().is_some_and(|it| it.quantity == Quantity::Capacity);
        if part.regimes.iter().any(capacity) {
            let checks = [
                Bounds::Between(0.1, 1e6).check("rate_per_s", self.rate_per_s),
                Bounds::Between(0.001, 60_000.0).check("tail_ms", self.tail_ms),
                Bounds::Between(0.5, 0.9999).check("tail_quantile", self.tail_quantile),
            ];
            return checks.into_iter().collect::<Result<(), _>>().map_err(AskedError::Range);
        }
        Ok(())
    }
}

/// Regimes by their names, each of which may stand for several.
pub(super) fn regimes<'de, D: Deserializer<'de>>(names: D) -> Result<Vec<Regime>, D::Error> {
    let mut all = Vec::new();
    for name in Vec::<String>::deserialize(names)? {
        for regime in Regime::parse_all(&name).map_err(D::Error::custom)? {
            if !all.contains(&regime) {
                all.push(regime);
            }
        }
    }
    Ok(all)
}
