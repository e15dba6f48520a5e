//! Which block comes next: the groups of a run, what they cost, how wide their intervals are.
//!
//! A group is a part of the study at one message length; its cells are compared with each other, so
//! a block of the group contains them all. The budget goes where intervals are widest.

mod launches;

pub use launches::Open;
pub(crate) use launches::{
    Extent, Place, Room, affordable, is_look, missing_s, open, round_s, whole,
};

use std::collections::{BTreeMap, BTreeSet};

use stats::{Confidence, Sample as Values, median, median_interval};

use crate::order::Williams;
use crate::plan::is_floor;
use crate::record::{CellRecord, Sample};
use crate::study::{Claim, LAUNCHES_MIN, Part, Study};

/// A part at one message length.
#[derive(Debug)]
pub(crate) struct Group {
    /// The part, by its place in the study.
    pub(crate) part: u32,
    /// Places of its cells in the run.
    pub(crate) cells: Vec<usize>,
    /// The same, those together that one sample is taken for: the actions of a transaction. The
    /// first of each is the one that workers know.
    pub(crate) units: Vec<Vec<usize>>,
    /// The places of those units that blocks measure: all, or those that open claims compare.
    chosen: Vec<usize>,
    /// Order of its blocks, over the chosen units.
    pub(crate) williams: Williams,
    /// Claims that its cells decide on one machine, a verdict a panel, each shared among the groups
    /// that it compares; of a study without claims every group has one.
    pub(crate) claims: f64,
    /// Launches with a block of it so far.
    pub(crate) launches: u32,
    /// Complete blocks so far, over all launches.
    pub(crate) blocks: u32,
    /// Complete blocks that the study asks for, where it does.
    pub(crate) target: Option<u32>,
    /// Fresh keys for every block.
    pub(crate) fresh_keys: bool,
    /// What a block costs in seconds.
    pub(crate) cost_s: f64,
    /// Relative half-width of the widest interval between neighbours in the ranking; infinite
    /// until it can be told.
    pub(crate) half_width: f64,
}

/// The groups of a run, in the order of parts and lengths. Cold starts have no blocks.
pub(crate) fn groups(study: &Study, cells: &[CellRecord], samples: &[Sample]) -> Vec<Group> {
    let mut places: BTreeMap<(u32, u64), Vec<usize>> = BTreeMap::new();
    let in_blocks = |(_, record): &(usize, &CellRecord)| record.cell.regime.is_in_blocks();
    for (place, record) in cells.iter().enumerate().filter(in_blocks) {
        places.entry((record.part, record.cell.len_bytes)).or_default().push(place);
    }
    let sets: Vec<(&Part, u64)> =
        places.keys().map(|&(part, len_bytes)| (&study.parts[part as usize], len_bytes)).collect();
    let group = |((number, len_bytes), cells_of): ((u32, u64), Vec<usize>)| {
        let part = &study.parts[number as usize];
        let mut ids: Vec<u32> = cells_of.iter().map(|&place| cells[place].id).collect();
        ids.sort_unstable();
        let mine = || samples.iter().filter(|sample| ids.binary_search(&sample.cell).is_ok());
        let units = units(cells, &cells_of);
        Group {
            part: number,
            williams: Williams::new(units.len()),
            chosen: (0..units.len()).collect(),
            units,
            cells: cells_of,
            claims: share_of_claims(study, part, len_bytes, &sets),
            launches: mine().map(|sample| sample.launch).collect::<BTreeSet<_>>().len() as u32,
            blocks: mine().map(|sample| sample.block + 1).max().unwrap_or(0),
            target: part.blocks,
            fresh_keys: part.fresh_keys,
            cost_s: 0.0,
            half_width: f64::INFINITY,
        }
    };
    places.iter().map(|(&set, cells_of)| group((set, cells_of.clone()))).collect()
}

/// Whether cells of this part and length decide a claim on one machine.
pub(crate) fn decides(study: &Study, part: &Part, len_bytes: u64) -> bool {
    study.claims.is_empty() || study.claims.iter().any(|it| is_decided_by(it, part, len_bytes))
}

