//! The papers' tests of figures that a paper prints where it does not print the values: counts of a
//! normality table, and the T+ of Wilcoxon's test.

use std::str::FromStr;

use anyhow::{Result, anyhow};
use clap::Args;
use report::format;
use serde::Serialize;
use stats::{Alpha, Normality, Wilcoxon};

use crate::must_be::MustBe;

/// What was printed.
#[derive(Debug, Clone, Args)]
pub struct Printed {
    /// Test normality from published counts: values up to -1.5 standard deviations, to -0.5, to
    /// 0.5, to 1.5, and above; repeatable
    #[arg(
        long,
        value_name = "N,N,N,N,N",
        conflicts_with_all = [
            "file", "run", "rows", "times", "speeds", "delimiter", "cell", "archive"
        ]
    )]
    counts: Vec<Counts>,
    /// Wilcoxon signed-rank test from a published T+, the sum of the ranks of positive differences
    #[arg(
        long,
        value_name = "SUM",
        requires = "pairs",
        conflicts_with_all = [
            "file", "run", "rows", "times", "speeds", "delimiter", "cell", "archive"
        ]
    )]
    t_plus: Option<f64>,
    /// Number of nonzero differences, for --t-plus
    #[arg(long, value_name = "N", requires = "t_plus", conflicts_with_all = ["file", "run"])]
    pairs: Option<usize>,
}

/// Values in the five classes.
#[derive(Debug, Clone, Copy)]
struct Counts([u64; 5]);

impl FromStr for Counts {
    type Err = MustBe;

    fn from_str(text: &str) -> Result<Self, MustBe> {
        let numbers: Option<Vec<u64>> = text.split(',').map(|it| it.trim().parse().ok()).collect();
        let counts = numbers.and_then(|it| it.try_into().ok()).filter(|it: &[u64; 5]| {
            it.iter().try_fold(0_u64, |sum, &n| sum.checked_add(n)).is_some_and(|it| it < 1 << 53)
        });
        counts.map(Self).ok_or(MustBe("five counts, as in 3,25,40,27,5"))
    }
}

/// What they say.
#[derive(Debug, Serialize)]
pub struct OfPrinted {
    alpha: f64,
    normality: Vec<Normality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wilcoxon: Option<Wilcoxon>,
}

/// Most pairs whose ranks add up without loss.
const PAIRS_MAX: usize = 1_000_000;

impl Printed {
    /// Whether anything is given.
    pub fn is_given(&self) -> bool {
        !self.counts.is_empty() || self.t_plus.is_some()
    }

    pub fn tested(&self, alpha: Alpha) -> Result<OfPrinted> {
        let normality = self.counts.iter().map(|counts| {
            let tested = Normality::from_counts(counts.0, alpha);
            tested.map_err(|error| anyhow!("--counts: {error}"))
        });
        let normality = normality.collect::<Result<Vec<_>>>()?;
        let wilcoxon = self.t_plus.zip(self.pairs).map(|(t_plus, pairs)| {
            if pairs == 0 || pairs > PAIRS_MAX {
                return Err(anyhow!("--pairs {pairs}: must be 1 to {PAIRS_MAX}"));
            }
            Wilcoxon::from_t(t_plus, pairs).map_err(|error| anyhow!("--t-plus: {error}"))
        });
        Ok(OfPrinted { alpha: alpha.value(), normality, wilcoxon: wilcoxon.transpose()? })
    }
}

impl OfPrinted {
    /// A line for each.
    pub fn render(&self) -> String {
        let normality = self.normality.iter().map(|it| normality_line(it, self.alpha));
        normality.chain(self.wilcoxon.iter().map(|it| wilcoxon_line(it, self.alpha))).collect()
    }
}

fn normality_line(it: &Normality, alpha: f64) -> String {
    let counts: Vec<String> = it.observed.iter().map(ToString::to_string).collect();
    let is_rejected = if it.p < alpha { "is rejected" } else { "is not rejected" };
    let caution = match it.is_large_enough() {
        true => String::new(),
        false => format!("; {} values are few, classes expect fewer than 5", it.n),
    };
    format!(
        "counts {} (n = {}): chi-squared {} with {} degrees of freedom, {}; critical value {}: \
         normality {is_rejected} at {alpha}{caution}\n",
        counts.join(", "),
        it.n,
        format::three(it.statistic),
        it.df,
        format::probability(it.p),
        format::three(it.critical)
    )
}

fn wilcoxon_line(it: &Wilcoxon, alpha: f64) -> String {
    let is_shown = match it.best_p_two_tailed() < alpha {
        true => "differ",
        false => "are not shown to differ",
    };
    let exact = |p| format!("; exact, without ties: {} two-tailed", format::probability(p));
    format!(
        "T+ = {}, T- = {} (n = {}): z = {}, {} one-tailed, {} two-tailed, by the normal \
         approximation{}: the two {is_shown} at {alpha}\n",
        it.t_plus,
        it.t_minus,
        it.n,
        it.z.map_or_else(|| "–".into(), |z| format!("{z:.3}")),
        format::probability(it.p_one_tailed),
        format::probability(it.p_two_tailed),
        it.p_exact.map(exact).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(counts: &str) -> String {
        let counts = vec![counts.parse().unwrap()];
        let printed = Printed { counts, t_plus: None, pairs: None };
        printed.tested(Alpha::FIVE_PERCENT).unwrap().render()
    }

    #[test]
    fn few_values_are_cautioned_about_as_in_tables() {
        let text = told("1,0,1,0,0");
        let end = "at 0.05; 2 values are few, classes expect fewer than 5\n";
        assert!(text.contains("(n = 2)") && text.ends_with(end), "{text}");
        assert!(told("5,18,28,18,5").contains("; 74 values are few"), "74 values");
        assert!(told("5,18,29,18,5").ends_with(" at 0.05\n"), "75 values");
    }

    #[test]
    fn a_sum_below_the_first_rank_is_refused() {
        for (t_plus, said) in [(0.5, "T+ = 0.5"), (9.5, "T- = 0.5")] {
            let printed = Printed { counts: vec![], t_plus: Some(t_plus), pairs: Some(4) };
            let error = printed.tested(Alpha::FIVE_PERCENT).unwrap_err().to_string();
            assert_eq!(error, format!("--t-plus: {said}: no rank is below 1"));
        }
    }
}
