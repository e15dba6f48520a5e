//! A gate, told: is the new version slower than its base in any cell? All of it is a function of
//! the run's record, which says who is who and when it was looked at, and of what the user accepts.

mod cells;
mod changes;
mod json;
mod junit;
mod markdown;
mod needed;
mod text;

use lab::record::{Run, RunState};
use serde::Serialize;
use stats::{Alpha, GateVerdict, Margin};
use words::{counted, is_are};

use crate::findings::steadiness;
use crate::format;

pub use cells::{GateRow, open};
pub use changes::{Change, Version, different};

/// The error allowed: of gates without a slowdown, so many may call one.
pub const ALPHA: Alpha = Alpha::FIVE_PERCENT;

/// A slowdown that is known and does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// Cells by pattern: `hmac-*/prepared/64`.
    pub cell: String,
    /// Why it is accepted.
    pub reason: String,
    /// Who has accepted it.
    pub author: String,
    /// Last day on which it counts: `2027-03-31`.
    pub expires: String,
    /// Whether that day is over.
    pub expired: bool,
}

/// What cells that stay open do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undecided {
    /// The gate cannot say.
    CannotSay,
    /// They count as slower.
    Fail,
    /// They count as not slower.
    Pass,
}

/// How a gate ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Nothing is slower than the margin allows.
    NotSlower,
    /// Something is slower than the margin allows.
    Slower,
    /// Cells are open that count as slower.
    OpenFails,
    /// The new version computes tags that differ from the base's.
    WrongTags,
    /// A worker ended while it measured.
    Lost,
    /// The base differs from itself.
    Alarm,
    /// Cells are open.
    Open,
}

impl Outcome {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::NotSlower => 0,
            Self::Slower | Self::OpenFails | Self::WrongTags => 1,
            Self::Lost | Self::Alarm | Self::Open => 3,
        }
    }
}

/// A gate as it ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateFindings {
    /// How it ended.
    pub outcome: Outcome,
    /// The same as the exit code.
    pub exit_code: u8,
    /// The verdict in one sentence: the answer and the reason.
    pub verdict: String,
    /// The verdict in one word or two.
    #[serde(skip)]
    pub answer: &'static str,
    /// What it rests on, as the rest of that sentence.
    #[serde(skip)]
    pub reason: String,
    /// The run that it rests on.
    pub run: String,
    /// Seconds that were measured.
    pub spent_s: f64,
    /// How much longer a call may take: 0.02 is 2 %.
    pub margin: f64,
    /// The error allowed.
    pub alpha: f64,
    /// Launches after each of which it was looked at what is decided.
    pub looks: Vec<u32>,
    /// Launches in all.
    pub launches: u32,
    /// What is compared.
    pub versions: [Version; 2],
    /// Cells, and macs under a key life, whose tags are wrong; a line each.
    pub wrong_tags: Vec<String>,
    /// Workers that ended, with the reason.
    pub lost: Vec<String>,
    /// Cells in which the base differs from itself.
    pub alarms: Vec<String>,
    /// Every cell that both versions have.
    pub cells: Vec<GateRow>,
    /// Code paths and offers that changed, equal speed or not.
    pub changes: Vec<Change>,
    /// The slowdowns that are accepted, and those whose day is over.
    pub accepted: Vec<Accepted>,
    /// Which budget is expected to decide what is open, in seconds; absent where nothing is, or
    /// none would.
    pub budget_to_decide_s: Option<f64>,
    /// Who else had the processor.
    pub doubts: Vec<String>,
}

impl GateFindings {
    /// Of a run that is a gate; `None` of any other.
    #[must_use]
    pub fn of(run: &Run, accepted: &[Accepted], undecided: Undecided) -> Option<Self> {
        let gate = run.study.gate.as_ref()?;
        let margin = Margin::new(run.study.margin).ok()?;
        let judged = cells::Judged::of(run, gate, margin, accepted);
        let mut wrong_tags = changes::wrong(run, gate);
        wrong_tags.extend(cells::wrong(run));
        let mut findings = Self {
            outcome: Outcome::NotSlower,
            exit_code: 0,
            verdict: String::new(),
            answer: "",
            reason: String::new(),
            run: run.id.clone(),
            spent_s: run.spent_s,
            margin: margin.value(),
            alpha: ALPHA.value(),
            looks: gate.looks[..judged.looks].to_vec(),
            launches: judged.launches,
            versions: changes::versions(run, gate),
            wrong_tags,
            lost: cells::lost(run, gate),
            alarms: judged.alarms,
            cells: judged.rows,
            changes: changes::all(run, gate),
            accepted: accepted.to_vec(),
            budget_to_decide_s: None,
            doubts: steadiness::others(run).into_iter().collect(),
        };
        findings.budget_to_decide_s = needed::budget_s(run, gate, &findings);
        findings.outcome = findings.ends(undecided);
        findings.exit_code = findings.outcome.code();
        (findings.answer, findings.reason) = findings.ended(run.state);
        findings.verdict = format!("{}: {}", findings.answer, findings.reason);
        Some(findings)
    }

    fn ends(&self, undecided: Undecided) -> Outcome {
        let is_any_open = self.open().next().is_some() || self.changes.iter().any(Change::is_lost);
        match undecided {
            _ if !self.wrong_tags.is_empty() => Outcome::WrongTags,
            _ if !self.lost.is_empty() => Outcome::Lost,
            _ if !self.alarms.is_empty() => Outcome::Alarm,
            _ if self.slower().next().is_some() => Outcome::Slower,
            Undecided::CannotSay if is_any_open => Outcome::Open,
            Undecided::Fail if is_any_open => Outcome::OpenFails,
            _ => Outcome::NotSlower,
        }
    }

