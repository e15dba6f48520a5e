//! Which groups a launch measures, and how many launches there are: settled by what things cost, so
//! that nothing measured decides whether there is more of it; see `docs/method.md`.

use std::collections::BTreeMap;

use super::Group;
use crate::study::LAUNCHES_MIN;

/// Blocks vary; this much more than they cost last is allowed for.
const SPARE: f64 = 1.1;

/// A dear block that would take more than this of what is left waits.
const WAITS_SHARE: f64 = 0.25;

/// Where claims need all the time there is, the first blocks of all that decides none take no more
/// than this of what is left.
const ASIDE_SHARE: f64 = 0.15;

/// A sample that takes no more than this share of what a launch takes beside its blocks is cheap.
const CHEAP_SHARE: f64 = 0.25;

/// A comparison that does not decide its claim yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    /// Numbers of the cells that are compared.
    pub cells: Vec<u32>,
    /// Launches that all of them have.
    pub launches: u32,
    /// Launches in all that would decide it, by what was seen; `None` where no number does.
    pub launches_needed: Option<u32>,
}

/// What is there for launches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Seconds of the budget that are left.
    pub(crate) left_s: f64,
    /// Seconds that a launch takes beside its blocks.
    pub(crate) overhead_s: f64,
    /// Seconds of those left that are kept for claims which whole launches leave open.
    pub(crate) kept_s: f64,
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

/// Sets of cells that decide, each of which would take more than all cheaper ones that do, where
/// there is no room for it beside what is kept: the others must not lose their launches by it.
fn dear(groups: &[Group], launches: u32, room: Room) -> Vec<usize> {
    let cost_s = |at: &usize| groups[*at].launches_s(launches);
    let mut deciding: Vec<usize> = (0..groups.len()).filter(|&at| groups[at].decides()).collect();
    deciding.sort_by(|a, b| cost_s(a).total_cmp(&cost_s(b)));
    let mut dear = Vec::new();
    while let Some((dearest, others)) = deciding.split_last().filter(|it| !it.1.is_empty()) {
        let others_s = others.iter().map(cost_s).sum::<f64>();
        let others_s = others_s + f64::from(launches) * room.overhead_s;
        if cost_s(dearest) <= others_s.max(room.left_s - room.kept_s - others_s) {
            break;
        }
        dear.push(*dearest);
        deciding.pop();
    }
    dear
}

/// Launches to come of the `asked` in all, of which `done` are behind us. As many as there is room
/// for, one block of each group that decides a claim in each; of the other groups, and of those
/// that are dear, those for which there is room then. Where not even the least number of launches
/// can have all that decide, those have it that decide most claims for their time, and the others
/// are left; and where starting workers would take most of the time, this launch is the last.
pub(crate) fn whole(groups: &[Group], asked: u32, done: u32, room: Room) -> Extent {
    let coming = asked.saturating_sub(done).max(1);
    let dear = dear(groups, coming, room);
    let decides = |at: usize| groups[at].decides() && !dear.contains(&at);
    let deciding_s = |count: u32| -> f64 {
        let own = (0..groups.len()).filter(|&at| decides(at));
        let costs_s = own.map(|at| groups[at].launches_s(count));
        f64::from(count) * room.overhead_s + costs_s.sum::<f64>()
    };
    let fitting = (1..=coming).rev().find(|&count| deciding_s(count) <= room.left_s);
    let least = LAUNCHES_MIN.min(asked).saturating_sub(done).max(1);
    let have_room = fitting.is_some_and(|count| count >= least);
    let launches = match fitting {
        Some(count) if have_room => count,
        _ if f64::from(least) * room.overhead_s <= room.left_s / 2.0 => least,
        _ => 1,
    };
    let mut left_s = room.left_s - f64::from(launches) * room.overhead_s;
    let mut takes_part = vec![false; groups.len()];
    let (mut aside_s, mut any_fits) = (room.left_s * ASIDE_SHARE, false);
    for place in by_worth(groups, done, decides) {
        let (group, is_dear) = (&groups[place], dear.contains(&place));
        let cost_s = group.launches_s(launches);
        let fits = cost_s <= left_s - if is_dear { room.kept_s } else { 0.0 };
        // The first block of what decides is measured whatever it costs, but for one that would
        // take much of the run from all others; that of what does not, while it takes little. Where
        // there is no room for all that decides, but for some of it, the rest waits until a launch
        // has shown what blocks really take, and has its first block of what is left then.
        let waits = !have_room && any_fits;
        let is_aside = !group.decides() || waits;
        let is_first = group.blocks == 0
            && match is_aside {
                true if waits => done > 0 && group.cost_s <= aside_s.min(left_s),
                true => group.cost_s <= aside_s,
                false => !(is_dear && group.cost_s > room.left_s * WAITS_SHARE),
            };
        takes_part[place] = is_first || fits;
        any_fits |= fits && group.decides();
        if !fits && is_aside && is_first {
            aside_s -= group.cost_s;
            left_s -= group.cost_s;
        } else if takes_part[place] {
            left_s -= cost_s;
        }
    }
    // Too few launches for an interval say more than time that is left over.
    if let Some(count) = fitting.filter(|_| done > 0 && !takes_part.contains(&true)) {
        return Extent { launches: count, takes_part: (0..groups.len()).map(decides).collect() };
    }
    Extent { launches, takes_part }
}

