//! Many one-sided hypotheses taken as one test: the largest Student statistic of the family,
//! against its distribution when the sign of each replicate is flipped for all hypotheses at once
//! (P. H. Westfall, S. S. Young, *Resampling-Based Multiple Testing*, Wiley 1993, §2.3: single-step
//! max-T; sign flips as in J. P. Romano, *Ann. Statist.* 18 (1990) 686–692). It asks of replicates
//! that they are independent and symmetric, keeps whatever dependence the hypotheses have among
//! them, and, unlike Bonferroni's or Holm's correction of a sign test, needs no more replicates for
//! more hypotheses: with six replicates its smallest p is 1/64 for a family of any size.

/// Up to so many replicates every pattern of signs is tried: 2^12.
const EXACT_MAX: usize = 12;

/// With more replicates, so many patterns drawn at random, the observed one beside them.
const DRAWN: usize = 4095;

/// For each hypothesis, which says that its values have no location above zero, its p adjusted for
/// all of them. Entry `u` of every hypothesis is of replicate `u`; `None` where it has no value.
/// A hypothesis with fewer than two values has p = 1.
#[must_use]
pub fn joint_p(hypotheses: &[Vec<Option<f64>>]) -> Vec<f64> {
    let replicates = hypotheses.iter().map(Vec::len).max().unwrap_or(0);
    let family = Family::of(hypotheses, replicates);
    let observed = family.observed();
    let mut largest = match replicates <= EXACT_MAX {
        true => family.largest_of_all_patterns(),
        false => family.largest_of_drawn_patterns(),
    };
    largest.sort_by(f64::total_cmp);
    let p = |(at, observed): (usize, &f64)| {
        if family.n[at] < 2 { 1.0 } else { share_that_reaches(*observed, &largest) }
    };
    observed.iter().enumerate().map(p).collect()
}

/// The share of patterns, the observed one among them, whose largest statistic is as large;
/// `largest` has those of the others, ascending.
pub(crate) fn share_that_reaches(observed: f64, largest: &[f64]) -> f64 {
    // Sums of the same numbers in another order may differ in their last digits.
    let slack = if observed.is_finite() { observed.abs() * 1e-9 } else { 0.0 };
    let reached = largest.len() - largest.partition_point(|it| *it < observed - slack);
    (reached as f64 + 1.0) / (largest.len() as f64 + 1.0)
}

/// The hypotheses side by side, so that a pattern of signs is one pass over all of them.
struct Family {
    /// Values of each.
    n: Vec<usize>,
    /// By replicate, the value of each hypothesis over √(n · Σx²): what no flip changes is in it.
    shares: Vec<Vec<f64>>,
}

impl Family {
    fn of(hypotheses: &[Vec<Option<f64>>], replicates: usize) -> Self {
        let n: Vec<usize> = hypotheses.iter().map(|own| own.iter().flatten().count()).collect();
        let size = |(own, n): (&Vec<Option<f64>>, &usize)| {
            let squares: f64 = own.iter().flatten().map(|x| x * x).sum();
            // What has no variation, or too few values, has no statistic.
            let is_any = *n >= 2 && squares > 0.0;
            if is_any { (*n as f64 * squares).sqrt() } else { f64::INFINITY }
        };
        let sizes: Vec<f64> = hypotheses.iter().zip(&n).map(size).collect();
        let share = |at: usize| {
            let value = |own: &Vec<Option<f64>>| own.get(at).copied().flatten().unwrap_or(0.0);
            hypotheses.iter().zip(&sizes).map(|(own, size)| value(own) / size).collect()
        };
        Self { n, shares: (0..replicates).map(share).collect() }
    }

    /// Student's t of every hypothesis, as observed.
    fn observed(&self) -> Vec<f64> {
        let (low, high) = self.halves();
        let sums = low[0].iter().zip(&high[0]).map(|(low, high)| low + high);
        sums.zip(&self.n).map(|(sum, n)| t(sum, *n)).collect()
    }

