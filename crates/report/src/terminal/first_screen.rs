//! What a reader of a survey wants first, on one screen: for each key life what is in wide use,
//! whatever its rank, beside the fastest, by the fastest provider of each; what to doubt, and where
//! the rest is.

use super::Sheet;
use super::columns::table;
use super::figures::Quantity;
use super::layout::wrapped;
use crate::findings::{CellFinding, Group, RankRow, SizeFinding};
use crate::format::{self, ABSENT};

/// Lines of the screen, with the three that the command adds: an empty one, where the page is, and
/// the run.
pub const LINES_MAX: usize = 40;
const ADDED: usize = 3;

/// Rows of macs in wide use that a table keeps, however little room there is.
const NAMED_MIN: usize = 4;

/// Lines that one doubt may have.
const DOUBT: usize = 2;

/// A table to be: macs in wide use, and those that are fastest.
struct Told {
    title: String,
    head: Vec<String>,
    named: Vec<Vec<String>>,
    fastest: Vec<Vec<String>>,
}

impl Sheet<'_> {
    /// All of it; absent where nothing that the study names stands beside anything else.
    pub(super) fn first_screen(&self) -> Option<String> {
        let groups: Vec<&Group> = self.named_groups().collect();
        if groups.is_empty() {
            return None;
        }
        let tables: Vec<Told> = groups.iter().map(|group| self.told(group)).collect();
        let (head, rest) = (self.about(), self.notes_and_rest(&groups));
        let laid = |most: usize| -> String {
            tables.iter().map(|told| self.laid_with(told, most)).collect()
        };
        let room = (LINES_MAX - ADDED).saturating_sub(lines(&head) + lines(&rest));
        let all = tables.iter().map(|told| told.named.len()).max().unwrap_or(0);
        let fits = |most: &usize| lines(&laid(*most)) <= room;
        let least = NAMED_MIN.min(all);
        let most = (least..=all).rev().find(fits).unwrap_or(least);
        Some([head, laid(most), rest].concat())
    }

    fn told(&self, group: &Group) -> Told {
        let sizes = self.asked(group);
        let times = |cells: &[Option<&CellFinding>]| {
            let time = |cell: &Option<&CellFinding>| {
                cell.map_or(ABSENT.into(), |cell| Quantity::Time.of(cell))
            };
            cells.iter().map(time).collect::<Vec<_>>()
        };
        let row = |name: &str, cells: &[Option<&CellFinding>]| {
            let own = std::iter::once(name.to_owned()).chain(times(cells));
            own.chain([providers(cells)]).collect::<Vec<_>>()
        };
        let mut named = Vec::new();
        for mac in &self.run.study.named {
            let cells: Vec<_> = sizes.iter().map(|size| self.fastest_of(size, mac)).collect();
            if cells.iter().any(Option::is_some) {
                named.push(row(&self.findings.named(mac), &cells));
            }
        }
        // What nothing speaks against; and all, where that is another.
        let all = |size: &&SizeFinding| size.ranking.first().map(|row| (row.cell, tied(size)));
        let any_use = |size: &&SizeFinding| match &size.recommended {
            Some(ranking) => ranking.first().map(|row| (row.cell, tied_in(ranking))),
            None => all(size),
        };
        let [any_use, all]: [Vec<_>; 2] =
            [sizes.iter().map(any_use).collect(), sizes.iter().map(all).collect()];
        let mut fastest = Vec::new();
        let mut rows_of = |name: &str, best: &[Option<(usize, bool)>]| {
            let cells: Vec<_> =
                best.iter().map(|it| it.map(|(at, _)| &self.findings.cells[at])).collect();
            fastest.push(row(name, &cells));
            let names = best.iter().map(|it| match it {
                Some((at, tied)) => {
                    let mark = if *tied { " =" } else { "" };
                    format!("{}{mark}", self.findings.cells[*at].called)
                }
                None => String::new(),
            });
            fastest
                .push(std::iter::once(String::new()).chain(names).chain([String::new()]).collect());
        };
        rows_of("fastest, any use", &any_use);
        if all.iter().zip(&any_use).any(|(all, any)| all.map(|it| it.0) != any.map(|it| it.0)) {
            rows_of("fastest of all", &all);
        }
        let mut head = vec!["MAC".to_owned()];
        head.extend(sizes.iter().map(|size| format::bytes(size.len_bytes)));
        head.push("from".into());
        Told { title: self.label(group), head, named, fastest }
    }

    fn laid_with(&self, told: &Told, most: usize) -> String {
        let head: Vec<&str> = told.head.iter().map(String::as_str).collect();
        let rows = told.named.iter().take(most).chain(&told.fastest).cloned().collect();
        let left: Vec<usize> = (0..head.len()).collect();
        let heading = self.style.heading(&told.title, self.width);
        format!("\n{heading}\n{}", table(&head, rows, &left, self.width))
    }

    /// What the figures are, the doubts in short, and where the rest is.
    fn notes_and_rest(&self, groups: &[&Group]) -> String {
        let mut notes = vec![
            "Medians of the fastest provider at each length, ± the wider half of the 95 % \
             interval; = others are not shown slower."
                .to_owned(),
        ];
        let has_cautions =
            groups.iter().any(|group| group.sizes.iter().any(|it| it.recommended.is_some()));
        if has_cautions {
            notes.push(super::named::ANY_USE.into());
        }
        let mut text =
            format!("\n{}\n", self.style.quiet(&wrapped(&notes.join(" "), self.width, "")));
        let excluded = self.run.events.iter().filter(|event| event.kind == "excluded").count();
        let doubts = [(self.findings.warnings.len(), "doubts"), (excluded, "exclusions")];
        let doubts = doubts.iter().filter(|(count, _)| *count > 0);
        let doubts: Vec<String> = doubts.map(|(count, what)| format!("{what}: {count}")).collect();
        if let Some(first) = self.findings.warnings.first() {
            let first = wrapped(&format!("{}.", first.trim_end_matches('.')), self.width, "  ");
            text.push_str(&format!("{}\n", super::layout::cut(&first, self.width, DOUBT)));
        }
        let with = match doubts.is_empty() {
            true => String::new(),
            false => format!(" ({})", doubts.join(", ")),
        };
        let rest = format!(
            "`macrometer report {} --tables`: every ranking, all lengths, code paths and \
             doubts{with}; the page has charts, too.",
            self.run.id
        );
        text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&rest, self.width, ""))));
        text
    }
}

/// Whether others are not shown slower than the first.
fn tied(size: &SizeFinding) -> bool {
    tied_in(&size.ranking)
}

fn tied_in(ranking: &[RankRow]) -> bool {
    ranking.iter().filter(|row| row.best_of_mac && row.tied_with_best).count() > 1
}

/// The providers, each once, in the order of the lengths.
fn providers(cells: &[Option<&CellFinding>]) -> String {
    let mut all: Vec<&str> = Vec::new();
    for cell in cells.iter().flatten() {
        let name = cell.cell.candidate.provider.as_str();
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(", ")
}

fn lines(text: &str) -> usize {
    text.lines().count()
}
