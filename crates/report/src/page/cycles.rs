//! Cycles a byte by the formula of papers beside the measured ones: bars of all ciphers, then a
//! table a case.

use lab::study::View;
use maud::{Markup, html};

use super::{Told, number, time_and_interval};
use crate::chart_kind::ChartKind;
use crate::charts::joined;
use crate::findings::{Group, RankRow, SizeFinding};
use crate::format::{self, ABSENT};

/// A chart a size of the cases that are drawn together, and a table a case and size.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let asks = |group: &&Group| group.views.contains(&View::GroupedBars);
    let groups: Vec<&Group> = told.findings.groups.iter().filter(asks).collect();
    (!groups.is_empty()).then(|| {
        html! {
            p .hint {
                (told.findings.two_clocks(told.run)) " The papers’ way is the former, over a mean; \
                 rankings and intervals rest on medians."
            }
            @for group in groups {
                @for size in &group.sizes {
                    (bars(told, group, size))
                    (view(told, group, size))
                }
            }
        }
    })
}

/// The chart is kept under the first of its cases, and shown with each of them.
fn bars(told: &Told, group: &Group, size: &SizeFinding) -> Markup {
    let len = size.len_bytes;
    let Some(chart) = told.chart(group, ChartKind::GroupedBars, Some(len)) else {
        return html! {};
    };
    let cases = joined(told.findings, group);
    let topics: Vec<String> = cases.iter().map(|own| told.topic(own)).collect();
    html! {
        div .view data-group=(topics.join(" ")) data-label=(told.label(group)) data-size=(len)
            data-size-label=(format::bytes(len)) { (chart) }
    }
}

fn view(told: &Told, group: &Group, size: &SizeFinding) -> Markup {
    let len = size.len_bytes;
    html! {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) data-size=(len)
            data-size-label=(format::bytes(len)) {
            (told.heading(group, &format::bytes(len)))
            div .scroll tabindex="0" {
                table .ranking {
                    caption .hidden {
                        "Cycles per byte, " (told.label(group)) ", " (format::bytes(len))
                    }
                    thead { tr {
                        th scope="col" .l { "MAC" } th scope="col" .l { "from" }
                        th scope="col" { "samples" } th scope="col" { "mean" }
                        th scope="col" { "median" } th scope="col" { "95 %" }
                        th scope="col" { "T·F/L" }
                        th scope="col" { "core cycles" }
                    } }
                    tbody {
                        @for row in size.ranking.iter().filter(|row| row.best_of_mac) {
                            (line(told, row))
                        }
                    }
                }
            }
        }
    }
}

fn line(told: &Told, row: &RankRow) -> Markup {
    let cell = told.findings.cell(row);
    let (time, ends) = time_and_interval(cell);
    html! {
        tr class=[row.tied_with_best.then_some("tied")] {
            th scope="row" {
                (cell.called)
                @if let Some(caution) = &cell.caution { " " small { (caution) } }
                (told.notes(cell))
            }
            td .l { (cell.source()) }
            td { (cell.samples) } td { (cell.mean_ns.map_or(ABSENT.into(), format::time)) }
            td .v { (time) } td { (ends) }
            td { (number(cell.cycles_per_byte_nominal)) }
            td .v { (number(cell.cycles_per_byte_estimated)) }
        }
    }
}
