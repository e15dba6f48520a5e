//! Crossovers as messages grow.

use maud::{Markup, html};

use super::Told;
use crate::findings::{CrossoverFinding, Group};

/// A list a group; changes of the lead first.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let groups: Vec<&Group> = told
        .findings
        .groups
        .iter()
        .filter(|it| it.sizes.len() > 1 && it.set().is_none_or(|set| set.crosses))
        .collect();
    (!groups.is_empty()).then(|| {
        html! {
            p .hint {
                "Among the candidates that are fastest at some length. A change counts where the \
                 intervals on both sides exclude equality, in opposite directions and beyond the \
                 margin; of more than 16 lengths, a neighbouring one must agree. Where a change \
                 lies between the measured lengths is interpolated."
            }
            @for group in groups { (one(told, group)) }
        }
    })
}

fn one(told: &Told, group: &Group) -> Markup {
    let lead: Vec<&CrossoverFinding> = group.crossovers.iter().filter(|it| it.lead).collect();
    let other: Vec<&CrossoverFinding> = group.crossovers.iter().filter(|it| !it.lead).collect();
    html! {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) {
            (told.heading(group, ""))
            @if group.crossovers.is_empty() { p { "None in the range measured." } }
            @if !lead.is_empty() { ul .sentences { @for it in lead { li { (it.sentence) "." } } } }
            @if !other.is_empty() {
                details {
                    summary { "Behind the lead (" (other.len()) ")" }
                    ul .sentences { @for it in other { li { (it.sentence) "." } } }
                }
            }
        }
    }
}
