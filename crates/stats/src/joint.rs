//! Many one-sided hypotheses taken as one test: the largest Student statistic of the family,
//! against its distribution when the sign of each replicate is flipped for all hypotheses at once
//! (P. H. Westfall, S. S. Young, *Resampling-Based Multiple Testing*, Wiley 1993, §2.3: single-step
//! max-T; sign flips as in J. P. Romano, *Ann. Statist.* 18 (1990) 686–692). It asks of replicates
//! that they are independent and symmetric, keeps whatever dependence the hypotheses have among
//! them, and, unlike Bonferroni's or Holm's correction of a sign test, needs no more replicates for
//! more hypotheses: with six replicates its smallest p is 1/64 for a family of any size.

use std::collections::BTreeMap;

/// Up to so many replicates every pattern of signs is tried: 2^12.
const EXACT_MAX: usize = 12;

/// With more replicates, so many patterns drawn at random, the observed one beside them.
const DRAWN: usize = 4095;

/// For each hypothesis, which says that its values have no location above zero, its p adjusted for
/// all of them. Entry `u` of every hypothesis is of replicate `u`; `None` where it has no value.
/// A hypothesis with fewer than two values has p = 1.
#[must_use]
pub fn joint_p(hypotheses: &[Vec<Option<f64>>]) -> Vec<f64> {
    let family = Family::of(hypotheses);
    let replicates = family.by_replicate.len();
    let mut signs = vec![1.0; replicates];
    let mut sums = vec![0.0; hypotheses.len()];
    family.sum(&signs, &mut sums);
    let observed: Vec<f64> =
        (0..hypotheses.len()).map(|own| student(family.share(own, &sums), family.n[own])).collect();
    // Sums of the same numbers in another order may differ in their last digits.
    let needed: Vec<f64> = observed.iter().map(|it| it - it.abs() * 1e-9).collect();
    let mut reached = vec![1_u64; observed.len()];
    let mut patterns = 1_u64;
    let mut count = |signs: &[f64]| {
        family.sum(signs, &mut sums);
        let largest = family.largest(&sums);
        patterns += 1;
        for (reached, needed) in reached.iter_mut().zip(&needed) {
            *reached += u64::from(largest >= *needed);
        }
    };
    if replicates <= EXACT_MAX {
        for pattern in 1_u32..1 << replicates {
            let sign = |at: usize| if pattern >> at & 1 == 1 { -1.0 } else { 1.0 };
            (0..replicates).for_each(|at| signs[at] = sign(at));
            count(&signs);
        }
    } else {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..DRAWN {
            signs.iter_mut().for_each(|it| *it = if coin(&mut state) { -1.0 } else { 1.0 });
            count(&signs);
        }
    }
    let p = |(n, reached): (&usize, u64)| match n {
        0 | 1 => 1.0,
        _ => reached as f64 / patterns as f64,
    };
    family.n.iter().zip(reached).map(p).collect()
}

/// All hypotheses, replicate by replicate, so that one pattern of signs is applied to all at once.
struct Family {
    /// The values of each replicate; 0 where a hypothesis has none, which adds nothing.
    by_replicate: Vec<Vec<f64>>,
    /// How many values each hypothesis has.
    n: Vec<usize>,
    /// 1/√(n · Σx²), which no flip changes; 0 where that is none.
    scale: Vec<f64>,
    /// The hypotheses that have so many values.
    of_n: BTreeMap<usize, Vec<usize>>,
}

impl Family {
    fn of(hypotheses: &[Vec<Option<f64>>]) -> Self {
        let replicates = hypotheses.iter().map(Vec::len).max().unwrap_or(0);
        let value = |own: &Vec<Option<f64>>, at: usize| own.get(at).copied().flatten();
        let by_replicate = (0..replicates)
            .map(|at| hypotheses.iter().map(|own| value(own, at).unwrap_or(0.0)).collect())
            .collect();
        let n: Vec<usize> = hypotheses.iter().map(|own| own.iter().flatten().count()).collect();
        let scale = |(own, n): (&Vec<Option<f64>>, &usize)| {
            let squares: f64 = own.iter().flatten().map(|x| x * x).sum();
            if *n < 2 || squares <= 0.0 { 0.0 } else { 1.0 / (*n as f64 * squares).sqrt() }
        };
        let scale = hypotheses.iter().zip(&n).map(scale).collect();
        let mut of_n: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (own, n) in n.iter().enumerate() {
            of_n.entry(*n).or_default().push(own);
        }
        Family { by_replicate, n, scale, of_n }
    }

    /// The sum of each hypothesis with these signs.
    fn sum(&self, signs: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        for (values, sign) in self.by_replicate.iter().zip(signs) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += sign * value;
            }
        }
    }

    fn share(&self, own: usize, sums: &[f64]) -> f64 {
        sums[own] * self.scale[own]
    }

    /// The largest Student statistic. Among hypotheses of as many values it grows with the share.
    fn largest(&self, sums: &[f64]) -> f64 {
        let of = |(n, own): (&usize, &Vec<usize>)| {
            let shares = own.iter().map(|&own| self.share(own, sums));
            student(shares.fold(f64::NEG_INFINITY, f64::max), *n)
        };
        self.of_n.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Student's t of n values whose sum is this share of √(n · Σx²).
fn student(share: f64, n: usize) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let share = share.clamp(-1.0, 1.0);
    share * (n as f64 - 1.0).sqrt() / (1.0 - share * share).sqrt()
}

/// SplitMix64 (S. Vigna), always from the same seed: one run has one p.
fn coin(state: &mut u64) -> bool {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 63 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    #[test]
    fn one_hypothesis_is_a_permutation_test_of_its_mean() {
        // All positive: only the observed pattern reaches it.
        assert_eq!(joint_p(&[row(&[1.0, 2.0, 3.0, 1.5, 2.5, 0.5])]), [1.0 / 64.0]);
        // Sums of ±1 ±2 ±3 that reach 4: 6, 4.
        assert_eq!(joint_p(&[row(&[-1.0, 2.0, 3.0])]), [2.0 / 8.0]);
        assert_eq!(joint_p(&[row(&[2.0; 6])]), [1.0 / 64.0], "constant");
    }

    #[test]
    fn more_hypotheses_need_no_more_replicates() {
        let strong = row(&[1.0, 1.01, 0.99, 1.02, 0.98, 1.0]);
        let weak = |k: usize| {
            let value = |at: usize| if (at * 7 + k * 3) % 5 < 2 { 1.0 } else { -0.9 };
            row(&(0..6).map(value).collect::<Vec<_>>())
        };
        let family: Vec<_> = std::iter::once(strong).chain((0..200).map(weak)).collect();
        let p = joint_p(&family);
        assert!(p[0] < 0.05, "{}", p[0]);
        assert!(p[1..].iter().all(|p| *p > 0.3));
    }

    #[test]
    fn what_has_no_values_shows_nothing() {
        assert!(joint_p(&[]).is_empty());
        let p = joint_p(&[vec![None; 6], row(&[0.0; 6]), vec![Some(1.0), None, None]]);
        assert_eq!(p, [1.0, 1.0, 1.0]);
    }

    #[test]
    fn many_replicates_are_drawn_and_always_the_same() {
        let values: Vec<f64> = (0..40).map(|at| f64::from(at % 4) - 1.0).collect();
        let p = joint_p(&[row(&values)]);
        assert_eq!(p, joint_p(&[row(&values)]));
        // z = 0.5 · √40 / 1.118 = 2.83.
        assert!(p[0] > 0.0005 && p[0] < 0.01, "{}", p[0]);
    }
}
