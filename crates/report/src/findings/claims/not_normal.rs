//! No sample is normally distributed: the source's own chi-squared test of each must reject it,
//! after Holm's correction over all of them. A test that rejects nothing shows no normality, so
//! nothing contradicts.

use lab::study::fits_any;
use stats::{ColumnNormality, holm};

use super::check::Outcome;
use super::sample::Shown;
use super::{Claim, Group, Judge};
use crate::format;

pub(super) fn found(
    judge: &Judge<'_>,
    macs: &[String],
    claim: &Claim,
    own: &[&Group],
) -> Vec<Shown> {
    let mut tested: Vec<(String, Option<f64>)> = Vec::new();
    for group in own {
        let of_sizes = group.sizes.iter().filter(|size| claim.concerns(size.len_bytes));
        let tests = of_sizes.filter_map(|size| size.tests.as_ref()).chain(group.tests.as_ref());
        for it in tests {
            for ((_, cell), test) in it.columns.iter().zip(it.analysis.normality.iter()) {
                let mac = &judge.cells[*cell].cell.candidate.mac;
                if !fits_any(macs, mac) || fits_any(&claim.not, mac) {
                    continue;
                }
                let p = match test.1 {
                    ColumnNormality::Tested(test) if test.is_large_enough() => Some(test.p),
                    _ => None,
                };
                let rows = format!("{}, {}", words::counted(it.n_rows, "row"), group.case_title);
                tested.push((format!("{} ({rows}", judge.sample_words(*cell)), p));
            }
        }
    }
    let p: Vec<f64> = tested.iter().map(|(_, p)| p.unwrap_or(1.0)).collect();
    let corrected = holm(&p).unwrap_or_else(|_| vec![1.0; p.len()]);
    let alpha = judge.levels.alpha.value();
    let found = |((words, p), corrected): ((String, Option<f64>), f64)| Shown {
        outcome: if corrected < alpha { Outcome::Holds } else { Outcome::Open },
        size: if corrected < alpha { -corrected } else { corrected },
        words: match p {
            Some(p) => format!(
                "{words}; chi-squared test of normality {}, {} after Holm's correction)",
                format::probability(p),
                format::probability(corrected)
            ),
            None => format!("{words}; too few values for the chi-squared test)"),
        },
    };
    tested.into_iter().zip(corrected).map(found).collect()
}
