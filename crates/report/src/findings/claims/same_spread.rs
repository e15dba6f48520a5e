//! All samples of a case have the same shape and spread: of each two of them the ratio of the
//! spreads of their speeds must lie within the margin of 1. The spread is the median distance from
//! the median. Shapes are not compared, so where the spreads are the same it stays open.

use stats::{Confidence, Sample, median};

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
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for group in own {
        for size in group.sizes.iter().filter(|size| claim.concerns(size.len_bytes)) {
            let fits = |mac: &str| lab::study::fits_any(macs, mac);
            let places = judge.places(size, fits);
            let later = |(number, &first): (usize, &usize)| {
                let others = places[number + 1..].iter();
                others.map(|&second| (first, second)).collect::<Vec<_>>()
            };
            pairs.extend(places.iter().enumerate().flat_map(later));
        }
    }
    let each = judge.levels.confidence.shared_among(pairs.len());
    let mut all: Vec<Found> = pairs.iter().map(|&pair| compared(judge, pair, each)).collect();
    if !all.is_empty() && all.iter().all(|it| it.outcome == Outcome::Holds) {
        let words = "the spreads are the same, and shapes are not compared".into();
        all.push(Found { outcome: Outcome::Open, size: 0.0, words });
    }
    all
}

fn compared(judge: &Judge<'_>, (first, second): (usize, usize), each: Confidence) -> Found {
    let distances = |at: usize| distances(judge, at);
    let words = |what: String| {
        let other = &judge.cells[second].cell.candidate.mac;
        format!("{} beside {other}: {what}", judge.sample_words(first))
    };
    let (Some(own), Some(other)) = (distances(first), distances(second)) else {
        let words = words("too few samples that differ".into());
        return Found { outcome: Outcome::Open, size: 0.0, words };
    };
    let ratio = (median(&own) - median(&other)).exp();
    let Some(interval) = unpaired(&[own, other], each) else {
        let words = words("too few samples for an interval".into());
        return Found { outcome: Outcome::Open, size: 0.0, words };
    };
    let margin = judge.levels.margin.log();
    let outcome = match () {
        () if interval.log_low > -margin && interval.log_high < margin => Outcome::Holds,
        () if interval.log_low > margin || interval.log_high < -margin => Outcome::Contradicted,
        () => Outcome::Open,
    };
    let figure =
        Figure::ratio(ratio, Some((interval.low, interval.high)), judge.levels.margin.value());
    let ends = figure.ends_in_words().unwrap_or_default();
    let confidence = format::percent(judge.levels.confidence.value());
    Found {
        outcome,
        size: -ratio.ln().abs(),
        words: words(format!(
            "the speeds of the one spread {} as wide ({confidence} interval {ends}, of all pairs \
             at once)",
            figure.times()
        )),
    }
}

/// Logarithms of the distances of a cell's speeds from their median.
fn distances(judge: &Judge<'_>, at: usize) -> Option<Sample> {
    let speeds: Vec<f64> = judge.series[at].blocks.values().map(|ns| 1e9 / ns).collect();
    let middle = median(&Sample::new(speeds.clone()).ok()?);
    let distances = speeds.iter().map(|speed| (speed - middle).abs()).filter(|it| *it > 0.0);
    Sample::new(distances.map(f64::ln).collect()).ok()
}
