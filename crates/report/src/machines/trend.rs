//! The order of the same implementations on each machine, held against their order on the others:
//! by the median, over the other machines, of each one's time relative to all. Who computes is the
//! implementation; the code path is the machine's own.

use std::collections::BTreeMap;

use stats::Kendall;

use super::{Kind, Member};
use crate::findings::ClaimVerdict;

/// Fewer implementations agree too often by chance, as between two runs.
const COMMON_MIN: usize = 5;

/// What one machine's orders say, and the lowest of their τ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Order {
    pub(super) verdict: ClaimVerdict,
    pub(super) tau_least: Option<f64>,
}

/// Confirmed where every order of enough implementations agrees with the others' as far as claimed,
/// refuted where most of them do not; one entry a kind of machine. `cells` are those that decide.
pub(super) fn orders(
    members: &[Member],
    kinds: &[Kind],
    cells: &[(u32, u32)],
    least: f64,
) -> Vec<Order> {
    let mut places: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(place, who) in cells {
        places.entry(place).or_default().push(who);
    }
    let mut taus: Vec<Vec<f64>> = vec![vec![]; kinds.len()];
    for (place, whos) in places {
        let mut table = table(members, kinds, place, &whos);
        // What some machines lack has no place in an order of all.
        let is_common = |column: &Vec<Option<f64>>| column.iter().all(Option::is_some);
        table.retain(is_common);
        if table.len() < COMMON_MIN {
            continue;
        }
        let (own, others) = relative(&table, kinds.len());
        for kind in 0..kinds.len() {
            let of = |rows: &Vec<Vec<f64>>| rows.iter().map(|row| row[kind]).collect::<Vec<f64>>();
            taus[kind].extend(Kendall::between(&of(&own), &of(&others)).ok().map(|it| it.tau));
        }
    }
    let order = |taus: Vec<f64>| {
        let below = taus.iter().filter(|tau| **tau < least).count();
        let verdict = match () {
            () if taus.is_empty() => ClaimVerdict::Elsewhere,
            () if below == 0 => ClaimVerdict::Confirmed,
            () if 2 * below > taus.len() => ClaimVerdict::Refuted,
            () => ClaimVerdict::Undecided,
        };
        Order { verdict, tau_least: taus.into_iter().reduce(f64::min) }
    };
    taus.into_iter().map(order).collect()
}

/// A row for each implementation, a column for each kind.
fn table(members: &[Member], kinds: &[Kind], place: u32, whos: &[u32]) -> Vec<Vec<Option<f64>>> {
    let time = |who: u32, kind: &Kind| {
        let times = kind.members.iter().filter_map(|at| members[*at].cell(place, who));
        crate::findings::series::median(times.map(|it| it.log_ns).collect())
    };
    whos.iter().map(|who| kinds.iter().map(|kind| time(*who, kind)).collect()).collect()
}

/// Each time relative to the machine's mean, and the median of that over the other machines.
fn relative(table: &[Vec<Option<f64>>], kinds: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let at = |row: &Vec<Option<f64>>, kind: usize| row[kind].unwrap_or(0.0);
    let mean =
        |kind: usize| table.iter().map(|row| at(row, kind)).sum::<f64>() / table.len() as f64;
    let means: Vec<f64> = (0..kinds).map(mean).collect();
    let own: Vec<Vec<f64>> = table
        .iter()
        .map(|row| (0..kinds).map(|kind| at(row, kind) - means[kind]).collect())
        .collect();
    let others = own.iter().map(|row| without_each(row)).collect();
    (own, others)
}

/// For each value the median of the others.
fn without_each(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&x, &y| values[x].total_cmp(&values[y]));
    let mut medians = vec![0.0; values.len()];
    let left = values.len().saturating_sub(1);
    for (rank, &at) in order.iter().enumerate() {
        // The others in their order are these, with one gap.
        let nth = |n: usize| order.get(n + usize::from(n >= rank)).map_or(0.0, |it| values[*it]);
        if left > 0 {
            medians[at] = f64::midpoint(nth((left - 1) / 2), nth(left / 2));
        }
    }
    medians
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn each_is_left_out_of_its_own_median() {
        assert_eq!(without_each(&[5.0, 1.0, 3.0]), [2.0, 4.0, 3.0]);
        assert_eq!(without_each(&[4.0, 1.0, 3.0, 2.0]), [2.0, 3.0, 2.0, 3.0]);
        assert_eq!(without_each(&[4.0, 1.0]), [1.0, 4.0]);
    }
}
