//! Findings as text for a terminal: the answers, claims and their verdicts, the figures behind
//! them, the paper's tables, doubts. Pure text in, pure text out; the page has what is too long for
//! here. [`render`] tells everything, [`brief`] what a reader wants first.

mod better;
mod brief;
mod capacity;
mod choices;
mod claims;
mod columns;
mod cycles;
mod figure_table;
mod figures;
mod first_screen;
pub(crate) mod layout;
mod named;
mod ranking;
mod sessions;
mod taken_apart;
mod tests;
mod transactions;

use std::collections::BTreeMap;

use lab::plan::NULL;
use lab::record::Run;
use lab::study::View;
use stats::Analysis;

use crate::findings::{
    CellFinding, ClaimVerdict, CrossoverFinding, Findings, Group, SizeFinding, Topology,
};
use crate::format;
use crate::paper::Values;
pub use columns::{table, table_within};
use layout::Style;
pub(crate) use layout::legible;
pub use layout::wrapped;

/// Everything, `width` columns wide, with ANSI colours where asked.
#[must_use]
pub fn render(run: &Run, findings: &Findings, width: usize, colour: bool) -> String {
    legible(&Sheet::new(run, findings, width, colour, true).all(), colour)
}

/// Of a study that makes a paper again, or has claims, the answers, the verdicts and one table of
/// figures a part, in at most `brief::LINES_MAX` lines unless the verdicts alone take more; of one
/// that names macs in wide use, these beside the fastest, in about `first_screen::LINES_MAX` lines;
/// of any other the answers and figures, in as many; of what is short enough, what [`render`]
/// tells, with the fastest of each ranking only.
#[must_use]
pub fn brief(run: &Run, findings: &Findings, width: usize, colour: bool) -> String {
    let sheet = Sheet::new(run, findings, width, colour, false);
    let of_paper = run.study.source.is_some() || !findings.claims.is_empty();
    let text = if of_paper {
        sheet.brief()
    } else {
        let all = sheet.all();
        let most = first_screen::LINES_MAX;
        let is_long = all.lines().count() > most;
        let screen = || sheet.first_screen().unwrap_or_else(|| sheet.one_screen(most));
        if is_long { screen() } else { all }
    };
    legible(&text, colour)
}

/// The paper's tables of anybody's numbers, `width` columns wide.
#[must_use]
pub fn analysis(analysis: &Analysis, values: Values, width: usize) -> String {
    tests::tables(analysis, values, width.max(40), Style { colour: false })
}

/// Answers at the top: what the claims came to, then who is fastest.
const HEADLINES_MAX: usize = 6;

/// Answers beside the verdicts, however many panels have these.
const ANSWERS_MIN: usize = 2;

/// What was excluded, before the figures: so many of them.
const EXCLUDED: usize = 2;

/// What is written on, and how.
struct Sheet<'a> {
    run: &'a Run,
    findings: &'a Findings,
    width: usize,
    style: Style,
    /// Whether rankings are told to their end.
    whole: bool,
}

impl<'a> Sheet<'a> {
    fn new(run: &'a Run, findings: &'a Findings, width: usize, colour: bool, whole: bool) -> Self {
        Sheet { run, findings, width: width.max(40), style: Style { colour }, whole }
    }
}

