//! How far launches differ: what tells how many of them a planned comparison needs.

use std::collections::BTreeMap;

use stats::Sample as Values;
use stats::median::{MAD_TO_SD, mad};

use crate::plan::is_floor;
use crate::record::Run;
use crate::schedule::launch_logs;

/// The fewest launches of which a spread is told.
const SPREAD_LAUNCHES_MIN: usize = 4;

/// For each part by its name, the standard deviation over launches of the log ratio of two of its
/// cells, such that three of four pairs of neighbours have no more. Single launches that were
/// disturbed do not count.
#[must_use]
pub fn spreads(run: &Run) -> BTreeMap<String, f64> {
    let logs = launch_logs(&run.samples);
    let mut groups: BTreeMap<(u32, u64), Vec<&BTreeMap<u32, f64>>> = BTreeMap::new();
    for record in &run.cells {
        if let Some(own) = logs.get(&record.id).filter(|_| !is_floor(&record.cell.candidate.mac)) {
            groups.entry((record.part, record.cell.len_bytes)).or_default().push(own);
        }
    }
    let mut of_part: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for ((part, _), cells) in groups {
        let own = of_part.entry(run.study.parts[part as usize].name.clone()).or_default();
        own.extend(cells.windows(2).filter_map(|pair| spread(pair[0], pair[1])));
    }
    let quartile = |(name, mut spreads): (String, Vec<f64>)| {
        spreads.sort_by(f64::total_cmp);
        let at = (spreads.len() * 3 / 4).min(spreads.len().checked_sub(1)?);
        Some((name, spreads[at]))
    };
    of_part.into_iter().filter_map(quartile).collect()
}

fn spread(a: &BTreeMap<u32, f64>, b: &BTreeMap<u32, f64>) -> Option<f64> {
    let ratios: Vec<f64> = b.iter().filter_map(|(launch, b)| Some(b - a.get(launch)?)).collect();
    if ratios.len() < SPREAD_LAUNCHES_MIN {
        return None;
    }
    Some(MAD_TO_SD * mad(&Values::new(ratios).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_disturbed_launch_does_not_widen_the_spread() {
        let a: BTreeMap<u32, f64> = (0..7).map(|launch| (launch, 1.0)).collect();
        let at = [0.01, -0.01, 0.02, -0.02, 0.0, 0.01, 3.0];
        let b: BTreeMap<u32, f64> = (0..7).map(|it| (it, 2.0 + at[it as usize])).collect();
        let told = spread(&a, &b).unwrap();
        assert!((0.01..0.03).contains(&told), "{told}");
        let few: BTreeMap<u32, f64> = b.into_iter().take(3).collect();
        assert_eq!(spread(&a, &few), None);
    }
}
