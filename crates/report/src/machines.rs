//! Many machines that measured one study. Only ratios that were made within one machine travel: of
//! an offer to a reference in the same launch. The machine is the unit of replication: hosts of
//! one kind are one value, however many they are and however often they measured.

mod claims;
mod groups;
mod member;
mod row_inputs;
mod rows;
mod shared;
mod text;
mod trend;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use stats::{Confidence, Margin, OverUnits};

pub use claims::MachinesClaim;
pub use groups::{By, GroupOver};
pub use member::{Catalog, Group, Member, Place, Timed, Traits, Who};
pub use rows::Row;
pub use shared::Trait;

use crate::findings::series::LAUNCHES_MIN;

/// What is asked of them.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// By what they are told apart.
    pub by: Option<By>,
    /// What all others are held against, as `MAC/PROVIDER`; else the offer that is fastest over
    /// all.
    pub against: Option<String>,
    /// Patterns of MACs, one of which must fit; none: all.
    pub macs: Vec<String>,
    /// Message lengths; none: all.
    pub sizes: Vec<u64>,
}

/// What runs of one study on many machines have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Machines {
    /// Hash of the pack that they measured.
    pub study_id: String,
    /// Name of the study.
    pub study: String,
    /// Its title.
    pub study_title: String,
    /// Runs there are.
    pub runs: usize,
    /// Runs that are simulated.
    pub simulated: usize,
    /// Kinds of machines, by their ids, in the order by which rows and claims number them.
    pub machines: Vec<Kind>,
    /// The difference that does not matter.
    pub margin: f64,
    /// By what machines are told apart, where that was asked.
    pub by: Option<By>,
    /// Fewest machines with which a row of so many can be called faster or slower.
    pub machines_needed: usize,
    /// What each offer is held against, by part, regime and key life.
    pub references: Vec<Reference>,
    /// One entry an offer, length, regime and key life.
    pub rows: Vec<Row>,
    /// The claims of the study over all machines.
    pub claims: Vec<MachinesClaim>,
}

/// Machines of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kind {
    /// Hash of what makes them one kind.
    pub machine_id: String,
    /// Places of its runs among all that were given.
    #[serde(skip)]
    pub members: Vec<usize>,
    /// What it is.
    #[serde(flatten)]
    pub traits: Traits,
    /// Versions of the providers, by their names; `3.0.15 and 3.5.4` where its runs differ.
    pub versions: BTreeMap<String, String>,
    /// Providers of which its runs have different versions, which its one value mixes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mixed_versions: Vec<String>,
}

/// What offers are held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// The part, regime and key life for which it stands.
    #[serde(flatten)]
    pub group: Group,
    /// The offer that the others are held against.
    #[serde(flatten)]
    pub who: Who,
}

/// Why machines cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachinesError {
    /// There are no runs.
    #[error("no runs to compare")]
    NoRuns,
    /// No run has a time.
    #[error("no run has a time of any MAC")]
    NoTimes,
    /// Nobody has measured what all are to be held against.
    #[error("no machine has measured {against}: it must be MAC/PROVIDER")]
    NotMeasured {
        /// What was asked for.
        against: String,
    },
}

/// Level of everything that is called.
const ALPHA: f64 = 0.05;

impl Machines {
    /// `, 24-byte key`, where a provider was measured with keys of several lengths of a MAC.
    pub(crate) fn key_words(&self, who: &Who) -> String {
        let is_other = |it: &Who| {
            it.key_len_bytes != who.key_len_bytes
                && (&it.mac, &it.provider) == (&who.mac, &who.provider)
        };
        match self.rows.iter().any(|row| is_other(&row.who)) {
            true => format!(", {}-byte key", who.key_len_bytes),
            false => String::new(),
        }
    }

    /// Compares machines; those of one kind are taken together.
    ///
    /// # Errors
    /// Where there is nothing to compare, or the reference is not among the offers.
    pub fn of(
        study_id: &str,
        members: &[Member],
        catalog: &Catalog,
        asked: &Asked,
    ) -> Result<Self, MachinesError> {
        let Some(first) = members.first() else { return Err(MachinesError::NoRuns) };
        let margin = Margin::new(first.margin).unwrap_or_default();
        let kinds = kinds(members);
        let references = rows::references(members, catalog, asked)?;
        let rows = rows::all(
            &row_inputs::RowInputs { members, kinds: &kinds, catalog, margin },
            &references,
            asked,
        );
        Ok(Machines {
            study_id: study_id.into(),
            study: first.study.clone(),
            study_title: first.study_title.clone(),
            runs: members.len(),
            simulated: members.iter().filter(|it| it.traits.simulated).count(),
            claims: claims::all(members, &kinds, catalog),
            machines_needed: stats::replicates_min(rows.len(), ALPHA).max(LAUNCHES_MIN),
            machines: kinds,
            margin: margin.value(),
            by: asked.by,
            references: references
                .into_iter()
                .map(|(group, who)| Reference { group, who })
                .collect(),
            rows,
        })
    }
}

fn kinds(members: &[Member]) -> Vec<Kind> {
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        kinds.entry(&member.traits.machine_id).or_default().push(at);
    }
    let kind = |(id, own): (&str, Vec<usize>)| {
        let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (name, version) in own.iter().flat_map(|at| &members[*at].versions) {
            versions.entry(name).or_default().insert(version);
        }
        let mixed = versions.iter().filter(|it| it.1.len() > 1).map(|it| (*it.0).to_owned());
        let systems = own.iter().map(|at| members[*at].traits.system.as_str());
        Kind {
            machine_id: id.to_owned(),
            traits: Traits {
                system: together(systems).unwrap_or_default(),
                ..members[own[0]].traits.clone()
            },
            mixed_versions: mixed.collect(),
            versions: versions
                .into_iter()
                .map(|(name, own)| (name.to_owned(), together(own).unwrap_or_default()))
                .collect(),
            members: own,
        }
    };
    kinds.into_iter().map(kind).collect()
}

/// What runs of one kind of machine have, all of it where they differ.
fn together<'a>(all: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let all: BTreeSet<&str> = all.into_iter().collect();
    let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
    (!all.is_empty()).then(|| crate::format::list(&all))
}

/// What units have in common, by the margin and at 95 %.
fn over(units: &[stats::Unit], margin: Margin) -> Option<OverUnits> {
    OverUnits::of(units, Confidence::default(), margin)
}
