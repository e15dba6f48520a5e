//! A gate for the summary of a CI step.

use std::fmt::Write as _;

use super::{GateFindings, Outcome};

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
        for (role, version) in ["base", "new"].into_iter().zip(&self.versions) {
            let _ = write!(text, "\n- {role}: {} `{}`", escaped(&version.version), version.path);
        }
        text.push('\n');
        for (title, rows) in self.sections(false) {
            let _ = write!(text, "\n#### {title}\n\n");
            text += "| cell | base | new | ratio | 95 % | launches |\n|---|--:|--:|--:|--:|--:|\n";
            for row in rows {
                let cells: Vec<String> = self.columns(row).iter().map(|it| escaped(it)).collect();
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
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

/// What a reader of Markdown would take for markup, as it is written.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '|' | '*' | '_' | '`' | '<' | '[' | ']' | '\\' | '#') {
            out.push('\\');
        }
        out.push(if letter == '\n' { ' ' } else { letter });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escaped("a|b<c>*\nd"), "a\\|b\\<c>\\* d");
    }
}
