//! Which groups a launch measures, and how many launches there are: settled by what things cost, so
//! that nothing measured decides whether there is more of it; see `docs/method.md`.

use super::Group;

/// The fewest launches over which an interval can be given at all.
pub(crate) const LAUNCHES_MIN: u32 = 6;

/// Blocks vary; this much more than they cost last is allowed for.
const SPARE: f64 = 1.1;

/// A comparison that does not decide its claim yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    /// Numbers of the cells that are compared.
    pub cells: Vec<u32>,
    /// Launches in all that would decide it, by what was seen; `None` where no number does.
    pub launches_needed: Option<u32>,
}

/// What is there for launches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Seconds left.
    pub(crate) left_s: f64,
    /// Seconds that a launch takes beside its blocks.
    pub(crate) overhead_s: f64,
}

/// The launches still to come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Extent {
    /// How many, the next one included.
    pub(crate) launches: u32,
    /// Whether a group takes part in all of them.
    pub(crate) takes_part: Vec<bool>,
}

impl Group {
    /// Seconds of one block in each of so many launches, where it is owed as many.
    fn launches_s(&self, launches: u32) -> f64 {
        let owed = self.target.map_or(launches, |target| target.saturating_sub(self.blocks));
        SPARE * self.cost_s * f64::from(owed.min(launches))
    }
}

/// Launches to come of the `asked` in all, of which `done` are behind us. As many as there is room
/// for, one block of each group that decides a claim in each; of the other groups those for which
/// there is room then. Where not even the least number of launches can have all that decide, the
/// cheap ones have it and the dear ones are left; and where starting workers would take most of the
/// time, this launch is the last.
pub(crate) fn whole(groups: &[Group], asked: u32, done: u32, room: Room) -> Extent {
    let coming = asked.saturating_sub(done).max(1);
    let deciding_s = |count: u32| -> f64 {
        let costs_s = groups.iter().filter(|group| group.decides).map(|it| it.launches_s(count));
        f64::from(count) * room.overhead_s + costs_s.sum::<f64>()
    };
    let fitting = (1..=coming).rev().find(|&count| deciding_s(count) <= room.left_s);
    let least = LAUNCHES_MIN.min(asked).saturating_sub(done).max(1);
    let launches = match fitting {
        Some(count) if count >= least => count,
        _ if f64::from(least) * room.overhead_s <= room.left_s / 2.0 => least,
        _ => 1,
    };
    let mut left_s = room.left_s - f64::from(launches) * room.overhead_s;
    let mut order: Vec<usize> = (0..groups.len()).collect();
    // Those that were in every launch so far are worth most, then the cheap ones.
    order.sort_by(|&a, &b| {
        let of = |at: usize| (!groups[at].decides, groups[at].launches < done);
        of(a).cmp(&of(b)).then(groups[a].cost_s.total_cmp(&groups[b].cost_s))
    });
    let mut takes_part = vec![false; groups.len()];
    for place in order {
        let cost_s = groups[place].launches_s(launches);
        // The first block of everything is measured whatever it costs.
        takes_part[place] = groups[place].blocks == 0 || cost_s <= left_s;
        if takes_part[place] {
            left_s -= cost_s;
        }
    }
    Extent { launches, takes_part }
}

/// Whether it is asked after so many launches what is open, `last` being those after which it was
/// asked before: after the whole launches, and whenever there are three times as many. To ask after
/// each launch, and to end what was found, would find too much.
pub(crate) fn is_look(launches: u32, last: Option<u32>) -> bool {
    last.is_none_or(|last| launches >= 3 * last)
}

/// The groups that further launches measure: of the comparisons that are open the ones that the
/// fewest launches would decide, as many as the time left allows; where it allows none, all of
/// which it can be told how many would. `of_cell` tells the group of a cell.
pub(crate) fn open(
    groups: &[Group],
    open: &[Open],
    done: u32,
    room: Room,
    of_cell: impl Fn(u32) -> Option<usize>,
) -> Vec<bool> {
    let mut wanted: Vec<(u32, &Open)> =
        open.iter().filter_map(|it| Some((it.launches_needed?, it))).collect();
    wanted.sort_by_key(|it| it.0);
    let places = |it: &Open| it.cells.iter().filter_map(|&id| of_cell(id)).collect::<Vec<_>>();
    let mut chosen = vec![false; groups.len()];
    for (needed, it) in &wanted {
        let mut with = chosen.clone();
        places(it).into_iter().for_each(|place| with[place] = true);
        let launches = needed.saturating_sub(done).max(1);
        let each_s = room.overhead_s.max(1e-3) + round_s(groups, &with);
        if f64::from(launches) * each_s <= room.left_s {
            chosen = with;
        }
    }
    if !chosen.contains(&true) {
        wanted.iter().flat_map(|(_, it)| places(it)).for_each(|place| chosen[place] = true);
    }
    chosen
}

