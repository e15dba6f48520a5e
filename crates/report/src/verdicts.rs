//! The claims of studies with the last verdict of each panel, from whichever runs gave them: for
//! people, and for programs.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use lab::record::{Run, RunState};
use lab::study::{Claim, Study};
use serde::Serialize;

use crate::findings::{ClaimVerdict, Findings, PanelVerdict, Quantity, RatioFinding, decided};
use crate::format;
use crate::terminal::layout::{Style, legible, wrapped};

/// The claims of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyVerdicts {
    /// Name of the study.
    pub study: String,
    /// Its title.
    pub title: String,
    /// The publication it reproduces.
    pub source: Option<String>,
    /// What runs it.
    pub command: String,
    /// One entry a claim, in its order.
    pub claims: Vec<ClaimLine>,
}

/// A claim, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimLine {
    /// Its name within the study.
    pub id: String,
    /// The sentence, as published.
    pub text: String,
    /// The same as it is printed: between quotation marks, but for a paraphrase.
    pub quoted: String,
    /// Page, table or figure.
    pub source: String,
    /// How it is decided, in one sentence.
    pub decided: String,
    /// The panels that are asked; absent: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// The last verdict of each panel; empty where no run was there to give one.
    pub panels: Vec<LastVerdict>,
}

/// The last verdict of a panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastVerdict {
    /// Name of the panel.
    pub panel: String,
    /// Its title.
    pub panel_title: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// Number of comparisons that the claim amounts to.
    pub comparisons: usize,
    /// How many of them hold.
    pub hold: usize,
    /// How many are contradicted.
    pub contradicted: usize,
    /// The comparison that decides.
    pub effect: Option<LastEffect>,
    /// What the rule by which its source decided makes of the same data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_source: Option<String>,
    /// Why, in one sentence without the verdict.
    pub reason: String,
    /// The run that gave it.
    pub run: RunName,
}

/// Two cells compared, by their names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastEffect {
    /// Path of the cell that takes longer.
    pub slower: String,
    /// Path of the other.
    pub faster: String,
    /// What is compared.
    pub quantity: Quantity,
    /// That of the slower over that of the faster.
    pub ratio: RatioFinding,
}

/// A run, as it is named beside its verdicts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunName {
    /// Its name.
    pub id: String,
    /// Seconds since the Unix epoch.
    pub created_unix_s: u64,
    /// How it ended, or that it has not.
    pub state: RunState,
    /// The command line that measures it again.
    pub command: String,
}

impl ClaimLine {
    /// A claim of a study on which nobody has said anything yet.
    #[must_use]
    pub fn new(study: &Study, claim: &Claim) -> Self {
        ClaimLine {
            id: claim.id.clone(),
            text: claim.text.clone(),
            quoted: claim.quoted(),
            source: claim.source.clone(),
            decided: decided(study, claim),
            asked: claim.panels.clone(),
            panels: vec![],
        }
    }

    /// Takes over what a panel of a run says.
    pub fn add(&mut self, run: &Run, findings: &Findings, panel: &str) {
        let Some(claim) = findings.claims.iter().find(|claim| claim.id == self.id) else { return };
        let said = claim.panels.iter().filter(|it| it.panel == panel);
        // The newest run comes first, and tells with which lengths and key lives it was decided.
        if self.panels.is_empty() {
            self.decided.clone_from(&claim.decided);
        }
        self.panels.extend(said.map(|it| LastVerdict::of(run, findings, it)));
    }
}

impl LastVerdict {
    fn of(run: &Run, findings: &Findings, said: &PanelVerdict) -> Self {
        let path = |at: usize| findings.cells[at].path.clone();
        let PanelVerdict { panel, panel_title, verdict, comparisons, hold, contradicted, .. } =
            said.clone();
        let effect = said.effect.as_ref().map(|it| LastEffect {
            slower: path(it.slower),
            faster: path(it.faster),
            quantity: it.quantity,
            ratio: it.ratio,
        });
        let run = RunName {
            id: run.id.clone(),
            created_unix_s: run.created_unix_s,
            state: run.state,
            command: run.command.clone(),
        };
        let (reason, by_source) = (said.reason.clone(), said.by_source.clone());
        Self {
            panel,
            panel_title,
            verdict,
            comparisons,
            hold,
            contradicted,
            effect,
            by_source,
            reason,
            run,
        }
    }
}

impl RunName {
    /// `run 20261121-103045-1f3a, 2026-11-21 10:30 UTC, interrupted`.
    fn words(&self) -> String {
        let state = match self.state {
            RunState::Complete => "",
            RunState::Interrupted => ", interrupted before its plan was complete",
            RunState::Open => ", which has not ended or was killed",
        };
        format!("run {}, {}{state}", self.id, format::date(self.created_unix_s))
    }
}

