//! A gate for the summary of a CI step.

use std::fmt::Write as _;

use super::{GateFindings, Outcome, Version};
use crate::markdown::{escaped, table};

impl GateFindings {
    /// Markdown with tables, as GitHub and GitLab show it.
    #[must_use]
    pub fn markdown(&self) -> String {
        let sign = match self.outcome.code() {
            0 => "✅",
            1 => "❌",
            _ => "⚠️",
        };
        let mut text = format!("### {sign} macrometer gate\n\n**{}**\n", escaped(&self.verdict));
        for note in self.notes() {
            let _ = write!(text, "\n> {}\n", escaped(&note));
        }
        for Version { name, version, path } in &self.versions {
            let _ = write!(text, "\n- {}: {}{}", escaped(name), escaped(version), code(path));
        }
        text.push('\n');
        for (title, rows) in self.sections(false) {
            let head = ["cell", "base", "new", "ratio", "95 %", "launches"];
            let rows: Vec<Vec<String>> = rows.into_iter().map(|row| self.columns(row)).collect();
            let _ = write!(text, "\n#### {title}\n\n{}", table(&head, &rows, 1));
        }
        for (title, lines) in self.lists() {
            let _ = write!(text, "\n#### {title}\n\n");
            lines.iter().for_each(|line| text += &format!("- {}\n", escaped(line)));
        }
        if self.outcome != Outcome::WrongTags {
            let _ = write!(text, "\n{}\n", escaped(&self.end()));
        }
        text
    }
}

/// A place as code, behind a space; nothing where there is none. A worker says of itself where it
/// is: what would end the code, or the line, is replaced.
fn code(place: &str) -> String {
    let place = words::legible(place).replace('\n', " ").replace('`', "'");
    if place.trim().is_empty() { String::new() } else { format!(" `{place}`") }
}

#[cfg(test)]
mod tests {
    use super::super::tests::without_cells;

    #[test]
    fn the_place_of_a_worker_stays_code_on_its_line() {
        let mut findings = without_cells();
        let own = &mut findings.versions;
        own[0].path = "/x` <b>\n## Not slower\n\u{1b}[2J".into();
        own[1].path = String::new();
        let text = findings.markdown();
        assert!(text.contains("\n- lib: 1 `/x' <b> ## Not slower \u{fffd}[2J`\n"), "{text}");
        assert!(text.contains("\n- lib-new: 2\n"), "{text}");
    }
}
