//! Whether two machines put the same implementations in the same order at each message length, and
//! whether the time a byte falls alike as messages grow. Times of two machines are not compared
//! with each other here, only their orders and the shapes of their curves: what a clock does to all
//! of them alike cancels out.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{Candidate, KeyLife, Regime};
use lab::plan::is_floor;
use lab::record::Run;
use serde::Serialize;
use stats::{Kendall, Margin, Sample, correlation};

use crate::findings::series;

/// Fewer implementations have an order that says little; two of them agree half of the time.
const COMMON_MIN: usize = 3;

/// The order of the implementations that both runs have in one part, regime and key life.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// Name of the part in both studies.
    pub part: String,
    /// Its title in the later run.
    pub part_title: String,
    /// How calls follow one another.
    pub regime: Regime,
    /// How long a key lives.
    pub key_life: KeyLife,
    /// One entry a message length that both have, ascending.
    pub lengths: Vec<LengthTrend>,
    /// Median of τ over the lengths.
    pub tau_median: f64,
    /// One entry an implementation that both have at three lengths at least.
    pub curves: Vec<CurveTrend>,
}

/// The two orders at one length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LengthTrend {
    /// Message length.
    pub len_bytes: u64,
    /// Macs among the implementations that both runs have: same mac, provider and kernel.
    pub macs: usize,
    /// How far the two orders agree.
    pub order: Kendall,
    /// Of the pairs in opposite order, those that differ by more than the margin in both runs.
    pub opposite_beyond_margin: usize,
}

/// How the time a byte of one implementation goes over length, on one machine and the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveTrend {
    /// The implementation that is compared.
    pub candidate: Candidate,
    /// Lengths that both have.
    pub lengths: usize,
    /// Correlation of the logarithms of time a byte; absent where it is the same at each length.
    pub correlation: Option<f64>,
    /// With both curves set to 1 at the longest length, the factor by which they are furthest
    /// apart.
    pub apart: f64,
    /// Where that is.
    pub apart_at_bytes: u64,
}

/// A mac of one implementation, and the length of its key.
type Offer = (Candidate, u32);

/// Cells of a run that are ordered with each other, by length: each with its time and mean length.
type Table = BTreeMap<u64, BTreeMap<Offer, Timed>>;

/// Median time of a message, and its mean length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timed {
    time_ns: f64,
    len_bytes: f64,
}

/// What is ordered together in both runs.
pub(super) type Key = (String, Regime, KeyLife);

/// The tables of a run, by part, regime and key life. Floors are no macs.
pub(super) fn tables(run: &Run) -> BTreeMap<Key, Table> {
    let mut tables: BTreeMap<Key, Table> = BTreeMap::new();
    let all = series::all(run);
    for (record, series) in run.cells.iter().zip(series::told(&all).iter()) {
        let cell = &record.cell;
        let times = series.values(series.unit()).values().copied().collect();
        let (Ok(times), false) = (Sample::new(times), is_floor(&cell.candidate.mac)) else {
            continue;
        };
        let part = run.study.parts[record.part as usize].name.clone();
        let table = tables.entry((part, cell.regime, cell.key_life)).or_default();
        let timed = Timed { time_ns: stats::median(&times), len_bytes: cell.mean_len_bytes() };
        let offer = (cell.candidate.clone(), cell.key_len_bytes);
        table.entry(cell.len_bytes).or_default().insert(offer, timed);
    }
    tables
}

