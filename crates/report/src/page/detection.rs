//! Which faults each scheme detects.

use maud::{Markup, html};

use super::Told;
use crate::findings::schemes::{
    FaultFinding, SchemeFinding, detections, fault_kinds, what_follows,
};
use crate::format;

/// A row a scheme, a column a fault.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let schemes = &told.findings.schemes;
    let kinds = fault_kinds(schemes);
    (!kinds.is_empty()).then(|| {
        html! {
            p .hint {
                "One fault was injected into the segments of each file; shown are faults rejected \
                 of those injected. What a scheme does not promise to detect is accepted as \
                 genuine."
            }
            ul .sentences { @for sentence in what_follows(schemes) { li { (sentence) "." } } }
            div .scroll tabindex="0" { table .matrix {
                thead { tr {
                    th scope="col" .l { "scheme" } th scope="col" .l { "from" }
                    @for kind in &kinds { th scope="col" { (kind) } }
                } }
                tbody { @for (scheme, providers) in detections(schemes) {
                    (line(scheme, &providers, &kinds))
                } }
            } }
        }
    })
}

fn line(scheme: &SchemeFinding, providers: &str, kinds: &[&str]) -> Markup {
    let of = |kind: &str| scheme.faults.iter().find(|it| it.fault == kind);
    html! { tr {
        th scope="row" .l { (scheme.scheme) }
        td .l { (providers) }
        @for kind in kinds { (entry(of(kind))) }
    } }
}

fn entry(fault: Option<&FaultFinding>) -> Markup {
    let Some((it, detected)) = fault.and_then(|it| Some((it, it.is_detected()?))) else {
        return html! { td { (format::ABSENT) } };
    };
    let word = if detected { "refused" } else { "NOT detected" };
    html! {
        td .broken[!it.as_promised] {
            @if detected { (word) } @else { span .v { (word) } }
            small { (it.refused) " of " (it.planted) }
        }
    }
}
