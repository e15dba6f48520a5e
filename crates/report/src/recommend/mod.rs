//! What to use for somebody's messages: a pure function of a stored run with a workload, and of
//! what is known of macs. Who is fastest of what is widely used, of everything, and of today's mac
//! elsewhere; what changing would save; what would change the answer.

mod basis;
mod changes;
mod costs;
pub(crate) mod entries;
mod measured;
mod paragraph;
mod ranked;
pub(crate) mod sentences;
pub(crate) mod servers;
mod text;
mod today;
mod today_text;
mod together;
pub(crate) mod words;

use std::collections::BTreeSet;

use lab::cell::{Candidate, KeyLife};
use lab::record::{Run, RunState};
use lab::study::{Class, ClassName, Workload};
use serde::Serialize;
use stats::Margin;

pub use changes::{ByPolicy, Change};
pub use ranked::{Against, Behind, Test, Value};
pub use servers::{Load, ServerRow, Servers};
pub use today::{CallAdvice, Today, WORTH_CORES, Worth};
pub use together::{ByCaller, OtherMac, Together};

use crate::findings::not_measured::{self, NotMeasured};
use crate::findings::{Interval, steadiness};
use costs::{Series, Timed, timed};
use measured::Measured;
use ranked::margin;
use words::first_of;

/// Of the processor's time, what others had from which on figures are not to be relied on.
pub(crate) const BUSY_SHARE: f64 = 0.1;

/// Those that are too close to the best, by name.
const CLOSE_NAMED: usize = 3;

/// Those that a doubt names.
const NAMED_MAX: usize = 5;

/// The version of the JSON document.
const SCHEMA: u32 = 1;

/// What is said of a workload beside what a run keeps, and what is known of macs.
pub struct Asked<'a> {
    /// The workload in words: `Messages of 300 B, the key kept, called from Python`.
    pub words: String,
    /// The command that measures it again.
    pub command: String,
    /// Messages a second.
    pub rate_per_s: Option<f64>,
    /// Of the time that the caller allows, what the run is given.
    pub budget_share: f64,
    /// What a policy that was asked for leaves open, a sentence each.
    pub caveats: Vec<String>,
    /// What a policy, by its name, is called and says of a mac; none where it admits that.
    pub policy: &'a dyn Fn(&str, &str) -> Option<ByPolicy>,
    /// What is to be known of a mac in this use, a sentence each.
    pub to_know: &'a dyn Fn(&str) -> Vec<String>,
    /// What a mac asks of its user, in the words of `it needs a nonce that never repeats`; none
    /// where it asks for nothing.
    pub asks: &'a dyn Fn(&str) -> Option<String>,
    /// Whether a mac may be used for so many messages under a key; absent: for any number.
    pub may: &'a dyn Fn(&str, Option<u64>) -> bool,
    /// What a caller writes for a call of a mac, by its provider: `hmac.digest(key, msg, …)`.
    pub written: &'a dyn Fn(&str, &str, KeyLife) -> Option<String>,
    /// Whether the caller's code can call a provider.
    pub can_call: &'a dyn Fn(&str) -> bool,
    /// Why a mac may not be used for so many messages under a key, in the words of `its tag has 64
    /// bits`; none where it may.
    pub why_not: &'a dyn Fn(&str, Option<u64>) -> Option<String>,
}

