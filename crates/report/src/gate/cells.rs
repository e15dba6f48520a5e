//! The cells of a gate: their ratios launch by launch, and what was decided of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lab::cell::{Candidate, Cell, KeyLife, Regime};
use lab::plan::is_floor;
use lab::record::{Event, EventKind, ProviderRecord, Run};
use lab::study::{Gate, fits};
use serde::Serialize;
use stats::{
    Confidence, Differences, GateCell, GateVerdict, Gated, Margin, Ratio, Sample, gate,
    looks_after, median,
};

use super::changes::record;
use super::{ALPHA, Accepted};
use crate::findings::Interval;
use crate::format::Figure;

/// A cell that both versions have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateRow {
    /// `hmac-sha256/prepared/64`.
    pub name: String,
    /// Name of the mac.
    pub mac: String,
    /// How long a key lives.
    pub key_life: KeyLife,
    /// Length of a message.
    pub len_bytes: u64,
    /// What was decided.
    pub verdict: GateVerdict,
    /// Whether it is faster by more than the margin.
    pub is_faster: bool,
    /// Time of the new version over that of the base; absent where nothing was measured.
    pub ratio: Option<f64>,
    /// Its 95 % interval, over launches.
    pub interval: Option<Interval>,
    /// Launches that decided it, or that it has.
    pub launches: usize,
    /// The smallest p over the looks, corrected over the cells.
    pub p_adjusted: f64,
    /// Nanoseconds of a call of the base.
    pub base_ns: Option<f64>,
    /// Nanoseconds of a call of the new version.
    pub new_ns: Option<f64>,
    /// Why a slowdown of it is accepted.
    pub accepted: Option<String>,
    /// Logarithms of its ratio, a value a launch.
    #[serde(skip)]
    pub(super) log_ratios: Vec<f64>,
}

impl GateRow {
    /// The ratio and its interval, so that no end is printed as 1 or the margin where it is not.
    #[must_use]
    pub fn figure(&self, margin: f64) -> Option<Figure> {
        let ends = self.interval.map(|it| (it.low, it.high));
        Some(Figure::ratio(self.ratio?, ends, margin))
    }

    pub(super) fn in_words(&self, margin: f64) -> String {
        let Some(figure) = self.figure(margin) else { return "not measured".into() };
        let ends = figure.ends_in_words().map(|ends| format!(" (95 % interval {ends})"));
        format!("{}{}", figure.times(), ends.unwrap_or_default())
    }
}

/// Everything that was decided.
pub(super) struct Judged {
    pub(super) rows: Vec<GateRow>,
    /// The numbers of the cells of each row, where all of them are there.
    ids: Vec<Option<Vec<u32>>>,
    pub(super) alarms: Vec<String>,
    pub(super) looks: usize,
    pub(super) launches: u32,
}

/// The cells of one mac, key life and length, of both versions. One that was refused before
/// anything was timed is absent, and so may be all of them: they cannot be compared, which decides
/// nothing.
struct Compared<'a> {
    cell: Cow<'a, Cell>,
    base: Option<u32>,
    base_again: Option<u32>,
    new: Option<u32>,
    /// Absent as a whole in gates that had one worker of the new version.
    new_again: Option<Option<u32>>,
}

/// Times of one cell in nanoseconds, by launch and block.
type Blocks = BTreeMap<(u32, u32), f64>;

impl Judged {
    pub(super) fn of(run: &Run, own: &Gate, margin: Margin, accepted: &[Accepted]) -> Self {
        let (compared, times) = (compared(run, own), times(run));
        // Every launch has samples: whatever number an archive gives to one, there are no more.
        let launches = run.launches().min(u32::try_from(run.samples.len()).unwrap_or(u32::MAX));
        let values: Vec<GateCell> = compared.iter().map(|it| it.values(&times, launches)).collect();
        let looks = looks_after(&own.looks, ALPHA);
        let gated = gate(&values, launches, &looks, margin);
        let faster =
            gate(&values.iter().map(mirrored).collect::<Vec<_>>(), launches, &looks, margin);
        let rows = compared.iter().enumerate().map(|(at, cells)| {
            let mut row = cells.row(&values[at], &gated, at, &times);
            row.is_faster = faster.cells[at].verdict == GateVerdict::Slower;
            let known = accepted.iter().find(|it| !it.expired && fits(&it.cell, &row.name));
            row.accepted = known.map(|it| it.reason.clone());
            row
        });
        let rows: Vec<GateRow> = rows.collect();
        let alarm = |(at, launches): &(usize, u32)| {
            let values = values[*at].log_controls.iter().take(*launches as usize);
            let figure = ratio(&values.copied().flatten().collect::<Vec<_>>());
            let figure = figure.map(|it| {
                let ends = it.interval.map(|ends| (ends.low, ends.high));
                let figure = Figure::ratio(it.ratio, ends, margin.value() / 2.0);
                format!("{} of itself, 95 % interval {}", figure.times(), figure.ends())
            });
            format!("{}: {}", rows[*at].name, figure.unwrap_or_default())
        };
        let mut alarms: Vec<String> = gated.alarms.iter().map(alarm).collect();
        alarms.dedup();
        let ids = compared.iter().map(Compared::ids).collect();
        Self { alarms, rows, ids, looks: gated.looks, launches }
    }
}

