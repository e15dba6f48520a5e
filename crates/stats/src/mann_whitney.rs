//! Two independent samples: the Mann-Whitney test (H. B. Mann, D. R. Whitney, *Ann. Math. Stat.* 18
//! (1947) 50–60; = `scipy.stats.mannwhitneyu`), exact for small samples without ties and else
//! normal with the corrections for ties and continuity; and the shift between them, the median of
//! all differences between a value of one and a value of the other, with the interval that inverts
//! the test (J. L. Hodges, E. L. Lehmann, *Ann. Math. Stat.* 34 (1963) 598–611; M. Hollander, D. A.
//! Wolfe, *Nonparametric Statistical Methods*, 2nd ed., §4.2 to 4.3). It asks that both samples
//! have distributions of one shape, apart from where they lie; for logarithms of times a shift is a
//! factor.

use serde::Serialize;

use crate::level::Confidence;
use crate::rank::mid_ranks;
use crate::sample::Sample;
use crate::tails::normal_tail;

/// Up to so many values in each sample, the distribution of U is counted.
const EXACT_MAX: usize = 30;

/// Outcome of the test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MannWhitney {
    /// Pairs of a value of a and a value of b in which that of b is larger; a tie counts one half.
    pub u: f64,
    /// Chance of a U as large or larger if both come from one distribution.
    pub p_greater: f64,
    /// Chance of one as small or smaller.
    pub p_less: f64,
    /// Whether these were counted.
    pub is_exact: bool,
}

/// How far b lies above a.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shift {
    /// Median of all differences, b less a.
    pub estimate: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Coverage, at least what was asked for.
    pub confidence_achieved: f64,
}

impl MannWhitney {
    /// `b`, each value less `by`, against `a`.
    #[must_use]
    pub fn of(a: &Sample, b: &Sample, by: f64) -> Self {
        let shifted = b.sorted().iter().map(|value| value - by);
        let all: Vec<f64> = a.sorted().iter().copied().chain(shifted).collect();
        let ranked = mid_ranks(&all);
        let (n, m) = (a.len() as f64, b.len() as f64);
        let u = ranked.ranks[a.len()..].iter().sum::<f64>() - m * (m + 1.0) / 2.0;
        if ranked.ties.is_empty() && a.len().max(b.len()) <= EXACT_MAX {
            let chances = chances(a.len(), b.len());
            // Whole, as nothing ties.
            let below = u as usize;
            let p_less = chances[..=below].iter().sum::<f64>().min(1.0);
            let p_greater = chances[below..].iter().sum::<f64>().min(1.0);
            return Self { u, p_greater, p_less, is_exact: true };
        }
        let sd = spread(n, m, ranked.tie_sum());
        let tail = |excess: f64| match excess - 0.5 {
            _ if sd == 0.0 => 1.0,
            above if above >= 0.0 => normal_tail(above / sd),
            below => 1.0 - normal_tail(below / sd),
        };
        let excess = u - n * m / 2.0;
        Self { u, p_greater: tail(excess), p_less: tail(-excess), is_exact: false }
    }
}

impl Shift {
    /// Of `b` over `a`; `None` where even the extremes cover less than asked.
    #[must_use]
    pub fn between(a: &Sample, b: &Sample, confidence: Confidence) -> Option<Self> {
        let pairs = a.sorted().iter().flat_map(|a| b.sorted().iter().map(move |b| b - a));
        let mut differences: Vec<f64> = pairs.collect();
        differences.sort_unstable_by(f64::total_cmp);
        let (count, outside) = (differences.len(), 1.0 - confidence.value());
        // The ends are the k-th smallest and the k-th largest difference; outside lie twice the
        // cases of U < k.
        let (k, beyond) = rank_of_ends(a.len(), b.len(), outside)?;
        Some(Self {
            estimate: f64::midpoint(differences[(count - 1) / 2], differences[count / 2]),
            low: differences[k - 1],
            high: differences[count - k],
            confidence_achieved: 1.0 - beyond,
        })
    }
}

