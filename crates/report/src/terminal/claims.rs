//! Published sentences and what becomes of them, for a terminal: in full, or in as few lines as
//! there are.

use super::Sheet;
use super::layout::{cut, wrapped};
use crate::findings::{ClaimFinding, ClaimVerdict};

/// How many lines the sentence of a claim may take, and each of its verdicts.
#[derive(Debug, Clone, Copy)]
struct Form {
    quote: usize,
    reason: usize,
}

/// From the fullest to the shortest.
const FORMS: [Form; 6] = [
    Form { quote: usize::MAX, reason: usize::MAX },
    Form { quote: 2, reason: usize::MAX },
    Form { quote: 2, reason: 2 },
    Form { quote: 1, reason: 2 },
    Form { quote: 2, reason: 1 },
    Form { quote: 1, reason: 1 },
];

/// Words of a sentence that are told of it at least.
const WORDS_MIN: usize = 4;

impl Sheet<'_> {
    /// Every claim with its verdicts and their reasons.
    pub(super) fn claims(&self) -> String {
        self.claims_as(FORMS[0])
    }

    /// The same in at most `lines_max` lines, as full as that allows; where even a line a verdict
    /// is too much, the verdicts alone, a line a claim.
    pub(super) fn claims_within(&self, lines_max: usize) -> String {
        let mut forms = FORMS.iter().map(|&form| self.claims_as(form));
        let fits = |text: &String| text.lines().count() <= lines_max;
        forms.find(fits).unwrap_or_else(|| self.claims_alone())
    }

    fn claims_as(&self, form: Form) -> String {
        let claims = &self.findings.claims;
        if claims.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.heading("Claims", self.width));
        for (number, claim) in claims.iter().enumerate() {
            let behind = format!("({})", claim.source);
            text.push_str(&self.quoted(&claim.quoted, &behind, form.quote));
            let told = claim.told();
            for panel in told {
                let whose = match form.reason {
                    _ if told.len() == 1 => String::new(),
                    usize::MAX => format!("{}: ", panel.panel_title),
                    _ => format!("{}: ", panel.panel),
                };
                let by_source = panel.by_source.iter().map(|it| format!(" {it}."));
                let by_source: String = by_source.collect();
                let said = format!("{whose}{}.{by_source}", panel.reason);
                let said = wrapped(&said, self.width, "  ");
                let said = cut(&said, self.width, form.reason);
                text.push_str(&self.style.verdict(&said, panel.verdict));
                text.push('\n');
            }
            if form.reason > 1 && number + 1 < claims.len() {
                text.push('\n');
            }
        }
        text
    }

    /// A sentence and where it stands, shortened where that would take more lines: first the
    /// sentence, for two claims may quote the same one.
    fn quoted(&self, sentence: &str, behind: &str, lines_max: usize) -> String {
        let fits = |text: &String| text.lines().count() <= lines_max;
        let laid = |text: &str| wrapped(text, self.width, "");
        let words: Vec<&str> = sentence.split(' ').collect();
        let shortened = |count: usize| match count == words.len() {
            true => laid(&format!("{sentence} {behind}")),
            false => laid(&format!("{} … {behind}", words[..count].join(" "))),
        };
        let mut forms = (WORDS_MIN.min(words.len())..=words.len()).rev().map(shortened);
        let told = forms.find(fits).unwrap_or_else(|| cut(&laid(sentence), self.width, lines_max));
        format!("{told}\n")
    }

    /// A line a claim: the verdict of each panel, then the sentence.
    fn claims_alone(&self) -> String {
        let claims = &self.findings.claims;
        let mut text = format!("\n{}\n", self.style.heading("Claims", self.width));
        let mut panels: Vec<&str> = Vec::new();
        for panel in claims.iter().flat_map(|claim| &claim.panels) {
            if !panels.contains(&panel.panel.as_str()) {
                panels.push(&panel.panel);
            }
        }
        let head: String = panels.iter().map(|name| format!("{:<11}", first(name, 10))).collect();
        text.push_str(&format!("{}\n", self.style.quiet(head.trim_end())));
        for claim in claims {
            let rest = self.width.saturating_sub(11 * panels.len());
            let quote = wrapped(&claim.quoted, rest, "");
            let verdicts: String = panels.iter().map(|name| self.verdict_of(claim, name)).collect();
            text.push_str(&format!("{verdicts}{}\n", cut(&quote, rest, 1)));
        }
        text
    }

    /// A column: the verdict of a panel, or nothing.
    fn verdict_of(&self, claim: &ClaimFinding, panel: &str) -> String {
        match claim.panels.iter().find(|it| it.panel == panel) {
            None => " ".repeat(11),
            Some(it) => {
                let word = match it.verdict {
                    ClaimVerdict::Elsewhere => crate::format::ABSENT,
                    decided => decided.name(),
                };
                let fill = " ".repeat(11_usize.saturating_sub(word.chars().count()));
                format!("{}{fill}", self.style.verdict(word, it.verdict))
            }
        }
    }

    /// Where the study departs from its source.
    pub(super) fn deviations(&self) -> String {
        let told = self.run.study.deviations.iter().map(|it| it.text.as_str());
        self.sentences("Where the study departs from its source", told)
    }

    /// What of it changes how a verdict is to be read.
    pub(super) fn reservations(&self) -> String {
        let told = self.run.study.deviations.iter().filter_map(|it| it.verdicts.as_deref());
        self.sentences("To be read with the verdicts", told)
    }

    fn sentences<'b>(&self, title: &str, told: impl Iterator<Item = &'b str>) -> String {
        let lines: String = told.map(|it| wrapped(it, self.width, "  ") + "\n").collect();
        match lines.is_empty() {
            true => lines,
            false => format!("\n{}\n{lines}", self.style.bold(title)),
        }
    }
}

/// The first letters of a name.
fn first(name: &str, count: usize) -> String {
    name.chars().take(count).collect()
}
