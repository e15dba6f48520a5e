//! Sessions, the working set and capacities: what belongs together is told together. A window of
//! sessions gives absolute and apparent processing as two cells, which meet here again, with what
//! else was seen in the window.

mod capacity;
mod counted;
mod keys;
mod limits;
mod loads;
mod orders;
mod received;
mod rows;
mod sentences;
mod windows;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lab::cell::{Candidate, KeyLife, Regime};
use lab::machine::core_count;
use lab::record::{ProviderRecord, Run, SessionsRecord, SettledLoad};
use lab::regimes::sessions::{Binding, Quantity, Sessions};
use lab::study::View;
use serde::Serialize;

use super::series::Series;
use super::{CellFinding, Group, Interval, Levels, RatioFinding, SingleQuantiles, slug};
use crate::format::Figure;

pub use capacity::{CapacityFinding, CapacityRow, CapacityTable, Carried};
pub use counted::CapacityOfCell;
pub(crate) use counted::{capacities_apart, rate_per_s};
pub use keys::{WorkingSetFinding, WorkingSetRow};
pub use limits::{AtCapacity, Limit};
pub use loads::{load_words, place_words, serving_words, thousands};
pub use orders::OrderFinding;
pub use received::{Disturbed, ReceivedFinding};
pub use sentences::{asked_words, column_words, settled_words, unserved_words};

pub(super) use capacity::all as capacities;
pub(super) use keys::all as working_sets;
pub(super) use sentences::{headlines, warnings};
pub(super) use windows::{
    by_cell, by_measured_bytes, least_to_most, mark_disturbed, observed, preemptions_per_cpu_s,
};

/// Windows by the number of their cell.
pub(super) type Windows<'a> = BTreeMap<u32, Vec<&'a SessionsRecord>>;

/// Sessions of a part in a panel and case: groups that differ in nothing but their regime.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionsFinding {
    /// Names of the groups that it tells, in the order of the study.
    pub groups: Vec<String>,
    /// The part, by its place in the study.
    pub part: usize,
    /// Name of the panel.
    pub panel: String,
    /// How long a key lives.
    pub key_life: KeyLife,
    /// Each load at each message length, by length and then in the order of the study.
    pub loads: Vec<LoadFinding>,
    /// Whether the order of the MACs is the same on several numbers of processors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<OrderFinding>,
}

/// One load at one message length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadFinding {
    /// The regime of its apparent processing.
    pub regime: Regime,
    /// Message length; the mean of a mix.
    pub len_bytes: u64,
    /// Sessions; absent where the run ended before that was settled.
    pub sessions: Option<u32>,
    /// Processors that they may run on.
    pub processors: u32,
    /// `[t1, t2]` in milliseconds.
    pub window_ms: Option<[f64; 2]>,
    /// What was adjusted and why, a sentence each.
    pub adjusted: Vec<String>,
    /// What is still not as it should be, a sentence each.
    pub doubts: Vec<String>,
    /// Nice value of the sessions' threads; absent from older archives.
    pub nice: Option<i32>,
    /// Candidates, in the order of their apparent processing.
    pub rows: Vec<SessionsRow>,
}

/// A candidate under a load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionsRow {
    /// The candidate that serves the sessions.
    pub candidate: Candidate,
    /// Cell of its apparent processing, by place in the findings' cells.
    pub apparent: Option<usize>,
    /// Cell of its absolute processing.
    pub absolute: Option<usize>,
    /// Place by apparent processing; absent where it could not be ranked.
    pub rank: Option<usize>,
    /// True for the fastest offer of its mac, by apparent processing.
    pub best_of_mac: bool,
    /// True where it is not shown slower than the best of all.
    pub tied_with_best: bool,
    /// Nanoseconds a message as if one processor did all the work.
    pub apparent_ns: Option<Estimate>,
    /// Nanoseconds of a processor a message.
    pub absolute_ns: Option<Estimate>,
    /// Wall clock of a session from one message to its next, in nanoseconds.
    pub wall_ns: Option<Estimate>,
    /// The same a byte.
    pub wall_ns_per_byte: Option<Estimate>,
    /// Wall clock of a session a byte, in estimated core cycles.
    pub wall_cycles_per_byte: Option<Estimate>,
    /// Estimated core cycles per byte, as if one processor did all the work.
    pub apparent_cycles_per_byte: Option<Estimate>,
    /// Estimated core cycles of a processor a byte.
    pub absolute_cycles_per_byte: Option<Estimate>,
    /// Apparent over absolute processing, paired by window.
    pub to_absolute: Option<RatioFinding>,
    /// Apparent processing on one processor over that here: how many times as much is done.
    pub speed_up: Option<RatioFinding>,
    /// Absolute processing here over that on one processor: what using more of them costs.
    pub cpu_cost_ratio: Option<RatioFinding>,
    /// Messages a second of all sessions.
    pub messages_per_s: Option<Estimate>,
    /// Their throughput in MiB a second.
    pub mib_per_s: Option<Estimate>,
    /// What else was seen; absent where no window was kept.
    pub windows: Option<WindowsFinding>,
    /// Whether others than its threads do its work.
    pub offloads: bool,
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate itself.
    pub value: f64,
    /// Its interval; absent where there is too little.
    pub interval: Option<Interval>,
}

