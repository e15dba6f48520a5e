//! What a reader looks for first in a survey: the macs that the study names, whatever their rank,
//! beside the fastest.

use super::Sheet;
use super::columns::table;
use super::figures::Quantity;
use super::layout::wrapped;
use crate::findings::{CellFinding, First, InUse};
use crate::format::{self, ABSENT};

impl Sheet<'_> {
    /// One table for each ranking that has them.
    pub(super) fn named(&self) -> String {
        self.findings.in_use.iter().map(|it| self.named_in(it)).collect()
    }

    fn named_in(&self, it: &InUse) -> String {
        let told = |cell: Option<&CellFinding>, with_name: bool| match cell {
            Some(cell) if with_name => {
                format!("{} {} {}", Quantity::Time.of(cell), cell.called, cell.source())
            }
            Some(cell) => format!("{} {}", Quantity::Time.of(cell), cell.source()),
            None => ABSENT.into(),
        };
        let cell = |at: &Option<usize>| at.map(|at| &self.findings.cells[at]);
        let mut rows = Vec::new();
        for own in &it.macs {
            let times = own.cells.iter().map(|at| told(cell(at), false));
            rows.push(std::iter::once(self.findings.named(&own.mac)).chain(times).collect());
        }
        // The answer: what nothing speaks against.
        let (name, first) = it.fastest().swap_remove(0);
        let times = first.iter().map(|it: &Option<First>| told(cell(&it.map(|it| it.cell)), true));
        rows.push(std::iter::once(name.to_owned()).chain(times).collect());
        let mut head = vec!["MAC".to_owned()];
        head.extend(it.lens_bytes.iter().map(|&len| format::bytes(len)));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let left: Vec<usize> = (0..head.len()).collect();
        let title = format!(
            "{}, each MAC by its fastest provider · {}",
            it.title(),
            self.label_of(&it.group)
        );
        let heading = self.style.heading(&title, self.width);
        let note = wrapped(InUse::ANY_USE, self.width, "  ");
        let table = table(&head, rows, &left, self.width);
        format!("\n{heading}\n{table}{}\n", self.style.quiet(&note))
    }

    /// What a group is called.
    pub(super) fn label_of(&self, name: &str) -> String {
        let group = self.findings.groups.iter().find(|group| group.name == name);
        group.map_or(String::new(), |group| self.label(group))
    }
}
