//! Published sentences and what becomes of them, for a terminal: in full, or in as few lines as
//! there are.

use super::Sheet;
use super::layout::{cut, wrapped};
use crate::findings::{ClaimFinding, ClaimVerdict, PanelVerdict};

/// How many lines the sentence of a claim may take, and how its verdicts are told.
#[derive(Debug, Clone, Copy)]
struct Form {
    quote: usize,
    told: Told,
}

/// How the verdicts on a claim are told: always in whole sentences.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    /// With the reason, a paragraph a panel.
    Reasons,
    /// In few words, a line or two a panel.
    Briefly,
    /// The panels behind each verdict, a line or two a claim.
    Counted,
}

/// From the fullest to the shortest.
const FORMS: [Form; 5] = [
    Form { quote: usize::MAX, told: Told::Reasons },
    Form { quote: 2, told: Told::Reasons },
    Form { quote: 2, told: Told::Briefly },
    Form { quote: 3, told: Told::Counted },
    Form { quote: 2, told: Told::Counted },
];

/// Words of a sentence that are told of it at least.
const WORDS_MIN: usize = 4;

/// Lines of a sentence that stands beside its verdicts, as many as there is room for.
const QUOTE_BESIDE: [usize; 3] = [3, 2, 1];

/// Columns that a verdict takes beside a sentence, with the space after it.
const VERDICT: usize = 11;

