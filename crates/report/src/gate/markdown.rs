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
            let _ = write!(text, "\n- {}: {} `{path}`", escaped(name), escaped(version));
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
