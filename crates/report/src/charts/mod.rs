//! Charts of a run as SVG, and as PNG where the feature `png` is compiled in. One chart is one file
//! with a row in `ChartKind` and an arm in `drawn_by`. They show findings and compute none.

mod absolute_over_size;
mod axis;
mod bar_groups;
mod between_sessions;
mod boxes;
mod candidates;
mod canvas;
mod capacity;
mod colour;
mod curves;
mod designs;
mod distributions;
mod dots;
mod grouped_bars;
mod over_processors;
mod over_sessions;
mod panels;
mod per_byte;
#[cfg(feature = "png")]
mod png;
mod processing_over_size;
mod ranking;
mod small_multiples;
mod speed_over_size;
mod speeds;
mod stacked;
mod time_over_size;
mod transactions;
mod where_time_goes;
mod working_set;

use std::collections::BTreeSet;

use lab::cell::Candidate;
use lab::record::Run;

use crate::findings::sessions::{Estimate, SessionsFinding};
use crate::findings::{CellFinding, Findings, Group, empty_groups, slug, without_mark};
use crate::format::{self, Figure};
use canvas::{Anchor, Canvas, text_width};

pub use crate::chart_kind::ChartKind;
pub use candidates::candidates;
pub use canvas::escaped;
pub use colour::{Colour, themed};
pub(crate) use grouped_bars::joined;

type Draw = fn(&Findings, &Group) -> Vec<Drawn>;

/// Who draws a kind of chart of a group.
fn drawn_by(kind: ChartKind) -> Draw {
    match kind {
        ChartKind::GroupedBars => grouped_bars::draw,
        ChartKind::TimeOverSize => time_over_size::draw,
        ChartKind::CyclesPerByte => per_byte::draw,
        ChartKind::SpeedOverSize => speed_over_size::draw,
        ChartKind::Ranking => ranking::draw,
        ChartKind::Distributions => distributions::draw,
        ChartKind::Speeds => speeds::draw,
        ChartKind::TakenApart => stacked::draw,
        ChartKind::Transactions => transactions::draw,
        ChartKind::WhereTimeGoes => where_time_goes::draw,
        ChartKind::AbsoluteOverSize => absolute_over_size::draw,
        ChartKind::ProcessingOverSize => processing_over_size::draw,
        ChartKind::OverProcessors => over_processors::draw,
        ChartKind::OverSessions => over_sessions::draw,
        ChartKind::Designs => designs::draw,
        ChartKind::BetweenSessions => between_sessions::draw,
        ChartKind::WorkingSet => working_set::draw,
        ChartKind::Capacity => capacity::draw,
    }
}

/// What one chart's file hands back.
struct Drawn {
    len_bytes: Option<u64>,
    title: String,
    description: String,
    canvas: Canvas,
}

/// A chart, drawn.
pub struct Chart {
    /// Name, unique in its run: a file name without its ending, and an anchor.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The chart, in the colours of paper.
    pub svg: String,
    /// What it shows.
    pub kind: ChartKind,
    /// Name of the group it is of.
    pub group: String,
    /// The message size it is of; absent where it goes over all.
    pub len_bytes: Option<u64>,
}

/// A chart could not be drawn as PNG.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw {chart} as PNG: {reason}")]
pub struct PngError {
    chart: String,
    reason: NotDrawn,
}

/// Why a chart cannot be drawn as PNG.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotDrawn {
    /// The machine has no font.
    #[error("no font found (package fonts-dejavu-core)")]
    NoFont,
    /// Its size is none.
    #[error("it has no size")]
    NoSize,
    /// There would be too many pixels.
    #[error("it is too large")]
    TooLarge,
    /// What the library says that draws it.
    #[error("{0}")]
    Library(String),
}

impl Chart {
    /// The chart as PNG, at twice its size; `None` if the feature `png` is not compiled in.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub fn png(&self) -> Result<Option<Vec<u8>>, PngError> {
        #[cfg(feature = "png")]
        return match png::of(&self.svg) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(reason) => Err(PngError { chart: self.name.clone(), reason }),
        };
        #[cfg(not(feature = "png"))]
        Ok(None)
    }
}

/// Every chart of a run.
#[must_use]
pub fn all(run: &Run, findings: &Findings) -> Vec<Chart> {
    let mut charts = Vec::new();
    for group in &findings.groups {
        for &kind in ChartKind::ALL.iter().filter(|kind| is_told(**kind, group)) {
            for drawn in drawn_by(kind)(findings, group) {
                let size = drawn.len_bytes.map(|len| format!("-{len}")).unwrap_or_default();
                let name = stem(run, group, kind) + &size;
                let svg = drawn.canvas.svg(&name, &drawn.title, &drawn.description);
                charts.push(Chart {
                    name,
                    title: drawn.title,
                    svg,
                    kind,
                    group: group.name.clone(),
                    len_bytes: drawn.len_bytes,
                });
            }
        }
    }
    charts
}

