//! Whether MACs have the same order on several numbers of processors: Kendall's rank correlation of
//! their absolute processing, between the load on the fewest and each other one.

use lab::cell::Candidate;
use serde::Serialize;
use stats::Kendall;

use super::SessionsFinding;

/// Fewer MACs have an order that says little.
const MACS_MIN: usize = 3;

/// Two loads that differ in where their sessions run, at one length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OrderFinding {
    /// Message length.
    pub len_bytes: u64,
    /// The load on the fewest processors, and the other one, by place in
    /// [`SessionsFinding::loads`].
    pub loads: [usize; 2],
    /// How far the orders of the best offers of each MAC agree.
    pub order: Kendall,
}

/// The orders of a set.
pub(super) fn all(set: &SessionsFinding) -> Vec<OrderFinding> {
    let mut found = Vec::new();
    for len_bytes in set.lengths() {
        let Some(mut loads) = set.several_alike(len_bytes, |it| (it.serving, it.count)) else {
            continue;
        };
        loads.sort_by_key(|it| it.processors);
        let fewest = loads[0];
        let offers = fewest.rows.iter().filter(|row| row.best_of_mac && !row.offloads);
        let offers: Vec<&Candidate> = offers.map(|row| &row.candidate).collect();
        for other in &loads[1..] {
            let times = |candidate: &&Candidate| {
                let of = |it: &super::LoadFinding| Some(it.row(candidate)?.absolute_ns?.value);
                Some((of(fewest)?, of(other)?))
            };
            let (first, second): (Vec<f64>, Vec<f64>) = offers.iter().filter_map(times).unzip();
            let place = |load: &super::LoadFinding| {
                set.loads.iter().position(|it| std::ptr::eq(it, load)).unwrap_or(0)
            };
            let order = Kendall::between(&first, &second).ok().filter(|it| it.n >= MACS_MIN);
            let loads = [place(fewest), place(other)];
            found.extend(order.map(|order| OrderFinding { len_bytes, loads, order }));
        }
    }
    found
}
