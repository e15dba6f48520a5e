//! Call breakdown: the chart, and the table with every interval.

use maud::{Markup, html};

use super::Told;
use crate::chart_kind::ChartKind;
use crate::findings::taken_apart::Shown;
use crate::findings::{Group, Share, TakenApart};
use crate::format::{self, ABSENT, Figure};

/// A chart and a table for each group whose part asks for it.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let groups = told.findings.groups.iter().filter(|group| !group.taken_apart.is_empty());
    let groups: Vec<&Group> = groups.collect();
    (!groups.is_empty()).then(|| {
        html! {
            p .hint {
                "Measurement: a call that computes nothing. Frame: the same MAC without its \
                 compression function, less the measurement: padding, constants, conversions. \
                 Compressions: the MAC less its frame. Each is the median of differences within \
                 the launches, with its own 95 % interval; so they add up to the whole but for \
                 rounding and noise."
            }
            @if let Some(clocks) = told.findings.clocks_apart(told.run) { p .hint { (clocks) } }
            @for group in groups { (one(told, group)) }
        }
    })
}

fn one(told: &Told, group: &Group) -> Markup {
    let in_cycles = group.apart_in_cycles();
    let raised =
        |it: &TakenApart| it.shares().iter().any(|share| share.shown(it.factor(in_cycles)).raised);
    let unit = if in_cycles { "estimated core cycles" } else { "ns" };
    html! {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) {
            (told.heading(group, ""))
            @if let Some(chart) = told.chart(group, ChartKind::TakenApart, None) { (chart) }
            div .scroll tabindex="0" { table .matrix {
                caption { "A call in " (unit) ", with 95 % intervals" }
                thead { tr {
                    th scope="col" { "length" } th scope="col" .l { "MAC" }
                    th scope="col" { "whole" } th scope="col" { "measurement" }
                    th scope="col" { "frame" } th scope="col" { "compressions" }
                    th scope="col" { "by theory" } th scope="col" { "each" }
                } }
                tbody { @for it in &group.taken_apart { (line(told, it, in_cycles)) } }
            } }
            @if group.taken_apart.iter().any(raised) {
                p .hint { "* A difference or the end of its interval came out below 0, since it is \
                           smaller than the noise; 0 is shown." }
            }
        }
    }
}

fn line(told: &Told, it: &TakenApart, in_cycles: bool) -> Markup {
    let cell = &told.findings.cells[it.cell];
    let factor = it.factor(in_cycles);
    let whole = cell.median_ns.map(|ns| Share { ns, interval_ns: cell.interval_ns });
    html! {
        tr {
            td { (format::bytes(it.len_bytes)) }
            th scope="row" {
                (cell.called) " " small { (cell.source()) } (told.notes(cell))
            }
            (entry(whole.as_ref(), factor))
            @for share in it.shares() { (entry(Some(share), factor)) }
            td { (cell.work.map_or(ABSENT.into(), |work| work.calls.to_string())) }
            (entry(it.compression_each.as_ref(), factor))
        }
    }
}

/// A share with its interval below it.
fn entry(share: Option<&Share>, factor: f64) -> Markup {
    let Some(Shown { value, ends, raised }) = share.map(|share| share.shown(factor)) else {
        return html! { td { (ABSENT) } };
    };
    html! {
        td {
            @let figure = Figure::of(value, ends);
            span .v { (figure.value()) @if raised { "*" } }
            small { (figure.ends()) }
        }
    }
}
