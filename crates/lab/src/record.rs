//! What the archive keeps: a run's conditions, its cells, its samples. Plain data, no behaviour
//! beyond look-up; everything right of the archive is a function of these.

mod adjustment;
mod chosen;
mod event;
mod exclusion;
mod instruction;
mod invocation;
mod packed;
pub mod sessions;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

pub use adjustment::Adjustment;
pub use chosen::{Chosen, PilotCell, Rival};
pub use event::{Event, EventKind};
pub use exclusion::Exclusion;
pub(crate) use exclusion::{WRONG_FIRST_TAG, WRONG_TAG};
pub use instruction::{Instruction, Measure};
pub(crate) use invocation::lenient as lenient_invocation;
pub use invocation::{Invocation, Verb};
pub use packed::Packed;
use sessions::{Load, Measured};
pub use words::{Different, Offer, Without};

use crate::cell::{Cell, Regime};
use crate::study::Study;

/// A provider as it stood when the run began: the reply to `info`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderRecord {
    /// Name or alias.
    pub name: String,
    /// Version as the library reports it.
    pub version: String,
    /// Where it was found.
    pub path: String,
    /// Whatever else decides the figures.
    pub detail: String,
    /// What it can compute.
    pub offers: Vec<Offer>,
    /// The regimes it knows; a worker that names none knows those that all know.
    #[serde(default = "usual_regimes")]
    pub regimes: Vec<Regime>,
    /// What it has and does not offer, for it gives other answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub different: Vec<Different>,
    /// Whether tags may be computed elsewhere than in the thread that asks for them, by a device or
    /// another thread: processor time of that thread is then only a share of the work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offloads: bool,
}

fn usual_regimes() -> Vec<Regime> {
    Regime::known_to_all()
}

/// The machine and the state it was in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Brand string of the processor.
    pub cpu_model: String,
    /// Instruction-set extensions that decide code paths (`aes`, `sha`, `avx2`, …).
    pub cpu_flags: Vec<String>,
    /// Logical processors online.
    pub cpus: u32,
    /// Operating system and kernel release.
    pub kernel: String,
    /// Frequency governor, where readable.
    pub governor: Option<String>,
    /// Whether turbo is on, where readable.
    pub turbo: Option<bool>,
    /// Hypervisor, where there is one.
    pub virtualization: Option<String>,
    /// Load average over one minute when the run began.
    pub load_1min: Option<f64>,
    /// The processor that workers were pinned to.
    pub pinned_cpu: Option<u32>,
    /// Memory of the machine in bytes, where readable; absent in older archives, as what follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The distribution of the operating system, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<String>,
    /// The compiler that our own code and the libraries built in were compiled by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// Processors that sessions may be given, in the order of the run: one of each core first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<Processor>,
    /// Instructions that everything measured was held to do without.
    #[serde(default, skip_serializing_if = "Without::is_empty")]
    pub without: Without,
    /// Where the user wanted the files of segments; absent where that was beside the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments_dir: Option<PathBuf>,
}

/// A logical processor, and which of them share what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Processor {
    /// Its number to the system.
    pub cpu: u32,
    /// Its core within its package; processors that share one are SMT siblings.
    pub core: u32,
    /// Its package, a socket.
    pub package: u32,
}

/// What the clock was found to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClockRecord {
    /// `time-stamp counter` or `monotonic raw clock`.
    pub source: String,
    /// Ticks per second.
    pub ticks_hz: f64,
    /// Median cost of an empty bracket, in nanoseconds.
    pub bracket_ns: f64,
    /// Smallest step that the clock was seen to make, in nanoseconds.
    pub resolution_ns: f64,
    /// Core clock at the start, estimated by a chain of dependent additions.
    pub core_hz: Option<f64>,
    /// Nominal clock from the brand string or the operating system, where there is one.
    pub nominal_hz: Option<f64>,
}

/// Seconds since the Unix epoch, now.
#[must_use]
pub fn unix_s() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

/// How a run ended, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Begun and not ended: running, or killed.
    Open,
    /// Ended by the user before its plan was fulfilled.
    Interrupted,
    /// The plan was fulfilled or its budget spent.
    Complete,
}

/// A cell as one run holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellRecord {
    /// Number of the cell in its run; samples refer to it.
    pub id: u32,
    /// The part of the study it belongs to, by its place in the study.
    pub part: u32,
    /// The cell itself.
    pub cell: Cell,
    /// Calls timed together in one sample.
    pub iterations: u64,
    /// True where this count differs from that of the others of its size, to bound the time of
    /// a sample.
    pub own_count: bool,
    /// Why its samples must not be used: a tag that differed after timing. The samples stay.
    #[serde(default)]
    pub excluded: Option<Exclusion>,
    /// Whether the run went on without it after a first look, for another offer of its mac was far
    /// ahead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_left: bool,
}

