//! The line charts of the second part of the paper *Comparing the Speeds of HMAC and CMAC*: speed,
//! one over time, as messages grow by equal steps. Ours has a logarithmic axis of speed, since on
//! the paper's linear one everything past the first sizes lies on the floor.

use super::curves::{self, Across, Plot};
use super::{Drawn, subtitle};
use crate::findings::{CellFinding, Findings, Group};
use crate::format;

/// One chart a group that is drawn as lines only.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    if !group.lines_only {
        return vec![];
    }
    let title = "Speed over message length".to_owned();
    let plot = Plot {
        subtitle: subtitle(findings, group, "95 % bands"),
        title: title.clone(),
        value_title: "calls per second",
        value_label: format::tick,
        across: Across::LENGTHS,
        log_sizes: false,
        curves: curves::best_offers(findings, group, value),
        floor: None,
    };
    let description = curves::description(findings, group);
    let drawn = |canvas| Drawn { len_bytes: None, title, description, canvas };
    curves::draw(&plot).map(drawn).into_iter().collect()
}

fn value(cell: &CellFinding) -> Option<(f64, Option<(f64, f64)>)> {
    Some((1e9 / cell.median_ns?, cell.interval_ns.map(|it| (1e9 / it.high, 1e9 / it.low))))
}
