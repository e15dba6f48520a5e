//! The time is proportional to the calls of the primitive: shared out among them, it is the same at
//! every length. What is not calls of the primitive is measured beside it, where the study has its
//! macs without their primitive, and is subtracted. Each length is held against the one with the
//! most calls, where what is paid once counts least. Neighbouring lengths would not do: from 20
//! calls to 21, time that does not grow at all is off by 5 % only.

use stats::{Line, Sample, median, median_interval};

use super::super::series::LAUNCHES_MIN;
use super::super::taken_apart::frame_of;
use super::check::{Check, Claimed, Rated};
use super::{Evidence, Judge, Quantity, Scope};
use crate::format::{self, Figure};

pub(super) fn gather(
    judge: &Judge<'_>,
    macs: &[String],
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let margin = judge.levels.margin;
    let claimed = Claimed::equal(margin);
    for row in judge.by_candidate(macs, scope) {
        let mac = &judge.cells[row[0]].cell.candidate.mac;
        let mut rated = Vec::new();
        for &cell in &row {
            match judge.cells[cell].work.filter(|work| work.calls > 0) {
                Some(work) => {
                    let frame = judge.frame(cell);
                    rated.push(Rated { frame, ..Rated::new(cell, work.calls as f64) });
                }
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
        let checks = fewer.into_iter().map(|it| {
            let whole = whole_times(judge, (it, most), claimed);
            let check = judge.compare_rates((it, most), Quantity::TimePerPrimitiveCall, claimed);
            let in_full = whole.as_ref().map(|it| format!("{}{}", it.ratio, it.spread));
            let asides = check.aside.iter().chain(&in_full).chain(&costs);
            let aside: Vec<String> = asides.cloned().collect();
            Check {
                aside: (!aside.is_empty()).then(|| aside.join("; ")),
                aside_in_brief: whole.map(|it| it.ratio),
                ..check
            }
        });
        evidence.checks.extend(checks);
    }
}

/// A ratio with nothing subtracted, in words.
struct Whole {
    /// `with nothing subtracted 1.31 × as much at 0 B as at 256 B`.
    ratio: String,
    /// ` (95 % interval 1.30 to 1.32)`, where there is an interval.
    spread: String,
}

/// The same ratio with nothing subtracted, where something is.
fn whole_times(judge: &Judge<'_>, pair: (Rated, Rated), claimed: Claimed) -> Option<Whole> {
    pair.0.frame.or(pair.1.frame)?;
    let whole = |it: Rated| Rated { frame: None, ..it };
    let own = (whole(pair.0), whole(pair.1));
    let check = judge.compare_rates(own, Quantity::TimePerPrimitiveCall, claimed);
    let ends = check.interval.map(|it| (it.low, it.high));
    let figure = Figure::ratio(check.log_ratio?.exp(), ends, judge.levels.margin.value());
    let len = |it: Rated| format::bytes(judge.cells[it.cell].cell.len_bytes);
    let spread = figure.ends_in_words().map(|ends| {
        format!(" ({} interval {ends})", format::percent(judge.levels.confidence.value()))
    });
    let [times, len, most] = [figure.times(), len(pair.0), len(pair.1)];
    let ratio = format!("with nothing subtracted {times} as much at {len} as at {most}");
    Some(Whole { ratio, spread: spread.unwrap_or_default() })
}

impl Judge<'_> {
    /// The cell that measures what its mac does beside its primitive.
    fn frame(&self, at: usize) -> Option<usize> {
        frame_of(at, self.cells).filter(|&frame| !self.series[frame].blocks.is_empty())
    }
}

/// What a call of the primitive costs and what is paid apart from them, by least squares over the
/// lengths: one line per launch, their median with its interval.
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
    Some(format!(
        "by least squares over the whole times {slope} per call and {intercept} apart from \
         them{caution}"
    ))
}
