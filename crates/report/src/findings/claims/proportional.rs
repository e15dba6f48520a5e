//! The time is proportional to the calls of the primitive: shared out among them, it is the same at
//! every length. Each length is held against the one with the most calls, where what is paid once
//! counts least. Neighbouring lengths would not do: from 20 calls to 21, time that does not grow at
//! all is off by 5 % only.

use stats::{Line, Sample, Verdict, median, median_interval};

use super::super::series::LAUNCHES_MIN;
use super::rates::Rated;
use super::{Check, Evidence, Judge, Outcome, Quantity, Scope, effect, finding};
use crate::format::{self, Figure};

pub(super) fn gather(
    judge: &Judge<'_>,
    macs: &[String],
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    for row in judge.by_candidate(macs, scope) {
        let mac = &judge.cells[row[0]].cell.candidate.mac;
        let mut rated = Vec::new();
        for &cell in &row {
            match judge.cells[cell].work.filter(|work| work.calls > 0) {
                Some(work) => rated.push(Rated { cell, units: work.calls as f64 }),
                None => evidence.does_not_know_calls_of(mac),
            }
        }
        let most = rated.iter().copied().max_by(|x, y| x.units.total_cmp(&y.units));
        let Some(most) = most else { continue };
        let fewer: Vec<Rated> = rated.iter().copied().filter(|it| it.units < most.units).collect();
        if fewer.is_empty() {
            evidence.lacks(format!("{mac} with different numbers of calls"));
            continue;
        }
        let costs = costs(judge, &rated);
        let checks = fewer.into_iter().filter_map(|it| check(judge, it, most));
        let checks = checks.map(|check| Check { aside: costs.clone(), ..check });
        evidence.checks.extend(checks);
    }
}

fn check(judge: &Judge<'_>, fewer: Rated, most: Rated) -> Option<Check> {
    let ratio = judge.rate_ratio(fewer, most)?;
    let margin = judge.levels.margin;
    let outcome = match &ratio.interval {
        Some(it) if it.log_low >= -margin.log() && it.log_high <= margin.log() => Outcome::Holds,
        Some(it) if it.log_low > margin.log() || it.log_high < -margin.log() => {
            Outcome::Contradicted
        }
        _ => Outcome::Open,
    };
    let over = finding(ratio.log_ratio.exp(), ratio.interval.as_ref());
    Some(Check {
        effect: effect(fewer.cell, most.cell, over, Quantity::TimePerPrimitiveCall),
        verdict: Verdict::of(ratio.interval.as_ref(), margin),
        outcome,
        strict: false,
        size: ratio.log_ratio.abs(),
        unpaired: ratio.unpaired,
        inverted: false,
        bounds: vec![],
        aside: None,
    })
}

/// What a call of the primitive costs and what is paid apart from them, by least squares over the
/// lengths: a line a launch, their median with its interval.
fn costs(judge: &Judge<'_>, rated: &[Rated]) -> Option<String> {
    let units: Vec<f64> = rated.iter().map(|it| it.units).collect();
    let series = |it: &Rated| &judge.series[it.cell];
    let first = &series(rated.first()?).launches;
    let shared =
        first.keys().filter(|at| rated.iter().all(|it| series(it).launches.contains_key(at)));
    let lines: Vec<Line> = shared
        .filter_map(|at| {
            let times: Vec<f64> = rated.iter().map(|it| series(it).launches[at]).collect();
            Line::through(&units, &times).ok()
        })
        .collect();
    let told = |part: fn(&Line) -> f64| {
        let sample = Sample::new(lines.iter().map(part).collect()).ok()?;
        let middle = median(&sample);
        let interval = median_interval(&sample, judge.levels.confidence);
        let time = Figure::time(middle, interval.map(|it| (it.low, it.high)));
        let spread = time.ends_in_words().map(|ends| {
            format!(" ({} interval {ends})", format::percent(judge.levels.confidence.value()))
        });
        Some(format!("{}{}", time.value(), spread.unwrap_or_default()))
    };
    let [slope, intercept] = [told(|line| line.slope)?, told(|line| line.intercept)?];
    let caution = if lines.len() < LAUNCHES_MIN { ", too few launches for intervals" } else { "" };
    Some(format!("by least squares {slope} a call and {intercept} apart from them{caution}"))
}
