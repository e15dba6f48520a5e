//! The answers, first and large.

use maud::{Markup, html};

use super::prose::prose;
use super::{Told, explore};
use crate::findings::Headline;
use crate::gate::{GateFindings, Undecided};

/// The first answers as cards, the others behind a fold.
pub(super) fn write(told: &Told) -> Markup {
    if let Some(gate) = GateFindings::of(told.run, &[], Undecided::CannotSay) {
        return verdict(told, &gate);
    }
    let headlines = &told.findings.headlines;
    let shown = headlines.len().min(3);
    html! {
        div #answers tabindex="-1" {
            @if headlines.is_empty() {
                p .lead { "Nothing was measured: see the warnings below." }
            }
            (warnings(told))
            div .cards { @for headline in &headlines[..shown] { (card(told, headline)) } }
            @if headlines.len() > shown {
                details .more {
                    summary { "More answers (" (headlines.len() - shown) ")" }
                    div .cards { @for headline in &headlines[shown..] { (card(told, headline)) } }
                }
            }
        }
    }
}

/// Of a gate, how it ended: who is fastest was not asked.
fn verdict(told: &Told, gate: &GateFindings) -> Markup {
    let [base, new] = &gate.versions;
    html! {
        div #answers tabindex="-1" {
            (warnings(told))
            div .cards { article .card {
                p .context { (new.name) " against " (base.name) }
                p .answer { (gate.answer) }
                p .detail { (gate.reason) }
            } }
        }
    }
}

/// What must be known before the answers are read.
fn warnings(told: &Told) -> Markup {
    html! {
        @for sentence in told.findings.machine.iter().chain(&told.findings.shortfalls) {
            p .warning { (prose(sentence)) "." }
        }
    }
}

fn card(told: &Told, headline: &Headline) -> Markup {
    let anchor = match headline.len_bytes {
        Some(len) => explore::evidence(told, &headline.group, len)
            .unwrap_or_else(|| format!("#rank-{}-{len}", headline.group)),
        None => "#claims".into(),
    };
    html! {
        article .card {
            p .context { (headline.context) }
            p .answer { (headline.answer) }
            p .detail { (headline.detail) }
            @if !headline.beside.is_empty() {
                dl { @for it in &headline.beside {
                    dt { (it.of) }
                    dd { b { (it.who) } ", " (it.time) }
                } }
            }
            p .evidence { a href=(anchor) { "Evidence" } }
        }
    }
}
