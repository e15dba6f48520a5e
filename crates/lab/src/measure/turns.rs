//! What the next launch measures. First whole launches, as many as the study asks for and the
//! budget allows; then launches of those groups in which a claim is still open. When that is looked
//! at is fixed beforehand; see `docs/method.md`.

use std::collections::{BTreeMap, BTreeSet};

use super::workers::Workers;
use super::{MeasureError, Sitting};
use crate::race;
use crate::record::{CellRecord, EventKind, LaunchKind, Run};
use crate::schedule::{self, Extent, Group, Place, Room};
use crate::study::LAUNCHES_MIN;

/// Share of the budget that is kept for what is open after the whole launches.
const OPEN_SHARE: f64 = 0.4;

/// What is missing is asked for with this much to spare, and with what is kept for the end.
const SPARE_BUDGET: f64 = 1.2;

/// A run that leaves more than this share of its budget says why.
const LEFT_SHARE: f64 = 0.1;

/// A group whose block takes longer is not warmed up again in later launches: a start counts for
/// nothing beside it.
pub(super) const SETTLED_S: f64 = 1.0;

/// A launch to come.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// The groups that are measured, by place.
    pub(super) takes_part: Vec<bool>,
    pub(super) kind: LaunchKind,
    /// Launches in all, this one included, as far as can be told.
    pub(super) launches: u32,
}

impl Turn {
    pub(super) fn is_whole(&self) -> bool {
        self.kind == LaunchKind::Whole
    }

    /// `launch 2/12`; a total other than the one asked for is told with its reason.
    pub(super) fn words(&self, launch: u32, asked: u32) -> String {
        let (number, launches) = (launch + 1, self.launches);
        match self.kind {
            LaunchKind::Open => format!("launch {number}, for undecided claims"),
            LaunchKind::Lacking => format!("launch {number}, for intervals"),
            LaunchKind::Whole if launches < asked => {
                format!("launch {number}/{launches} ({launches} of {asked} fit the budget)")
            }
            LaunchKind::Whole => format!("launch {number}/{launches}"),
        }
    }
}