/// What charts of a run are called, known without drawing them. Some may have nothing to draw.
pub struct Names {
    /// Without the message size.
    stems: BTreeSet<String>,
    /// Message sizes.
    sizes: BTreeSet<String>,
}

impl Names {
    /// Of this run.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let mut stems = BTreeSet::new();
        for group in empty_groups(run) {
            let kinds = ChartKind::ALL.iter().filter(|kind| is_told(**kind, &group));
            stems.extend(kinds.map(|kind| stem(run, &group, *kind)));
        }
        let sizes = run.cells.iter().map(|it| it.cell.len_bytes.to_string()).collect();
        Self { stems, sizes }
    }

    /// Whether a chart may have this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let is_sized =
            |(stem, size): (&str, &str)| self.stems.contains(stem) && self.sizes.contains(size);
        self.stems.contains(name) || name.rsplit_once('-').is_some_and(is_sized)
    }
}

/// The name of a chart without the message size that it is of.
fn stem(run: &Run, group: &Group, kind: ChartKind) -> String {
    format!("{}-{}", without_mark(&whose(run, group, kind)), kind.name())
}

fn whose(run: &Run, group: &Group, kind: ChartKind) -> String {
    match run.study.parts.get(group.part) {
        // It shows all cases of the part, and is not named after one of them.
        Some(part) if kind == ChartKind::GroupedBars => {
            slug(&[&part.name, &group.panel, group.key_life.name(), &group.regime.to_string()])
        }
        // Its first regime is one of many that the chart shows.
        Some(part) if group.set().is_some_and(|it| it.is_one) => {
            slug(&[&part.name, &group.panel, &group.case, group.key_life.name()])
        }
        _ => group.name.clone(),
    }
}

fn is_told(kind: ChartKind, group: &Group) -> bool {
    group.set().is_none_or(|it| it.charts.contains(&kind))
}

/// What a size is the size of.
fn sized(group: &Group, len_bytes: u64) -> String {
    let unit = group.set().map_or("message", |it| it.unit);
    format!("{} {unit}s", format::bytes(len_bytes))
}

/// The two small lines under a title: which cells of which panel, and what is shown of them.
fn subtitle(findings: &Findings, group: &Group, what: &str) -> [String; 2] {
    let panels = findings.groups.iter().any(|other| other.panel != group.panel);
    let panel = if panels { format!(" · {}", group.panel_title) } else { String::new() };
    [format!("{} · {}{panel}", group.case_title, group.context()), what.to_owned()]
}

/// Title and subtitle from `left`; what does not fit into the sheet ends in an ellipsis.
fn heading(canvas: &mut Canvas, (left, right): (f64, f64), title: &str, under: &[String; 2]) {
    canvas.title((left, 24.0), title, 16);
    for (line, top) in under.iter().zip([43.0, 59.0]) {
        let mut text = line.clone();
        while text_width(&text, 12) > right - left && text.pop().is_some() {}
        if text.len() < line.len() {
            text.push('…');
        }
        canvas.text((left, top), &text, 12, Anchor::Start, Colour::Quiet);
    }
}

/// `hmac-sha256 · openssl[sha-ni] · 64 B: 61.2 ns (95 % 60.9–61.6)`.
fn spoken(cell: &CellFinding) -> String {
    let (mac, len) = (&cell.cell.candidate.mac, format::bytes(cell.cell.len_bytes));
    let time = cell.time();
    let interval = match time.as_ref().and_then(Figure::known_ends) {
        Some(ends) => format!(" (95 % {ends})"),
        None => " (no interval)".into(),
    };
    let time = time.map_or(format::ABSENT.into(), |it| it.value());
    format!("{mac} · {} · {len}: {time}{interval}", cell.source())
}

/// A chart of sessions at each message length that `one` has one for.
fn at_each_length(
    findings: &Findings,
    group: &Group,
    one: fn(&Findings, &Group, &SessionsFinding, u64) -> Option<Drawn>,
) -> Vec<Drawn> {
    let Some(set) = findings.sessions.iter().find(|it| it.head() == group.name) else {
        return vec![];
    };
    set.lengths().into_iter().filter_map(|len| one(findings, group, set, len)).collect()
}

/// `hmac-sha256 · openssl[sha-ni] · absolute, on 2: 1.03 cycles per byte (95 % 1.02–1.05)`.
fn words(who: &Candidate, about: &str, it: &Estimate, unit: &str) -> String {
    let figure = it.figure();
    let ends = figure.known_ends().map(|ends| format!(" (95 % {ends})"));
    let value = figure.value();
    format!("{} · {} · {about}: {value} {unit}{}", who.mac, who.source(), ends.unwrap_or_default())
}
