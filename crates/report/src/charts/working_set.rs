//! The working set: time of a message over the number of keys in use, both logarithmic. Where a
//! cache ends, the lines rise.

use super::curves::{self, Across, Curve, Plot, Point};
use super::{Drawn, panels, words};
use crate::findings::sessions::WorkingSetFinding;
use crate::findings::{Findings, Group};
use crate::format;

/// One chart a message length of at least two numbers of keys, kept under the first group.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let own = findings.working_sets.iter().filter(|it| it.head() == group.name);
    own.filter_map(|it| one(findings, group, it)).collect()
}

fn one(findings: &Findings, group: &Group, set: &WorkingSetFinding) -> Option<Drawn> {
    let rows = set.rows.iter().filter(|it| it.best_of_mac);
    let curves: Vec<Curve> = rows
        .map(|row| {
            let points = set.keys.iter().zip(&row.cells).zip(&row.ns);
            let points = points.filter_map(|((&keys, at), ns)| {
                let (cell, it) = (&findings.cells[(*at)?], ns.filter(|it| it.value > 0.0)?);
                let about = format!("{} keys", format::tick(f64::from(keys)));
                let told = words(&row.candidate, &about, &it, "ns per message");
                let (across, value, ends) = (u64::from(keys), it.value, it.ends());
                Some(Point { across, value, ends, cell, told })
            });
            let label = format!("{}\n{}", row.candidate.mac, row.candidate.source());
            Curve { label, points: points.collect(), bound: None }
        })
        .filter(|curve| !curve.points.is_empty())
        .collect();
    let len = format::bytes(set.len_bytes);
    let title = format!("The working set: {len} messages under keys in turn");
    let what = "each key is set up beforehand, keys used in random order; best offer of each MAC";
    let plot = Plot {
        title: title.clone(),
        subtitle: panels::subtitle(findings, group, what),
        value_title: "time per message",
        value_label: format::tick_time,
        across: Across {
            title: "keys in use",
            label: |keys| format::tick(keys as f64),
            ..Across::LENGTHS
        },
        log_sizes: true,
        curves,
        floor: None,
    };
    let told = plot.curves.iter().filter_map(|it| it.points.last()).map(|it| it.told.clone());
    let description = format!("With the most keys: {}.", told.collect::<Vec<_>>().join("; "));
    let len_bytes = Some(set.len_bytes);
    curves::draw(&plot).map(|canvas| Drawn { len_bytes, title, description, canvas })
}
