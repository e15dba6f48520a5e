//! Ranking with ties: candidates by their median within blocks, each told against the best and its
//! neighbour, in groups of ties. A ranking is a partial order (`measurement.md` §2.6): what the
//! intervals do not tell apart shares a group and a range of ranks; without intervals there are
//! medians in order and no ties. Comparisons are pairwise and do not depend on who else is in the
//! pool (A. Benavoli et al., arXiv 1505.02288).

use serde::Serialize;

use crate::level::{Confidence, Margin};
use crate::median::median;
use crate::ratio::{Ratio, estimate};
use crate::sample::{Differences, Sample};
use crate::table::{Table, Times};
use crate::verdict::{Comparison, Verdict};

/// Candidates from the fastest to the slowest, beside each other in the same blocks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// One entry a candidate, best first; equal ones stay in column order.
    pub ranked: Vec<Ranked>,
    /// Confidence of each interval, as given: for all of them at once pass
    /// [`Confidence::shared_among`].
    pub confidence: Confidence,
    /// Margin of each verdict.
    pub margin: Margin,
}

/// A candidate in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// Name of the column.
    pub name: String,
    /// Its number in the table.
    pub column: usize,
    /// Median time, in the unit of the table.
    pub median: f64,
    /// Group of ties, from 1: walking down the ranking, a new group starts with the first candidate
    /// that is `slower` than the *first* of the current group. So no member of a group is shown
    /// slower than its head, though two members may differ, and neighbours of two groups may be
    /// tied. Absent where there is no interval between it and that first one, and for all below.
    pub tie_group: Option<usize>,
    /// 1 plus the number of candidates it is shown slower than.
    pub rank_best: usize,
    /// The number of candidates less those it is shown faster than.
    pub rank_worst: usize,
    /// Not shown slower than the best by an interval (equivalent or undecided), or the best itself:
    /// where nothing can be concluded, nothing is tied.
    pub tied_with_best: bool,
    /// This candidate against the best one; absent for the best itself.
    pub to_best: Option<Comparison>,
    /// This candidate against the one before it; absent for the best.
    pub to_previous: Option<Comparison>,
}

impl Ranking {
    /// Ranks a table of times of the same blocks.
    pub fn of(times: &Times, confidence: Confidence, margin: Margin) -> Self {
        Self::by(times.table(), |i, j| times.log_differences(i, j), confidence, margin)
    }

    /// The same where pairs may share more blocks than the table has: `log_differences` are those
    /// of all that columns i and j share. Within the blocks of the table columns are ordered; one
    /// that its pairs show faster than those before it moves up past them.
    pub fn by(
        table: &Table,
        log_differences: impl Fn(usize, usize) -> Differences,
        confidence: Confidence,
        margin: Margin,
    ) -> Self {
        let medians: Vec<f64> = (0..table.n_columns()).map(|i| median(&table.sample(i))).collect();
        let verdicts = verdicts(table, &log_differences, confidence, margin);
        let order = ordered(&levels(table), &verdicts);
        let compare = |i, j| Comparison::of(Ratio::of(&log_differences(i, j), confidence), margin);
        let count = |i: usize, wanted| verdicts[i].iter().filter(|v| **v == wanted).count();
        let is_tie = |verdict| matches!(verdict, Verdict::Equivalent | Verdict::Undecided);
        let second = order.get(1).map(|&i| verdicts[i][order[0]]);
        let is_told = second != Some(Verdict::CannotConclude);
        let (mut tie_group, mut head) = (is_told.then_some(1), order[0]);
        let mut ranked = Vec::with_capacity(order.len());
        for (place, &i) in order.iter().enumerate() {
            match verdicts[i][head] {
                Verdict::Slower => (tie_group, head) = (tie_group.map(|it| it + 1), i),
                Verdict::CannotConclude => tie_group = None,
                _ => {}
            }
            ranked.push(Ranked {
                name: table.names()[i].clone(),
                column: i,
                median: medians[i],
                tie_group,
                rank_best: 1 + count(i, Verdict::Slower),
                rank_worst: order.len() - count(i, Verdict::Faster),
                tied_with_best: is_tie(verdicts[i][order[0]]),
                to_best: (place > 0).then(|| compare(i, order[0])),
                to_previous: (place > 0).then(|| compare(i, order[place - 1])),
            });
        }
        Ranking { ranked, confidence, margin }
    }

