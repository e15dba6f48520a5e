//! Sessions of a rate that are carried at a tail: a group of bars a candidate, a bar for each way
//! to serve them.

use super::bar_groups::{self, Bar, BarGroup, Bars};
use super::{Drawn, panels, words};
use crate::findings::sessions::{CapacityFinding, CapacityTable, asked_words, column_words};
use crate::findings::{Findings, Group};
use crate::format;

/// One chart a message length, kept under the first group.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let own = findings.capacities.iter().filter(|it| it.head() == group.name);
    own.flat_map(|it| it.tables.iter().filter_map(|table| one(findings, group, it, table)))
        .collect()
}

fn one(
    findings: &Findings,
    group: &Group,
    finding: &CapacityFinding,
    table: &CapacityTable,
) -> Option<Drawn> {
    let columns = column_words(table);
    let groups = table.rows.iter().filter(|row| row.best_of_mac).map(|row| {
        let bars = row.carried.iter().zip(&columns).map(|(it, column)| {
            let it = it.as_ref()?;
            Some(Bar {
                value: it.sessions.value,
                ends: it.sessions.ends(),
                label: format::three(it.sessions.value),
                told: words(&row.candidate, column, &it.sessions, "sessions"),
                path: findings.cells[it.cell].path.clone(),
            })
        });
        BarGroup {
            name: row.candidate.mac.clone(),
            under: row.candidate.source(),
            bars: vec![bars.collect()],
        }
    });
    let len = format::bytes(table.len_bytes);
    let title = format!("Sessions that this machine sustains, {len} messages");
    let what = format!("{}; best offers, 95 % intervals", asked_words(finding));
    let plot = Bars {
        title: title.clone(),
        subtitle: panels::subtitle(findings, group, &what),
        columns: vec!["sessions sustained".into()],
        series: columns.clone(),
        groups: groups.collect(),
    };
    let told: Vec<String> = plot.groups.iter().take(3).map(BarGroup::told).collect();
    let description = format!("{}.", told.join("; "));
    let canvas = bar_groups::draw(&plot)?;
    Some(Drawn { len_bytes: Some(table.len_bytes), title, description, canvas })
}
