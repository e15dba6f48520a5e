//! Many one-sided hypotheses about two groups of replicates taken as one test: the largest Student
//! statistic of the family, against its distribution when replicates change groups, the same ones
//! for all hypotheses at once (P. H. Westfall, S. S. Young, *Resampling-Based Multiple Testing*,
//! Wiley 1993, §2.3: single-step max-T). It asks that replicates of both groups can be exchanged
//! where there is no difference, keeps whatever dependence the hypotheses have among them, and
//! needs no more replicates for more hypotheses: with six in each group its smallest p is 1/924 for
//! a family of any size.

use crate::joint::{SEED, add, random, share_that_reaches};

/// Up to so many ways to divide the replicates, every one is tried.
const EXACT_MAX: usize = 4096;

/// Where there are more, so many are drawn at random, the observed one beside them.
const DRAWN: usize = 4095;

/// The values of one hypothesis in both groups, an entry for each replicate; `None` where it has no
/// value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TwoSamples {
    /// Of the first group.
    pub a: Vec<Option<f64>>,
    /// Of the second.
    pub b: Vec<Option<f64>>,
}

/// For each hypothesis, which says that the values of `b` do not lie above those of `a`, its p
/// adjusted for all of them; 1 for one with fewer than two values in a group.
#[must_use]
pub fn joint_two_sample_p(hypotheses: &[TwoSamples]) -> Vec<f64> {
    let longest = |of: fn(&TwoSamples) -> usize| hypotheses.iter().map(of).max().unwrap_or(0);
    let (n, m) = (longest(|it| it.a.len()), longest(|it| it.b.len()));
    let family = Family::of(hypotheses, n, m);
    let as_observed: Vec<usize> = (n..n + m).collect();
    let observed = family.statistics(&as_observed);
    let divisions = divisions(n, m);
    let mut largest: Vec<f64> = divisions
        .iter()
        .filter(|it| **it != as_observed)
        .map(|second| family.statistics(second).into_iter().fold(f64::NEG_INFINITY, f64::max))
        .collect();
    largest.sort_by(f64::total_cmp);
    observed.iter().map(|observed| share_that_reaches(*observed, &largest)).collect()
}

/// The replicates of the second group, in each way to divide them that is tried.
fn divisions(n: usize, m: usize) -> Vec<Vec<usize>> {
    let all = (0..m).fold(1.0, |ways, at| ways * (n + m - at) as f64 / (at + 1) as f64);
    if all <= EXACT_MAX as f64 {
        return subsets(n + m, m);
    }
    let mut state = SEED;
    let mut drawn = || {
        // R. A. Fisher, F. Yates: the first m of a random order.
        let mut order: Vec<usize> = (0..n + m).collect();
        for at in 0..m {
            let left = (order.len() - at) as u64;
            order.swap(at, at + (random(&mut state) % left) as usize);
        }
        order.truncate(m);
        order
    };
    (0..DRAWN).map(|_| drawn()).collect()
}

/// All subsets of so many of the first numbers, each ascending.
fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![vec![]];
    for place in 0..size {
        let longer = found.iter().flat_map(|begun: &Vec<usize>| {
            let first = begun.last().map_or(0, |last| last + 1);
            (first..=of - (size - place)).map(|next| [&begun[..], &[next]].concat())
        });
        found = longer.collect();
    }
    found
}

/// The hypotheses side by side, so that a division of the replicates is one pass over all of them.
struct Family {
    /// By replicate, the value of each hypothesis less its mean over all; 0 where it has none.
    values: Vec<Vec<f64>>,
    /// By replicate, 1 where the hypothesis has a value and 0 where it has none.
    present: Vec<Vec<f64>>,
    /// Values of each hypothesis.
    counts: Vec<f64>,
    /// The sum of their squares about the mean.
    squares: Vec<f64>,
}

impl Family {
    fn of(hypotheses: &[TwoSamples], n: usize, m: usize) -> Self {
        let rows: Vec<Vec<Option<f64>>> =
            hypotheses.iter().map(|it| [padded(&it.a, n), padded(&it.b, m)].concat()).collect();
        let counts: Vec<f64> = rows.iter().map(|own| own.iter().flatten().count() as f64).collect();
        let means: Vec<f64> = rows
            .iter()
            .zip(&counts)
            .map(|(own, count)| own.iter().flatten().sum::<f64>() / count.max(1.0))
            .collect();
        let by_replicate = |of: &dyn Fn(f64, f64) -> f64| -> Vec<Vec<f64>> {
            let one = |at: usize| {
                let each = rows.iter().zip(&means);
                each.map(|(own, mean)| own[at].map_or(0.0, |value| of(value, *mean))).collect()
            };
            (0..n + m).map(one).collect()
        };
        let values = by_replicate(&|value, mean| value - mean);
        let mut squares = vec![0.0; rows.len()];
        for own in &values {
            squares.iter_mut().zip(own).for_each(|(sum, value)| *sum += value * value);
        }
        Self { present: by_replicate(&|_, _| 1.0), values, counts, squares }
    }

