//! The same code takes different times in different launches: between the launch with the longest
//! median and the one with the shortest lies a difference that blocks within them do not explain.

use std::collections::BTreeMap;

use stats::{Sample, median};

use super::check::{Outcome, unpaired};
use super::direct::Found;
use super::{Claim, Group, Judge};
use crate::format::{self, Figure};

pub(super) fn found(
    judge: &Judge<'_>,
    macs: &[String],
    claim: &Claim,
    own: &[&Group],
) -> Vec<Found> {
    judge.cells_of(macs, claim, own).into_iter().map(|at| of(judge, at)).collect()
}

fn of(judge: &Judge<'_>, at: usize) -> Found {
    let words = |what: String| format!("{}: {what}", judge.sample_words(at));
    let open = |what: &str| Found { outcome: Outcome::Open, size: 0.0, words: words(what.into()) };
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let id = judge.cells[at].id;
    for sample in judge.run.samples.iter().filter(|it| it.cell == id && it.call_ns() > 0.0) {
        launches.entry(sample.launch).or_default().push(sample.call_ns().ln());
    }
    // The two are picked from all pairs, and are held to what the worst of so many may show.
    let pairs = launches.len() * launches.len().saturating_sub(1) / 2;
    let each = judge.levels.confidence.shared_among(pairs);
    // A launch of a few blocks only has no interval, and is not held against the others.
    let has_interval = |own: &Sample| unpaired(&[own.clone(), own.clone()], each).is_some();
    let samples = launches.into_values().filter_map(|own| Sample::new(own).ok());
    let launches: Vec<Sample> = samples.filter(has_interval).collect();
    if launches.len() < 2 {
        return open("too few launches with blocks enough for an interval");
    }
    let by_median = |x: &&Sample, y: &&Sample| median(x).total_cmp(&median(y));
    let (Some(slowest), Some(fastest)) =
        (launches.iter().max_by(by_median), launches.iter().min_by(by_median))
    else {
        return open("too few blocks in a launch for an interval");
    };
    let ratio = (median(slowest) - median(fastest)).exp();
    let Some(interval) = unpaired(&[slowest.clone(), fastest.clone()], each) else {
        return open("too few launches with blocks enough for an interval");
    };
    let margin = judge.levels.margin.log();
    let outcome = match () {
        () if interval.log_low > 0.0 => Outcome::Holds,
        () if interval.log_high < margin => Outcome::Contradicted,
        () => Outcome::Open,
    };
    let figure =
        Figure::ratio(ratio, Some((interval.low, interval.high)), judge.levels.margin.value());
    Found {
        outcome,
        size: ratio.ln(),
        words: words(format!(
            "the slowest of {} launches takes {} the time of the fastest ({} interval {})",
            launches.len(),
            figure.times(),
            format::percent(judge.levels.confidence.value()),
            figure.ends_in_words().unwrap_or_default()
        )),
    }
}