/// Seconds of one block of each of these groups.
pub(crate) fn round_s(groups: &[Group], takes_part: &[bool]) -> f64 {
    let mine = groups.iter().zip(takes_part).filter(|(_, takes_part)| **takes_part);
    SPARE * mine.map(|(group, _)| group.cost_s).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use stats::{Confidence, Sample as Values, median_interval};

    use super::super::tests::group;
    use super::*;

    fn deciding(cost_s: f64) -> Group {
        Group { decides: true, blocks: 1, launches: 1, ..group(None, 9.0, cost_s) }
    }

    fn other(cost_s: f64) -> Group {
        Group { blocks: 1, launches: 1, ..group(None, 9.0, cost_s) }
    }

    fn whole_of(groups: &[Group], asked: u32, left_s: f64) -> (u32, Vec<bool>) {
        let Extent { launches, takes_part } =
            whole(groups, asked, 1, Room { left_s, overhead_s: 1.0 });
        (launches, takes_part)
    }

    #[test]
    fn what_decides_has_all_its_launches_before_anything_else_has_any() {
        let groups = [other(1.0), deciding(0.5), deciding(1.0)];
        assert_eq!(whole_of(&groups, 10, 100.0), (9, vec![true; 3]));
        assert_eq!(whole_of(&groups, 10, 26.0), (9, vec![false, true, true]));
        assert_eq!(whole_of(&groups, 10, 20.0), (7, vec![false, true, true]));
    }

    #[test]
    fn too_little_for_six_launches_of_all_is_spent_on_the_cheap_ones() {
        let groups = [deciding(0.1), deciding(4.0), other(0.1)];
        assert_eq!(whole_of(&groups, 10, 12.0), (5, vec![true, false, true]));
        // Starting alone would take more than half.
        assert_eq!(whole_of(&groups, 10, 8.0).0, 1);
    }

    #[test]
    fn a_group_without_a_block_takes_part_whatever_it_costs() {
        let groups = [Group { blocks: 0, ..deciding(50.0) }, deciding(0.1)];
        assert_eq!(whole_of(&groups, 10, 12.0), (5, vec![true, true]));
    }

    /// A value of a heavy-tailed law around 0: one launch in ten is disturbed.
    fn disturbed(random: &mut StdRng) -> f64 {
        let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        if random.random::<f64>() < 0.1 { normal * 5.0 } else { normal }
    }

    /// How often one pair is called different in the end that differs just as little as may not be
    /// called so, where it is ended by the first look that shows it.
    fn false_alarms(whole: u32, most: u32, is_look: impl Fn(u32, Option<u32>) -> bool) -> f64 {
        let mut random = StdRng::seed_from_u64(15);
        let runs = 4_000;
        let called = (0..runs).filter(|_| {
            let mut values: Vec<f64> = (0..whole).map(|_| disturbed(&mut random)).collect();
            let mut last = None;
            loop {
                let launches = values.len() as u32;
                let is_last = launches == most;
                if is_last || is_look(launches, last) {
                    last = Some(launches);
                    let sample = Values::new(values.clone()).unwrap();
                    let interval = median_interval(&sample, Confidence::default());
                    if interval.is_some_and(|interval| interval.low > 0.0) {
                        return true;
                    }
                }
                if is_last {
                    return false;
                }
                values.push(disturbed(&mut random));
            }
        });
        called.count() as f64 / f64::from(runs)
    }

    #[test]
    fn to_end_what_looks_show_keeps_the_level_and_to_look_always_would_not() {
        for (whole, most) in [(6, 6), (6, 15), (6, 40), (10, 30), (10, 60), (12, 100)] {
            let share = false_alarms(whole, most, is_look);
            assert!(share < 0.05, "{whole} to {most} launches: {share}");
        }
        let always = false_alarms(6, 100, |_, _| true);
        assert!(always > 0.08, "{always}");
    }

    #[test]
    fn what_is_open_goes_on_as_far_as_the_time_allows_and_what_never_decides_does_not() {
        let groups = [deciding(1.0), deciding(1.0), deciding(1.0), deciding(1.0)];
        let it = |cell: u32, launches_needed| Open { cells: vec![cell], launches_needed };
        let all = [it(0, Some(100)), it(1, Some(9)), it(2, None), it(3, Some(11))];
        let room = |left_s| Room { left_s, overhead_s: 1.0 };
        let places = |left_s| open(&groups, &all, 6, room(left_s), |id| Some(id as usize));
        assert_eq!(places(20.0), [false, true, false, true]);
        assert_eq!(places(7.0), [false, true, false, false]);
        assert_eq!(places(2.0), [true, true, false, true], "where none can be afforded");
        assert_eq!(open(&groups, &[], 6, room(9.0), |_| None), [false; 4]);
    }
}
