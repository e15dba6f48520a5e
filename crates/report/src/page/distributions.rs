//! Histograms and box plots, and the quantiles of single calls.

use maud::{Markup, html};

use super::Told;
use crate::chart_kind::ChartKind;
use crate::findings::{CellFinding, Group, SizeFinding};
use crate::format;

/// A chart and a table a group and size, folded.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let hint = html! {
        "Each block’s time per call. Where there are more than twelve candidates, only the \
         fastest offer of each MAC is drawn. Whiskers reach 1.5 interquartile ranges; \
         marks beyond are single blocks. Each cell has an axis of its own."
    };
    // Transactions have box plots of their own.
    told.by_size(&hint, Group::is_alone, view)
}

fn view(told: &Told, group: &Group, size: &SizeFinding) -> Markup {
    let len = size.len_bytes;
    html! {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) data-size=(len)
            data-size-label=(format::bytes(len)) {
            (told.heading(group, &format::bytes(len)))
            details open[size.ranking.len() <= 12] {
                summary { "Histograms and boxes" }
                @if let Some(chart) = told.chart(group, ChartKind::Distributions, Some(len)) {
                    (chart)
                }
            }
            @if let Some(chart) = told.chart(group, ChartKind::Speeds, Some(len)) { (chart) }
            (singles(told, size))
        }
    }
}

/// Quantiles of calls timed one by one, for the cells that have them.
fn singles(told: &Told, size: &SizeFinding) -> Markup {
    let best = size.ranking.iter().filter(|row| row.best_of_mac);
    let cells: Vec<&CellFinding> =
        best.map(|row| told.findings.cell(row)).filter(|cell| cell.single.is_some()).collect();
    let dash = || format::ABSENT.to_string();
    html! {
        @if !cells.is_empty() {
            details {
                summary { "Single calls" }
                p .hint {
                    "Calls timed one by one, fastest offer of each MAC. The clock’s step is "
                    (format::time(told.run.clock.resolution_ns)) "; the clock overhead is "
                    (format::time(told.run.clock.bracket_ns)) "."
                }
                div .scroll tabindex="0" { table {
                    thead { tr {
                        th scope="col" .l { "MAC" } th scope="col" .l { "from" }
                        th scope="col" { "calls" } th scope="col" { "p50" } th scope="col" { "p90" }
                        th scope="col" { "p99" } th scope="col" { "p99.9" }
                    } }
                    tbody { @for cell in cells { @if let Some(it) = cell.single { tr {
                        th scope="row" { (cell.called) }
                        td .l { (cell.source()) }
                        td { (it.calls) }
                        @for ns in [it.p50_ns, it.p90_ns, it.p99_ns] {
                            td { (format::time(ns as f64)) }
                        }
                        td { (it.p99_9_ns.map_or_else(dash, |ns| format::time(ns as f64))) }
                    } } } }
                } }
            }
        }
    }
}
