//! Wilcoxon's signed-rank test of paired differences: zeros dropped, mid-ranks of |d|. Three p
//! values side by side: the normal approximation of the paper *Comparing the Speeds of HMAC and
//! CMAC* (no tie or continuity correction), the tie-corrected one (Hollander & Wolfe §3.1, =
//! `scipy.stats.wilcoxon(zero_method="wilcox", correction=False, method="asymptotic")`), and the
//! exact one up to [`EXACT_MAX`] differences.

use serde::Serialize;

use crate::error::StatsError;
use crate::level::Alpha;
use crate::rank::mid_ranks;
use crate::sample::Differences;
use crate::tails::{chi_squared_critical, normal_tail};

/// Most differences for which the exact distribution is computed: the 2ⁿ sign patterns are
/// counted exactly in a `u64`, and beyond 50 the approximation is as good.
pub const EXACT_MAX: usize = 50;

/// Outcome of the signed-rank test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wilcoxon {
    /// Sum of the ranks of positive differences; a multiple of one half.
    pub t_plus: f64,
    /// Sum of the ranks of negative differences.
    pub t_minus: f64,
    /// Differences that are not zero.
    pub n: usize,
    /// Differences that are zero and were dropped; unknown from printed figures.
    pub zeros: Option<usize>,
    /// (T⁺ − n(n+1)/4) / √(n(n+1)(2n+1)/24); absent when all differences are zero.
    pub z: Option<f64>,
    /// Tail of the normal distribution beyond |z|: in the direction seen, as the paper has it.
    pub p_one_tailed: f64,
    /// Twice the one-tailed p: in either direction.
    pub p_two_tailed: f64,
    /// As `z`, the variance less Σ(t³−t)/48; absent without differences or from printed figures.
    pub z_tie_corrected: Option<f64>,
    /// Two-tailed p of `z_tie_corrected`; unknown from printed figures.
    pub p_two_tailed_tie_corrected: Option<f64>,
    /// Exact two-tailed p; absent above [`EXACT_MAX`] differences. Of printed figures it is the one
    /// without ties, and absent where T⁺ is not whole, which only ties make it.
    pub p_exact: Option<f64>,
}

impl Wilcoxon {
    /// Tests whether the differences are symmetric about zero. When all are zero nothing speaks
    /// against it: n = 0, no z, every p is 1.
    pub fn of(differences: &Differences) -> Self {
        let all = differences.values();
        let kept: Vec<f64> = all.iter().copied().filter(|d| *d != 0.0).collect();
        let ranked = mid_ranks(&kept.iter().map(|d| d.abs()).collect::<Vec<_>>());
        let positive = kept.iter().zip(&ranked.ranks).filter(|(d, _)| **d > 0.0);
        let t_plus: f64 = positive.map(|(_, rank)| rank).sum();
        let n = kept.len();
        let z_tie_corrected = z(t_plus, n, ranked.tie_sum());
        Wilcoxon {
            zeros: Some(all.len() - n),
            z_tie_corrected,
            p_two_tailed_tie_corrected: Some(two_tailed(z_tie_corrected)),
            p_exact: (n <= EXACT_MAX).then(|| exact_two_tailed(&ranked.ranks, t_plus)),
            ..Self::approximate(t_plus, n)
        }
    }

