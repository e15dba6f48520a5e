//! Which cells meet: part × regime × key life × panel × case, and within it each message size.

use std::collections::BTreeMap;

use lab::cell::{KeyLife, Regime};
use lab::plan::{is_floor, is_own_floor};
use lab::record::{Chosen, Run, RunState};
use lab::study::{Case, Choose, Panel, Rows, View, fits_any};

use super::series::{LAUNCHES_MIN, Series};
use super::{
    CellFinding, Findings, Group, Levels, RankRow, SizeFinding, Unit, better, condition_words,
    crossings, key_life_words, paper, ranks, taken_apart,
};
use crate::format;
use crate::regimes::{Set, room};

/// Places without intervals that are named; the others are counted.
const PLACES_MAX: usize = 3;

/// Every group that has a cell.
pub(super) fn all(
    run: &Run,
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<Group> {
    let fill =
        |frame: Group, whose: (&Panel, &Case)| filled(run, frame, whose, cells, series, levels);
    frames(run, fill)
}

/// The same with the cells that meet and nothing told of them: all that claims need.
pub(super) fn of_claims(run: &Run, cells: &[CellFinding]) -> Vec<Group> {
    frames(run, |mut group, whose| {
        let (by_size, _) = meeting(run, &group, whose, cells);
        let size = |(len_bytes, places): (u64, Vec<usize>)| SizeFinding {
            len_bytes,
            floor: None,
            ranking: places.into_iter().map(ranks::unranked).collect(),
            better: vec![],
            recommended: None,
            in_use: None,
            tests: None,
        };
        group.sizes = by_size.into_iter().map(size).collect();
        (!group.sizes.is_empty()).then_some(group)
    })
}

/// Every group that there may be, with nothing in it.
pub(crate) fn empty(run: &Run) -> Vec<Group> {
    frames(run, |group, _| Some(group))
}

/// Every group that `fill` makes something of.
fn frames(run: &Run, fill: impl Fn(Group, (&Panel, &Case)) -> Option<Group>) -> Vec<Group> {
    let mut groups = Vec::new();
    for (number, part) in run.study.parts.iter().enumerate() {
        let frame = |panel: &Panel, case: &Case, key_life: KeyLife, regime: Regime| Group {
            name: slug(&[
                &part.name,
                &panel.name,
                &case.name,
                key_life.name(),
                &regime.to_string(),
            ]),
            part: number,
            part_title: part.title.clone(),
            regime,
            key_life,
            panel: panel.name.clone(),
            panel_title: panel.title.clone(),
            case: case.name.clone(),
            case_title: case.title.clone(),
            lines_only: part.lines_only,
            views: part.views.clone(),
            rows: part.rows,
            sizes: vec![],
            crossovers: vec![],
            tests: None,
            taken_apart: vec![],
        };
        for panel in &run.study.panels {
            for case in &part.cases {
                for &key_life in &part.key_lives {
                    for &regime in &part.regimes {
                        let group = frame(panel, case, key_life, regime);
                        groups.extend(fill(group, (panel, case)));
                    }
                }
            }
        }
    }
    groups
}

fn filled(
    run: &Run,
    mut group: Group,
    whose: (&Panel, &Case),
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Option<Group> {
    let (by_size, floors) = meeting(run, &group, whose, cells);
    if by_size.is_empty() {
        return None;
    }
    // Transactions have box plots and intervals; their papers have no such tests.
    let tested = whose.1.tested && group.is_alone();
    let pairs = group.views.contains(&View::BetterThan);
    group.sizes = by_size
        .into_iter()
        .map(|(len_bytes, places)| {
            let ranking = ranks::of(&places, cells, series, levels);
            SizeFinding {
                len_bytes,
                floor: floors.get(&len_bytes).copied(),
                better: if pairs { better::of(&ranking, series, levels) } else { vec![] },
                ranking,
                recommended: among(&places, cells, series, levels, |it| it.caution.is_none()),
                in_use: among(&places, cells, series, levels, |it| {
                    it.caution.is_none() && run.study.named.contains(&it.cell.candidate.mac)
                }),
                tests: (tested && group.rows == Rows::Blocks)
                    .then(|| paper::of_blocks(&places, cells, series, levels))
                    .flatten(),
            }
        })
        .collect();
    if tested && group.rows == Rows::Sizes {
        group.tests = paper::of_sizes(&group.sizes, cells, levels);
    }
    group.crossovers = crossings::of(&group.sizes, cells, series, levels, &run.study.named);
    group.taken_apart = taken_apart::of(run, &group, cells, series, levels);
    Some(group)
}

/// By length, the cells that are compared in a group; and the floor.
type Meeting = (BTreeMap<u64, Vec<usize>>, BTreeMap<u64, usize>);

fn meeting(run: &Run, group: &Group, whose: (&Panel, &Case), cells: &[CellFinding]) -> Meeting {
    let mut by_size: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut floors: BTreeMap<u64, usize> = BTreeMap::new();
    for (place, finding) in cells.iter().enumerate() {
        let (cell, len_bytes) = (&finding.cell, finding.cell.len_bytes);
        let own = (cell.key_life, cell.regime) == (group.key_life, group.regime);
        if finding.part != group.part {
            continue;
        }
        if is_own_floor(&cell.candidate) {
            // A call that does nothing needs no key: it may be measured in one key life for all.
            if own || !floors.contains_key(&len_bytes) {
                floors.insert(len_bytes, place);
            }
        } else if own && !is_floor(&cell.candidate.mac) && belongs(run, whose, finding) {
            by_size.entry(len_bytes).or_default().push(place);
        }
    }
    (by_size, floors)
}

/// The ranking among those that are wanted; absent where that is all of them, or none.
fn among(
    places: &[usize],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
    wanted: impl Fn(&CellFinding) -> bool,
) -> Option<Vec<RankRow>> {
    let own: Vec<usize> = places.iter().copied().filter(|&at| wanted(&cells[at])).collect();
    let is_other = !own.is_empty() && own.len() < places.len();
    is_other.then(|| ranks::of(&own, cells, series, levels))
}

/// Whether a cell speaks in a panel for a case.
fn belongs(run: &Run, (panel, case): (&Panel, &Case), finding: &CellFinding) -> bool {
    let (cell, candidate) = (&finding.cell, &finding.cell.candidate);
    let key = match case.key_len_bytes {
        Some(len) => cell.key_len_bytes == len,
        None => cell.usual_key,
    };
    let is_in = panel.is_in(&run.study.parts[finding.part]) && panel.speaks_at(cell.len_bytes);
    let speaks = match panel.choose {
        Choose::All => panel.takes(&candidate.provider),
        Choose::Fastest => {
            let part = &run.study.parts[finding.part].name;
            let is_of = |it: &Chosen| it.is_of(&panel.name, part, cell.key_life, candidate);
            run.chosen.iter().any(is_of)
        }
    };
    key && is_in && speaks && fits_any(&case.macs, &candidate.mac)
}

/// What must be said about the run as a whole.
pub(super) fn warnings(run: &Run, cells: &[CellFinding], groups: &[Group]) -> Vec<String> {
    let mut warnings = Vec::new();
    match run.state {
        RunState::Complete => {}
        RunState::Interrupted => warnings.push(
            "The run was interrupted before its plan was complete: `run --resume` continues it"
                .into(),
        ),
        RunState::Open => {
            warnings.push("The run has not ended: it is still being measured, or was killed".into())
        }
    }
    let over_blocks = cells.iter().filter(|it| it.interval_ns.is_some());
    let (few, enough): (Vec<&CellFinding>, Vec<&CellFinding>) =
        over_blocks.partition(|it| it.unit == Unit::Block);
    if !few.is_empty() {
        let some = if enough.is_empty() { "All" } else { "Some" };
        warnings.push(format!(
            "{some} cells have fewer than {LAUNCHES_MIN} launches: their intervals and pairs are \
             over blocks and do not include how launches differ"
        ));
    }
    warnings.extend(without_intervals(cells, groups));
    let crowded = |group: &Group| {
        let case = run.study.parts[group.part].cases.iter().find(|case| case.name == group.case);
        case.is_some_and(|case| case.tested)
            && group.is_alone()
            && group.sizes.iter().any(|size| size.ranking.len() > paper::COLUMNS_MAX)
    };
    if run.study.source.is_some() && groups.iter().any(crowded) {
        warnings.push(format!(
            "The paper's tests are omitted where more than {} candidates are compared",
            paper::COLUMNS_MAX
        ));
    }
    // The floor of a call says nothing of a transaction, nor of sessions.
    let mut calls = groups.iter().filter(|group| group.is_alone());
    if calls.any(|group| group.sizes.iter().any(|size| size.floor.is_none())) {
        warnings.push("The floor (a call that does nothing) was not measured everywhere".into());
    }
    warnings
}

/// Where there are too few repetitions for intervals, and how many there are.
fn without_intervals(cells: &[CellFinding], groups: &[Group]) -> Option<String> {
    let mut places = Vec::new();
    for group in groups.iter().filter(|group| !group.is_part()) {
        for size in &group.sizes {
            let own = size.ranking.iter().map(|row| &cells[row.cell]);
            let own = own.filter(|it| it.samples > 0 && it.interval_ns.is_none() && !it.has_left);
            let Some(most) = own.max_by_key(|it| it.samples) else { continue };
            let len = format::bytes(size.len_bytes);
            let place = format!("{}, {len} ({})", group.part_title, most.repetitions());
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let more = places.len().saturating_sub(PLACES_MAX);
    places.truncate(PLACES_MAX);
    if more > 0 {
        places.push(format!("{more} more"));
    }
    let places = places.join("; ");
    (!places.is_empty()).then(|| format!("Too few repetitions for intervals: {places}"))
}

/// With which names of groups begin, so that they are no others in a page.
const OF_GROUP: &str = "g-";

/// Letters, digits and dashes; what else names hold becomes a dash.
pub(crate) fn slug(parts: &[&str]) -> String {
    let joined = parts.join("-").to_lowercase();
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("{OF_GROUP}{}", joined.chars().map(safe).collect::<String>())
}

/// The name of a group where there are names of groups only.
pub(crate) fn without_mark(slug: &str) -> &str {
    slug.trim_start_matches(OF_GROUP)
}

impl Group {
    /// `256 B · key prepared` and the like, without what all groups share.
    #[must_use]
    pub fn context(&self) -> String {
        condition_words(self.key_life, self.regime)
    }

    /// The set in which it is told, where it is not told by itself.
    #[must_use]
    pub fn set(&self) -> Option<Set> {
        room(&self.regime).set(&self.views)
    }

    /// Whether it is told by itself.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.set().is_none()
    }

    /// Whether it is told within another group of its set.
    #[must_use]
    pub fn is_part(&self) -> bool {
        self.set().is_some_and(|it| it.is_part)
    }

    /// Whether it has a ranking of its own.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.set().is_none_or(|it| it.is_ranked)
    }
}

impl Findings {
    /// What a group is called where several are shown: what distinguishes it from the others. In
    /// `full` with its part, and with its conditions where all share them.
    pub(crate) fn label(&self, group: &Group, full: bool) -> String {
        let differs = |of: &dyn Fn(&Group) -> bool| self.groups.iter().any(of);
        let mut words = Vec::new();
        if full && differs(&|it| it.part != group.part) {
            words.push(group.part_title.clone());
        }
        if differs(&|it| it.case != group.case) {
            words.push(group.case_title.clone());
        }
        let life = key_life_words(group.key_life);
        let several = differs(&|it| it.key_life != group.key_life);
        if full || several || words.is_empty() || differs(&|it| it.regime != group.regime) {
            words.push(match group.set() {
                None => group.context(),
                Some(set) if !several => set.words.into(),
                Some(set) if !set.is_one => format!("{life}, {}", set.words),
                // Its tables say what they are of.
                Some(_) if full => life.into(),
                Some(set) => format!("{}, {life}", set.words),
            });
        }
        if differs(&|it| it.panel != group.panel) {
            words.push(group.panel_title.clone());
        }
        words.join(" · ")
    }
}
