//! What was asked for and not measured, for want of time or since it failed; and what would give
//! launches enough to all that is ranked.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::Candidate;
use lab::forecast::Forecast;
use lab::plan::{MacFacts, Planned, cells, is_floor};
use lab::record::Run;
use serde::Serialize;

use super::CellFinding;
use super::series::LAUNCHES_MIN;

/// MACs that a line names; the others are counted.
const NAMED_MAX: usize = 4;

/// A mac that providers here offer and that has questions without an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotMeasured {
    /// Canonical name of the mac.
    pub mac: String,
    /// Whether the study names it as one in wide use.
    pub in_use: bool,
    /// Lengths, each for a key life, that nobody was measured at.
    pub missing: usize,
    /// All of them that were asked for.
    pub asked: usize,
}

/// Those of a run, first the macs in wide use, in the order of the study. Only calls have questions
/// of this kind.
pub(crate) fn all(run: &Run) -> Vec<NotMeasured> {
    of(run, |_| true)
}

/// Likewise, of the candidates that somebody could take.
pub(crate) fn of(run: &Run, could_be_taken: impl Fn(&Candidate) -> bool) -> Vec<NotMeasured> {
    let sampled: BTreeSet<u32> = run.samples.iter().map(|sample| sample.cell).collect();
    let measured = run.cells.iter().filter(|record| sampled.contains(&record.id));
    let measured: BTreeSet<_> =
        measured.map(|it| question(&Planned { part: it.part, cell: it.cell.clone() })).collect();
    let mut macs: BTreeMap<String, BTreeSet<_>> = BTreeMap::new();
    for planned in asked(run) {
        let mac = &planned.cell.candidate.mac;
        let is_one = !is_floor(mac) && planned.cell.regime.is_of_calls();
        if is_one && could_be_taken(&planned.cell.candidate) {
            macs.entry(mac.clone()).or_default().insert(question(&planned));
        }
    }
    let found = macs.into_iter().map(|(mac, asked)| NotMeasured {
        in_use: run.study.named.contains(&mac),
        missing: asked.difference(&measured).count(),
        asked: asked.len(),
        mac,
    });
    let mut found: Vec<NotMeasured> = found.filter(|it| it.missing > 0).collect();
    found.sort_by_key(|it| (!it.is_whole(), run.study.place_in_use(&it.mac)));
    found
}

/// Everything that its study asks for and its providers offer, whether the budget allowed it or
/// not.
fn asked(run: &Run) -> Vec<Planned> {
    let names = run.study.parts.iter().flat_map(|part| &part.cases);
    let facts = |(mac, len): (&String, Option<u32>)| MacFacts {
        name: mac.clone(),
        key_len_bytes: len.unwrap_or(16),
        any_key_len: true,
    };
    let names = names.flat_map(|case| case.macs.iter().map(|mac| (mac, case.key_len_bytes)));
    let facts: Vec<MacFacts> = names.map(facts).collect();
    cells(&run.study, &run.providers, &facts, &run.machine.processors).unwrap_or_default()
}

/// What is asked of a mac, whoever answers.
fn question(planned: &Planned) -> (u32, String, String) {
    let cell = &planned.cell;
    let what = format!("{}/{}/{}", cell.regime, cell.key_life, cell.len_bytes);
    (planned.part, cell.candidate.mac.clone(), what)
}

/// From so many launches of each on, what they took foretells what more take.
const LAUNCHES_TELLING: usize = 2;

impl NotMeasured {
    /// Whether nothing of it was measured.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.missing == self.asked
    }
}

