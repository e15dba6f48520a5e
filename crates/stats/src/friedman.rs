//! Friedman's test for k candidates in n blocks, with mid-ranks within a block: the statistic as
//! the paper *Comparing the Speeds of HMAC and CMAC* prints it (no tie correction), the
//! tie-corrected one of Hollander & Wolfe §7.1 (= `scipy.stats.friedmanchisquare`), and the F
//! form of Iman & Davenport, *Comm. Statist. A* 9 (1980) 571–595, which is less conservative.

use serde::Serialize;

use crate::error::{StatsError, check_count, check_finite};
use crate::level::Alpha;
use crate::rank::mid_ranks;
use crate::table::{ByColumn, Table};
use crate::tails::{chi_squared_critical, chi_squared_upper, f_upper};

/// Outcome of Friedman's test; `R` is the shape of the rank sums, a `Vec` in column order or
/// [`ByColumn`] with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Friedman<R = Vec<f64>> {
    /// Number of blocks, n.
    pub n_blocks: usize,
    /// Number of columns, k.
    pub n_columns: usize,
    /// 12 / (n k (k+1)) · Σ R² − 3 n (k+1): the paper's, without tie correction.
    pub statistic: f64,
    /// The statistic divided by 1 − Σ(t³−t) / (n k (k²−1)). Absent when every block is entirely
    /// tied (0 / 0) and when only rank sums were given.
    pub statistic_tie_corrected: Option<f64>,
    /// Degrees of freedom of both: k − 1.
    pub df: usize,
    /// P(χ² > statistic).
    pub p: f64,
    /// P(χ² > tie-corrected statistic).
    pub p_tie_corrected: Option<f64>,
    /// The statistic beyond which equality is rejected at the level asked for.
    pub critical: f64,
    /// The F form; absent for one block and when every block is entirely tied.
    pub iman_davenport: Option<ImanDavenport>,
    /// Sum of mid-ranks per column; small ranks are small values.
    pub rank_sums: R,
}

/// F = (n−1) χ² / (n (k−1) − χ²), from the tie-corrected χ² where there is one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImanDavenport {
    /// F; infinite (`null` in JSON) when all blocks agree perfectly.
    pub f: f64,
    /// Degrees of freedom of the numerator: k − 1.
    pub df1: usize,
    /// Degrees of freedom of the denominator: (k − 1)(n − 1).
    pub df2: usize,
    /// P(F > f); 0 under perfect agreement.
    pub p: f64,
}

impl Friedman {
    /// Tests a table.
    pub fn of(table: &Table, alpha: Alpha) -> Self {
        let mut sums = vec![0.0; table.n_columns()];
        let mut ties = 0.0;
        for block in table.blocks() {
            let ranked = mid_ranks(&block);
            ties += ranked.tie_sum();
            for (sum, rank) in sums.iter_mut().zip(&ranked.ranks) {
                *sum += rank;
            }
        }
        let mut tested = Self::uncorrected(table.n_blocks(), sums, alpha);
        let (n, k) = (tested.n_blocks as f64, tested.n_columns as f64);
        let all_ties = n * k * (k * k - 1.0);
        let corrected = (ties < all_ties).then(|| tested.statistic / (1.0 - ties / all_ties));
        tested.statistic_tie_corrected = corrected;
        tested.p_tie_corrected = corrected.map(|x| chi_squared_upper(x, tested.df));
        tested.iman_davenport =
            corrected.and_then(|x| iman_davenport(x, tested.n_blocks, tested.n_columns));
        tested
    }

    /// Tests printed rank sums of `n_blocks` blocks. Ties within blocks are unknown, so the
    /// tie-corrected statistic is absent and the F form is built on the uncorrected one.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] for fewer than two sums or no block,
    /// [`StatsError::NotFinite`], [`StatsError::TooLarge`], and [`StatsError::Inconsistent`] when
    /// the sums do not add up to n k (k+1) / 2.
    pub fn from_rank_sums(
        n_blocks: usize,
        rank_sums: &[f64],
        alpha: Alpha,
    ) -> Result<Self, StatsError> {
        check_count("blocks", n_blocks, 1)?;
        check_count("columns", rank_sums.len(), 2)?;
        check_finite(rank_sums)?;
        let (n, k) = (n_blocks as f64, rank_sums.len() as f64);
        let (total, due) = (rank_sums.iter().sum::<f64>(), n * k * (k + 1.0) / 2.0);
        // Mid-ranks are multiples of one half, so a quarter tells any error from rounding.
        if (total - due).abs() > 0.25 {
            return Err(StatsError::Inconsistent(format!("rank sums total {total}, not {due}")));
        }
        let mut tested = Self::uncorrected(n_blocks, rank_sums.to_vec(), alpha);
        tested.iman_davenport = iman_davenport(tested.statistic, tested.n_blocks, tested.n_columns);
        Ok(tested)
    }

