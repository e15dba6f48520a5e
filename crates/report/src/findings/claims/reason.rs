//! Why a claim ended as it did, in one sentence that names the deciding numbers and cells.

use lab::cell::Regime;
use stats::Verdict;

use super::super::{CellFinding, Interval, RatioFinding, key_life_words, regime_words};
use super::{Check, ClaimVerdict, Effect, Evidence, Judge, Outcome, Quantity};
use crate::format::{self, Figure};

impl Judge<'_> {
    pub(super) fn reason(
        &self,
        verdict: ClaimVerdict,
        evidence: &Evidence,
        telling: Option<&Check>,
    ) -> String {
        let total = evidence.checks.len();
        let (Some(check), true) =
            (telling, verdict == ClaimVerdict::Refuted || evidence.is_whole())
        else {
            return format!("undecided: {}", lack(evidence));
        };
        let effect = self.words(check);
        match verdict {
            ClaimVerdict::Refuted => {
                let against = evidence.count(Outcome::Contradicted);
                let verb = if against == 1 { "contradicts" } else { "contradict" };
                format!("refuted: {effect}; {against} of {total} comparisons {verb} it")
            }
            ClaimVerdict::Confirmed => {
                let how = match evidence.count(Outcome::HoldsByPaper) {
                    0 => String::new(),
                    some => format!(
                        " ({some} because the paper's own Wilcoxon test shows no difference)"
                    ),
                };
                // Where a difference was claimed the narrowest is told, else the widest.
                let which = if check.strict { "narrowest" } else { "widest" };
                match total {
                    1 => format!("confirmed: {effect}"),
                    _ => format!(
                        "confirmed: all {total} comparisons hold{how}; the {which}: {effect}"
                    ),
                }
            }
            ClaimVerdict::Undecided => {
                let open = evidence.count(Outcome::Open);
                let verb = if open == 1 { "shows" } else { "show" };
                format!("undecided: {open} of {total} comparisons {verb} neither; {effect}")
            }
        }
    }

    pub(super) fn words(&self, check: &Check) -> String {
        let regime = |at: usize| self.cells[at].cell.regime;
        let words = match check.effect.quantity {
            Quantity::Time if regime(check.effect.slower) != regime(check.effect.faster) => {
                self.regime_words(check)
            }
            Quantity::Time => self.time_words(check),
            Quantity::TimePerByte => self.rate_words(check, "a byte"),
            Quantity::TimePerPrimitiveCall => self.rate_words(check, "a call of its primitive"),
        };
        match &check.aside {
            Some(aside) => format!("{words}; {aside}"),
            None => words,
        }
    }

    /// `hmac-sha256 takes 3.1 × the time of cmac-aes-128 (95 % interval 3.0 to 3.2; openssl[sha-ni]
    /// against macs[aes-ni], 64 B, key prepared)`.
    fn time_words(&self, check: &Check) -> String {
        let Effect { slower, faster, ratio, .. } = &check.effect;
        let [slower, faster] = [*slower, *faster].map(|at| &self.cells[at]);
        let ratio = self.figure(ratio, check);
        let equivalent = match check.verdict {
            Verdict::Equivalent => {
                format!(", equivalent within {}", format::percent(self.levels.margin.value()))
            }
            _ => String::new(),
        };
        format!(
            "{} takes {} the time of {}{equivalent} ({}; {} against {}, {}, {})",
            slower.cell.candidate.mac,
            ratio.times(),
            faster.cell.candidate.mac,
            self.interval(&ratio, check),
            slower.source(),
            faster.source(),
            format::bytes(slower.cell.len_bytes),
            conditions(slower)
        )
    }

    /// `hmac-md5 takes 0.512 × the time as 100 sessions, … on all processors: apparent processing
    /// that it takes as … on one processor: … (95 % interval 0.510 to 0.515; macs[avx2], 1 KiB, key
    /// prepared)`.
    fn regime_words(&self, check: &Check) -> String {
        let Effect { slower, faster, ratio, .. } = &check.effect;
        let mut pair = [*slower, *faster].map(|at| &self.cells[at]);
        let mut ratio = *ratio;
        if check.inverted {
            pair.reverse();
            ratio = super::reversed(ratio);
        }
        let [own, other] = pair.map(|it| regime_words(it.cell.regime));
        let ratio = self.figure(&ratio, check);
        let first = pair[0];
        format!(
            "{} takes {} the time as {own} that it takes as {other} ({}; {}, {}, {})",
            first.cell.candidate.mac,
            ratio.times(),
            self.interval(&ratio, check),
            first.source(),
            format::bytes(first.cell.len_bytes),
            key_life_words(first.cell.key_life)
        )
    }

    /// `hmac-sha256 takes 1.52 × the time a byte at 16 B that it takes at 64 B (95 % interval 1.50
    /// to 1.54; openssl[sha-ni], key prepared)`.
    fn rate_words(&self, check: &Check, unit: &str) -> String {
        let Effect { slower, faster, ratio, .. } = &check.effect;
        let [slower, faster] = [*slower, *faster].map(|at| &self.cells[at]);
        let ratio = self.figure(ratio, check);
        format!(
            "{} takes {} the time {unit} at {} that it takes at {} ({}; {}, {})",
            slower.cell.candidate.mac,
            ratio.times(),
            format::bytes(slower.cell.len_bytes),
            format::bytes(faster.cell.len_bytes),
            self.interval(&ratio, check),
            slower.source(),
            conditions(slower)
        )
    }

    /// A ratio for print, beside what it is held against: 1, the margin, the ends of the claim.
    fn figure(&self, ratio: &RatioFinding, check: &Check) -> Figure {
        let margin = self.levels.margin.log().exp();
        let mut bounds = vec![1.0, margin, 1.0 / margin];
        for &bound in &check.bounds {
            bounds.extend([bound, bound * margin, bound / margin]);
        }
        // The claim may be of the reciprocal of what is told.
        bounds.extend(bounds.clone().into_iter().map(|bound| 1.0 / bound));
        Figure::against(ratio.value, ratio.interval.map(Interval::ends), &bounds)
    }

    fn interval(&self, ratio: &Figure, check: &Check) -> String {
        let unpaired = if check.unpaired { " over unpaired blocks" } else { "" };
        match ratio.ends_in_words() {
            Some(ends) => {
                let confidence = format::percent(self.levels.confidence.value());
                format!("{confidence} interval{unpaired} {ends}")
            }
            None => "too few launches for an interval".into(),
        }
    }
}

/// What was not there to be compared.
fn lack(evidence: &Evidence) -> String {
    let mut clauses = Vec::new();
    if !evidence.missing.is_empty() {
        clauses.push(format!("not measured in this panel: {}", evidence.missing.join("; ")));
    }
    if !evidence.unknown.is_empty() {
        let macs = format::list(&evidence.unknown);
        clauses.push(format!("not known: the calls of the primitive that {macs} comes to"));
    }
    clauses.join("; ")
}

fn conditions(finding: &CellFinding) -> String {
    let life = key_life_words(finding.cell.key_life);
    match finding.cell.regime {
        Regime::Single => life.to_owned(),
        other => format!("{life}, {}", regime_words(other)),
    }
}
