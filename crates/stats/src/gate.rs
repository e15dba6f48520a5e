//! Is the new one slower than the base in any of several cells? Minimum-effect sign tests of the
//! launches' log ratios (H0: the median ratio is at most 1 + margin), Holm-corrected over the cells
//! at each look of an alpha-spending plan ([`crate::spending`]), so that one call of any cell is
//! wrong in at most α of all gates. That *no* cell is slower takes the test of each at its own
//! level, uncorrected, since all must hold (intersection–union test: R. L. Berger, *Technometrics*
//! 24 (1982) 295–300). The sign test asks only that launches are independent and as likely above
//! their median as below it. Beside each cell its control, the base against itself, is tested
//! two-tailed against half the margin: where the lab sees a difference there, it can say nothing.

use serde::Serialize;

use crate::holm::step_down;
use crate::level::Margin;
use crate::spending::Look;
use crate::tails::binomial_lower;

/// What is known of one cell: logarithms of ratios, a value a launch, in their order; absent where
/// a launch did not measure it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GateCell {
    /// New over base.
    pub log_ratios: Vec<Option<f64>>,
    /// Base under its second name over base.
    pub log_controls: Vec<Option<f64>>,
}

/// What a cell was decided to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateVerdict {
    /// By more than the margin.
    Slower,
    /// By no more than the margin.
    NotSlower,
    /// Not shown to be either so far.
    Open,
}

/// A cell after all looks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GatedCell {
    /// What it was decided to be.
    pub verdict: GateVerdict,
    /// Launches that decided it, or that the last look saw; 0 before the first.
    pub launches: u32,
    /// The smallest Holm-adjusted p over the looks of being no slower than the margin; 1 before
    /// the first. It is held against the level of its look.
    pub p_adjusted: f64,
}

/// A family of cells after all looks that their launches allow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gated {
    /// In the order of the cells.
    pub cells: Vec<GatedCell>,
    /// Cells whose control alarmed, with the launches of that look.
    pub alarms: Vec<(usize, u32)>,
    /// Looks that were taken.
    pub looks: usize,
}

/// Takes every look that so many launches allow, in order. A cell that is decided stays so: its
/// hypothesis counts in later looks as one that nothing speaks against.
#[must_use]
pub fn gate(cells: &[GateCell], launches: u32, looks: &[Look], margin: Margin) -> Gated {
    let undecided = GatedCell { verdict: GateVerdict::Open, launches: 0, p_adjusted: 1.0 };
    let mut gated = Gated { cells: vec![undecided; cells.len()], alarms: vec![], looks: 0 };
    for look in looks.iter().take_while(|look| look.launches <= launches) {
        gated.looks += 1;
        gated.look(cells, *look, margin);
    }
    gated
}

impl Gated {
    fn look(&mut self, cells: &[GateCell], look: Look, margin: Margin) {
        let (bound, Look { launches, alpha }) = (margin.log(), look);
        let is_open: Vec<bool> =
            self.cells.iter().map(|it| it.verdict == GateVerdict::Open).collect();
        let of_open = |p: &dyn Fn(&GateCell) -> f64| -> Vec<f64> {
            let each = cells.iter().zip(&is_open);
            each.map(|(cell, is_open)| if *is_open { p(cell) } else { 1.0 }).collect()
        };
        let slower = of_open(&|it| p_above(seen(&it.log_ratios, launches), bound));
        let not_slower = of_open(&|it| p_above(seen(&it.log_ratios, launches).map(|x| -x), -bound));
        let differs = of_open(&|it| p_differs(&it.log_controls, launches, bound / 2.0));
        let adjusted = step_down(&slower);
        for (at, cell) in self.cells.iter_mut().enumerate().filter(|(at, _)| is_open[*at]) {
            cell.launches = launches;
            cell.p_adjusted = cell.p_adjusted.min(adjusted[at]);
            if adjusted[at] <= alpha.value() {
                cell.verdict = GateVerdict::Slower;
            } else if not_slower[at] <= alpha.value() {
                cell.verdict = GateVerdict::NotSlower;
            }
        }
        let alarms = step_down(&differs).into_iter().enumerate();
        let alarms = alarms.filter(|(_, p)| *p <= alpha.value()).map(|(at, _)| (at, launches));
        self.alarms.extend(alarms);
    }
}

