//! By how many percent the best MAC at each size is better than each other, for a terminal; the
//! page has every pair.

use std::collections::BTreeSet;

use lab::study::View;

use super::Sheet;
use super::columns::table;
use super::layout::wrapped;
use crate::findings::{Group, PairFinding, RatioFinding, SizeFinding, mode_and_primitive};
use crate::format::{self, ABSENT};

/// What the percent are of, and how they are made of a pair.
type Reading = (&'static str, fn(&PairFinding) -> Option<RatioFinding>);

impl Sheet<'_> {
    /// A row a size, a column a MAC.
    pub(super) fn better(&self, group: &Group) -> String {
        let macs: BTreeSet<&str> =
            group.best().map(|row| &self.findings.cell(row).cell.candidate.mac[..]).collect();
        if macs.len() < 2 || group.sizes.iter().all(|size| size.better.is_empty()) {
            return String::new();
        }
        // The primitive is named once where all share it.
        let primitives: BTreeSet<&str> = macs.iter().map(|mac| mode_and_primitive(mac).1).collect();
        let short = |mac: &&'_ str| match primitives.len() {
            1 => self.findings.mode_named(mode_and_primitive(mac).0).to_owned(),
            _ => self.findings.named(mac),
        };
        let names: Vec<String> = macs.iter().map(short).collect();
        let head: Vec<&str> = [""].into_iter().chain(names.iter().map(|it| &it[..])).collect();
        let readings: [Reading; 2] =
            [("of theirs", PairFinding::better), ("of its own", PairFinding::better_of_row)];
        let rows = group.sizes.iter().flat_map(|size| {
            readings.iter().filter_map(|reading| self.better_than(size, &macs, *reading))
        });
        let rows = rows.collect();
        let mut text = format!("\n{}\n", self.style.bold("Relative improvement of the best, in %"));
        text.push_str(&table(&head, rows, &[0], self.width));
        if !self.is_first(group, View::BetterThan) {
            return text;
        }
        let key = "time of the other − time of the best: in percent of the other's, and of the \
                   best's own, the two readings of “x % better”, each with its 95 % interval; = \
                   where no difference is shown, – where there is no interval yet. Every pair is \
                   on the page.";
        text.push_str(&format!("{}\n", self.style.quiet(&wrapped(key, self.width, "  "))));
        text
    }

    fn better_than(
        &self,
        size: &SizeFinding,
        macs: &BTreeSet<&str>,
        (of_which, read): Reading,
    ) -> Option<Vec<String>> {
        let best = size.ranking.first()?;
        let mac = |cell: usize| &self.findings.cells[cell].cell.candidate.mac[..];
        let against = |other: &&str| {
            if *other == mac(best.cell) {
                return "best".into();
            }
            let mut own = size.better.iter().filter(|pair| pair.row == best.cell);
            let Some(pair) = own.find(|pair| mac(pair.column) == *other) else {
                return ABSENT.into();
            };
            read(pair).map_or(pair.neither().into(), |share| {
                let percent = share.percent();
                let ends = percent.known_ends().map_or(String::new(), |it| format!(" ({it})"));
                format!("{}{ends}", percent.value())
            })
        };
        let first = [format!("{}, {of_which}", format::bytes(size.len_bytes))];
        Some(first.into_iter().chain(macs.iter().map(against)).collect())
    }
}
