//! Crossovers as messages grow, among the candidates that are fastest somewhere, of all or
//! of a MAC that the study names.

use std::num::NonZeroU64;

use lab::cell::Candidate;
use serde::Serialize;
use stats::{Crossover, Curve, Side, SizePoint};

use super::series::{Series, pair, paired};
use super::{CellFinding, Interval, Levels, SizeFinding, Unit};
use crate::format;

/// More sizes than these are many: intervals of 95 % then fail somewhere.
const ALONE_MAX: usize = 16;

/// Costs rise in steps of a block, the longest of which are KMAC128's (BLAKE3's chunks aside):
/// within one nothing can be interpolated.
const STEP_BYTES: u64 = 168;

/// One candidate overtakes another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossoverFinding {
    /// Who is faster for shorter messages.
    pub faster_below: Candidate,
    /// Who is faster for longer messages.
    pub faster_above: Candidate,
    /// Where the two are equal, by interpolation: the median of the launches' crossings, where
    /// there are enough launches.
    pub at_bytes: f64,
    /// Interval of that median; absent where there are too few launches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_bytes: Option<Interval>,
    /// Largest measured size at which the first is shown faster.
    pub from_bytes: u64,
    /// Smallest measured size at which the second is.
    pub to_bytes: u64,
    /// Measured sizes between at which neither is shown faster.
    pub tied_bytes: Vec<u64>,
    /// True where the lead changes hands: the first is tied with the best of all at `from_bytes`,
    /// the second at `to_bytes`.
    pub lead: bool,
    /// The same in words.
    pub sentence: String,
}

impl CrossoverFinding {
    /// `1.2 KiB (1.1 KiB to 1.3 KiB)`.
    pub(crate) fn at_in_words(&self) -> String {
        let ends = self.interval_bytes.map(|it| [it.low, it.high].map(format::about_bytes));
        let ends = ends.map(|[low, high]| format!(" ({low} to {high})"));
        format!("{}{}", format::about_bytes(self.at_bytes), ends.unwrap_or_default())
    }
}

/// Every supported change of places, by ascending size.
pub(super) fn of(
    sizes: &[SizeFinding],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
    named: &[String],
) -> Vec<CrossoverFinding> {
    let best = best(sizes, cells, named);
    let mut found = Vec::new();
    for (i, a) in best.iter().enumerate() {
        for b in &best[i + 1..] {
            let both = (&a.cell.candidate, &b.cell.candidate);
            let curve = curve(sizes, cells, series, levels, both);
            let told = curve.iter().flat_map(Curve::crossovers).map(|it| {
                let exact = crossing(&it, sizes, cells, series, levels, both);
                tell(&it, exact, a, b)
            });
            found
                .extend(told.map(|it| CrossoverFinding { lead: is_lead(&it, sizes, cells), ..it }));
        }
    }
    found.sort_by(|x, y| x.at_bytes.total_cmp(&y.at_bytes));
    found
}

/// The first at each size, and the best of each MAC that is named.
fn best<'a>(
    sizes: &[SizeFinding],
    cells: &'a [CellFinding],
    named: &[String],
) -> Vec<&'a CellFinding> {
    let mut best: Vec<&CellFinding> = Vec::new();
    for (at, row) in sizes.iter().flat_map(|size| size.ranking.iter().enumerate()) {
        let cell = &cells[row.cell];
        let who = &cell.cell.candidate;
        let is_best = at == 0 || row.best_of_mac && named.contains(&who.mac);
        if is_best && row.rank.is_some() && best.iter().all(|it| it.cell.candidate != *who) {
            best.push(cell);
        }
    }
    best
}

/// The crossing within a crossover's lengths, by the launches that all of its cells share.
fn crossing(
    crossover: &Crossover,
    sizes: &[SizeFinding],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
    (a, b): (&Candidate, &Candidate),
) -> Option<stats::Crossing> {
    let Crossover { bracket_low_bytes: low, bracket_high_bytes: high, .. } = *crossover;
    // Lengths of the curve: at others one of the two was hardly measured.
    let is_of_it = |len: u64| [low, high].contains(&len) || crossover.tie_zone_bytes.contains(&len);
    let mut bracket: Vec<(u64, [&Series; 2])> = Vec::new();
    for size in sizes.iter().filter(|size| is_of_it(size.len_bytes)) {
        let both = [of_size(size, cells, series, a), of_size(size, cells, series, b)];
        if let [Some(a), Some(b)] = both {
            bracket.push((size.len_bytes, [a, b]));
        }
    }
    let all: Vec<&Series> = bracket.iter().flat_map(|(_, both)| *both).collect();
    let (unit, columns) = paired(&all);
    let of_side =
        |side: usize| -> Vec<Vec<f64>> { columns.iter().skip(side).step_by(2).cloned().collect() };
    let lens: Vec<u64> = bracket.iter().map(|(len_bytes, _)| *len_bytes).collect();
    let times = [of_side(0), of_side(1)];
    (unit == Unit::Launch).then_some(())?;
    stats::crossing(&lens, [&times[0], &times[1]], crossover.faster_below, levels.confidence)
}

