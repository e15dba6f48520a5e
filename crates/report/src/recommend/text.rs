//! The answer for a terminal: one screen.

use super::Recommendation;
use super::entries::HEAD;
use super::words::lines;
use crate::terminal::table_within;

/// Lines of the answer.
pub const LINES_MAX: usize = 40;

/// Entries of each list below the table.
const CHANGES_MAX: usize = 6;
const TO_KNOW_MAX: usize = 4;

/// Longer lines are hard to read.
const WIDTH_MAX: usize = 100;

impl Recommendation {
    /// For a terminal of this width: at most `LINES_MAX` lines of 80 columns, and those of servers.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let width = width.min(WIDTH_MAX);
        let mut head = vec![format!("{}.", self.asked)];
        head.extend(self.answer_in_sentences());
        let above = vec![lines(&head, width, ""), self.table(width)];
        let servers = self.servers_text(width);
        let most = LINES_MAX + servers.as_ref().map_or(0, |it| it.lines().count() + 2);
        let above: Vec<String> = above.into_iter().chain(servers).collect();
        // What does not find room on one screen is in the JSON document.
        let shortest = self.changes.len().clamp(1, 2);
        let changes = self.changes.len().min(CHANGES_MAX).max(shortest);
        let text =
            |changes, between| [&above[..], &self.below(changes, width)].concat().join(between);
        let mut shorter = (shortest..=changes).rev().map(|changes| text(changes, "\n\n"));
        let fits = |text: &String| text.lines().count() <= most;
        shorter.find(fits).unwrap_or_else(|| text(shortest, "\n"))
    }

    /// What is told below the tables, with so many changes.
    fn below(&self, changes: usize, width: usize) -> Vec<String> {
        // Too few launches for an answer are too few for another one.
        let changes = if self.is_told() { changes } else { 0 };
        let changes = self.changes.iter().take(changes).map(|it| self.change_line(it)).collect();
        let to_know = self.to_know.iter().take(TO_KNOW_MAX).cloned().collect();
        let title = format!("What would change the answer, against {}", self.subject().name());
        let lists: [(&str, Vec<String>); 2] = [(&title, changes), ("To know", to_know)];
        let lists = lists.iter().filter(|(_, all)| !all.is_empty());
        let mut blocks: Vec<String> =
            lists.map(|(title, all)| format!("{title}:\n{}", lines(all, width, "  "))).collect();
        blocks.push(lines(&[self.rests_on()], width, ""));
        blocks
    }

    /// Who is named, from the fastest on.
    fn table(&self, width: usize) -> String {
        let rows = self.entries().iter().map(|it| it.cells().to_vec()).collect();
        table_within(&HEAD, rows, &[0, 1, 5], &[3, 1], width).trim_end().to_owned()
    }
}
