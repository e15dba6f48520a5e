//! Everything a run tells, as data: what each cell took, who ranks where, what becomes of claims.
//! `stats` computes it; here it is decided only which numbers meet. All that is shown is read here.

pub(crate) mod about;
mod background;
mod better;
pub mod bills;
mod cells;
pub mod choices;
mod claims;
mod crossings;
mod groups;
mod headlines;
mod in_use;
mod interval;
mod labels;
mod nominal;
pub(crate) mod not_measured;
mod paper;
mod ranks;
pub mod schemes;
pub mod segments;
pub(crate) mod series;
pub mod sessions;
pub(crate) mod single_calls;
pub(crate) mod steadiness;
pub(crate) mod taken_apart;
pub(crate) mod theory;
pub mod transactions;
mod unranked;
mod wide;

pub use about::{About, SCHEMA, UNITS};
pub use background::Background;
pub use better::PairFinding;
pub use claims::{
    ClaimFinding, ClaimVerdict, Effect, OpenComparison, PanelVerdict, Quantity, decided, open,
};
pub use crossings::CrossoverFinding;
pub(crate) use groups::{empty as empty_groups, slug, without_mark};
pub use in_use::{First, InUse, NamedMac};
pub use interval::{Interval, RatioFinding};
use labels::own_name;
pub use labels::{Topology, key_life_words, mode_and_primitive};
pub(crate) use labels::{condition_words, in_words};
pub use nominal::NominalClock;
pub use not_measured::NotMeasured;
pub(crate) use ranks::inverse;
pub use taken_apart::{Share, TakenApart};
pub use theory::{KeyMaterial, Work};
pub use unranked::Unranked;

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{Cell, KeyLife, Regime};
use lab::record::{Run, Without};
use lab::study::{Rows, View};
use serde::Serialize;
use stats::{Alpha, Analysis, BoxPlot, Confidence, Histogram, Margin, Verdict};

use crate::format::Figure;
pub use crate::regimes::regime_words;

/// Independent messages of this length are too long for a processor to work on two at once to an
/// extent that matters: it looks some 500 instructions ahead, and AES takes 11 for 16 bytes, so
/// that the ends of two messages meet over 700 bytes, 1 % of these.
const ALONE_BYTES_MIN: u64 = 65_536;

/// What a run tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Findings {
    /// What the document is, and of which run.
    #[serde(flatten)]
    pub about: About,
    /// Confidence asked of every interval, each on its own.
    pub confidence: f64,
    /// Level of the paper's tests.
    pub alpha: f64,
    /// Differences within this share are called equivalent.
    pub margin: f64,
    /// The clock by which T·F/L is told; absent where none is known.
    pub nominal: Option<NominalClock>,
    /// Modes that the study calls otherwise than the catalog does.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// The language whose programs call each provider, where it is known.
    #[serde(skip)]
    pub languages: BTreeMap<String, &'static str>,
    /// MACs in wide use, which the study names, beside the fastest; one for each ranking.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_use: Vec<InUse>,
    /// Instructions that were left out.
    #[serde(skip_serializing_if = "Without::is_empty")]
    pub without: Without,
    /// What of the machine must be known before the answers are read, a sentence each.
    #[serde(rename = "machine_notes", skip_serializing_if = "Vec::is_empty")]
    pub machine: Vec<String>,
    /// What was asked for and not measured, a MAC each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_measured: Vec<NotMeasured>,
    /// What is missing, a sentence each: MACs that were not measured, launches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shortfalls: Vec<String>,
    /// The answers, most wanted first.
    pub headlines: Vec<Headline>,
    /// One entry a cell of the run, in its order.
    pub cells: Vec<CellFinding>,
    /// One entry for each part × regime × key life × panel × case.
    pub groups: Vec<Group>,
    /// Who speaks for a mac where a panel wants the fastest, and by how much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<choices::ChoiceFinding>,
    /// One entry a claim of the study, in its order.
    pub claims: Vec<ClaimFinding>,
    /// Schemes of the segments' test bed, where it is part of the study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schemes: Vec<schemes::SchemeFinding>,
    /// Sessions, where a part asks for that view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<sessions::SessionsFinding>,
    /// Working sets, where a part asks for that view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub working_sets: Vec<sessions::WorkingSetFinding>,
    /// Capacities, where a part asks for that view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<sessions::CapacityFinding>,
    /// Footnotes; cells and rows refer to them by place.
    pub notes: Vec<String>,
    /// Warnings about the run as a whole.
    pub warnings: Vec<String>,
    /// What all of it was found in, cell by cell.
    #[serde(skip)]
    pub(crate) series: Vec<series::Series>,
}

