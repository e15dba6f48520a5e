//! Tails and quantiles of the reference distributions. All come from `statrs`; this file fixes
//! the form (upper tails computed as tails, never 1 − cdf) and holds the only calls into it.

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF};
use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;

/// Most trials of a fair coin whose chances are summed one by one.
const SUMMED_MAX: u64 = 64;

/// P(χ² > x) with `df` ≥ 1 degrees of freedom.
pub(crate) fn chi_squared_upper(x: f64, df: usize) -> f64 {
    chi_squared(df).sf(x)
}

/// The x with P(χ² > x) = `alpha`.
pub(crate) fn chi_squared_critical(alpha: f64, df: usize) -> f64 {
    chi_squared(df).inverse_cdf(1.0 - alpha)
}

/// P(Z > |z|) of the standard normal distribution: one tail.
pub(crate) fn normal_tail(z: f64) -> f64 {
    0.5 * erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// P(F > x) with `df1` and `df2` ≥ 1 degrees of freedom. The regularised beta function is called
/// with df2 / (df1 x + df2) as it stands: `FisherSnedecor::sf` forms it as 1 − …, which loses the
/// far tail to cancellation.
pub(crate) fn f_upper(x: f64, df1: usize, df2: usize) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let (df1, df2) = (df1 as f64, df2 as f64);
    beta_reg(df2 / 2.0, df1 / 2.0, df2 / (df1 * x + df2))
}

/// P(T > t) of Student's distribution with `df` > 0 degrees of freedom, whole or not: one tail.
pub(crate) fn t_upper(t: f64, df: f64) -> f64 {
    let tail = 0.5 * beta_reg(df / 2.0, 0.5, df / (df + t * t));
    if t >= 0.0 { tail } else { 1.0 - tail }
}

/// P(X ≤ k) for X binomial of `trials` with chance `p` in [0, 1].
pub(crate) fn binomial_lower(k: u64, trials: u64, p: f64) -> f64 {
    if k >= trials {
        return 1.0;
    }
    // Intervals and sign tests of few values ask this for every pair of candidates.
    if p == 0.5 && trials <= SUMMED_MAX {
        return fair_lower(k, trials);
    }
    Binomial::new(p, trials).expect("callers pass a probability").cdf(k)
}

/// The same of a fair coin, term by term: exact but for the last bits.
fn fair_lower(k: u64, trials: u64) -> f64 {
    let mut term = 0.5f64.powi(trials as i32);
    let mut sum = term;
    for at in 0..k {
        term *= (trials - at) as f64 / (at + 1) as f64;
        sum += term;
    }
    sum
}

fn chi_squared(df: usize) -> ChiSquared {
    ChiSquared::new(df as f64).expect("callers pass at least one degree of freedom")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fair_coin_is_summed_as_exactly_as_the_beta_function_has_it() {
        for trials in 1..=SUMMED_MAX {
            for k in 0..trials {
                let whole = Binomial::new(0.5, trials).unwrap().cdf(k);
                let summed = binomial_lower(k, trials, 0.5);
                assert!((summed / whole - 1.0).abs() < 1e-12, "{k} of {trials}: {summed} {whole}");
            }
        }
        // Exact where they can be counted.
        assert_eq!(binomial_lower(2, 12, 0.5), 79.0 / 4096.0);
        assert_eq!(binomial_lower(3, 3, 0.5), 1.0);
    }
}