/// What was seen in all windows of a candidate under a load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WindowsFinding {
    /// How many windows.
    pub windows: usize,
    /// Mean length of the messages in bytes, as counted.
    pub bytes_per_message: f64,
    /// Times of single messages under load.
    pub tail: Option<SingleQuantiles>,
    /// Jain's index over sessions: median of the windows.
    pub fairness: Option<f64>,
    /// Share of the sessions that were done with a message: the least of the windows.
    pub served: f64,
    /// Threads at work.
    pub threads: u32,
    /// Turns that a thread had in the middle one of the windows, by how often it was put aside;
    /// absent where no thread waits for another.
    pub turns: Option<f64>,
    /// Times that a thread waited by itself, in a second of processor time.
    pub waits_per_cpu_s: f64,
    /// Times that a thread was put aside for another.
    pub preemptions_per_cpu_s: f64,
    /// Times that a thread was seen on another processor than before.
    pub migrations_per_cpu_s: f64,
    /// Relative standard error of the throughput over the slices of a window: median of the
    /// windows.
    pub slice_error: Option<f64>,
    /// Share of its processors' time that the hypervisor took; absent where that is not told.
    pub steal: Option<f64>,
    /// How apparent processing differs from session to session. Absent, as is Jain's index, where
    /// windows hold so few turns that where they are cut is all that differs.
    pub apparent_between: Option<Between>,
    /// Likewise absolute processing, which is a session's own whatever turns it has.
    pub absolute_between: Option<Between>,
    /// What the sessions had of their processors; absent from older archives.
    pub received: Option<ReceivedFinding>,
    /// Processor time by the threads' clocks over the system's account of the process: median.
    pub cpu_to_process: Option<f64>,
    /// Most memory that its process held, in bytes.
    pub memory_bytes: Option<u64>,
}

/// Processing of single sessions, over that of the middle one: medians of the windows. Of apparent
/// processing the session that is scheduled least has the most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Between {
    /// Of the session that has least.
    pub least: f64,
    /// A quarter of the sessions lie below.
    pub lower_quartile: f64,
    /// A quarter lie above.
    pub upper_quartile: f64,
    /// Of the session that has most.
    pub most: f64,
}

/// With fewer turns of each session in a window it is not asked how evenly they are served: one
/// that has a turn more at an edge would stand out.
pub const TURNS_MIN: f64 = 4.0;

/// Times by the threads' clocks and by the system's account must agree within this share.
const ACCOUNTS_AGREE: f64 = 0.05;

impl Group {
    /// The sessions, where its part asks for that view: it is told beside the other regimes.
    #[must_use]
    pub fn of_sessions(&self) -> Option<Sessions> {
        let is_asked = self.views.contains(&View::Sessions);
        self.regime.sessions().filter(|it| is_asked && it.quantity != Quantity::Capacity)
    }

    /// The sessions whose capacity it is of, where its part asks for that view.
    #[must_use]
    pub fn of_capacity(&self) -> Option<Sessions> {
        let is_asked = self.views.contains(&View::Capacity);
        self.regime.sessions().filter(|it| is_asked && it.quantity == Quantity::Capacity)
    }

    /// The number of keys, where its part asks for the working set.
    #[must_use]
    pub fn of_keys(&self) -> Option<NonZeroU32> {
        self.regime.keys_in_turn().filter(|_| self.views.contains(&View::WorkingSet))
    }

    /// Whether it is of absolute processing, told beside the apparent one.
    #[must_use]
    pub fn is_absolute(&self) -> bool {
        self.of_sessions().is_some_and(|it| it.quantity == Quantity::Absolute)
    }
}

impl SessionsFinding {
    /// Name of the group under which its tables and charts are kept.
    #[must_use]
    pub fn head(&self) -> &str {
        self.groups.first().map_or("", String::as_str)
    }

    /// Message lengths, ascending.
    #[must_use]
    pub fn lengths(&self) -> Vec<u64> {
        let mut lengths: Vec<u64> = self.loads.iter().map(|it| it.len_bytes).collect();
        lengths.dedup();
        lengths
    }

