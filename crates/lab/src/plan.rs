//! From a study and the providers found to the cells to be measured. Pure: it starts nothing.

mod choosing;
mod error;
mod floors;
mod panels;
mod processors;

pub use choosing::{choose, keep_chosen, pilot_cells, shown_by};
pub use error::PlanError;
pub use floors::{NULL, is_floor, is_own_floor};
use floors::{floor, floors, mac_of_floor};

use std::collections::BTreeSet;

use words::BLOCK;

use crate::cell::{Candidate, Cell, KeyLife, Regime, Scheme};
use crate::record::{Processor, ProviderRecord};
use crate::study::{Case, Panel, Part, Study, check_count, check_len, fits_any};

/// What a plan must know of a mac; the command takes it from the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacFacts {
    /// Canonical name.
    pub name: String,
    /// Its usual key length in bytes.
    pub key_len_bytes: u32,
    /// Whether keys of any length are accepted, or only of the usual one.
    pub any_key_len: bool,
}

/// What the user narrowed a study down to; empty lists leave it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Providers to compare, by name or pattern.
    pub providers: Vec<String>,
    /// Providers to leave out.
    pub not: Vec<String>,
    /// Macs, by name or pattern.
    pub macs: Vec<String>,
    /// Message lengths in bytes.
    pub sizes: Vec<u64>,
    /// Key lives.
    pub key_lives: Vec<KeyLife>,
    /// Regimes.
    pub regimes: Vec<Regime>,
    /// Parts, by name.
    pub parts: Vec<String>,
}

/// A cell and the part of the study it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Planned {
    /// The part, by its place in the study.
    pub part: u32,
    /// The cell.
    pub cell: Cell,
}

/// A study narrowed to what was selected: the study that the run's record keeps.
///
/// # Errors
/// When nothing is left, or a length cannot be measured.
pub fn narrow(study: &Study, wanted: &Selection, facts: &[MacFacts]) -> Result<Study, PlanError> {
    let mut study = study.clone();
    check_count(wanted.sizes.len())?;
    wanted.sizes.iter().try_for_each(|&len| check_len(len))?;
    for pattern in &wanted.macs {
        if !facts.iter().any(|mac| fits_any(std::slice::from_ref(pattern), &mac.name)) {
            return Err(PlanError::NoMac { pattern: pattern.clone() });
        }
    }
    panels::keep_parts(&mut study, &wanted.parts)?;
    study.panels = panels::narrowed(&study.panels, &wanted.providers);
    for part in &mut study.parts {
        narrow_part(part, wanted, facts);
    }
    study.parts.retain(|part| !part.cases.is_empty() && !part.key_lives.is_empty());
    if study.parts.is_empty() {
        return Err(PlanError::Nothing { study: study.name });
    }
    keep_claims(&mut study, !wanted.macs.is_empty());
    Ok(study)
}

/// Drops the claims of which nothing is left; `macs_named` where the user chose macs.
pub fn keep_claims(study: &mut Study, macs_named: bool) {
    let Study { panels, parts, claims, .. } = study;
    claims.retain(|claim| claim.is_left_in(panels, parts, macs_named));
}

/// All keys of a narrowed study get this length. Macs that take no such key are left out; where
/// some cases of a part say that they have it, its cases of another length are.
///
/// # Errors
/// When nothing is left.
pub fn with_key_len(
    study: &mut Study,
    len_bytes: u32,
    facts: &[MacFacts],
) -> Result<(), PlanError> {
    let takes = |name: &String| {
        let fact = facts.iter().find(|fact| fact.name == *name);
        fact.is_none_or(|it| it.key_len_bytes == len_bytes || (it.any_key_len && len_bytes > 0))
    };
    for part in &mut study.parts {
        let is_said = part.cases.iter().any(|case| case.key_len_bytes == Some(len_bytes));
        if is_said {
            part.cases.retain(|case| case.key_len_bytes.is_none_or(|len| len == len_bytes));
        }
        for case in &mut part.cases {
            case.macs.retain(takes);
            case.key_len_bytes = Some(len_bytes);
        }
        part.cases.retain(|case| !case.macs.is_empty());
    }
    study.parts.retain(|part| !part.cases.is_empty());
    if study.parts.is_empty() {
        return Err(PlanError::KeyLen { study: study.name.clone(), len_bytes });
    }
    Ok(())
}