    /// Tests a printed T⁺ of `n` differences that are not zero. How they tie is not printed, so
    /// only the paper's approximation is there and, of few, the exact p that is right without ties.
    ///
    /// # Errors
    /// [`StatsError::Inconsistent`] unless T⁺ is a multiple of one half from 0 to n(n+1)/2, and
    /// neither it nor T⁻ lies between 0 and 1.
    pub fn from_t(t_plus: f64, n: usize) -> Result<Self, StatsError> {
        let most = rank_total(n);
        if !(0.0..=most).contains(&t_plus) {
            let why = format!("T+ = {t_plus} of {n} differences is outside 0 to {most}");
            return Err(StatsError::Inconsistent(why));
        }
        if (2.0 * t_plus).fract() != 0.0 {
            let why = format!("T+ = {t_plus}: sums of ranks are multiples of one half");
            return Err(StatsError::Inconsistent(why));
        }
        for (name, sum) in [("T+", t_plus), ("T-", most - t_plus)] {
            if 0.0 < sum && sum < 1.0 {
                let why = format!("{name} = {sum}: no rank is below 1");
                return Err(StatsError::Inconsistent(why));
            }
        }
        let is_exact = n <= EXACT_MAX && t_plus.fract() == 0.0;
        let ranks = || (1..=n).map(|rank| rank as f64).collect::<Vec<_>>();
        let p_exact = is_exact.then(|| exact_two_tailed(&ranks(), t_plus));
        Ok(Wilcoxon { p_exact, ..Self::approximate(t_plus, n) })
    }

    /// The |z| beyond which one tail, and beyond which two tails together, are below this level;
    /// absent for a level of a half or more.
    pub fn z_critical(alpha: Alpha) -> Option<[f64; 2]> {
        // z² is χ² of one degree of freedom.
        let z = |alpha: f64| chi_squared_critical(alpha, 1).sqrt();
        let alpha = alpha.value();
        (alpha < 0.5).then(|| [z(2.0 * alpha), z(alpha)])
    }

    /// The best two-tailed p there is: exact, else tie-corrected, else the paper's.
    pub fn best_p_two_tailed(&self) -> f64 {
        self.p_exact.or(self.p_two_tailed_tie_corrected).unwrap_or(self.p_two_tailed)
    }

    /// The same test with the two series exchanged: every p stays.
    pub fn swapped(&self) -> Self {
        Wilcoxon {
            t_plus: self.t_minus,
            t_minus: self.t_plus,
            z: self.z.map(|z| -z),
            z_tie_corrected: self.z_tie_corrected.map(|z| -z),
            ..self.clone()
        }
    }

    fn approximate(t_plus: f64, n: usize) -> Self {
        let z = z(t_plus, n, 0.0);
        Wilcoxon {
            t_plus,
            t_minus: rank_total(n) - t_plus,
            n,
            zeros: None,
            z,
            p_one_tailed: z.map_or(1.0, normal_tail),
            p_two_tailed: two_tailed(z),
            z_tie_corrected: None,
            p_two_tailed_tie_corrected: None,
            p_exact: None,
        }
    }
}

/// n(n+1)/2, the sum of the ranks 1 to n.
fn rank_total(n: usize) -> f64 {
    (n * (n + 1)) as f64 / 2.0
}

fn z(t_plus: f64, n: usize, tie_sum: f64) -> Option<f64> {
    if n == 0 {
        return None;
    }
    let count = n as f64;
    let variance = (count * (count + 1.0) * (2.0 * count + 1.0) - tie_sum / 2.0) / 24.0;
    Some((t_plus - rank_total(n) / 2.0) / variance.sqrt())
}

fn two_tailed(z: Option<f64>) -> f64 {
    z.map_or(1.0, |z| (2.0 * normal_tail(z)).min(1.0))
}

