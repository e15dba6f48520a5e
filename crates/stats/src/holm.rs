//! Holm's step-down correction for many tests at once (S. Holm, *Scand. J. Statist.* 6 (1979)
//! 65–70), and the number of blocks below which no correction can leave anything significant.

use crate::error::StatsError;
use crate::level::Alpha;

/// Adjusted p values in the order of `p`: the i-th smallest of m, from 0, times m − i, not below
/// the one before it, at most 1. Compare them with α as they are.
///
/// # Errors
/// [`StatsError::OutOfRange`] for a p outside [0, 1].
pub fn holm(p: &[f64]) -> Result<Vec<f64>, StatsError> {
    match p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        Some(&value) => Err(StatsError::OutOfRange { what: "p", value, range: "[0, 1]" }),
        None => Ok(step_down(p)),
    }
}

/// [`holm`] for p values this crate computed.
pub(crate) fn step_down(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut adjusted = vec![0.0; p.len()];
    let mut before = 0.0_f64;
    for (done, &i) in order.iter().enumerate() {
        before = before.max((p.len() - done) as f64 * p[i]).min(1.0);
        adjusted[i] = before;
    }
    adjusted
}

/// The fewest blocks with which one of `pairs` exact two-tailed signed-rank or sign tests can be
/// below α after Bonferroni: the smallest p of n blocks is 2^(1−n). With fewer, the answer is
/// "cannot conclude", whatever the data. Zero pairs count as one.
pub fn blocks_min(pairs: usize, alpha: Alpha) -> usize {
    let mut blocks = 1;
    let mut p_least = 1.0;
    while p_least * pairs.max(1) as f64 >= alpha.value() {
        blocks += 1;
        p_least /= 2.0;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewest_blocks_for_one_for_a_baseline_and_for_all_pairs_of_fifty() {
        let blocks = |pairs| blocks_min(pairs, Alpha::FIVE_PERCENT);
        assert_eq!([blocks(1), blocks(49), blocks(1225)], [6, 11, 16]);
    }

    #[test]
    fn a_later_p_is_never_adjusted_below_an_earlier_one() {
        // 3 · 0.02 = 0.06, then 2 · 0.021 = 0.042 is lifted to 0.06, then 0.9.
        let adjusted = holm(&[0.9, 0.02, 0.021]).unwrap();
        assert_eq!(adjusted, [0.9, 0.06, 0.06]);
        assert_eq!(holm(&[0.6, 0.7]).unwrap(), [1.0, 1.0]);
        assert_eq!(holm(&[]).unwrap(), [0.0; 0]);
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        assert!(holm(&[0.1, f64::NAN]).is_err());
        assert!(holm(&[1.1]).is_err());
    }
}