    /// The same result with the rank sums under their columns' names.
    pub fn with_names(self, names: &[String]) -> Friedman<ByColumn<f64>> {
        Friedman {
            rank_sums: ByColumn::zip(names, self.rank_sums),
            n_blocks: self.n_blocks,
            n_columns: self.n_columns,
            statistic: self.statistic,
            statistic_tie_corrected: self.statistic_tie_corrected,
            df: self.df,
            p: self.p,
            p_tie_corrected: self.p_tie_corrected,
            critical: self.critical,
            iman_davenport: self.iman_davenport,
        }
    }

    fn uncorrected(n_blocks: usize, rank_sums: Vec<f64>, alpha: Alpha) -> Self {
        let (n, k) = (n_blocks as f64, rank_sums.len() as f64);
        // Σ R² − n² k (k+1)² / 4 as a sum of squares: the same number, never negative.
        let mean = n * (k + 1.0) / 2.0;
        let squares: f64 = rank_sums.iter().map(|sum| (sum - mean).powi(2)).sum();
        let statistic = 12.0 / (n * k * (k + 1.0)) * squares;
        let df = rank_sums.len() - 1;
        Friedman {
            n_blocks,
            n_columns: rank_sums.len(),
            statistic,
            statistic_tie_corrected: None,
            df,
            p: chi_squared_upper(statistic, df),
            p_tie_corrected: None,
            critical: chi_squared_critical(alpha.value(), df),
            iman_davenport: None,
            rank_sums,
        }
    }
}

fn iman_davenport(chi_squared: f64, n_blocks: usize, n_columns: usize) -> Option<ImanDavenport> {
    if n_blocks < 2 {
        return None;
    }
    let (df1, df2) = (n_columns - 1, (n_columns - 1) * (n_blocks - 1));
    let most = (n_blocks * df1) as f64;
    // The largest χ² possible is n (k − 1); what is left of it by rounding is agreement too.
    if most - chi_squared <= 1e-12 * most {
        return Some(ImanDavenport { f: f64::INFINITY, df1, df2, p: 0.0 });
    }
    let f = (n_blocks - 1) as f64 * chi_squared / (most - chi_squared);
    Some(ImanDavenport { f, df1, df2, p: f_upper(f, df1, df2) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn friedman(columns: &[&[f64]]) -> Friedman {
        let columns = columns.iter().enumerate().map(|(i, c)| (i.to_string(), c.to_vec()));
        Friedman::of(&Table::new(columns.collect()).unwrap(), Alpha::FIVE_PERCENT)
    }

    #[test]
    fn entirely_tied_blocks_leave_the_corrected_statistic_undefined() {
        let tested = friedman(&[&[1.0, 2.0], &[1.0, 2.0], &[1.0, 2.0]]);
        assert_eq!((tested.statistic, tested.p), (0.0, 1.0));
        assert_eq!((tested.statistic_tie_corrected, tested.p_tie_corrected), (None, None));
        assert_eq!(tested.iman_davenport, None);
    }

    #[test]
    fn perfect_agreement_has_an_infinite_f() {
        let tested = friedman(&[&[1.0, 5.0, 2.0], &[2.0, 6.0, 3.0], &[3.0, 7.0, 4.0]]);
        assert_eq!(tested.rank_sums, [3.0, 6.0, 9.0]);
        let f = tested.iman_davenport.unwrap();
        assert_eq!((f.f, f.df1, f.df2, f.p), (f64::INFINITY, 2, 4, 0.0));
    }

    #[test]
    fn one_block_has_no_f() {
        let tested = friedman(&[&[1.0], &[2.0]]);
        assert_eq!(tested.statistic, 1.0);
        assert_eq!(tested.iman_davenport, None);
    }

    #[test]
    fn impossible_rank_sums_are_refused() {
        let refused = Friedman::from_rank_sums(100, &[210.0, 391.0], Alpha::FIVE_PERCENT);
        assert!(matches!(refused, Err(StatsError::Inconsistent(_))));
    }
}