fn is_decided_by(claim: &Claim, part: &Part, len_bytes: u64) -> bool {
    let is_compared = claim.statement().is_none_or(|it| it.is_compared());
    claim.is_in(&part.name) && claim.concerns(len_bytes) && is_compared
}

/// Verdicts that a set of cells decides, each shared among all `sets` that it compares.
fn share_of_claims(study: &Study, part: &Part, len_bytes: u64, sets: &[(&Part, u64)]) -> f64 {
    if study.claims.is_empty() {
        return 1.0;
    }
    let own = study.claims.iter().filter(|it| is_decided_by(it, part, len_bytes));
    let shares = own.map(|claim| {
        let asked = study.panels.iter().filter(|panel| panel.is_in(part) && claim.asks(panel));
        let compared = sets.iter().filter(|set| is_decided_by(claim, set.0, set.1)).count();
        asked.count().max(1) as f64 / compared.max(1) as f64
    });
    shares.sum()
}

/// Cells that are measured together, in the order of the first of each.
fn units(cells: &[CellRecord], places: &[usize]) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut known = BTreeMap::new();
    for &place in places {
        let unit = *known.entry(cells[place].cell.measured_as()).or_insert(units.len());
        if unit == units.len() {
            units.push(Vec::new());
        }
        units[unit].push(place);
    }
    units
}

/// The first cell of each unit: those that workers open.
pub(crate) fn leaders(cells: &[CellRecord]) -> Vec<&CellRecord> {
    let mut known = BTreeSet::new();
    cells.iter().filter(|record| known.insert((record.part, record.cell.measured_as()))).collect()
}

impl Group {
    /// Whether its cells decide a claim; of a study without claims all do.
    pub(crate) fn decides(&self) -> bool {
        self.claims > 0.0
    }

    /// The units that blocks measure.
    pub(crate) fn measured(&self) -> impl Iterator<Item = &Vec<usize>> {
        self.chosen.iter().map(|&at| &self.units[at])
    }

    /// The unit that stands at a place of the order of a block.
    pub(crate) fn unit(&self, place: usize) -> &[usize] {
        &self.units[self.chosen[place]]
    }

    /// From now on blocks measure these units.
    fn measure_only(&mut self, chosen: Vec<usize>) {
        if self.chosen != chosen {
            self.williams = Williams::new(chosen.len());
            self.chosen = chosen;
        }
    }

    /// From now on blocks measure the units that are wanted, and the floors beside them. Returns
    /// whether there are any; where not, nothing changes.
    pub(crate) fn narrow(
        &mut self,
        cells: &[CellRecord],
        is_wanted: impl Fn(usize) -> bool,
    ) -> bool {
        let is_any = (0..self.units.len()).any(&is_wanted);
        if is_any {
            let floor = |at: usize| is_floor(&cells[self.units[at][0]].cell.candidate.mac);
            let chosen = (0..self.units.len()).filter(|&at| is_wanted(at) || floor(at));
            self.measure_only(chosen.collect());
        }
        is_any
    }

    /// Launches that it lacks of those that an interval needs, where `launches` are asked for. Of
    /// fewer blocks than that no interval is wanted.
    pub(crate) fn lacks(&self, launches: u32) -> u32 {
        let needed = LAUNCHES_MIN.min(launches).min(self.target.unwrap_or(LAUNCHES_MIN));
        needed.saturating_sub(self.launches)
    }

    /// Blocks still owed when `launch` of `launches` ends; `None` where the study sets no number.
    /// Where a group was left out of some launches, a block is left for each that it lacks.
    pub(crate) fn owed(&self, launch: u32, launches: u32) -> Option<u32> {
        let target = self.target?;
        let due = (u64::from(target) * u64::from(launch + 1)).div_ceil(u64::from(launches.max(1)));
        let owed = (due.min(u64::from(target)) as u32).saturating_sub(self.blocks);
        let Some(later) = self.lacks(launches).checked_sub(1) else { return Some(owed) };
        let left = target.saturating_sub(self.blocks);
        Some(if left == 0 { 1 } else { owed.min(left.saturating_sub(later).max(1)) })
    }

