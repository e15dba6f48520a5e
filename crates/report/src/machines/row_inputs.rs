//! What rows are made of.

use stats::Margin;

use super::{Catalog, Kind, Member};

/// Runs, by kinds of machines, and the difference that does not matter.
pub(super) struct RowInputs<'a> {
    pub(super) members: &'a [Member],
    pub(super) kinds: &'a [Kind],
    pub(super) catalog: &'a Catalog,
    pub(super) margin: Margin,
}
