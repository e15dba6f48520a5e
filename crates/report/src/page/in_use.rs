//! What is in wide use beside the fastest.

use maud::{Markup, html};

use super::Told;
use crate::findings::{CellFinding, InUse};
use crate::format::{self, ABSENT};

/// A table for each ranking that has macs that the study names, and others.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let all = &told.findings.in_use;
    if all.is_empty() {
        return None;
    }
    Some(html! {
        p .hint {
            "Medians of the fastest provider at each length with 95 % intervals; “=”: others are \
             not shown to be slower. "
            (InUse::ANY_USE)
        }
        div .beside { @for it in all { div { (table(told, it)) } } }
    })
}

fn table(told: &Told, it: &InUse) -> Markup {
    let group = told.findings.groups.iter().find(|group| group.name == it.group);
    let label = group.map_or(String::new(), |group| told.label(group));
    let cell = |at: usize| &told.findings.cells[at];
    html! {
        h3 { (it.title()) " · " (label) }
        div .scroll tabindex="0" {
            table .matrix .stack {
                caption .hidden { (it.title()) ", " (label) }
                thead { tr {
                    th scope="col" .l { "MAC" }
                    @for &len in &it.lens_bytes { th scope="col" { (format::bytes(len)) } }
                } }
                tbody {
                    @for own in &it.macs { tr {
                        th scope="row" { (told.findings.named(&own.mac)) }
                        @for (at, &len) in own.cells.iter().zip(&it.lens_bytes) {
                            td data-label=(format::bytes(len)) { (entry(at.map(cell), None)) }
                        }
                    } }
                    @for (name, first) in it.fastest() { tr {
                        th scope="row" { (name) }
                        @for (first, &len) in first.iter().zip(&it.lens_bytes) {
                            td data-label=(format::bytes(len)) {
                                (entry(first.map(|it| cell(it.cell)), first.map(|it| it.tied)))
                            }
                        }
                    } }
                }
            }
        }
    }
}

/// A time with its interval and who computes it; of the fastest also what it is.
fn entry(cell: Option<&CellFinding>, tied: Option<bool>) -> Markup {
    let Some((cell, time)) = cell.and_then(|cell| Some((cell, cell.time()?))) else {
        return html! { (ABSENT) };
    };
    html! {
        (time.value())
        @if let Some(ends) = time.known_ends() { small { (ends) } }
        @if let Some(tied) = tied {
            small { (cell.called) @if tied { " =" } }
        }
        small { (cell.source()) }
    }
}
