//! Two independent samples: the Mann-Whitney test (H. B. Mann, D. R. Whitney, *Ann. Math. Stat.* 18
//! (1947) 50–60; = `scipy.stats.mannwhitneyu`), exact for small samples, with ties given the ranks
//! seen (= its `PermutationMethod`), and else normal with the corrections for ties and continuity;
//! and the shift between them, the median of all differences between a value of one and a value of
//! the other, with the interval that inverts the test without ties (J. L. Hodges, E. L. Lehmann,
//! *Ann. Math. Stat.* 34 (1963) 598–611; M. Hollander, D. A. Wolfe, *Nonparametric Statistical
//! Methods*, 2nd ed., §4.1 to 4.3). It asks that both samples have distributions of one shape,
//! apart from where they lie; for logarithms of times a shift is a factor.

use serde::Serialize;

use crate::level::Confidence;
use crate::rank::mid_ranks;
use crate::sample::Sample;
use crate::tails::normal_tail;

/// Up to so many values in each sample, the distribution of U is counted; the 60!/30!² ways to
/// choose half of all values, and what is multiplied on the way to them, fit a `u64`.
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
    /// Upper end of its interval.
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
        let of_b: f64 = ranked.ranks[a.len()..].iter().sum();
        let u = of_b - m * (m + 1.0) / 2.0;
        if a.len().max(b.len()) <= EXACT_MAX {
            let [p_less, p_greater] = match ranked.ties.is_empty() {
                true => tails(&chances(a.len(), b.len()), u),
                false => tails_given(&ranked.ranks, b.len(), of_b),
            };
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
        return exact_rank_of_ends(n, m, outside);
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

fn exact_rank_of_ends(n: usize, m: usize, outside: f64) -> Option<(usize, f64)> {
    let (mut below, mut found) = (0.0, None);
    for (u, chance) in chances(n, m).iter().take(n * m / 2).enumerate() {
        below += 2.0 * chance;
        if below > outside {
            break;
        }
        found = Some((u + 1, below));
    }
    found
}

/// Standard deviation of U, `ties` being Σ (t³ − t).
fn spread(n: f64, m: f64, ties: f64) -> f64 {
    let all = n + m;
    (n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)).max(1.0))).max(0.0).sqrt()
}

/// P(U ≤ u) and P(U ≥ u) of these chances; u is whole, as nothing ties.
fn tails(chances: &[f64], u: f64) -> [f64; 2] {
    let at = u as usize;
    [&chances[..=at], &chances[at..]].map(|side| side.iter().sum::<f64>().min(1.0))
}

/// P(U ≤ u) and P(U ≥ u) given these mid-ranks of all values, of which the m of b sum up to `of_b`,
/// every choice of m being equally likely. Doubled mid-ranks are whole numbers, so adding one value
/// at a time counts the choices of each size by their whole sums, those up to the sum seen.
fn tails_given(ranks: &[f64], m: usize, of_b: f64) -> [f64; 2] {
    let seen = (2.0 * of_b) as usize;
    let mut ways = vec![vec![0u64; seen + 1]; m + 1];
    ways[0][0] = 1;
    for (at, rank) in ranks.iter().enumerate() {
        let doubled = (2.0 * rank) as usize;
        // The larger ones first: no value is chosen twice.
        for size in (1..=m.min(at + 1)).rev() {
            let (smaller, larger) = ways.split_at_mut(size);
            let sums = larger[0].get_mut(doubled..).unwrap_or_default();
            for (sum, without) in sums.iter_mut().zip(&smaller[size - 1]) {
                *sum += *without;
            }
        }
    }
    let (below, at) = (ways[m][..seen].iter().sum::<u64>(), ways[m][seen]);
    let all = choices(ranks.len(), m);
    [below + at, all - below].map(|counted| counted as f64 / all as f64)
}