fn narrow_part(part: &mut Part, wanted: &Selection, facts: &[MacFacts]) {
    if !wanted.sizes.is_empty() {
        part.sizes.clone_from(&wanted.sizes);
        part.size_range = None;
        part.sessions.mix = None;
        part.files.clear();
    }
    if !wanted.key_lives.is_empty() {
        part.key_lives.clone_from(&wanted.key_lives);
    }
    if !wanted.regimes.is_empty() {
        part.regimes.clone_from(&wanted.regimes);
    }
    for case in &mut part.cases {
        let on_request = std::mem::take(&mut case.on_request);
        if !wanted.macs.is_empty() {
            case.macs.extend(on_request);
        }
        case.macs = expand(&case.macs, facts);
        case.macs.retain(|mac| part.regimes.iter().any(|&regime| fit(mac, regime)));
        if !wanted.macs.is_empty() {
            // A floor is taken and left with its mac.
            case.macs.retain(|mac| fits_any(&wanted.macs, mac_of_floor(mac).unwrap_or(mac)));
        }
    }
    part.cases.retain(|case| !case.macs.is_empty());
}

/// Whether this is a regime of such a mac: schemes make transactions, and nothing else does.
fn fit(mac: &str, regime: Regime) -> bool {
    Scheme::of(mac).is_some() == regime.is_of_schemes()
}

/// Patterns to names, in the order of the patterns, then of the catalog. Floors fit only what is
/// written for them: `*` means macs.
fn expand(patterns: &[String], facts: &[MacFacts]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for pattern in patterns {
        let fits = |mac: &&MacFacts| {
            (!is_floor(&mac.name) || is_floor(pattern)) && crate::study::fits(pattern, &mac.name)
        };
        let fitting = facts.iter().filter(fits);
        for mac in fitting {
            if !names.contains(&mac.name) {
                names.push(mac.name.clone());
            }
        }
    }
    names
}

/// Most cells of a run: a sample of each would take many hours.
const CELLS_MAX: usize = 200_000;

/// Every cell of a narrowed study, in a stable order; each part and size has a null cell, unless
/// nothing of it is timed call by call. `processors` are those that sessions may be given.
///
/// # Errors
/// When a key length does not fit a mac, no provider found offers anything asked for, sessions are
/// to be on more processors than there are, or there would be more than 200,000 cells.
pub fn cells(
    study: &Study,
    providers: &[ProviderRecord],
    facts: &[MacFacts],
    processors: &[Processor],
) -> Result<Vec<Planned>, PlanError> {
    cells_at_most(CELLS_MAX, study, providers, facts, processors)
}

fn cells_at_most(
    most: usize,
    study: &Study,
    providers: &[ProviderRecord],
    facts: &[MacFacts],
    processors: &[Processor],
) -> Result<Vec<Planned>, PlanError> {
    let check = |cells: &BTreeSet<Planned>, part: &Part| {
        let told = || PlanError::TooManyCells { part: part.name.clone(), most };
        if cells.len() > most { Err(told()) } else { Ok(()) }
    };
    let mut cells = BTreeSet::new();
    for (number, part) in (0..).zip(&study.parts) {
        let placed = processors::regimes(part, processors)?;
        for case in &part.cases {
            let keys = key_lengths(case, facts)?;
            for (candidate, key_lives, regimes) in offers(&study.panels, providers, part, case) {
                let Some(&(key_len_bytes, usual_key)) = keys.get(&candidate.mac) else { continue };
                let lives = part.key_lives.iter().filter(|life| key_lives.contains(life));
                for (&key_life, &regime, len_bytes) in product(lives, part, &placed) {
                    let is_known = regimes.iter().any(|known| regime.is_kind_of(*known));
                    let is_offered = regime.has(key_life) && is_known;
                    let is_shown = speaks_at(&study.panels, part, &candidate, len_bytes);
                    if !is_offered || !is_shown || !fit(&candidate.mac, regime) {
                        continue;
                    }
                    let candidate = candidate.clone();
                    let cell =
                        Cell { candidate, regime, key_life, len_bytes, key_len_bytes, usual_key };
                    cells.insert(Planned { part: number, cell });
                }
                check(&cells, part)?;
            }
        }
        if !has_macs(&cells, number) {
            cells.retain(|planned: &Planned| planned.part != number);
            if !part.providers.is_empty() {
                continue;
            }
            return Err(unoffered(part));
        }
        let is_floored = part.regimes.iter().any(|it| it.is_of_calls());
        let floors = if is_floored { floors(providers, &cells, number) } else { vec![] };
        for null in floors {
            cells.extend(part.lengths().into_iter().map(|len| floor(number, &null, len)));
            check(&cells, part)?;
        }
    }
    if cells.is_empty() {
        return Err(PlanError::NobodyFound);
    }
    Ok(cells.into_iter().collect())
}

