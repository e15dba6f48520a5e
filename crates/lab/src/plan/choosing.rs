//! Who speaks for a mac in panels that want the fastest: what the pilot times, and what it decides.

use std::collections::BTreeSet;

use super::{Planned, is_floor};
use crate::cell::{Candidate, Cell, Regime};
use crate::record::Chosen;
use crate::study::{Choose, Panel, Study, fits_any};

/// Cells that the pilot times to choose for panels that want the fastest: those of the middle
/// length of each part, sessions by the calls that they make. Empty where no panel chooses.
#[must_use]
pub fn pilot_cells(study: &Study, cells: &[Planned]) -> Vec<Planned> {
    let chooses = |planned: &Planned| {
        let part = &study.parts[planned.part as usize];
        let mut panels = study.panels.iter().filter(|panel| panel.choose == Choose::Fastest);
        let provider = &planned.cell.candidate.provider;
        panels.any(|panel| panel.is_in(part) && fits_any(&panel.providers, provider))
    };
    let middle = |part: u32| {
        let lengths = study.parts[part as usize].lengths();
        lengths[lengths.len() / 2]
    };
    let wanted = |planned: &&Planned| {
        let cell = &planned.cell;
        let is_middle = cell.len_bytes == middle(planned.part);
        is_middle && !is_floor(&cell.candidate.mac) && chooses(planned)
    };
    let by_calls = |planned: &Planned| {
        let mut planned = planned.clone();
        if planned.cell.regime.sessions().is_some() {
            planned.cell.regime = Regime::Single;
        }
        planned
    };
    let called: BTreeSet<Planned> = cells.iter().filter(wanted).map(by_calls).collect();
    called.into_iter().collect()
}

/// The candidate with the least geometric mean of its pilot times, for each panel that wants the
/// fastest and each mac. `times_ns` holds the pilot's cells with their nanoseconds a call.
#[must_use]
pub fn choose(study: &Study, times_ns: &[(Planned, f64)]) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    for panel in study.panels.iter().filter(|panel| panel.choose == Choose::Fastest) {
        let mine = |planned: &Planned| {
            panel.is_in(&study.parts[planned.part as usize])
                && fits_any(&panel.providers, &planned.cell.candidate.provider)
        };
        let timed: Vec<_> = times_ns.iter().filter(|(planned, _)| mine(planned)).collect();
        let macs: BTreeSet<&String> = timed.iter().map(|(p, _)| &p.cell.candidate.mac).collect();
        for mac in macs {
            let rivals: BTreeSet<&Candidate> = timed
                .iter()
                .map(|(planned, _)| &planned.cell.candidate)
                .filter(|candidate| candidate.mac == *mac)
                .collect();
            let log_mean = |candidate: &Candidate| {
                let own = timed.iter().filter(|(p, _)| p.cell.candidate == *candidate);
                let logs: Vec<f64> = own.map(|(_, ns)| ns.max(0.1).ln()).collect();
                logs.iter().sum::<f64>() / logs.len() as f64
            };
            let best = rivals.into_iter().min_by(|a, b| log_mean(a).total_cmp(&log_mean(b)));
            if let Some(best) = best {
                let (panel, mac) = (panel.name.clone(), mac.clone());
                chosen.push(Chosen { panel, mac, candidate: best.clone() });
            }
        }
    }
    chosen
}

/// The cells that remain when panels have chosen: those of panels that show all, the chosen, and
/// the floor.
#[must_use]
pub fn keep_chosen(study: &Study, cells: Vec<Planned>, chosen: &[Chosen]) -> Vec<Planned> {
    let is_chosen = |panel: &Panel, candidate: &Candidate| {
        chosen.iter().any(|it| it.panel == panel.name && it.candidate == *candidate)
    };
    let shown = |Planned { part, cell: Cell { candidate, .. } }: &Planned| {
        let part = &study.parts[*part as usize];
        let mut panels = study.panels.iter().filter(|panel| panel.is_in(part));
        is_floor(&candidate.mac)
            || panels.any(|panel| match panel.choose {
                Choose::All => fits_any(&panel.providers, &candidate.provider),
                Choose::Fastest => is_chosen(panel, candidate),
            })
    };
    cells.into_iter().filter(shown).collect()
}
