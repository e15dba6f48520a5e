//! The paper *Comparing the Speeds of HMAC and CMAC* as one pure function: normality of each
//! column, Friedman over all, Wilcoxon for every pair, the ordering sentence. Written as JSON it
//! is what `macrometer` prints for a study of that kind; doubts travel along as warnings.

use serde::Serialize;

use crate::autocorrelation::Autocorrelation;
use crate::friedman::Friedman;
use crate::holm::{blocks_min, step_down};
use crate::level::Alpha;
use crate::normality::{Normality, VALUES_MIN};
use crate::ordering::{Ordering, by_rank_sum};
use crate::table::{ByColumn, Table};
use crate::wilcoxon::Wilcoxon;

/// Everything the paper computes of a table, and what it leaves out beside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    /// Significance level of the tests; a document names it elsewhere.
    #[serde(skip)]
    pub alpha: Alpha,
    /// Chi-squared test of each column.
    pub normality: ByColumn<ColumnNormality>,
    /// Friedman's test, with rank sums by column.
    pub friedman: Friedman<ByColumn<f64>>,
    /// Signed ranks of every pair i < j in column order.
    pub wilcoxon: Vec<PairTest>,
    /// The paper's ordering sentence; absent where there are too few blocks for any `<`, for then
    /// no `=` says anything either.
    pub ordering: Option<String>,
    /// The sentence after correction, see [`Ordering::along`]; absent likewise.
    pub ordering_holm: Option<String>,
    /// Warnings, in sentences.
    pub warnings: Vec<String>,
}

/// The test of one column, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ColumnNormality {
    /// No test, because the values do not spread or are too few.
    NotApplicable {
        /// Always `None`, so that a reader of the JSON finds an empty `statistic`.
        statistic: Option<f64>,
        /// Always `None`, likewise.
        p: Option<f64>,
        /// Why there is no test, in a sentence.
        not_applicable: String,
    },
    /// The outcome of the chi-squared test.
    Tested(Normality),
}

/// The signed-rank test of one pair: column a less column b.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairTest {
    /// Name of the first column.
    pub a: String,
    /// Name of the second column.
    pub b: String,
    /// The signed-rank test of their differences.
    #[serde(flatten)]
    pub test: Wilcoxon,
    /// Its best two-tailed p after Holm's correction over *all* pairs of the table.
    pub p_holm: f64,
}

/// Computes everything in one go. Rows are blocks in the order they were measured; values may be
/// times or speeds, the ordering sentence runs from small to large.
pub fn analyze(table: &Table, alpha: Alpha) -> Analysis {
    let normality = normality(table, alpha);
    let friedman = Friedman::of(table, alpha);
    let tests: Vec<Wilcoxon> =
        table.pairs().map(|(i, j)| Wilcoxon::of(&table.differences(i, j))).collect();
    let wilcoxon = pair_tests(table, &tests);
    let order = by_rank_sum(&friedman.rank_sums);
    let ordering = Ordering::along(&order, table.names(), friedman.p, alpha, |i, j| {
        let index = |i, j| table.pairs().position(|pair| pair == (i, j));
        match index(i, j) {
            Some(at) => tests[at].clone(),
            None => tests[index(j, i).expect("i and j are two columns")].swapped(),
        }
    });
    let enough = |pairs: usize| table.n_blocks() >= blocks_min(pairs, alpha);
    let warnings = warnings(table, alpha, &normality, &friedman, &wilcoxon);
    Analysis {
        alpha,
        normality,
        friedman: friedman.with_names(table.names()),
        wilcoxon,
        ordering: enough(1).then_some(ordering.sentence),
        ordering_holm: enough(order.len().saturating_sub(1)).then_some(ordering.sentence_holm),
        warnings,
    }
}

fn normality(table: &Table, alpha: Alpha) -> ByColumn<ColumnNormality> {
    let column = |index| match Normality::of(&table.sample(index), alpha) {
        Ok(tested) => ColumnNormality::Tested(tested),
        Err(why) => ColumnNormality::NotApplicable {
            statistic: None,
            p: None,
            not_applicable: why.to_string(),
        },
    };
    ByColumn::zip(table.names(), (0..table.n_columns()).map(column))
}

