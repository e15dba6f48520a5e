//! A study: what is asked, in one TOML file. The five papers, `survey` and a user's own studies are
//! all of this form; the format is described in `docs/studies.md`.

mod bounds;
mod claim;
mod deviation;
mod error;
mod gate;
mod panel;
mod sessions;
mod workload;

pub use bounds::{Bounds, LengthError, OutOfRange};
pub(crate) use bounds::{check_count, check_len};
pub use claim::{
    Claim, ClaimError, ClaimedContrast, ClaimedCrossover, ClaimedRatio, ClaimedUneven,
    ClaimedUnsettled, Contrasted, LEAST_TAU, PaperRule, SizeSpan, Statement,
};
pub use deviation::Deviation;
pub use error::{PanelError, PartError, SingleCallsError, StudyError};
pub use gate::Gate;
pub use panel::{Choose, Panel};
pub use sessions::{Asked, AskedError, Mix};
pub use workload::{
    Batch, Caller, Class, ClassName, Length, Now, Workload, WorkloadError, under_key,
};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cell::{KeyLife, Regime};

/// The fewest launches over which an interval can be given at all.
pub const LAUNCHES_MIN: u32 = 6;

/// Most calls of a cell that a study may have timed one by one: some seconds of a slow cipher.
pub const SINGLE_CALLS_MAX: u32 = 1_000_000;

/// Largest message a study may ask for, 16 MiB: a single call of a slow cipher then takes seconds.
pub const LEN_BYTES_MAX: u64 = 1 << 24;

/// Most message lengths that a part may list.
const SIZES_MAX: usize = 1000;

/// Most steps from the first length of a range to its last.
const STEPS_MAX: u64 = 10_000;

/// What a segment holds in bytes unless a study says otherwise: a short message (GSM 03.40).
pub const BLOCK_LEN_BYTES: usize = 140;

/// Longest segment that a study may ask for: what the largest datagram would hold.
pub const BLOCK_LEN_BYTES_MAX: u32 = 65_535;

/// A study as its file says it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its name on the command line.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it answers, in one or two sentences.
    pub summary: String,
    /// The publication it reproduces, if any.
    #[serde(default)]
    pub source: Option<String>,
    /// Default bound of the whole run in seconds.
    pub budget_s: f64,
    /// Launches of the workers: the outer replicate.
    pub launches: u32,
    /// Differences within this share are called equivalent.
    #[serde(default = "margin_default")]
    pub margin: f64,
    /// The run stops when every interval's half-width is below this share.
    #[serde(default = "half_width_default")]
    pub half_width: f64,
    /// After a first look at everything, candidates that take more than so many times as long as
    /// another offer of their mac leave the run, where there is no time for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<f64>,
    /// Who is who where it is a gate; the command fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Whose messages it is about, where it is about somebody's; the command fills it in. A race is
    /// then run between all macs of a class, for these messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// Macs that a report tells first, whatever their rank: what its readers use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<String>,
    /// Whose implementations are compared; each panel is told on its own.
    pub panels: Vec<Panel>,
    /// Neither more launches nor more blocks than asked for, even where claims stay undecided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// What is measured.
    pub parts: Vec<Part>,
    /// Published sentences to be tested.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Modes, the first word of a mac's name, that the source calls otherwise: `cmac = "omac1"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// Where the study departs from its source.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
}

fn margin_default() -> f64 {
    0.01
}

fn half_width_default() -> f64 {
    0.005
}

/// A set of cells that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Providers whose offers are measured, by name or pattern with `*`; absent: those of the
    /// panels. A part of providers that are not found is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<String>,
    /// Message lengths in bytes.
    #[serde(default)]
    pub sizes: Vec<u64>,
    /// Message lengths as a range, instead of `sizes`.
    #[serde(default)]
    pub size_range: Option<SizeRange>,
    /// Key lives.
    pub key_lives: Vec<KeyLife>,
    /// Regimes; of sessions, a name without a quantity stands for both of a window.
    #[serde(default = "single", deserialize_with = "sessions::regimes")]
    pub regimes: Vec<Regime>,
    /// What regimes of sessions are asked beyond their names.
    #[serde(default, skip_serializing_if = "Asked::is_usual")]
    pub sessions: Asked,
    /// Blocks a size over all launches; absent: as many as the budget allows.
    #[serde(default)]
    pub blocks: Option<u32>,
    /// Fresh random keys for every block.
    #[serde(default)]
    pub fresh_keys: bool,
    /// Calls of each cell that are timed one by one: odd, so that their median is one of them;
    /// absent: as many as a share of the budget allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_calls: Option<u32>,
    /// What the rows of the tests are.
    #[serde(default)]
    pub rows: Rows,
    /// Lines over size only: cells of this part are not listed one by one in the report.
    #[serde(default)]
    pub lines_only: bool,
    /// Tables and charts of this part beyond those that every part has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<View>,
    /// Length of a segment in bytes, in regimes of segments.
    #[serde(default = "block_len_default")]
    pub block_len_bytes: u32,
    /// Names of the user's own files, one for each of `sizes`; the command fills it in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Groups of macs that are tested against each other.
    pub cases: Vec<Case>,
}