impl Sitting<'_> {
    /// What is left, and what a launch takes beside its blocks; whole ones make cold starts too.
    fn room(&self, groups: &[Group], is_whole: bool) -> Room {
        // Until it was seen: starting and opening, and an untimed turn of a quarter of the calls.
        let costs_s = groups.iter().map(|group| group.cost_s);
        let turned_s: f64 = costs_s.filter(|&cost_s| cost_s <= SETTLED_S).sum();
        let overhead_s = self.overhead_s.unwrap_or(0.25 + 0.5 * turned_s) + self.proof_s();
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
        self.race(groups, launch, launches)?;
        if launch == 1 && self.run.study.gate.is_some() {
            self.tell_whether_a_look_fits(groups)?;
        } else if launch == 1 && self.keeps_some() {
            self.tell_what_does_not_fit(groups, launches)?;
        }
        if launch < launches
            && self.looked_at.is_none()
            && let Some(turn) = self.whole_again(groups, launch, launches)
        {
            return Ok(Some(turn));
        }
        if launch > 0 && !self.run.study.exact && self.bench.open.is_some() {
            // A gate has its values at its looks.
            if self.looked_at.is_none()
                && self.run.study.gate.is_none()
                && let Some(turn) = self.lacking_turn(groups, launch, launches)
            {
                return Ok(Some(turn));
            }
            let turn = self.open_turn(groups, launch)?;
            if turn.is_some() {
                return Ok(turn);
            }
        }
        self.measure_all(groups);
        Ok(self.whole_again(groups, launch, launches))
    }

    /// From now on blocks measure all that has not left.
    fn measure_all(&self, groups: &mut [Group]) {
        let has_left = |id: u32| self.left.as_ref().is_some_and(|left| left.contains(&id));
        for group in groups {
            let stays: Vec<bool> =
                group.units.iter().map(|unit| !has_left(self.run.cells[unit[0]].id)).collect();
            if group.narrow(&self.run.cells, |unit| stays[unit]) {
                group.cost_s = self.costs.block_s(group, &self.run.cells);
            }
        }
    }

    /// After the first look, and where there is no time for as many launches of everything as are
    /// asked for, with [`race::BLOCKS`] blocks in each, those leave that are far behind. A run that
    /// goes on keeps to what was decided.
    fn race(
        &mut self,
        groups: &mut [Group],
        launch: u32,
        launches: u32,
    ) -> Result<(), MeasureError> {
        let Some(factor) = self.run.study.race.filter(|_| launch > race::LOOK) else {
            return Ok(());
        };
        let is_decided =
            self.left.is_some() || self.run.samples.iter().any(|it| it.launch > race::LOOK);
        let known = race::left(self.run);
        let leavers = |sitting: &Self| {
            let Run { study, cells, samples, .. } = &*sitting.run;
            race::leavers(factor, study, cells, samples, |it| sitting.is_dropped(it))
        };
        let left = if is_decided {
            // Those come back whose leader was wrong, or ended.
            leavers(self).intersection(&known).copied().collect()
        } else {
            let Some(turn) = self.whole_turn(groups, launch, launches) else { return Ok(()) };
            let is_all = turn.launches >= launches && !turn.takes_part.contains(&false);
            let Room { left_s, overhead_s, .. } = self.room(groups, true);
            let blocks_s = race::BLOCKS * schedule::round_s(groups, &turn.takes_part);
            let all_s = f64::from(launches.saturating_sub(launch)) * (overhead_s + blocks_s);
            if is_all && all_s <= left_s { BTreeSet::new() } else { leavers(self) }
        };
        if !left.is_empty() && !is_decided {
            let (gone, all) = (left.len(), self.run.cells.len());
            let behind = match self.run.study.workload {
                None => "another offer of the same MAC",
                Some(_) => "the fastest of their class, and lead at no length",
            };
            let text = format!(
                "after a first look {gone} of {all} cells are not measured further: they took more \
                 than {factor} × the time of {behind}"
            );
            self.tell(EventKind::Race, text)?;
        }
        let Run { id, cells, .. } = &mut *self.run;
        let mut changed = Vec::new();
        for record in cells.iter_mut().filter(|it| it.has_left != left.contains(&it.id)) {
            record.has_left = left.contains(&record.id);
            changed.push(record.clone());
        }
        if !changed.is_empty() {
            self.bench.archive.change_cells(id, &changed)?;
        }
        self.left = Some(left);
        self.measure_all(groups);
        Ok(())
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
        let more = left().any(|group| group.wants_more(half_width, launches));
        more && (launch < launches || !has_free)
            || (launch < launches && self.has_cold_starts())
            || (has_free && launch < launches.min(LAUNCHES_MIN + self.looks(launch)))
    }

    /// Launches behind this one that nothing is told by: a first look after which some left.
    fn looks(&self, launch: u32) -> u32 {
        let is_raced = self.left.as_ref().is_some_and(|left| !left.is_empty());
        u32::from(is_raced && launch > race::LOOK)
    }

    /// A launch of those groups that can have as many launches as an interval needs in the time
    /// that is left and have fewer, though the whole launches are over: they were left out for want
    /// of room, and there is more than was foreseen.
    fn lacking_turn(&self, groups: &[Group], launch: u32, launches: u32) -> Option<Turn> {
        let Room { left_s, overhead_s, .. } = self.room(groups, false);
        let lacks: Vec<u32> = groups
            .iter()
            .map(|it| if self.has_candidates(it) { it.lacks(launches) } else { 0 })
            .collect();
        let takes_part = schedule::affordable(groups, &lacks, left_s, overhead_s);
        let taking_part = lacks.iter().zip(&takes_part).filter(|(_, part)| **part);
        let coming = taking_part.map(|(lacks, _)| *lacks).max()?;
        Some(Turn { takes_part, kind: LaunchKind::Lacking, launches: launch + coming })
    }

    /// The next launch of everything that there is room for.
    fn whole_turn(&self, groups: &[Group], launch: u32, launches: u32) -> Option<Turn> {
        self.whole_within(self.room(groups, true), groups, launch, launches)
    }

    /// The same for one whose workers are warm: what that took is spent.
    pub(super) fn whole_begun(&self, groups: &[Group], launch: u32, launches: u32) -> Option<Turn> {
        let room = self.room(groups, true);
        let left_s = room.left_s + self.overhead_s.unwrap_or(0.0);
        self.whole_within(Room { left_s, ..room }, groups, launch, launches)
    }

    fn whole_within(
        &self,
        room: Room,
        groups: &[Group],
        launch: u32,
        launches: u32,
    ) -> Option<Turn> {
        let looks = self.looks(launch);
        let Extent { launches: coming, mut takes_part } =
            schedule::whole(groups, launches - looks, launch - looks, room);
        let coming = coming.max(self.launches_of_workload(launch));
        for (takes_part, group) in takes_part.iter_mut().zip(groups) {
            *takes_part &= self.has_candidates(group) && !group.is_fulfilled(launches);
        }
        let round_s = schedule::round_s(groups, &takes_part);
        let fits = launch == 0 || room.overhead_s + round_s <= room.left_s;
        let is_any = launch == 0 || takes_part.contains(&true) || self.has_cold_starts();
        (fits && is_any).then_some(Turn {
            takes_part,
            kind: LaunchKind::Whole,
            launches: launch + coming,
        })
    }

    /// Launches still to come of those that the answer for a workload needs: the first look, which
    /// leaves few to be measured on, and as many as an interval needs. By what everything costs
    /// there may seem to be no room for them.
    fn launches_of_workload(&self, launch: u32) -> u32 {
        let needed = self.run.study.workload.as_ref().map_or(0, |_| 1 + LAUNCHES_MIN);
        needed.min(self.run.study.launches).saturating_sub(launch)
    }

    /// Groups in which something is open, by the last look at it: of these what is compared.
    fn open_turn(
        &mut self,
        groups: &mut [Group],
        launch: u32,
    ) -> Result<Option<Turn>, MeasureError> {
        let room = self.room(groups, false);
        if self.is_look(launch) {
            self.looked_at = Some(launch);
            self.going_on = self.still_open(groups, room);
            self.tell_going_on(launch)?;
        }
        let since = launch - self.looked_at.unwrap_or(launch);
        // When all have had the launches that were expected to decide them, the time that is left
        // goes to all of them again.
        let is_any_due = self.going_on.values().any(|&launches| since < launches);
        let mut takes_part = Vec::new();
        for (number, group) in groups.iter_mut().enumerate() {
            let launches = |unit: usize| self.going_on.get(&(number, unit));
            let is_wanted = |unit: usize| {
                launches(unit).is_some_and(|&launches| !is_any_due || since < launches)
            };
            let is_any = group.narrow(&self.run.cells, is_wanted);
            takes_part.push(is_any && self.has_candidates(group));
            if is_any {
                group.cost_s = self.costs.block_s(group, &self.run.cells);
            }
        }
        let each_s = room.overhead_s + schedule::round_s(groups, &takes_part);
        let is_beyond_reach = self.is_beyond_reach(groups, &takes_part, launch);
        if !takes_part.contains(&true) || each_s > room.left_s || is_beyond_reach {
            return Ok(None);
        }
        // As long in blocks as in starting workers: more blocks would be worth less than launches.
        let coming = (room.left_s / each_s.max(2.0 * room.overhead_s)).floor().max(1.0) as u32;
        Ok(Some(Turn { takes_part, kind: LaunchKind::Open, launches: launch + coming }))
    }

    fn tell_going_on(&mut self, launch: u32) -> Result<(), MeasureError> {
        let candidates = self.going_on.len();
        if candidates == 0 || self.run.study.gate.is_some() {
            return Ok(());
        }
        let sets: BTreeSet<usize> = self.going_on.keys().map(|place| place.0).collect();
        let text = format!(
            "after {}, {} in {} of cells {} measured further, for claims that are not decided",
            words::counted(launch, "launch"),
            words::counted(candidates, "candidate"),
            words::counted(sets.len(), "set"),
            words::is_are(candidates)
        );
        self.tell(EventKind::Claims, text)
    }

    /// After the first launch it is known what blocks take: whether the budget has room for the
    /// launches that intervals need of all that claims compare.
    fn tell_what_does_not_fit(
        &mut self,
        groups: &[Group],
        launches: u32,
    ) -> Result<(), MeasureError> {
        let missing_s = schedule::missing_s(groups, launches, 1, self.room(groups, true));
        if missing_s == 0.0 {
            return Ok(());
        }
        let budget_s = self.run.budget_s;
        let enough_s = ((budget_s + missing_s * SPARE_BUDGET) / 10.0).ceil() * 10.0;
        let text = format!(
            "{budget_s:.0} s do not allow the {LAUNCHES_MIN} launches that an interval needs for \
             everything that claims compare; what decides most claims per second comes first. \
             --budget {enough_s:.0} would allow all of it"
        );
        self.tell(EventKind::Budget, text)
    }

    /// Why a run with claims does not use all of its time, where it leaves more than a little.
    pub(super) fn tell_why_it_ends(&mut self, groups: &[Group]) -> Result<(), MeasureError> {
        let study = &self.run.study;
        let is_asked = !study.exact && study.gate.is_none();
        let Some(open) = self.bench.open.filter(|_| is_asked) else { return Ok(()) };
        let (spent_s, budget_s) = (self.spent_s(), self.run.budget_s);
        if spent_s >= budget_s * (1.0 - LEFT_SHARE) {
            return Ok(());
        }
        let open = open(self.run);
        let decidable = open.iter().filter(|it| it.launches_needed.is_some()).count();
        let why = match (open.len(), decidable) {
            (0, _) => "every comparison that a claim rests on is decided".to_owned(),
            (all, 0) => format!(
                "{all} comparisons remain undecided and, as far as can be seen, more launches \
                 would not decide them"
            ),
            (_, some) => {
                let launch_s = self.room(groups, false).overhead_s;
                format!(
                    "{some} comparisons remain undecided, and the time left is too short for \
                     another launch, which takes {launch_s:.1} s plus its blocks"
                )
            }
        };
        self.tell(EventKind::Claims, format!("ends after {spent_s:.0} of {budget_s:.0} s: {why}"))
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
        let to_start_s =
            (coming - 1.0) * (self.overhead_s.unwrap_or(0.0) + self.proof_s() + self.cold_s);
        let share_s = |left_s: f64| ((left_s - to_start_s) / coming).max(0.0);
        let all_s = share_s(self.left_s());
        if let Some(own_s) = self.gate_share_s(groups, &turn.takes_part) {
            return own_s.min(all_s);
        }
        // Too few launches for intervals make use of all the time.
        let is_enough = turn.launches >= LAUNCHES_MIN.min(self.run.study.launches);
        if !(turn.is_whole() && is_enough && self.keeps_some()) {
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
    pub(super) fn end(
        &mut self,
        workers: &mut Workers,
        launch: u32,
        next: Option<&Turn>,
    ) -> Result<(), MeasureError> {
        use super::ledger::Task;
        let goes_on = next.is_some_and(Turn::is_whole);
        self.ledger.turn_to(Task::Proving);
        let begins_s = self.spent_s();
        self.prove_again(workers, launch, !goes_on)?;
        self.reserve.last_proof_s = Some(self.spent_s() - begins_s);
        if !goes_on && !self.bench.observer.stop() {
            self.ledger.turn_to(Task::SingleCalls);
            self.single_calls(workers)?;
        }
        self.hear(workers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_of_launches_than_asked_for_is_told_with_its_reason() {
        let turn = |launches, kind| Turn { takes_part: vec![], kind, launches };
        assert_eq!(turn(12, LaunchKind::Whole).words(0, 12), "launch 1/12");
        assert_eq!(turn(7, LaunchKind::Whole).words(1, 12), "launch 2/7 (7 of 12 fit the budget)");
        assert_eq!(turn(15, LaunchKind::Whole).words(12, 12), "launch 13/15");
        assert_eq!(turn(40, LaunchKind::Open).words(12, 12), "launch 13, for undecided claims");
    }
}
