//! A workload: which messages somebody has, and among whom the fastest is sought for them. The
//! command makes it; a study's file has none.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;
use words::KeyLife;

use super::{LengthError, Study, check_len, fits_any};
use crate::cell::{Candidate, Regime};

/// Messages, and who may compute their tags.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Lengths that are measured, ascending.
    pub lengths: Vec<Length>,
    /// Messages under one key; absent: a key is kept for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages_per_key: Option<u64>,
    /// Messages that are there at once, and the batches in which they are also measured; absent:
    /// they come one at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// Callers that cannot use every provider: the first of those that each can use stays in each
    /// class. Earlier runs list the providers of C alone, as `shared`.
    #[serde(
        default,
        alias = "shared",
        deserialize_with = "callers",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub callers: Vec<Caller>,
    /// Sets of macs in each of which the fastest is sought.
    pub classes: Vec<Class>,
    /// What is used today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Now>,
}

/// Code in a language that cannot call every provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// The language, in print.
    pub language: String,
    /// Providers that it can call.
    pub providers: Vec<String>,
}

/// Callers as they are kept now, or the names of the providers that C can call.
fn callers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Caller>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Kept {
        Callers(Vec<Caller>),
        OfC(Vec<String>),
    }
    Ok(match Kept::deserialize(from)? {
        Kept::Callers(callers) => callers,
        Kept::OfC(providers) => vec![Caller { language: "C".into(), providers }],
    })
}

/// A length of messages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// Bytes of a message.
    pub len_bytes: u64,
    /// Its share of all messages; 0: it is measured to tell what another length would change.
    pub share: f64,
}

/// Messages that are there at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// How many messages are there at once.
    pub messages: u64,
    /// How they are measured.
    pub regime: Regime,
}

/// Macs in which the fastest is sought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// What they have in common.
    pub name: ClassName,
    /// Names of the macs that belong to it.
    pub macs: Vec<String>,
}

/// What the macs of a class have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ClassName {
    /// In wide use, and sound without a condition: `widely-used`.
    Wide,
    /// Everything that may be used for the workload: `all`.
    All,
    /// The mac in use today, whoever computes it: `same-mac`.
    SameMac,
    /// Everything that asks nothing of its user: `without-conditions`.
    Unconditional,
    /// What another policy, of this name, admits: `by asvs-5.0`.
    Policy(String),
    /// This mac alone, which each of several callers computes by a library of its own:
    /// `together hmac-sha256`.
    Together(String),
}

/// What begins the names of the last two.
const POLICY: &str = "by ";
const TOGETHER: &str = "together ";

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wide => f.write_str("widely-used"),
            Self::All => f.write_str("all"),
            Self::SameMac => f.write_str("same-mac"),
            Self::Unconditional => f.write_str("without-conditions"),
            Self::Policy(name) => write!(f, "{POLICY}{name}"),
            Self::Together(mac) => write!(f, "{TOGETHER}{mac}"),
        }
    }
}

impl From<ClassName> for String {
    fn from(name: ClassName) -> Self {
        name.to_string()
    }
}

impl TryFrom<String> for ClassName {
    type Error = WorkloadError;

    fn try_from(text: String) -> Result<Self, WorkloadError> {
        let plain = [Self::Wide, Self::All, Self::SameMac, Self::Unconditional];
        if let Some(name) = plain.into_iter().find(|it| it.to_string() == text) {
            return Ok(name);
        }
        let policy = text.strip_prefix(POLICY).map(|name| Self::Policy(name.into()));
        let own = policy.or_else(|| Some(Self::Together(text.strip_prefix(TOGETHER)?.into())));
        own.ok_or(WorkloadError::NoClass { name: text })
    }
}

/// A mac of a provider, and the call it is used by where that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Now {
    /// Name of the mac.
    pub mac: String,
    /// Name or alias of the provider.
    pub provider: String,
    /// The call; absent: the best one for the messages per key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<KeyLife>,
}

impl Now {
    /// Whether this is the candidate.
    #[must_use]
    pub fn is(&self, candidate: &Candidate) -> bool {
        self.mac == candidate.mac && self.provider == candidate.provider
    }
}

impl Class {
    /// Whether a mac is in it.
    #[must_use]
    pub fn has(&self, mac: &str) -> bool {
        self.macs.iter().any(|own| own == mac)
    }
}

impl Workload {
    /// Lengths that its messages have.
    pub fn own(&self) -> impl Iterator<Item = &Length> {
        self.lengths.iter().filter(|it| it.share > 0.0)
    }

    /// What a message takes on average, a key's set-up shared among its messages; `None` where a
    /// time that it needs is not known. `time` tells what a call takes.
    #[must_use]
    pub fn message<T>(&self, time: T) -> Option<f64>
    where
        T: Fn(u64, KeyLife) -> Option<f64>,
    {
        let each = self.own().map(|it| {
            let message = under_key(self.messages_per_key, |life| time(it.len_bytes, life))?;
            Some(it.share * message)
        });
        each.sum()
    }

    /// The same where every message is made by one and the same call.
    #[must_use]
    pub fn message_by<T>(&self, call: KeyLife, time: T) -> Option<f64>
    where
        T: Fn(u64, KeyLife) -> Option<f64>,
    {
        self.own().map(|it| Some(it.share * time(it.len_bytes, call)?)).sum()
    }
}

