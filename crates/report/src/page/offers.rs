//! Each MAC's fastest offer at each size: which library to take once the MAC is chosen.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::Told;
use crate::findings::{CellFinding, Group};
use crate::format::{self, Figure};

/// One matrix a group where any mac has several offers.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let groups: Vec<&Group> = told.findings.groups.iter().filter(|it| has_choice(it)).collect();
    (!groups.is_empty()).then(|| {
        html! {
            @for group in groups {
                div .view data-group=(told.topic(group)) data-label=(told.label(group)) {
                    (told.heading(group, ""))
                    (matrix(told, group))
                }
            }
        }
    })
}

fn has_choice(group: &Group) -> bool {
    !group.lines_only
        && group.is_ranked()
        && group.sizes.iter().any(|size| size.ranking.iter().any(|row| !row.best_of_mac))
}

/// One row a MAC, one column a length.
pub(super) fn matrix(told: &Told, group: &Group) -> Markup {
    let mut macs: BTreeMap<&str, BTreeMap<u64, (&CellFinding, String)>> = BTreeMap::new();
    for size in &group.sizes {
        let mut sources = told.findings.best_sources(size);
        for row in size.ranking.iter().filter(|row| row.best_of_mac) {
            let cell = told.findings.cell(row);
            let mac = cell.cell.candidate.mac.as_str();
            let source = sources.remove(mac).unwrap_or_else(|| cell.source());
            macs.entry(mac).or_default().insert(size.len_bytes, (cell, source));
        }
    }
    html! {
        div .scroll tabindex="0" {
            table .matrix {
                thead { tr {
                    th scope="col" .l { "MAC" }
                    @for size in &group.sizes { th scope="col" { (format::bytes(size.len_bytes)) } }
                } }
                tbody {
                    @for (mac, own) in &macs {
                        tr {
                            th scope="row" { (told.findings.named(mac)) }
                            @for size in &group.sizes { td { (entry(own.get(&size.len_bytes))) } }
                        }
                    }
                }
            }
        }
    }
}

fn entry(best: Option<&(&CellFinding, String)>) -> Markup {
    let Some((cell, source)) = best else { return html! { (format::ABSENT) } };
    let time = cell.time();
    html! {
        span .v { (time.as_ref().map_or(format::ABSENT.into(), Figure::value)) }
        @if let Some(ends) = time.and_then(|it| it.known_ends()) { small { (ends) } }
        small { (source) }
    }
}
