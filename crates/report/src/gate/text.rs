//! A gate for a terminal: the verdict, then what is slower, open, faster and changed.

use super::{GateFindings, GateRow, Outcome};
use crate::format;
use crate::terminal::{table, wrapped};

impl GateFindings {
    /// For a terminal of this width; with `all`, every cell is listed. Names may come from archives
    /// of others: what a terminal would obey is written out.
    #[must_use]
    pub fn text(&self, width: usize, all: bool) -> String {
        let mut blocks = vec![wrapped(&self.verdict, width, "")];
        let notes: Vec<String> = self.notes().iter().map(|it| wrapped(it, width, "")).collect();
        blocks.extend((!notes.is_empty()).then(|| notes.join("\n")));
        blocks.push(self.who(width));
        for (title, rows) in self.sections(all) {
            blocks.push(format!("{title}:\n{}", self.table(&rows, width)));
        }
        for (title, lines) in self.lists() {
            let lines: Vec<String> = lines.iter().map(|it| wrapped(it, width, "  ")).collect();
            blocks.push(format!("{title}:\n{}", lines.join("\n")));
        }
        blocks.push(wrapped(&self.end(), width, ""));
        words::legible(&blocks.join("\n\n")).into_owned()
    }

    /// What must be known beside the verdict, a sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.doubts.iter().map(|it| format!("{it}.")).collect();
        for known in self.accepted.iter().filter(|it| it.expired) {
            notes.push(format!(
                "No longer accepted: {} ({}, {}), which expired after {}.",
                known.cell, known.reason, known.author, known.expires
            ));
        }
        let fits = |cell: &str| self.cells.iter().any(|it| lab::study::fits(cell, &it.name));
        for known in self.accepted.iter().filter(|it| !it.expired && !fits(&it.cell)) {
            notes.push(format!("Accepted, but not a cell of this gate: {}.", known.cell));
        }
        let is_open = self.open().next().is_some() && self.outcome != Outcome::WrongTags;
        match self.budget_to_decide_s {
            Some(budget_s) if is_open => {
                notes
                    .push(format!("`gate --budget {budget_s:.0}` is expected to decide the rest."));
            }
            None if is_open => {
                notes.push("No budget up to a day is expected to decide the rest.".into());
            }
            _ => {}
        }
        notes
    }

    fn who(&self, width: usize) -> String {
        let line = |super::Version { name, version, path }: &super::Version| {
            let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
            wrapped(&format!("{name}: {version}{place}"), width, "")
        };
        self.versions.each_ref().map(line).join("\n")
    }

    /// Titles with the cells below them; those that have none are left out.
    pub(super) fn sections(&self, all: bool) -> Vec<(String, Vec<&GateRow>)> {
        let margin = format::percent(self.margin);
        let mut sections = vec![
            (format!("Slower by more than {margin}"), self.slower().collect()),
            ("Not decided".into(), self.open().collect()),
            ("Slower or undecided, but accepted".into(), self.excused().collect()),
            (format!("Faster by more than {margin}"), self.faster().collect()),
            (format!("Slower, by no more than {margin}"), self.slightly_slower().collect()),
        ];
        if all {
            sections.push(("All cells".into(), self.cells.iter().collect()));
        }
        sections.retain(|(_, rows): &(_, Vec<&GateRow>)| !rows.is_empty());
        for (_, rows) in &mut sections {
            let by = |it: &GateRow| it.ratio.unwrap_or(1.0);
            rows.sort_by(|a, b| by(b).total_cmp(&by(a)).then(a.name.cmp(&b.name)));
        }
        sections
    }

    /// Titles with lines below them.
    pub(super) fn lists(&self) -> Vec<(&'static str, Vec<String>)> {
        let changes = self.changes.iter().map(super::Change::told).collect();
        let known =
            self.accepted.iter().filter(|it| !it.expired).map(|it| {
                format!("{}: {} ({}, until {})", it.cell, it.reason, it.author, it.expires)
            });
        let mut lists = vec![
            ("Wrong tags", self.wrong_tags.clone()),
            ("Cells in which the base differs from itself", self.alarms.clone()),
            ("Changed code paths and offers", changes),
            ("Accepted", known.collect()),
        ];
        lists.retain(|(_, lines)| !lines.is_empty());
        lists
    }

    fn table(&self, rows: &[&GateRow], width: usize) -> String {
        let head = ["cell", "base", "new", "ratio", "95 %", "launches"];
        let rows = rows.iter().map(|row| self.columns(row)).collect();
        table(&head, rows, &[0], width).trim_end().to_owned()
    }

    /// A row of a table, in the order of its head.
    pub(super) fn columns(&self, row: &GateRow) -> Vec<String> {
        let time = |ns: Option<f64>| ns.map_or(format::ABSENT.into(), format::time);
        let figure = row.figure(self.margin);
        let absent = || format::ABSENT.to_owned();
        vec![
            row.name.clone(),
            time(row.base_ns),
            time(row.new_ns),
            figure.as_ref().map_or_else(absent, |it| it.value()),
            figure.as_ref().map_or_else(absent, |it| it.ends()),
            row.launches.to_string(),
        ]
    }

    /// What it rests on.
    pub(super) fn end(&self) -> String {
        let looks: Vec<String> = self.looks.iter().map(ToString::to_string).collect();
        let decided = match &looks[..] {
            [] => "too few to decide anything".to_owned(),
            looks => format!("looked at after {}", format::list(looks)),
        };
        match self.launches {
            0 => format!("Nothing was timed; run {}", self.run),
            launches => {
                let launches = words::counted(launches, "launch");
                format!("{launches} in {:.0} s, {decided}; run {}", self.spent_s, self.run)
            }
        }
    }
}
