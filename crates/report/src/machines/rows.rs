//! An offer held against the reference, over all machines that have both.

use std::collections::BTreeMap;

use lab::study::fits_any;
use serde::Serialize;
use stats::{Alpha, Differences, Margin, OverUnits, Unit, Verdict};

use super::row_inputs::RowInputs;
use super::{
    ALPHA, Asked, Catalog, Group, GroupOver, Kind, MachinesError, Member, Place, Trait, Who,
};
use super::{groups, over, shared, together};
use crate::findings::series::LAUNCHES_MIN;

/// An offer at one length over all machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The group and the length that it is compared at.
    #[serde(flatten)]
    pub place: Place,
    /// The offer that is compared.
    #[serde(flatten)]
    pub who: Who,
    /// Time of the reference over its time, with interval, over machines.
    #[serde(flatten)]
    pub over: OverUnits,
    /// `p` adjusted for all rows (Benjamini and Yekutieli).
    pub p_adjusted: f64,
    /// What it amounts to, said of the offer.
    pub verdict: Verdict,
    /// `p_opposed` adjusted for all rows.
    pub p_opposed_adjusted: f64,
    /// Whether some machines have it faster and some slower, by more than chance.
    pub depends: bool,
    /// Where that is so, the machines of the fewer, by their numbers.
    pub disagree: Vec<usize>,
    /// What they have in common that others do not.
    pub in_common: Vec<Trait>,
    /// Machines told apart, where that was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupOver>,
    /// Chance of groups so far apart were there no difference, adjusted for all rows (Kruskal and
    /// Wallis); absent where groups are too few or too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_groups_adjusted: Option<f64>,
    /// Each machine's number and what it found.
    #[serde(skip)]
    pub units: Vec<(usize, Unit)>,
}

impl Row {
    /// The machines on the one side or the other, by their own launches.
    pub fn on_side(&self, side: i8) -> impl Iterator<Item = usize> + '_ {
        let alpha = Alpha::FIVE_PERCENT;
        self.units.iter().filter(move |it| it.1.side(alpha) == side).map(|it| it.0)
    }
}

/// Of each group what its offers are held against: what was asked, or the offer that most machines
/// have, and of these the fastest over all lengths.
pub(super) fn references(
    members: &[Member],
    catalog: &Catalog,
    asked: &Asked,
) -> Result<Vec<(Group, Who)>, MachinesError> {
    let mut groups: BTreeMap<Group, Vec<u32>> = BTreeMap::new();
    for (place, at) in catalog.places() {
        groups.entry(place.group).or_default().push(at);
    }
    let whos = catalog.whos();
    let wanted = |who: &Who| match &asked.against {
        Some(name) => who.name() == *name || who.mac == *name,
        None => true,
    };
    let mut all = Vec::new();
    for (group, places) in groups {
        let mut sums: BTreeMap<u32, (usize, f64)> = BTreeMap::new();
        for member in members {
            for own in places.iter().map(|place| member.at(*place)) {
                let middle = own.iter().map(|it| it.log_ns).sum::<f64>() / own.len().max(1) as f64;
                for timed in own {
                    let sum = sums.entry(timed.who).or_default();
                    *sum = (sum.0 + 1, sum.1 + timed.log_ns - middle);
                }
            }
        }
        let mean = |at: &u32| sums.get(at).map(|(count, sum)| (*count, sum / *count as f64));
        let known = whos.iter().filter(|(who, _)| wanted(who));
        let known = known.filter_map(|(who, at)| Some((who, mean(at)?)));
        let best = known.max_by(|x, y| x.1.0.cmp(&y.1.0).then(y.1.1.total_cmp(&x.1.1)));
        all.extend(best.map(|(who, _)| (group, who.clone())));
    }
    match (&asked.against, all.is_empty()) {
        (Some(name), true) => Err(MachinesError::NotMeasured { against: name.clone() }),
        (None, true) => Err(MachinesError::NoTimes),
        _ => Ok(all),
    }
}

/// All rows, by place and who.
pub(super) fn all(inputs: &RowInputs<'_>, references: &[(Group, Who)], asked: &Asked) -> Vec<Row> {
    let whos = inputs.catalog.whos();
    let number = |who: &Who| whos.iter().find(|it| it.0 == *who).map(|it| it.1);
    let mut rows = Vec::new();
    for (place, at) in inputs.catalog.places() {
        let reference = references.iter().find(|it| it.0 == place.group);
        let Some((reference, against)) = reference.and_then(|it| Some((&it.1, number(&it.1)?)))
        else {
            continue;
        };
        if !asked.sizes.is_empty() && !asked.sizes.contains(&place.len_bytes) {
            continue;
        }
        for (who, own) in whos.iter().filter(|(who, _)| who != reference) {
            if !asked.macs.is_empty() && !fits_any(&asked.macs, &who.mac) {
                continue;
            }
            let unit = |(number, kind): (usize, &Kind)| {
                let runs = kind.members.iter().filter_map(|&member| {
                    unit(&inputs.members[member], at, [*own, against], inputs.margin)
                });
                Some((number, Unit::joined(&runs.collect::<Vec<_>>())?))
            };
            let units: Vec<(usize, Unit)> =
                inputs.kinds.iter().enumerate().filter_map(unit).collect();
            let alone: Vec<Unit> = units.iter().map(|it| it.1).collect();
            if let Some(over) = over(&alone, inputs.margin) {
                rows.push(begun(place.clone(), who.clone(), over, units));
            }
        }
    }
    judge(&mut rows, inputs.margin);
    tell_apart(&mut rows, inputs, references, asked);
    rows
}