/// With the sign of every ratio changed: slower is faster then.
fn mirrored(cell: &GateCell) -> GateCell {
    let log_ratios = cell.log_ratios.iter().map(|it| it.map(|it| -it)).collect();
    GateCell { log_ratios, log_controls: cell.log_controls.clone() }
}

fn ratio(logs: &[f64]) -> Option<Ratio> {
    let differences = Differences::from_values(logs.to_vec()).ok()?;
    Some(Ratio::of(&differences, Confidence::default()))
}

/// `hmac-sha256/prepared/64`: what versions share of a cell's path.
#[must_use]
pub(super) fn name(cell: &Cell) -> String {
    format!("{}/{}/{}", cell.candidate.mac, cell.key_life, cell.len_bytes)
}

fn compared<'a>(run: &'a Run, gate: &Gate) -> Vec<Compared<'a>> {
    let mut by_name: BTreeMap<_, (Cow<'_, Cell>, BTreeMap<&str, u32>)> = BTreeMap::new();
    for record in run.cells.iter().filter(|it| !is_floor(&it.cell.candidate.mac)) {
        let entry = by_name.entry(place(&record.cell));
        let (_, ids) = entry.or_insert_with(|| (Cow::Borrowed(&record.cell), BTreeMap::new()));
        ids.insert(&record.cell.candidate.provider, record.id);
    }
    for cell in offered_by_both(run, gate) {
        by_name.entry(place(&cell)).or_insert_with(|| (Cow::Owned(cell), BTreeMap::new()));
    }
    let of_all = |(cell, ids): (Cow<'a, Cell>, BTreeMap<&str, u32>)| {
        let id = |name: &String| ids.get(name.as_str()).copied();
        Compared {
            base: id(&gate.base),
            base_again: id(&gate.again),
            new: id(&gate.new),
            new_again: gate.new_again.as_ref().map(id),
            cell,
        }
    };
    by_name.into_values().map(of_all).collect()
}

/// What versions share of a cell.
fn place(cell: &Cell) -> (String, KeyLife, u64, Regime) {
    (cell.candidate.mac.clone(), cell.key_life, cell.len_bytes, cell.regime)
}

/// The cells of the base that both versions offer. Those that both refused are in no record of the
/// run.
fn offered_by_both(run: &Run, gate: &Gate) -> Vec<Cell> {
    let (Some(base), Some(new)) = (record(run, &gate.base), record(run, &gate.new)) else {
        return vec![];
    };
    let has = |of: &ProviderRecord, mac: &str, life| {
        of.offers.iter().any(|it| it.mac == mac && it.key_lives.contains(&life))
    };
    let mut cells = Vec::new();
    for part in run.study.parts.iter().filter(|part| part.regimes == [Regime::USUAL]) {
        let macs = part.cases.iter().flat_map(|case| &case.macs);
        for (mac, &key_life) in macs.flat_map(|mac| part.key_lives.iter().map(move |it| (mac, it)))
        {
            if !has(base, mac, key_life) || !has(new, mac, key_life) {
                continue;
            }
            cells.extend(part.sizes.iter().map(|&len_bytes| Cell {
                candidate: Candidate {
                    mac: mac.clone(),
                    provider: gate.base.clone(),
                    kernel: String::new(),
                },
                regime: Regime::USUAL,
                key_life,
                len_bytes,
                key_len_bytes: 0,
                usual_key: true,
            }));
        }
    }
    cells
}

fn times(run: &Run) -> BTreeMap<u32, Blocks> {
    let mut times: BTreeMap<u32, Blocks> = BTreeMap::new();
    for sample in run.samples.iter().filter(|it| it.iterations > 0 && it.elapsed_ns > 0.0) {
        let own = times.entry(sample.cell).or_default();
        own.insert((sample.launch, sample.block), sample.call_ns());
    }
    times
}

fn middle(values: Vec<f64>) -> Option<f64> {
    Sample::new(values).ok().map(|values| median(&values))
}

