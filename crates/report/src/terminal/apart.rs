//! Calls taken apart, and theory beside measurement, at a few lengths; the page has them all.

use super::Sheet;
use super::layout::{few, table, wrapped};
use crate::findings::theory::PerCall;
use crate::findings::{Group, KeyMaterial, Share, TakenApart};
use crate::format::{self, ABSENT, Figure};

/// Lengths that are told: the two ends and some between.
const TOLD: usize = 5;

impl Sheet<'_> {
    /// Measurement, frame and compressions of each mac.
    pub(super) fn taken_apart(&self, group: &Group) -> String {
        let Some(first) = group.taken_apart.first() else { return String::new() };
        let in_cycles = group.apart_in_cycles();
        let lens = few(group.taken_apart.iter().map(|it| it.len_bytes).collect(), TOLD);
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
        let told = group.taken_apart.iter().filter(|it| lens.contains(&it.len_bytes));
        let rows: Vec<Vec<String>> = told
            .map(|it| self.apart_row(it, in_cycles, several, above.replace(it.len_bytes)))
            .collect();
        let title =
            format!("Where the cycles go ({unit}; {})", if several { "macs" } else { &source });
        let mut text = format!("\n{}\n", self.style.bold(&title));
        text.push_str(&table(&head, rows, &[1], self.width));
        if let Some(clocks) = self.findings.clocks_apart(self.run).filter(|_| in_cycles) {
            text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&clocks, self.width, "  "))));
        }
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
        let mac = &cell.cell.candidate.mac;
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
        let title = format!("Theory beside measurement: calls × {unit} a call");
        let hint = "The whole time over the calls of the block cipher or compression function; \
                    intervals are on the page. In brackets what a key is made of: keys of the \
                    cipher, k, and blocks, n.";
        format!(
            "\n{}\n{}{}\n",
            self.style.bold(&title),
            table(&head, lines.collect(), &[0], self.width),
            self.style.quiet(&wrapped(hint, self.width, ""))
        )
    }
}
