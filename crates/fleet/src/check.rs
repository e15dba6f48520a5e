//! What a bundle is worth: *closed*, whose figures may stand beside those of other machines, or
//! *open*, with the reasons. After the divisions of MLPerf.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lab::record::{EventKind, Run, RunState};
use serde::{Deserialize, Serialize};

use crate::bundle::Bundle;

/// Launches of the workers that a closed bundle has at least.
pub const CLOSED_LAUNCHES_MIN: u32 = 12;

/// Pairs of identical candidates that it has at least: of fewer, a loud machine passes too often.
pub const PAIRS_MIN: u64 = 20;

/// The provider that measures the harness and computes nothing.
const NULL: &str = "null";

/// Where figures of a bundle may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Division {
    /// Beside those of other machines.
    Closed,
    /// With what speaks against them.
    Open,
}

/// What a bundle is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Where its figures may stand.
    pub division: Division,
    /// Why it is open; none where it is closed.
    pub reasons: Vec<Reason>,
}

/// Why a bundle is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Reason {
    /// The machine was not quiet: identical candidates were called different too often.
    AaOutside {
        /// Pairs called different.
        called_different: u64,
        /// Pairs that were compared.
        pairs: u64,
        /// From and to how many are called different on a quiet machine.
        band: [u64; 2],
    },
    /// Too few pairs of identical candidates to tell a quiet machine.
    AaFewPairs {
        /// Pairs that were compared.
        pairs: u64,
        /// Pairs that are needed.
        needed: u64,
    },
    /// Identical candidates were compared over too few launches.
    AaFewLaunches {
        /// Launches that there are.
        launches: u32,
        /// Launches that are needed.
        needed: u32,
    },
    /// Whether the machine was quiet was not asked.
    AaMissing,
    /// Variables of the environment made other programs of the workers.
    Environment {
        /// Which, with their values.
        variables: String,
    },
    /// Too few launches of some cell.
    FewLaunches {
        /// Launches that there are.
        launches: u32,
        /// Launches that are needed.
        needed: u32,
    },
    /// The run did not end by itself.
    NotComplete {
        /// How it stands.
        state: RunState,
    },
    /// A provider was measured whose vectors were not tried.
    NotTested {
        /// Its name or alias.
        provider: String,
    },
    /// A provider was held to do without instructions that the machine has.
    Restricted {
        /// The instructions, as `--without` takes them.
        without: String,
    },
    /// Nobody measured it: it was simulated.
    Simulated,
    /// What was measured is another version, or another file, than what passed the vectors.
    TestedAnother {
        /// Its name or alias.
        provider: String,
        /// Version and path that were tested.
        tested: String,
        /// Version and path that were measured.
        measured: String,
    },
    /// A provider failed vectors, or ended before it was asked all.
    VectorsFailed {
        /// Its name or alias.
        provider: String,
        /// Vectors that it computed wrongly.
        failed: u64,
        /// What ended it early.
        #[serde(skip_serializing_if = "Option::is_none")]
        ended_by: Option<String>,
    },
    /// A cell computed a wrong tag after it was timed.
    WrongTags {
        /// Which, by its path.
        cell: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AaOutside { called_different, pairs, band: [from, to] } => write!(
                f,
                "not a quiet machine: {called_different} of {pairs} pairs of identical candidates \
                 were called different, where {from} to {to} are expected"
            ),
            Self::AaFewPairs { pairs, needed } => {
                write!(f, "{pairs} pairs of identical candidates, {needed} are needed")
            }
            Self::AaFewLaunches { launches, needed } => {
                write!(f, "identical candidates had {launches} launches, {needed} are needed")
            }
            Self::AaMissing => f.write_str("no pairs of identical candidates were measured"),
            Self::Environment { variables } => {
                write!(f, "the workers' environment had {variables}")
            }
            Self::FewLaunches { launches, needed } => {
                write!(f, "{launches} launches of the cell with fewest, {needed} are needed")
            }
            Self::NotComplete { state } => write!(f, "the run is {}", state_word(*state)),
            Self::NotTested { provider } => write!(f, "{provider}: no vectors were tried"),
            Self::Restricted { without } => write!(f, "instructions were left out: {without}"),
            Self::Simulated => f.write_str("simulated: nobody measured it"),
            Self::TestedAnother { provider, tested, measured } => {
                write!(f, "{provider}: {tested} passed the vectors, and {measured} was measured")
            }
            Self::VectorsFailed { provider, failed, ended_by: None } => {
                write!(f, "{provider}: {failed} vectors failed")
            }
            Self::VectorsFailed { provider, failed, ended_by: Some(error) } => {
                write!(f, "{provider}: {failed} vectors failed; it ended early: {error}")
            }
            Self::WrongTags { cell } => write!(f, "{cell}: a wrong tag after timing"),
        }
    }
}

