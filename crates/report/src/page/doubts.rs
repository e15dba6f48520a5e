//! Warnings of the run and the footnotes of its cells.

use maud::{Markup, html};

use super::Told;
use super::prose::prose;

/// Warnings, then footnotes by number.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let (warnings, notes) = (&told.findings.warnings, &told.findings.notes);
    let cycles = told.findings.estimated_cycles();
    let any = !(warnings.is_empty() && notes.is_empty()) || cycles.is_some();
    any.then(|| {
        html! {
            @if !warnings.is_empty() {
                ul .sentences { @for warning in warnings { li { (prose(warning)) "." } } }
            }
            @if let Some(cycles) = cycles { p .hint { (prose(cycles)) "." } }
            @if !notes.is_empty() {
                h3 { "Footnotes" }
                ol { @for (number, note) in notes.iter().enumerate() {
                    li id={ "note-" (number + 1) } { (prose(note)) "." }
                } }
            }
        }
    })
}