    /// The loads at one length.
    pub fn at(&self, len_bytes: u64) -> impl Iterator<Item = &LoadFinding> + Clone {
        self.loads.iter().filter(move |it| it.len_bytes == len_bytes)
    }

    /// The first several loads at one length that are alike in this, and so differ in the rest.
    #[must_use]
    pub fn several_alike<Key: PartialEq>(
        &self,
        len_bytes: u64,
        key: fn(Sessions) -> Key,
    ) -> Option<Vec<&LoadFinding>> {
        let key = |it: &LoadFinding| it.asked().map(key);
        let of = |head: &LoadFinding| -> Vec<&LoadFinding> {
            self.at(len_bytes).filter(|it| key(it) == key(head)).collect()
        };
        self.at(len_bytes).map(of).find(|own| own.len() > 1)
    }
}

impl LoadFinding {
    /// Its sessions as the study asks for them.
    #[must_use]
    pub fn asked(&self) -> Option<Sessions> {
        self.regime.sessions()
    }

    /// What a candidate did under it.
    #[must_use]
    pub fn row(&self, candidate: &Candidate) -> Option<&SessionsRow> {
        self.rows.iter().find(|it| it.candidate == *candidate)
    }
}

impl Estimate {
    pub(super) fn of_cell(cell: &CellFinding) -> Option<Self> {
        Self::sound(cell.median_ns?, cell.interval_ns)
    }

    /// Nothing that is no number leaves here.
    fn sound(value: f64, interval: Option<Interval>) -> Option<Self> {
        let whole = |it: &Interval| it.low.is_finite() && it.high.is_finite();
        value.is_finite().then(|| Self { value, interval: interval.filter(whole) })
    }

    /// As many times as much.
    pub(crate) fn scaled(self, factor: f64) -> Option<Self> {
        let interval = self.interval.map(|it| Interval {
            low: it.low * factor,
            high: it.high * factor,
            confidence: it.confidence,
        });
        Self::sound(self.value * factor, interval)
    }

    /// `amount` over it: the shorter, the more.
    fn inverse(self, amount: f64) -> Option<Self> {
        let interval = self.interval.map(|it| Interval {
            low: amount / it.high,
            high: amount / it.low,
            confidence: it.confidence,
        });
        Self::sound(amount / self.value, interval)
    }

    /// Both ends, where there are any.
    #[must_use]
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.interval.map(Interval::ends)
    }

    /// It and its interval for print.
    pub(crate) fn figure(&self) -> Figure {
        Figure::of(self.value, self.ends())
    }

    /// The same of a time in nanoseconds.
    pub(crate) fn time(&self) -> Figure {
        Figure::time(self.value, self.ends())
    }
}

/// What everything here is worked out from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) run: &'a Run,
    pub(super) groups: &'a [Group],
    pub(super) cells: &'a [CellFinding],
    pub(super) series: &'a [Series],
    pub(super) levels: Levels,
}

impl Source<'_> {
    fn settled(&self, part: usize, regime: Regime, len_bytes: u64) -> Option<&SettledLoad> {
        let mut loads = self.run.loads.iter();
        loads.find(|it| (it.part as usize, it.regime, it.len_bytes) == (part, regime, len_bytes))
    }

    /// Processors that a binding means.
    fn processors(&self, binding: Binding) -> u32 {
        let machine = &self.run.machine;
        let all = machine.processors.len() as u32;
        let all = if all > 0 { all } else { machine.cpus };
        match binding {
            Binding::On(count) | Binding::Pinned(count) => count.get().min(all.max(1)),
            Binding::Free | Binding::OnAll | Binding::PinnedAll => all,
            Binding::OnCores => (core_count(&machine.processors) as u32).max(1),
        }
    }
}

/// Whether others than the calling thread do a provider's work.
fn offloads(run: &Run, provider: &str) -> bool {
    let own = |it: &&ProviderRecord| it.name == provider;
    run.providers.iter().find(own).is_some_and(|it| it.offloads)
}

/// Groups that differ in their regime only, in the order of the study.
fn together(groups: &[Group], wanted: impl Fn(&Group) -> bool) -> Vec<Vec<&Group>> {
    let key = |it: &Group| (it.part, slug(&[&it.panel, &it.case]), it.key_life);
    let mut all: Vec<Vec<&Group>> = Vec::new();
    for group in groups.iter().filter(|it| wanted(it)) {
        match all.iter_mut().find(|own| key(own[0]) == key(group)) {
            Some(own) => own.push(group),
            None => all.push(vec![group]),
        }
    }
    all
}

/// Everything about sessions whose parts ask for that view.
pub(super) fn all(source: Source) -> Vec<SessionsFinding> {
    let sets = together(source.groups, |it| it.of_sessions().is_some());
    sets.into_iter().map(|groups| rows::of(source, &groups)).collect()
}
