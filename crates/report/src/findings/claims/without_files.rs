//! What a comparison of two schemes on disk gives in memory: on disk they differ by what their
//! files take, which is most of the time, and in memory by what the schemes compute.

use super::check::{Check, Claimed};
use super::{Evidence, Judge, Quantity};
use crate::format::{self, Figure};

impl Judge<'_> {
    /// Says beside each comparison of two schemes on disk what the same pair takes in memory.
    pub(super) fn set_beside_memory(&self, evidence: &mut Evidence) {
        for check in &mut evidence.checks {
            let Some((times, interval)) = self.in_memory(check) else { continue };
            let aside = format!("in memory, without files, {times}{interval}");
            let asides = check.aside.take().into_iter().chain([aside]);
            check.aside = Some(asides.collect::<Vec<_>>().join("; "));
            check.aside_in_brief = Some(format!("{times} in memory"));
        }
    }

    /// The ratio in memory, of the one that is slower on disk over the other, and its interval.
    fn in_memory(&self, check: &Check) -> Option<(String, String)> {
        let on_disk = check.log_ratio.filter(|_| check.quantity == Quantity::Time)?;
        let lens = [check.first, check.second].map(|at| self.cells[at].cell.len_bytes);
        if lens[0] != lens[1] {
            return None;
        }
        let [first, second] = [check.first, check.second].map(|at| self.place_in_memory(at));
        let (first, second) = (first?, second?);
        if first == second {
            return None;
        }
        let (first, second) = if on_disk < 0.0 { (second, first) } else { (first, second) };
        let own = self.compare(first, second, Claimed::equal(self.levels.margin));
        let ends = own.interval.map(|it| (it.low, it.high));
        let figure = Figure::ratio(own.log_ratio?.exp(), ends, self.levels.margin.value());
        let level = format::percent(self.levels.confidence.value());
        let interval = figure.ends_in_words().map(|ends| format!(" ({level} interval {ends})"));
        Some((figure.times(), interval.unwrap_or_default()))
    }

    /// The cell in memory of the same scheme, action and length as one on disk.
    fn place_in_memory(&self, at: usize) -> Option<usize> {
        let cell = &self.cells[at].cell;
        let regime = cell.regime.without_files()?;
        self.cells.iter().position(|other| {
            let other = &other.cell;
            other.regime == regime
                && (&other.candidate, other.len_bytes, other.key_len_bytes, other.key_life)
                    == (&cell.candidate, cell.len_bytes, cell.key_len_bytes, cell.key_life)
        })
    }
}
