//! What the machines have in common that disagree with the others: instructions, vendor,
//! generation, hypervisor, versions of providers, code paths. Each is tested by itself (Fisher's
//! exact test), all of a row together (Holm). It explains nothing by itself: what occurs together
//! may have another cause.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{ALPHA, Kind, Who};

/// Most that are told of one row.
const TOLD_MAX: usize = 3;

/// Names of one thing that are told.
const NAMES_MAX: usize = 2;

/// Something that those who disagree have, and others less often.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trait {
    /// What: `without vaes`, `openssl 3.0.15`.
    pub what: String,
    /// How many of those who disagree have it, and how many they are.
    pub of_disagreeing: [usize; 2],
    /// The same of the others.
    pub of_others: [usize; 2],
    /// Chance of such a table were there no connection, adjusted for all that was looked at.
    pub p_adjusted: f64,
}

/// Something that a machine has, by its name; in the order of these.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thing {
    words: String,
    is_of_instructions: bool,
}

/// What machines of the first side have and of the second have not.
pub(super) fn all(
    kinds: &[Kind],
    sides: &[Vec<usize>; 2],
    whos: [&Who; 2],
    path: impl Fn(usize, usize) -> Option<String>,
) -> Vec<Trait> {
    let things = things(kinds, sides, whos, path);
    let totals = [sides[0].len(), sides[1].len()];
    let counts = |having: &[bool]| {
        let (one, other) = having.split_at(totals[0]);
        [one, other].map(|side| side.iter().filter(|it| **it).count())
    };
    let is_told = |having: &&Vec<bool>| having.contains(&true) && having.contains(&false);
    let is_first = |having: &&Vec<bool>| {
        // Of a thing and its opposite the one that those who disagree have more often.
        let [one, other] = counts(having);
        one * totals[1] > other * totals[0]
    };
    let all: Vec<&Vec<bool>> = things.keys().filter(is_told).filter(is_first).collect();
    let p = |having: &&Vec<bool>| {
        let [one, other] = counts(having);
        let row = |with: usize, total: usize| [with as u64, (total - with) as u64];
        stats::fisher_p([row(one, totals[0]), row(other, totals[1])])
    };
    let adjusted = stats::holm(&all.iter().map(p).collect::<Vec<_>>()).unwrap_or_default();
    let mut told: Vec<Trait> = all
        .into_iter()
        .zip(adjusted)
        .filter(|it| it.1 <= ALPHA)
        .map(|(having, p_adjusted)| {
            let [one, other] = counts(having);
            let mut names = things[having].clone();
            // Instructions say more than the models that have them.
            names.sort_by_key(|name| !name.is_of_instructions);
            names.truncate(NAMES_MAX);
            let words: Vec<&str> = names.iter().map(|name| &*name.words).collect();
            Trait {
                what: words.join(", "),
                of_disagreeing: [one, totals[0]],
                of_others: [other, totals[1]],
                p_adjusted,
            }
        })
        .collect();
    let share = |[some, all]: [usize; 2]| some as f64 / all.max(1) as f64;
    let lead = |it: &Trait| share(it.of_disagreeing) - share(it.of_others);
    told.sort_by(|x, y| lead(y).total_cmp(&lead(x)).then(x.p_adjusted.total_cmp(&y.p_adjusted)));
    told.truncate(TOLD_MAX);
    told
}

/// What there is to have, by which machines of both sides have it. What the same machines have, or
/// have not, is one thing by several names, and tested once.
fn things(
    kinds: &[Kind],
    [first, second]: &[Vec<usize>; 2],
    whos: [&Who; 2],
    path: impl Fn(usize, usize) -> Option<String>,
) -> BTreeMap<Vec<bool>, Vec<Thing>> {
    let features: BTreeSet<&String> = kinds.iter().flat_map(|it| &it.traits.features).collect();
    let both: Vec<usize> = first.iter().chain(second).copied().collect();
    let mut having: BTreeMap<Thing, Vec<bool>> = BTreeMap::new();
    for (at, &machine) in both.iter().enumerate() {
        for thing in things_of(&kinds[machine], &features, whos, |who| path(machine, who)) {
            having.entry(thing).or_insert_with(|| vec![false; both.len()])[at] = true;
        }
    }
    let mut things: BTreeMap<Vec<bool>, Vec<Thing>> = BTreeMap::new();
    for (thing, having) in having {
        things.entry(having).or_default().push(thing);
    }
    things
}

fn things_of(
    kind: &Kind,
    features: &BTreeSet<&String>,
    whos: [&Who; 2],
    path: impl Fn(usize) -> Option<String>,
) -> BTreeSet<Thing> {
    let traits = &kind.traits;
    let has = |feature: &&&String| traits.features.contains(feature);
    let instructions = features
        .iter()
        .map(|it| if has(&it) { format!("with {it}") } else { format!("without {it}") });
    let mut words: Vec<String> = Vec::new();
    words.extend(traits.vendor.iter().map(|it| format!("vendor {it}")));
    words.extend(traits.generation.iter().map(|it| format!("family and model {it}")));
    words.push(match &traits.hypervisor {
        Some(name) => format!("under {name}"),
        None => "no hypervisor".into(),
    });
    for (at, who) in whos.into_iter().enumerate() {
        let version = kind.versions.get(&who.provider);
        words.extend(version.map(|version| format!("{} {version}", who.provider)));
        words.extend(path(at).map(|kernel| format!("{} by {kernel}", who.name())));
    }
    let thing = |is_of_instructions| move |words| Thing { words, is_of_instructions };
    instructions.map(thing(true)).chain(words.into_iter().map(thing(false))).collect()
}