/// What an interval or a pairing is made over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A launch's median.
    Launch,
    /// A block: there are too few launches.
    Block,
}

/// Quantiles of calls timed one by one, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SingleQuantiles {
    /// How many calls.
    pub calls: u64,
    /// Half of them took no longer.
    pub p50_ns: u64,
    /// Nine of ten took no longer.
    pub p90_ns: u64,
    /// All but one in a hundred.
    pub p99_ns: u64,
    /// All but one in a thousand; absent where there are fewer than a thousand.
    pub p99_9_ns: Option<u64>,
    /// The median in ticks, the clock's reads included, of calls made in turn with those of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ticks: Option<u64>,
}

/// What a cell took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellFinding {
    /// Number of the cell in its run.
    pub id: u32,
    /// Its stable path.
    pub path: String,
    /// The part it belongs to, by its place in the study.
    pub part: usize,
    /// The cell.
    pub cell: Cell,
    /// Its mac by the name that the study has for it.
    #[serde(skip)]
    pub called: String,
    /// What speaks against choosing its mac by speed alone, in a word: `legacy`, `conditional`.
    pub caution: Option<String>,
    /// Number of samples.
    pub samples: usize,
    /// Number of launches with samples.
    pub launches: usize,
    /// Launches in which not all that it is compared with were measured, but claims about it were
    /// open: pairs that share them use them, its own figures do not.
    #[serde(skip_serializing_if = "labels::is_zero")]
    pub further_launches: usize,
    /// What the interval is made over.
    pub unit: Unit,
    /// Mean time of a call over all samples; absent without samples.
    pub mean_ns: Option<f64>,
    /// Median time of a call; absent without samples.
    pub median_ns: Option<f64>,
    /// Interval of that median.
    pub interval_ns: Option<Interval>,
    /// Median of the estimated core cycles of a call; absent where no sample of its blocks has an
    /// estimate of the core clock.
    pub cycles_estimated: Option<f64>,
    /// The same a byte.
    pub cycles_per_byte_estimated: Option<f64>,
    /// T·F/L by the mean and [`Findings::nominal`]; absent where no such clock is known.
    pub cycles_per_byte_nominal: Option<f64>,
    /// Core cycles per byte that its mac takes at least on the machine of the run; absent where
    /// that is not known.
    pub bound_cycles_per_byte: Option<f64>,
    /// What its mac computes by theory for such a message; absent where that is not known.
    pub work: Option<Work>,
    /// Throughput at the median.
    pub mib_per_s: Option<f64>,
    /// Sessions that are carried, where that was sought: such a cell has no times of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<sessions::CapacityOfCell>,
    /// Times of the blocks as a box plot.
    pub box_plot: Option<BoxPlot>,
    /// Times of the blocks as a histogram.
    pub histogram: Option<Histogram>,
    /// Calls timed one by one.
    pub single: Option<SingleQuantiles>,
    /// What the data tell of an interval that is wide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_wide: Option<String>,
    /// Whether it was seen in a first look only, for another offer of its mac was far ahead of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_left: bool,
    /// Windows of its sessions that others disturbed, where there are any.
    pub disturbed: Option<sessions::Disturbed>,
    /// Footnotes, by place in [`Findings::notes`].
    pub notes: Vec<usize>,
}

/// The cells that are compared with each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Name unique in its run, of letters, digits and dashes: an anchor.
    pub name: String,
    /// The part, by its place in the study.
    pub part: usize,
    /// Its title.
    pub part_title: String,
    /// How calls follow one another.
    pub regime: Regime,
    /// How long a key lives.
    pub key_life: KeyLife,
    /// Name of the panel.
    pub panel: String,
    /// Its title.
    pub panel_title: String,
    /// Name of the case.
    pub case: String,
    /// Its title.
    pub case_title: String,
    /// Lines over size only.
    pub lines_only: bool,
    /// Tables and charts that its part asks for.
    pub views: Vec<View>,
    /// What a row of the paper's tables is.
    pub rows: Rows,
    /// One entry a message size, ascending.
    pub sizes: Vec<SizeFinding>,
    /// Crossovers as messages grow.
    pub crossovers: Vec<CrossoverFinding>,
    /// The paper's tests over all sizes, where a row is a size.
    pub tests: Option<PaperTests>,
    /// Call breakdown, where its part asks for that.
    pub taken_apart: Vec<TakenApart>,
}

