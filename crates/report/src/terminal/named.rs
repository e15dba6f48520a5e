//! What a reader looks for first in a survey: the macs that the study names, whatever their rank,
//! beside the fastest.

use super::Sheet;
use super::columns::table;
use super::figures::Quantity;
use super::layout::wrapped;
use crate::findings::{CellFinding, Group, RankRow, SizeFinding};
use crate::format::{self, ABSENT};

/// Lengths that are told, where they were measured.
const TOLD_BYTES: [u64; 3] = [64, 1024, 16_384];

/// What “any use” means.
pub(super) const ANY_USE: &str = "Any use: without MACs that have a caution, such as a nonce that \
                                  must not be used twice, or one message per key.";

impl Sheet<'_> {
    /// One table for each of these rankings.
    pub(super) fn named(&self) -> String {
        self.named_groups().map(|group| self.names_of(group)).collect()
    }

    /// Rankings that have any of the named macs and others beside them.
    pub(super) fn named_groups(&self) -> impl Iterator<Item = &Group> {
        let named = &self.run.study.named;
        let is_told = move |group: &&Group| {
            let is_named =
                |row: &RankRow| named.contains(&self.findings.cell(row).cell.candidate.mac);
            let is_ranked = !group.is_told_together() && group.transaction().is_none();
            is_ranked && group.best().any(is_named) && !group.best().all(is_named)
        };
        self.findings.groups.iter().filter(is_told)
    }

    /// The lengths that are told.
    pub(super) fn asked<'b>(&self, group: &'b Group) -> Vec<&'b SizeFinding> {
        let asked: Vec<&SizeFinding> =
            group.sizes.iter().filter(|size| TOLD_BYTES.contains(&size.len_bytes)).collect();
        if asked.is_empty() { group.sizes.iter().take(3).collect() } else { asked }
    }

    /// The best offer of a mac at one length.
    pub(super) fn fastest_of(&self, size: &SizeFinding, mac: &str) -> Option<&CellFinding> {
        let best = size.ranking.iter().filter(|row| row.best_of_mac);
        best.map(|row| self.findings.cell(row)).find(|it| it.cell.candidate.mac == mac)
    }

    fn names_of(&self, group: &Group) -> String {
        let sizes = self.asked(group);
        let row_of = |name: String, cells: Vec<Option<&CellFinding>>| {
            let times = cells.iter().map(|cell| match cell {
                Some(cell) => format!("{} {}", Quantity::Time.of(cell), cell.source()),
                None => ABSENT.into(),
            });
            std::iter::once(name).chain(times).collect::<Vec<_>>()
        };
        let mut rows = Vec::new();
        for mac in &self.run.study.named {
            let cells: Vec<_> = sizes.iter().map(|size| self.fastest_of(size, mac)).collect();
            if cells.iter().any(Option::is_some) {
                rows.push(row_of(mac.clone(), cells));
            }
        }
        // The answer: what nothing speaks against.
        let first = |size: &&SizeFinding| {
            let ranking = size.recommended.as_ref().unwrap_or(&size.ranking);
            ranking.first().map(|row| self.findings.cell(row))
        };
        let fastest: Vec<_> = sizes.iter().map(first).collect();
        let told = |cell: &Option<&CellFinding>| match cell {
            Some(cell) => {
                let (mac, time) = (&cell.cell.candidate.mac, Quantity::Time.of(cell));
                format!("{time} {mac} {}", cell.source())
            }
            None => ABSENT.into(),
        };
        let last = std::iter::once("fastest, any use".to_owned()).chain(fastest.iter().map(told));
        rows.push(last.collect());
        let mut head = vec!["MAC".to_owned()];
        head.extend(sizes.iter().map(|size| format::bytes(size.len_bytes)));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let left: Vec<usize> = (0..head.len()).collect();
        let title = format!("In wide use, by the fastest provider of each · {}", self.label(group));
        let heading = self.style.heading(&title, self.width);
        let table = table(&head, rows, &left, self.width);
        if !sizes.iter().any(|size| size.recommended.is_some()) {
            return format!("\n{heading}\n{table}");
        }
        let note = wrapped(ANY_USE, self.width, "  ");
        format!("\n{heading}\n{table}{}\n", self.style.quiet(&note))
    }
}
