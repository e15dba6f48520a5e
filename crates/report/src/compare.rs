//! Two runs side by side: which cells became slower or faster, then what differs between the
//! conditions, then every cell that both have. The runs were not interleaved, so nothing is paired:
//! launches of one are held against launches of the other by Mann-Whitney tests, corrected over all
//! cells, and a drift of the machine between the runs is in the ratios.

mod claims;
pub mod files;
mod judged;
mod text;
mod trends;

pub use claims::{TrendClaim, TrendVerdict};
pub use trends::{CurveTrend, LengthTrend, Trend};

use std::collections::BTreeSet;

use lab::cell::{Candidate, Cell};
use lab::record::Run;
use serde::Serialize;
use stats::{Margin, Verdict};

use crate::findings::Interval;
use crate::format::ABSENT;
pub use judged::Judged;

/// Two runs compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Number of the earlier run.
    pub before: String,
    /// Number of the later run.
    pub after: String,
    /// Whether they are of one machine.
    pub machines: Machines,
    /// The difference that does not matter: as asked, or that of the later run's study.
    pub margin: f64,
    /// How many cells are slower, faster and so on.
    pub counts: Counts,
    /// Conditions that differ: what, then, now.
    pub differences: Vec<[String; 3]>,
    /// Whether the same implementations are in the same order at several lengths.
    pub trends: Vec<Trend>,
    /// Claims about that which both studies make.
    pub claims: Vec<TrendClaim>,
    /// Cells that both runs have, the largest change first.
    pub rows: Vec<ComparedCell>,
    /// Paths of cells that only the earlier run has.
    pub only_before: Vec<String>,
    /// Paths of cells that only the later run has.
    pub only_after: Vec<String>,
}

/// Whether two runs are of one machine, as far as their records tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Machines {
    /// The same model of processor, and as many logical ones.
    Same,
    /// The same model of processor, and as many, held to different instructions.
    OtherInstructions,
    /// The same model of processor.
    SameModel,
    /// Different models.
    DifferentModels,
}

impl Machines {
    fn of(before: &Run, after: &Run) -> Self {
        let [old, new] = [&before.machine, &after.machine];
        match (old.cpu_model == new.cpu_model, old.cpus == new.cpus) {
            (true, true) if old.without == new.without => Machines::Same,
            (true, true) => Machines::OtherInstructions,
            (true, false) => Machines::SameModel,
            (false, _) => Machines::DifferentModels,
        }
    }
}

/// A cell that both runs have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedCell {
    /// The cell.
    pub cell: Cell,
    /// Median time before.
    pub before_ns: f64,
    /// Median time after.
    pub after_ns: f64,
    /// Time after over time before, the median over all pairs of a launch of each: below 1, it
    /// became faster.
    pub ratio: f64,
    /// Interval of that ratio; absent where there are too few launches.
    pub interval: Option<Interval>,
    /// Chance of a difference so far beyond the margin if there were none, adjusted for the number
    /// of cells; absent where a run has fewer than six launches of it.
    pub p_adjusted: Option<f64>,
    /// What it amounts to, said of the later run.
    pub verdict: Verdict,
    /// The code path of the earlier run, where it is another one.
    pub kernel_before: Option<String>,
}

/// Cells by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Slower by more than the margin.
    pub slower: usize,
    /// Faster by more than the margin.
    pub faster: usize,
    /// Within the margin.
    pub equivalent: usize,
    /// Neither is shown.
    pub undecided: usize,
    /// Fewer than six launches in one of the runs.
    pub not_judged: usize,
}

impl Counts {
    fn of(verdicts: impl Iterator<Item = Verdict>) -> Self {
        let mut counts = Counts::default();
        for verdict in verdicts {
            let count = match verdict {
                Verdict::Slower => &mut counts.slower,
                Verdict::Faster => &mut counts.faster,
                Verdict::Equivalent => &mut counts.equivalent,
                Verdict::Undecided => &mut counts.undecided,
                Verdict::CannotConclude => &mut counts.not_judged,
            };
            *count += 1;
        }
        counts
    }

    fn all(&self) -> usize {
        self.slower + self.faster + self.equivalent + self.undecided + self.not_judged
    }
}

impl Compared {
    /// Compares two runs, the earlier one first, by the margin of the later run's study.
    #[must_use]
    pub fn of(before: &Run, after: &Run) -> Self {
        Self::within(before, after, Margin::new(after.study.margin).unwrap_or_default())
    }

    /// The same by another margin.
    #[must_use]
    pub fn within(before: &Run, after: &Run, margin: Margin) -> Self {
        let (old, new) = (judged::values(before), judged::values(after));
        let rows = judged::rows(&old, &new, margin);
        let kernels = rows.iter().map(|row| (&row.cell, row.kernel_before.as_ref()));
        let shared =
            kernels.flat_map(|(cell, was)| [Some(cell.clone()), was.map(|it| on(cell, it))]);
        let shared: BTreeSet<Cell> = shared.flatten().collect();
        let missing = |from: &judged::Values| {
            let alone = from.iter().filter(|(cell, _)| !shared.contains(cell));
            alone.map(|(cell, _)| cell.to_string()).collect()
        };
        Compared {
            before: before.id.clone(),
            after: after.id.clone(),
            machines: Machines::of(before, after),
            margin: margin.value(),
            counts: Counts::of(rows.iter().map(|it| it.verdict)),
            differences: differences(before, after),
            trends: trends::all(before, after, margin),
            claims: claims::all(before, after, margin),
            only_before: missing(&old),
            only_after: missing(&new),
            rows,
        }
    }
}

/// The cell on another code path.
fn on(cell: &Cell, kernel: &str) -> Cell {
    let candidate = Candidate { kernel: kernel.into(), ..cell.candidate.clone() };
    Cell { candidate, ..cell.clone() }
}

fn differences(before: &Run, after: &Run) -> Vec<[String; 3]> {
    let mut found = Vec::new();
    let mut differ = |what: &str, old: String, new: String| {
        if old != new {
            found.push([what.to_owned(), old, new]);
        }
    };
    let facts = |run: &Run| {
        let machine = &run.machine;
        let or_dash = |text: &Option<String>| text.clone().unwrap_or(ABSENT.into());
        let turbo = machine.turbo.map_or(ABSENT.into(), |on| on.to_string());
        let left_out = match machine.without.to_string() {
            none if none.is_empty() => ABSENT.into(),
            some => some,
        };
        [
            ("processor", machine.cpu_model.clone()),
            ("extensions", machine.cpu_flags.join(" ")),
            ("instructions left out", left_out),
            ("logical processors", machine.cpus.to_string()),
            ("system", machine.kernel.clone()),
            ("governor", or_dash(&machine.governor)),
            ("turbo", turbo),
            ("virtualisation", or_dash(&machine.virtualization)),
            ("clock", run.clock.source.clone()),
            ("macrometer", run.macrometer_version.clone()),
            ("study", run.study.name.clone()),
        ]
    };
    for ((what, old), (_, new)) in facts(before).into_iter().zip(facts(after)) {
        differ(what, old, new);
    }
    let mut names: Vec<&str> =
        before.providers.iter().chain(&after.providers).map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let told = |run: &Run| {
            let own = run.providers.iter().find(|it| it.name == name);
            own.map_or(ABSENT.into(), |it| format!("{} at {}", it.version, it.path))
        };
        differ(name, told(before), told(after));
    }
    found
}
