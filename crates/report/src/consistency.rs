//! One machine, one truth: what several runs of one machine measured of the same cell is held
//! against each other, and so is who was chosen as the fastest, and what one run says of a cell in
//! two ways. Only what is comparable is compared: calls of one implementation in one version, under
//! the same key life, regime and lengths. Sessions and transactions depend on settings of their
//! part, and are left out.
//!
//! Runs are not interleaved and the machine drifts, so intervals alone would cry wolf. Two runs
//! contradict each other where their launches differ by more than [`MARGIN`] and the chance of that
//! is below 5 % after Holm's correction over all that is compared. Blocks of one launch are alike,
//! so launches alone are counted; of several rivals of a choice each is tested, and the least of
//! their probabilities is multiplied by their number (Bonferroni), since any of them may be the one
//! that contradicts.

mod text;

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{Candidate, Cell};
use lab::plan::is_floor;
use lab::record::{Chosen, Run};
use lab::regimes::Way;
use lab::study::{Choose, Panel};
use serde::Serialize;
use stats::{Alpha, Sample, Welch, holm};

use crate::findings::Unit;
use crate::findings::series::{self, Series};
use crate::findings::single_calls;

/// Differences within this share count as drift of the machine.
pub const MARGIN: f64 = 0.05;

/// How much shorter the median of calls timed one by one may be than their share of a batch: the
/// empty bracket that was subtracted, and the step of the clock, are of this order.
const SINGLE_SHORT_NS: f64 = 30.0;
const SINGLE_SHORT: f64 = 0.9;

/// What an archive says against itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Consistency {
    /// Runs compared.
    pub runs: usize,
    /// Machines that they are of.
    pub machines: usize,
    /// Cells that two runs or parts share.
    pub cells: Count,
    /// Lengths at which another run measured somebody else beside a choice.
    pub choices: Count,
    /// Cells with calls timed one by one.
    pub singles: Count,
    /// What does not fit, in the order of these counts.
    pub contradictions: Vec<Contradiction>,
}

/// How many comparisons, and how they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// All of them.
    pub compared: usize,
    /// Those that contradict each other.
    pub contradict: usize,
    /// Those of which too little was measured to tell.
    pub open: usize,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One cell in two runs.
    Cell,
    /// A choice of the fastest, and who is faster.
    Choice,
    /// Single calls and blocks of one cell.
    Single,
}

/// Two figures that cannot both be true.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contradiction {
    /// What they are of.
    pub kind: Kind,
    /// The cell of the first.
    pub first: Cell,
    /// The run that the first is from.
    pub first_run: String,
    /// Its median time.
    pub first_ns: f64,
    /// The cell of the second.
    pub second: Cell,
    /// The run that the second is from.
    pub second_run: String,
    /// Its median time.
    pub second_ns: f64,
    /// Chance of such a difference beyond the margin, corrected; absent where it is no test.
    pub p: Option<f64>,
}

/// What one run says of one cell in one part.
struct Entry<'a> {
    run: &'a Run,
    id: u32,
    cell: &'a Cell,
    /// Calls of a sample.
    iterations: u64,
    series: Series,
}

/// One comparison on its way.
struct Pair<'a> {
    first: &'a Entry<'a>,
    second: &'a Entry<'a>,
    p: f64,
}

impl Consistency {
    /// Holds these runs against each other.
    #[must_use]
    pub fn of(runs: &[Run]) -> Self {
        let all: Vec<Entry<'_>> = runs.iter().flat_map(entries).collect();
        let machines: BTreeSet<String> = runs.iter().map(machine).collect();
        let mut found = Self { runs: runs.len(), machines: machines.len(), ..Self::default() };
        let cells = shared(&all);
        found.cells = found.add(Kind::Cell, cells);
        let choices = choices(runs, &all);
        found.choices = found.add(Kind::Choice, choices);
        found.add_singles(&all);
        found
    }

