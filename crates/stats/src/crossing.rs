//! The length at which two candidates take equally long, with an interval. Each launch has its own
//! crossing: its costs, taken to be linear in the length between measured lengths, are equal there.
//! The estimate is the median of the launches' crossings, its interval the order statistics that
//! [`median_interval`] takes, so that it covers what it says whatever the distribution.

use serde::Serialize;

use crate::crossover::Side;
use crate::level::Confidence;
use crate::median::{median, median_interval};
use crate::sample::Sample;

/// Where two candidates change places.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Crossing {
    /// Median of the launches' crossings.
    pub len_bytes: f64,
    /// Lower end of its interval.
    pub low_bytes: f64,
    /// Upper end of its interval.
    pub high_bytes: f64,
    /// Exact coverage, at least what was asked.
    pub confidence_achieved: f64,
}

/// The crossing between the first and the last of these lengths: at the first one `below` is
/// faster, at the last one the other. Times are by length and then by launch, in any one unit. A
/// launch in which one of them leads all the way crosses at the end or beyond, and counts there;
/// one in which they change places the other way round says nothing. `None` where too few launches
/// are left.
pub fn crossing(
    lens_bytes: &[u64],
    [a, b]: [&[Vec<f64>]; 2],
    below: Side,
    confidence: Confidence,
) -> Option<Crossing> {
    let launches = a.iter().chain(b).map(Vec::len).min()?;
    let sign = if below == Side::A { 1.0 } else { -1.0 };
    let roots = (0..launches).filter_map(|launch| {
        let difference = |at: usize| sign * (a[at][launch] - b[at][launch]);
        let points: Vec<(f64, f64)> =
            lens_bytes.iter().enumerate().map(|(at, &len)| (len as f64, difference(at))).collect();
        root(&points)
    });
    let roots = Sample::new(roots.collect()).ok()?;
    let interval = median_interval(&roots, confidence)?;
    Some(Crossing {
        len_bytes: median(&roots),
        low_bytes: interval.low,
        high_bytes: interval.high,
        confidence_achieved: interval.confidence_achieved,
    })
}

/// Where a difference that is negative at first and positive at last is 0: of several changes of
/// its sign the middle one, the first end where it is never negative, the last where it always is.
fn root(points: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (points.first()?, points.last()?);
    match (first.1 < 0.0, last.1 < 0.0) {
        (true, true) => return Some(last.0),
        (false, false) => return Some(first.0),
        (false, true) => return None,
        (true, false) => {}
    }
    let changes: Vec<_> =
        points.windows(2).filter(|pair| (pair[0].1 < 0.0) != (pair[1].1 < 0.0)).collect();
    let &[(low, at_low), (high, at_high)] = *changes.get(changes.len() / 2)? else { return None };
    Some(low + (high - low) * at_low / (at_low - at_high))
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    const P95: Confidence = Confidence::NINETY_FIVE_PERCENT;

    #[test]
    fn costs_are_linear_between_lengths() {
        // 10 + s against 40 + s/2: equal at 60.
        let lens = [16, 64, 256];
        let column = |cost: &dyn Fn(f64) -> f64| -> Vec<Vec<f64>> {
            lens.iter().map(|&len| vec![cost(f64::from(len as u32)); 6]).collect()
        };
        let (a, b) = (column(&|s| 10.0 + s), column(&|s| 40.0 + s / 2.0));
        let found = crossing(&lens, [&a, &b], Side::A, P95).unwrap();
        assert!((found.len_bytes - 60.0).abs() < 1e-9 && found.low_bytes == found.high_bytes);
        let turned = crossing(&lens, [&b, &a], Side::B, P95).unwrap();
        assert_eq!(turned, found);
        // Five launches are too few; and none that changes the other way round counts.
        let few = |columns: &[Vec<f64>]| -> Vec<Vec<f64>> {
            columns.iter().map(|it| it[..5].to_vec()).collect()
        };
        assert_eq!(crossing(&lens, [&few(&a), &few(&b)], Side::A, P95), None);
        assert_eq!(crossing(&lens, [&a, &b], Side::B, P95), None);
    }

    #[test]
    fn the_ends_and_the_middle_of_several_changes() {
        assert_eq!(root(&[(1.0, -1.0), (2.0, -0.5)]), Some(2.0));
        assert_eq!(root(&[(1.0, 0.0), (2.0, 0.5)]), Some(1.0));
        let wavering = [(1.0, -1.0), (2.0, 1.0), (3.0, -1.0), (4.0, 1.0)];
        assert_eq!(root(&wavering), Some(2.5));
    }

    /// The figure in `docs/method.md`: 400 pairs of costs whose crossing is known, launches that
    /// differ by some per cent at each length, 6 to 20 of them.
    #[test]
    fn intervals_hold_the_known_crossing_as_often_as_they_say() {
        let mut random = StdRng::seed_from_u64(4);
        let lens = [16_u64, 64, 256, 1024, 4096];
        let mut noise = || {
            let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
            (0.03 * normal).exp()
        };
        let mut held = 0;
        for at in 0..400 {
            let launches = 6 + at % 15;
            // Fixed costs of 20 and 20 + 20 x, per byte 1 and 1/2: equal at 40 x.
            let known = 80.0 * 1.01_f64.powi(at % 300);
            let cost_a = |s: f64| 20.0 + s;
            let cost_b = |s: f64| 20.0 + known / 2.0 + s / 2.0;
            let mut times = |cost: &dyn Fn(f64) -> f64| -> Vec<Vec<f64>> {
                let of_len =
                    |&len: &u64| (0..launches).map(|_| cost(len as f64) * noise()).collect();
                lens.iter().map(of_len).collect()
            };
            let (a, b) = (times(&cost_a), times(&cost_b));
            let found = crossing(&lens, [&a, &b], Side::A, P95).unwrap();
            held += usize::from((found.low_bytes..=found.high_bytes).contains(&known));
        }
        assert!((372..=396).contains(&held), "{held} of 400");
    }
}
