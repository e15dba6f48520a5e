//! What a reader wants first, on a page of a terminal: what was asked, the answers, the verdicts on
//! claims, the figures behind them, what to doubt, and where the rest is.

use super::Sheet;
use super::layout::{cut, wrapped};

/// Lines of a brief report, with the two that the command adds.
pub const LINES_MAX: usize = 120;

/// What the command adds: an empty line, where the page is, and the run.
const ADDED: usize = 3;

/// Answers beside what the claims came to.
const ANSWERS: usize = 2;

/// Lines that figures have before verdicts are told in full.
const FIGURES: usize = 40;

/// Lines that figures have before the sentences that are judged are told in more than one: a table.
const FIGURES_MIN: usize = 18;

/// Lines of doubts, and of each.
const DOUBTS: usize = 6;
const DOUBT: usize = 2;

/// Lines of doubts where all is on one screen.
const DOUBTS_MIN: usize = 2;

impl Sheet<'_> {
    /// All of a study that makes a paper again, or has claims.
    pub(super) fn brief(&self) -> String {
        self.brief_in(self.head(ANSWERS), (LINES_MAX, DOUBTS))
    }

    /// All of any other, on a screen of so many lines.
    pub(super) fn one_screen(&self, lines_max: usize) -> String {
        self.brief_in(self.head(ANSWERS) + &self.first_excluded(), (lines_max, DOUBTS_MIN))
    }

    fn brief_in(&self, head: String, (lines_max, doubts_max): (usize, usize)) -> String {
        let reservations = self.reservations();
        let (doubts, rest) = (self.foremost_doubts(doubts_max), self.where_the_rest_is());
        let choices = self.choices();
        let fixed = [&head, &reservations, &choices, &doubts, &rest].map(|text| lines(text));
        let room = (lines_max - ADDED).saturating_sub(fixed.iter().sum());
        let wanted = lines(&self.figures_within(usize::MAX)).min(FIGURES);
        let beside = |figures: usize| room.saturating_sub(figures);
        let claims = self.claims_within(beside(wanted), beside(wanted.min(FIGURES_MIN)));
        let figures = self.figures_within(room.saturating_sub(lines(&claims)));
        [head, claims, reservations, figures, choices, doubts, rest].concat()
    }

    /// The first warnings; what was excluded, counted.
    fn foremost_doubts(&self, lines_max: usize) -> String {
        let warnings = &self.findings.warnings;
        let told = |line: &str| {
            let said = wrapped(&format!("{}.", line.trim_end_matches('.')), self.width, "  ");
            cut(&said, self.width, DOUBT) + "\n"
        };
        let mut text = String::new();
        let mut named = 0;
        for warning in warnings {
            let line = told(warning);
            if lines(&text) + lines(&line) > lines_max {
                break;
            }
            text.push_str(&line);
            named += 1;
        }
        let excluded = self.run.exclusions().count();
        let more = [(warnings.len() - named, "warnings"), (excluded, "notes on what was excluded")];
        let more = more.iter().filter(|(count, _)| *count > 0);
        let more: Vec<String> = more.map(|(count, what)| format!("{what}: {count}")).collect();
        if !more.is_empty() {
            text.push_str(&told(&format!("More with --tables: {}", more.join(", "))));
        }
        match text.is_empty() {
            true => text,
            false => format!("\n{}\n{text}", self.style.heading("Warnings", self.width)),
        }
    }

    fn where_the_rest_is(&self) -> String {
        let tables = match self.findings.groups.iter().any(|group| {
            group.tests.is_some() || group.sizes.iter().any(|size| size.tests.is_some())
        }) {
            true => "every ranking, the paper's tables, all reasons and warnings",
            false => "every ranking, all reasons and warnings",
        };
        let recommend = self.recommendation().map(|it| format!(" {it}")).unwrap_or_default();
        let line = format!(
            "`macrometer report {} --tables` prints {tables}; the page has the charts as well.\
             {recommend}",
            self.run.id
        );
        format!("\n{}\n", self.style.quiet(&wrapped(&line, self.width, "")))
    }
}

pub(super) fn lines(text: &str) -> usize {
    text.lines().count()
}
