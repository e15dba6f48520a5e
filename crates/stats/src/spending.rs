//! Several looks at growing data without finding too much: each look has a level of its own, fixed
//! before the first, and the levels sum to the error allowed (alpha spending: K. K. G. Lan, D. L.
//! DeMets, *Biometrika* 70 (1983) 659–663; shared out by Bonferroni, which asks nothing of how
//! looks depend on each other). The k-th look spends α/(k(k+1)): half, a sixth, a twelfth, …

use crate::holm::blocks_min;
use crate::level::Alpha;

/// Fewer launches say little of how launches differ.
const FIRST_LOOK_LAUNCHES_MIN: u32 = 8;

/// Each look comes after so many times as many launches as the one before.
const GROWTH: f64 = 1.5;

/// Looks that are planned: no run gets further.
const LOOKS: u32 = 14;

/// A look at the data: after how many launches, and at which level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Launches behind it.
    pub launches: u32,
    /// The error it may spend.
    pub alpha: Alpha,
}

/// The looks of a family of so many cells, of which any may be shown from the first look on: that
/// takes as many launches as the smallest p of a two-tailed sign test needs to pass Holm's
/// correction. They depend on nothing measured.
#[must_use]
pub fn looks(cells: usize, alpha: Alpha) -> Vec<Look> {
    let first = half(alpha).map_or(FIRST_LOOK_LAUNCHES_MIN, |own| blocks_min(cells, own) as u32);
    let launches = std::iter::successors(Some(first.max(FIRST_LOOK_LAUNCHES_MIN)), |&last| {
        Some((f64::from(last) * GROWTH).ceil() as u32)
    });
    looks_after(&launches.take(LOOKS as usize).collect::<Vec<_>>(), alpha)
}

/// The same for looks after so many launches, ascending.
#[must_use]
pub fn looks_after(launches: &[u32], alpha: Alpha) -> Vec<Look> {
    let look = |(number, &launches): (u32, &u32)| {
        let spent = alpha.value() / f64::from(number * (number + 1));
        Some(Look { launches, alpha: Alpha::new(spent).ok()? })
    };
    (1..).zip(launches).filter_map(look).collect()
}

fn half(alpha: Alpha) -> Option<Alpha> {
    Alpha::new(alpha.value() / 2.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_sum_to_the_error_allowed_and_launches_grow() {
        let looks = looks(20, Alpha::FIVE_PERCENT);
        let spent: f64 = looks.iter().map(|look| look.alpha.value()).sum();
        // 1/2 + 1/6 + … + 1/(14·15) = 1 − 1/15.
        assert!((spent - 0.05 * 14.0 / 15.0).abs() < 1e-12, "{spent}");
        let launches: Vec<u32> = looks.iter().map(|look| look.launches).collect();
        assert_eq!(launches[..5], [11, 17, 26, 39, 59]);
    }

    #[test]
    fn the_first_look_can_show_one_cell_of_all() {
        for cells in [1, 8, 20, 48, 500] {
            let first = looks(cells, Alpha::FIVE_PERCENT)[0];
            let least = 0.5f64.powi(first.launches as i32 - 1);
            assert!(least * cells as f64 <= first.alpha.value(), "{cells}: {first:?}");
        }
        assert_eq!(looks(0, Alpha::FIVE_PERCENT)[0].launches, 8);
    }
}