impl Run {
    /// Launches that were begun: one more than the number of the last that has a sample.
    #[must_use]
    pub fn launches(&self) -> u32 {
        self.samples.iter().map(|sample| sample.launch + 1).max().unwrap_or(0)
    }

    /// What a user narrowed it down to: [`Invocation::narrowing`].
    #[must_use]
    pub fn narrowed_by(&self) -> Option<&str> {
        self.invocation.as_ref()?.narrowing()
    }

    /// What each launch was for; none of it in older archives.
    #[must_use]
    pub fn launch_kinds(&self) -> BTreeMap<u32, LaunchKind> {
        // Of a launch that was begun again the last record is right.
        self.launch_records.iter().map(|it| (it.launch, it.kind)).collect()
    }
}

impl CellRecord {
    /// A cell of which nothing is known yet.
    #[must_use]
    pub fn new(id: u32, part: u32, cell: Cell) -> Self {
        let (iterations, own_count, has_left) = (1, false, false);
        Self { id, part, cell, iterations, own_count, excluded: None, has_left }
    }

    /// Whether its tags were found to differ from those of others after it was timed, or that of
    /// its first call from later ones.
    #[must_use]
    pub fn has_wrong_tags(&self) -> bool {
        matches!(self.excluded, Some(Exclusion::WrongTags(_)))
    }
}

/// Sample i of every cell of a part and size belongs to block i.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the cell.
    pub cell: u32,
    /// Number of the launch of the workers, from 0.
    pub launch: u32,
    /// Number of the block within its part and size, from 0, over all launches.
    pub block: u32,
    /// Place within the block.
    pub position: u32,
    /// Calls timed together.
    pub iterations: u64,
    /// Wall time of all of them in nanoseconds.
    pub elapsed_ns: f64,
    /// The same in ticks of the time-stamp counter, where the worker has one.
    pub ticks: Option<u64>,
    /// Core clock estimated beside this sample, in hertz.
    pub core_hz: Option<f64>,
    /// When it was begun, in seconds since the Unix epoch; absent in older archives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unix_s: Option<u64>,
}

impl Sample {
    /// Nanoseconds a call.
    #[must_use]
    pub fn call_ns(&self) -> f64 {
        self.elapsed_ns / self.iterations as f64
    }
}

/// Times of calls measured one by one: pairs of nanoseconds and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SingleCalls {
    /// Number of the cell.
    pub cell: u32,
    /// `(time_ns, count)`, ascending.
    pub counts: Vec<(u64, u64)>,
    /// The same calls in ticks, the clock's reads included, of cells that were called in turn;
    /// otherwise none, and none in older archives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ticks: Vec<(u64, u64)>,
}

/// A scheme of the segments' test bed: what it costs in segments, and what it was seen to detect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemeRecord {
    /// Its name: `eax-aes-128-se`.
    pub scheme: String,
    /// Who computes it.
    pub provider: String,
    /// Bytes of a nonce, which travels with what is sealed.
    pub nonce_len_bytes: u32,
    /// Bytes of a tag.
    pub tag_len_bytes: u32,
    /// Bytes sent in front of each part to bind it, where no associated data does.
    #[serde(default)]
    pub bound_len_bytes: u32,
    /// Length of the blocks that a ciphertext fills up, by one byte at least; 1 where it is as long
    /// as the message.
    #[serde(default = "one")]
    pub ciphertext_block_len_bytes: u32,
    /// Faults planted into its segments.
    pub faults: Vec<FaultCount>,
}

fn one() -> u32 {
    1
}

/// One kind of fault, planted so often into the segments of a scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCount {
    /// `flip`, `drop`, `double`, `swap`, `truncate`.
    pub fault: String,
    /// Faults of this kind that were planted.
    pub planted: u32,
    /// How many the receiver refused; the others were taken for genuine.
    pub refused: u32,
    /// Whether the scheme promises to refuse them all; where not, it refuses none but by chance.
    pub promised: bool,
}

/// How many sessions, and which window, a part takes at one length on one binding: what its first
/// launch settled, for all candidates alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettledLoad {
    /// The part, by its place in the study.
    pub part: u32,
    /// The regime, by the quantity that is measured for all of a window.
    pub regime: Regime,
    /// Length of each message in bytes.
    pub len_bytes: u64,
    /// Sessions that run at once.
    pub count: u32,
    /// t1 in milliseconds.
    pub from_ms: f64,
    /// t2 in milliseconds.
    pub to_ms: f64,
    /// What was adjusted and why, in order.
    pub adjusted: Vec<Adjustment>,
    /// What is still not as it should be, a sentence each: of values that the user fixed, or where
    /// the longest window was not enough.
    pub doubts: Vec<String>,
}

