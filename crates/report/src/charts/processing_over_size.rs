//! Wall clock, absolute and apparent processing of a byte over message length, a frame for each
//! number of processors: figures 8 to 11 of the paper on apparent processing.

use super::curves::{Across, Curve, Point};
use super::small_multiples::{self, Frame};
use super::{Drawn, panels, words};
use crate::findings::sessions::{Estimate, LoadFinding, SessionsFinding, SessionsRow};
use crate::findings::{Findings, Group};
use crate::format;

/// With fewer lengths a table says it all.
const LENGTHS_MIN: usize = 3;

/// MACs that have frames: the fastest.
const MACS_MAX: usize = 4;

type Value = fn(&SessionsRow) -> Option<Estimate>;

const LINES: [(&str, Value); 3] = [
    ("wall clock\nof a session", |row| row.wall_cycles_per_byte),
    ("absolute\nprocessing", |row| row.absolute_cycles_per_byte),
    ("apparent\nprocessing", |row| row.apparent_cycles_per_byte),
];

/// One chart of a part that has several loads at each of at least three message lengths.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let set = findings.sessions.iter().find(|it| it.head() == group.name);
    set.and_then(|set| one(findings, group, set)).into_iter().collect()
}

/// Whether a set has loads to be compared over length.
pub(super) fn suits(set: &SessionsFinding) -> bool {
    let lengths = set.lengths();
    lengths.len() >= LENGTHS_MIN && lengths.iter().all(|&len| loads(set, len).len() > 1)
}

/// Loads that differ in where their sessions run.
fn loads(set: &SessionsFinding, len_bytes: u64) -> Vec<&LoadFinding> {
    set.several_alike(len_bytes, |own| (own.serving, own.count)).unwrap_or_default()
}

fn one(findings: &Findings, group: &Group, set: &SessionsFinding) -> Option<Drawn> {
    if !suits(set) {
        return None;
    }
    let lengths = set.lengths();
    let longest = loads(set, *lengths.last()?);
    let mut macs: Vec<&str> = Vec::new();
    for row in longest.last()?.rows.iter().filter(|row| row.best_of_mac) {
        macs.push(&row.candidate.mac);
    }
    let more = macs.len().saturating_sub(MACS_MAX);
    macs.truncate(MACS_MAX);
    let mut frames = Vec::new();
    for mac in macs {
        for load in &longest {
            let own = lengths.iter().filter_map(|&len| {
                let same = set.at(len).find(|it| it.regime == load.regime)?;
                let row = same.rows.iter().find(|it| it.best_of_mac && it.candidate.mac == mac);
                Some((same, row?))
            });
            let own: Vec<_> = own.collect();
            let title = format!("{mac}, {}", set.short(load));
            let curves = LINES.iter().map(|line| curve(findings, &own, line)).collect();
            frames.push(Frame { title, label: format::tick, curves, span: None });
        }
    }
    let points = || frames.iter().flat_map(|it| &it.curves).flat_map(|it| &it.points);
    let low = points().map(|it| it.value).fold(f64::INFINITY, f64::min);
    let high = points().map(|it| it.value).fold(0.0, f64::max);
    // One axis, so that frames can be held against each other.
    frames.iter_mut().for_each(|it| it.span = Some((low, high)));
    let title = "Wall clock, absolute and apparent processing over message length".to_owned();
    let sessions = longest[0].sessions.map_or(String::new(), |it| format!("{it} sessions, "));
    let rest = if more > 0 { format!(" · {more} more MACs in the tables") } else { String::new() };
    let what = format!(
        "estimated core cycles per byte, {sessions}best offers; where apparent is absolute, it \
         lies below{rest}"
    );
    let under = panels::subtitle(findings, group, &what);
    let across = Across { named: LINES.len(), ..Across::LENGTHS };
    let canvas = small_multiples::draw((&title, &under), across, &frames)?;
    let last = frames.iter().flat_map(|it| &it.curves).filter_map(|it| it.points.last());
    let told: Vec<String> = last.map(|it| it.told.clone()).collect();
    let description = format!("At the longest messages: {}.", told.join("; "));
    Some(Drawn { len_bytes: None, title, description, canvas })
}

fn curve<'a>(
    findings: &'a Findings,
    own: &[(&LoadFinding, &SessionsRow)],
    (label, value): &(&str, Value),
) -> Curve<'a> {
    let points = own.iter().filter_map(|(load, row)| {
        let it = value(row).filter(|it| it.value > 0.0)?;
        let cell = &findings.cells[row.apparent.or(row.absolute)?];
        let about = format!("{}, {}", label.replace('\n', " "), format::bytes(load.len_bytes));
        let told = words(&row.candidate, &about, &it, "cycles per byte");
        Some(Point { across: load.len_bytes, value: it.value, ends: it.ends(), cell, told })
    });
    Curve { label: (*label).into(), points: points.collect(), bound: None }
}
