//! Fisher's exact test of a table of two by two (R. A. Fisher, *Statistical Methods for Research
//! Workers*, §21.02): do those that have a property fall on one side more often than others?

use statrs::function::factorial::ln_factorial;

/// Two tables whose chances differ by less than this share are as likely as each other; their
/// logarithms are sums of rounded numbers.
const SAME: f64 = 1e-7;

/// Chance of a table no more likely than `[[a, b], [c, d]]` where rows and columns have nothing to
/// do with each other, given its sums.
#[must_use]
pub fn fisher_p([[a, b], [c, d]]: [[u64; 2]; 2]) -> f64 {
    let (row, other, column) = (a + b, c + d, a + c);
    let log_chance = |a: u64| {
        let (b, c) = (row - a, column - a);
        let d = other - c;
        -[a, b, c, d].into_iter().map(ln_factorial).sum::<f64>()
    };
    let least = column.saturating_sub(other);
    let all: Vec<f64> = (least..=row.min(column)).map(log_chance).collect();
    let largest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let observed = (log_chance(a) - largest).exp() * (1.0 + SAME);
    let chances = all.iter().map(|log| (log - largest).exp());
    let total: f64 = chances.clone().sum();
    (chances.filter(|chance| *chance <= observed).sum::<f64>() / total).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lady_tasting_tea() {
        // Three of four cups right: (16 + 1 + 16 + 1) of 70 tables are no more likely.
        assert!((fisher_p([[3, 1], [1, 3]]) - 34.0 / 70.0).abs() < 1e-12);
        assert!((fisher_p([[4, 0], [0, 4]]) - 2.0 / 70.0).abs() < 1e-12);
        assert_eq!(fisher_p([[0, 0], [3, 4]]), 1.0);
    }
}
