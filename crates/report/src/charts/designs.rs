//! Ways to serve sessions beside each other: the apparent time of a message with a thread a
//! session, with a pool of threads, and in batches.

use super::bar_groups::{self, Bar, BarGroup, Bars};
use super::{Drawn, at_each_length, panels, words};
use crate::findings::sessions::{LoadFinding, SessionsFinding, serving_words};
use crate::findings::{Findings, Group};
use crate::format::{self, TimeUnit};

/// One chart a message length at which there are several ways to serve the same sessions.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    at_each_length(findings, group, one)
}

fn one(findings: &Findings, group: &Group, set: &SessionsFinding, len_bytes: u64) -> Option<Drawn> {
    let loads = set.several_alike(len_bytes, |own| (own.binding, own.count))?;
    let served = |it: &LoadFinding| it.asked().map_or("", |own| serving_words(own.serving));
    let least = |candidate| {
        let values = loads.iter().filter_map(|it| it.row(candidate)?.apparent_ns);
        values.map(|it| it.value).fold(f64::INFINITY, f64::min)
    };
    // The best offer of each mac, by its best design.
    let rows = loads.iter().flat_map(|it| &it.rows).filter(|row| row.best_of_mac);
    let mut candidates: Vec<_> = rows.map(|row| &row.candidate).collect();
    candidates.sort_unstable();
    candidates.dedup();
    candidates.sort_by(|x, y| least(x).total_cmp(&least(y)));
    let mut seen = std::collections::BTreeSet::new();
    candidates.retain(|it| seen.insert(&it.mac));
    let values = candidates.iter().map(|it| least(it)).filter(|it| it.is_finite());
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |it, ns| (it.0.min(ns), it.1.max(ns)));
    let unit = TimeUnit::of(if high < 1e5 { low.min(high) } else { high });
    let groups = candidates.iter().map(|candidate| {
        let bars = loads.iter().map(|load| {
            let row = load.row(candidate)?;
            let (it, cell) = (row.apparent_ns?, row.apparent?);
            let it = it.scaled(unit.scale(1.0))?;
            Some(Bar {
                value: it.value,
                ends: it.ends(),
                label: format::three(it.value),
                told: words(candidate, served(load), &it, unit.sign()),
                path: findings.cells[cell].path.clone(),
            })
        });
        BarGroup {
            name: candidate.mac.clone(),
            under: candidate.source(),
            bars: vec![bars.collect()],
        }
    });
    let title = format!("How sessions are served, {} messages", format::bytes(len_bytes));
    let sessions = loads[0].sessions.map_or(String::new(), |it| format!("{it} sessions; "));
    let what = format!(
        "{sessions}the less, the more messages; best offer of each MAC, lines are 95 % intervals"
    );
    let plot = Bars {
        title: title.clone(),
        subtitle: panels::subtitle(findings, group, &what),
        columns: vec![format!("apparent time per message, {}", unit.sign())],
        series: loads.iter().map(|it| served(it).to_owned()).collect(),
        groups: groups.collect(),
    };
    let told: Vec<String> = plot.groups.iter().take(3).map(BarGroup::told).collect();
    let description = format!("{}.", told.join("; "));
    let canvas = bar_groups::draw(&plot)?;
    Some(Drawn { len_bytes: Some(len_bytes), title, description, canvas })
}
