//! What the machines have in common that disagree with the others: instructions, vendor,
//! generation, hypervisor, versions of providers, code paths. Each is tested by itself (Fisher's
//! exact test), all of a row together (Holm). It explains nothing by itself: what occurs together
//! may have another cause.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{ALPHA, Kind, Who};

/// Most that are told of one row.
const TOLD_MAX: usize = 3;

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

/// What machines of the first side have and of the second have not.
pub(super) fn all(
    kinds: &[Kind],
    sides: &[Vec<usize>; 2],
    whos: [&Who; 2],
    path: impl Fn(usize, usize) -> Option<String>,
) -> Vec<Trait> {
    let mut has: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let features: BTreeSet<&String> = kinds.iter().flat_map(|it| &it.traits.features).collect();
    for (side, machines) in sides.iter().enumerate() {
        for &machine in machines {
            let own = words(&kinds[machine], &features, whos, |who| path(machine, who));
            for word in own {
                has.entry(word).or_default()[side] += 1;
            }
        }
    }
    let totals = [sides[0].len(), sides[1].len()];
    let all: Vec<(String, [usize; 2])> = has.into_iter().collect();
    let p = |(_, [one, other]): &(String, [usize; 2])| {
        let row = |with: usize, total: usize| [with as u64, (total - with) as u64];
        stats::fisher_p([row(*one, totals[0]), row(*other, totals[1])])
    };
    let adjusted = stats::holm(&all.iter().map(p).collect::<Vec<_>>()).unwrap_or_default();
    let told = all.into_iter().zip(adjusted).map(|((what, [one, other]), p_adjusted)| Trait {
        what,
        of_disagreeing: [one, totals[0]],
        of_others: [other, totals[1]],
        p_adjusted,
    });
    let share = |[some, all]: [usize; 2]| some as f64 / all.max(1) as f64;
    let lead = |it: &Trait| share(it.of_disagreeing) - share(it.of_others);
    let mut told: Vec<Trait> = told.filter(|it| it.p_adjusted <= ALPHA && lead(it) > 0.0).collect();
    told.sort_by(|x, y| lead(y).total_cmp(&lead(x)).then(x.p_adjusted.total_cmp(&y.p_adjusted)));
    told.truncate(TOLD_MAX);
    told
}

fn words(
    kind: &Kind,
    features: &BTreeSet<&String>,
    whos: [&Who; 2],
    path: impl Fn(usize) -> Option<String>,
) -> BTreeSet<String> {
    let traits = &kind.traits;
    let has = |feature: &&&String| traits.features.contains(feature);
    let mut words: BTreeSet<String> = features
        .iter()
        .map(|it| if has(&it) { format!("with {it}") } else { format!("without {it}") })
        .collect();
    words.extend(traits.vendor.iter().map(|it| format!("vendor {it}")));
    words.extend(traits.generation.iter().map(|it| format!("family and model {it}")));
    words.insert(match &traits.hypervisor {
        Some(name) => format!("under {name}"),
        None => "no hypervisor".into(),
    });
    for (at, who) in whos.into_iter().enumerate() {
        let version = kind.versions.get(&who.provider);
        words.extend(version.map(|version| format!("{} {version}", who.provider)));
        words.extend(path(at).map(|kernel| format!("{} by {kernel}", who.name())));
    }
    words
}