/// The groups, those that decide first. Those that were in every launch so far are worth most,
/// then those that cost little for the claims that they decide.
fn by_worth(groups: &[Group], done: u32, decides: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let claim_s = |at: usize| match groups[at].decides() {
        true => groups[at].cost_s / groups[at].claims,
        false => groups[at].cost_s,
    };
    order.sort_by(|&a, &b| {
        let of = |at: usize| (!decides(at), groups[at].launches < done);
        of(a).cmp(&of(b)).then(claim_s(a).total_cmp(&claim_s(b)))
    });
    order
}

/// Seconds beyond what is left that the least number of launches of all that decides would take,
/// with `done` launches behind us; 0 where there is room.
pub(crate) fn missing_s(groups: &[Group], asked: u32, done: u32, room: Room) -> f64 {
    let coming = LAUNCHES_MIN.min(asked).saturating_sub(done);
    let deciding = groups.iter().filter(|group| group.decides());
    let blocks_s: f64 = deciding.map(|group| group.launches_s(coming)).sum();
    (f64::from(coming) * room.overhead_s + blocks_s - room.left_s).max(0.0)
}

/// Of groups that lack so many launches each those that can have them in the time left, the cheap
/// ones before the dear: a part of what an interval needs would be worth nothing.
pub(crate) fn affordable(
    groups: &[Group],
    lacks: &[u32],
    left_s: f64,
    overhead_s: f64,
) -> Vec<bool> {
    let own_s = |at: usize| SPARE * groups[at].cost_s * f64::from(lacks[at]);
    let mut order: Vec<usize> = (0..groups.len()).filter(|&at| lacks[at] > 0).collect();
    order.sort_by(|&a, &b| own_s(a).total_cmp(&own_s(b)));
    let (mut takes_part, mut blocks_s, mut launches) = (vec![false; groups.len()], 0.0, 0);
    for at in order {
        let most = launches.max(lacks[at]);
        if blocks_s + own_s(at) + f64::from(most) * overhead_s <= left_s {
            takes_part[at] = true;
            (blocks_s, launches) = (blocks_s + own_s(at), most);
        }
    }
    takes_part
}

/// Whether it is asked after so many launches what is open, `last` being those after which it was
/// asked before: after the whole launches, and whenever there are three times as many. To ask after
/// each launch, and to end what was found, would find too much.
pub(crate) fn is_look(launches: u32, last: Option<u32>) -> bool {
    last.is_none_or(|last| launches >= 3 * last)
}

