//! Cycles a byte by the formula of papers beside the measured ones, for a terminal: one table a
//! group over all its sizes, in the place of its rankings.

use std::collections::BTreeMap;

use lab::study::View;

use super::Sheet;
use super::columns::table;
use super::layout::wrapped;
use crate::findings::{CellFinding, Group, RankRow, SizeFinding};
use crate::format::{self, ABSENT};

const HEAD: [&str; 9] = ["", "", "MAC", "mean", "median", "95 %", "T·F/L", "core cycles", ""];

impl Sheet<'_> {
    /// The best offer of each MAC at each size, the fastest first.
    pub(super) fn cycles(&self, group: &Group) -> String {
        let rows: Vec<Vec<String>> =
            group.sizes.iter().flat_map(|size| self.cycles_of(size)).collect();
        if rows.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.bold("Cycles per byte"));
        text.push_str(&table(&HEAD, rows, &[0, 1, 2, 8], self.width));
        let mut lines = vec![self.samples(group) + &self.computed_by(group)];
        if self.is_first(group, View::GroupedBars) {
            lines.push(self.findings.two_clocks(self.run));
        }
        for line in lines {
            text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&line, self.width, "  "))));
        }
        text
    }

    fn cycles_of(&self, size: &SizeFinding) -> Vec<Vec<String>> {
        let rows: Vec<&RankRow> = size.ranking.iter().filter(|row| row.best_of_mac).collect();
        let above = std::iter::once(None).chain(rows.iter().map(|row| row.tie_group));
        let line = |((number, row), above): ((usize, &&RankRow), Option<usize>)| {
            let cell = self.findings.cell(row);
            let len = if number == 1 { format::bytes(size.len_bytes) } else { String::new() };
            let is_tied = row.tie_group.is_some() && row.tie_group == above;
            let place = if is_tied { "=".into() } else { number.to_string() };
            let time = |ns: Option<f64>| ns.map_or(ABSENT.into(), format::time);
            let value = |it: Option<f64>| it.map_or(ABSENT.into(), format::three);
            let notes: String = cell.notes.iter().map(|note| format!("[{}]", note + 1)).collect();
            let (median, interval) = super::ranking::time_and_interval(cell);
            vec![
                len,
                place,
                cell.called.clone(),
                time(cell.mean_ns),
                median,
                interval,
                value(cell.cycles_per_byte_nominal),
                value(cell.cycles_per_byte_estimated),
                format!("{} {notes}", cell.caution.as_deref().unwrap_or_default()).trim().into(),
            ]
        };
        (1..).zip(&rows).zip(above).map(line).collect()
    }

    /// Whether it is the first group with a view: what all of them share is told there.
    pub(super) fn is_first(&self, group: &Group, view: View) -> bool {
        let mut groups = self.findings.groups.iter();
        groups.find(|own| own.views.contains(&view)).is_some_and(|own| own.name == group.name)
    }

    /// How many samples the means are over.
    fn samples(&self, group: &Group) -> String {
        let cells = group.best().map(|row| self.findings.cell(row).samples);
        let (least, most) = cells.fold((usize::MAX, 0), |(a, b), n| (a.min(n), b.max(n)));
        let count = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let what = if group.regime.is_in_blocks() { "of many calls" } else { "a first call" };
        format!("Mean and median of {count} samples, each {what}. ")
    }

    /// `Computed by macs[vaes-512]: cmac-aes-128, emac-aes-128.`
    fn computed_by(&self, group: &Group) -> String {
        let mut sources: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in group.best() {
            let cell: &CellFinding = self.findings.cell(row);
            let macs = sources.entry(cell.source()).or_default();
            let mac = &cell.called;
            if !macs.contains(mac) {
                macs.push(mac.clone());
            }
        }
        if let (1, Some(source)) = (sources.len(), sources.keys().next()) {
            return format!("All computed by {source}.");
        }
        let one = |(source, mut macs): (String, Vec<String>)| {
            macs.sort();
            format!("{source}: {}", macs.join(", "))
        };
        format!("Computed by {}.", sources.into_iter().map(one).collect::<Vec<_>>().join("; by "))
    }
}
