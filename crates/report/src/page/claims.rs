//! Published sentences and what becomes of them here.

use maud::{Markup, html};

use super::Told;
use super::prose::prose;

/// A table of claims, each panel with its verdict.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let claims = &told.findings.claims;
    let deviations = &told.run.study.deviations;
    (!(claims.is_empty() && deviations.is_empty())).then(|| {
        html! {
            @if let Some(source) = &told.run.study.source { p .hint { "Source: " (source) "." } }
            @for claim in claims {
                article .claim #{ "claim-" (claim.id) } {
                    blockquote { p { (claim.quoted) } footer {
                        (claim.source)
                        @if let Some(under) = &claim.under { " · " (under) }
                    } }
                    p .hint { "Decided by " (claim.decided) "." }
                    dl {
                        @for it in claim.told() {
                            div {
                                dt {
                                    (claim.whose(it)) " "
                                    span .verdict .(it.verdict.name()) { (it.verdict.name()) }
                                }
                                dd { (prose(&capitalised(&it.reason))) "." }
                                @if let Some(by_source) = &it.by_source {
                                    dd .hint { (by_source) "." }
                                }
                            }
                        }
                    }
                }
            }
            @if !deviations.is_empty() {
                h3 { "Where the study departs from its source" }
                ul .sentences { @for it in deviations { li {
                    @if let Some(verdicts) = &it.verdicts { b { (prose(verdicts)) } " " }
                    (prose(&it.text))
                } } }
            }
        }
    })
}

fn capitalised(text: &str) -> String {
    // Names of macs keep their case: only words of ours are raised.
    let ours = ["all ", "not ", "of "].iter().any(|start| text.starts_with(start))
        || text.starts_with(|c: char| c.is_ascii_digit());
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if ours => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