/// The values of the first launches.
fn seen(values: &[Option<f64>], launches: u32) -> impl Iterator<Item = f64> + Clone {
    values.iter().take(launches as usize).copied().flatten()
}

/// One-tailed sign test: the chance of so many values above the bound if the median were on it. A
/// value on the bound speaks for neither side and counts against.
fn p_above(values: impl Iterator<Item = f64> + Clone, bound: f64) -> f64 {
    let n = values.clone().count() as u64;
    let others = values.filter(|value| *value <= bound).count() as u64;
    if n == 0 { 1.0 } else { binomial_lower(others, n, 0.5) }
}

/// Two-tailed: beyond the bound on either side.
fn p_differs(values: &[Option<f64>], launches: u32, bound: f64) -> f64 {
    let above = p_above(seen(values, launches), bound);
    let below = p_above(seen(values, launches).map(|x| -x), bound);
    (2.0 * above.min(below)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Alpha;
    use crate::spending::looks_after;

    fn cell(ratio: f64, control: f64, launches: usize) -> GateCell {
        // Around the value, as often above as below.
        let around = |value: f64| {
            let each = (0..launches).map(|at| value.ln() + if at % 2 == 0 { 1e-3 } else { -1e-3 });
            each.map(Some).collect()
        };
        GateCell { log_ratios: around(ratio), log_controls: around(control) }
    }

    fn judged(cells: &[GateCell], launches: u32) -> Gated {
        let looks = looks_after(&[10, 15, 23], Alpha::FIVE_PERCENT);
        gate(cells, launches, &looks, Margin::new(0.02).unwrap())
    }

    #[test]
    fn the_margin_separates_slower_from_not_slower() {
        let cells = [1.05, 1.021, 1.0, 1.019, 0.9].map(|ratio| cell(ratio, 1.0, 10));
        let gated = judged(&cells, 10);
        let verdicts: Vec<GateVerdict> = gated.cells.iter().map(|it| it.verdict).collect();
        use GateVerdict::{NotSlower, Open, Slower};
        // 1.021 and 1.019 have values on both sides of the bound.
        assert_eq!(verdicts, [Slower, Open, NotSlower, Open, NotSlower]);
        assert_eq!((gated.looks, &gated.alarms), (1, &vec![]));
        // 2^-10, times five cells.
        assert!((gated.cells[0].p_adjusted - 5.0 / 1024.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_decided_between_looks_and_what_is_decided_stays() {
        let mut cells = [cell(1.05, 1.0, 14), cell(1.021, 1.0, 14)];
        assert_eq!(judged(&cells, 9).looks, 0);
        assert!(judged(&cells, 9).cells.iter().all(|it| it.verdict == GateVerdict::Open));
        // What comes after its look changes nothing.
        cells[0].log_ratios.extend([Some(-1.0); 9]);
        let gated = judged(&cells, 23);
        assert_eq!((gated.cells[0].verdict, gated.cells[0].launches), (GateVerdict::Slower, 10));
        assert_eq!((gated.cells[1].verdict, gated.cells[1].launches), (GateVerdict::Open, 23));
    }

    #[test]
    fn a_control_that_differs_by_more_than_half_the_margin_alarms() {
        let of = |control| judged(&[cell(1.0, control, 10)], 10).alarms;
        assert_eq!((of(1.0), of(1.008), of(0.993)), (vec![], vec![], vec![]));
        assert_eq!((of(1.02), of(0.98)), (vec![(0, 10)], vec![(0, 10)]));
    }

    #[test]
    fn what_was_not_measured_stays_open() {
        let gated = judged(&[GateCell::default()], 23);
        assert_eq!((gated.looks, gated.cells[0].verdict), (3, GateVerdict::Open));
        assert!(judged(&[], 23).cells.is_empty());
    }
}
