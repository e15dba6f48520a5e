//! The command that measures it again.

use maud::{Markup, html};

use super::Told;

/// One line to paste.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let run = told.run;
    Some(html! {
        pre tabindex="0" { code { (run.command) } }
        p .hint {
            "The same seed gives the same order and the same messages; times differ with the \
             machine and its load."
        }
    })
}