fn single() -> Vec<Regime> {
    vec![Regime::USUAL]
}

/// What a short message of a mobile network holds.
fn block_len_default() -> u32 {
    BLOCK_LEN_BYTES as u32
}

/// A table or chart that a part asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Cycles per byte as bars, a chart a size, macs of one cipher side by side.
    GroupedBars,
    /// By how many percent each mac is better than each other.
    BetterThan,
    /// What each mac computes by theory beside what it takes.
    Work,
    /// What a call takes, taken apart: measurement, frame, compression; stacked over size.
    Stacked,
    /// The actions of a transaction as box plots, and the whole of it.
    Transactions,
    /// Sessions: absolute and apparent processing, tail and fairness.
    Sessions,
    /// Time over the number of keys in use: where caches end.
    WorkingSet,
    /// Sessions of a rate that are carried at a tail.
    Capacity,
}

/// `from`, `from + step`, … up to and including `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeRange {
    /// First length in bytes.
    pub from: u64,
    /// Last length in bytes.
    pub to: u64,
    /// Distance in bytes.
    pub step: u64,
}

/// What a row of a statistical table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// A block at one message length: as many tables as lengths.
    #[default]
    Blocks,
    /// A message length (its median): one table over all lengths.
    Sizes,
}

/// Macs that are compared with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Macs, by name or pattern with `*`.
    pub macs: Vec<String>,
    /// Further macs, by name or pattern: measured where the user names them (`--mac`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_request: Vec<String>,
    /// Key length of all of them in bytes; absent: the usual one of each.
    #[serde(default)]
    pub key_len_bytes: Option<u32>,
    /// Whether the paper's tests are made for this case; where not, it is drawn only.
    #[serde(default = "yes")]
    pub tested: bool,
}

fn yes() -> bool {
    true
}

impl Study {
    /// The place of a mac among those in wide use; the others come behind them all.
    #[must_use]
    pub fn place_in_use(&self, mac: &str) -> usize {
        self.named.iter().position(|name| name == mac).unwrap_or(self.named.len())
    }

    /// Whether a mac is none of those in wide use, where the study names any.
    #[must_use]
    pub fn is_rare(&self, mac: &str) -> bool {
        !self.named.is_empty() && self.place_in_use(mac) == self.named.len()
    }

    /// Reads a study and checks that it can be planned.
    ///
    /// # Errors
    /// What is wrong and where.
    pub fn parse(toml: &str) -> Result<Self, StudyError> {
        let study: Self = toml::from_str(toml).map_err(|error| in_one_line(&error, toml))?;
        if let Some(part) = study.parts.iter().find(|part| !part.files.is_empty()) {
            return Err(part.wrong(PartError::Files));
        }
        if study.gate.is_some() {
            return Err(StudyError::Reserved { field: "gate", verb: "gate" });
        }
        if study.workload.is_some() {
            return Err(StudyError::Reserved { field: "workload", verb: "recommend" });
        }
        study.check()?;
        Ok(study)
    }

    /// Whether it can be planned.
    ///
    /// # Errors
    /// What is wrong and where.
    pub fn check(&self) -> Result<(), StudyError> {
        Bounds::Positive.check("budget_s", self.budget_s)?;
        Bounds::Positive.check("margin", self.margin)?;
        Bounds::Positive.check("half_width", self.half_width)?;
        Bounds::Between(1.0, 1000.0).check("launches", f64::from(self.launches))?;
        if let Some(factor) = self.race {
            Bounds::Above(1.0).check("race", factor)?;
            if !self.claims.is_empty() {
                let other = "claims, which may be about slow MACs";
                return Err(StudyError::NotBoth { field: "race", other });
            }
        }
        if self.panels.is_empty() || self.parts.is_empty() {
            return Err(StudyError::Empty);
        }
        unique("panel", self.panels.iter().map(|panel| &panel.name))?;
        unique("part", self.parts.iter().map(|part| &part.name))?;
        unique("claim", self.claims.iter().map(|claim| &claim.id))?;
        self.panels.iter().try_for_each(|panel| panel.check(&self.parts))?;
        self.parts.iter().try_for_each(Part::check)?;
        self.check_blocks()?;
        self.check_gate()?;
        self.check_workload()?;
        self.claims.iter().try_for_each(|claim| {
            let checked = claim.check(&self.panels, &self.parts);
            checked.map_err(|mistake| StudyError::Claim { claim: claim.id.clone(), mistake })
        })
    }
}

