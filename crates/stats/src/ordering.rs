//! The ordering sentence of the paper *Comparing the Speeds of HMAC and CMAC*, `A < B = C < D`:
//! columns by Friedman rank sum, each neighbour pair decided by its one-tailed uncorrected
//! Wilcoxon p; nothing but `=` where Friedman does not reject. Beside it stands a sentence that
//! corrects for the number of neighbours, since the paper's does not.

use std::fmt;

use serde::Serialize;

use crate::holm::step_down;
use crate::level::Alpha;
use crate::wilcoxon::Wilcoxon;

/// What holds between two neighbours of an ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Relation {
    /// Not shown to differ.
    #[serde(rename = "=")]
    Equal,
    /// The left one's values are the smaller ones.
    #[serde(rename = "<")]
    Less,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Equal => "=",
            Relation::Less => "<",
        })
    }
}

/// Names in order of rank sum, and the relations between neighbours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ordering {
    /// Names, smallest rank sum first.
    pub names: Vec<String>,
    /// The paper's relations: one fewer than names.
    pub relations: Vec<Relation>,
    /// Relations after Holm's correction over the neighbour pairs.
    pub relations_holm: Vec<Relation>,
    /// The paper's sentence.
    pub sentence: String,
    /// The corrected sentence.
    pub sentence_holm: String,
}

/// Column numbers by ascending rank sum; equal sums stay in column order.
pub fn by_rank_sum(rank_sums: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank_sums.len()).collect();
    order.sort_by(|&i, &j| rank_sums[i].total_cmp(&rank_sums[j]));
    order
}

impl Ordering {
    /// Builds both sentences for `order` (usually of [`by_rank_sum`]) over the columns `names`.
    /// `friedman_p` is the overall test's p; `wilcoxon(i, j)` gives the test of column i less
    /// column j and is asked for neighbours only.
    ///
    /// The paper's `<` needs one-tailed p < α, uncorrected, with the signed ranks pointing the
    /// way the rank sums do. The corrected `<` needs Holm-adjusted *two*-tailed p < α (the best
    /// there is, see [`Wilcoxon::best_p_two_tailed`]), because the direction was read off the
    /// same data. Its family is the neighbour pairs; that these became neighbours by the data is
    /// not corrected for (for that, correct over all pairs).
    ///
    /// # Panics
    /// When `order` holds a number that is not an index of `names`.
    pub fn along(
        order: &[usize],
        names: &[String],
        friedman_p: f64,
        alpha: Alpha,
        mut wilcoxon: impl FnMut(usize, usize) -> Wilcoxon,
    ) -> Self {
        let tests: Vec<Wilcoxon> =
            order.windows(2).map(|pair| wilcoxon(pair[0], pair[1])).collect();
        let two_tailed: Vec<f64> = tests.iter().map(Wilcoxon::best_p_two_tailed).collect();
        let differ = friedman_p < alpha.value();
        let relate = |test: &Wilcoxon, p: f64| {
            let less = differ && p < alpha.value() && test.t_plus < test.t_minus;
            if less { Relation::Less } else { Relation::Equal }
        };
        let names: Vec<String> = order.iter().map(|&i| names[i].clone()).collect();
        let relations: Vec<_> = tests.iter().map(|test| relate(test, test.p_one_tailed)).collect();
        let relations_holm: Vec<_> =
            tests.iter().zip(step_down(&two_tailed)).map(|(test, p)| relate(test, p)).collect();
        Ordering {
            sentence: sentence(&names, &relations),
            sentence_holm: sentence(&names, &relations_holm),
            names,
            relations,
            relations_holm,
        }
    }
}

fn sentence(names: &[String], relations: &[Relation]) -> String {
    let mut text = names.first().cloned().unwrap_or_default();
    for (relation, name) in relations.iter().zip(names.iter().skip(1)) {
        text.push_str(&format!(" {relation} {name}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["c", "a", "b"].map(String::from).to_vec()
    }

    fn along(friedman_p: f64, t_plus: f64) -> Ordering {
        let order = by_rank_sum(&[30.0, 10.0, 20.0]);
        let test = |_, _| Wilcoxon::from_t(t_plus, 20).unwrap();
        Ordering::along(&order, &names(), friedman_p, Alpha::FIVE_PERCENT, test)
    }

    #[test]
    fn one_tailed_p_decides_the_papers_sentence_and_holm_is_stricter() {
        // z = −1.87: one-tailed 0.031, two-tailed 0.062.
        let ordering = along(0.001, 55.0);
        assert_eq!(ordering.sentence, "a < b < c");
        assert_eq!(ordering.sentence_holm, "a = b = c");
        // z = −3.2: two-tailed 0.0014, twice that after Holm.
        assert_eq!(along(0.001, 19.0).sentence_holm, "a < b < c");
    }

    #[test]
    fn nothing_is_ordered_when_friedman_does_not_reject() {
        assert_eq!(along(0.05, 0.0).sentence, "a = b = c");
    }

    #[test]
    fn signed_ranks_against_the_rank_sums_order_nothing() {
        assert_eq!(along(0.001, 200.0).sentence, "a = b = c");
    }
}