/// Every trend that two runs share, in the order of the later study.
pub(super) fn all(before: &Run, after: &Run, margin: Margin) -> Vec<Trend> {
    let (old, new) = (tables(before), tables(after));
    let mut trends = Vec::new();
    for part in &after.study.parts {
        for (key, own) in new.iter().filter(|(key, _)| key.0 == part.name) {
            let Some(other) = old.get(key) else { continue };
            let lengths = lengths(other, own, |_| true, margin);
            let lengths: Vec<LengthTrend> =
                lengths.into_iter().filter(|it| it.order.n >= COMMON_MIN).collect();
            let taus = lengths.iter().map(|it| it.order.tau).collect();
            if lengths.len() < 2 {
                continue;
            }
            trends.push(Trend {
                part: part.name.clone(),
                part_title: part.title.clone(),
                regime: key.1,
                key_life: key.2,
                tau_median: series::median(taus).unwrap_or(0.0),
                lengths,
                curves: curves(other, own),
            });
        }
    }
    trends
}

/// At each length the order of the implementations that both have and that are `wanted`. Where they
/// are fewer than two, or all equal, there is none.
pub(super) fn lengths(
    old: &Table,
    new: &Table,
    wanted: impl Fn(&Candidate) -> bool,
    margin: Margin,
) -> Vec<LengthTrend> {
    let at_length = |(&len_bytes, own): (&u64, &BTreeMap<Offer, Timed>)| {
        let other = old.get(&len_bytes)?;
        let shared = own.iter().filter(|((candidate, _), _)| wanted(candidate));
        let shared: Vec<(&Candidate, [f64; 2])> = shared
            .filter_map(|(offer, now)| Some((&offer.0, [other.get(offer)?.time_ns, now.time_ns])))
            .collect();
        let [then, now] = [0, 1].map(|run| shared.iter().map(|it| it.1[run]).collect::<Vec<_>>());
        let order = Kendall::between(&then, &now).ok()?;
        let macs: BTreeSet<&str> = shared.iter().map(|it| it.0.mac.as_str()).collect();
        let opposite_beyond_margin = opposite(&then, &now, margin);
        Some(LengthTrend { len_bytes, macs: macs.len(), order, opposite_beyond_margin })
    };
    new.iter().filter_map(at_length).collect()
}

/// Pairs in opposite orders that differ by more than the margin in both series.
fn opposite(then: &[f64], now: &[f64], margin: Margin) -> usize {
    let pairs = (0..then.len()).flat_map(|i| (i + 1..then.len()).map(move |j| (i, j)));
    let is_opposite = |&(i, j): &(usize, usize)| {
        let [then, now] = [then, now].map(|times| (times[i] / times[j]).ln());
        then * now < 0.0 && then.abs().min(now.abs()) > margin.log()
    };
    pairs.filter(is_opposite).count()
}

/// The curve of each implementation that both have at three lengths at least.
fn curves(old: &Table, new: &Table) -> Vec<CurveTrend> {
    let mut rows: BTreeMap<&Offer, Vec<(u64, [f64; 2])>> = BTreeMap::new();
    for (len_bytes, own) in new {
        for (offer, now) in own {
            let then = old.get(len_bytes).and_then(|table| table.get(offer));
            // An empty message has no time of a byte.
            if let Some(then) = then.filter(|_| now.len_bytes > 0.0) {
                let log = |it: &Timed| (it.time_ns / it.len_bytes).ln();
                rows.entry(offer).or_default().push((*len_bytes, [log(then), log(now)]));
            }
        }
    }
    let curve = |(offer, points): (&Offer, Vec<(u64, [f64; 2])>)| {
        if points.len() < 3 {
            return None;
        }
        let [then, now] = [0, 1].map(|run| points.iter().map(|it| it.1[run]).collect::<Vec<_>>());
        let apart = |it: &[f64; 2]| it[1] - it[0];
        let longest = apart(&points.last()?.1);
        let apart = points.iter().map(|(len, it)| (*len, (apart(it) - longest).abs()));
        let (apart_at_bytes, log_apart) = apart.max_by(|x, y| x.1.total_cmp(&y.1))?;
        Some(CurveTrend {
            candidate: offer.0.clone(),
            lengths: points.len(),
            correlation: correlation(&then, &now).ok(),
            apart: log_apart.exp(),
            apart_at_bytes,
        })
    };
    rows.into_iter().filter_map(curve).collect()
}