fn state_word(state: RunState) -> &'static str {
    match state {
        RunState::Open => "not at its end",
        RunState::Interrupted => "interrupted",
        RunState::Complete => "complete",
    }
}

impl Verdict {
    /// The verdict on a bundle and its run.
    #[must_use]
    pub fn of(bundle: &Bundle, run: &Run) -> Self {
        let mut reasons = Vec::new();
        if bundle.about.simulated {
            reasons.push(Reason::Simulated);
        }
        if run.state != RunState::Complete {
            reasons.push(Reason::NotComplete { state: run.state });
        }
        let launches = least_launches(run);
        if launches < CLOSED_LAUNCHES_MIN {
            reasons.push(Reason::FewLaunches { launches, needed: CLOSED_LAUNCHES_MIN });
        }
        reasons.extend(of_aa(bundle));
        reasons.extend(of_providers(bundle, run));
        reasons.extend(of_conditions(run));
        let wrong = run.cells.iter().filter(|record| record.has_wrong_tags());
        reasons.extend(wrong.map(|record| Reason::WrongTags { cell: record.cell.to_string() }));
        let division = if reasons.is_empty() { Division::Closed } else { Division::Open };
        Self { division, reasons }
    }
}

/// Launches of the measured cell that has fewest, of those that stayed to the end.
fn least_launches(run: &Run) -> u32 {
    let mut of_cell: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for sample in &run.samples {
        of_cell.entry(sample.cell).or_default().insert(sample.launch);
    }
    let stayed = run.cells.iter().filter(|it| it.excluded.is_none() && !it.has_left);
    let launches = stayed.filter_map(|it| of_cell.get(&it.id)).map(|it| it.len() as u32);
    launches.min().unwrap_or(0)
}

fn of_aa(bundle: &Bundle) -> Option<Reason> {
    let Some(found) = &bundle.doctor.a_a else { return Some(Reason::AaMissing) };
    if found.pairs == 0 {
        return Some(Reason::AaMissing);
    }
    if found.launches < CLOSED_LAUNCHES_MIN {
        let needed = CLOSED_LAUNCHES_MIN;
        return Some(Reason::AaFewLaunches { launches: found.launches, needed });
    }
    if found.pairs < PAIRS_MIN {
        return Some(Reason::AaFewPairs { pairs: found.pairs, needed: PAIRS_MIN });
    }
    let (called_different, pairs, band) = (found.called_different, found.pairs, found.band);
    (!found.is_quiet()).then_some(Reason::AaOutside { called_different, pairs, band })
}

/// What a run left out or had in its environment.
fn of_conditions(run: &Run) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if !run.machine.without.is_empty() {
        reasons.push(Reason::Restricted { without: run.machine.without.to_string() });
    }
    reasons.extend(run.events.iter().filter_map(|event| match &event.kind {
        EventKind::Environment { variables: Some(variables) } => {
            Some(Reason::Environment { variables: variables.clone() })
        }
        _ => None,
    }));
    reasons
}

fn of_providers(bundle: &Bundle, run: &Run) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for measured in run.providers.iter().filter(|it| it.name != NULL) {
        let provider = measured.name.clone();
        let Some(tested) = bundle.selftest.providers.iter().find(|it| it.name == provider) else {
            reasons.push(Reason::NotTested { provider });
            continue;
        };
        if (&tested.version, &tested.path) != (&measured.version, &measured.path) {
            reasons.push(Reason::TestedAnother {
                provider: provider.clone(),
                tested: format!("{} in {}", tested.version, tested.path),
                measured: format!("{} in {}", measured.version, measured.path),
            });
        }
        if tested.failed > 0 || tested.ended_by.is_some() {
            let (failed, ended_by) = (tested.failed, tested.ended_by.clone());
            reasons.push(Reason::VectorsFailed { provider, failed, ended_by });
        } else if tested.passed == 0 {
            reasons.push(Reason::NotTested { provider });
        }
    }
    reasons
}