impl Compared<'_> {
    /// The numbers of its cells: base, base again, new, new again.
    fn ids(&self) -> Option<Vec<u32>> {
        let [base, base_again, new] = [self.base?, self.base_again?, self.new?];
        let new_again = match self.new_again {
            Some(id) => Some(id?),
            None => None,
        };
        Some([base, base_again, new].into_iter().chain(new_again).collect())
    }

    /// A value a launch: the median over its blocks of the log ratio within a block. Both sides
    /// have as many samples: whatever disturbs a sample makes it longer, and of a side with more of
    /// them the mean is disturbed more often, so that the other would seem faster.
    fn values(&self, times: &BTreeMap<u32, Blocks>, launches: u32) -> GateCell {
        let mut blocks: BTreeMap<u32, [Vec<f64>; 2]> = BTreeMap::new();
        let all: Option<Vec<&Blocks>> =
            self.ids().and_then(|ids| ids.iter().map(|id| times.get(id)).collect());
        for (at, _) in all.iter().flat_map(|all| all[0]) {
            let logs: Option<Vec<f64>> =
                all.iter().flatten().map(|own| own.get(at).map(|ns| ns.ln())).collect();
            let (ratio, control) = match logs.as_deref() {
                Some(&[base, again, new]) => (new - base, again - base),
                Some(&[base, again, new, new_again]) => {
                    ((new + new_again - base - again) / 2.0, again - base)
                }
                _ => continue,
            };
            let own = blocks.entry(at.0).or_default();
            own[0].push(ratio);
            own[1].push(control);
        }
        let value = |which: usize| {
            let of = |launch| middle(blocks.get(&launch)?[which].clone());
            (0..launches).map(of).collect()
        };
        GateCell { log_ratios: value(0), log_controls: value(1) }
    }

    fn row(
        &self,
        values: &GateCell,
        gated: &Gated,
        at: usize,
        times: &BTreeMap<u32, Blocks>,
    ) -> GateRow {
        let judged = gated.cells[at];
        let seen = match judged.verdict {
            GateVerdict::Open => values.log_ratios.len(),
            _ => judged.launches as usize,
        };
        let log_ratios: Vec<f64> = values.log_ratios.iter().take(seen).copied().flatten().collect();
        let found = ratio(&log_ratios);
        let interval = found.as_ref().and_then(|it| it.interval);
        let own_ns = |ids: [Option<u32>; 2]| {
            let blocks = ids.iter().flatten().filter_map(|id| times.get(id)).flatten();
            let seen = blocks.filter(|((launch, _), _)| (*launch as usize) < seen);
            middle(seen.map(|(_, ns)| *ns).collect())
        };
        // Of what the ratio rests on.
        let base = [self.base, self.new_again.and(self.base_again)];
        let new = [self.new, self.new_again.flatten()];
        GateRow {
            name: name(&self.cell),
            mac: self.cell.candidate.mac.clone(),
            key_life: self.cell.key_life,
            len_bytes: self.cell.len_bytes,
            verdict: judged.verdict,
            is_faster: false,
            ratio: found.map(|it| it.ratio),
            interval: interval.map(|it| Interval {
                low: it.low,
                high: it.high,
                confidence: it.confidence_achieved,
            }),
            launches: log_ratios.len(),
            p_adjusted: judged.p_adjusted,
            base_ns: own_ns(base),
            new_ns: own_ns(new),
            accepted: None,
            log_ratios,
        }
    }
}

/// Cells whose tags were found wrong, before anything was timed or after that.
pub(super) fn wrong(run: &Run) -> Vec<String> {
    let before = run.events.iter().filter(|event| event.kind == EventKind::WrongTags);
    let after = run.cells.iter().filter(|record| record.has_wrong_tags());
    let after = after
        .map(|it| format!("{} of {}, after timing", name(&it.cell), it.cell.candidate.provider));
    before.map(|event| event.text.clone()).chain(after).collect()
}

/// Workers of the gate that ended while it ran.
pub(super) fn lost(run: &Run, gate: &Gate) -> Vec<String> {
    let is_lost = |event: &&Event| {
        event.dropped_provider().is_some_and(|it| gate.names().any(|name| name == it))
    };
    run.events.iter().filter(is_lost).map(|event| event.text.clone()).collect()
}

/// The cells, by number and those that are compared together, that the next launches of a gate
/// measure: those that are open. None where nothing more will change how it ends.
#[must_use]
pub fn open(run: &Run) -> Vec<Vec<u32>> {
    let Some(own) = &run.study.gate else { return vec![] };
    let Ok(margin) = Margin::new(run.study.margin) else { return vec![] };
    let judged = Judged::of(run, own, margin, &[]);
    if !judged.alarms.is_empty() || !lost(run, own).is_empty() || !wrong(run).is_empty() {
        return vec![];
    }
    let rows = judged.ids.into_iter().zip(&judged.rows);
    let open = rows.filter(|(_, row)| row.verdict == GateVerdict::Open);
    open.filter_map(|(ids, _)| ids).collect()
}
