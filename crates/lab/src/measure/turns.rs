//! What the next launch measures. First whole launches, as many as the study asks for and the
//! budget allows; then launches of those groups in which a claim is still open. When that is looked
//! at is fixed beforehand; see `docs/method.md`.

use super::{LAUNCHES_MIN, MeasureError, Sitting};
use crate::crew::Crew;
use crate::record::CellRecord;
use crate::schedule::{self, Extent, Group, Room};

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
        Room { left_s: self.left_s(), overhead_s: overhead_s + cold_s }
    }

    /// What the launch of this number measures; `None` where the run is over.
    pub(super) fn turn(
        &mut self,
        groups: &[Group],
        launch: u32,
        launches: u32,
    ) -> Result<Option<Turn>, MeasureError> {
        if self.bench.observer.stop() {
            return Ok(None);
        }
        if self.wants_whole(groups, launch, launches)
            && let Some(turn) = self.whole_turn(groups, launch, launches)
        {
            return Ok(Some(turn));
        }
        if launch == 0 || self.run.study.exact || self.bench.open.is_none() {
            return Ok(None);
        }
        self.open_turn(groups, launch)
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

    /// Groups in which something is open, by the last look at it.
    fn open_turn(&mut self, groups: &[Group], launch: u32) -> Result<Option<Turn>, MeasureError> {
        let room = self.room(groups, false);
        if schedule::is_look(launch, self.looked_at) {
            self.looked_at = Some(launch);
            self.going_on = self.still_open(groups, launch, room);
            let going_on = self.going_on.iter().filter(|it| **it).count();
            if going_on > 0 {
                let (all, is_are) = (groups.len(), if going_on == 1 { "is" } else { "are" });
                self.tell(
                    "claims",
                    format!(
                        "after {launch} launches, {going_on} of {all} sets of cells {is_are} \
                         measured on, for claims that are not decided"
                    ),
                )?;
            }
        }
        let mut takes_part = self.going_on.clone();
        for (takes_part, group) in takes_part.iter_mut().zip(groups) {
            *takes_part &= self.has_candidates(group);
        }
        let each_s = room.overhead_s + schedule::round_s(groups, &takes_part);
        if !takes_part.contains(&true) || each_s > room.left_s {
            return Ok(None);
        }
        // As long in blocks as in starting workers: more blocks would be worth less than launches.
        let coming = (room.left_s / each_s.max(2.0 * room.overhead_s)).floor().max(1.0) as u32;
        Ok(Some(Turn { takes_part, is_whole: false, launches: launch + coming }))
    }

    fn still_open(&self, groups: &[Group], launch: u32, room: Room) -> Vec<bool> {
        let open = self.bench.open.map_or_else(Vec::new, |open| open(self.run));
        let place_of = |id: u32| {
            let is_its = |&place: &usize| self.run.cells[place].id == id;
            groups.iter().position(|group| group.cells.iter().any(is_its))
        };
        schedule::open(groups, &open, launch, room, place_of)
    }

    /// Seconds that the blocks of a launch may take, so that there is time for those that follow.
    pub(super) fn share_s(&self, turn: &Turn, groups: &[Group], launch: u32) -> f64 {
        let coming = f64::from(turn.launches.saturating_sub(launch).max(1));
        let to_start_s = (coming - 1.0) * (self.overhead_s.unwrap_or(0.0) + self.cold_s);
        let share_s = |left_s: f64| ((left_s - to_start_s) / coming).max(0.0);
        let all_s = share_s(self.left_s());
        // Too few launches for intervals make use of all the time.
        let is_enough = turn.launches >= LAUNCHES_MIN.min(self.run.study.launches);
        let keeps_some = turn.is_whole && is_enough && self.bench.open.is_some();
        if !keeps_some || self.run.study.exact {
            return all_s;
        }
        let owed_s = |group: &Group| {
            let owed = group.owed(launch, turn.launches).unwrap_or(0);
            f64::from(owed) * group.cost_s
        };
        let taking_part = groups.iter().zip(&turn.takes_part).filter(|(_, part)| **part);
        let owed_s: f64 = taking_part.map(|(group, _)| owed_s(group)).sum();
        share_s(self.left_s() - OPEN_SHARE * self.run.budget_s).max(owed_s).min(all_s)
    }

    /// The cells that a launch opens: those of its groups.
    pub(super) fn cells_of(&self, groups: &[Group], takes_part: &[bool]) -> Vec<CellRecord> {
        let mine = groups.iter().zip(takes_part).filter(|(_, takes_part)| **takes_part);
        let places = mine.flat_map(|(group, _)| group.units.iter().map(|unit| unit[0]));
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