impl Sheet<'_> {
    /// Every claim with its verdicts and their reasons.
    pub(super) fn claims(&self) -> String {
        self.claims_as(FORMS[0])
    }

    /// The same in at most `lines_max` lines, as full as that allows; where even a line a verdict
    /// is too much, the verdicts alone beside a shortened sentence, in at most `alone_max`.
    pub(super) fn claims_within(&self, lines_max: usize, alone_max: usize) -> String {
        let fits = |text: &String, most: usize| text.lines().count() <= most;
        let mut forms = FORMS.iter().map(|&form| self.claims_as(form));
        let mut alone = QUOTE_BESIDE.iter().map(|&lines| self.claims_alone(lines));
        let told = forms.find(|text| fits(text, lines_max));
        told.or_else(|| alone.find(|text| fits(text, alone_max)))
            .unwrap_or_else(|| self.claims_alone(1))
    }

    fn claims_as(&self, form: Form) -> String {
        let claims = &self.findings.claims;
        if claims.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.heading("Claims", self.width));
        for (number, claim) in claims.iter().enumerate() {
            let under = claim.under.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
            let behind = format!("({}{under})", claim.source);
            let quote = quoted(&claim.quoted, &behind, self.width, form.quote);
            text.push_str(&format!("{quote}\n"));
            for (verdict, said) in self.verdicts(claim, form.told) {
                let said = wrapped(&said, self.width, "  ");
                text.push_str(&self.style.verdict(&said, verdict));
                text.push('\n');
            }
            if form.told == Told::Reasons && number + 1 < claims.len() {
                text.push('\n');
            }
        }
        text
    }

    /// What is said of a claim, each with the verdict that it is about.
    fn verdicts(&self, claim: &ClaimFinding, form: Told) -> Vec<(ClaimVerdict, String)> {
        let told = claim.told();
        if form == Told::Counted {
            return counted(told);
        }
        let line = |panel: &PanelVerdict| {
            let whose = match form {
                _ if told.len() == 1 => String::new(),
                Told::Reasons => format!("{}: ", panel.panel_title),
                _ => format!("{}: ", panel.panel),
            };
            let said = match form {
                Told::Reasons => {
                    let by_source = panel.by_source.iter().map(|it| format!(" {it}."));
                    let said = panel.verdict.because(&panel.reason);
                    format!("{said}.{}", by_source.collect::<String>())
                }
                _ => panel.brief.clone(),
            };
            (panel.verdict, format!("{whose}{said}"))
        };
        told.iter().map(line).collect()
    }

    /// The verdict of each panel on a claim, then its sentence in so many lines.
    fn claims_alone(&self, quote: usize) -> String {
        let claims = &self.findings.claims;
        let mut text = format!("\n{}\n", self.style.heading("Claims", self.width));
        let mut panels: Vec<&str> = Vec::new();
        for panel in claims.iter().flat_map(|claim| &claim.panels) {
            if !panels.contains(&panel.panel.as_str()) {
                panels.push(&panel.panel);
            }
        }
        let names: Vec<String> = panels.iter().map(|name| broken(name)).collect();
        let head = |line: usize| -> String {
            let part = |name: &String| name.lines().nth(line).unwrap_or_default().to_owned();
            names.iter().map(|name| format!("{:<VERDICT$}", part(name))).collect()
        };
        for line in 0..names.iter().map(|it| it.lines().count()).max().unwrap_or(0) {
            text.push_str(&format!("{}\n", self.style.quiet(head(line).trim_end())));
        }
        for claim in claims {
            let indent = VERDICT * panels.len();
            let rest = self.width.saturating_sub(indent);
            let mut place = claim.source.split(['(', ';']).next().unwrap_or_default().trim().into();
            // What is judged instead of the whole of it.
            if let Some(at) = claim.source.find("here ") {
                place = format!("{place}; {}", claim.source[at..].trim_end_matches(')'));
            }
            let quote = quoted(&claim.quoted, &format!("({place})"), rest, quote);
            let quote = quote.replace('\n', &format!("\n{}", " ".repeat(indent)));
            let verdicts: String = panels.iter().map(|name| self.verdict_of(claim, name)).collect();
            text.push_str(&format!("{verdicts}{quote}\n"));
        }
        text
    }

    /// A column: the verdict of a panel, or nothing.
    fn verdict_of(&self, claim: &ClaimFinding, panel: &str) -> String {
        match claim.panels.iter().find(|it| it.panel == panel) {
            None => " ".repeat(VERDICT),
            Some(it) => {
                let word = match it.verdict {
                    ClaimVerdict::Elsewhere => crate::format::ABSENT,
                    decided => decided.name(),
                };
                let fill = " ".repeat(VERDICT.saturating_sub(word.chars().count()));
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

/// A sentence and where it stands, shortened where that would take more lines: first the sentence,
/// for two claims may quote the same one.
fn quoted(sentence: &str, behind: &str, width: usize, lines_max: usize) -> String {
    let fits = |text: &String| text.lines().count() <= lines_max;
    let laid = |text: &str| wrapped(text, width, "");
    let words: Vec<&str> = sentence.split(' ').collect();
    let end = if sentence.ends_with('”') { "…”" } else { "…" };
    let shortened = |count: usize| match count == words.len() {
        true => laid(&format!("{sentence} {behind}")),
        false => laid(&format!("{} {end} {behind}", words[..count].join(" "))),
    };
    let mut forms = (WORDS_MIN.min(words.len())..=words.len()).rev().map(shortened);
    forms.find(fits).unwrap_or_else(|| cut(&laid(sentence), width, lines_max))
}

/// `refuted: fastest (4 of 4 against, 0 hold), python (2 of 4 against, 1 hold, 1 undecided)`, a
/// line for each verdict.
fn counted(told: &[PanelVerdict]) -> Vec<(ClaimVerdict, String)> {
    if let [only] = told {
        return vec![(only.verdict, only.brief.clone())];
    }
    let mut lines: Vec<(ClaimVerdict, Vec<String>)> = Vec::new();
    for it in told {
        let total = it.comparisons;
        let panel = match it.verdict {
            ClaimVerdict::Confirmed => format!("{} (all {total})", it.panel),
            ClaimVerdict::Refuted => {
                let (against, hold) = (it.contradicted, it.hold);
                let open = match it.open {
                    0 => String::new(),
                    open => format!(", {open} undecided"),
                };
                format!("{} ({against} of {total} against, {hold} hold{open})", it.panel)
            }
            ClaimVerdict::Undecided if total == 0 => format!("{} (not measured)", it.panel),
            ClaimVerdict::Undecided => format!("{} ({} of {total} hold)", it.panel, it.hold),
            ClaimVerdict::Elsewhere => it.panel.clone(),
        };
        match lines.iter_mut().find(|(verdict, _)| *verdict == it.verdict) {
            Some((_, panels)) => panels.push(panel),
            None => lines.push((it.verdict, vec![panel])),
        }
    }
    let line = |(verdict, panels): (ClaimVerdict, Vec<String>)| {
        (verdict, format!("{}: {}", verdict.name(), panels.join(", ")))
    };
    lines.into_iter().map(line).collect()
}

/// A name that is wider than a verdict, broken behind a hyphen, or where it must.
fn broken(name: &str) -> String {
    let room = VERDICT - 1;
    match name.char_indices().nth(room) {
        None => name.to_owned(),
        Some((end, _)) => {
            let at = name[..end].rfind('-').map_or(end, |at| at + 1);
            format!("{}\n{}", &name[..at], broken(&name[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_broken_and_not_cut() {
        assert_eq!(broken("hardware"), "hardware");
        assert_eq!(broken("cryptopp-soft"), "cryptopp-\nsoft");
        assert_eq!(broken("of-several-words-each"), "of-\nseveral-\nwords-each");
        assert_eq!(broken("uninterrupted"), "uninterrup\nted");
    }
}
