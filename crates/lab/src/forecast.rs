//! What a run will take, before it is begun: from a kept run of the same study on this machine, or
//! from what samples usually take. Pure: it starts nothing.

mod spread;

pub use spread::spreads;

use std::collections::{BTreeMap, BTreeSet};

use crate::cell::Cell;
use crate::measure::{REPORT_CELL_S, REPORT_S, SINGLE_SHARE, usual_window_s};
use crate::plan::{Planned, is_floor};
use crate::record::{Processor, Run};
use crate::schedule::decides;
use crate::study::{Choose, LAUNCHES_MIN, Study, fits_any};

/// A sample with request and reply, and nanoseconds of a byte where one call alone takes longer.
const SAMPLE_S: f64 = 250e-6;
const BYTE_NS: f64 = 3.0;

/// Starting a worker, and opening, warming up and comparing a cell again.
const WORKER_S: f64 = 0.12;
const CELL_S: f64 = 900e-6;

/// However few cells and seconds there are, before the first launch goes this share of what went.
const LEAST_SHARE: f64 = 0.1;

/// What is estimated without a kept run may take so many times less.
const ESTIMATE_TIMES: f64 = 4.0;

/// Proving and timing a cell before the first launch, beside a sample.
const PROVED_S: f64 = 1e-3;

/// A part of the study.
#[derive(Debug, Clone, PartialEq)]
pub struct PartForecast {
    /// Its place in the study.
    pub part: u32,
    /// Cells that are measured.
    pub cells: usize,
    /// Message lengths, ascending.
    pub lengths: Vec<u64>,
    /// Whether claims are decided by it.
    pub decides: bool,
    /// Seconds of one block of each length.
    pub block_s: f64,
    /// The same of those lengths that decide.
    pub deciding_s: f64,
}

/// A run foretold.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// One entry a part that has cells.
    pub parts: Vec<PartForecast>,
    /// Seconds that looking for libraries took, where that is known.
    pub looking_s: f64,
    /// Seconds before the first launch: choosing, comparing tags.
    pub before_s: f64,
    /// Seconds of the report at the end.
    pub report_s: f64,
    /// Seconds of a launch beside its blocks.
    pub launch_s: f64,
    /// The kept run that it is made of; absent: made of what samples usually take.
    pub from: Option<String>,
    /// Bound of the run.
    pub budget_s: f64,
    /// Launches that the study asks for.
    pub launches: u32,
    /// Launches that intervals need, a first look included.
    pub wanted: u32,
    /// What decides and waits until the rest has its launches, for it would take more than that.
    pub waits: Option<Waiting>,
}

/// A part at one length whose blocks are dear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waiting {
    /// Its place in the study.
    pub part: u32,
    /// Length of messages.
    pub len_bytes: u64,
    /// Seconds of one block.
    pub block_s: f64,
}

impl Forecast {
    /// What is foretold of these cells, of which panels that choose the fastest keep one a mac.
    #[must_use]
    pub fn of(
        study: &Study,
        cells: &[Planned],
        processors: &[Processor],
        kept: Option<&Run>,
    ) -> Self {
        let measured = measured(study, cells);
        let seen = kept.map(Seen::of);
        let mut units = BTreeMap::new();
        for planned in &measured {
            units.entry((planned.part, planned.cell.measured_as())).or_insert(&planned.cell);
        }
        let blocks: Vec<Block> = units
            .iter()
            .map(|(&(part, _), cell)| {
                let own = &study.parts[part as usize];
                let seen = seen.as_ref().and_then(|seen| seen.sample_s(&own.name, cell.len_bytes));
                let sample_s = seen.unwrap_or_else(|| usual_s(study, part, cell, processors));
                let (len_bytes, decides) = (cell.len_bytes, decides(study, own, cell.len_bytes));
                Block { part, len_bytes, sample_s, decides }
            })
            .collect();
        let parts = by_part(study, &measured, &blocks);
        let workers = |of: &mut dyn Iterator<Item = &Planned>| {
            of.map(|it| &it.cell.candidate.provider).collect::<BTreeSet<_>>().len() as f64
        };
        let providers = workers(&mut measured.iter().copied());
        let seen_s = seen.as_ref().and_then(|seen| seen.launch_s_of(providers));
        let launch_s = seen_s.unwrap_or(0.3 + WORKER_S * providers + CELL_S * units.len() as f64);
        let first_s: f64 = parts.iter().map(|part| part.block_s).sum();
        let seen_s =
            seen.as_ref().and_then(|seen| seen.before_s_of(measured.len(), study.budget_s));
        let before_s = seen_s.unwrap_or_else(|| {
            let each_s = (SAMPLE_S + PROVED_S) * units.len() as f64;
            0.5 + WORKER_S * workers(&mut cells.iter()) + each_s + first_s.min(0.1 * study.budget_s)
        });
        let mut forecast = Self {
            parts,
            looking_s: 0.0,
            before_s,
            report_s: REPORT_S + REPORT_CELL_S * measured.len() as f64,
            launch_s,
            from: seen.map(|seen| seen.run),
            budget_s: study.budget_s,
            launches: study.launches,
            wanted: LAUNCHES_MIN + u32::from(study.race.is_some()),
            waits: None,
        };
        forecast.waits = forecast.waiting(&blocks);
        forecast
    }

