//! Call breakdown, in full or a column a length, and theory beside measurement at a few lengths.

use super::Sheet;
use super::columns::table;
use super::layout::{few, needed, wrapped};
use crate::findings::theory::PerCall;
use crate::findings::{CellFinding, Group, KeyMaterial, Share, TakenApart};
use crate::format::{self, ABSENT, Figure};

/// What a brief table has of each mac, in a unit of which a nanosecond has so many.
type ShareOf = fn(&TakenApart, &CellFinding, f64) -> Option<f64>;

const SHARES: [(&str, ShareOf); 4] = [
    ("whole", |_, cell, factor| Some(factor * cell.median_ns?)),
    ("frame", |it, _, factor| Some(it.frame.shown(factor).value)),
    ("compressions", |it, _, factor| Some(it.compressions.shown(factor).value)),
    ("  each of them", |it, _, factor| Some(it.compression_each.as_ref()?.shown(factor).value)),
];

/// Lengths of a table of theory: the two ends and some between.
const TOLD: usize = 5;

impl Sheet<'_> {
    /// Measurement, frame and compressions of each mac.
    pub(super) fn taken_apart(&self, group: &Group) -> String {
        let Some(first) = group.taken_apart.first() else { return String::new() };
        let in_cycles = group.apart_in_cycles();
        let unit = if in_cycles { "estimated cycles" } else { "ns" };
        let head = [
            "length",
            "MAC",
            "whole",
            "measurement",
            "frame (95 %)",
            "compressions (95 %)",
            "each",
        ];
        let source = self.findings.cells[first.cell].source();
        let same = |it: &TakenApart| self.findings.cells[it.cell].source() == source;
        let several = !group.taken_apart.iter().all(same);
        let mut above = None;
        let title =
            format!("Where the cycles go ({unit}; {})", if several { "macs" } else { &source });
        let mut text = format!("\n{}\n", self.style.bold(&title));
        if self.whole {
            let rows = group.taken_apart.iter();
            let rows = rows
                .map(|it| self.apart_row(it, in_cycles, several, above.replace(it.len_bytes)))
                .collect();
            text.push_str(&table(&head, rows, &[1], self.width));
        } else {
            text.push_str(&self.apart_in_brief(group, in_cycles, several));
        }
        if let Some(clocks) = self.findings.clocks_apart(self.run).filter(|_| in_cycles) {
            text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&clocks, self.width, "  "))));
        }
        text
    }

    /// A column a length, of all that fit, without intervals.
    fn apart_in_brief(&self, group: &Group, in_cycles: bool, several: bool) -> String {
        let lens: Vec<u64> = group.taken_apart.iter().map(|it| it.len_bytes).collect();
        let lens = few(lens, usize::MAX);
        let name = |it: &TakenApart| {
            let cell = &self.findings.cells[it.cell];
            let mac = cell.called.clone();
            if several { format!("{mac} {}", cell.source()) } else { mac }
        };
        let mut names: Vec<String> = Vec::new();
        for it in group.taken_apart.iter().map(name) {
            if !names.contains(&it) {
                names.push(it);
            }
        }
        let told = |lens: &[u64]| -> (Vec<String>, Vec<Vec<String>>) {
            let mut head = vec!["MAC".to_owned(), String::new()];
            head.extend(lens.iter().map(|&len| format::bytes(len)));
            let mut rows = Vec::new();
            for mac in &names {
                let at = |len: &u64| {
                    let mut own = group.taken_apart.iter().filter(|it| it.len_bytes == *len);
                    own.find(|it| name(it) == *mac)
                };
                for (row, (share, of)) in SHARES.iter().enumerate() {
                    let shown = |it: &TakenApart| {
                        let value = of(it, &self.findings.cells[it.cell], it.factor(in_cycles));
                        value.map_or(ABSENT.into(), format::three)
                    };
                    let own = lens.iter().map(|len| at(len).map_or(ABSENT.into(), &shown));
                    let mac = if row == 0 { mac.clone() } else { String::new() };
                    rows.push([mac, (*share).to_owned()].into_iter().chain(own).collect());
                }
            }
            (head, rows)
        };
        let fits = |most: &usize| {
            let (head, rows) = told(&few(lens.clone(), *most));
            needed(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows) <= self.width
        };
        let most = (2..=lens.len()).rev().find(fits).unwrap_or(1);
        let (head, rows) = told(&few(lens.clone(), most));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let mut text = table(&head, rows, &[0, 1], self.width);
        let less = lens.len() - most.min(lens.len());
        let more = if less > 0 { format!(", {less} lengths more") } else { String::new() };
        let line = format!("Medians; with --tables: their intervals, the measurement alone{more}.");
        text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&line, self.width, "  "))));
        text
    }

    fn apart_row(
        &self,
        it: &TakenApart,
        in_cycles: bool,
        several: bool,
        above: Option<u64>,
    ) -> Vec<String> {
        let cell = &self.findings.cells[it.cell];
        let factor = it.factor(in_cycles);
        let share = |share: &Share| {
            let shown = share.shown(factor);
            let mark = if shown.raised { "*" } else { "" };
            let figure = Figure::of(shown.value, shown.ends);
            format!("{}{mark} ({})", figure.value(), figure.ends())
        };
        let mac = &cell.called;
        let each = it.compression_each.as_ref().zip(cell.work).map(|(each, work)| {
            format!("{} × {}", work.calls, format::three(each.shown(factor).value))
        });
        let same = above == Some(it.len_bytes);
        vec![
            if same { String::new() } else { format::bytes(it.len_bytes) },
            if several { format!("{mac} {}", cell.source()) } else { mac.clone() },
            cell.median_ns.map_or(ABSENT.into(), |ns| format::three(factor * ns)),
            format::three(it.measurement.shown(factor).value),
            share(&it.frame),
            share(&it.compressions),
            each.unwrap_or(ABSENT.into()),
        ]
    }

    /// Calls by theory times what one comes to.
    pub(super) fn theory(&self, group: &Group) -> String {
        if !self.findings.has_theory(group) {
            return String::new();
        }
        let (in_cycles, rows) = self.findings.theory(group);
        let lens = few(group.sizes.iter().map(|size| size.len_bytes).collect(), TOLD);
        let mut head = vec!["MAC".to_owned()];
        head.extend(lens.iter().map(|&len| format::bytes(len)));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let has_keys = rows.iter().any(|(_, own)| {
            let mut works = own.values().filter_map(|cell| cell.per_call(in_cycles));
            works.any(|it| it.work.key_material.is_some())
        });
        let lines = rows.iter().map(|(mac, own)| {
            let per_call = |len| own.get(len).and_then(|cell| cell.per_call(in_cycles));
            let entry = |it: Option<PerCall>| {
                it.map_or(ABSENT.into(), |it| {
                    format!("{} × {}", it.work.calls, format::three(it.each))
                })
            };
            // Of a mac it is the same for every length.
            let work = lens.iter().find_map(per_call).map(|it| it.work);
            let whose = work.map_or(String::new(), |work| work.keys());
            let key = work.and_then(|work| work.key_material).map(KeyMaterial::words);
            let key = key.map_or(String::new(), |key| format!(" ({key})"));
            let entries = lens.iter().map(|len| entry(per_call(len)));
            let mac = self.findings.named(mac);
            std::iter::once(format!("{mac}{whose}{key}")).chain(entries).collect()
        });
        let unit = if in_cycles { "estimated cycles" } else { "ns" };
        let title = format!("Theory versus measurement: calls × {unit} per call");
        let mut hint = "The whole time over the calls of the block cipher or compression \
                        function; intervals are on the page."
            .to_owned();
        if has_keys {
            hint += " In brackets, what a key consists of: cipher keys, k, and blocks, n.";
        }
        format!(
            "\n{}\n{}{}\n",
            self.style.bold(&title),
            table(&head, lines.collect(), &[0], self.width),
            self.style.quiet(&wrapped(&hint, self.width, ""))
        )
    }
}
