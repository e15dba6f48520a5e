//! Two runs side by side: what differs between the conditions, then every cell that both have. The
//! runs were not interleaved, so nothing is paired: the ratio of two medians lies between the
//! quotients of the ends of their intervals, each made at 97.5 % so that both hold at once in 95 of
//! 100. That is simple and wide; a drift of the machine between the runs is in it.

mod claims;
mod text;
mod trends;

pub use claims::{TrendClaim, TrendVerdict};
pub use text::render;
pub use trends::{CurveTrend, LengthTrend, Trend};

use lab::cell::Cell;
use lab::record::Run;
use serde::Serialize;
use stats::{Confidence, Margin, RatioInterval, Sample, Verdict};

use crate::findings::{Interval, series};
use crate::format::ABSENT;

/// Two runs compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Number of the earlier run.
    pub before: String,
    /// Number of the later run.
    pub after: String,
    /// Whether they are of one machine.
    pub machines: Machines,
    /// The margin of the later run's study.
    pub margin: f64,
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
    /// Time after over time before: below 1, it became faster.
    pub ratio: f64,
    /// Interval of that ratio; absent where there are too few launches.
    pub interval: Option<Interval>,
    /// What it amounts to, said of the later run.
    pub verdict: Verdict,
}

impl Compared {
    /// Compares two runs, the earlier one first.
    #[must_use]
    pub fn of(before: &Run, after: &Run) -> Self {
        let margin = Margin::new(after.study.margin).unwrap_or_default();
        let (old, new) = (values(before), values(after));
        let row = |(path, (cell, new)): (&String, &(Cell, Vec<f64>))| {
            one(cell, &old.get(path)?.1, new, margin)
        };
        let mut rows: Vec<ComparedCell> = new.iter().filter_map(row).collect();
        let change = |row: &ComparedCell| row.ratio.ln().abs();
        rows.sort_by(|x, y| change(y).total_cmp(&change(x)));
        let missing = |from: &Values, other: &Values| {
            from.keys().filter(|path| !other.contains_key(*path)).cloned().collect()
        };
        Compared {
            before: before.id.clone(),
            after: after.id.clone(),
            machines: Machines::of(before, after),
            margin: margin.value(),
            differences: differences(before, after),
            trends: trends::all(before, after, margin),
            claims: claims::all(before, after, margin),
            rows,
            only_before: missing(&old, &new),
            only_after: missing(&new, &old),
        }
    }
}

type Values = std::collections::BTreeMap<String, (Cell, Vec<f64>)>;

/// What each cell's median is made of, by path: launches where there are enough, else blocks.
fn values(run: &Run) -> Values {
    let all = series::all(run);
    let named = run.cells.iter().zip(&all).map(|(record, series)| {
        let own: Vec<f64> = series.values(series.unit()).values().copied().collect();
        (record.cell.to_string(), (record.cell.clone(), own))
    });
    named.filter(|(_, (_, own))| !own.is_empty()).collect()
}

fn one(cell: &Cell, old: &[f64], new: &[f64], margin: Margin) -> Option<ComparedCell> {
    let [old, new] = [old, new].map(|values| Sample::new(values.to_vec()).ok());
    let (old, new) = (old?, new?);
    let confidence = Confidence::default().shared_among(2);
    let of = |sample: &Sample| stats::median_interval(sample, confidence);
    let ends = of(&old).zip(of(&new));
    let interval = ends.map(|(old, new)| Interval {
        low: new.low / old.high,
        high: new.high / old.low,
        confidence: 1.0 - (1.0 - old.confidence_achieved) - (1.0 - new.confidence_achieved),
    });
    // `stats` judges the time of the reference over that of the subject.
    let judged = interval.map(|it| RatioInterval {
        low: 1.0 / it.high,
        high: 1.0 / it.low,
        log_low: -it.high.ln(),
        log_high: -it.low.ln(),
        confidence_achieved: it.confidence,
    });
    let [before_ns, after_ns] = [&old, &new].map(stats::median);
    Some(ComparedCell {
        cell: cell.clone(),
        before_ns,
        after_ns,
        ratio: after_ns / before_ns,
        interval,
        verdict: Verdict::of(judged.as_ref(), margin),
    })
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
            ("left out of them", left_out),
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
