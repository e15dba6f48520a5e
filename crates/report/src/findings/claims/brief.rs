//! Why a claim ended as it did, in few words: whole, and without intervals.

use super::super::CellFinding;
use super::check::{Check, Outcome, reversed};
use super::reason::against;
use super::{ClaimVerdict, Evidence, Judge, Quantity};
use crate::format;

impl Judge<'_> {
    pub(super) fn brief(
        &self,
        verdict: ClaimVerdict,
        evidence: &Evidence,
        telling: Option<&Check>,
    ) -> String {
        let name = verdict.name();
        let total = evidence.checks.len();
        let hold = evidence.count(Outcome::Holds);
        let counted = match verdict {
            ClaimVerdict::Elsewhere => return name.into(),
            ClaimVerdict::Refuted => {
                format!("{name}, {} of {total} against", evidence.count(Outcome::Contradicted))
            }
            ClaimVerdict::Confirmed => format!("{name}, all {total}"),
            ClaimVerdict::Undecided if total == 0 => format!("{name}, not measured"),
            ClaimVerdict::Undecided => format!("{name}, {hold} of {total} hold"),
        };
        match telling.and_then(|check| self.few_words(check)) {
            Some(words) if total > 1 => format!("{counted}: {words}"),
            Some(words) => format!("{name}: {words}"),
            None => counted,
        }
    }

    /// `cmac-aes-128 takes 1.27 × the time of hmac-sha224, 256 B`.
    fn few_words(&self, check: &Check) -> Option<String> {
        if let Some(said) = &check.said {
            return Some(said.in_brief.clone());
        }
        let effect = check.effect()?;
        let [slower, faster]: [&CellFinding; 2] =
            [effect.slower, effect.faster].map(|at| &self.cells[at]);
        let mac = &slower.called;
        let [long, short] = [slower, faster].map(|it| format::bytes(it.cell.len_bytes));
        let ratio = format::times(effect.ratio.value);
        let aside = check.aside_in_brief.as_ref().map_or(String::new(), |it| format!("; {it}"));
        let pair = [check.first, check.second].map(|at| &self.cells[at]);
        let are_two = pair[0].cell.regime != pair[1].cell.regime;
        Some(match effect.quantity {
            Quantity::Time | Quantity::Preemptions if are_two => {
                let is_reversed = effect.slower != check.first;
                let own = if is_reversed { reversed(effect.ratio) } else { effect.ratio };
                let (words, _) = against(pair, effect.quantity, &format::times(own.value));
                format!("{words}, {long}")
            }
            Quantity::BetweenSessions => format!(
                "apparent processing of the least scheduled session is {ratio} that of the most \
                 scheduled, {long}"
            ),
            Quantity::Time | Quantity::Preemptions => {
                format!("{mac} takes {ratio} the time of {}, {long}{aside}", faster.called)
            }
            Quantity::TimePerByte => {
                format!("a byte of {mac} costs {ratio} as much at {long} as at {short}")
            }
            Quantity::TimePerPrimitiveCall => {
                format!(
                    "a call of {mac}'s primitive costs {ratio} as much at {long} as at \
                     {short}{aside}"
                )
            }
        })
    }
}