    fn add(&mut self, kind: Kind, pairs: Vec<Result<Pair<'_>, ()>>) -> Count {
        let compared = pairs.len();
        let told: Vec<Pair<'_>> = pairs.into_iter().flatten().collect();
        let p: Vec<f64> = told.iter().map(|pair| pair.p).collect();
        let corrected = holm(&p).unwrap_or_default();
        let level = Alpha::default().value();
        let before = self.contradictions.len();
        for (pair, p) in told.iter().zip(corrected).filter(|(_, p)| *p < level) {
            self.contradictions.push(Contradiction {
                kind,
                first: pair.first.cell.clone(),
                first_run: pair.first.run.id.clone(),
                first_ns: pair.first.median_ns(),
                second: pair.second.cell.clone(),
                second_run: pair.second.run.id.clone(),
                second_ns: pair.second.median_ns(),
                p: Some(p),
            });
        }
        let far = |it: &Contradiction| -(it.second_ns / it.first_ns).ln().abs();
        self.contradictions[before..].sort_by(|a, b| far(a).total_cmp(&far(b)));
        let contradict = self.contradictions.len() - before;
        Count { compared, contradict, open: compared - told.len() }
    }

    /// A call by itself takes at least what it takes as one of many in the shortest block: single
    /// calls are made at one moment, which may be a quiet one. Blocks take in the few calls in
    /// which a runtime collects garbage, and so does the mean; the median leaves them out.
    fn add_singles(&mut self, all: &[Entry<'_>]) {
        let mut quantiles = BTreeMap::new();
        for entry in all {
            let of_run = quantiles
                .entry(entry.run.id.as_str())
                .or_insert_with(|| single_calls::all(entry.run));
            let Some(single) = of_run.get(&entry.id) else { continue };
            // A sample of one call is a call by itself too, but one between those of others; and of
            // many keys in turn few single calls meet few keys.
            if entry.iterations == 1 || entry.cell.regime.keys_in_turn().is_some() {
                continue;
            }
            self.singles.compared += 1;
            let mean_ns = single_calls::mean_ns(entry.run, entry.id).unwrap_or(0.0);
            let blocks_ns = entry.series.blocks.values().copied().fold(f64::INFINITY, f64::min);
            let single_ns = mean_ns.max(single.p50_ns as f64);
            let step_ns = entry.run.clock.resolution_ns;
            if single_ns < blocks_ns * SINGLE_SHORT - SINGLE_SHORT_NS - step_ns {
                self.singles.contradict += 1;
                self.contradictions.push(Contradiction {
                    kind: Kind::Single,
                    first: entry.cell.clone(),
                    first_run: entry.run.id.clone(),
                    first_ns: blocks_ns,
                    second: entry.cell.clone(),
                    second_run: entry.run.id.clone(),
                    second_ns: single_ns,
                    p: None,
                });
            }
        }
    }
}

impl Entry<'_> {
    /// Logarithms of its launches' medians, where there are at least two.
    fn logs(&self) -> Option<Sample> {
        let launches = self.series.values(Unit::Launch);
        let logs: Vec<f64> = launches.values().map(|ns| ns.ln()).collect();
        Sample::new(logs).ok().filter(|it| it.len() >= 2)
    }

    fn median_ns(&self) -> f64 {
        let values = self.series.values(self.series.unit()).values().copied().collect();
        series::median(values).unwrap_or(f64::NAN)
    }
}

/// The machine and the version of the implementation: only what has both alike is comparable.
fn identity(entry: &Entry<'_>) -> (String, String) {
    let name = &entry.cell.candidate.provider;
    let provider = entry.run.providers.iter().find(|it| it.name == *name);
    (machine(entry.run), provider.map_or(String::new(), |it| it.version.clone()))
}

fn machine(run: &Run) -> String {
    let it = &run.machine;
    let virtualization = it.virtualization.as_deref().unwrap_or_default();
    format!("{} × {} {virtualization} {}", it.cpus, it.cpu_model, it.without)
}