/// The series of a candidate at a length.
fn of_size<'a>(
    size: &SizeFinding,
    cells: &[CellFinding],
    series: &'a [Series],
    who: &Candidate,
) -> Option<&'a Series> {
    let row = size.ranking.iter().find(|row| cells[row.cell].cell.candidate == *who)?;
    Some(&series[row.cell])
}

fn curve(
    sizes: &[SizeFinding],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
    (a, b): (&Candidate, &Candidate),
) -> Option<Curve> {
    let of = |size: &SizeFinding, who: &Candidate| of_size(size, cells, series, who);
    let point = |size: &SizeFinding| {
        let (_, columns) = pair([of(size, a)?, of(size, b)?]);
        let len_bytes = NonZeroU64::new(size.len_bytes)?;
        let point = SizePoint::of_times(len_bytes, &columns[0], &columns[1], levels.confidence);
        let point = point.ok().filter(|point| point.interval.is_some());
        point.map(|point| within_margin(point, levels))
    };
    Curve::new(backed(sizes.iter().filter_map(point).collect())).ok()
}

/// Of a few sizes each counts. Of many, some exclude equality by chance alone: one then counts only
/// where a neighbouring size shows the same candidate faster.
fn backed(points: Vec<SizePoint>) -> Vec<SizePoint> {
    if points.len() <= ALONE_MAX {
        return points;
    }
    let shown: Vec<Option<Side>> = points.iter().map(SizePoint::faster).collect();
    let agrees = |at: usize| {
        let neighbours = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        neighbours.filter_map(|near| shown.get(near)).any(|near| *near == shown[at])
    };
    let open = |(low, high): (f64, f64)| (low.min(0.0), high.max(0.0));
    let backed = |(at, point): (usize, SizePoint)| match agrees(at) {
        true => point,
        false => SizePoint { interval: point.interval.map(open), ..point },
    };
    points.into_iter().enumerate().map(backed).collect()
}

/// A difference that does not matter shows nobody faster: two that run on one compression function
/// would overtake each other at every other size.
fn within_margin(point: SizePoint, levels: Levels) -> SizePoint {
    let margin = levels.margin.log();
    match point.interval {
        Some((low, high)) if low >= -margin && high <= margin => {
            SizePoint { interval: Some((-margin, margin)), ..point }
        }
        _ => point,
    }
}

fn tell(
    crossover: &Crossover,
    exact: Option<stats::Crossing>,
    a: &CellFinding,
    b: &CellFinding,
) -> CrossoverFinding {
    let (below, above) = if crossover.faster_below == Side::A { (a, b) } else { (b, a) };
    let Crossover { bracket_low_bytes: low, bracket_high_bytes: high, len_bytes, .. } = *crossover;
    let mut between = format!("between {} and {}", format::bytes(low), format::bytes(high));
    let at_bytes = exact.map_or(len_bytes, |it| it.len_bytes);
    if high - low > STEP_BYTES {
        between += &format!(" (at about {}{})", format::about_bytes(at_bytes), ends(exact));
    }
    let tied: Vec<String> =
        crossover.tie_zone_bytes.iter().map(|&len| format::bytes(len)).collect();
    let tie = match tied.as_slice() {
        [] => String::new(),
        [first, .., last] if tied.len() > 3 => {
            format!("; no difference shown from {first} to {last}")
        }
        tied => format!("; no difference shown at {}", format::list(tied)),
    };
    CrossoverFinding {
        faster_below: below.cell.candidate.clone(),
        faster_above: above.cell.candidate.clone(),
        at_bytes,
        interval_bytes: exact.map(|it| Interval {
            low: it.low_bytes,
            high: it.high_bytes,
            confidence: it.confidence_achieved,
        }),
        from_bytes: crossover.bracket_low_bytes,
        to_bytes: crossover.bracket_high_bytes,
        tied_bytes: crossover.tie_zone_bytes.clone(),
        lead: false,
        sentence: format!(
            "{} is overtaken by {} {between}{tie}",
            below.in_words(),
            above.in_words()
        ),
    }
}

/// `, 95 % 1.1 KiB to 1.3 KiB`, where the ends are not printed alike.
fn ends(exact: Option<stats::Crossing>) -> String {
    let printed = exact.map(|it| [it.low_bytes, it.high_bytes].map(format::about_bytes));
    match printed {
        Some([low, high]) if low != high => format!(", 95 % {low} to {high}"),
        _ => String::new(),
    }
}

fn is_lead(it: &CrossoverFinding, sizes: &[SizeFinding], cells: &[CellFinding]) -> bool {
    let leads = |who: &Candidate, len_bytes: u64| {
        let size = sizes.iter().find(|size| size.len_bytes == len_bytes);
        let mut rows = size.into_iter().flat_map(|size| &size.ranking);
        rows.any(|row| row.tied_with_best && cells[row.cell].cell.candidate == *who)
    };
    leads(&it.faster_below, it.from_bytes) && leads(&it.faster_above, it.to_bytes)
}