/// The largest k, from 1, with 2 · P(U < k) at most `outside`, and that chance.
fn rank_of_ends(n: usize, m: usize, outside: f64) -> Option<(usize, f64)> {
    if n.max(m) <= EXACT_MAX {
        let mut below = 0.0;
        let mut found = None;
        for (u, chance) in chances(n, m).iter().take(n * m / 2).enumerate() {
            below += 2.0 * chance;
            if below > outside {
                break;
            }
            found = Some((u + 1, below));
        }
        return found;
    }
    let (mean, sd) = ((n * m) as f64 / 2.0, spread(n as f64, m as f64, 0.0));
    // Below the mean, as k is.
    let beyond = |k: usize| 2.0 * normal_tail((mean - k as f64 + 0.5) / sd);
    let (mut fits, mut fails) = (0, n * m / 2 + 1);
    while fails - fits > 1 {
        let k = fits + (fails - fits) / 2;
        *(if beyond(k) <= outside { &mut fits } else { &mut fails }) = k;
    }
    (fits > 0).then(|| (fits, beyond(fits)))
}

/// Standard deviation of U, `ties` being Σ (t³ − t).
fn spread(n: f64, m: f64, ties: f64) -> f64 {
    let all = n + m;
    (n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)).max(1.0))).max(0.0).sqrt()
}

/// P(U = u) for samples of n and m values without ties: the largest value of all is one of b's, and
/// then above all n of a, or one of a's.
fn chances(n: usize, m: usize) -> Vec<f64> {
    // One row for each number of b's values, for the present number of a's.
    let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
    for of_a in 1..=n {
        let mut next: Vec<Vec<f64>> = vec![vec![1.0]];
        for of_b in 1..=m {
            let all = (of_a + of_b) as f64;
            let mut row = vec![0.0; of_a * of_b + 1];
            for (u, chance) in next[of_b - 1].iter().enumerate() {
                row[u + of_a] += chance * of_b as f64 / all;
            }
            for (u, chance) in rows[of_b].iter().enumerate() {
                row[u] += chance * of_a as f64 / all;
            }
            next.push(row);
        }
        rows = next;
    }
    rows.swap_remove(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn u_counts_pairs_and_its_chances_are_those_of_all_orders() {
        // Of the 20 orders of 3 and 3 values, one has U = 0, one 1, two 2, three 3, three 4, ….
        let counts = [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 2.0, 1.0, 1.0];
        for (chance, count) in chances(3, 3).iter().zip(counts) {
            assert!((chance - count / 20.0).abs() < 1e-15);
        }
        let (a, b) = (sample(&[1.0, 2.0, 3.0]), sample(&[2.5, 4.0, 5.0]));
        let tested = MannWhitney::of(&a, &b, 0.0);
        assert_eq!((tested.u, tested.is_exact), (8.0, true));
        assert!((tested.p_greater - 0.1).abs() < 1e-15 && (tested.p_less - 0.95).abs() < 1e-15);
        // Less 10, all of b lie below.
        assert_eq!(MannWhitney::of(&a, &b, 10.0).u, 0.0);
        let same = sample(&[1.0; 40]);
        assert_eq!(MannWhitney::of(&same, &same, 0.0).p_greater, 1.0, "nothing differs");
    }

    #[test]
    fn the_shift_is_the_median_difference_and_needs_values_enough() {
        let (a, b) = (sample(&[1.0, 2.0, 4.0, 8.0]), sample(&[11.0, 12.0, 14.0, 18.0]));
        let ninety = Confidence::new(0.9).unwrap();
        let found = Shift::between(&a, &b, ninety).unwrap();
        assert_eq!(found.estimate, 10.0);
        // 2 · P(U ≤ 1) = 4/70: the second smallest and the second largest of 16 differences.
        assert_eq!((found.low, found.high), (4.0, 16.0));
        assert!((found.confidence_achieved - (1.0 - 4.0 / 70.0)).abs() < 1e-15);
        assert_eq!(Shift::between(&sample(&[1.0]), &b, ninety), None);
    }
}