/// A unit: the place of its group, and its own within that.
pub(crate) type Place = (usize, usize);

/// The units that further launches measure, and how many launches more: of the comparisons that
/// are open those that are expected to be decided soonest, as many as the time left allows; where
/// it allows none, all of which it can be told when they would. What is cheap beside the start of a
/// launch has no end. `place_of` tells the unit of a cell, `sample_s` what a sample of it takes.
pub(crate) fn open(
    open: &[Open],
    room: Room,
    place_of: impl Fn(u32) -> Option<Place>,
    sample_s: impl Fn(Place) -> f64,
) -> BTreeMap<Place, u32> {
    let overhead_s = room.overhead_s.max(1e-3);
    let seconds = |chosen: &BTreeMap<Place, u32>| -> f64 {
        let each = chosen.iter().map(|(&place, &count)| f64::from(count) * sample_s(place));
        let launches = chosen.values().max().copied().unwrap_or(0);
        f64::from(launches) * overhead_s + SPARE * each.sum::<f64>()
    };
    let mut wanted = Vec::new();
    for it in open {
        let Some(needed) = it.launches_needed else { continue };
        let launches = needed.saturating_sub(it.launches).max(1);
        let places = it.cells.iter().filter_map(|&id| Some((place_of(id)?, launches)));
        let places: BTreeMap<Place, u32> = places.collect();
        wanted.push((seconds(&places), places));
    }
    wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let with = |chosen: &BTreeMap<Place, u32>, more: &BTreeMap<Place, u32>| {
        let mut chosen = chosen.clone();
        for (&place, &launches) in more {
            let own = chosen.entry(place).or_insert(launches);
            *own = launches.max(*own);
        }
        chosen
    };
    let is_cheap = |place: &Place| sample_s(*place) <= CHEAP_SHARE * overhead_s;
    let mut chosen = BTreeMap::new();
    for (_, places) in &wanted {
        let with = with(&chosen, places);
        if seconds(&with) <= room.left_s {
            chosen = with;
        }
    }
    // What is cheap takes part in the launches that are made for others: blocks help as well.
    let most = chosen.values().max().copied().unwrap_or(0);
    for (_, places) in wanted.iter().filter(|(_, places)| places.keys().all(is_cheap)) {
        let capped = places.iter().map(|(&place, &launches)| (place, launches.min(most)));
        let with = with(&chosen, &capped.collect());
        if most > 0 && seconds(&with) <= room.left_s {
            chosen = with;
        }
    }
    if chosen.is_empty() {
        chosen = wanted.iter().fold(chosen, |all, (_, places)| with(&all, places));
    }
    for (&place, launches) in &mut chosen {
        // The forecast is as often too low as too high.
        *launches = if is_cheap(&place) { u32::MAX } else { launches.saturating_mul(2) };
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
        Group { claims: 1.0, blocks: 1, launches: 1, ..group(None, 9.0, cost_s) }
    }

    fn other(cost_s: f64) -> Group {
        Group { blocks: 1, launches: 1, ..group(None, 9.0, cost_s) }
    }

    fn whole_of(groups: &[Group], asked: u32, left_s: f64) -> (u32, Vec<bool>) {
        let Extent { launches, takes_part } =
            whole(groups, asked, 1, Room { left_s, overhead_s: 1.0, kept_s: 0.0 });
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
        let groups = [deciding(0.1), deciding(2.0), deciding(2.0), other(0.1)];
        assert_eq!(whole_of(&groups, 10, 20.0), (5, vec![true, true, false, true]));
        // Starting alone would take more than half.
        assert_eq!(whole_of(&groups, 10, 8.0).0, 1);
    }

    #[test]
    fn too_little_for_six_launches_of_all_is_spent_where_most_claims_are_decided() {
        let many = |cost_s, claims| Group { claims, ..deciding(cost_s) };
        let groups = [many(1.0, 1.0), many(2.0, 4.0), many(1.5, 1.0)];
        assert_eq!(whole_of(&groups, 10, 24.0), (5, vec![true, true, false]));
        assert_eq!(whole_of(&groups, 10, 18.0), (5, vec![false, true, false]));
        let room = |left_s| Room { left_s, overhead_s: 1.0, kept_s: 0.0 };
        assert_eq!(missing_s(&groups, 10, 1, room(30.0)), 0.0);
        assert!((missing_s(&groups, 10, 1, room(24.0)) - 5.75).abs() < 1e-9);
    }

    #[test]
    fn first_blocks_of_what_decides_nothing_take_little_where_claims_need_all() {
        let first = |cost_s| Group { blocks: 0, launches: 0, ..other(cost_s) };
        let groups = [first(50.0), first(0.9), deciding(0.1), first(0.8)];
        assert_eq!(whole_of(&groups, 10, 12.0), (9, vec![false, true, true, true]));
        // Where there is time, nothing is left out; what decides is measured once in any case.
        assert_eq!(whole_of(&groups, 2, 100.0), (1, vec![true; 4]));
        let once = [(); 2].map(|()| Group { blocks: 0, ..deciding(50.0) });
        assert_eq!(whole_of(&once, 10, 12.0).1, vec![true, true]);
    }

    #[test]
    fn first_blocks_leave_their_launches_to_what_decides_most_claims() {
        let first = |cost_s, claims| Group { blocks: 0, launches: 0, claims, ..deciding(cost_s) };
        let extent = |left_s, done| {
            let groups = [first(20.0, 0.1), first(20.0, 8.0), first(5.0, 0.1), first(20.0, 0.1)];
            let room = Room { left_s, overhead_s: 4.0, kept_s: 0.0 };
            let Extent { launches, takes_part } = whole(&groups, 6, done, room);
            (launches, takes_part)
        };
        // Six launches of the second take 132 s beside 24 s of starting; of all, 453 s.
        assert_eq!(extent(220.0, 0), (6, vec![false, true, true, false]));
        assert_eq!(extent(220.0, 1), (5, vec![true, true, true, false]));
        assert_eq!(extent(170.0, 1), (5, vec![false, true, true, false]));
        assert_eq!(extent(500.0, 0), (6, vec![true; 4]));
        // There is no room for any: each is seen once.
        assert_eq!(extent(60.0, 0).1, vec![true; 4]);
    }

    #[test]
    fn what_has_no_room_for_an_interval_goes_on_while_there_is_room() {
        let seen = || Group { blocks: 1, launches: 1, ..deciding(10.0) };
        let room = Room { left_s: 50.0, overhead_s: 0.1, kept_s: 0.0 };
        let Extent { launches, takes_part } = whole(&[seen()], 6, 1, room);
        assert_eq!((launches, takes_part), (4, vec![true]));
        let room = Room { left_s: 5.0, ..room };
        assert_eq!(whole(&[seen()], 6, 1, room).takes_part, [false]);
    }

    #[test]
    fn one_set_that_takes_more_than_all_others_leaves_them_their_launches() {
        let dear = |cost_s, blocks| Group { blocks, ..deciding(cost_s) };
        let extent = |cost_s, blocks, left_s| {
            let groups = [deciding(1.0), dear(cost_s, blocks), other(0.5)];
            let room = Room { left_s, overhead_s: 1.0, kept_s: 40.0 };
            let Extent { launches, takes_part } = whole(&groups, 12, 0, room);
            (launches, takes_part)
        };
        assert_eq!(extent(20.0, 1, 100.0), (12, vec![true, false, true]));
        // There is room for it beside what is kept.
        assert_eq!(extent(20.0, 1, 400.0), (12, vec![true; 3]));
        // Its first block, unless it takes too much.
        assert_eq!(extent(20.0, 0, 100.0), (12, vec![true; 3]));
        assert_eq!(extent(30.0, 0, 100.0), (12, vec![true, false, true]));
        // A second one that takes more than what is left then.
        let groups = [deciding(0.2), dear(4.0, 1), dear(20.0, 1)];
        let room = Room { left_s: 100.0, overhead_s: 1.0, kept_s: 40.0 };
        assert_eq!(whole(&groups, 12, 0, room).takes_part, [true, false, false]);
        // It is all that decides.
        let alone = [dear(30.0, 0), other(0.5)];
        let room = Room { left_s: 100.0, overhead_s: 1.0, kept_s: 40.0 };
        assert!(whole(&alone, 12, 0, room).takes_part[0]);
    }

    #[test]
    fn what_lacks_launches_has_them_where_all_of_them_fit() {
        let groups = [other(1.0), deciding(5.0), other(2.0), other(0.5)];
        let of = |left_s| affordable(&groups, &[2, 4, 1, 0], left_s, 1.0);
        assert_eq!(of(100.0), [true, true, true, false]);
        // 4 launches with 20 s of blocks do not fit; 2 launches with 4 s do.
        assert_eq!(of(20.0), [true, false, true, false]);
        assert_eq!(of(5.0), [true, false, false, false]);
        assert_eq!(of(2.0), [false; 4]);
        assert_eq!(affordable(&groups, &[0; 4], 100.0, 1.0), [false; 4]);
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
        let it = |cell: u32, launches, launches_needed| Open {
            cells: vec![cell],
            launches,
            launches_needed,
        };
        let all = [it(0, 6, Some(100)), it(1, 6, Some(9)), it(2, 6, None), it(3, 6, Some(11))];
        let room = |left_s| Room { left_s, overhead_s: 1.0, kept_s: 0.0 };
        let place_of = |id: u32| Some((id as usize, 0));
        let chosen = |all: &[Open], left_s| {
            let chosen =
                open(all, room(left_s), place_of, |(group, _)| [1.0, 1.0, 1.0, 1.0, 9.0][group]);
            chosen.into_iter().map(|((group, _), _)| group).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&all, 20.0), [1, 3]);
        assert_eq!(chosen(&all, 7.0), [1]);
        assert_eq!(chosen(&all, 2.0), [0, 1, 3], "where none can be afforded");
        assert!(chosen(&[], 9.0).is_empty());
        // What is dear comes behind what is cheap, though it needs fewer launches.
        assert_eq!(chosen(&[it(4, 6, Some(7)), it(1, 6, Some(9))], 11.0), [1]);
        // What has fewer launches than others needs more of them.
        assert_eq!(chosen(&[it(4, 0, Some(6)), it(1, 6, Some(9))], 60.0), [1]);
        assert_eq!(chosen(&[it(4, 5, Some(6)), it(1, 6, Some(9))], 60.0), [1, 4]);
        // What is measured for one already costs nothing for another.
        let shared = [it(1, 6, Some(9)), Open { cells: vec![1, 2], ..it(1, 6, Some(9)) }];
        assert_eq!(chosen(&shared, 10.0), [1, 2]);
        assert_eq!(chosen(&shared, 9.0), [1]);
        // What is cheap is measured beside others, though it may need more launches than there are.
        let cheap = |left_s| {
            let sample_s = |(group, _)| if group == 0 { 0.1 } else { 1.0 };
            open(&all[..2], room(left_s), place_of, sample_s).len()
        };
        assert_eq!((cheap(20.0), cheap(6.5)), (2, 1));
        // What is dear beside a launch is measured twice as often as is expected to decide it.
        let dear = [it(1, 6, Some(9)), it(4, 6, Some(7))];
        let launches =
            open(&dear, room(90.0), place_of, |(group, _)| if group == 4 { 9.0 } else { 0.1 });
        assert_eq!(launches, BTreeMap::from([((1, 0), u32::MAX), ((4, 0), 2)]));
    }
}
