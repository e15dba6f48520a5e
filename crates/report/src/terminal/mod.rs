//! Findings as text for a terminal: answers, ranking or the paper's tables, who overtakes whom,
//! claims, doubts. Pure text in, pure text out; the page has what is too long for here.

mod apart;
mod better;
mod cycles;
pub(crate) mod layout;
mod ranking;
mod sessions;
mod tests;
mod transactions;

use lab::record::Run;
use lab::study::View;
use stats::Analysis;

use crate::findings::{
    ClaimVerdict, CrossoverFinding, Findings, Group, SizeFinding, key_life_words, medium_words,
    topology_words,
};
use crate::format;
use layout::{Style, wrapped};

/// Everything, `width` columns wide, with ANSI colours where asked.
#[must_use]
pub fn render(run: &Run, findings: &Findings, width: usize, colour: bool) -> String {
    let sheet = Sheet { run, findings, width: width.max(40), style: Style { colour } };
    let mut text = sheet.head();
    let transactions = findings.transactions();
    for group in &findings.groups {
        match transactions.iter().find(|it| it.has(group)) {
            Some(it) if it.head().name == group.name => {
                text.push_str(&format!("\n{}\n", sheet.heading_of(group)));
                text.push_str(&sheet.transaction(it));
            }
            Some(_) => {}
            None if group.is_told_together() => text.push_str(&sheet.together(group)),
            None => text.push_str(&sheet.group(group)),
        }
    }
    text.push_str(&sheet.detection());
    text.push_str(&sheet.bills());
    text.push_str(&sheet.claims());
    text.push_str(&sheet.doubts());
    text
}

/// The paper's tables of anybody's numbers, `width` columns wide.
#[must_use]
pub fn analysis(analysis: &Analysis, width: usize) -> String {
    tests::tables(analysis, width.max(40), Style { colour: false })
}

/// What is written on, and how.
struct Sheet<'a> {
    run: &'a Run,
    findings: &'a Findings,
    width: usize,
    style: Style,
}

