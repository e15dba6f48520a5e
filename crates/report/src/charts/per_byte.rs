//! Cost of a byte over message length: estimated core cycles where a core clock was estimated in
//! most cells, else nanoseconds. What a long message costs, and what a short one wastes.

use super::curves::{self, Across, Plot, Value};
use super::{Drawn, subtitle};
use crate::findings::{CellFinding, Findings, Group, RankRow};
use crate::format;

/// One chart a group of at least two sizes.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    if group.lines_only {
        return vec![];
    }
    // A message of 0 bytes has no cost of a byte.
    let sizes = group.sizes.iter().filter(|size| size.len_bytes > 0);
    let best = sizes.flat_map(|size| &size.ranking).filter(|row| row.best_of_mac);
    let (without, with): (Vec<&RankRow>, Vec<&RankRow>) =
        best.partition(|row| findings.cell(row).cycles_per_byte_estimated.is_none());
    let in_cycles = without.len() * 4 <= with.len();
    let (value, unit): (Value, _) = match in_cycles {
        true => (cycles, "estimated cycles per byte"),
        false => (nanoseconds, "ns per byte"),
    };
    let mut curves = curves::best_offers(findings, group, value);
    for curve in curves.iter_mut().filter(|_| in_cycles) {
        curve.bound = curve.points.iter().find_map(|it| it.cell.bound_cycles_per_byte);
    }
    let mut what = format!("{unit}, best offer of each MAC{}", curves::rest(curves.len()));
    if curves.iter().any(|curve| curve.bound.is_some()) {
        what.push_str(" · dashed: what bounds it");
    }
    if !without.is_empty() && in_cycles {
        what.push_str(&format!(" · {} cells without a core clock left out", without.len()));
    }
    let title = "Cost of a byte over message length".to_owned();
    let plot = Plot {
        subtitle: subtitle(findings, group, &what),
        title: title.clone(),
        value_title: unit,
        value_label: format::tick,
        across: Across::LENGTHS,
        log_sizes: true,
        curves,
        floor: None,
    };
    let description = curves::description(findings, group);
    let drawn = |canvas| Drawn { len_bytes: None, title, description, canvas };
    curves::draw(&plot).map(drawn).into_iter().collect()
}

/// Cycles with the relative interval of the time they were made from.
pub(super) fn cycles(cell: &CellFinding) -> Option<(f64, Option<(f64, f64)>)> {
    let (cycles, ns) = (cell.cycles_per_byte_estimated?, cell.median_ns?);
    Some((cycles, cell.interval_ns.map(|it| (cycles * it.low / ns, cycles * it.high / ns))))
}

pub(super) fn nanoseconds(cell: &CellFinding) -> Option<(f64, Option<(f64, f64)>)> {
    let len = Some(cell.cell.mean_len_bytes()).filter(|&len| len > 0.0)?;
    Some((cell.median_ns? / len, cell.interval_ns.map(|it| (it.low / len, it.high / len))))
}
