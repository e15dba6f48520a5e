//! What is still to be decided: for a lab that sends its time there.

use lab::record::Run;
use serde::Serialize;

use super::super::{Background, Interval, Levels, cells, groups, series, sessions};
use super::check::Outcome;
use super::{ClaimVerdict, Judge};

/// A comparison of a claim that is neither confirmed nor refuted, which is open itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpenComparison {
    /// The claim, by its name within the study.
    pub claim: String,
    /// The panel, by its name.
    pub panel: String,
    /// The cells that it takes, by their numbers in the run.
    pub cells: Vec<u32>,
    /// The ratio of their times; absent where one of them has no sample yet.
    pub ratio: Option<f64>,
    /// Its interval; absent where launches, and blocks, are too few for one.
    pub interval: Option<Interval>,
    /// Launches that all its cells have; 0 where they are too few to be counted by.
    pub launches: usize,
    /// Launches in all with which it is expected to be decided; absent where no number of them is.
    pub launches_needed: Option<usize>,
    /// How many times narrower its interval must become; infinite where there is none.
    pub shrink: f64,
}

/// What the claims of a run leave open so far, in the order of claims and panels. A claim that is
/// confirmed or refuted, or that this panel cannot decide, leaves nothing open.
#[must_use]
pub fn open(run: &Run, background: &Background<'_>) -> Vec<OpenComparison> {
    let levels = Levels::of(run);
    let series = series::all(run);
    let mut cells = cells::all(run, &series, levels, &mut Vec::new());
    sessions::mark_disturbed(run, &mut cells, &mut Vec::new());
    for finding in &mut cells {
        finding.work = (background.work)(&finding.cell);
    }
    let groups = groups::of_claims(run, &cells);
    let mut all = Vec::new();
    for claim in &run.study.claims {
        if !claim.statement().is_some_and(|it| it.is_compared()) {
            continue;
        }
        let judge = Judge::of(run, claim, &cells, &series, levels);
        for panel in run.study.panels.iter().filter(|panel| claim.asks(panel)) {
            let evidence = judge.evidence(panel, claim, &groups);
            if evidence.verdict() != ClaimVerdict::Undecided {
                continue;
            }
            let open = evidence.checks.iter().filter(|check| check.outcome == Outcome::Open);
            all.extend(open.map(|check| OpenComparison {
                claim: claim.id.clone(),
                panel: panel.name.clone(),
                cells: [check.first, check.second].map(|at| run.cells[at].id).to_vec(),
                ratio: check.log_ratio.map(f64::exp),
                interval: check.interval.map(|it| Interval {
                    low: it.low,
                    high: it.high,
                    confidence: it.confidence_achieved,
                }),
                launches: check.launches(),
                launches_needed: check.launches_needed(),
                shrink: check.shrink(),
            }));
        }
    }
    all
}