    /// Whether as many blocks were measured as are asked for, in launches enough for an interval.
    pub(crate) fn is_fulfilled(&self, launches: u32) -> bool {
        self.target.is_some_and(|target| self.blocks >= target) && self.lacks(launches) == 0
    }

    /// Whether more blocks are wanted: the number asked for is not reached, or an interval is
    /// wider than `half_width`. Never whether anything is significant.
    pub(crate) fn wants_more(&self, half_width: f64, launches: u32) -> bool {
        match self.target {
            None => self.half_width > half_width,
            Some(_) => !self.is_fulfilled(launches),
        }
    }

    /// Measures the width anew: for each pair of neighbours in the ranking, the order-statistic
    /// interval of their log ratio over launches.
    pub(crate) fn update_width(&mut self, cells: &[CellRecord], logs: &LaunchLogs) {
        let mut ranked: Vec<(f64, &BTreeMap<u32, f64>)> = Vec::new();
        for record in self.measured().flatten().map(|&place| &cells[place]) {
            let values = logs.get(&record.id).filter(|_| !is_floor(&record.cell.candidate.mac));
            if let Some(values) = values
                && let Ok(sample) = Values::new(values.values().copied().collect())
            {
                ranked.push((median(&sample), values));
            }
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let widths = ranked.windows(2).map(|pair| half_width(pair[0].1, pair[1].1));
        self.half_width = widths.fold(0.0, f64::max);
    }
}

/// Half the width of the interval of the median log ratio, over the launches that both saw.
fn half_width(a: &BTreeMap<u32, f64>, b: &BTreeMap<u32, f64>) -> f64 {
    let paired = b.iter().filter_map(|(launch, b)| Some(b - a.get(launch)?));
    let interval = Values::new(paired.collect())
        .ok()
        .and_then(|ratios| median_interval(&ratios, Confidence::default()));
    interval.map_or(f64::INFINITY, |interval| (interval.high - interval.low) / 2.0)
}

/// For each cell the logarithm of its time a call, a value a launch.
pub(crate) type LaunchLogs = BTreeMap<u32, BTreeMap<u32, f64>>;

/// One value a launch and cell: the median over the launch's blocks.
pub(crate) fn launch_logs(samples: &[Sample]) -> LaunchLogs {
    let mut blocks: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for sample in samples {
        blocks.entry((sample.cell, sample.launch)).or_default().push(sample.call_ns().ln());
    }
    let mut logs = LaunchLogs::new();
    for ((cell, launch), values) in blocks {
        if let Ok(sample) = Values::new(values) {
            logs.entry(cell).or_default().insert(launch, median(&sample));
        }
    }
    logs
}

/// The fewest blocks of one launch over which an interval of a median can be given.
const INTERVAL_MIN: u32 = 6;

/// What is owed to a group in a launch is light where it takes no more than this share of one block
/// of each group.
const LIGHT_SHARE: f64 = 0.1;

/// The group to spend the next block on. First one block of each, those that decide claims
/// before the others and the cheap ones before the dear, so that every launch has a value for every
/// cell: this round may take `whole_s`, what is left of the whole run, and so may the blocks that
/// are owed to groups whose share of the time they hardly change. Then other groups that are owed
/// blocks, then the widest, within `left_s`, what is left of this launch. `taken` counts the blocks
/// of this launch; an interval is expected to shrink with their root.
pub(crate) fn next(
    groups: &[Group],
    owed: &[Option<u32>],
    taken: &[u32],
    half_width: f64,
    whole_s: f64,
    left_s: f64,
) -> Option<usize> {
    let wanted = |&place: &usize| owed[place].is_none_or(|owed| owed > taken[place]);
    let cost_s = |place: usize| groups[place].cost_s;
    let first = (0..groups.len())
        .filter(|&place| taken[place] == 0 && cost_s(place) <= whole_s)
        .filter(wanted)
        .min_by(|&a, &b| {
            let decides = |place: usize| groups[place].decides();
            decides(b).cmp(&decides(a)).then(cost_s(a).total_cmp(&cost_s(b)))
        });
    if first.is_some() {
        return first;
    }
    let fits = |&place: &usize| taken[place] > 0 && cost_s(place) <= left_s;
    let is_owed = |&place: &usize| owed[place].is_some() && wanted(&place);
    // In proportion to what each is owed, so that one that is owed few blocks, since they are dear,
    // does not get as many as the others first.
    let share = |place: usize| f64::from(taken[place]) / f64::from(owed[place].unwrap_or(1).max(1));
    let of_round = |place: usize| owed[place] != Some(0);
    let round_s: f64 = (0..groups.len()).filter(|&place| of_round(place)).map(cost_s).sum();
    let is_light = |&place: &usize| {
        let own_s = f64::from(owed[place].unwrap_or(0)) * cost_s(place);
        own_s <= LIGHT_SHARE * round_s && own_s <= whole_s
    };
    let due = |is_due: &dyn Fn(&usize) -> bool| {
        let due = (0..groups.len()).filter(is_owed).filter(is_due);
        due.min_by(|&a, &b| share(a).total_cmp(&share(b)))
    };
    // Where one launch has so many blocks that they can have an interval of their own, none has
    // more of them before each has as many as that takes.
    let is_short = |place: &usize| {
        taken[*place] < INTERVAL_MIN && owed[*place].is_some_and(|owed| owed >= INTERVAL_MIN)
    };
    let short = due(&|place| is_short(place) && (is_light(place) || fits(place)));
    if let Some(place) = short.or_else(|| due(&is_light)).or_else(|| due(&fits)) {
        return Some(place);
    }
    let open = |&place: &usize| owed[place].is_none() && groups[place].half_width > half_width;
    let expected =
        |place: usize| groups[place].half_width.min(1.0) / f64::from(1 + taken[place]).sqrt();
    (0..groups.len()).filter(open).filter(fits).max_by(|&a, &b| expected(a).total_cmp(&expected(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn group(target: Option<u32>, half_width: f64, cost_s: f64) -> Group {
        let williams = Williams::new(0);
        let (cells, units) = (vec![], vec![]);
        Group {
            part: 0,
            cells,
            units,
            chosen: vec![],
            williams,
            claims: 0.0,
            launches: 0,
            blocks: 0,
            target,
            fresh_keys: false,
            cost_s,
            half_width,
        }
    }

    #[test]
    fn blocks_owed_are_spread_over_the_launches() {
        let mut group = group(Some(10), f64::INFINITY, 0.0);
        let mut owed = Vec::new();
        for launch in 0..5 {
            let blocks = group.owed(launch, 4).unwrap();
            group.blocks += blocks;
            group.launches += u32::from(blocks > 0);
            owed.push(blocks);
        }
        assert_eq!(owed, [3, 2, 3, 2, 0]);
        assert!(!group.wants_more(0.01, 4));
    }

    #[test]
    fn what_was_left_out_has_its_blocks_in_launches_of_its_own() {
        let mut left_out = group(Some(6), f64::INFINITY, 0.0);
        let mut owed = Vec::new();
        // It takes part in the first launch, and again in the fourth and later.
        for launch in [0, 3, 4, 5, 6, 7, 8] {
            let blocks = left_out.owed(launch, 6).unwrap();
            left_out.blocks += blocks;
            left_out.launches += u32::from(blocks > 0);
            owed.push(blocks);
        }
        assert_eq!(owed, [1, 1, 1, 1, 1, 1, 0]);
        assert!(left_out.is_fulfilled(6) && !left_out.wants_more(0.01, 6));
        // All its blocks in too few launches: a block more in each that it lacks.
        let dense = Group { blocks: 6, launches: 4, ..group(Some(6), f64::INFINITY, 0.0) };
        assert_eq!(
            (dense.lacks(6), dense.owed(6, 6), dense.wants_more(0.01, 6)),
            (2, Some(1), true)
        );
        // One block is asked for, or few launches.
        let once = Group { blocks: 1, launches: 1, ..group(Some(1), f64::INFINITY, 0.0) };
        assert_eq!((once.lacks(6), once.owed(3, 6)), (0, Some(0)));
        assert_eq!(Group { blocks: 6, launches: 3, ..dense }.lacks(3), 0);
    }

    #[test]
    fn each_group_comes_once_then_owed_ones_then_the_widest_that_fits() {
        let groups = [group(Some(2), 9.0, 0.3), group(None, 0.02, 0.1), group(None, 0.5, 5.0)];
        let owed = [Some(2), None, None];
        let next = |taken, whole_s, left_s| next(&groups, &owed, taken, 0.01, whole_s, left_s);
        assert_eq!(next(&[0, 0, 0], 9.0, 0.0), Some(1));
        assert_eq!(next(&[0, 1, 0], 9.0, 0.0), Some(0));
        assert_eq!(next(&[1, 1, 0], 9.0, 0.0), Some(2));
        assert_eq!(next(&[1, 1, 1], 9.0, 9.0), Some(0));
        assert_eq!(next(&[2, 1, 1], 9.0, 9.0), Some(2));
        assert_eq!(next(&[2, 1, 1], 9.0, 1.0), Some(1));
        assert_eq!(next(&[2, 1, 1], 9.0, 0.05), None);
        // What does not fit into the run at all is left out, and the others are not.
        assert_eq!(next(&[1, 1, 0], 1.0, 0.1), Some(1));
    }

    #[test]
    fn blocks_come_in_proportion_to_what_is_owed() {
        let groups = [group(Some(100), 9.0, 0.1), group(Some(5), 9.0, 0.1)];
        let next = |taken| next(&groups, &[Some(100), Some(5)], taken, 0.01, 9.0, 9.0);
        assert_eq!((next(&[15, 1]), next(&[21, 1])), (Some(0), Some(1)));
    }

    #[test]
    fn each_has_an_interval_before_any_has_more_blocks_of_one_launch() {
        let groups = [group(Some(10), 9.0, 0.001), group(Some(10), 9.0, 0.1)];
        let next = |taken| next(&groups, &[Some(10), Some(10)], taken, 0.01, 9.0, 9.0);
        assert_eq!((next(&[6, 5]), next(&[6, 6])), (Some(1), Some(0)));
    }

    #[test]
    fn a_hundred_short_blocks_do_not_wait_until_dear_ones_leave_time() {
        // As messages of 256 B beside many long ones.
        let mut groups = vec![group(Some(100), 9.0, 0.01)];
        groups.extend((0..20).map(|_| group(Some(10), 9.0, 0.1)));
        let owed: Vec<Option<u32>> = [10].into_iter().chain([1; 20]).map(Some).collect();
        let round = |blocks: u32| [vec![blocks], vec![1; 20]].concat();
        let next = |taken: &[u32], whole_s| next(&groups, &owed, taken, 0.01, whole_s, 0.0);
        assert_eq!(next(&round(0), 9.0), Some(0));
        assert_eq!((next(&round(1), 9.0), next(&round(9), 9.0)), (Some(0), Some(0)));
        assert_eq!((next(&round(10), 9.0), next(&round(1), 0.05)), (None, None));
        // Twice as many would change what the launch takes.
        let more: Vec<Option<u32>> = [30].into_iter().chain([1; 20]).map(Some).collect();
        assert_eq!(super::next(&groups, &more, &round(1), 0.01, 9.0, 0.0), None);
    }

    #[test]
    fn the_width_is_that_of_the_worst_pair_of_neighbours() {
        let a: BTreeMap<u32, f64> = (0..6).map(|launch| (launch, 1.0)).collect();
        let b: BTreeMap<u32, f64> =
            (0..6).map(|launch| (launch, 2.0 + 0.1 * f64::from(launch))).collect();
        assert!((half_width(&a, &b) - 0.25).abs() < 1e-12);
        assert!((half_width(&b, &a) - 0.25).abs() < 1e-12);
        let few: BTreeMap<u32, f64> = a.iter().take(5).map(|(&k, &v)| (k, v)).collect();
        assert!(half_width(&few, &b).is_infinite());
    }
}