/// The answer to a workload: what to use, and what would change that.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// Version of this document.
    pub schema: u32,
    /// The run it rests on.
    pub run: String,
    /// Version of macrometer that measured.
    pub macrometer_version: String,
    /// When that was measured, in seconds since the Unix epoch.
    pub measured_unix_s: u64,
    /// Brand string of the processor that measured.
    pub cpu_model: String,
    /// The command that measures it again.
    pub command: String,
    /// The workload in words.
    pub asked: String,
    /// The workload as it was measured.
    pub workload: Workload,
    /// Messages a second.
    pub rate_per_s: Option<f64>,
    /// What the fastest of the class that the answer is taken from takes of a core at that rate.
    pub cores: Option<f64>,
    /// Differences within this share count as none.
    pub margin: f64,
    /// Launches that it is told by.
    pub launches: usize,
    /// MACs that were asked for and not measured, for want of time.
    pub unmeasured: usize,
    /// Candidates of the first look.
    pub looked_at: usize,
    /// Candidates that were measured on.
    pub measured: usize,
    /// The time that would give launches enough for intervals, in seconds, where these are too few.
    pub budget_enough_s: Option<f64>,
    /// The mac that is best for several callers together, each with a library of its own; absent of
    /// one caller, and where no mac was measured of all.
    pub together: Option<Together>,
    /// Who is fastest, class by class.
    pub classes: Vec<ClassAnswer>,
    /// Everybody who was measured on, by the call that is usual for the workload, from the fastest
    /// on.
    pub candidates: Vec<Row>,
    /// What is used today, beside the answer.
    pub today: Option<Today>,
    /// The versions of those who are named: another one may have another order.
    pub versions: Vec<Version>,
    /// The fastest that asks its user for nothing, where it is faster than the answer and not
    /// widely used.
    pub unconditional: Option<Row>,
    /// What would change the answer, by what was measured.
    pub changes: Vec<Change>,
    /// What the answer asks of its user; absent where it asks for nothing.
    pub condition: Option<String>,
    /// What the fastest of all asks of its user; absent where it asks for nothing.
    pub asks: Option<String>,
    /// What a policy that was asked for leaves open, a sentence each.
    pub caveats: Vec<String>,
    /// What is to be known of the macs that are named, a sentence each.
    pub to_know: Vec<String>,
    /// How many servers the sessions take, where that was asked and measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub servers: Option<Servers>,
    /// Why the figures are not to be relied on: others had much of the processor.
    pub warning: Option<String>,
    /// Why to doubt it.
    pub doubts: Vec<String>,
}

/// Which version of a provider was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Version {
    /// Name or alias of the provider.
    pub provider: String,
    /// Version as the library reports it.
    pub version: String,
    /// What it computes with, as it says itself.
    pub detail: String,
}

/// A candidate and what a message of the workload takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Name of the mac.
    pub mac: String,
    /// Name or alias of the provider.
    pub provider: String,
    /// The code path.
    pub code_path: String,
    /// The call for all messages but a key's first.
    pub call: KeyLife,
    /// Messages of a call, where one gets many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// Nanoseconds of a message; its interval is for another run, too.
    pub message_ns: Value,
    /// Messages that a core computes in a second.
    pub per_core_second: Value,
}

/// The fastest of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassAnswer {
    /// What its macs have in common.
    pub name: ClassName,
    /// Who seems fastest.
    pub best: Row,
    /// Those that are not shown to be slower.
    pub close: Vec<Rival>,
    /// The first of those that are.
    pub runner_up: Option<Rival>,
    /// The same candidate called otherwise, where messages are also taken in batches: one at a
    /// time, or in batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batching: Option<Rival>,
    /// The first of another library than the best one's; all ways to macrometer's own are one.
    pub other_library: Option<Rival>,
    /// For each caller that cannot use the best one, the first that it can.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub for_callers: Vec<ForCaller>,
    /// The first that takes one message at a time, where the best one takes many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_at_a_time: Option<Rival>,
}

impl ClassAnswer {
    /// Those that the document has against the best one.
    fn rivals(&self) -> impl Iterator<Item = &Rival> {
        let callers = self.for_callers.iter().filter_map(|it| it.rival.as_ref());
        let others = [&self.runner_up, &self.batching, &self.other_library, &self.one_at_a_time];
        self.close.iter().chain(others.into_iter().flatten()).chain(callers)
    }
}

/// What a caller uses who cannot use the best one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForCaller {
    /// The caller's language, in print.
    pub language: String,
    /// The first that it can call; absent where nothing that it can was measured.
    #[serde(flatten)]
    pub rival: Option<Rival>,
}