    /// Names of the candidates not shown slower than the best, the best first.
    pub fn tied_with_best(&self) -> Vec<&str> {
        self.ranked.iter().filter(|r| r.tied_with_best).map(|r| r.name.as_str()).collect()
    }
}

/// Median over blocks of the logarithm of a column less the mean of all columns in that block, so
/// that a block in which the machine was slow moves nobody.
fn levels(table: &Table) -> Vec<f64> {
    let logs = table.columns().map(|(_, own)| own.iter().map(|time| time.ln()).collect());
    let logs: Vec<Vec<f64>> = logs.collect();
    let mean = |row: usize| logs.iter().map(|own| own[row]).sum::<f64>() / logs.len() as f64;
    let means: Vec<f64> = (0..table.n_blocks()).map(mean).collect();
    let of = |own: &Vec<f64>| {
        let own = Sample::new(own.iter().zip(&means).map(|(log, mean)| log - mean).collect());
        own.map_or(f64::INFINITY, |own| median(&own))
    };
    logs.iter().map(of).collect()
}

/// Columns by their level, but none before one that is shown faster than it; where each of those
/// that are left is slower than another of them, by level alone.
fn ordered(levels: &[f64], verdicts: &[Vec<Verdict>]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..levels.len()).collect();
    left.sort_by(|&i, &j| levels[i].total_cmp(&levels[j]));
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_beaten = |&i: &usize| left.iter().any(|&j| verdicts[i][j] == Verdict::Slower);
        let next = left.iter().position(|i| !is_beaten(i)).unwrap_or(0);
        order.push(left.remove(next));
    }
    order
}