/// Who had the processor that workers are held to, or all that they may use, while the blocks of a
/// launch were measured. Sessions have accounts of their own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProcessorTime {
    /// Number of the launch, from 0.
    pub launch: u32,
    /// Seconds that the blocks took, times the processors.
    pub available_s: f64,
    /// Seconds of them that the workers and macrometer itself had.
    pub own_s: f64,
    /// Seconds that other processes had, and the kernel for others.
    pub others_s: f64,
    /// Seconds that the hypervisor gave to other guests; absent where that is not told.
    pub stolen_s: Option<f64>,
}

/// A launch of the workers and what it was for, kept when its blocks begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRecord {
    /// Number of the launch, from 0.
    pub launch: u32,
    /// What it was for.
    pub kind: LaunchKind,
}

/// What a launch is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaunchKind {
    /// All cells may take part, and targets are kept.
    Whole,
    /// A block of each set of cells that has fewer launches than an interval needs.
    Lacking,
    /// What claims that are open compare, without the others.
    Open,
}

/// A window of sessions: what samples of the quantities of one cell are made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionsRecord {
    /// Number of the cell that is measured for all quantities of its window.
    pub cell: u32,
    /// Number of the launch of the workers, from 0.
    pub launch: u32,
    /// Number of the block, as of its samples.
    pub block: u32,
    /// What was put on.
    pub load: Load,
    /// What was seen.
    pub measured: Measured,
    /// Where a capacity was sought: what was tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
    /// What ended that search, where every number tried was carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Windows that were measured before or after this one and thrown away, since the sessions
    /// received less of the processors in them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thrown_away: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What ends the search of a capacity before a number is too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// More would need more memory than a search may take here.
    Memory,
    /// No more are tried.
    Search,
    /// The machine allows no more threads.
    Threads,
}

/// A number of sessions tried while a capacity was sought.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Sessions that run at once.
    pub count: u32,
    /// The tail that the study asks about, in nanoseconds.
    pub tail_ns: u64,
    /// Messages done over messages due.
    pub done: f64,
    /// Whether so many are carried.
    pub carried: bool,
}

/// A plan measured once on one machine, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `20261121-103045-1f3a`.
    pub id: String,
    /// Seconds since the Unix epoch.
    pub created_unix_s: u64,
    /// Version of macrometer that measured.
    pub macrometer_version: String,
    /// The command line that measures it again.
    pub command: String,
    /// The same in its parts; the archive makes it of the command line where a record lacks it, as
    /// older ones do.
    #[serde(
        default,
        deserialize_with = "invocation::lenient",
        skip_serializing_if = "Option::is_none"
    )]
    pub invocation: Option<Invocation>,
    /// The pack that it was run from, and on which machine; absent where it was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<Packed>,
    /// The study as it was narrowed by the user's selection.
    pub study: Study,
    /// Seed of every random choice.
    pub seed: u64,
    /// What the user allowed, in seconds.
    pub budget_s: f64,
    /// Measuring time spent so far, in seconds.
    pub spent_s: f64,
    /// How it ended.
    pub state: RunState,
    /// The machine and its state when the run began.
    pub machine: Machine,
    /// The clock that times were read from.
    pub clock: ClockRecord,
    /// What the instructions cost that bound the macs; empty where that was not measured.
    #[serde(default)]
    pub instructions: Vec<Instruction>,
    /// Every provider found.
    pub providers: Vec<ProviderRecord>,
    /// Who speaks for each mac in each panel.
    pub chosen: Vec<Chosen>,
    /// What was measured.
    pub cells: Vec<CellRecord>,
    /// Every sample, in the order it was taken.
    pub samples: Vec<Sample>,
    /// The pass of single calls.
    pub single_calls: Vec<SingleCalls>,
    /// Whether single calls of any length were counted as long as they were. Older workers counted
    /// those above 2,047 ns as 2 ns.
    #[serde(default)]
    pub single_calls_are_whole: bool,
    /// Schemes of the segments' test bed; empty where it was not part of the study.
    #[serde(default)]
    pub schemes: Vec<SchemeRecord>,
    /// Sessions and windows that were settled; empty where no part has sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<SettledLoad>,
    /// Windows of sessions, in the order they were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionsRecord>,
    /// What each launch was for, the last of a number being right. Empty in older archives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launch_records: Vec<LaunchRecord>,
    /// Who had the processor of the workers, launch by launch; empty where that was not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processor_times: Vec<ProcessorTime>,
    /// What happened while it was measured, in order.
    pub events: Vec<Event>,
}
