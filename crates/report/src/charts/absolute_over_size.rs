//! Absolute processing of a byte over message length, both logarithmic, a line a function: figures
//! 4 to 7 of the paper on apparent processing.

use super::curves::{self, Across, Curve, Plot, Point};
use super::{Drawn, panels, processing_over_size, words};
use crate::findings::sessions::{LoadFinding, SessionsRow, load_words};
use crate::findings::{CellFinding, Findings, Group};
use crate::format;

/// With fewer lengths a table says it all.
const LENGTHS_MIN: usize = 3;

/// The paper has nine functions.
const FUNCTIONS: usize = 9;

/// One chart a load of at least three message lengths, kept under the first group.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let Some(set) = findings.sessions.iter().find(|it| it.head() == group.name) else {
        return vec![];
    };
    let lengths = set.lengths();
    let (Some(first), true) = (lengths.first(), lengths.len() >= LENGTHS_MIN) else {
        return vec![];
    };
    // More loads than one would be as many charts: the first speaks.
    let Some(regime) = set.at(*first).map(|it| it.regime).next() else { return vec![] };
    let loads: Vec<&LoadFinding> = set.loads.iter().filter(|it| it.regime == regime).collect();
    let mut curves = curves(findings, &loads);
    // One MAC has all that it says in the chart of its loads beside each other.
    if curves.len() == 1 && processing_over_size::suits(set) {
        return vec![];
    }
    let last = |curve: &Curve| curve.points.last().map_or(0.0, |it| it.value);
    curves.sort_by(|x, y| last(y).total_cmp(&last(x)));
    let title = "Absolute processing over message length".to_owned();
    let rows = || loads.iter().flat_map(|it| &it.rows).filter(|row| row.best_of_mac);
    let share =
        if rows().any(|row| row.offloads) { " · ‡ the processor’s share only" } else { "" };
    let what = format!(
        "estimated CPU cycles per byte, {}, best offer of each MAC{share}",
        load_words(loads[0])
    );
    let plot = Plot {
        title: title.clone(),
        subtitle: panels::subtitle(findings, group, &what),
        value_title: "cycles per byte",
        value_label: format::tick,
        across: Across { named: FUNCTIONS, ..Across::LENGTHS },
        log_sizes: true,
        curves,
        floor: None,
    };
    let told = plot.curves.iter().filter_map(|it| it.points.last()).map(|it| it.told.clone());
    let description = told.collect::<Vec<_>>().join("; ");
    let drawn = |canvas| Drawn { len_bytes: None, title, description, canvas };
    curves::draw(&plot).map(drawn).into_iter().collect()
}

fn curves<'a>(findings: &'a Findings, loads: &[&LoadFinding]) -> Vec<Curve<'a>> {
    let mut curves: Vec<Curve> = Vec::new();
    for load in loads {
        for row in load.rows.iter().filter(|row| row.best_of_mac) {
            let Some(point) = point(findings, load, row) else { continue };
            let mac = &row.candidate.mac;
            match curves.iter_mut().find(|curve| curve.label == *mac) {
                Some(curve) => curve.points.push(point),
                None => {
                    curves.push(Curve { label: mac.clone(), points: vec![point], bound: None });
                }
            }
        }
    }
    for curve in &mut curves {
        let first: Option<&CellFinding> = curve.points.first().map(|it| it.cell);
        let who = first.map(|it| it.source()).unwrap_or_default();
        let same = curve.points.iter().all(|it| it.cell.source() == who);
        let who = if same { who } else { "best offer of several".into() };
        curve.label = format!("{}\n{who}", curve.label);
    }
    curves
}

fn point<'a>(findings: &'a Findings, load: &LoadFinding, row: &SessionsRow) -> Option<Point<'a>> {
    let it = row.absolute_cycles_per_byte.filter(|it| it.value > 0.0)?;
    let cell = &findings.cells[row.absolute?];
    let about = format!("{}, absolute", format::bytes(load.len_bytes));
    let told = words(&row.candidate, &about, &it, "cycles per byte");
    Some(Point { across: load.len_bytes, value: it.value, ends: it.ends(), cell, told })
}