fn pair_tests(table: &Table, tests: &[Wilcoxon]) -> Vec<PairTest> {
    let p: Vec<f64> = tests.iter().map(Wilcoxon::best_p_two_tailed).collect();
    let name = |i: usize| table.names()[i].clone();
    let adjusted = step_down(&p);
    table
        .pairs()
        .zip(tests.iter().zip(adjusted))
        .map(|((i, j), (test, p_holm))| PairTest {
            a: name(i),
            b: name(j),
            test: test.clone(),
            p_holm,
        })
        .collect()
}

fn warnings(
    table: &Table,
    alpha: Alpha,
    normality: &ByColumn<ColumnNormality>,
    friedman: &Friedman,
    wilcoxon: &[PairTest],
) -> Vec<String> {
    let blocks = table.n_blocks();
    let few = reach_warning(blocks, table.n_columns(), alpha);
    let mut warnings: Vec<String> = few.into_iter().collect();
    if (2..VALUES_MIN).contains(&blocks) {
        warnings.push(format!(
            "chi-squared test of normality: {blocks} values are few, classes expect fewer than 5"
        ));
    }
    for (name, column) in normality.iter() {
        if let ColumnNormality::NotApplicable { not_applicable: why, .. } = column {
            warnings.push(format!("{name}: no test of normality, {why}"));
        }
    }
    if friedman.statistic_tie_corrected.is_none() {
        warnings.push("Friedman: every block is entirely tied".to_owned());
    }
    warnings.extend(zeros_warning(wilcoxon, blocks));
    warnings.extend(dependence_warning(table));
    warnings
}

/// What so few blocks cannot show, whatever the data: any order; any after correction over the
/// neighbours, beside the order without correction; or any pair among all of them, of which the
/// orders say nothing.
fn reach_warning(blocks: usize, columns: usize, alpha: Alpha) -> Option<String> {
    let (neighbours, pairs) = (columns - 1, columns * (columns - 1) / 2);
    let [one, corrected, all] = [1, neighbours, pairs].map(|family| blocks_min(family, alpha));
    let level = alpha.value();
    if blocks < one {
        Some(format!(
            "cannot conclude: too few rows ({blocks}): {one} are needed before any difference can \
             be significant at {level}"
        ))
    } else if blocks < corrected {
        Some(format!(
            "cannot conclude after correction: too few rows ({blocks}) for {neighbours} pairs of \
             neighbours: {corrected} are needed before any difference can be significant at \
             {level}; the ordering without correction stands alone"
        ))
    } else if blocks < all {
        Some(format!(
            "with {blocks} rows no pair can be significant at {level} after correction over all \
             {pairs} pairs (p_holm in JSON): that takes {all}; the orderings correct over \
             {neighbours} pairs of neighbours, or not at all"
        ))
    } else {
        None
    }
}

/// Pairs of which half the blocks or more show no difference at all: the clock is too coarse for
/// the batch, and tests that drop zeros see only part of the data.
fn zeros_warning(wilcoxon: &[PairTest], blocks: usize) -> Option<String> {
    let many = wilcoxon.iter().filter(|pair| pair.test.zeros.unwrap_or(0) * 2 >= blocks);
    let named: Vec<String> = many.map(|pair| format!("{} − {}", pair.a, pair.b)).collect();
    (!named.is_empty())
        .then(|| format!("half of the differences or more are exactly zero: {}", named.join(", ")))
}

/// Pairs whose differences resemble their neighbours; see [`Autocorrelation`].
fn dependence_warning(table: &Table) -> Option<String> {
    let of = |(i, j)| Some((i, j, Autocorrelation::of(&table.differences(i, j)).ok()?));
    let all: Vec<(usize, usize, Autocorrelation)> = table.pairs().filter_map(of).collect();
    let doubtful: Vec<_> = all.iter().filter(|(.., found)| found.doubtful).collect();
    let (i, j, worst) = doubtful.iter().max_by(|x, y| x.2.r1.abs().total_cmp(&y.2.r1.abs()))?;
    let names = table.names();
    Some(format!(
        "blocks may not be independent: lag-1 autocorrelation beyond {:.2} in {} of {} pairs \
         (1 in 20 by chance), most in {} − {} with {:.2}",
        worst.threshold,
        doubtful.len(),
        all.len(),
        names[*i],
        names[*j],
        worst.r1
    ))
}