/// Another one, against the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rival {
    /// The candidate and its time.
    #[serde(flatten)]
    pub row: Row,
    /// Its time over that of the best, and what the difference amounts to.
    pub to_best: Against,
}

impl Rival {
    /// Whether it is not shown to be slower, by launches enough to show it.
    fn is_close(&self) -> bool {
        matches!(self.to_best.verdict, Behind::AsFast | Behind::TooClose)
    }
}

impl Row {
    /// `hmac-sha256@openssl`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}@{}", self.mac, self.provider)
    }

    fn is(&self, other: &Self) -> bool {
        (&self.mac, &self.provider, self.batch) == (&other.mac, &other.provider, other.batch)
    }

    /// Whether it is the same mac of the same provider, perhaps called otherwise.
    fn is_same_candidate(&self, other: &Self) -> bool {
        (&self.mac, &self.provider) == (&other.mac, &other.provider)
    }

    fn is_of(&self, timed: &Timed<'_>) -> bool {
        let candidate = timed.candidate;
        (&candidate.mac, &candidate.provider, timed.regime.batch())
            == (&self.mac, &self.provider, self.batch)
    }

    fn of(timed: &Timed<'_>, call: KeyLife, series: &Series, margin: Margin) -> Option<Self> {
        let (candidate, message_ns) = (timed.candidate, Value::of(series)?.of_any_run(margin));
        let inverse = message_ns.inverse();
        let per_s = |it: Interval| Interval { low: 1e9 * it.low, high: 1e9 * it.high, ..it };
        Some(Self {
            mac: candidate.mac.clone(),
            provider: candidate.provider.clone(),
            code_path: candidate.kernel.clone(),
            call,
            batch: timed.regime.batch(),
            message_ns,
            per_core_second: Value {
                value: 1e9 * inverse.value,
                interval: inverse.interval.map(per_s),
            },
        })
    }
}

/// Why to doubt what was measured.
fn doubts_of(
    run: &Run,
    measured: &Measured<'_>,
    launches: usize,
    unmeasured: BTreeSet<String>,
) -> Vec<String> {
    let early = (run.state != RunState::Complete).then(|| "the run was ended early".to_owned());
    let fewer = measured.with_fewer_launches(launches);
    let unmeasured = first_of(unmeasured, NAMED_MAX).map(|who| {
        format!("not measured, for lack of time: {who}; a larger --budget measures them")
    });
    early.into_iter().chain(fewer).chain(unmeasured).collect()
}

impl Recommendation {
    /// Of a run that has a workload and in which something was measured; `None` of any other.
    #[must_use]
    pub fn of(run: &Run, asked: &Asked<'_>) -> Option<Self> {
        let workload = run.study.workload.as_ref()?;
        let can_call = asked.can_call;
        let measured = Measured { workload, margin: margin(run), all: timed(run), can_call };
        let own = workload.classes.iter().filter(|it| !matches!(it.name, ClassName::Together(_)));
        let classes = own.filter_map(|it| measured.class(it));
        let classes: Vec<ClassAnswer> = classes.collect();
        let answer = classes.first()?;
        let today = today::today(&measured, answer, asked);
        let launches = measured.all.iter().map(|it| measured.message(it).len()).max().unwrap_or(0);
        let looked_at: BTreeSet<&Candidate> =
            run.cells.iter().map(|it| &it.cell.candidate).collect();
        let others = steadiness::others(run);
        let is_busy = steadiness::others_share(run) > BUSY_SHARE;
        let (warning, others) = if is_busy { (others, None) } else { (None, others) };
        let unmeasured = not_measured::of(run, |it| can_call(&it.provider));
        let unmeasured = unmeasured.into_iter().filter(NotMeasured::is_whole);
        let unmeasured: BTreeSet<String> = unmeasured.map(|it| it.mac).collect();
        let count = unmeasured.len();
        let mut doubts: Vec<String> = others.into_iter().collect();
        doubts.extend(doubts_of(run, &measured, launches, unmeasured));
        let mut found = Self {
            schema: SCHEMA,
            run: run.id.clone(),
            macrometer_version: run.macrometer_version.clone(),
            measured_unix_s: run.created_unix_s,
            cpu_model: run.machine.cpu_model.clone(),
            command: asked.command.clone(),
            asked: asked.words.clone(),
            workload: workload.clone(),
            rate_per_s: asked.rate_per_s,
            cores: asked.rate_per_s.map(|rate| rate * answer.best.message_ns.value * 1e-9),
            margin: measured.margin.value(),
            launches,
            budget_enough_s: basis::budget_enough_s(run, launches, asked.budget_share),
            together: together::together(&measured),
            unmeasured: count,
            looked_at: looked_at.iter().filter(|it| !lab::plan::is_floor(&it.mac)).count(),
            measured: measured.all.iter().map(|it| it.candidate).collect::<BTreeSet<_>>().len(),
            changes: changes::changes(&measured, &classes, today.as_ref(), asked),
            classes,
            candidates: measured.candidates(),
            unconditional: None,
            today,
            versions: vec![],
            condition: None,
            asks: None,
            caveats: asked.caveats.clone(),
            to_know: vec![],
            servers: None,
            warning,
            doubts,
        };
        found.unconditional = found.without_asking(&measured, asked);
        found.versions = found.versions_in(run);
        found.to_know = found.known(asked);
        found.condition = (asked.asks)(&found.answer().best.mac);
        found.asks = found.class(&ClassName::All).and_then(|it| (asked.asks)(&it.best.mac));
        Some(found)
    }

