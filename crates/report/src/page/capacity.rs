//! Capacity: sessions that the machine carries, for each candidate and each way to serve them.

use maud::{Markup, html};

use super::Told;
use super::sessions::head;
use crate::chart_kind::ChartKind;
use crate::findings::Group;
use crate::findings::sessions::{
    CapacityFinding, CapacityRow, CapacityTable, Carried, asked_words, column_words, thousands,
};
use crate::format::{self, ABSENT};

/// A chart and a table a message length.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let all = &told.findings.capacities;
    (!all.is_empty()).then(|| {
        html! {
            p .hint {
                "How many sessions this machine sustains. Messages arrive as a Poisson process; a \
                 session count is sustained if the tail latency, measured from arrival, stays \
                 within the limit. Each block seeks it anew, by several trials."
            }
            @for it in all { @for table in &it.tables {
                @if let Some(group) = head(told, it.head()) { (view(told, it, group, table)) }
            } }
        }
    })
}

fn view(told: &Told, it: &CapacityFinding, group: &Group, table: &CapacityTable) -> Markup {
    let (len, size) = (table.len_bytes, format::bytes(table.len_bytes));
    html! {
        div .view #{ "rank-" (it.head()) "-" (len) } data-group=(told.topic(group))
            data-label=(told.label(group)) data-size=(len) data-size-label=(size) {
            (told.heading(group, &size))
            p .hint { (asked_words(it)) "." }
            @if let Some(chart) = told.chart(group, ChartKind::Capacity, Some(len)) { (chart) }
            div .scroll tabindex="0" { table .matrix .ranking data-rows=(table.rows.len()) {
                caption .hidden { "Sessions sustained, " (size) }
                thead { tr {
                    th scope="col" .l { "MAC" }
                    @for column in column_words(table) { th scope="col" { (column) } }
                } }
                tbody { @for row in &table.rows { (line(row)) } }
            } }
        }
    }
}

fn line(row: &CapacityRow) -> Markup {
    html! {
        tr class=[(!row.best_of_mac).then_some("other")] {
            th scope="row" .l {
                (row.candidate.mac) " " small { (row.candidate.source()) }
                @if row.offloads { " ‡" }
            }
            @for it in &row.carried { td { (carried(it.as_ref())) } }
        }
    }
}

fn carried(it: Option<&Carried>) -> Markup {
    let Some(it) = it else { return html! { (ABSENT) } };
    html! {
        span .v { (it.in_thousands()) @if it.tied_with_best { " =" } }
        @if let Some(ends) = it.ends_in_thousands() { small { (ends) } }
        @if let Some(limit) = it.at_capacity.limited_by {
            small title=(limit.meaning()) { "limit: " (limit.words()) }
        }
        @if let Some(times) = it.at_capacity.times {
            small { "p50 " (format::time(times.p50_ns as f64)) }
            small { "p99 " (format::time(times.p99_ns as f64)) }
            @if let Some(ns) = times.p99_9_ns { small { "p99.9 " (format::time(ns as f64)) } }
        }
        @if let Some(rate) = it.at_capacity.messages_per_s_per_processor {
            small { (thousands(rate.round())) " msg/s per CPU" }
        }
        @if it.trials > 0 { small { (it.trials) " trials" } }
    }
}
