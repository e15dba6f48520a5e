//! What is asked for and not measured: it must not be missing without a word.

use std::collections::BTreeSet;

use lab::plan::{MacFacts, Planned};
use lab::study::{Study, fits, fits_any};

use crate::discovery::Absence;

/// Those of these patterns that nothing planned fits, with the reason. The study is as it is
/// without options, and `narrowed` what they leave of it.
pub fn macs(
    patterns: &[String],
    (study, narrowed): (&Study, &Study),
    planned: &[Planned],
    facts: &[MacFacts],
) -> Vec<Absence> {
    let reason = |pattern: &str| match () {
        () if !measures(study, pattern, facts) => {
            format!("the study {:?} does not measure it", study.name)
        }
        () if !measures(narrowed, pattern, facts) => "the other options exclude it".into(),
        () => "no participating provider offers it as requested".into(),
    };
    let is_planned = |pattern: &str| planned.iter().any(|it| fits(pattern, &it.cell.candidate.mac));
    let missing: BTreeSet<&String> = patterns.iter().filter(|it| !is_planned(it)).collect();
    missing.into_iter().map(|it| Absence::of(it, &reason(it))).collect()
}

/// Those of these providers that were named, are here and take no part, with the reason.
pub fn providers(
    named: &[String],
    is_here: impl Fn(&str) -> bool,
    takes_part: impl Fn(&str) -> bool,
) -> Vec<Absence> {
    let idle: BTreeSet<&String> =
        named.iter().filter(|name| is_here(name) && !takes_part(name)).collect();
    idle.into_iter().map(|name| Absence::of(name, "offers nothing that was requested")).collect()
}

/// Whether a study has a mac that fits a pattern.
fn measures(study: &Study, pattern: &str, facts: &[MacFacts]) -> bool {
    let cases = || study.parts.iter().flat_map(|part| &part.cases);
    let has = |mac: &str| {
        cases().any(|case| fits_any(&case.macs, mac) || fits_any(&case.on_request, mac))
    };
    facts.iter().any(|mac| fits(pattern, &mac.name) && has(&mac.name))
}