/// What is missing, a sentence each, for the top of a report.
pub(super) fn shortfalls(
    run: &Run,
    cells: &[CellFinding],
    not_measured: &[NotMeasured],
) -> Vec<String> {
    // In sessions or transactions, that is.
    let seen = cells.iter().filter(|it| it.samples > 0).map(|it| it.cell.candidate.mac.as_str());
    let seen: BTreeSet<&str> = seen.collect();
    let whole = not_measured.iter().filter(|it| it.is_whole()).map(|it| it.mac.as_str());
    let whole: Vec<&str> = whole.filter(|mac| !seen.contains(mac)).collect();
    let in_part = not_measured.len() - whole.len();
    let mut said = Vec::new();
    if !whole.is_empty() {
        let more = match whole.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = whole[..whole.len().min(NAMED_MAX)].join(", ");
        let macs = words::counted(whole.len(), "MAC");
        said.push(format!("Not measured: {macs} ({named}{more})"));
    }
    if in_part > 0 {
        let macs = words::counted(in_part, "MAC");
        said.push(format!("Not measured at every length and key life: {macs}"));
    }
    said.extend(budget(run, cells));
    said
}

/// Everything that was not measured, in a sentence; `None` where that is nothing.
pub(super) fn in_full(not_measured: &[NotMeasured]) -> Option<String> {
    let told = |it: &NotMeasured| match it.is_whole() {
        true => it.mac.clone(),
        false => format!("{} ({} of {})", it.mac, it.missing, it.asked),
    };
    let told: Vec<String> = not_measured.iter().map(told).collect();
    (!told.is_empty()).then(|| {
        format!("Asked for and not measured (lengths and key lives, of all): {}", told.join(", "))
    })
}

/// The budget that would give launches enough for intervals to all that is ranked, where not all
/// has them. A study with claims, or of an exact extent, says that otherwise.
fn budget(run: &Run, cells: &[CellFinding]) -> Option<String> {
    let study = &run.study;
    if !study.claims.is_empty() || study.exact || study.gate.is_some() || study.workload.is_some() {
        return None;
    }
    let is_ranked = |it: &&CellFinding| {
        let is_asked = !is_floor(&it.cell.candidate.mac) && it.cell.regime.is_of_calls();
        is_asked && it.median_ns.is_some() && !it.has_left
    };
    let ranked: Vec<&CellFinding> = cells.iter().filter(is_ranked).collect();
    let lacks = |it: &CellFinding| LAUNCHES_MIN.saturating_sub(it.launches);
    let few = ranked.iter().filter(|it| lacks(it) > 0).count();
    if few == 0 || study.parts.iter().any(|part| part.blocks.is_some()) {
        return None;
    }
    // A larger budget measures what this one left out, too.
    let planned = asked(run);
    let forecast = Forecast::of(study, &planned, &run.machine.processors, Some(run));
    // Whatever is foretold, launches took what they took here; what is done once is less of more.
    let (count, all) = (few, ranked.len());
    let had: usize = ranked.iter().map(|it| LAUNCHES_MIN - lacks(it)).sum();
    let share = had.max(1) as f64 / (all * LAUNCHES_MIN) as f64;
    let by_share_s = (run.budget_s / share / 10.0).floor() * 10.0 + 10.0;
    let enough_s = match had >= LAUNCHES_TELLING * all {
        true => by_share_s,
        false => forecast.budget_for_s(forecast.wanted).max(by_share_s.min(3.0 * run.budget_s)),
    };
    Some(format!(
        "A first look: {count} of {all} figures rest on fewer than {LAUNCHES_MIN} launches, too \
         few to call anything fastest; about --budget {enough_s:.0} would give all of them as many"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macs_that_nobody_measured_are_counted_and_the_first_named() {
        let of =
            |mac: &str, missing| NotMeasured { mac: mac.into(), in_use: false, missing, asked: 4 };
        let all = ["a", "b", "c", "d", "e", "f"].map(|mac| of(mac, 4));
        let run = synthetic::survey();
        let said = |all: &[NotMeasured]| shortfalls(&run, &[], all);
        assert_eq!(said(&[]), [""; 0]);
        assert_eq!(said(&all), ["Not measured: 6 MACs (a, b, c, d and 2 more)"]);
        assert_eq!(said(&all[..1]), ["Not measured: 1 MAC (a)"]);
        let part = [of("g", 1)];
        assert_eq!(said(&part), ["Not measured at every length and key life: 1 MAC"]);
        assert!(in_full(&part).unwrap().ends_with("g (1 of 4)"));
        assert_eq!(in_full(&[]), None);
    }
}