/// What one of so many messages under a key takes: the first sets the key up. Who cannot keep a key
/// sets it up for each.
#[must_use]
pub fn under_key(messages: Option<u64>, time: impl Fn(KeyLife) -> Option<f64>) -> Option<f64> {
    let prepared = || time(KeyLife::Prepared).or_else(|| time(KeyLife::NewKey));
    match messages {
        None => prepared(),
        Some(0 | 1) => time(KeyLife::NewKey),
        Some(count) => {
            let (first, later) = (time(KeyLife::NewKey)?, prepared()?);
            Some(later + (first - later) / count as f64)
        }
    }
}

/// What is wrong with a workload.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorkloadError {
    /// No class of macs has this name.
    #[error("workload: no class of MACs is named {name:?}")]
    NoClass {
        /// The name that stands in the file.
        name: String,
    },
    /// The study has claims, or is a gate.
    #[error("workload: not in a study with claims or a gate")]
    ClaimsOrGate,
    /// A length that cannot be measured.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// Its lengths are in disorder, or their shares are none.
    #[error("workload: lengths must ascend, with shares that are 1 in all")]
    Shares,
    /// Keys without messages, or nobody to compute a tag.
    #[error("workload: needs a message per key, and MACs")]
    Empty,
    /// A batch that is not measured.
    #[error("workload: has a batch that no part measures")]
    Batch,
    /// Lengths or macs that are not measured.
    #[error("workload: has lengths or MACs that no part measures")]
    NotMeasured,
}

impl Study {
    /// Whether its workload, if it has one, can be measured.
    pub(super) fn check_workload(&self) -> Result<(), WorkloadError> {
        let Some(workload) = &self.workload else { return Ok(()) };
        if !self.claims.is_empty() || self.gate.is_some() {
            return Err(WorkloadError::ClaimsOrGate);
        }
        self.check_measured(workload)
    }

    fn check_measured(&self, workload: &Workload) -> Result<(), WorkloadError> {
        let Workload { lengths, classes, messages_per_key, batch, .. } = workload;
        lengths.iter().try_for_each(|it| check_len(it.len_bytes))?;
        let is_share = |it: &Length| it.share.is_finite() && it.share >= 0.0;
        let sum: f64 = lengths.iter().map(|it| it.share).sum();
        let is_ascending = lengths.windows(2).all(|pair| pair[0].len_bytes < pair[1].len_bytes);
        if !lengths.iter().all(is_share) || !is_ascending || (sum - 1.0).abs() > 1e-6 {
            return Err(WorkloadError::Shares);
        }
        if *messages_per_key == Some(0) || classes.iter().all(|class| class.macs.is_empty()) {
            return Err(WorkloadError::Empty);
        }
        let is_batch = |it: &Batch| {
            let is_asked = self.parts.iter().any(|part| part.regimes.contains(&it.regime));
            is_asked && it.regime.batch().is_some_and(|size| size as u64 <= it.messages)
        };
        if batch.as_ref().is_some_and(|it| !is_batch(it)) {
            return Err(WorkloadError::Batch);
        }
        let measured = |len: &Length| self.parts.iter().any(|it| it.sizes.contains(&len.len_bytes));
        let cases = || self.parts.iter().flat_map(|part| &part.cases);
        let is_asked = |mac: &String| cases().any(|case| fits_any(&case.macs, mac));
        let mut macs = classes.iter().flat_map(|class| &class.macs);
        if lengths.iter().all(measured) && macs.all(is_asked) {
            return Ok(());
        }
        Err(WorkloadError::NotMeasured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_takes_its_share_of_the_keys_set_up() {
        let time = |len: u64, life| match life {
            KeyLife::Prepared => Some(len as f64),
            KeyLife::NewKey => Some(len as f64 + 100.0),
            KeyLife::OneShot => None,
        };
        let length = |len_bytes, share| Length { len_bytes, share };
        let of = |messages_per_key| Workload {
            lengths: vec![length(10, 0.75), length(50, 0.25), length(99, 0.0)],
            messages_per_key,
            batch: None,
            callers: vec![],
            classes: vec![],
            now: None,
        };
        assert_eq!(of(None).message(time), Some(20.0));
        assert_eq!(of(Some(1)).message(time), Some(120.0));
        assert_eq!(of(Some(4)).message(time), Some(45.0));
        assert_eq!(of(Some(4)).message_by(KeyLife::Prepared, time), Some(20.0));
        assert_eq!(of(None).message_by(KeyLife::OneShot, time), None);
        // A call that is known at one length only is not known of the mix.
        assert_eq!(of(None).message(|len, life| time(len, life).filter(|_| len == 10)), None);
        // No key can be kept.
        let new = |len, life| time(len, life).filter(|_| life == KeyLife::NewKey);
        assert_eq!(of(None).message(new), Some(120.0));
    }

    #[test]
    fn the_providers_of_c_alone_are_read_as_earlier_runs_keep_them() {
        let of = |callers: &str| {
            let text = format!("lengths = []\nclasses = []\n{callers}");
            toml::from_str::<Workload>(&text).unwrap().callers
        };
        let caller = |language: &str, provider: &str| Caller {
            language: language.into(),
            providers: vec![provider.into()],
        };
        assert_eq!(of("shared = ['openssl']"), [caller("C", "openssl")]);
        let two = "callers = [{ language = 'Go', providers = ['go'] }, \
                   { language = 'Java', providers = ['java'] }]";
        assert_eq!(of(two), [caller("Go", "go"), caller("Java", "java")]);
        assert_eq!(of(""), []);
    }
}
