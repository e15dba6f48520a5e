//! Wall clock, absolute and apparent processing beside each other, a bar for each number of
//! processors: figures 8 to 11 of the paper on apparent processing. The wall clock of a session is
//! as many times longer as there are sessions, so each quantity has a column of its own.

use super::bar_groups::{self, Bar, BarGroup, Bars};
use super::{Drawn, at_each_length, panels, words};
use crate::findings::sessions::{Estimate, SessionsFinding, SessionsRow};
use crate::findings::{Findings, Group};
use crate::format;

/// One chart a message length at which there are several numbers of processors.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    at_each_length(findings, group, one)
}

fn one(findings: &Findings, group: &Group, set: &SessionsFinding, len_bytes: u64) -> Option<Drawn> {
    let loads = set.several_alike(len_bytes, |own| (own.serving, own.count))?;
    let last = loads.iter().max_by_key(|it| it.processors)?;
    let in_cycles = last.rows.iter().any(|row| row.apparent_cycles_per_byte.is_some());
    let unit = if in_cycles { "cycles per byte" } else { "µs per message" };
    let rows = last.rows.iter().filter(|row| row.best_of_mac);
    let groups = rows.map(|row| BarGroup {
        name: row.candidate.mac.clone(),
        under: format!("{}{}", row.candidate.source(), if row.offloads { " ‡" } else { "" }),
        bars: [wall, absolute, apparent]
            .iter()
            .enumerate()
            .map(|(column, value)| {
                loads
                    .iter()
                    .map(|load| {
                        let own = load.row(&row.candidate)?;
                        let it = value(own, in_cycles)?;
                        let about = format!("{}, {}", COLUMNS[column], set.short(load));
                        let cell = own.apparent.or(own.absolute)?;
                        Some(Bar {
                            value: it.value,
                            ends: it.ends(),
                            label: format::three(it.value),
                            told: words(&own.candidate, &about, &it, unit),
                            path: findings.cells[cell].path.clone(),
                        })
                    })
                    .collect()
            })
            .collect(),
    });
    let groups: Vec<BarGroup> = groups.collect();
    let title = format!(
        "Wall clock, absolute and apparent processing, {} messages",
        format::bytes(len_bytes)
    );
    let sessions = last.sessions.map_or(String::new(), |it| format!("{it} sessions, "));
    let share = if last.rows.iter().any(|it| it.offloads && it.best_of_mac) {
        " · ‡ absolute: the processor’s share only"
    } else {
        ""
    };
    let what = format!("{sessions}best offer of each MAC; lines are 95 % intervals{share}");
    let plot = Bars {
        title: title.clone(),
        subtitle: panels::subtitle(findings, group, &what),
        columns: vec![
            format!("wall clock, {unit}"),
            format!("absolute, {unit}"),
            format!("apparent, {unit}"),
        ],
        series: loads.iter().map(|it| set.short(it)).collect(),
        groups,
    };
    let told: Vec<String> = plot.groups.iter().take(3).map(BarGroup::told).collect();
    let description = format!("{}.", told.join("; "));
    let canvas = bar_groups::draw(&plot)?;
    Some(Drawn { len_bytes: Some(len_bytes), title, description, canvas })
}

const COLUMNS: [&str; 3] = ["wall clock of a session", "absolute", "apparent"];

fn in_micros(it: Option<Estimate>) -> Option<Estimate> {
    it?.scaled(1e-3)
}

fn wall(row: &SessionsRow, in_cycles: bool) -> Option<Estimate> {
    if in_cycles { row.wall_cycles_per_byte } else { in_micros(row.wall_ns) }
}

fn absolute(row: &SessionsRow, in_cycles: bool) -> Option<Estimate> {
    if in_cycles { row.absolute_cycles_per_byte } else { in_micros(row.absolute_ns) }
}

fn apparent(row: &SessionsRow, in_cycles: bool) -> Option<Estimate> {
    if in_cycles { row.apparent_cycles_per_byte } else { in_micros(row.apparent_ns) }
}
