//! Why an interval is wide, as far as the data tell: few launches, one that stands apart, or two
//! heaps of them.

use stats::MedianInterval;

use super::Unit;
use super::series::{LAUNCHES_MIN, Series, median};
use crate::format;

/// An end further from the median than this is told with its reason.
pub(crate) const WIDE: f64 = 0.1;

/// Launches that agree with each other lie this near to their median.
const NEAR: f64 = 0.05;

/// What the data tell; absent where the interval is narrow.
pub(super) fn why(series: &Series, interval: &MedianInterval) -> Option<String> {
    let middle = median(series.values(series.unit()).values().copied().collect())?;
    let is_wide = (interval.high - middle).max(middle - interval.low) > WIDE * middle;
    is_wide.then(|| match series.unit() {
        Unit::Block => format!(
            "fewer than {LAUNCHES_MIN} launches, so the interval is over {}",
            words::counted(series.blocks.len(), "block")
        ),
        Unit::Launch => of_launches(series.launches.values().copied().collect(), middle),
    })
}

fn of_launches(mut launches: Vec<f64>, middle: f64) -> String {
    launches.sort_unstable_by(f64::total_cmp);
    let count = launches.len();
    let far: Vec<f64> =
        launches.iter().copied().filter(|it| (it / middle).ln().abs() > NEAR).collect();
    if let [only] = far[..] {
        let ratio = format::times(only / middle);
        return format!("one of {count} launches took {ratio} the median of all");
    }
    let is_heap = |heap: &[f64]| {
        let own = heap[heap.len() / 2];
        heap.len() > 1 && heap.iter().all(|it| (it / own).ln().abs() <= NEAR)
    };
    let heaps = (1..count).map(|at| launches.split_at(at)).find(|(a, b)| is_heap(a) && is_heap(b));
    if let Some((short, long)) = heaps {
        let time = |heap: &[f64]| format::time(heap[heap.len() / 2]);
        return format!(
            "its launches fall into two clusters, {} near {} and {} near {}",
            short.len(),
            time(short),
            long.len(),
            time(long)
        );
    }
    let (least, most) = (launches[0], launches[count - 1]);
    let (least, most) = (format::time(least), format::time(most));
    let few = if count < 9 { ", and with so few the interval spans them all" } else { "" };
    format!("medians of its {count} launches: {least} to {most}{few}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_launches_tell_of_their_spread() {
        let told = |launches: &[f64]| of_launches(launches.to_vec(), launches[0]);
        let one = told(&[100.0, 101.0, 99.0, 100.0, 102.0, 170.0]);
        assert_eq!(one, "one of 6 launches took 1.70 × the median of all");
        let two = told(&[100.0, 101.0, 99.0, 140.0, 141.0, 142.0]);
        assert_eq!(two, "its launches fall into two clusters, 3 near 100 ns and 3 near 141 ns");
        let spread = told(&[100.0, 80.0, 90.0, 110.0, 120.0, 130.0]);
        assert!(
            spread.starts_with("medians of its 6 launches: 80.0 ns to 130 ns, and with so few")
        );
    }
}