impl Study {
    /// One length of segments for all parts: neither a cell's name nor a table tells two apart.
    fn check_blocks(&self) -> Result<(), StudyError> {
        let mut with_segments = self.parts.iter().filter(|part| part.has_segments());
        let Some(first) = with_segments.next() else { return Ok(()) };
        let first_len_bytes = first.block_len_bytes;
        let Some(other) = with_segments.find(|part| part.block_len_bytes != first_len_bytes) else {
            return Ok(());
        };
        Err(other.wrong(PartError::SeveralBlockLens {
            len_bytes: other.block_len_bytes,
            first: first.name.clone(),
            first_len_bytes,
        }))
    }
}

impl Part {
    /// Whether it has regimes of segments.
    #[must_use]
    pub fn has_segments(&self) -> bool {
        self.regimes.iter().any(|regime| regime.is_of_schemes())
    }

    /// The message lengths, ascending.
    #[must_use]
    pub fn lengths(&self) -> Vec<u64> {
        let mut lengths = match self.size_range {
            _ if self.sessions.mix.is_some() => self.sessions.mean_lengths(),
            Some(range) => (range.from..=range.to).step_by(range.step as usize).collect(),
            None => self.sizes.clone(),
        };
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// Whether it can be planned.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), StudyError> {
        self.check_own().map_err(|mistake| self.wrong(mistake))?;
        unique("case", self.cases.iter().map(|case| &case.name))
    }

    fn check_own(&self) -> Result<(), PartError> {
        self.sessions.check(self)?;
        let given =
            [!self.sizes.is_empty(), self.size_range.is_some(), self.sessions.mix.is_some()];
        if given.iter().filter(|&&given| given).count() != 1 {
            return Err(PartError::Lengths);
        }
        if let Some(SizeRange { from, to, step }) = self.size_range
            && (step == 0 || from > to || (to - from) / step > STEPS_MAX)
        {
            return Err(PartError::SizeRange);
        }
        check_count(self.sizes.len())?;
        self.lengths().iter().try_for_each(|&len| check_len(len))?;
        if self.key_lives.is_empty() || self.regimes.is_empty() || self.cases.is_empty() {
            return Err(PartError::Empty);
        }
        let block_lens = Bounds::Between(1.0, f64::from(BLOCK_LEN_BYTES_MAX));
        block_lens.check("block_len_bytes", f64::from(self.block_len_bytes))?;
        if let Some(blocks) = self.blocks {
            Bounds::AtLeast(1.0).check("blocks", f64::from(blocks))?;
        }
        self.single_calls.map_or(Ok(()), check_single_calls).map_err(PartError::SingleCalls)
    }

    /// What is wrong with it, as a mistake of its study.
    fn wrong(&self, mistake: PartError) -> StudyError {
        StudyError::Part { part: self.name.clone(), mistake }
    }
}

/// Refuses counts of single calls whose median would lie between two calls, or that take too long.
///
/// # Errors
/// When it is one of these.
pub fn check_single_calls(count: u32) -> Result<(), SingleCallsError> {
    let is_right = count % 2 == 1 && count <= SINGLE_CALLS_MAX;
    if is_right { Ok(()) } else { Err(SingleCallsError { count }) }
}

/// Whether `name` fits `pattern`, in which each `*` stands for any characters.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, rest)) => name.strip_prefix(head).is_some_and(|tail| {
            rest.is_empty()
                || tail
                    .char_indices()
                    .map(|(at, _)| &tail[at..])
                    .chain([""])
                    .any(|end| fits(rest, end))
        }),
    }
}

/// Whether `name` fits one of the patterns.
#[must_use]
pub fn fits_any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| fits(pattern, name))
}

fn unique<'a>(
    list: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), StudyError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if name.is_empty() || !seen.insert(name) {
            return Err(StudyError::Name { list, name: name.clone() });
        }
    }
    Ok(())
}

/// TOML's message spans several lines; ours is `line 3: …`.
fn in_one_line(error: &toml::de::Error, toml: &str) -> StudyError {
    let line = error.span().map(|span| 1 + toml[..span.start].matches('\n').count());
    let said = error.message().replace('\n', "; ");
    match lacks_a_field(error) {
        true => StudyError::Missing { line, said },
        false => StudyError::Text { line, said },
    }
}

/// Whether the parser found everything right but a field that is not there. Its errors have no
/// kind: they are told by their words, which are serde's, and serde is asked for them.
fn lacks_a_field(error: &toml::de::Error) -> bool {
    let of_no_name = <toml::de::Error as serde::de::Error>::missing_field("");
    error.message().starts_with(of_no_name.message().trim_end_matches('`'))
}

#[cfg(test)]
pub(crate) mod planted;
#[cfg(test)]
mod tests;