/// The verdict on column i against column j, for all i and j; a column equals itself.
fn verdicts(
    table: &Table,
    log_differences: impl Fn(usize, usize) -> Differences,
    confidence: Confidence,
    margin: Margin,
) -> Vec<Vec<Verdict>> {
    let k = table.n_columns();
    let mut verdicts = vec![vec![Verdict::Equivalent; k]; k];
    for (i, j) in table.pairs() {
        let (_, interval) = estimate(&log_differences(i, j), confidence);
        let verdict = Verdict::of(interval.as_ref(), margin);
        verdicts[i][j] = verdict;
        verdicts[j][i] = verdict.reversed();
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of `blocks` times around a scale, moved a little, each block in its own way.
    fn ranking(scales: &[(&str, f64)], blocks: usize) -> Ranking {
        let column = |i: usize, scale: f64| {
            (0..blocks).map(|b| scale * (1.0 + 0.0001 * ((b * (i + 2)) % 7) as f64)).collect()
        };
        let columns =
            scales.iter().enumerate().map(|(i, (name, s))| (*name, column(i, *s))).collect();
        let times = Times::new(Table::new(columns).unwrap()).unwrap();
        Ranking::of(&times, Confidence::NINETY_FIVE_PERCENT, Margin::ONE_PERCENT)
    }

    /// Name, then group, best rank and worst rank.
    fn places(ranking: &Ranking) -> Vec<(&str, [usize; 3])> {
        let numbers = |r: &Ranked| [r.tie_group.unwrap_or(0), r.rank_best, r.rank_worst];
        ranking.ranked.iter().map(|r| (r.name.as_str(), numbers(r))).collect()
    }

    #[test]
    fn what_is_within_the_margin_shares_a_tier() {
        let ranking = ranking(&[("slow", 130.0), ("best", 100.0), ("near", 100.2)], 20);
        let expected = [("best", [1, 1, 2]), ("near", [1, 1, 2]), ("slow", [2, 3, 3])];
        assert_eq!(places(&ranking), expected);
        assert_eq!(ranking.tied_with_best(), ["best", "near"]);
        assert_eq!(ranking.ranked[0].to_best, None);
        let slow = ranking.ranked[2].to_best.as_ref().unwrap();
        assert_eq!(slow.verdict, Verdict::Slower);
        assert!((slow.ratio.ratio - 100.0 / 130.0).abs() < 0.01);
        assert_eq!(ranking.ranked[2].column, 0);
    }

    #[test]
    fn a_tier_is_measured_from_its_first_member() {
        // Every step is within 1 %, but c is not within 1 % of a.
        let ranking = ranking(&[("a", 100.0), ("b", 100.7), ("c", 101.4), ("d", 102.2)], 30);
        let expected = [("a", [1, 1, 2]), ("b", [1, 1, 3]), ("c", [2, 2, 4]), ("d", [2, 3, 4])];
        assert_eq!(places(&ranking), expected);
        let neighbours = ranking.ranked[2].to_previous.as_ref().unwrap().verdict;
        assert_eq!(neighbours, Verdict::Equivalent);
        assert_eq!(ranking.tied_with_best(), ["a", "b"]);
    }

    #[test]
    fn too_few_blocks_rank_but_tell_nothing_apart() {
        let ranking = ranking(&[("a", 1.0), ("b", 2.0), ("c", 3.0)], 5);
        let expected = [("a", [0, 1, 3]), ("b", [0, 1, 3]), ("c", [0, 1, 3])];
        assert_eq!(places(&ranking), expected);
        assert_eq!(ranking.tied_with_best(), ["a"]);
    }

    #[test]
    fn a_pair_that_shares_more_blocks_than_the_table_is_told_by_all_of_them() {
        // Six blocks of the table cannot tell the two apart; forty that the pair shares can.
        let six = |at: usize| (0..6).map(|b| 100.0 + ((b * (at + 3)) % 5) as f64).collect();
        let table = Table::new(vec![("a", six(0)), ("b", six(1))]).unwrap();
        let column = |scale: f64| (0..40).map(|b| scale + f64::from(b % 3)).collect::<Vec<f64>>();
        let long = Table::new(vec![("a", column(103.0)), ("b", column(100.0))]).unwrap();
        let long = Times::new(long).unwrap();
        let (confidence, margin) = (Confidence::NINETY_FIVE_PERCENT, Margin::ONE_PERCENT);
        let short = Ranking::of(&Times::new(table.clone()).unwrap(), confidence, margin);
        assert_eq!(short.tied_with_best().len(), 2);
        let ranking = Ranking::by(&table, |i, j| long.log_differences(i, j), confidence, margin);
        assert_eq!(ranking.tied_with_best(), ["b"]);
        assert_eq!(places(&ranking), [("b", [1, 1, 1]), ("a", [2, 2, 2])]);
        assert!(ranking.ranked[0].median >= ranking.ranked[1].median, "moved up by its pairs");
    }

    #[test]
    fn a_pair_is_not_kept_apart_by_one_between_that_nothing_is_known_of() {
        use Verdict::{Equivalent, Faster, Slower, Undecided};
        let verdicts = vec![
            vec![Equivalent, Undecided, Slower],
            vec![Undecided, Equivalent, Undecided],
            vec![Faster, Undecided, Equivalent],
        ];
        assert_eq!(ordered(&[0.0, 0.01, 0.02], &verdicts), [1, 2, 0]);
        let circle = vec![
            vec![Equivalent, Faster, Slower],
            vec![Slower, Equivalent, Faster],
            vec![Faster, Slower, Equivalent],
        ];
        assert_eq!(ordered(&[0.0, 0.01, 0.02], &circle), [0, 1, 2]);
    }
}
