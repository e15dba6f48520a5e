//! Rankings for a terminal: the fastest MACs at each size by their best offer, then which provider
//! is best for each MAC.

use std::collections::BTreeMap;

use super::Sheet;
use super::columns::{TIED, table, table_within};
use super::layout::wrapped;
use crate::findings::{CellFinding, Group, RankRow, SizeFinding};
use crate::format::{self, ABSENT, Figure};

/// Names of MACs are shorter, unless somebody made them up.
const WIDE_MAX: usize = 100;

/// MACs shown at each size of a survey; the page has them all.
pub(super) const SHOWN: usize = 8;

/// Sizes that a line over many of them is told by.
const TOLD: usize = 5;

impl Sheet<'_> {
    /// The best offers at one size; every candidate where they are few or `most` says so.
    pub(super) fn ranking(&self, size: &SizeFinding, most: usize) -> String {
        let every = size.ranking.len() <= SHOWN;
        let wanted = |row: &&RankRow| every || row.best_of_mac;
        let rows: Vec<&RankRow> = size.ranking.iter().filter(wanted).collect();
        let shown = rows.len().min(most.max(1));
        let above = std::iter::once(None).chain(rows.iter().map(|row| row.tie_group));
        let numbered = (1..).zip(&rows[..shown]).zip(above);
        let lines = numbered.map(|((number, row), above)| self.line(number, row, above)).collect();
        let head = ["", "MAC", "from", "time", "95 %", "× best", "95 %", "cycles/B est.", ""];
        let mut text = format!("\n{}\n", self.style.bold(&format::bytes(size.len_bytes)));
        // The page has cycles and both intervals.
        text.push_str(&table_within(&head, lines, &[1, 2, 8], &[7, 6, 4], self.width));
        if shown < rows.len() {
            let more = format!("  {} more MACs are on the page", rows.len() - shown);
            text.push_str(&format!("{}\n", self.style.quiet(&more)));
        }
        text
    }

    /// One row, the `number`th that is shown; `above` is the group of the row before.
    fn line(&self, number: usize, row: &RankRow, above: Option<usize>) -> Vec<String> {
        let cell = self.findings.cell(row);
        let (time, interval) = time_and_interval(cell);
        let place = match row.rank {
            None => ABSENT.into(),
            Some(_) if row.tie_group.is_some() && row.tie_group == above => "=".into(),
            Some(_) => number.to_string(),
        };
        let (ratio, ends) = match row.to_best.map(|it| it.figure(self.findings.margin)) {
            Some(it) => (it.value(), it.ends()),
            None if row.rank == Some(1) => ("1".into(), String::new()),
            None => (ABSENT.into(), String::new()),
        };
        let notes: String = cell.notes.iter().map(|note| format!("[{}]", note + 1)).collect();
        // In one piece, or it is broken into a line a word.
        let caution = cell.caution.as_ref().map_or(String::new(), |it| it.replace(' ', TIED));
        vec![
            place,
            cell.called.clone(),
            cell.source(),
            time,
            interval,
            ratio,
            ends,
            cell.cycles_per_byte_estimated.map_or(ABSENT.into(), format::three),
            format!("{caution} {notes}").trim().to_owned(),
        ]
    }

    /// Each MAC's best providers over the sizes, where any MAC has a choice: those that are not
    /// shown slower than the fastest, with the sizes for which that is so, in turn.
    pub(super) fn offers(&self, group: &Group) -> String {
        let has_choice = |size: &SizeFinding| size.ranking.iter().any(|row| !row.best_of_mac);
        if !group.sizes.iter().any(has_choice) {
            return String::new();
        }
        let mut macs: BTreeMap<&str, Vec<(String, u64, u64)>> = BTreeMap::new();
        for size in &group.sizes {
            let len = size.len_bytes;
            for (mac, sources) in self.findings.best_sources(size) {
                let own = macs.entry(mac).or_default();
                match own.last_mut() {
                    Some((same, _, to)) if *same == sources => *to = len,
                    _ => own.push((sources, len, len)),
                }
            }
        }
        let wide = macs.keys().map(|mac| mac.chars().count()).max().unwrap_or(0).min(WIDE_MAX);
        let mut text = format!("\n{}\n", self.style.bold("Fastest provider of each MAC"));
        for (mac, own) in macs {
            let runs: Vec<String> = own
                .iter()
                .map(|(source, from, to)| match own.len() {
                    1 => source.clone(),
                    _ if from == to => format!("{source} at {}", format::bytes(*from)),
                    _ => format!("{source} {}–{}", format::bytes(*from), format::bytes(*to)),
                })
                .collect();
            let told = wrapped(&runs.join(", "), self.width, &" ".repeat(wide + 2));
            text.push_str(&format!("{mac:<wide$}  {}\n", told.trim_start()));
        }
        text
    }

    /// A part of lines only: speed at a few of its sizes.
    pub(super) fn lines(&self, group: &Group) -> String {
        let last = group.sizes.len() - 1;
        let mut told: Vec<usize> = (0..TOLD).map(|step| step * last / (TOLD - 1)).collect();
        told.dedup();
        let mut macs: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
        for &at in &told {
            for row in &group.sizes[at].ranking {
                let cell = self.findings.cell(row);
                let name = format!("{} · {}", cell.called, cell.source());
                macs.entry(name).or_default().insert(at, time_in_one(cell));
            }
        }
        let mut head = vec!["time per call (95 %)".to_owned()];
        head.extend(told.iter().map(|&at| format::bytes(group.sizes[at].len_bytes)));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let rows = macs.into_iter().map(|(name, own)| {
            let times = told.iter().map(|at| own.get(at).cloned().unwrap_or(ABSENT.into()));
            std::iter::once(name).chain(times).collect()
        });
        let count = format!("{} message lengths, some of them:", group.sizes.len());
        format!("{}\n{}", self.style.quiet(&count), table(&head, rows.collect(), &[0], self.width))
    }
}

pub(super) fn time_and_interval(cell: &CellFinding) -> (String, String) {
    let mark = if cell.interval_ns.is_none() { "~" } else { "" };
    let told = |it: Figure| (format!("{mark}{}", it.value()), it.ends());
    cell.time().map_or((ABSENT.into(), ABSENT.into()), told)
}

fn time_in_one(cell: &CellFinding) -> String {
    let (time, interval) = time_and_interval(cell);
    format!("{time} ({interval})")
}
