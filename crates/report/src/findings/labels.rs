//! The conditions of a cell in words.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{Candidate, KeyLife, Regime};
use lab::record::Processor;
use words::MacName;

use crate::regimes::regime_words;

/// A key life in words that stand after a comma.
#[must_use]
pub fn key_life_words(key_life: KeyLife) -> &'static str {
    match key_life {
        KeyLife::Prepared => "key prepared",
        KeyLife::NewKey => "new key for each message",
        KeyLife::OneShot => "one-shot call",
    }
}

/// What happens to the key, and the regime where it is not the usual one.
pub(crate) fn condition_words(key_life: KeyLife, regime: Regime) -> String {
    let life = key_life_words(key_life);
    match regime {
        Regime::USUAL => life.to_owned(),
        other => format!("{life}, {}", regime_words(other)),
    }
}

/// Packages, cores and processors in words.
#[derive(Debug, PartialEq, Eq)]
pub struct Topology {
    /// `1 package, 2 cores, 4 processors`.
    pub counts: String,
    /// Processors that share a core, one entry a core: `0+2`.
    pub siblings: Vec<String>,
}

impl Topology {
    /// The topology of these processors; nothing where it is not known.
    #[must_use]
    pub fn of(processors: &[Processor]) -> Option<Topology> {
        let mut cores: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        for it in processors {
            cores.entry((it.package, it.core)).or_default().push(it.cpu.to_string());
        }
        let packages: BTreeSet<u32> = processors.iter().map(|it| it.package).collect();
        let shared = cores.values().filter(|own| own.len() > 1);
        (!processors.is_empty()).then(|| Topology {
            counts: format!(
                "{}, {}, {}",
                words::counted(packages.len(), "package"),
                words::counted(cores.len(), "core"),
                words::counted(processors.len(), "processor")
            ),
            siblings: shared.map(|own| own.join("+")).collect(),
        })
    }

    pub(crate) fn words(&self) -> String {
        let Topology { counts, siblings } = self;
        let siblings = match siblings.len() {
            0 => "none share a core".into(),
            1..=8 => format!("sharing a core: {}", siblings.join(", ")),
            more => format!("sharing a core: {} and so on, on {more} cores", siblings[0]),
        };
        format!("{counts}; {siblings}")
    }
}

/// The mode of a mac and what it is made of: `cmac` and `aes-128`, `hmac` and `sha512-256`.
#[must_use]
pub fn mode_and_primitive(mac: &str) -> (&str, &str) {
    let MacName { mode, primitive } = MacName::of(mac);
    (mode, primitive.unwrap_or_default())
}

/// A mac by the name that a study has for its mode.
pub(super) fn own_name(names: &BTreeMap<String, String>, mac: &str) -> String {
    let MacName { mode, primitive } = MacName::of(mac);
    match (names.get(mode), primitive) {
        (Some(own), Some(primitive)) => format!("{own}-{primitive}"),
        _ => mac.into(),
    }
}

/// What is left out of JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// `hmac-sha256 from openssl[sha-ni]`.
pub(crate) fn in_words(candidate: &Candidate) -> String {
    format!("{} from {}", candidate.mac, candidate.source())
}