    /// Student's t of every hypothesis where these replicates are the second group.
    fn statistics(&self, second: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; self.counts.len()];
        let mut counts = vec![0.0; self.counts.len()];
        for &at in second {
            add(&mut sums, &self.values[at]);
            add(&mut counts, &self.present[at]);
        }
        let of_second = sums.into_iter().zip(counts);
        let of_all = self.counts.iter().zip(&self.squares);
        of_second.zip(of_all).map(|((sum, m), (all, squares))| t(sum, m, *all, *squares)).collect()
    }
}

fn padded(own: &[Option<f64>], len: usize) -> Vec<Option<f64>> {
    let mut own = own.to_vec();
    own.resize(len, None);
    own
}

/// Student's t with one variance for both groups, of `all` values around 0 with this sum of
/// squares, of which `m` with this sum are the second group.
fn t(sum: f64, m: f64, all: f64, squares: f64) -> f64 {
    let n = all - m;
    if n < 2.0 || m < 2.0 {
        return f64::NEG_INFINITY;
    }
    // The share of the squares that lies between the groups.
    let between = if squares > 0.0 { sum * sum * all / (n * m) / squares } else { 0.0 };
    let within = 1.0 - between;
    // What is left of rounding is no variation.
    let within = if within < 1e-14 { 0.0 } else { within };
    let size = (between * (all - 2.0) / within).sqrt();
    if between == 0.0 { 0.0 } else { size.copysign(sum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(a: &[f64], b: &[f64]) -> TwoSamples {
        let some = |values: &[f64]| values.iter().copied().map(Some).collect();
        TwoSamples { a: some(a), b: some(b) }
    }

    const LOW: [f64; 6] = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0];

    #[test]
    fn one_hypothesis_is_a_permutation_test_of_its_mean() {
        let high = LOW.map(|it| it + 1.0);
        assert_eq!(joint_two_sample_p(&[two(&LOW, &high)]), [1.0 / 924.0]);
        assert_eq!(joint_two_sample_p(&[two(&high, &LOW)]), [1.0]);
        // Of the ten ways to take two of five, two have a mean as large: {3, 5} and {4, 5}.
        assert_eq!(joint_two_sample_p(&[two(&[1.0, 2.0, 4.0], &[3.0, 5.0])]), [2.0 / 10.0]);
        let constant = two(&[100.0; 6], &[200.0; 6]);
        assert_eq!(joint_two_sample_p(&[constant]), [1.0 / 924.0]);
        assert_eq!(joint_two_sample_p(&[two(&[3.0; 6], &[3.0; 6])]), [1.0], "all alike");
    }

    #[test]
    fn t_is_that_of_scipy() {
        // scipy.stats.ttest_ind([1.2, 0.7, 1.9, 1.1], [2.1, 1.8, 2.9])
        let hypothesis = [two(&[1.2, 0.7, 1.9, 1.1], &[2.1, 1.8, 2.9])];
        let family = Family::of(&hypothesis, 4, 3);
        let t = family.statistics(&[4, 5, 6])[0];
        assert!((t - 2.582_843_098_840_946).abs() < 1e-12, "{t}");
    }

    #[test]
    fn more_hypotheses_need_no_more_replicates() {
        let strong = two(&LOW, &LOW.map(|it| it + 0.2));
        let mut state = 7;
        let mut noise = || {
            let value = |state: &mut u64| (random(state) >> 11) as f64 / (1u64 << 53) as f64;
            let all: Vec<f64> = (0..12).map(|_| value(&mut state)).collect();
            two(&all[..6], &all[6..])
        };
        let weak: Vec<TwoSamples> = (0..2000).map(|_| noise()).collect();
        let p = joint_two_sample_p(&[&[strong][..], &weak].concat());
        assert_eq!(p[0], 1.0 / 924.0);
        assert!(p[1..].iter().all(|p| *p > 0.05));
    }

    #[test]
    fn what_has_no_value_in_a_launch_is_left_out_of_it() {
        let mut some = two(&LOW, &LOW.map(|it| it + 1.0));
        (some.a[0], some.b[5]) = (None, None);
        assert!(joint_two_sample_p(&[some.clone()])[0] <= 0.01);
        some.b[1..].fill(None);
        assert_eq!(joint_two_sample_p(&[some]), [1.0]);
        assert!(joint_two_sample_p(&[]).is_empty());
    }

    #[test]
    fn every_subset_is_there_once() {
        let all = subsets(7, 3);
        let distinct: std::collections::BTreeSet<&Vec<usize>> = all.iter().collect();
        assert_eq!((all.len(), distinct.len()), (35, 35));
        assert_eq!(divisions(10, 10).len(), DRAWN);
    }
}
