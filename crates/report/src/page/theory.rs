//! Theory versus measurement: calls of the primitive that each MAC makes, and what one takes.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::Told;
use crate::findings::{CellFinding, Group};
use crate::format::{self, ABSENT, Figure};

/// A table for each group whose part asks for it and whose macs have a theory.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let groups = told.findings.groups.iter().filter(|group| told.findings.has_theory(group));
    let groups: Vec<&Group> = groups.collect();
    (!groups.is_empty()).then(|| {
        html! {
            p .hint {
                "By theory a MAC takes as long as its calls of the block cipher or of the \
                 compression function, key set-up included where each message has a new key. \
                 Large: what one such call comes to, if all the time went into them; below it its \
                 95 % interval, the number of calls (and of key schedules, which are not counted \
                 as calls), and the whole. A key is made of keys of the cipher, k, and of \
                 blocks, n. Where theory is all there is, a row has the same number everywhere."
            }
            @for group in groups { (one(told, group)) }
        }
    })
}

fn one(told: &Told, group: &Group) -> Markup {
    let (in_cycles, rows) = told.findings.theory(group);
    let has_keys = rows.iter().any(|(_, own)| own.values().any(|it| key_words(it).is_some()));
    let unit = if in_cycles { "Estimated core cycles per call" } else { "Nanoseconds per call" };
    html! {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) {
            (told.heading(group, ""))
            div .scroll tabindex="0" { table .matrix {
                caption { (unit) }
                thead { tr {
                    th scope="col" .l { "MAC" }
                    @if has_keys { th scope="col" { "key" } }
                    @for size in &group.sizes { th scope="col" { (format::bytes(size.len_bytes)) } }
                } }
                tbody { @for (mac, own) in &rows { tr {
                    th scope="row" { (told.findings.named(mac)) (source(own)) }
                    @if has_keys { td { (key(own)) } }
                    @for size in &group.sizes {
                        td { (entry(own.get(&size.len_bytes).copied(), in_cycles)) }
                    }
                } } }
            } }
        }
    }
}

/// Who computes it, where that is the same at all lengths.
fn source(own: &BTreeMap<u64, &CellFinding>) -> Markup {
    let mut sources: Vec<String> = own.values().map(|cell| cell.source()).collect();
    sources.dedup();
    let who = if sources.len() == 1 { &sources[0] } else { "best offer of several" };
    html! { small { (who) } }
}

/// `k + 2n`, and how many bytes that is.
fn key(own: &BTreeMap<u64, &CellFinding>) -> Markup {
    let cell = own.values().find_map(|cell| Some((key_words(cell)?, cell.cell.key_len_bytes)));
    let Some((words, len)) = cell else { return html! { (ABSENT) } };
    html! { (words) small { (len) " B" } }
}

fn key_words(cell: &CellFinding) -> Option<String> {
    Some(cell.work?.key_material?.words())
}

fn entry(cell: Option<&CellFinding>, in_cycles: bool) -> Markup {
    let Some(it) = cell.and_then(|cell| cell.per_call(in_cycles)) else {
        return html! { (ABSENT) };
    };
    html! {
        @let each = Figure::of(it.each, it.ends);
        span .v { (each.value()) }
        small { (each.ends()) }
        small { (it.work.calls) (it.work.keys()) }
        small { "of " (format::three(it.whole)) }
    }
}
