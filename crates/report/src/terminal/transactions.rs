//! Transactions for a terminal: a table a medium and file size with all actions, then what each
//! scheme detects and what it costs in segments.

use super::Sheet;
use super::columns::table;
use super::figure_table::spread;
use super::layout::wrapped;
use crate::findings::bills::{Bill, bills, lengths};
use crate::findings::schemes::{FaultFinding, detections, fault_kinds, what_follows};
use crate::findings::segments::layout_words;
use crate::findings::transactions::TransactionRow;
use crate::findings::{CellFinding, Group, Interval};
use crate::format::{self, ABSENT, Figure, TimeUnit};

/// Names in a row before the others are counted.
const NAMED_MAX: usize = 3;

impl Sheet<'_> {
    /// The tables of the transaction that a group is the head of, in the order of the whole.
    pub(super) fn transactions(&self, group: &Group) -> String {
        let all = self.findings.transactions();
        let Some(it) = all.iter().find(|it| it.head().name == group.name) else {
            return String::new();
        };
        let mut text = format!("\n{}\n", self.heading_of(group));
        let ranked = it.head().sizes.iter().flat_map(|size| &size.ranking);
        let several = ranked.clone().any(|row| !row.best_of_mac);
        for size in &it.head().sizes {
            let rows = it.rows(self.findings, size.len_bytes);
            let medians = rows.iter().flat_map(|row| row.cells).flatten();
            let Some(unit) = unit(medians.filter_map(|it| it.median_ns)) else { continue };
            let repetitions = size.repetitions_words(self.findings).unwrap_or_default();
            let launches = size.launches_words(self.findings).unwrap_or_default();
            let len = format::bytes(size.len_bytes);
            let title = format!("{len} file, in {}, {repetitions} in {launches}", unit.sign());
            let mut head = vec!["", "scheme"];
            if several {
                head.push("from");
            }
            let left: Vec<usize> = (1..head.len()).collect();
            head.extend(["encrypt", "split", "combine", "decrypt", "whole", "95 %"]);
            let tie_group = |row: &TransactionRow| row.place.and_then(|it| it.tie_group);
            let above = std::iter::once(None).chain(rows.iter().map(tie_group));
            let lines = rows.iter().zip(above);
            let lines = lines.map(|(row, above)| line(row, above, several, unit)).collect();
            text.push_str(&format!("\n{}\n", self.style.bold(&title)));
            text.push_str(&table(&head, lines, &left, self.width));
        }
        text.push_str(&self.crossovers(it.head()));
        text
    }

    /// What each scheme detects.
    pub(super) fn detection(&self) -> String {
        let schemes = &self.findings.schemes;
        let kinds = fault_kinds(schemes);
        if kinds.is_empty() {
            return String::new();
        }
        let title = "What each scheme detects: injected faults rejected";
        let mut text = format!("\n{}\n", self.style.heading(title, self.width));
        let told = detections(schemes);
        let several = told.iter().any(|it| it.1 != told[0].1);
        let mut head = vec!["scheme"];
        if several {
            head.push("from");
        }
        let left: Vec<usize> = (0..head.len()).collect();
        head.extend(&kinds);
        let rows = told.iter().map(|(scheme, providers)| {
            let of = |kind: &&str| scheme.faults.iter().find(|it| it.fault == *kind);
            let mut row = vec![scheme.scheme.clone()];
            row.extend(several.then(|| providers.clone()));
            row.extend(kinds.iter().map(|kind| refused(of(kind))));
            row
        });
        let told = table(&head, rows.collect(), &left, self.width);
        let broken = |line: &str| line.contains(BROKEN);
        for line in told.lines() {
            let line = if broken(line) { self.style.paint(line, "31") } else { line.into() };
            text.push_str(&format!("{line}\n"));
        }
        for sentence in what_follows(schemes) {
            text.push_str(&wrapped(&format!("{sentence}."), self.width, "  "));
            text.push('\n');
        }
        text
    }

    /// What a file costs in segments.
    pub(super) fn bills(&self) -> String {
        let bills = bills(&self.findings.schemes);
        let lengths = lengths(&bills);
        if lengths.is_empty() {
            return String::new();
        }
        let title = "Segments of a file, and how many more than for the bare file";
        let mut text = format!("\n{}\n", self.style.heading(title, self.width));
        let mut head = vec!["compositions".to_owned(), "flow".into(), "added".into()];
        head.extend(lengths.iter().map(|&len| format::bytes(len)));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let rows = bills.iter().map(|bill| {
            let seal = bill.seal.words();
            let mut row = vec![named(bill), layout_words(bill.layout).to_owned(), seal];
            row.extend(lengths.iter().map(|&len| match bill.at(len) {
                None => ABSENT.into(),
                Some(it) => format!("{} +{:.0}%", it.segments, it.more_segments * 100.0),
            }));
            row
        });
        text.push_str(&table(&head, rows.collect(), &[0, 1], self.width));
        text
    }
}

