//! A table of figures before it is laid out, and how far a figure is uncertain.

use crate::format;

/// Rows of a table before only the best offer of each mac is shown.
pub(super) const ROWS_MAX: usize = 15;

/// A table that is not yet laid out.
pub(super) struct Table {
    pub(super) title: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// How many columns are words.
    pub(super) words: usize,
    pub(super) note: Option<String>,
    /// Whether it is told with all its rows, or not at all.
    pub(super) whole: bool,
}

/// ` ±1%`: the farther end, in whole percents that it does not exceed; ` up to 11.6 ×` where that
/// is further than the value itself.
pub(super) fn spread(value: f64, ends: Option<(f64, f64)>) -> String {
    ends.map_or(String::new(), |(low, high)| {
        let half = (high - value).max(value - low) / value * 100.0;
        match half > 100.0 {
            true => format!(" up to {}", format::times(high / value)),
            false => format!(" ±{:.0}%", half.ceil().max(1.0)),
        }
    })
}