impl Sheet<'_> {
    fn head(&self) -> String {
        let run = self.run;
        let mut text = format!("{}\n", self.style.bold(&run.study.title));
        let machine = &run.machine;
        let under = machine.virtualization.as_ref().map(|it| format!(" under {it}"));
        let about = format!(
            "run {} · {} · {}{}",
            run.id,
            format::date(run.created_unix_s),
            machine.cpu_model,
            under.unwrap_or_default()
        );
        text.push_str(&self.style.quiet(&wrapped(&about, self.width, "")));
        text.push('\n');
        let has_sessions =
            !self.findings.sessions.is_empty() || !self.findings.capacities.is_empty();
        if let Some(words) = topology_words(&machine.processors).filter(|_| has_sessions) {
            text.push_str(&self.style.quiet(&wrapped(&words, self.width, "")));
            text.push('\n');
        }
        let headlines = &self.findings.headlines;
        for headline in headlines.iter().take(6) {
            let line = wrapped(&headline.sentence, self.width - 2, "  ");
            text.push_str(&format!("{} {}\n", self.style.bold("›"), line.trim_start()));
        }
        if headlines.is_empty() {
            text.push_str("Nothing was measured.\n");
        }
        let key = "In tables: = is not shown slower than the first of its tier; 95 % intervals \
                   hold one by one, not all at once; cycles are estimated.";
        text.push_str(&format!("\n{}\n", self.style.quiet(&wrapped(key, self.width, ""))));
        text
    }

    fn heading_of(&self, group: &Group) -> String {
        self.style.heading(&self.label(group), self.width)
    }

    fn group(&self, group: &Group) -> String {
        let mut text = format!("\n{}\n", self.heading_of(group));
        let tested = group.tests.is_some() || group.sizes.iter().any(|size| size.tests.is_some());
        if group.views.contains(&View::GroupedBars) {
            text.push_str(&self.cycles(group));
        } else if !group.lines_only {
            let few = if tested { usize::MAX } else { ranking::SHOWN };
            for size in &group.sizes {
                text.push_str(&self.ranking(size, few));
            }
            text.push_str(&self.offers(group));
        } else {
            text.push_str(&self.lines(group));
        }
        if group.views.contains(&View::BetterThan) {
            text.push_str(&self.better(group));
        }
        text.push_str(&self.taken_apart(group));
        text.push_str(&self.theory(group));
        let of_size = |size: &SizeFinding| {
            Some((format::bytes(size.len_bytes), size.tests.as_ref()?.analysis.clone()))
        };
        let of_all = group.tests.as_ref();
        let of_all =
            of_all.map(|it| (format!("{} message lengths", it.n_rows), it.analysis.clone()));
        for (rows, analysis) in group.sizes.iter().filter_map(of_size).chain(of_all) {
            text.push_str(&self.tests(&rows, &analysis, group.sizes.len()));
        }
        text.push_str(&self.crossovers(group));
        text
    }

    /// The whole tables for a paper's study or a single size; else they are on the page, and the
    /// ordering is told.
    fn tests(&self, rows: &str, analysis: &Analysis, sizes: usize) -> String {
        let whole = self.run.study.source.is_some() || sizes == 1;
        let title = format!("The paper's tests, on calls per second ({rows})");
        let tell = if whole { tests::tables } else { tests::sentences };
        let gap = if whole { "\n" } else { "" };
        let told = tell(analysis, self.width, self.style);
        format!("\n{}\n{gap}{told}", self.style.bold(&title))
    }

    fn label(&self, group: &Group) -> String {
        let groups = &self.findings.groups;
        let mut words = Vec::new();
        if groups.iter().any(|other| other.part != group.part) {
            words.push(group.part_title.clone());
        }
        if groups.iter().any(|other| other.case != group.case) {
            words.push(group.case_title.clone());
        }
        let several = groups.iter().any(|other| other.key_life != group.key_life);
        words.push(match group.transaction() {
            None if group.is_told_together() && several => key_life_words(group.key_life).into(),
            None if group.is_told_together() => group.together().unwrap_or_default().into(),
            Some((medium, _)) if groups.iter().all(|it| it.key_life == group.key_life) => {
                medium_words(medium).to_owned()
            }
            Some((medium, _)) => {
                format!("{}, {}", key_life_words(group.key_life), medium_words(medium))
            }
            None => group.context(),
        });
        if groups.iter().any(|other| other.panel != group.panel) {
            words.push(group.panel_title.clone());
        }
        words.join(" · ")
    }

    fn crossovers(&self, group: &Group) -> String {
        let lead: Vec<&CrossoverFinding> = group.crossovers.iter().filter(|it| it.lead).collect();
        if lead.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.bold("The lead changes"));
        for crossover in lead {
            text.push_str(&wrapped(&format!("{}.", crossover.sentence), self.width, "  "));
            text.push('\n');
        }
        text
    }

    fn claims(&self) -> String {
        if self.findings.claims.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.heading("Claims", self.width));
        for claim in &self.findings.claims {
            let quoted = format!("“{}” ({})", claim.text, claim.source);
            text.push_str(&format!("{}\n", wrapped(&quoted, self.width, "")));
            for panel in &claim.panels {
                let several = claim.panels.len() > 1;
                let whose =
                    if several { format!("{}: ", panel.panel_title) } else { String::new() };
                let said = wrapped(&format!("{whose}{}.", panel.reason), self.width, "  ");
                text.push_str(&self.style.verdict(&said, panel.verdict));
                text.push('\n');
            }
            text.push('\n');
        }
        text.pop();
        text
    }

    fn doubts(&self) -> String {
        let mut lines: Vec<String> = self.findings.warnings.clone();
        let excluded = self.run.events.iter().filter(|event| event.kind == "excluded");
        lines.extend(excluded.map(|event| format!("Excluded: {}", event.text)));
        for (number, note) in self.findings.notes.iter().enumerate() {
            lines.push(format!("[{}] {note}", number + 1));
        }
        if lines.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.heading("Doubts and footnotes", self.width));
        for line in lines {
            text.push_str(&wrapped(&format!("{}.", line.trim_end_matches('.')), self.width, "  "));
            text.push('\n');
        }
        text
    }
}

impl Style {
    pub(crate) fn verdict(self, text: &str, verdict: ClaimVerdict) -> String {
        match verdict {
            ClaimVerdict::Confirmed => self.paint(text, "32"),
            ClaimVerdict::Refuted => self.paint(text, "31"),
            ClaimVerdict::Undecided => self.paint(text, "33"),
        }
    }
}
