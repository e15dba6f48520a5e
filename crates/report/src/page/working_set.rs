//! The working set: time of a message over the number of keys in use.

use maud::{Markup, html};

use super::Told;
use super::sessions::{head, ratio, time};
use crate::chart_kind::ChartKind;
use crate::findings::Group;
use crate::findings::sessions::{WorkingSetFinding, WorkingSetRow, thousands};
use crate::format;

/// A chart and a table a message length.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let all = &told.findings.working_sets;
    (!all.is_empty()).then(|| {
        html! {
            p .hint {
                "One thread tags messages under so many keys in turn, each set up beforehand. \
                 Where what they need no longer fits into a cache, a message takes longer."
            }
            @for it in all {
                @if let Some(group) = head(told, it.head()) { (view(told, it, group)) }
            }
        }
    })
}

fn view(told: &Told, it: &WorkingSetFinding, group: &Group) -> Markup {
    let (len, size) = (it.len_bytes, format::bytes(it.len_bytes));
    html! {
        div .view #{ "rank-" (it.head()) "-" (len) } data-group=(told.topic(group))
            data-label=(told.label(group)) data-size=(len) data-size-label=(size) {
            (told.heading(group, &size))
            @if let Some(chart) = told.chart(group, ChartKind::WorkingSet, Some(len)) { (chart) }
            div .scroll tabindex="0" { table .matrix .ranking data-rows=(it.rows.len()) {
                caption .hidden { "Time of a message over the number of keys, " (size) }
                thead { tr {
                    th scope="col" .l { "MAC" }
                    @for keys in &it.keys { th scope="col" { (thousands(f64::from(*keys))) } }
                    th scope="col" { "most ÷ fewest" }
                } }
                tbody { @for row in &it.rows { (line(row, told.findings.margin)) } }
            } }
        }
    }
}

fn line(row: &WorkingSetRow, margin: f64) -> Markup {
    html! {
        tr class=[(!row.best_of_mac).then_some("other")] {
            th scope="row" .l {
                (row.candidate.mac) " " small { (row.candidate.source()) }
            }
            @for it in &row.ns { td { (time(*it)) } }
            td { (ratio(row.growth, margin, "")) }
        }
    }
}