/// Stands before a count that is not as promised.
const BROKEN: &str = "! ";

fn refused(fault: Option<&FaultFinding>) -> String {
    let Some((it, detected)) = fault.and_then(|it| Some((it, it.is_detected()?))) else {
        return ABSENT.into();
    };
    let mark = if it.as_promised { "" } else { BROKEN };
    let word = if detected { "" } else { "NOT " };
    format!("{mark}{word}{}/{}", it.refused, it.planted)
}

/// Compositions that cost the same: some names, and how many more.
fn named(bill: &Bill) -> String {
    let more = bill.compositions.len().saturating_sub(NAMED_MAX);
    let names = bill.compositions[..bill.compositions.len() - more].join("; ");
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// A row; `above` is the group of the row before.
fn line(row: &TransactionRow, above: Option<usize>, several: bool, unit: TimeUnit) -> Vec<String> {
    let first = row.cells.iter().flatten().next();
    let place = match row.place.map(|it| (it.rank, it.tie_group.is_some() && it.tie_group == above))
    {
        Some((Some(_), true)) => "=".into(),
        Some((Some(rank), _)) => rank.to_string(),
        _ => ABSENT.into(),
    };
    let mut line = vec![place, first.map_or(ABSENT.into(), |it| it.called.clone())];
    line.extend(several.then(|| first.map_or(ABSENT.into(), |it| it.source())));
    line.extend(row.cells[..4].iter().map(|cell| with_spread(*cell, unit)));
    let whole = row.cells[4].and_then(|it| {
        Some(Figure::time_in(it.median_ns?, it.interval_ns.map(Interval::ends), unit))
    });
    line.push(whole.as_ref().map_or(ABSENT.into(), Figure::value));
    line.push(whole.map_or(ABSENT.into(), |it| it.ends()));
    line
}

/// A unit for all times of a table: that of the shortest, where the longest still has few digits.
fn unit(times_ns: impl Iterator<Item = f64>) -> Option<TimeUnit> {
    let ends = |(low, high): (f64, f64), it: f64| (low.min(it), high.max(it));
    let (mut at, high) = times_ns.fold((f64::INFINITY, 0.0), ends);
    if !at.is_finite() || at <= 0.0 {
        return None;
    }
    while TimeUnit::of(at).scale(high) >= 1e5 {
        at *= 1e3;
    }
    Some(TimeUnit::of(at))
}

/// `12.3 ±1%`: the farther end of the interval, in whole percents that it does not exceed.
fn with_spread(cell: Option<&CellFinding>, unit: TimeUnit) -> String {
    let Some((ns, interval)) = cell.and_then(|it| Some((it.median_ns?, it.interval_ns))) else {
        return ABSENT.into();
    };
    let time = format::three(unit.scale(ns));
    format!("{time}{}", spread(ns, interval.map(Interval::ends)))
}