impl Sheet<'_> {
    /// Claims first, then the figures that carry them, then the paper's tables.
    fn all(&self) -> String {
        let mut text = self.head(usize::MAX);
        text.push_str(&self.named());
        text.push_str(&self.claims());
        text.push_str(&self.deviations());
        let key = "In tables: = is not shown to be slower than the first of its group; 95 % \
                   intervals hold individually, not jointly.";
        let cycles = self.findings.estimated_cycles().map_or(String::new(), |it| format!(" {it}."));
        let key = wrapped(&format!("{key}{cycles}"), self.width, "");
        text.push_str(&format!("\n{}\n", self.style.quiet(&key)));
        text.push_str(&self.empty_calls());
        for group in &self.findings.groups {
            text.push_str(&match group.is_alone() {
                true => self.group(group),
                // Under the first group of each set.
                false => self.transactions(group) + &self.together(group),
            });
        }
        text.push_str(&self.detection());
        text.push_str(&self.bills());
        text.push_str(&self.tested());
        text.push_str(&self.choices());
        text.push_str(&self.doubts(&text));
        text
    }

    /// What a call takes in each runtime that takes part, whatever it computes.
    fn empty_calls(&self) -> String {
        let floors = self.findings.cells.iter().filter(|it| it.cell.candidate.mac == NULL);
        let mut shortest: BTreeMap<&str, &CellFinding> = BTreeMap::new();
        for cell in floors.filter(|it| it.median_ns.is_some()) {
            let kept = shortest.entry(&cell.cell.candidate.provider).or_insert(cell);
            if cell.cell.len_bytes < kept.cell.len_bytes {
                *kept = cell;
            }
        }
        let told = shortest.iter().filter_map(|(provider, cell)| {
            let time = cell.time()?;
            Some(format!("{provider} {} ({})", time.value(), time.ends()))
        });
        let told: Vec<String> = told.collect();
        // The harness alone is on the page.
        if told.len() < 2 {
            return String::new();
        }
        let line = format!(
            "A call that computes nothing takes, in the harness (null) and in each runtime: {}.",
            told.join(", ")
        );
        format!("\n{}\n", wrapped(&line, self.width, ""))
    }

    /// What was asked, where it was measured, and the answers: what the claims came to, and at most
    /// `more` others.
    fn head(&self, more: usize) -> String {
        self.about() + &self.answers(more)
    }

    /// What was asked, where it was measured, and what the machine did beside it.
    fn about(&self) -> String {
        let run = self.run;
        let title = wrapped(&run.study.title, self.width, "");
        let mut text = format!("{}\n", self.style.bold(&title));
        let machine = &run.machine;
        let under = machine.virtualization.as_ref().map(|it| format!(" under {it}"));
        let without = machine.without.sentence().map(|it| format!(" · {it}"));
        let about = format!(
            "run {} · {} · {}{}{}",
            run.id,
            format::date(run.created_unix_s),
            machine.cpu_model,
            under.unwrap_or_default(),
            without.unwrap_or_default()
        );
        text.push_str(&self.style.quiet(&wrapped(&about, self.width, "")));
        text.push('\n');
        if let Some(options) = run.narrowed_by() {
            let options = format!("narrowed by {options}");
            text.push_str(&self.style.quiet(&wrapped(&options, self.width, "")));
            text.push('\n');
        }
        let is_on_all = |it: &Group| it.regime.is_of_windows() && !it.is_alone();
        let is_on_all = self.findings.groups.iter().any(is_on_all);
        if let Some(topology) = Topology::of(&machine.processors).filter(|_| is_on_all) {
            text.push_str(&self.style.quiet(&wrapped(&topology.words(), self.width, "")));
            text.push('\n');
        }
        for sentence in self.findings.machine.iter().chain(&self.findings.shortfalls) {
            text.push_str(&self.marked(sentence));
        }
        if run.study.source.is_some() {
            text.push_str(&wrapped(&run.study.summary, self.width, ""));
            text.push('\n');
        }
        text
    }

    /// A sentence that must be read before the figures.
    fn marked(&self, sentence: &str) -> String {
        let sentence = sentence.trim_end_matches('.');
        let line = wrapped(&format!("{sentence}."), self.width - 2, "  ");
        format!("{} {}\n", self.style.bold("!"), line.trim_start())
    }

    /// What was excluded first.
    fn first_excluded(&self) -> String {
        let first = self.run.exclusions().take(EXCLUDED);
        first.map(|event| self.marked(&format!("Excluded: {}", event.text))).collect()
    }

    fn answers(&self, more: usize) -> String {
        let headlines = &self.findings.headlines;
        let mut text = String::new();
        let verdicts = headlines.iter().filter(|it| it.len_bytes.is_none()).count();
        let more = more.min(HEADLINES_MAX.saturating_sub(verdicts).max(ANSWERS_MIN));
        let told = (verdicts + more).min(headlines.len());
        for headline in &headlines[..told] {
            let line = wrapped(&headline.sentence, self.width - 2, "  ");
            text.push_str(&format!("{} {}\n", self.style.bold("›"), line.trim_start()));
        }
        if told < headlines.len() {
            let more = words::counted(headlines.len() - told, "more answer");
            let line = format!("{more} of this kind: see the page");
            text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&line, self.width, "  "))));
        }
        if headlines.is_empty() {
            text.push_str("Nothing was measured.\n");
        }
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
            let few = if self.whole || tested { usize::MAX } else { ranking::SHOWN };
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
        text.push_str(&self.crossovers(group));
        text
    }

    /// The paper's tests of every group that has them.
    fn tested(&self) -> String {
        let mut text = String::new();
        for group in &self.findings.groups {
            let of_size = |size: &SizeFinding| {
                Some((format::bytes(size.len_bytes), size.tests.as_ref()?.analysis.clone()))
            };
            let of_all = group.tests.as_ref();
            let of_all =
                of_all.map(|it| (format!("{} message lengths", it.n_rows), it.analysis.clone()));
            let all: Vec<(String, Analysis)> =
                group.sizes.iter().filter_map(of_size).chain(of_all).collect();
            if all.is_empty() {
                continue;
            }
            let title = format!("The paper's tests, on calls per second · {}", self.label(group));
            text.push_str(&format!("\n{}\n", self.style.heading(&title, self.width)));
            for (rows, analysis) in &all {
                text.push_str(&self.tests(rows, analysis, group.sizes.len()));
            }
        }
        text
    }

    /// The whole tables for a paper's study or a single size; else they are on the page, and the
    /// ordering is told.
    fn tests(&self, rows: &str, analysis: &Analysis, sizes: usize) -> String {
        let whole = self.whole || self.run.study.source.is_some() || sizes == 1;
        let tell = if whole { tests::tables } else { tests::sentences };
        let gap = if whole { "\n" } else { "" };
        let told = tell(analysis, Values::Speeds, self.width, self.style);
        format!("\n{}\n{gap}{told}", self.style.bold(rows))
    }

    fn label(&self, group: &Group) -> String {
        self.findings.label(group, true)
    }

    fn crossovers(&self, group: &Group) -> String {
        let lead: Vec<&CrossoverFinding> = group.crossovers.iter().filter(|it| it.lead).collect();
        if lead.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.bold("Crossovers in the lead"));
        for crossover in lead {
            text.push_str(&wrapped(&format!("{}.", crossover.sentence), self.width, "  "));
            text.push('\n');
        }
        text
    }

    /// Warnings, what was left out, and those footnotes that the text above refers to.
    fn doubts(&self, above: &str) -> String {
        let mut lines: Vec<String> = self.findings.warnings.clone();
        let excluded = self.run.exclusions();
        lines.extend(excluded.map(|event| format!("Excluded: {}", event.text)));
        let notes = self.findings.notes.iter().enumerate();
        let marked = notes.map(|(at, note)| (format!("[{}]", at + 1), note));
        let referred_to = marked.filter(|(mark, _)| above.contains(mark));
        lines.extend(referred_to.map(|(mark, note)| format!("{mark} {note}")));
        if lines.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.style.heading("Warnings and footnotes", self.width));
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
            ClaimVerdict::Elsewhere => self.paint(text, "2"),
        }
    }
}
