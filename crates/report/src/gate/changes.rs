//! What changed between two versions beside their speed: who they are, what they offer, and on
//! which code paths.

use std::collections::BTreeMap;

use lab::record::{Different, Offer, ProviderRecord, Run};
use lab::study::Gate;
use serde::Serialize;

/// One of the two that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Version {
    /// Its name in the run.
    pub name: String,
    /// Its version, as it says itself.
    pub version: String,
    /// Where it is.
    pub path: String,
}

/// A change of one mac.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
pub enum Change {
    /// It is computed on another code path.
    CodePath {
        /// Name of the mac.
        mac: String,
        /// The code path of the base.
        base: String,
        /// That of the new version.
        new: String,
    },
    /// The new version does not offer it, under some key life at least.
    Gone {
        /// Name of the mac.
        mac: String,
        /// The key lives.
        key_lives: Vec<String>,
    },
    /// The base does not offer it, under some key life at least.
    Added {
        /// Name of the mac.
        mac: String,
        /// The key lives.
        key_lives: Vec<String>,
    },
}

impl Change {
    /// Whether something of the base cannot be compared any more.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Gone { .. })
    }

    /// In one line.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::CodePath { mac, base, new } => format!("{mac}: code path {base} → {new}"),
            Self::Gone { mac, key_lives } => {
                format!("{mac} ({}): offered only by the base", key_lives.join(", "))
            }
            Self::Added { mac, key_lives } => {
                format!("{mac} ({}): offered only by the new version", key_lives.join(", "))
            }
        }
    }
}

pub(super) fn record<'a>(run: &'a Run, name: &str) -> Option<&'a ProviderRecord> {
    run.providers.iter().find(|it| it.name == name)
}

pub(super) fn versions(run: &Run, gate: &Gate) -> [Version; 2] {
    [&gate.base, &gate.new].map(|name| {
        let record = record(run, name);
        let of = |field: fn(&ProviderRecord) -> &String| record.map(field).cloned();
        Version {
            name: name.clone(),
            version: of(|it| &it.version).unwrap_or_default(),
            path: of(|it| &it.path).unwrap_or_default(),
        }
    })
}

/// Every change of a mac that the gate was asked about, in the order of names.
pub(super) fn all(run: &Run, gate: &Gate) -> Vec<Change> {
    let (Some(base), Some(new)) = (record(run, &gate.base), record(run, &gate.new)) else {
        return vec![];
    };
    let [old, now] = [base, new].map(|it| offers(run, it));
    let lives = |offer: &Offer, other: Option<&&Offer>| -> Vec<String> {
        let asked = run.study.parts.iter().flat_map(|part| &part.key_lives);
        let missing = asked.filter(|life| offer.key_lives.contains(life));
        let missing = missing.filter(|life| other.is_none_or(|it| !it.key_lives.contains(life)));
        missing.map(ToString::to_string).collect()
    };
    let mut changes = Vec::new();
    for (mac, offer) in &old {
        let key_lives = lives(offer, now.get(mac));
        if !key_lives.is_empty() {
            changes.push(Change::Gone { mac: mac.to_string(), key_lives });
        }
        if let Some(other) = now.get(mac).filter(|it| it.kernel != offer.kernel) {
            let (base, new) = (offer.kernel.clone(), other.kernel.clone());
            changes.push(Change::CodePath { mac: mac.to_string(), base, new });
        }
    }
    for (mac, offer) in &now {
        let key_lives = lives(offer, old.get(mac));
        if !key_lives.is_empty() {
            changes.push(Change::Added { mac: mac.to_string(), key_lives });
        }
    }
    changes
}

/// What a provider offers of the macs that the gate was asked about.
fn offers<'a>(run: &Run, provider: &'a ProviderRecord) -> BTreeMap<&'a str, &'a Offer> {
    let offers = provider.offers.iter().filter(|it| is_asked(run, &it.mac));
    offers.map(|it| (it.mac.as_str(), it)).collect()
}

fn is_asked(run: &Run, mac: &str) -> bool {
    let mut cases = run.study.parts.iter().flat_map(|part| &part.cases);
    cases.any(|case| case.macs.iter().any(|name| name == mac))
}

/// Macs of the gate that the new version has and computes wrongly while the base does not, as its
/// worker found when it tried them; a line each.
pub(super) fn wrong(run: &Run, gate: &Gate) -> Vec<String> {
    match (record(run, &gate.base), record(run, &gate.new)) {
        (Some(base), Some(new)) => {
            let macs = different(base, new);
            let asked = macs.filter(|it| is_asked(run, &it.mac));
            asked.map(|it| format!("{it} of {}", gate.new)).collect()
        }
        _ => vec![],
    }
}

/// What a version gives other answers to than all others, and its base does not.
pub fn different<'a>(
    base: &'a ProviderRecord,
    new: &'a ProviderRecord,
) -> impl Iterator<Item = &'a Different> {
    new.different.iter().filter(|it| !base.different.contains(it))
}