    /// The set of cells that takes more than all others that decide, if there is no room for it.
    fn waiting(&self, blocks: &[Block]) -> Option<Waiting> {
        let mut deciding: BTreeMap<(u32, u64), f64> = BTreeMap::new();
        for it in blocks.iter().filter(|it| it.decides) {
            *deciding.entry((it.part, it.len_bytes)).or_default() += it.sample_s;
        }
        let dearest = deciding.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
        let (&(part, len_bytes), &block_s) = dearest;
        let own_s = 1.1 * block_s * f64::from(LAUNCHES_MIN.min(self.launches));
        let all_s = self.deciding_s(LAUNCHES_MIN.min(self.launches));
        let is_dear = own_s > all_s - own_s && all_s > self.room_s() && deciding.len() > 1;
        is_dear.then_some(Waiting { part, len_bytes, block_s })
    }

    /// The same after so many seconds of looking for libraries: they belong to the budget.
    #[must_use]
    pub fn after(self, looking_s: f64) -> Self {
        Self { looking_s, ..self }
    }

    /// Seconds that one look at everything takes, from beginning to report. A budget below is not
    /// kept, or not everything is measured.
    #[must_use]
    pub fn floor_s(&self) -> f64 {
        let blocks_s: f64 = self.parts.iter().map(|part| part.block_s).sum();
        let look_s = self.looking_s + self.before_s + 1.1 * blocks_s + self.report_s;
        look_s / (1.0 - SINGLE_SHARE)
    }

    /// What a budget below the floor means, in a line, where it surely is below.
    #[must_use]
    pub fn below_floor(&self) -> Option<String> {
        let (budget_s, floor_s) = (self.budget_s, self.floor_s());
        let least_s = if self.from.is_some() { floor_s } else { floor_s / ESTIMATE_TIMES };
        (budget_s < least_s).then(|| {
            format!(
                "{budget_s:.0} s are less than one look at everything takes, about {floor_s:.0} s: \
                 not all of it is measured, and what is not is listed"
            )
        })
    }

    fn room_s(&self) -> f64 {
        self.budget_s * (1.0 - SINGLE_SHARE) - self.looking_s - self.report_s
    }

    /// Seconds of so many launches, each with one block of what decides and does not wait.
    #[must_use]
    pub fn deciding_s(&self, launches: u32) -> f64 {
        let waits_s = self.waits.map_or(0.0, |it| it.block_s);
        let blocks_s: f64 = self.parts.iter().map(|part| part.deciding_s).sum::<f64>() - waits_s;
        let others_s: f64 = self.parts.iter().map(|part| part.block_s).sum::<f64>() - blocks_s;
        self.before_s + f64::from(launches) * (self.launch_s + 1.1 * blocks_s) + 1.1 * others_s
    }

    /// Launches of all that decides for which the budget has room, of those asked for.
    #[must_use]
    pub fn launches_fitting(&self) -> u32 {
        let fits = |count: &u32| self.deciding_s(*count) <= self.room_s();
        (1..=self.launches).rev().find(fits).unwrap_or(0)
    }

    /// The budget, in whole tens of seconds, that has room for so many launches.
    #[must_use]
    pub fn budget_for_s(&self, launches: u32) -> f64 {
        let all_s = self.deciding_s(launches) + self.looking_s + self.report_s;
        (all_s / (1.0 - SINGLE_SHARE) / 10.0).ceil() * 10.0
    }

    /// The budget, in whole tens of seconds, that has room for the least launches of what waits.
    #[must_use]
    pub fn budget_with_waiting_s(&self) -> Option<f64> {
        let more_s = 1.1 * self.waits?.block_s * f64::from(LAUNCHES_MIN);
        Some(self.budget_for_s(self.launches) + (more_s / 10.0).ceil() * 10.0)
    }