/// Exact two-tailed p of T⁺ given these ranks, every sign pattern being equally likely. Doubled
/// mid-ranks are whole numbers, so adding one difference at a time convolves counts over whole
/// sums, with ties as without: conditional on the ranks seen, which without ties are 1 to n and
/// give the tabulated distribution. It is symmetric, so both tails are equal, and sums beyond the
/// lower one need no counts.
fn exact_two_tailed(ranks: &[f64], t_plus: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank) as usize).collect();
    let total: usize = doubled.iter().sum();
    let seen = (2.0 * t_plus) as usize;
    let most = seen.min(total - seen);
    let mut patterns = vec![0u64; most + 1];
    patterns[0] = 1;
    for rank in doubled {
        for sum in (rank..=most).rev() {
            patterns[sum] += patterns[sum - rank];
        }
    }
    let tail: u64 = patterns.iter().sum();
    (2.0 * tail as f64 / (1u64 << ranks.len()) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_alone_say_nothing() {
        let tested = Wilcoxon::of(&Differences::from_values(vec![0.0, -0.0, 0.0]).unwrap());
        assert_eq!((tested.n, tested.zeros, tested.z), (0, Some(3), None));
        assert_eq!((tested.p_one_tailed, tested.p_two_tailed), (1.0, 1.0));
        assert_eq!((tested.p_exact, tested.best_p_two_tailed()), (Some(1.0), 1.0));
    }

    #[test]
    fn the_best_p_is_exact_up_to_fifty_differences() {
        let of = |n: i32| {
            let values = (1..=n).map(f64::from).collect();
            Wilcoxon::of(&Differences::from_values(values).unwrap())
        };
        assert_eq!(of(50).best_p_two_tailed(), 2f64.powi(-49));
        let more = of(51);
        assert_eq!(more.p_exact, None);
        assert_eq!(Some(more.best_p_two_tailed()), more.p_two_tailed_tie_corrected);
    }

    #[test]
    fn the_exact_p_counts_every_sign_pattern() {
        for ranks in [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..], &[1.5, 1.5, 3.5, 3.5, 5.0], &[1.0]] {
            let total: f64 = ranks.iter().sum();
            let of = |signs: u32| {
                let positive = ranks.iter().enumerate().filter(|(at, _)| signs >> at & 1 == 1);
                positive.map(|it| it.1).sum::<f64>()
            };
            let patterns = 1u32 << ranks.len();
            for seen in (0..patterns).map(of) {
                let far = seen.min(total - seen);
                let beyond = (0..patterns).filter(|signs| of(*signs) <= far).count();
                let expected = (2.0 * beyond as f64 / f64::from(patterns)).min(1.0);
                assert_eq!(exact_two_tailed(ranks, seen), expected, "{seen} of {ranks:?}");
            }
        }
    }

    /// As tables of the normal distribution have them.
    #[test]
    fn critical_values_are_those_of_the_tables() {
        let of = |alpha| Wilcoxon::z_critical(Alpha::new(alpha).unwrap());
        let [one, two] = of(0.05).unwrap();
        assert!((one - 1.644_853_627).abs() < 1e-8 && (two - 1.959_963_985).abs() < 1e-8);
        assert_eq!(of(0.5), None);
    }

    #[test]
    fn impossible_rank_sums_are_refused() {
        assert!(Wilcoxon::from_t(8.5, 4).unwrap().p_exact.is_none());
        assert_eq!(Wilcoxon::from_t(10.0, 4).unwrap().p_exact, Some(0.125));
        for t_plus in [10.5, -0.5, 1.3, 0.5, 9.5, f64::NAN] {
            assert!(matches!(Wilcoxon::from_t(t_plus, 4), Err(StatsError::Inconsistent(_))));
        }
        let error = Wilcoxon::from_t(9.5, 4).unwrap_err();
        assert_eq!(error.to_string(), "T- = 0.5: no rank is below 1");
    }

    /// Eight rows of one decimal whose differences are all one tenth, up or down.
    #[test]
    fn differences_that_are_equal_on_paper_tie() {
        let a = [0.3, 0.4, 0.5, 0.7, 0.2, 0.9, 1.1, 1.2];
        let b = [0.2, 0.3, 0.4, 0.6, 0.3, 0.8, 1.0, 1.1];
        let tested = Wilcoxon::of(&Differences::between(&a, &b).unwrap());
        assert_eq!((tested.t_plus, tested.t_minus), (31.5, 4.5));
        assert!((tested.z.unwrap() - 13.5 / 51f64.sqrt()).abs() < 1e-12);
        // Of the 256 patterns of signs, nine have at most one minus, and nine at most one plus.
        assert_eq!(tested.p_exact, Some(18.0 / 256.0));
        assert_eq!(Wilcoxon::of(&Differences::between(&b, &a).unwrap()), tested.swapped());
    }
}