/// The cells of a run that are calls, with samples, floors apart.
fn entries(run: &Run) -> Vec<Entry<'_>> {
    let all = run.cells.iter().zip(series::all(run));
    let is_call = |cell: &Cell| matches!(cell.regime.way(), Way::Calls | Way::FirstCalls);
    all.filter(|(record, series)| {
        is_call(&record.cell) && !is_floor(&record.cell.candidate.mac) && !series.blocks.is_empty()
    })
    .map(|(record, series)| {
        let iterations = record.iterations;
        Entry { run, id: record.id, cell: &record.cell, iterations, series }
    })
    .collect()
}

/// Of each cell that is there more than once, every later one against the first.
fn shared<'a>(all: &'a [Entry<'a>]) -> Vec<Result<Pair<'a>, ()>> {
    let mut first: BTreeMap<(&Cell, (String, String)), &Entry<'_>> = BTreeMap::new();
    let mut pairs = Vec::new();
    for entry in all {
        match first.get(&(entry.cell, identity(entry))) {
            Some(&known) => pairs.push(pair(known, entry, false)),
            None => {
                first.insert((entry.cell, identity(entry)), entry);
            }
        }
    }
    pairs
}

/// Two entries and the chance that they differ so far beyond the margin, in either direction or
/// only where the first takes longer.
fn pair<'a>(
    first: &'a Entry<'a>,
    second: &'a Entry<'a>,
    longer_only: bool,
) -> Result<Pair<'a>, ()> {
    let (one, other) = (first.logs().ok_or(())?, second.logs().ok_or(())?);
    let welch = Welch::beyond(&one, &other, MARGIN.ln_1p()).ok_or(())?;
    let p = if longer_only && welch.difference >= 0.0 { 1.0 } else { welch.p };
    // Either direction was possible.
    let p = if longer_only { p } else { (2.0 * p).min(1.0) };
    Ok(Pair { first, second, p })
}

/// Each choice of the fastest, at each length where it is used, against those that other runs have
/// of the same mac there.
fn choices<'a>(runs: &'a [Run], all: &'a [Entry<'a>]) -> Vec<Result<Pair<'a>, ()>> {
    let mut pairs = Vec::new();
    for run in runs {
        let panels = run.study.panels.iter().filter(|panel| panel.choose == Choose::Fastest);
        for panel in panels {
            let used =
                all.iter().filter(|it| it.run.id == run.id && is_chosen(run, panel, it.cell));
            for own in used {
                pairs.extend(against_rivals(own, panel, all));
            }
        }
    }
    pairs
}

fn is_chosen(run: &Run, panel: &Panel, cell: &Cell) -> bool {
    let is_of = |it: &Chosen| {
        let life = it.key_life.is_none_or(|life| life == cell.key_life);
        it.panel == panel.name && life && it.candidate == cell.candidate
    };
    run.chosen.iter().any(is_of)
}

/// A choice against the candidate of another run of the same machine, at the same place, that
/// speaks most clearly against it; `None` where there is none.
fn against_rivals<'a>(
    own: &'a Entry<'a>,
    panel: &Panel,
    all: &'a [Entry<'a>],
) -> Option<Result<Pair<'a>, ()>> {
    let place = |cell: &Cell| {
        let Candidate { mac, .. } = &cell.candidate;
        (mac.clone(), cell.regime, cell.key_life, cell.len_bytes, cell.key_len_bytes)
    };
    let here = place(own.cell);
    let is_rival = |it: &&Entry<'_>| {
        it.run.id != own.run.id
            && it.cell.candidate != own.cell.candidate
            && it.cell.len_bytes == own.cell.len_bytes
            && panel.takes(&it.cell.candidate.provider)
            && place(it.cell) == here
            && machine(it.run) == machine(own.run)
    };
    let rivals: Vec<_> = all.iter().filter(is_rival).map(|it| pair(own, it, true)).collect();
    if rivals.is_empty() {
        return None;
    }
    let tested: Vec<Pair<'_>> = rivals.into_iter().flatten().collect();
    let count = tested.len() as f64;
    let least = tested.into_iter().min_by(|a, b| a.p.total_cmp(&b.p));
    Some(least.map(|pair| Pair { p: (pair.p * count).min(1.0), ..pair }).ok_or(()))
}