    /// Whether there is surely no room for so many launches: estimates alone may be far too high.
    fn is_sure_of(&self, launches: u32) -> bool {
        let least_s = self.deciding_s(launches) / ESTIMATE_TIMES;
        self.from.is_some() || least_s > self.room_s()
    }

    /// Whether it is unknown, before a first run, whether the launches that intervals need fit.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.too_little().is_none() && self.launches_fitting() < self.wanted
    }

    /// Where the budget surely has no room for the launches that intervals need: what would.
    #[must_use]
    pub fn too_little(&self) -> Option<String> {
        let (fitting, asked) = (self.launches_fitting(), self.launches);
        let wanted = self.wanted;
        let budget_s = self.budget_s;
        if asked < wanted {
            return Some(format!(
                "--launches {asked} is too few for a 95 % interval over launches, which needs \
                 {wanted}: use --launches {wanted}"
            ));
        }
        (fitting < wanted && self.is_sure_of(wanted)).then(|| {
            let enough_s = self.budget_for_s(wanted);
            let left = match fitting {
                0 => "no interval can be given",
                _ => "only large differences will be detected",
            };
            format!(
                "{budget_s:.0} s allow {fitting} of the {wanted} launches that intervals need: \
                 {left}; about {enough_s:.0} s would decide more: \
                 use --budget {enough_s:.0}"
            )
        })
    }
}

/// A cell's share of a block.
struct Block {
    part: u32,
    len_bytes: u64,
    /// Seconds of its sample.
    sample_s: f64,
    /// Whether a claim is decided by it.
    decides: bool,
}

/// What is foretold of each part of which something is measured.
fn by_part(study: &Study, measured: &[&Planned], blocks: &[Block]) -> Vec<PartForecast> {
    let mut parts: BTreeMap<u32, PartForecast> = BTreeMap::new();
    for &Block { part, sample_s, decides, .. } in blocks {
        let entry = parts.entry(part).or_insert_with(|| PartForecast {
            part,
            cells: measured.iter().filter(|it| it.part == part).count(),
            lengths: study.parts[part as usize].lengths(),
            decides: false,
            block_s: 0.0,
            deciding_s: 0.0,
        });
        entry.decides |= decides;
        entry.block_s += sample_s;
        if decides {
            entry.deciding_s += sample_s;
        }
    }
    parts.into_values().collect()
}

/// The cells that are measured, as far as can be told before the pilot: of panels that want the
/// fastest, one candidate of each mac for each part and key life.
fn measured<'a>(study: &Study, cells: &'a [Planned]) -> Vec<&'a Planned> {
    let mut speakers = BTreeMap::new();
    let mut is_measured = |planned: &Planned| {
        let part = &study.parts[planned.part as usize];
        let candidate = &planned.cell.candidate;
        if is_floor(&candidate.mac) {
            return true;
        }
        let own = study.panels.iter().filter(|panel| panel.is_in(part));
        let own = own.filter(|panel| fits_any(&panel.providers, &candidate.provider));
        own.fold(false, |is_measured, panel| {
            let key =
                (planned.part, planned.cell.key_life, panel.name.clone(), candidate.mac.clone());
            let speaks = speakers.entry(key).or_insert_with(|| candidate.clone()) == candidate;
            is_measured || panel.choose == Choose::All || speaks
        })
    };
    cells.iter().filter(|planned| is_measured(planned)).collect()
}

/// What a sample usually takes.
fn usual_s(study: &Study, part: u32, cell: &Cell, processors: &[Processor]) -> f64 {
    let part = &study.parts[part as usize];
    if let Some(window_s) = usual_window_s(part, cell.regime, processors) {
        return window_s;
    }
    if let Some(segment_s) = cell.regime.segment_s() {
        let segments = cell.len_bytes.div_ceil(u64::from(part.block_len_bytes)) as f64;
        return SAMPLE_S.max(segments * segment_s);
    }
    let messages = cell.regime.batch().unwrap_or(1) as f64;
    SAMPLE_S.max(messages * cell.len_bytes as f64 * BYTE_NS * 1e-9)
}

/// What a kept run took.
struct Seen {
    run: String,
    /// Mean seconds of a sample, by part and length.
    samples_s: BTreeMap<(String, u64), f64>,
    before_s: Option<f64>,
    launch_s: Option<f64>,
    /// What that depends on: providers, cells and the budget, of which the pilot has a share.
    providers: f64,
    cells: usize,
    budget_s: f64,
}

