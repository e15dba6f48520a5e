//! What the next launch measures. First whole launches, as many as the study asks for and the
//! budget allows; then launches of those groups in which a claim is still open. When that is looked
//! at is fixed beforehand; see `docs/method.md`.

use std::collections::{BTreeMap, BTreeSet};

use super::{LAUNCHES_MIN, MeasureError, Sitting};
use crate::crew::Crew;
use crate::record::CellRecord;
use crate::schedule::{self, Extent, Group, Place, Room};

/// Share of the budget that is kept for what is open after the whole launches.
const OPEN_SHARE: f64 = 0.4;

/// A launch to come.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// The groups that are measured, by place.
    pub(super) takes_part: Vec<bool>,
    /// Whether all of them may take part, and targets are kept.
    pub(super) is_whole: bool,
    /// Launches in all, this one included, as far as can be told.
    pub(super) launches: u32,
}

impl Sitting<'_> {
    /// What is left, and what a launch takes beside its blocks; whole ones make cold starts too.
    fn room(&self, groups: &[Group], is_whole: bool) -> Room {
        // Until it was seen: starting and opening, and an untimed turn of a quarter of the calls.
        let costs_s = groups.iter().map(|group| group.cost_s);
        let turned_s: f64 = costs_s.filter(|&cost_s| cost_s <= super::launch::SETTLED_S).sum();
        let overhead_s = self.overhead_s.unwrap_or(0.25 + 0.5 * turned_s);
        let cold_s = if is_whole { self.cold_s } else { 0.0 };
        let kept_s = if self.keeps_some() { OPEN_SHARE * self.run.budget_s } else { 0.0 };
        Room { left_s: self.left_s(), overhead_s: overhead_s + cold_s, kept_s }
    }

    /// Whether time is kept for claims that whole launches leave open.
    fn keeps_some(&self) -> bool {
        self.bench.open.is_some() && !self.run.study.exact && self.looked_at.is_none()
    }

    /// What the launch of this number measures; `None` where the run is over.
    pub(super) fn turn(
        &mut self,
        groups: &mut [Group],
        launch: u32,
        launches: u32,
    ) -> Result<Option<Turn>, MeasureError> {
        if self.bench.observer.stop() {
            return Ok(None);
        }
        if launch < launches
            && self.looked_at.is_none()
            && let Some(turn) = self.whole_again(groups, launch, launches)
        {
            return Ok(Some(turn));
        }
        if launch > 0 && !self.run.study.exact && self.bench.open.is_some() {
            let turn = self.open_turn(groups, launch)?;
            if turn.is_some() {
                return Ok(turn);
            }
        }
        groups.iter_mut().for_each(Group::measure_all);
        Ok(self.whole_again(groups, launch, launches))
    }

    fn whole_again(&self, groups: &[Group], launch: u32, launches: u32) -> Option<Turn> {
        let wants = self.wants_whole(groups, launch, launches);
        wants.then(|| self.whole_turn(groups, launch, launches))?
    }

    /// Whether another launch of everything is asked for: blocks are owed, or an interval is wider
    /// than the study asks. Never whether anything is significant.
    fn wants_whole(&self, groups: &[Group], launch: u32, launches: u32) -> bool {
        let half_width = self.run.study.half_width;
        let left = || groups.iter().filter(|group| self.has_candidates(group));
        let has_free = left().any(|group| group.target.is_none());
        let more = left().any(|group| group.wants_more(half_width));
        more && (launch < launches || !has_free)
            || (launch < launches && self.has_cold_starts())
            || (has_free && launch < launches.min(LAUNCHES_MIN))
    }

    /// The next launch of everything that there is room for.
    pub(super) fn whole_turn(&self, groups: &[Group], launch: u32, launches: u32) -> Option<Turn> {
        let room = self.room(groups, true);
        let Extent { launches: coming, mut takes_part } =
            schedule::whole(groups, launches, launch, room);
        for (takes_part, group) in takes_part.iter_mut().zip(groups) {
            let is_fulfilled = group.target.is_some_and(|target| group.blocks >= target);
            *takes_part &= self.has_candidates(group) && !is_fulfilled;
        }
        let round_s = schedule::round_s(groups, &takes_part);
        let fits = launch == 0 || room.overhead_s + round_s <= room.left_s;
        let is_any = launch == 0 || takes_part.contains(&true) || self.has_cold_starts();
        (fits && is_any).then_some(Turn { takes_part, is_whole: true, launches: launch + coming })
    }

    /// Groups in which something is open, by the last look at it: of these what is compared.
    fn open_turn(
        &mut self,
        groups: &mut [Group],
        launch: u32,
    ) -> Result<Option<Turn>, MeasureError> {
        let room = self.room(groups, false);
        if schedule::is_look(launch, self.looked_at) {
            self.looked_at = Some(launch);
            self.going_on = self.still_open(groups, room);
            self.tell_going_on(launch)?;
        }
        let since = launch - self.looked_at.unwrap_or(launch);
        let mut takes_part = Vec::new();
        for (number, group) in groups.iter_mut().enumerate() {
            let launches = |unit: usize| self.going_on.get(&(number, unit));
            let is_wanted = |unit: usize| launches(unit).is_some_and(|&launches| since < launches);
            let is_any = group.narrow(&self.run.cells, is_wanted);
            takes_part.push(is_any && self.has_candidates(group));
            if is_any {
                group.cost_s = self.costs.block_s(group, &self.run.cells);
            }
        }
        let each_s = room.overhead_s + schedule::round_s(groups, &takes_part);
        if !takes_part.contains(&true) || each_s > room.left_s {
            return Ok(None);
        }
        // As long in blocks as in starting workers: more blocks would be worth less than launches.
        let coming = (room.left_s / each_s.max(2.0 * room.overhead_s)).floor().max(1.0) as u32;
        Ok(Some(Turn { takes_part, is_whole: false, launches: launch + coming }))
    }

    fn tell_going_on(&mut self, launch: u32) -> Result<(), MeasureError> {
        let candidates = self.going_on.len();
        if candidates == 0 {
            return Ok(());
        }
        let is_are = if candidates == 1 { "is" } else { "are" };
        let sets: BTreeSet<usize> = self.going_on.keys().map(|place| place.0).collect();
        let text = format!(
            "after {launch} launches, {candidates} candidates in {} sets of cells {is_are} \
             measured on, for claims that are not decided",
            sets.len()
        );
        self.tell("claims", text)
    }

    fn still_open(&self, groups: &[Group], room: Room) -> BTreeMap<Place, u32> {
        let open = self.bench.open.map_or_else(Vec::new, |open| open(self.run));
        let mut places = BTreeMap::new();
        for (number, group) in groups.iter().enumerate() {
            for (unit, cells) in group.units.iter().enumerate() {
                places.extend(cells.iter().map(|&at| (self.run.cells[at].id, (number, unit))));
            }
        }
        let sample_s = |(group, unit): Place| {
            self.costs.sample_s(&self.run.cells[groups[group].units[unit][0]])
        };
        schedule::open(&open, room, |id| places.get(&id).copied(), sample_s)
    }

    /// Seconds that the blocks of a launch may take, so that there is time for those that follow.
    pub(super) fn share_s(&self, turn: &Turn, groups: &[Group], launch: u32) -> f64 {
        let coming = f64::from(turn.launches.saturating_sub(launch).max(1));
        let to_start_s = (coming - 1.0) * (self.overhead_s.unwrap_or(0.0) + self.cold_s);
        let share_s = |left_s: f64| ((left_s - to_start_s) / coming).max(0.0);
        let all_s = share_s(self.left_s());
        // Too few launches for intervals make use of all the time.
        let is_enough = turn.launches >= LAUNCHES_MIN.min(self.run.study.launches);
        if !(turn.is_whole && is_enough && self.keeps_some()) {
            return all_s;
        }
        let owed_s = |group: &Group| {
            let owed = group.owed(launch, turn.launches).unwrap_or(0);
            f64::from(owed) * group.cost_s
        };
        let taking_part = groups.iter().zip(&turn.takes_part).filter(|(_, part)| **part);
        let owed_s: f64 = taking_part.map(|(group, _)| owed_s(group)).sum();
        let kept_s = share_s(self.left_s() - OPEN_SHARE * self.run.budget_s);
        // Blocks that are owed and do not fit come after claims that are open.
        if owed_s <= all_s { kept_s.max(owed_s) } else { kept_s }
    }

    /// The cells that a launch opens: those of its groups.
    pub(super) fn cells_of(&self, groups: &[Group], takes_part: &[bool]) -> Vec<CellRecord> {
        let mine = groups.iter().zip(takes_part).filter(|(_, takes_part)| **takes_part);
        let places = mine.flat_map(|(group, _)| group.measured().map(|unit| unit[0]));
        places.map(|place| self.run.cells[place].clone()).collect()
    }

    /// Ends a launch: tags are compared again, and after the last whole one calls are timed singly.
    pub(super) fn end(&mut self, crew: &mut Crew, next: Option<&Turn>) -> Result<(), MeasureError> {
        use super::ledger::Task;
        let goes_on = next.is_some_and(|next| next.is_whole);
        self.ledger.turn_to(Task::Proving);
        self.prove_again(crew, !goes_on)?;
        if !goes_on && !self.bench.observer.stop() {
            self.ledger.turn_to(Task::SingleCalls);
            self.single_calls(crew)?;
        }
        self.hear(crew)
    }
}