fn begun(place: Place, who: Who, over: OverUnits, units: Vec<(usize, Unit)>) -> Row {
    Row {
        place,
        who,
        over,
        p_adjusted: 1.0,
        verdict: Verdict::CannotConclude,
        p_opposed_adjusted: 1.0,
        depends: false,
        disagree: vec![],
        in_common: vec![],
        groups: vec![],
        p_groups_adjusted: None,
        units,
    }
}

/// What one run says of two offers: the reference's time over the offer's, launch by launch.
fn unit(member: &Member, place: u32, [own, reference]: [u32; 2], margin: Margin) -> Option<Unit> {
    let (own, reference) = (member.cell(place, own)?, member.cell(place, reference)?);
    let mut theirs = reference.launches.iter().peekable();
    let mut logs = Vec::with_capacity(own.launches.len());
    for (launch, log) in &own.launches {
        while theirs.next_if(|(other, _)| other < launch).is_some() {}
        logs.extend(theirs.next_if(|(other, _)| other == launch).map(|(_, other)| other - log));
    }
    Some(Unit::of(&Differences::from_values(logs).ok()?, margin))
}

/// Verdicts, all rows together.
fn judge(rows: &mut [Row], margin: Margin) {
    let adjusted = |p: &dyn Fn(&Row) -> f64| {
        let all: Vec<f64> = rows.iter().map(p).collect();
        stats::benjamini_yekutieli(&all).unwrap_or_default()
    };
    let sides = adjusted(&|row| row.over.p);
    let opposed = adjusted(&|row| row.over.p_opposed);
    for ((row, p), p_opposed) in rows.iter_mut().zip(sides).zip(opposed) {
        (row.p_adjusted, row.p_opposed_adjusted) = (p, p_opposed);
        row.depends = p_opposed <= ALPHA;
        row.verdict = match Verdict::of(row.over.interval.as_ref(), margin) {
            _ if row.over.n < LAUNCHES_MIN => Verdict::CannotConclude,
            _ if p <= ALPHA && row.over.is_above => Verdict::Faster,
            _ if p <= ALPHA => Verdict::Slower,
            // A row's own interval does not show a difference among many rows.
            Verdict::Faster | Verdict::Slower => Verdict::Undecided,
            other => other,
        };
    }
}

/// Who disagrees, what they have in common, and the groups that were asked for.
fn tell_apart(
    rows: &mut [Row],
    inputs: &RowInputs<'_>,
    references: &[(Group, Who)],
    asked: &Asked,
) {
    let places: BTreeMap<Place, u32> = inputs.catalog.places().into_iter().collect();
    let whos: BTreeMap<Who, u32> = inputs.catalog.whos().into_iter().collect();
    for row in rows.iter_mut() {
        let reference = references.iter().find(|it| it.0 == row.place.group).map(|it| &it.1);
        let (Some(reference), Some(&place)) = (reference, places.get(&row.place)) else {
            continue;
        };
        let numbers = [whos[&row.who], whos[reference]];
        let path = |kind: usize, who: usize| {
            let runs = inputs.kinds[kind].members.iter().map(|at| &inputs.members[*at]);
            let cells = runs.filter_map(|it| it.cell(place, numbers[who]));
            together(cells.map(|it| it.kernel.as_str()))
        };
        if row.depends {
            let fewer = if row.over.above >= row.over.below { -1 } else { 1 };
            let sides = [row.on_side(fewer).collect(), row.on_side(-fewer).collect()];
            row.in_common = shared::all(inputs.kinds, &sides, [&row.who, reference], path);
            let [disagree, _] = sides;
            row.disagree = disagree;
        }
        if let Some(by) = asked.by {
            let version = |kind: &Kind| kind.versions.get(&row.who.provider).cloned();
            row.groups = groups::all(by, &row.units, inputs, (&version, &|kind| path(kind, 0)));
        }
    }
    let apart: Vec<Option<f64>> =
        rows.iter().map(|row| groups::p(&row.groups, &row.units)).collect();
    let known: Vec<f64> = apart.iter().flatten().copied().collect();
    let mut adjusted = stats::benjamini_yekutieli(&known).unwrap_or_default().into_iter();
    for (row, p) in rows.iter_mut().zip(apart) {
        row.p_groups_adjusted = p.and_then(|_| adjusted.next());
    }
}
