//! All samples of a case have the same spread: of each two of them the ratio of the spreads of
//! their speeds must lie within the margin of 1. The spread is the median distance from the median
//! of the launch: how launches differ is another question, and a source that measures in one
//! process does not see it. Distances are paired by block, as times are. A pair holds by its own
//! interval, since all must hold; to be contradicted it must be outside by that of all pairs at
//! once. Shapes are not compared.

use std::collections::BTreeMap;

use stats::{Confidence, Differences, Ratio, Sample, median};

use super::check::Outcome;
use super::sample::Shown;
use super::{Claim, Group, Judge};
use crate::format::{self, Figure};

/// Blocks of a launch below which its median says little of where it lies.
const BLOCKS_MIN: usize = 6;

/// Distances of 0 are left out; where that is more than this share, the clock is too coarse.
const ZEROS_MAX: f64 = 0.2;

pub(super) fn found(
    judge: &Judge<'_>,
    macs: &[String],
    claim: &Claim,
    own: &[&Group],
) -> Vec<Shown> {
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
    let distances: BTreeMap<usize, Distances> = pairs
        .iter()
        .flat_map(|&(first, second)| [first, second])
        .map(|at| (at, distances(judge, at)))
        .collect();
    let of_all = judge.levels.confidence.shared_among(pairs.len());
    let compared = |&(first, second): &(usize, usize)| {
        let words = |what: String| {
            let other = &judge.cells[second].cell.candidate.mac;
            format!("{} beside {other}: {what}", judge.sample_words(first))
        };
        compared(judge, [&distances[&first], &distances[&second]], of_all, words)
    };
    pairs.iter().map(compared).collect()
}

fn compared(
    judge: &Judge<'_>,
    [first, second]: [&Distances; 2],
    of_all: Confidence,
    words: impl Fn(String) -> String,
) -> Shown {
    let open = |what: &str| {
        let words = words(what.into());
        Shown { outcome: Outcome::Open, size: 0.0, words }
    };
    if first.is_coarse() || second.is_coarse() {
        return open("the clock is too coarse for so small a difference");
    }
    let log = |(at, own): (&u32, &f64)| Some(own - second.logs.get(at)?);
    let logs: Vec<f64> = first.logs.iter().filter_map(log).collect();
    let few = "too few blocks of the same launches for an interval";
    let Ok(differences) = Differences::from_values(logs) else { return open(few) };
    let own_level = judge.levels.confidence;
    let [own, corrected] = [own_level, of_all].map(|it| Ratio::of(&differences, it));
    let (Some(alone), Some(together)) = (own.interval, corrected.interval) else {
        return open(few);
    };
    let margin = judge.levels.margin.log();
    let (outcome, told, of) = match () {
        () if together.log_low > margin || together.log_high < -margin => {
            (Outcome::Contradicted, together, ", of all pairs at once")
        }
        () if alone.log_low > -margin && alone.log_high < margin => (Outcome::Holds, alone, ""),
        () => (Outcome::Open, alone, ""),
    };
    let ends = Some((told.low, told.high));
    let figure = Figure::ratio(own.ratio, ends, judge.levels.margin.value());
    let ends = figure.ends_in_words().unwrap_or_default();
    let confidence = format::percent(own_level.value());
    Shown {
        outcome,
        size: -own.log_ratio.abs(),
        words: words(format!(
            "the speeds of the first spread {} as wide ({confidence} interval {ends}{of})",
            figure.times()
        )),
    }
}

/// How far the speeds of a cell lie from the middle of their launch.
struct Distances {
    /// Their logarithms, by block.
    logs: BTreeMap<u32, f64>,
    zeros: usize,
}

impl Distances {
    fn is_coarse(&self) -> bool {
        self.zeros as f64 > ZEROS_MAX * (self.zeros + self.logs.len()) as f64
    }
}

fn distances(judge: &Judge<'_>, at: usize) -> Distances {
    let id = judge.cells[at].id;
    let mut launches: BTreeMap<u32, Vec<(u32, f64)>> = BTreeMap::new();
    for it in judge.run.samples.iter().filter(|it| it.cell == id) {
        launches.entry(it.launch).or_default().push((it.block, 1e9 / it.call_ns()));
    }
    let mut found = Distances { logs: BTreeMap::new(), zeros: 0 };
    for own in launches.into_values().filter(|own| own.len() >= BLOCKS_MIN) {
        let Ok(speeds) = Sample::new(own.iter().map(|it| it.1).collect()) else { continue };
        let middle = median(&speeds);
        for (block, speed) in own {
            match (speed - middle).abs() {
                distance if distance > 0.0 => _ = found.logs.insert(block, distance.ln()),
                _ => found.zeros += 1,
            }
        }
    }
    found
}
