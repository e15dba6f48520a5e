//! Candidates under each load: quantities of a window beside each other, and beside those on one
//! processor.

use std::num::NonZeroU32;

use lab::cell::Regime;
use lab::record::SessionsRecord;
use lab::regimes::sessions::{Binding, Quantity, Sessions};
use stats::Ratio;

use super::{
    Estimate, LoadFinding, SessionsFinding, SessionsRow, Source, Windows, offloads, orders, windows,
};
use crate::findings::series::{Series, pair};
use crate::findings::{CellFinding, Group, Interval, RankRow, RatioFinding};

/// The loads of groups that differ in their regime only.
pub(super) fn of(source: Source, groups: &[&Group]) -> SessionsFinding {
    let windows = windows::by_cell(source.run);
    let mut settings: Vec<Sessions> = Vec::new();
    for sessions in groups.iter().filter_map(|it| it.of_sessions()) {
        let leader = sessions.measured_as();
        if !settings.contains(&leader) {
            settings.push(leader);
        }
    }
    let mut lengths: Vec<u64> =
        groups.iter().flat_map(|it| it.sizes.iter().map(|size| size.len_bytes)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let set = Set { source, groups, windows: &windows };
    let every = lengths.iter().flat_map(|len| settings.iter().map(move |it| (*it, *len)));
    let loads = every.filter_map(|(setting, len)| set.load(setting, len)).collect();
    let mut finding = SessionsFinding {
        groups: groups.iter().map(|it| it.name.clone()).collect(),
        part: groups[0].part,
        panel: groups[0].panel.clone(),
        key_life: groups[0].key_life,
        loads,
        orders: vec![],
    };
    finding.orders = orders::all(&finding);
    finding
}

struct Set<'a> {
    source: Source<'a>,
    groups: &'a [&'a Group],
    windows: &'a Windows<'a>,
}

impl<'a> Set<'a> {
    fn load(&self, setting: Sessions, len_bytes: u64) -> Option<LoadFinding> {
        let ranking = self.ranking(setting, len_bytes);
        let absolute = Sessions { quantity: Quantity::Absolute, ..setting };
        let ranking = if ranking.is_empty() { self.ranking(absolute, len_bytes) } else { ranking };
        let regime = Regime::Sessions(setting);
        let settled = self.source.settled(self.groups[0].part, regime, len_bytes);
        let records = || ranking.iter().flat_map(|row| self.records(row.cell));
        let seen = records().next();
        let sessions = settled.map(|it| it.count).or(seen.map(|it| it.load.count));
        let bound = seen.map(|it| it.load.cpus.len() as u32).filter(|it| *it > 0);
        let window = settled.map(|it| [it.from_ms, it.to_ms]);
        let row = |row: &&RankRow| self.row(row, setting, len_bytes, sessions);
        (!ranking.is_empty()).then(|| LoadFinding {
            regime,
            len_bytes,
            sessions: sessions.or(setting.count.map(NonZeroU32::get)),
            processors: bound.unwrap_or_else(|| self.source.processors(setting.binding)),
            window_ms: window.or(seen.map(|it| [it.load.from_ms, it.load.to_ms])),
            adjusted: settled
                .into_iter()
                .flat_map(|it| &it.adjusted)
                .map(ToString::to_string)
                .collect(),
            doubts: settled.map(|it| it.doubts.clone()).unwrap_or_default(),
            nice: records().find_map(|it| it.measured.received?.nice),
            rows: ranking.iter().map(row).collect(),
        })
    }

