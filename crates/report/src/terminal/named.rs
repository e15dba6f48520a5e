//! What a reader looks for first in a survey: the macs that the study names, whatever their rank,
//! beside the fastest.

use super::Sheet;
use super::columns::table;
use super::figures::Quantity;
use super::layout::wrapped;
use crate::findings::{CellFinding, Group, SizeFinding};
use crate::format::{self, ABSENT};

/// Lengths that are told, where they were measured.
const TOLD_BYTES: [u64; 3] = [64, 1024, 16_384];

impl Sheet<'_> {
    /// One table for each ranking that has any of the named macs and others beside them.
    pub(super) fn named(&self) -> String {
        let named = &self.run.study.named;
        let is_told = |group: &&Group| {
            let is_other = |cell: &CellFinding| !named.contains(&cell.cell.candidate.mac);
            let is_ranked = !group.is_told_together() && group.transaction().is_none();
            is_ranked && group.best().any(|row| is_other(self.findings.cell(row)))
        };
        let tables = self.findings.groups.iter().filter(is_told).map(|group| self.names_of(group));
        tables.collect()
    }

    fn names_of(&self, group: &Group) -> String {
        let asked: Vec<&SizeFinding> =
            group.sizes.iter().filter(|size| TOLD_BYTES.contains(&size.len_bytes)).collect();
        let sizes = if asked.is_empty() { group.sizes.iter().take(3).collect() } else { asked };
        let fastest_of = |size: &SizeFinding, mac: &str| {
            let best = size.ranking.iter().filter(|row| row.best_of_mac);
            best.map(|row| self.findings.cell(row)).find(|it| it.cell.candidate.mac == mac)
        };
        let row_of = |name: String, cells: Vec<Option<&CellFinding>>| {
            let times = cells.iter().map(|cell| match cell {
                Some(cell) => format!("{} {}", Quantity::Time.of(cell), cell.source()),
                None => ABSENT.into(),
            });
            std::iter::once(name).chain(times).collect::<Vec<_>>()
        };
        let mut rows = Vec::new();
        for mac in &self.run.study.named {
            let cells: Vec<_> = sizes.iter().map(|size| fastest_of(size, mac)).collect();
            if cells.iter().any(Option::is_some) {
                rows.push(row_of(mac.clone(), cells));
            }
        }
        if rows.is_empty() {
            return String::new();
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
        let last =
            std::iter::once("fastest for any use".to_owned()).chain(fastest.iter().map(told));
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
        let note = "Fastest for any use: without MACs that have a caution, such as a nonce that must \
                    not be used twice, or one message per key.";
        format!("\n{heading}\n{table}{}\n", self.style.quiet(&wrapped(note, self.width, "  ")))
    }
}
