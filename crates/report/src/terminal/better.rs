//! By how many percent the best MAC at each size is better than each other, for a terminal; the
//! page has every pair.

use std::collections::BTreeSet;

use lab::study::View;

use super::Sheet;
use super::layout::{table, wrapped};
use crate::findings::{Group, SizeFinding, mode_and_primitive};
use crate::format::{self, ABSENT};

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
            1 => mode_and_primitive(mac).0.to_owned(),
            _ => (*mac).to_owned(),
        };
        let names: Vec<String> = macs.iter().map(short).collect();
        let head: Vec<&str> = [""].into_iter().chain(names.iter().map(|it| &it[..])).collect();
        let rows = group.sizes.iter().filter_map(|size| self.better_than(size, &macs)).collect();
        let mut text =
            format!("\n{}\n", self.style.bold("The best is better than the others by %"));
        text.push_str(&table(&head, rows, &[0], self.width));
        if !self.is_first(group, View::BetterThan) {
            return text;
        }
        let key = "(time of the other − time of the best) / time of the other, with its 95 % \
                   interval; = where no difference is shown, \
                   – where there is no interval yet. Every pair is on the page.";
        text.push_str(&format!("{}\n", self.style.quiet(&wrapped(key, self.width, "  "))));
        text
    }

    fn better_than(&self, size: &SizeFinding, macs: &BTreeSet<&str>) -> Option<Vec<String>> {
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
            pair.better().map_or(pair.neither().into(), |share| {
                let percent = share.percent();
                let ends = percent.known_ends().map_or(String::new(), |it| format!(" ({it})"));
                format!("{}{ends}", percent.value())
            })
        };
        let first = [format::bytes(size.len_bytes)];
        Some(first.into_iter().chain(macs.iter().map(against)).collect())
    }
}
