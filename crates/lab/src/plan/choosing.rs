//! Who speaks for a mac in panels that want the fastest: what the pilot times, and what it decides.
//!
//! One choice is for one part and one key life: there is one candidate a table and curve, and
//! another where that is faster. Rivals are compared over the same cells; who cannot do all of them
//! is chosen only where nobody can.

use std::collections::{BTreeMap, BTreeSet};

use super::{Planned, is_floor};
use crate::cell::{Candidate, Cell, Regime};
use crate::record::{Chosen, PilotCell, Rival};
use crate::study::{Choose, Panel, Part, Study};

/// Two that are as near to the best as this are equally good: the pilot sees no smaller difference.
const NOISE: f64 = 1.02;

/// Cells that the pilot times to choose for panels that want the fastest: those of the shortest,
/// the middle and the longest messages that a panel shows of each part, sessions and first calls by
/// warm ones. Empty where no panel chooses.
#[must_use]
pub fn pilot_cells(study: &Study, cells: &[Planned]) -> Vec<Planned> {
    let chooses = |planned: &Planned| {
        let part = &study.parts[planned.part as usize];
        let mut panels = study.panels.iter().filter(|panel| panel.choose == Choose::Fastest);
        panels.any(|panel| is_rival(panel, part, &planned.cell))
    };
    let wanted = |planned: &&Planned| !is_floor(&planned.cell.candidate.mac) && chooses(planned);
    let by_calls = |planned: &Planned| {
        let mut planned = planned.clone();
        if !planned.cell.regime.is_counted() {
            planned.cell.regime = Regime::USUAL;
        }
        planned
    };
    let called: BTreeSet<Planned> = cells.iter().filter(wanted).map(by_calls).collect();
    called.into_iter().collect()
}

/// The lengths of a part at which the pilot looks for a panel.
fn lengths(panel: &Panel, part: &Part) -> Vec<u64> {
    let all = part.lengths().into_iter().filter(|&len| panel.speaks_at(len));
    let all: Vec<u64> = all.collect();
    match all.len() {
        0..=3 => all,
        count => vec![all[0], all[count / 2], all[count - 1]],
    }
}

/// Whether a cell is one of those that a panel chooses by.
fn is_rival(panel: &Panel, part: &Part, cell: &Cell) -> bool {
    panel.is_in(part)
        && panel.takes(&cell.candidate.provider)
        && lengths(panel, part).contains(&cell.len_bytes)
}

/// The choice of each panel that wants the fastest, for each part, key life and mac. `times_ns`
/// holds the pilot's cells with their nanoseconds a call; what was refused is not in it.
#[must_use]
pub fn choose(study: &Study, times_ns: &[(Planned, f64)]) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    for panel in study.panels.iter().filter(|panel| panel.choose == Choose::Fastest) {
        let mut asked = BTreeMap::new();
        for (Planned { part, cell }, ns) in times_ns {
            if is_rival(panel, &study.parts[*part as usize], cell) {
                let of = (*part, cell.key_life, &cell.candidate.mac);
                asked.entry(of).or_insert_with(Vec::new).push((cell, *ns));
            }
        }
        for ((part, key_life, mac), timed) in asked {
            let (cells, rivals) = rivals(&timed);
            let Some(best) = fastest(&rivals) else { continue };
            chosen.push(Chosen {
                panel: panel.name.clone(),
                mac: mac.clone(),
                candidate: rivals[best].candidate.clone(),
                part: Some(study.parts[part as usize].name.clone()),
                key_life: Some(key_life),
                cells,
                rivals,
            });
        }
    }
    chosen
}

/// Every cell that any of them was timed in, and what each took there.
fn rivals(timed: &[(&Cell, f64)]) -> (Vec<PilotCell>, Vec<Rival>) {
    let named = |cell: &Cell| PilotCell {
        regime: cell.regime,
        len_bytes: cell.len_bytes,
        key_len_bytes: cell.key_len_bytes,
    };
    let cells: BTreeSet<PilotCell> = timed.iter().map(|(cell, _)| named(cell)).collect();
    let cells: Vec<PilotCell> = cells.into_iter().collect();
    let mut rivals: BTreeMap<&Candidate, Vec<Option<f64>>> = BTreeMap::new();
    for (cell, ns) in timed {
        let times = rivals.entry(&cell.candidate).or_insert_with(|| vec![None; cells.len()]);
        if let Ok(at) = cells.binary_search(&named(cell)) {
            times[at] = Some(ns.max(0.1));
        }
    }
    let rival =
        |(candidate, times_ns): (&Candidate, _)| Rival { candidate: candidate.clone(), times_ns };
    (cells, rivals.into_iter().map(rival).collect())
}

/// The place of the fastest of those that have most cells, which is all of them where anybody has
/// all: the one that is never far behind the best of them, in whatever cell; of several that
/// cannot be told apart so, the least by geometric mean.
fn fastest(rivals: &[Rival]) -> Option<usize> {
    let most = rivals.iter().map(Rival::done).max()?;
    let able: Vec<usize> = (0..rivals.len()).filter(|&at| rivals[at].done() == most).collect();
    // Who have as many may have others: only what all of them have is compared.
    let shared = |cell: &usize| able.iter().all(|&at| rivals[at].times_ns[*cell].is_some());
    let shared: Vec<usize> = (0..rivals[0].times_ns.len()).filter(shared).collect();
    let time = |at: usize, cell: usize| rivals[at].times_ns[cell].unwrap_or(f64::INFINITY);
    let score = |at: usize| {
        let behind = |&cell: &usize| {
            let best = able.iter().map(|&at| time(at, cell)).fold(f64::INFINITY, f64::min);
            time(at, cell) / best
        };
        let worst = shared.iter().map(behind).fold(1.0, f64::max);
        let mean = shared.iter().map(|&cell| time(at, cell).ln()).sum::<f64>();
        (worst.max(NOISE), mean)
    };
    able.iter().copied().min_by(|&a, &b| {
        let ((worst, mean), (other_worst, other_mean)) = (score(a), score(b));
        worst.total_cmp(&other_worst).then(mean.total_cmp(&other_mean))
    })
}

/// The cells that remain when panels have chosen: those of panels that show all, the chosen, and
/// the floor.
#[must_use]
pub fn keep_chosen(study: &Study, cells: Vec<Planned>, chosen: &[Chosen]) -> Vec<Planned> {
    let shown = |Planned { part, cell }: &Planned| {
        is_floor(&cell.candidate.mac) || shown_by(study, chosen, *part, cell).next().is_some()
    };
    cells.into_iter().filter(shown).collect()
}

/// The panels that show a cell of a part.
pub fn shown_by<'a>(
    study: &'a Study,
    chosen: &'a [Chosen],
    part: u32,
    cell: &'a Cell,
) -> impl Iterator<Item = &'a Panel> {
    let (part, candidate) = (&study.parts[part as usize], &cell.candidate);
    let is_chosen = move |panel: &Panel| {
        chosen.iter().any(|it| it.is_of(&panel.name, &part.name, cell.key_life, candidate))
    };
    study.panels.iter().filter(move |panel| {
        let is_shown = match panel.choose {
            Choose::All => panel.takes(&candidate.provider),
            Choose::Fastest => is_chosen(panel),
        };
        is_shown && panel.is_in(part) && panel.speaks_at(cell.len_bytes)
    })
}

#[cfg(test)]
mod tests;
