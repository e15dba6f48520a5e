//! What the rule by which a publication decided makes of the data of a run: told beside the
//! verdict, which it does not change.

use lab::study::{Claim, Panel, PaperRule};
use stats::{Differences, Wilcoxon};

use super::super::{Group, Unit};
use super::check::{Check, Span};
use super::{Judge, Quantity, concerns};
use crate::format;

impl Judge<'_> {
    pub(super) fn by_source(
        &self,
        panel: &Panel,
        claim: &Claim,
        groups: &[Group],
        checks: &[Check],
    ) -> Option<String> {
        let held = |holds: &dyn Fn(&Check) -> Option<bool>| {
            let told: Vec<bool> = checks.iter().filter_map(holds).collect();
            let hold = told.iter().filter(|holds| **holds).count();
            (!told.is_empty()).then(|| match (told.len(), hold) {
                (1, 0) => "it does not hold".into(),
                (1, _) => "it holds".into(),
                (total, hold) if total == hold => format!("all {total} comparisons hold"),
                (total, hold) => format!("{hold} of {total} comparisons hold"),
            })
        };
        let alpha = format::percent(self.levels.alpha.value());
        match claim.decided_by? {
            PaperRule::Means => {
                let said = held(&|check| self.central(check, |it| it.mean_ns))?;
                Some(format!("By the source's own rule, comparing means, {said}"))
            }
            PaperRule::Medians => {
                let said = held(&|check| self.central(check, |it| it.median_ns))?;
                Some(format!("By the source's own rule, comparing medians, {said}"))
            }
            PaperRule::Wilcoxon => {
                let said = held(&|check| self.wilcoxon(check))?;
                Some(format!(
                    "By the source's own rule, one-tailed Wilcoxon tests over blocks at {alpha}, \
                     {said}"
                ))
            }
            PaperRule::Friedman => self.friedman(panel, claim, groups),
        }
    }

    /// Whether the two lie as claimed, by one number of each.
    fn central(
        &self,
        check: &Check,
        of: impl Fn(&super::CellFinding) -> Option<f64>,
    ) -> Option<bool> {
        let [first, second] = [check.first, check.second].map(|at| {
            let value = of(&self.cells[at])?;
            Some((value, value / self.cells[at].cell.mean_len_bytes()))
        });
        let log_ratio = match check.quantity {
            Quantity::Time => (first?.0 / second?.0).ln(),
            Quantity::TimePerByte => (first?.1 / second?.1).ln(),
            _ => check.log_ratio?,
        };
        let Span { low, high } = check.claimed.shown;
        Some(log_ratio > low && log_ratio < high)
    }

    /// Whether the signed ranks of the speeds show the difference, or none where none is claimed.
    fn wilcoxon(&self, check: &Check) -> Option<bool> {
        let [first, second] =
            [check.first, check.second].map(|at| self.series[at].values(Unit::Block));
        let shared =
            first.iter().filter_map(|(at, time)| Some((1e9 / time, 1e9 / second.get(at)?)));
        let (of_first, of_second): (Vec<f64>, Vec<f64>) = shared.unzip();
        let differences = Differences::between(&of_second, &of_first).ok()?;
        let test = Wilcoxon::of(&differences);
        let differs = test.p_one_tailed < self.levels.alpha.value();
        Some(match check.claimed.sense.is_strict() {
            true => differs && test.t_plus > test.t_minus,
            false => !differs,
        })
    }

    fn friedman(&self, panel: &Panel, claim: &Claim, groups: &[Group]) -> Option<String> {
        let own = groups.iter().find(|group| {
            let part = &self.run.study.parts[group.part].name;
            group.panel == panel.name && concerns(claim, part, group)
        })?;
        let tests = own.tests.as_ref().or_else(|| own.sizes.first()?.tests.as_ref())?;
        let friedman = &tests.analysis.friedman;
        let alpha = self.levels.alpha.value();
        let shown = if friedman.p < alpha { "a difference" } else { "no difference" };
        Some(format!(
            "By the source's own rule, one Friedman test over {} at {}, there is {shown} ({})",
            words::counted(tests.n_rows, "row"),
            format::percent(alpha),
            format::probability(friedman.p)
        ))
    }
}