    /// The class that the answer is taken from: what is widely used, or, where nothing of that may
    /// be used, everything.
    #[must_use]
    pub fn answer(&self) -> &ClassAnswer {
        &self.classes[0]
    }

    /// The class of this name, where it was asked and something of it was measured.
    #[must_use]
    pub fn class(&self, name: &ClassName) -> Option<&ClassAnswer> {
        self.classes.iter().find(|it| it.name == *name)
    }

    /// One JSON document.
    ///
    /// # Errors
    /// None that an answer can have.
    pub fn json(&self) -> serde_json::Result<String> {
        crate::json(self)
    }

    /// The fastest that asks for nothing, where the answer is shown to be slower.
    fn without_asking(&self, measured: &Measured<'_>, asked: &Asked<'_>) -> Option<Row> {
        let classes = &measured.workload.classes;
        // Older runs have no class of their own for it.
        let (free, all) = (ClassName::Unconditional, ClassName::All);
        let of = |name: &ClassName| classes.iter().find(|it| it.name == *name);
        let all = of(&free).or_else(|| of(&all))?;
        let macs = all.macs.iter().filter(|mac| (asked.asks)(mac).is_none()).cloned();
        let free = measured.class(&Class { name: free, macs: macs.collect() })?;
        let answer = &self.answer().best;
        let is_close = free.close.iter().any(|it| it.row.is(answer) && it.is_close());
        let is_faster = free.best.message_ns.value * (1.0 + self.margin) < answer.message_ns.value;
        let is_told = self.answer().name == ClassName::Wide && !free.best.is(answer) && !is_close;
        (is_told && is_faster).then_some(free.best)
    }

    /// What is to be known of those that are named.
    fn known(&self, asked: &Asked<'_>) -> Vec<String> {
        let is_named = |it: &&ClassAnswer| match it.name {
            ClassName::Unconditional => self.unconditional.is_some(),
            ClassName::Policy(_) => false,
            _ => true,
        };
        let named = self.classes.iter().filter(is_named);
        let mut macs: Vec<&str> = named.map(|it| it.best.mac.as_str()).collect();
        macs.extend(self.together.iter().map(|it| it.mac.as_str()));
        macs.extend(self.today.iter().map(|it| it.row.mac.as_str()));
        let mut seen = BTreeSet::new();
        macs.retain(|mac| seen.insert(*mac));
        let of = |mac: &&str| {
            let told = (asked.to_know)(mac);
            (!told.is_empty()).then(|| format!("{mac}: {}", told.join("; ")))
        };
        macs.iter().filter_map(of).collect()
    }
}
