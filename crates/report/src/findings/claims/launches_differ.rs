//! The same code takes different times in different launches: the Kruskal-Wallis test of batches of
//! its blocks by launch, after Holm's correction over all samples, and more than the margin between
//! the launch with the longest median and the one with the shortest.

use std::collections::BTreeMap;

use stats::{KruskalWallis, RatioInterval, Sample, holm, median};

use super::super::series;
use super::check::{Outcome, unpaired};
use super::sample::Shown;
use super::{Claim, Group, Judge};
use crate::format;

pub(super) fn found(
    judge: &Judge<'_>,
    macs: &[String],
    claim: &Claim,
    own: &[&Group],
) -> Vec<Shown> {
    let cells = judge.cells_of(macs, claim, own);
    let launches: Vec<Vec<Vec<f64>>> = cells.iter().map(|&at| launches(judge, at)).collect();
    let p = |own: &Vec<Vec<f64>>| {
        let batches: Option<Vec<Sample>> =
            own.iter().map(|blocks| Sample::new(batches(blocks)).ok()).collect();
        batches.and_then(|it| KruskalWallis::of(&it)).map_or(1.0, |it| it.p)
    };
    let p: Vec<f64> = launches.iter().map(p).collect();
    let corrected = holm(&p).unwrap_or_else(|_| vec![1.0; p.len()]);
    let all = cells.into_iter().zip(launches).zip(corrected);
    all.map(|((at, launches), p)| of(judge, at, &launches, p)).collect()
}

/// So many groups of neighbouring blocks a launch, each with its median: blocks that follow one
/// another are not independent, which the test takes its values for (batch means: A. M. Law,
/// *Simulation Modeling and Analysis*, 5th ed., section 9.5.3).
const BATCHES: usize = 8;

/// Logarithms of the times of its blocks, launch by launch. A launch that was cut off after a few
/// is not held against the others.
fn launches(judge: &Judge<'_>, at: usize) -> Vec<Vec<f64>> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let id = judge.cells[at].id;
    for sample in judge.run.samples.iter().filter(|it| it.cell == id && it.call_ns() > 0.0) {
        launches.entry(sample.launch).or_default().push(sample.call_ns().ln());
    }
    launches.into_values().filter(|own| own.len() >= BATCHES).collect()
}

fn batches(blocks: &[f64]) -> Vec<f64> {
    let end = |batch: usize| batch * blocks.len() / BATCHES;
    let of = |batch: usize| series::median(blocks[end(batch)..end(batch + 1)].to_vec());
    (0..BATCHES).filter_map(of).collect()
}

fn of(judge: &Judge<'_>, at: usize, launches: &[Vec<f64>], p: f64) -> Shown {
    let launches: Vec<Sample> =
        launches.iter().filter_map(|own| Sample::new(own.clone()).ok()).collect();
    let words = |what: String| format!("{}: {what}", judge.sample_words(at));
    let by_median = |x: &&Sample, y: &&Sample| median(x).total_cmp(&median(y));
    let ends = (launches.iter().max_by(by_median), launches.iter().min_by(by_median));
    let (Some(slowest), Some(fastest), true) = (ends.0, ends.1, launches.len() > 1) else {
        let words = words("too few launches with enough blocks to compare".into());
        return Shown { outcome: Outcome::Open, size: 0.0, words };
    };
    let log_ratio = median(slowest) - median(fastest);
    let margin = judge.levels.margin.log();
    let outcome = match () {
        () if p < judge.levels.alpha.value() && log_ratio > margin => Outcome::Holds,
        () if interval(judge, launches.len(), [slowest, fastest])
            .is_some_and(|it| it.log_high < margin) =>
        {
            Outcome::Contradicted
        }
        () => Outcome::Open,
    };
    Shown {
        outcome,
        size: log_ratio,
        words: words(format!(
            "the slowest of {} launches takes {} the time of the fastest (Kruskal-Wallis test over \
             all of them, after Holm's correction: {})",
            launches.len(),
            format::times(log_ratio.exp()),
            format::probability(p)
        )),
    }
}

/// Of the ratio of the two, which are picked from all pairs and held to what the worst of so many
/// may show.
fn interval(judge: &Judge<'_>, launches: usize, [a, b]: [&Sample; 2]) -> Option<RatioInterval> {
    let pairs = launches * (launches - 1) / 2;
    unpaired(&[a.clone(), b.clone()], judge.levels.confidence.shared_among(pairs))
}