/// One message size of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeFinding {
    /// Message length.
    pub len_bytes: u64,
    /// The floor at this size, by place in [`Findings::cells`].
    pub floor: Option<usize>,
    /// From the fastest to the slowest; cells that could not be ranked come last.
    pub ranking: Vec<RankRow>,
    /// Every pair of best offers, where the part asks for the view `better-than`.
    pub better: Vec<PairFinding>,
    /// The same among those whose macs nothing speaks against; absent where that is all of them, or
    /// none.
    pub recommended: Option<Vec<RankRow>>,
    /// The same of those among them that the study names as in wide use; absent where that is all
    /// of them, or none.
    pub in_use: Option<Vec<RankRow>>,
    /// The paper's tests, where a row is a block.
    pub tests: Option<PaperTests>,
}

/// A candidate in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankRow {
    /// Its cell, by place in [`Findings::cells`].
    pub cell: usize,
    /// Place from 1, the fastest, in the same launches; absent where it could not be ranked.
    pub rank: Option<usize>,
    /// Group of ties, from 1: what is not shown to be slower than the head of a group is in it.
    /// Absent where there is no interval that could show it.
    pub tie_group: Option<usize>,
    /// True for the fastest offer of its mac.
    pub best_of_mac: bool,
    /// True for the fastest offer of its mac, and where an interval does not show it slower.
    pub tied_with_best_of_mac: bool,
    /// True for the best of all, and where an interval does not show it slower.
    pub tied_with_best: bool,
    /// Its time over that of the best; absent for the best itself.
    pub to_best: Option<RatioFinding>,
    /// It against the best; absent for the best itself.
    pub verdict: Option<Verdict>,
}

/// The paper's tests of one table, on speeds in calls a second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperTests {
    /// Name of each column, in order, with the cell at the first size behind it.
    pub columns: Vec<(String, usize)>,
    /// Number of rows.
    pub n_rows: usize,
    /// How the values of each column spread, with the same bins for all.
    pub histograms: Vec<Histogram>,
    /// What the tests say.
    pub analysis: Analysis,
}

/// One answer, in a form that can be set large.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headline {
    /// What was asked: `64 B, key prepared`.
    pub context: String,
    /// The answer in few words.
    pub answer: String,
    /// Who comes next, and what is tied.
    pub detail: String,
    /// Who else is first, where the answer is of what is in wide use.
    pub beside: Vec<Beside>,
    /// All of it in one sentence.
    pub sentence: String,
    /// Where the evidence is: name of a group, and a size in it.
    pub group: String,
    /// The size; absent where it is about all of them.
    pub len_bytes: Option<u64>,
}

/// Who is first of more than the answer is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Beside {
    /// Of what: `Fastest of all`.
    pub of: &'static str,
    /// A mac and who computes it.
    pub who: String,
    /// Its time, and what must be known of it.
    pub time: String,
}

/// The levels by which everything is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levels {
    pub(crate) confidence: Confidence,
    pub(crate) alpha: Alpha,
    pub(crate) margin: Margin,
}