    /// Cells that are slower, those left out that are accepted.
    pub fn slower(&self) -> impl Iterator<Item = &GateRow> {
        self.cells.iter().filter(|it| it.verdict == GateVerdict::Slower && it.accepted.is_none())
    }

    /// Cells that are not decided, those left out that are accepted.
    pub fn open(&self) -> impl Iterator<Item = &GateRow> {
        self.cells.iter().filter(|it| it.verdict == GateVerdict::Open && it.accepted.is_none())
    }

    /// Cells that are faster by more than the margin.
    pub fn faster(&self) -> impl Iterator<Item = &GateRow> {
        self.cells.iter().filter(|it| it.is_faster)
    }

    /// Cells that are slower or open, and accepted.
    pub fn excused(&self) -> impl Iterator<Item = &GateRow> {
        let is_excused =
            |it: &&GateRow| it.accepted.is_some() && it.verdict != GateVerdict::NotSlower;
        self.cells.iter().filter(is_excused)
    }

    /// Cells whose interval excludes 1 while they take no more than the margin allows.
    pub fn slightly_slower(&self) -> impl Iterator<Item = &GateRow> {
        let is_above = |it: &&GateRow| it.interval.is_some_and(|it| it.low > 1.0);
        self.cells.iter().filter(|it| it.verdict == GateVerdict::NotSlower).filter(is_above)
    }

    /// The answer, and the reason for it.
    fn ended(&self, state: RunState) -> (&'static str, String) {
        let margin = format::percent(self.margin);
        let all = counted(self.cells.len(), "cell");
        let open = self.open().count();
        let gone = self.changes.iter().filter(|it| it.is_lost()).count();
        let is_let_through = self.outcome == Outcome::NotSlower && open + gone > 0;
        let open = undecided(open, gone, &all, state);
        let answer = match self.outcome {
            Outcome::NotSlower if is_let_through => "Passes",
            Outcome::NotSlower => "Not slower",
            Outcome::Slower => "Slower",
            Outcome::OpenFails => "Fails",
            Outcome::WrongTags => "Wrong tag",
            Outcome::Lost | Outcome::Alarm | Outcome::Open => "Undecided",
        };
        let reason = match self.outcome {
            Outcome::WrongTags => {
                let (first, all) = (&self.wrong_tags[0], self.wrong_tags.len());
                let more = if all > 1 { format!(", and {} more", all - 1) } else { String::new() };
                format!("{first}{more}.")
            }
            Outcome::Lost => format!("{}.", self.lost.join("; ")),
            Outcome::Alarm => format!(
                "the base differs from itself by more than half the margin in {} of \
                 {all}, so this machine is too noisy now.",
                self.alarms.len()
            ),
            Outcome::Slower => self.slower_in_words(&all, &margin),
            Outcome::Open => {
                format!("{open}; nothing was found to be slower by more than {margin}.")
            }
            Outcome::OpenFails => format!("{open}, which --undecided fail does not pass."),
            Outcome::NotSlower if is_let_through => format!(
                "nothing was found to be slower by more than {margin}; {open}, which \
                 --undecided pass lets through."
            ),
            Outcome::NotSlower => match self.excused().count() {
                0 => format!("none of {all} takes more than {margin} longer than the base."),
                known => format!(
                    "but for {}, none of {all} takes more than {margin} longer than \
                     the base.",
                    counted(known, "accepted cell")
                ),
            },
        };
        (answer, reason)
    }

    /// How many cells of all are slower, and which one most.
    fn slower_in_words(&self, all: &str, margin: &str) -> String {
        let slower = self.slower().count();
        let by = |it: &&GateRow| it.ratio.unwrap_or(1.0);
        let worst = self.slower().max_by(|a, b| by(a).total_cmp(&by(b)));
        let worst = worst
            .map_or(String::new(), |it| format!(", {}: {}", it.name, it.in_words(self.margin)));
        let most = if slower > 1 { ", the most" } else { "" };
        format!(
            "{slower} of {all} {} more than {margin} longer than the base{most}{worst}.",
            if slower == 1 { "takes" } else { "take" }
        )
    }
}

/// How many cells are open, and how many macs only the base has.
fn undecided(open: usize, gone: usize, all: &str, state: RunState) -> String {
    let early = if state == RunState::Complete { "" } else { " (ended early)" };
    match (open, gone) {
        (0, gone) => format!("{} offered only by the base", count_is(gone, "MAC")),
        (open, 0) => format!("{open} of {all} {} not decided{early}", is_are(open)),
        (open, gone) => format!(
            "{open} of {all} {} not decided{early}, and {} offered only by the base",
            is_are(open),
            count_is(gone, "MAC")
        ),
    }
}

fn count_is(number: usize, one: &str) -> String {
    format!("{} {}", counted(number, one), is_are(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gate of two versions in which nothing was measured.
    pub(super) fn without_cells() -> GateFindings {
        let version = |name: &str, version: &str| Version {
            name: name.into(),
            version: version.into(),
            path: format!("/usr/lib/{name}.so"),
        };
        GateFindings {
            outcome: Outcome::Open,
            exit_code: Outcome::Open.code(),
            verdict: "Undecided: nothing was measured.".into(),
            answer: "Undecided",
            reason: "nothing was measured.".into(),
            run: "20261121-120000-0001".into(),
            spent_s: 0.0,
            margin: 0.02,
            alpha: ALPHA.value(),
            looks: vec![],
            launches: 0,
            versions: [version("lib", "1"), version("lib-new", "2")],
            wrong_tags: vec![],
            lost: vec![],
            alarms: vec![],
            cells: vec![],
            changes: vec![],
            accepted: vec![],
            budget_to_decide_s: None,
            doubts: vec![],
        }
    }
}
