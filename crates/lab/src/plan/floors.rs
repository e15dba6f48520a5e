//! Floors: calls that compute nothing, or only what a mac does beside its primitive.

use std::collections::BTreeSet;

use super::Planned;
use crate::cell::{Candidate, Cell, KeyLife, Regime};
use crate::record::ProviderRecord;

/// The mac that computes nothing: the floor that every block contains.
pub const NULL: &str = "null";

/// Whether this mac is a floor: `null`, or what a mac does beside its primitive (`null-…`). Floors
/// stand beside other macs and are never ranked among them.
#[must_use]
pub fn is_floor(mac: &str) -> bool {
    mac == NULL || mac_of_floor(mac).is_some()
}

/// The mac of which this is what it does beside its primitive: `khc1-sha256` of
/// `null-khc1-sha256`; `None` of all else.
pub(super) fn mac_of_floor(mac: &str) -> Option<&str> {
    mac.strip_prefix(NULL)?.strip_prefix('-')
}

/// Whether this is the floor of every block: our own call that computes nothing, and not that of a
/// runtime.
#[must_use]
pub fn is_own_floor(candidate: &Candidate) -> bool {
    candidate.mac == NULL && candidate.provider == NULL
}

/// Our own call that computes nothing, and that of each runtime which takes part: there a call by
/// itself takes as long as many a mac.
pub(super) fn floors(
    providers: &[ProviderRecord],
    cells: &BTreeSet<Planned>,
    part: u32,
) -> Vec<Candidate> {
    let takes_part =
        |name: &str| cells.iter().any(|it| it.part == part && it.cell.candidate.provider == name);
    let floor = |provider: &ProviderRecord| {
        let offer = provider.offers.iter().find(|offer| offer.mac == NULL)?;
        let (mac, kernel) = (NULL.into(), offer.kernel.clone());
        let candidate = Candidate { mac, provider: provider.name.clone(), kernel };
        let is_wanted = is_own_floor(&candidate) || takes_part(&candidate.provider);
        is_wanted.then_some(candidate)
    };
    providers.iter().filter_map(floor).collect()
}

/// The cell of a floor at a length.
pub(super) fn floor(part: u32, null: &Candidate, len_bytes: u64) -> Planned {
    let (regime, key_life) = (Regime::USUAL, KeyLife::Prepared);
    let candidate = null.clone();
    let cell = Cell { candidate, regime, key_life, len_bytes, key_len_bytes: 16, usual_key: true };
    Planned { part, cell }
}
