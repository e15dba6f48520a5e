//! The race for somebody's messages: between all macs of a class, by what a message takes.

use std::collections::{BTreeMap, BTreeSet};

use words::{KeyLife, ProviderName};

use super::Seen;
use crate::cell::{Candidate, Regime};
use crate::plan::is_floor;
use crate::record::CellRecord;
use crate::study::{Class, Workload, under_key};

/// So many of a class stay however far they are behind, and the first of another provider, of those
/// that each caller can use, and of one message at a time: there is a runner-up, and an answer for
/// who cannot have the first.
const STAY_MIN: usize = 2;

/// The calls of one candidate, by the length of the message.
type Calls = BTreeMap<(u64, KeyLife), Seen>;

/// A candidate, one message at a time or in batches: each races by itself.
type Way<'a> = (&'a Candidate, Regime);

/// Numbers of the cells of those who are in no class within reach of the fastest: whose least time
/// for a message is more than `factor` times the greatest of the fastest, and who lead at no single
/// length either, with a key kept or a new one.
pub(super) fn leavers(
    factor: f64,
    workload: &Workload,
    judged: &[(&CellRecord, Seen)],
) -> BTreeSet<u32> {
    let mut calls: BTreeMap<Way<'_>, Calls> = BTreeMap::new();
    let raced = judged.iter().filter(|(record, _)| !is_floor(&record.cell.candidate.mac));
    for (record, seen) in raced.clone() {
        let cell = &record.cell;
        let own = calls.entry((&cell.candidate, cell.regime)).or_default();
        own.insert((cell.len_bytes, cell.key_life), *seen);
    }
    let mut stay: BTreeSet<Way<'_>> = calls
        .keys()
        .filter(|it| workload.now.as_ref().is_some_and(|now| now.is(it.0)))
        .copied()
        .collect();
    // Nobody leaves of whom the look does not tell what a message takes.
    stay.extend(calls.iter().filter(|(_, own)| least(workload, own).is_none()).map(|it| *it.0));
    for class in &workload.classes {
        stay.extend(within_reach(factor, workload, class, &calls));
        stay.extend(leaders(workload, class, &calls));
    }
    let has_left = |(record, _): &&(&CellRecord, Seen)| {
        !stay.contains(&(&record.cell.candidate, record.cell.regime))
    };
    raced.filter(has_left).map(|(record, _)| record.id).collect()
}

/// The least that a message takes, by the look; absent where some calls were not seen in it.
fn least(workload: &Workload, own: &Calls) -> Option<f64> {
    workload.message(|len, life| own.get(&(len, life)).map(|seen| seen.least_ns))
}

/// Those of a class who may be the fastest for all messages, the two that seem so, and the first of
/// each kind that always stays.
fn within_reach<'a>(
    factor: f64,
    workload: &Workload,
    class: &Class,
    calls: &BTreeMap<Way<'a>, Calls>,
) -> Vec<Way<'a>> {
    let most =
        |own: &Calls| workload.message(|len, life| own.get(&(len, life)).map(|it| it.most_ns));
    let own = calls.iter().filter(|(way, _)| class.has(&way.0.mac));
    let mut known: Vec<(Way<'_>, f64, f64)> =
        own.filter_map(|(&way, own)| Some((way, least(workload, own)?, most(own)?))).collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let lead_ns = known.iter().map(|it| it.2).fold(f64::INFINITY, f64::min);
    let library = |way: &Way<'_>| ProviderName::of(&way.0.provider).code_base().to_owned();
    let first = known.first().map(|it| library(&it.0));
    let mut firsts = vec![
        known.iter().position(|it| Some(library(&it.0)) != first),
        known.iter().position(|it| it.0.1 == Regime::USUAL),
    ];
    firsts.extend(
        workload
            .callers
            .iter()
            .map(|caller| known.iter().position(|it| caller.providers.contains(&it.0.0.provider))),
    );
    let stays = |(at, it): &(usize, &(Way<'_>, f64, f64))| {
        *at < STAY_MIN || firsts.contains(&Some(*at)) || it.1 <= factor * lead_ns
    };
    known.iter().enumerate().filter(stays).map(|(_, it)| it.0).collect()
}

/// Who of a class is first at each length alone.
fn leaders<'a>(
    workload: &Workload,
    class: &Class,
    calls: &BTreeMap<Way<'a>, Calls>,
) -> BTreeSet<Way<'a>> {
    let mut leaders = BTreeSet::new();
    for length in &workload.lengths {
        for messages in [None, Some(1), workload.messages_per_key] {
            let least = |own: &Calls| {
                let time = |life| own.get(&(length.len_bytes, life)).map(|seen| seen.least_ns);
                under_key(messages, time)
            };
            let own = calls.iter().filter(|(way, _)| class.has(&way.0.mac));
            let timed = own.filter_map(|(&way, own)| Some((way, least(own)?)));
            leaders.extend(timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|it| it.0));
        }
    }
    leaders
}