    fn ranking(&self, sessions: Sessions, len_bytes: u64) -> Vec<&'a RankRow> {
        let group = self.groups.iter().find(|it| it.regime == Regime::Sessions(sessions));
        let size = group.and_then(|it| it.sizes.iter().find(|it| it.len_bytes == len_bytes));
        size.map(|it| it.ranking.iter().collect()).unwrap_or_default()
    }

    /// The cell of the same candidate under another load, or of its other quantity.
    fn cell(&self, like: &CellFinding, sessions: Sessions) -> Option<usize> {
        let ranking = self.ranking(sessions, like.cell.len_bytes);
        let mut places = ranking.into_iter().map(|it| it.cell);
        places.find(|&at| self.source.cells[at].cell.candidate == like.cell.candidate)
    }

    /// The windows of a cell.
    fn records(&self, place: usize) -> &[&'a SessionsRecord] {
        self.windows.get(&self.source.cells[place].id).map_or(&[], Vec::as_slice)
    }

    fn row(
        &self,
        place: &RankRow,
        setting: Sessions,
        len_bytes: u64,
        sessions: Option<u32>,
    ) -> SessionsRow {
        let cells = self.source.cells;
        let own = &cells[place.cell];
        let of = |quantity| self.cell(own, Sessions { quantity, ..setting });
        let (apparent, absolute) = (of(Quantity::Apparent), of(Quantity::Absolute));
        let is_ranked = apparent == Some(place.cell);
        let records = self.records(place.cell);
        let offloads = offloads(self.source.run, &own.cell.candidate.provider);
        let seen = windows::of(records, offloads);
        let len = seen.map_or(len_bytes as f64, |it| it.bytes_per_message);
        let time = |at: Option<usize>| Estimate::of_cell(&cells[at?]);
        let (apparent_ns, absolute_ns) = (time(apparent), time(absolute));
        let count = records.first().map(|it| it.load.count).or(sessions);
        let wall_ns = apparent_ns.zip(count).and_then(|(it, n)| it.scaled(f64::from(n)));
        let messages_per_s = apparent_ns.and_then(|it| it.inverse(1e9));
        let alone = self.alone(setting);
        let beside = |at: Option<usize>, quantity| -> Option<(usize, usize)> {
            Some((at?, self.cell(own, Sessions { quantity, ..alone? })?))
        };
        let on_one = beside(apparent, Quantity::Apparent);
        let cost_of_one = beside(absolute, Quantity::Absolute);
        SessionsRow {
            candidate: own.cell.candidate.clone(),
            apparent,
            absolute,
            rank: place.rank.filter(|_| is_ranked),
            best_of_mac: place.best_of_mac,
            tied_with_best: place.tied_with_best && is_ranked,
            apparent_ns,
            absolute_ns,
            wall_ns,
            wall_ns_per_byte: wall_ns.filter(|_| len > 0.0).and_then(|it| it.scaled(1.0 / len)),
            wall_cycles_per_byte: apparent
                .and_then(|at| cycles(&cells[at]))
                .zip(count)
                .and_then(|(it, n)| it.scaled(f64::from(n))),
            apparent_cycles_per_byte: apparent.and_then(|at| cycles(&cells[at])),
            absolute_cycles_per_byte: absolute.and_then(|at| cycles(&cells[at])),
            to_absolute: apparent.zip(absolute).and_then(|(x, y)| self.ratio(x, y)),
            speed_up: on_one.and_then(|(here, one)| self.ratio(one, here)),
            cpu_cost_ratio: cost_of_one.and_then(|(here, one)| self.ratio(here, one)),
            messages_per_s,
            mib_per_s: messages_per_s.and_then(|it| it.scaled(len / 1_048_576.0)),
            windows: seen,
            offloads,
        }
    }

    /// The same sessions on one processor, where these are not on one themselves.
    fn alone(&self, setting: Sessions) -> Option<Sessions> {
        let one = NonZeroU32::MIN;
        let bindings = [Binding::On(one), Binding::Pinned(one)];
        let on = |binding| Sessions { binding, ..setting };
        let measured =
            |it: &Sessions| self.groups.iter().any(|group| group.regime == Regime::Sessions(*it));
        let others = bindings.into_iter().filter(|it| *it != setting.binding);
        if bindings.contains(&setting.binding) {
            return None;
        }
        others.map(on).find(measured)
    }

    /// Time of one cell over that of another, paired.
    fn ratio(&self, over: usize, under: usize) -> Option<RatioFinding> {
        let series = self.source.series;
        ratio(&series[over], &series[under], self.source)
    }
}

/// Times of `over` over those of `under`, paired by launch or by block.
pub(super) fn ratio(over: &Series, under: &Series, source: Source) -> Option<RatioFinding> {
    let (_, columns) = pair([under, over]);
    let ratio = Ratio::between(&columns[0], &columns[1], source.levels.confidence).ok()?;
    let interval = ratio.interval.map(|it| Interval {
        low: it.low,
        high: it.high,
        confidence: it.confidence_achieved,
    });
    Some(RatioFinding { value: ratio.ratio, interval })
}

/// Cycles a byte with the relative interval of the time that they were made from.
fn cycles(cell: &CellFinding) -> Option<Estimate> {
    let (cycles, ns) = (cell.cycles_per_byte_estimated?, cell.median_ns?);
    Estimate::of_cell(cell)?.scaled(cycles / ns)
}
