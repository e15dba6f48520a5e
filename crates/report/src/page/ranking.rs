//! The ranking at each size: a chart of intervals and the whole table.

use maud::{Markup, html};
use stats::Verdict;

use super::{Told, number, time_and_interval};
use crate::chart_kind::ChartKind;
use crate::findings::{Group, RankRow, SizeFinding};
use crate::format;

/// A chart and a table for each group and size.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let hint = html! {
        "Fastest first. A group holds what is not shown to be slower than its first; “=” marks \
         what is not shown to be slower than the best. Differences within "
        (format::percent(told.findings.margin)) " count as none. Each interval is a \
         95 % interval on its own, not all of them at once."
    };
    told.by_size(&hint, Group::is_ranked, view)
}

fn view(told: &Told, group: &Group, size: &SizeFinding) -> Markup {
    let len = size.len_bytes;
    html! {
        div .view #{ "rank-" (group.name) "-" (len) } data-group=(told.topic(group))
            data-label=(told.label(group)) data-size=(len) data-size-label=(format::bytes(len)) {
            (told.heading(group, &format::bytes(len)))
            @if let Some(chart) = told.chart(group, ChartKind::Ranking, Some(len)) { (chart) }
            div .scroll tabindex="0" {
                table .ranking data-rows=(size.ranking.len()) {
                    caption .hidden { "Ranking, " (told.label(group)) ", " (format::bytes(len)) }
                    thead { tr {
                        th scope="col" { "#" } th scope="col" { "group" }
                        th scope="col" .l { "MAC" } th scope="col" .l { "from" }
                        th scope="col" { "time" }
                        th scope="col" { "95 %" } th scope="col" { "× best" }
                        th scope="col" { "95 %" } th scope="col" .l { "verdict" }
                        th scope="col" { "cycles" sup { "est" } }
                        th scope="col" { "per byte" }
                        @if has_bounds(told) { th scope="col" { "× bound" } }
                        th scope="col" { "MiB/s" }
                    } }
                    tbody { @for row in &size.ranking { (line(told, row)) } }
                }
            }
        }
    }
}

/// Old runs have no bounds: then there is no column of dashes.
fn has_bounds(told: &Told) -> bool {
    told.findings.cells.iter().any(|cell| cell.bound_cycles_per_byte.is_some())
}

fn line(told: &Told, row: &RankRow) -> Markup {
    let cell = told.findings.cell(row);
    let count = |value: Option<usize>| value.map_or(format::ABSENT.into(), |it| it.to_string());
    let (time, interval) = time_and_interval(cell);
    let (ratio, ratio_ends) = match row.to_best.map(|it| it.figure(told.findings.margin)) {
        Some(it) => (it.value(), it.ends()),
        None if row.rank == Some(1) => ("1".into(), String::new()),
        None => (format::ABSENT.into(), String::new()),
    };
    let class = match (row.tied_with_best, row.best_of_mac) {
        (true, _) => Some("tied"),
        (_, false) => Some("other"),
        _ => None,
    };
    html! {
        tr class=[class] {
            td class=[row.rank.map(|_| "rank")] { (count(row.rank)) } td { (count(row.tie_group)) }
            th scope="row" {
                (cell.called)
                @if let Some(caution) = &cell.caution { " " small { (caution) } }
                (told.notes(cell))
            }
            td .l { (cell.source()) }
            td .v { (time) } td { (interval) } td .v { (ratio) } td { (ratio_ends) }
            td .l { (verdict(row)) } td { (number(cell.cycles_estimated)) }
            td { (number(cell.cycles_per_byte_estimated)) }
            @if has_bounds(told) { td { (number(cell.to_bound())) } }
            td { (number(cell.mib_per_s)) }
        }
    }
}

/// What became of it beside the best, in words.
pub(super) fn verdict(row: &RankRow) -> String {
    match (row.rank, row.verdict) {
        (Some(1), _) => "fastest".into(),
        (_, Some(verdict)) if row.tied_with_best => format!("= {verdict}"),
        (_, Some(Verdict::CannotConclude)) => "too few for an interval".into(),
        (_, Some(verdict)) => verdict.to_string(),
        _ => "not ranked".into(),
    }
}
