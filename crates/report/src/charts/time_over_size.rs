//! Time of a call over message length, both logarithmic: the best offer of each mac, its interval,
//! and the floor.

use super::curves::{self, Across, Plot};
use super::{Drawn, subtitle};
use crate::findings::{CellFinding, Findings, Group};
use crate::format;
use crate::regimes::Set;

/// One chart a group of at least two sizes.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    if group.lines_only {
        return vec![];
    }
    let curves = curves::best_offers(findings, group, value);
    let what = format!("best offer of each MAC, 95 % intervals{}", curves::rest(curves.len()));
    let (title, value_title) = match group.set() {
        Some(Set { time, unit, .. }) => {
            (format!("{} over {unit} size", format::capitalised(time)), time)
        }
        None => ("Time per call over message length".into(), "time per call"),
    };
    let plot = Plot {
        subtitle: subtitle(findings, group, &what),
        title: title.clone(),
        value_title,
        value_label: format::tick_time,
        across: Across::LENGTHS,
        log_sizes: true,
        curves,
        floor: curves::floor(findings, group, value),
    };
    let description = curves::description(findings, group);
    let drawn = |canvas| Drawn { len_bytes: None, title, description, canvas };
    curves::draw(&plot).map(drawn).into_iter().collect()
}

fn value(cell: &CellFinding) -> Option<(f64, Option<(f64, f64)>)> {
    Some((cell.median_ns?, cell.interval_ns.map(|it| (it.low, it.high))))
}