    /// The sums of the first replicates under each pattern of their signs, and of the others: a
    /// whole pattern is the sum of two.
    fn halves(&self) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let (low, high) = self.shares.split_at(self.shares.len() / 2);
        match self.shares.len() <= EXACT_MAX {
            true => (self.patterns(low), self.patterns(high)),
            // Only the observed one is asked for.
            false => (vec![self.sums(low)], vec![self.sums(high)]),
        }
    }

    fn sums(&self, shares: &[Vec<f64>]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n.len()];
        shares.iter().for_each(|own| add(&mut sums, own));
        sums
    }

    fn patterns(&self, shares: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |pattern: usize| {
            let mut sums = vec![0.0; self.n.len()];
            for (at, own) in shares.iter().enumerate() {
                if pattern >> at & 1 == 1 { subtract(&mut sums, own) } else { add(&mut sums, own) }
            }
            sums
        };
        (0..1 << shares.len()).map(of).collect()
    }

    /// The largest statistic under each pattern but the observed one.
    fn largest_of_all_patterns(&self) -> Vec<f64> {
        let (low, high) = self.halves();
        let mut sums = vec![0.0; self.n.len()];
        let both = high.iter().flat_map(|high| low.iter().map(move |low| (low, high)));
        let largest = both.skip(1).map(|(low, high)| {
            for ((sum, low), high) in sums.iter_mut().zip(low).zip(high) {
                *sum = low + high;
            }
            self.largest(&sums)
        });
        largest.collect()
    }

    fn largest_of_drawn_patterns(&self) -> Vec<f64> {
        let mut state = SEED;
        let mut sums = vec![0.0; self.n.len()];
        let drawn = (0..DRAWN).map(|_| {
            sums.fill(0.0);
            for own in &self.shares {
                match coin(&mut state) {
                    true => subtract(&mut sums, own),
                    false => add(&mut sums, own),
                }
            }
            self.largest(&sums)
        });
        drawn.collect()
    }

    /// The largest t. For one number of values it grows with the sum, so that it is worked out only
    /// where that number changes from one hypothesis to the next.
    fn largest(&self, sums: &[f64]) -> f64 {
        let mut largest = f64::NEG_INFINITY;
        let mut at = 0;
        while at < sums.len() {
            let n = self.n[at];
            let end = at + self.n[at..].iter().take_while(|it| **it == n).count();
            let sum = sums[at..end]
                .iter()
                .fold(f64::NEG_INFINITY, |most, &it| if it > most { it } else { most });
            largest = largest.max(t(sum, n));
            at = end;
        }
        largest
    }
}

pub(crate) fn add(sums: &mut [f64], own: &[f64]) {
    sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
}

fn subtract(sums: &mut [f64], own: &[f64]) {
    sums.iter_mut().zip(own).for_each(|(sum, own)| *sum -= own);
}

/// Student's t of `n` values whose sum over √(n · Σx²) is `share`.
fn t(share: f64, n: usize) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let share = share.clamp(-1.0, 1.0);
    share * (n as f64 - 1.0).sqrt() / (1.0 - share * share).sqrt()
}

/// Always the same: the same values have the same p.
pub(crate) const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn coin(state: &mut u64) -> bool {
    random(state) >> 63 == 1
}

/// SplitMix64 (S. Vigna).
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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

    /// As the method is defined, pattern by pattern.
    fn naive(hypotheses: &[Vec<Option<f64>>]) -> Vec<f64> {
        let replicates = hypotheses[0].len();
        let statistic = |own: &Vec<Option<f64>>, pattern: u32| {
            let signed = own.iter().enumerate().filter_map(|(at, value)| {
                value.map(|value| if pattern >> at & 1 == 1 { -value } else { value })
            });
            let signed: Vec<f64> = signed.collect();
            let n = signed.len() as f64;
            let mean = signed.iter().sum::<f64>() / n;
            let variance = signed.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
            if n < 2.0 { 0.0 } else { mean / (variance / n).sqrt() }
        };
        let largest = |pattern: u32| {
            let all = hypotheses.iter().map(|own| statistic(own, pattern));
            all.fold(f64::NEG_INFINITY, f64::max)
        };
        let largest: Vec<f64> = (0..1 << replicates).map(largest).collect();
        let p = |own: &Vec<Option<f64>>| {
            let needed = statistic(own, 0) * (1.0 - 1e-9_f64.copysign(statistic(own, 0)));
            if own.iter().flatten().count() < 2 {
                return 1.0;
            }
            largest.iter().filter(|it| **it >= needed).count() as f64 / largest.len() as f64
        };
        hypotheses.iter().map(p).collect()
    }

    #[test]
    fn p_is_that_of_the_definition() {
        let mut state = 7;
        for case in 0..40 {
            let value = |state: &mut u64| {
                let bits = (0..10).fold(0_u32, |all, _| all << 1 | u32::from(coin(state)));
                // Small numbers and their ties too.
                if case % 2 == 0 { f64::from(bits) - 480.0 } else { f64::from(bits % 7) - 2.5 }
            };
            let row = |state: &mut u64| -> Vec<Option<f64>> {
                let some = |state: &mut u64| (coin(state) || coin(state)).then(|| value(state));
                (0..2 + case % 7).map(|_| some(state)).collect()
            };
            let family: Vec<_> = (0..1 + case).map(|_| row(&mut state)).collect();
            assert_eq!(joint_p(&family), naive(&family), "{family:?}");
        }
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