/// Ways to choose m of so many values.
fn choices(of: usize, m: usize) -> u64 {
    // Each step is a number of choices too, and so whole.
    (1..=m).fold(1, |ways, size| ways * (of - m + size) as u64 / size as u64)
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
        for same in [&[1.0; 40][..], &[1.0; 6], &[1.0]] {
            let same = sample(same);
            let tested = MannWhitney::of(&same, &same, 0.0);
            assert_eq!((tested.p_greater, tested.p_less), (1.0, 1.0), "nothing differs");
        }
    }

    /// The values whose bits are set in `of_b`, or those whose bits are not.
    fn chosen(all: &[f64], of_b: u32, bit: u32) -> Vec<f64> {
        let own = all.iter().enumerate().filter(|(at, _)| of_b >> at & 1 == bit);
        own.map(|it| *it.1).collect()
    }

    /// U by its definition.
    fn counted_u(all: &[f64], of_b: u32) -> f64 {
        let mut u = 0.0;
        for b in chosen(all, of_b, 1) {
            for a in chosen(all, of_b, 0) {
                u += if b > a { 1.0 } else { 0.0 } + if b == a { 0.5 } else { 0.0 };
            }
        }
        u
    }

    #[test]
    fn with_ties_the_chances_are_those_of_all_choices() {
        // Every second value is one of b's, as many of them as there are to be.
        for (values, m) in [
            (&[1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0][..], 4_u32),
            (&[5.0, 5.0, 5.0, 1.0, 5.0, 5.0], 2),
            (&[1.0, 3.0, 3.0, 2.0, 3.0, 1.0, 7.0, 2.0, 9.0], 1),
            (&[4.0, 1.0, 1.0, 2.0, 3.0, 3.0, 2.0, 5.0, 5.0, 6.0, 1.0, 2.0], 6),
            (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 3),
        ] {
            let of_b = (0..m).map(|at| 1u32 << (2 * at + 1)).sum::<u32>();
            let [a, b] = [0, 1].map(|bit| sample(&chosen(values, of_b, bit)));
            let tested = MannWhitney::of(&a, &b, 0.0);
            assert!(tested.is_exact);
            let seen = counted_u(values, of_b);
            assert_eq!(tested.u, seen, "{values:?}");
            let all: Vec<f64> = (0..1u32 << values.len())
                .filter(|choice| choice.count_ones() == m)
                .map(|choice| counted_u(values, choice))
                .collect();
            let share = |beyond: &dyn Fn(f64) -> bool| {
                all.iter().filter(|u| beyond(**u)).count() as f64 / all.len() as f64
            };
            assert!((tested.p_less - share(&|u| u <= seen)).abs() < 1e-15, "{values:?}");
            assert!((tested.p_greater - share(&|u| u >= seen)).abs() < 1e-15, "{values:?}");
        }
    }

    #[test]
    fn ties_within_a_sample_neither_weaken_nor_strengthen_what_lies_apart() {
        let p = |a: &[f64], b: &[f64]| MannWhitney::of(&sample(a), &sample(b), 0.0).p_greater;
        let (low, high) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [11.0, 12.0, 13.0, 14.0, 15.0, 16.0]);
        let mut tied = low;
        tied[0] = 2.0;
        assert_eq!(p(&tied, &high), 1.0 / 924.0);
        assert_eq!(p(&[100.0; 6], &[200.0; 6]), 1.0 / 924.0);
        assert!((p(&low, &high) - 1.0 / 924.0).abs() < 1e-15);
        // A value that is in both can be on either side of the other.
        let mut shared = high;
        shared[0] = 6.0;
        assert_eq!(p(&low, &shared), 2.0 / 924.0);
    }

    #[test]
    fn both_ways_to_count_agree_up_to_the_largest_samples() {
        let ranks: Vec<f64> = (1..=60).map(f64::from).collect();
        assert_eq!(choices(60, 30), 118_264_581_564_861_424);
        let chances = chances(30, 30);
        for u in [0.0, 1.0, 300.0, 450.0, 899.0, 900.0] {
            let (given, counted) = (tails_given(&ranks, 30, u + 465.0), tails(&chances, u));
            for (ours, other) in given.into_iter().zip(counted) {
                assert!((ours / other - 1.0).abs() < 1e-9, "{u}: {ours} and {other}");
            }
        }
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