impl StudyVerdicts {
    /// A table, `width` columns wide: a row a claim, a column a panel. Where that is too narrow for
    /// the sentences, a block a claim.
    #[must_use]
    pub fn table(&self, width: usize, colour: bool) -> String {
        let (runs, panels) = (self.runs(), self.panels());
        let verdict = |claim: &ClaimLine, panel: &str| match claim.of(panel) {
            None if !claim.asks(panel) => format::ABSENT.to_owned(),
            None => NOT_RUN.to_owned(),
            Some(it) => format!("{}{}", it.verdict.name(), note(&runs, &it.run)),
        };
        let row = |claim: &ClaimLine| -> Vec<String> {
            let said = [claim.id.clone(), quoted(claim)].into_iter();
            said.chain(panels.iter().map(|panel| verdict(claim, panel))).collect()
        };
        let rows: Vec<Vec<String>> = self.claims.iter().map(row).collect();
        let head = ["claim", "as published"].into_iter().chain(panels.iter().copied());
        let head: Vec<&str> = head.collect();
        let fixed: usize = (0..head.len())
            .filter(|&column| column != 1)
            .map(|column| {
                let cells = rows.iter().map(|row| row[column].as_str()).chain([head[column]]);
                cells.map(|cell| cell.chars().count() + 2).max().unwrap_or(0)
            })
            .sum();
        if width < fixed + SENTENCE_WIDTH_MIN {
            return self.blocks(width, colour, false);
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(width.min(usize::from(u16::MAX)) as u16).set_header(head).add_rows(rows);
        for (number, column) in table.column_iter_mut().enumerate() {
            column.set_padding((u16::from(number > 0), 1));
            if number != 1 {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        let lines: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        let text = format!("{}{lines}{}", self.head(width, colour), self.foot(&runs, width));
        legible(&text, colour)
    }

    /// A block of lines a claim, with how it is decided and why it ended so.
    #[must_use]
    pub fn details(&self, width: usize, colour: bool) -> String {
        self.blocks(width, colour, true)
    }

    fn blocks(&self, width: usize, colour: bool, details: bool) -> String {
        let (style, runs) = (Style { colour }, self.runs());
        let mut text = self.head(width, colour);
        for claim in &self.claims {
            text.push_str(&format!("\n{}\n", style.bold(&claim.id)));
            let mut lines = vec![quoted(claim)];
            if details {
                lines.push(format!("decided by {}.", claim.decided));
            }
            for it in &claim.panels {
                let said = match details {
                    true => it.verdict.because(&it.reason),
                    false => it.verdict.name().to_owned(),
                };
                lines.push(format!("{}: {said}{}", it.panel, note(&runs, &it.run)));
                lines.extend(it.by_source.clone().filter(|_| details));
            }
            if claim.panels.is_empty() {
                lines.push(NOT_RUN.to_owned());
            }
            for line in lines {
                text.push_str(&format!("{}\n", wrapped(&line, width, "  ")));
            }
        }
        legible(&format!("{text}\n{}", self.foot(&runs, width)), colour)
    }

    fn head(&self, width: usize, colour: bool) -> String {
        let style = Style { colour };
        let mut text =
            format!("{}\n", style.heading(&format!("{}: {}", self.study, self.title), width));
        if let Some(source) = &self.source {
            text.push_str(&format!("{}\n", style.quiet(&wrapped(source, width, ""))));
        }
        text
    }

    /// The runs behind the verdicts, and what gives the verdicts that are not there.
    fn foot(&self, runs: &[&RunName], width: usize) -> String {
        let mut lines = Vec::new();
        for (number, run) in runs.iter().enumerate() {
            let number = if runs.len() > 1 { format!("[{}] ", number + 1) } else { String::new() };
            lines.push(format!("{number}{} (`{}`)", run.words(), run.command));
        }
        let panels = self.panels();
        let said = |claim: &ClaimLine, panel: &str| claim.of(panel).is_some() || !claim.asks(panel);
        let whole = |claim: &ClaimLine| panels.iter().all(|panel| said(claim, panel));
        if !self.claims.iter().all(whole) {
            lines.push(format!("{NOT_RUN}: `{}`", self.command));
        }
        lines.iter().map(|line| format!("{}\n", wrapped(line, width, ""))).collect()
    }

    /// Every panel that has said something, or a column for what nobody has said.
    fn panels(&self) -> Vec<&str> {
        let mut panels: Vec<&str> = Vec::new();
        for it in self.claims.iter().flat_map(|claim| &claim.panels) {
            if !panels.contains(&it.panel.as_str()) {
                panels.push(&it.panel);
            }
        }
        if panels.is_empty() { vec!["last verdict"] } else { panels }
    }

    fn runs(&self) -> Vec<&RunName> {
        let mut runs: Vec<&RunName> = Vec::new();
        for it in self.claims.iter().flat_map(|claim| &claim.panels) {
            if !runs.contains(&&it.run) {
                runs.push(&it.run);
            }
        }
        runs
    }
}

/// Columns that a sentence needs to be read at ease.
const SENTENCE_WIDTH_MIN: usize = 24;

const NOT_RUN: &str = "not run yet";

impl ClaimLine {
    /// Whether the panel is asked; where nobody has said anything there is one column for all.
    fn asks(&self, panel: &str) -> bool {
        self.panels.is_empty() || self.asked.is_empty() || self.asked.iter().any(|it| it == panel)
    }

    fn of(&self, panel: &str) -> Option<&LastVerdict> {
        self.panels.iter().find(|it| it.panel == panel)
    }
}

/// `“HMAC is faster than CMAC.” (page 3)`.
fn quoted(claim: &ClaimLine) -> String {
    format!("{} ({})", claim.quoted, claim.source)
}

/// The number of a run in the foot, where there are several.
fn note(runs: &[&RunName], run: &RunName) -> String {
    match runs.iter().position(|it| *it == run) {
        Some(at) if runs.len() > 1 => format!(" [{}]", at + 1),
        _ => String::new(),
    }
}