impl Findings {
    /// What cycles are, for where they are printed; absent where there are none.
    pub(crate) fn estimated_cycles(&self) -> Option<&'static str> {
        self.cells.iter().any(|it| it.cycles_estimated.is_some()).then_some(
            "Cycles are estimated: time × the core clock shown by a chain of dependent additions \
             next to each sample, or in its block",
        )
    }

    /// Works out everything that `run` tells by itself.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        Self::with_background(run, &Background::default())
    }

    /// As [`of`](Self::of), with what is known beside the run.
    #[must_use]
    pub fn with_background(run: &Run, background: &Background<'_>) -> Self {
        let levels = Levels::of(run);
        let series = series::all(run);
        let mut notes = Vec::new();
        let told = series::told(&series);
        let mut cells = cells::all(run, &told, levels, &mut notes);
        let nominal = NominalClock::of(run);
        sessions::by_measured_bytes(run, &mut cells);
        sessions::mark_disturbed(run, &mut cells, &mut notes);
        nominal::fill(&mut cells, &told, nominal.as_ref());
        background.fill(&mut cells);
        let groups = groups::all(run, &cells, &series, levels);
        let claims = claims::all(run, &groups, &cells, &series, levels);
        let source =
            sessions::Source { run, groups: &groups, cells: &cells, series: &series, levels };
        let (of_sessions, capacities) = (sessions::all(source), sessions::capacities(source));
        let working_sets = sessions::working_sets(source);
        let mut headlines = headlines::all(run, &groups, &cells, &claims);
        headlines.extend(sessions::headlines(source, &of_sessions, &capacities));
        let schemes = schemes::all(run);
        let choices = choices::all(run, &cells, &series);
        let mut warnings = schemes::warnings(&schemes);
        warnings.extend(choices::warnings(&choices));
        warnings.extend(single_calls::warning(run));
        warnings.extend(groups::warnings(run, &cells, &groups));
        warnings.extend(sessions::warnings(source, &of_sessions));
        let not_measured = not_measured::all(run);
        let shortfalls = not_measured::shortfalls(run, &cells, &not_measured);
        warnings.extend(not_measured::in_full(&not_measured));
        sessions::capacities_apart(run, &told, &mut cells);
        Findings {
            about: About::of(run),
            confidence: levels.confidence.value(),
            alpha: levels.alpha.value(),
            margin: levels.margin.value(),
            nominal,
            names: run.study.names.clone(),
            languages: background.languages(run),
            in_use: in_use::all(run, &groups, &cells),
            without: run.machine.without.clone(),
            machine: steadiness::sentences(run, &cells, &series),
            not_measured,
            shortfalls,
            headlines,
            cells,
            groups,
            choices,
            claims,
            schemes,
            sessions: of_sessions,
            working_sets,
            capacities,
            notes,
            warnings,
            series,
        }
    }

    /// A mac by the name that the study has for its mode: `omac1-aes-128` for `cmac-aes-128`.
    #[must_use]
    pub fn named(&self, mac: &str) -> String {
        own_name(&self.names, mac)
    }

    /// Likewise a mode alone.
    #[must_use]
    pub fn mode_named<'a>(&'a self, mode: &'a str) -> &'a str {
        self.names.get(mode).map_or(mode, String::as_str)
    }

    /// The cell of a row.
    #[must_use]
    pub fn cell(&self, row: &RankRow) -> &CellFinding {
        &self.cells[row.cell]
    }

    /// For each MAC at one size the offers not shown slower than its fastest, in alphabetical
    /// order, so that a tie reads alike at every size: `macs[sha-ni] = rustcrypto[sha-ni]`.
    #[must_use]
    pub fn best_sources(&self, size: &SizeFinding) -> BTreeMap<&str, String> {
        let mut sources: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for row in size.ranking.iter().filter(|row| row.tied_with_best_of_mac) {
            let cell = self.cell(row);
            sources.entry(&cell.cell.candidate.mac).or_default().insert(cell.source());
        }
        let join = |own: BTreeSet<String>| own.into_iter().collect::<Vec<_>>().join(" = ");
        sources.into_iter().map(|(mac, own)| (mac, join(own))).collect()
    }
}

impl CellFinding {
    /// Its median time and the interval of it for print; absent without samples.
    #[must_use]
    pub fn time(&self) -> Option<Figure> {
        Some(Figure::time(self.median_ns?, self.interval_ns.map(Interval::ends)))
    }

    /// Who computes it, and how: `openssl[sha-ni]`.
    #[must_use]
    pub fn source(&self) -> String {
        self.cell.candidate.source()
    }

    /// What it is and who computes it: `omac1-aes-128 from openssl[aes-ni]`.
    #[must_use]
    pub fn in_words(&self) -> String {
        format!("{} from {}", self.called, self.source())
    }

    /// Its cycles over its bound. Absent for short independent messages: the processor begins the
    /// next while the last one is under way, so that the chain of one bounds nothing.
    #[must_use]
    pub fn to_bound(&self) -> Option<f64> {
        let overlap = self.cell.regime == Regime::USUAL && self.cell.len_bytes < ALONE_BYTES_MIN;
        let bound = self.bound_cycles_per_byte.filter(|_| !overlap)?;
        Some(self.cycles_per_byte_estimated? / bound)
    }
}
