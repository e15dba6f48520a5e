//! One sample of a claim about samples themselves, or two beside each other: which ones it is
//! about, what they are called, and what they show.

use lab::study::fits_any;

use super::check::Outcome;
use super::{Claim, Group, Judge};
use crate::format;

/// What one sample, or two beside each other, show.
pub(super) struct Shown {
    pub(super) outcome: Outcome,
    /// How far it is from showing the contrary: among equals the least is told.
    pub(super) size: f64,
    pub(super) words: String,
}

impl Judge<'_> {
    /// `hmac-sha224 of openssl[sha-ni], 256 B`.
    pub(super) fn sample_words(&self, at: usize) -> String {
        let cell = &self.cells[at];
        let (mac, len) = (&cell.called, format::bytes(cell.cell.len_bytes));
        format!("{mac} of {}, {len}", cell.source())
    }

    /// The cells of these groups whose macs fit, at the lengths that decide.
    pub(super) fn cells_of(&self, macs: &[String], claim: &Claim, own: &[&Group]) -> Vec<usize> {
        let sizes = own.iter().flat_map(|group| &group.sizes);
        let sizes = sizes.filter(|size| claim.concerns(size.len_bytes));
        let fits = |mac: &str| fits_any(macs, mac);
        sizes.flat_map(|size| self.places(size, fits)).collect()
    }
}
