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

/// Narrower tables do without the column of messages per second.
const WIDTH_OF_ALL: usize = 90;
const PER_SECOND: usize = 4;

/// Longer lines are hard to read.
const WIDTH_MAX: usize = 100;

impl Recommendation {
    /// For a terminal of this width: at most `LINES_MAX` lines of 80 columns, unless the answer and
    /// its tables alone take more.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let width = width.min(WIDTH_MAX);
        let mut head = vec![format!("{}.", self.asked)];
        head.extend(self.warning_told());
        head.extend(self.answer_in_sentences().iter().map(ToString::to_string));
        let above = vec![lines(&head, width, ""), self.table(width)];
        let servers = self.servers_text(width);
        let above: Vec<String> = above.into_iter().chain(servers).collect();
        let text = |changes, to_know, between| {
            [&above[..], &self.below(changes, to_know, width)].concat().join(between)
        };
        // What does not find room on one screen is on the page. Changes go first, but for one.
        let changes = self.changes_told().min(CHANGES_MAX);
        let to_know = self.to_know.len().min(TO_KNOW_MAX);
        let fewer = (1..=changes).rev().map(|changes| (changes, to_know));
        let least = changes.min(1);
        let shorter = fewer.chain((0..=to_know).rev().map(|to_know| (least, to_know)));
        let mut texts = shorter.map(|(changes, to_know)| text(changes, to_know, "\n\n"));
        let fits = |text: &String| text.lines().count() <= LINES_MAX;
        texts.find(fits).unwrap_or_else(|| text(least, to_know.min(1), "\n"))
    }

    /// Changes that can be told: too few launches for an answer are too few for another one.
    fn changes_told(&self) -> usize {
        let is_answer = self.together.as_ref().is_none_or(|it| it.mac == self.subject().mac);
        if self.is_told() && is_answer { self.changes.len() } else { 0 }
    }

    /// What is told below the tables, with so many changes and so much of what is to be known.
    fn below(&self, changes: usize, to_know: usize, width: usize) -> Vec<String> {
        let left_out = self.changes_told() - changes + self.to_know.len() - to_know;
        let changes = self.changes.iter().take(changes).map(|it| self.change_line(it)).collect();
        let to_know = self.to_know.iter().take(to_know).cloned().collect();
        let title = format!("What would change the answer, against {}", self.subject().name());
        let lists: [(&str, Vec<String>); 2] = [(&title, changes), ("To know", to_know)];
        let lists = lists.iter().filter(|(_, all)| !all.is_empty());
        let mut blocks: Vec<String> =
            lists.map(|(title, all)| format!("{title}:\n{}", lines(all, width, "  "))).collect();
        let mut rests_on = vec![self.rests_on()];
        if left_out > 0 {
            rests_on.push(format!("{left_out} more of what is to be known: --format html."));
        }
        blocks.push(lines(&rests_on, width, ""));
        blocks
    }

    /// Who is named, from the fastest on.
    fn table(&self, width: usize) -> String {
        let mut head = HEAD.to_vec();
        let mut rows: Vec<Vec<String>> =
            self.entries().iter().map(|it| it.cells().to_vec()).collect();
        if width < WIDTH_OF_ALL {
            // One over the time: the answer has it in words.
            head.remove(PER_SECOND);
            rows.iter_mut().for_each(|row| drop(row.remove(PER_SECOND)));
        }
        let last = head.len() - 1;
        table_within(&head, rows, &[0, 1, last], &[3, 1], width).trim_end().to_owned()
    }
}