impl Seen {
    fn of(run: &Run) -> Self {
        let cells: BTreeMap<u32, _> = run.cells.iter().map(|record| (record.id, record)).collect();
        let mut sums: BTreeMap<(String, u64), (f64, BTreeSet<_>)> = BTreeMap::new();
        let mut launches: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for sample in &run.samples {
            let Some(record) = cells.get(&sample.cell) else { continue };
            let cell = &record.cell;
            // What a window takes is known beforehand.
            if cell.regime.is_of_windows() {
                continue;
            }
            let name = &run.study.parts[record.part as usize].name;
            let (sum_s, units) = sums.entry((name.clone(), cell.len_bytes)).or_default();
            // What is measured as another is timed within it.
            if cell.regime == cell.regime.measured_as() {
                *sum_s += sample.elapsed_ns * 1e-9;
            }
            units.insert((record.part, cell.measured_as(), sample.block));
            if let Some(at) = sample.unix_s {
                let span = launches.entry(sample.launch).or_insert((at, at));
                *span = (span.0.min(at), span.1.max(at));
            }
        }
        let each = sums
            .into_iter()
            .map(|(key, (sum_s, units))| (key, sum_s * 1.07 / units.len().max(1) as f64 + 60e-6));
        let spans: Vec<(u64, u64)> = launches.into_values().collect();
        let gaps_s: u64 = spans.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].1)).sum();
        let gaps = spans.len().saturating_sub(1);
        let first = spans.first().map(|span| span.0.saturating_sub(run.created_unix_s) as f64);
        Self {
            run: run.id.clone(),
            samples_s: each.collect(),
            before_s: first,
            launch_s: (gaps > 0).then(|| gaps_s as f64 / gaps as f64),
            providers: run
                .cells
                .iter()
                .map(|record| &record.cell.candidate.provider)
                .collect::<BTreeSet<_>>()
                .len() as f64,
            cells: run.cells.len(),
            budget_s: run.budget_s,
        }
    }

    /// What a launch of so many providers takes beside its blocks; of more than were seen nothing
    /// is known.
    fn launch_s_of(&self, providers: f64) -> Option<f64> {
        let seen_s = self.launch_s.filter(|_| providers <= self.providers)?;
        Some(seen_s * providers / self.providers)
    }

    /// What comes before the first launch of so many cells: a smaller budget shortens the pilot.
    fn before_s_of(&self, cells: usize, budget_s: f64) -> Option<f64> {
        let seen_s = self.before_s.filter(|_| cells <= self.cells)?;
        let shorter = (budget_s / self.budget_s).min(1.0);
        Some(seen_s * shorter.min(cells as f64 / self.cells as f64).max(LEAST_SHARE))
    }

    fn sample_s(&self, part: &str, len_bytes: u64) -> Option<f64> {
        self.samples_s.get(&(part.to_owned(), len_bytes)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_larger_run_took_is_not_expected_of_a_smaller_one() {
        let seen = Seen {
            run: "r".into(),
            samples_s: BTreeMap::new(),
            before_s: Some(30.0),
            launch_s: Some(4.0),
            providers: 20.0,
            cells: 1000,
            budget_s: 400.0,
        };
        assert_eq!((seen.launch_s_of(20.0), seen.launch_s_of(2.0)), (Some(4.0), Some(0.4)));
        assert_eq!(
            (seen.before_s_of(1000, 400.0), seen.before_s_of(1000, 900.0)),
            (Some(30.0), Some(30.0))
        );
        assert_eq!(seen.before_s_of(100, 400.0), Some(3.0), "fewer cells");
        assert_eq!(seen.before_s_of(1000, 40.0), Some(3.0), "a shorter pilot");
        // Of more than was seen nothing is known.
        assert_eq!((seen.launch_s_of(21.0), seen.before_s_of(1001, 400.0)), (None, None));
    }

    #[test]
    fn only_what_is_surely_too_little_is_told_before_a_first_run() {
        let forecast = |from: Option<&str>, budget_s| Forecast {
            wanted: LAUNCHES_MIN,
            parts: vec![],
            looking_s: 0.0,
            before_s: 4.0,
            report_s: 0.0,
            launch_s: 1.0,
            from: from.map(str::to_owned),
            budget_s,
            launches: 10,
            waits: None,
        };
        for (from, budget_s, is_told, is_open) in [
            (None, 5.0, false, true),
            (None, 1.0, true, false),
            (None, 60.0, false, false),
            (Some("r"), 5.0, true, false),
            (Some("r"), 60.0, false, false),
        ] {
            let it = forecast(from, budget_s);
            let told = (it.too_little().is_some(), it.is_open());
            assert_eq!(told, (is_told, is_open), "{from:?} {budget_s}");
        }
    }
}