/// That nobody can be measured in a part.
fn unoffered(part: &Part) -> PlanError {
    let macs: BTreeSet<&String> = part.cases.iter().flat_map(|case| &case.macs).collect();
    let macs = macs.into_iter().cloned().collect();
    PlanError::Unoffered { part: part.name.clone(), macs }
}

/// Whether what is offered under this name counts as a mac: a scheme is a composition again, in an
/// order with a cut, and a block alone is no message.
#[must_use]
pub fn is_mac(name: &str) -> bool {
    Scheme::of(name).is_none() && !name.starts_with(BLOCK)
}

/// Whether a part has cells beside its floors.
fn has_macs(cells: &BTreeSet<Planned>, part: u32) -> bool {
    cells.iter().any(|planned| planned.part == part && !is_floor(&planned.cell.candidate.mac))
}

/// Key length of each mac of a case, and whether it is the usual one.
fn key_lengths(
    case: &Case,
    facts: &[MacFacts],
) -> Result<std::collections::BTreeMap<String, (u32, bool)>, PlanError> {
    let length = |mac: &MacFacts| {
        let usual = mac.key_len_bytes;
        let asked = case.key_len_bytes.unwrap_or(usual);
        if asked == usual || (mac.any_key_len && (1..=4096).contains(&asked)) {
            return Ok((mac.name.clone(), (asked, asked == usual)));
        }
        Err(PlanError::CaseKeyLen {
            case: case.name.clone(),
            mac: mac.name.clone(),
            takes_bytes: usual,
            asked_bytes: asked,
        })
    };
    facts.iter().filter(|mac| case.macs.contains(&mac.name)).map(length).collect()
}

/// Whether a panel shows a candidate at this length, if it speaks in the part at all; floors stand
/// at all lengths.
fn speaks_at(panels: &[Panel], part: &Part, candidate: &Candidate, len_bytes: u64) -> bool {
    let mut own = panels.iter().filter(|it| it.is_in(part) && it.takes(&candidate.provider));
    is_floor(&candidate.mac) || own.any(|panel| panel.speaks_at(len_bytes))
}

/// What is offered of a case: by the providers of the panels, less those that the part leaves out.
/// Floors that the case names are taken wherever they come from.
fn offers(
    panels: &[Panel],
    providers: &[ProviderRecord],
    part: &Part,
    case: &Case,
) -> Vec<(Candidate, Vec<KeyLife>, Vec<Regime>)> {
    let panels = panels.iter().filter(|panel| panel.is_in(part));
    let in_panel = |name: &str| panels.clone().any(|panel| panel.takes(name));
    let in_part = |name: &str| part.providers.is_empty() || fits_any(&part.providers, name);
    let mut found = Vec::new();
    for provider in providers {
        let is_asked = in_panel(&provider.name) && in_part(&provider.name);
        for offer in provider.offers.iter().filter(|offer| case.macs.contains(&offer.mac)) {
            if !is_asked && !is_floor(&offer.mac) {
                continue;
            }
            let (mac, kernel) = (offer.mac.clone(), offer.kernel.clone());
            let candidate = Candidate { mac, provider: provider.name.clone(), kernel };
            found.push((candidate, offer.key_lives.clone(), provider.regimes.clone()));
        }
    }
    found
}

fn product<'a>(
    lives: impl Iterator<Item = &'a KeyLife>,
    part: &'a Part,
    regimes: &'a [Regime],
) -> Vec<(&'a KeyLife, &'a Regime, u64)> {
    let mut all = Vec::new();
    for life in lives {
        for regime in regimes {
            all.extend(part.lengths().into_iter().map(|len| (life, regime, len)));
        }
    }
    all
}

#[cfg(test)]
mod tests;
