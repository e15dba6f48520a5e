//! Why a claim ended as it did, in one sentence that names the deciding numbers and cells. The
//! verdict itself stands beside it.

use lab::cell::Cell;
use stats::Verdict;

use super::super::series::LAUNCHES_MIN;
use super::super::sessions::Disturbed;
use super::super::{CellFinding, Interval, RatioFinding, Unit, condition_words, key_life_words};
use super::check::{Check, Claimed, LAUNCH_SLACK, Outcome, Sense, Times, reversed};
use super::{ClaimVerdict, Effect, Evidence, Judge, Quantity};
use crate::format::{self, Figure};
use crate::regimes::{Contrast, contrasted, room};

impl Judge<'_> {
    pub(super) fn reason(
        &self,
        verdict: ClaimVerdict,
        evidence: &Evidence,
        telling: Option<&Check>,
    ) -> String {
        let total = evidence.checks.len();
        match (verdict, telling) {
            (ClaimVerdict::Refuted, Some(check)) => {
                let effect = self.words(check);
                match (evidence.count(Outcome::Contradicted), total) {
                    (_, 1) => effect,
                    (1, _) => format!("{effect}; 1 of {total} comparisons contradicts it"),
                    (against, _) => format!(
                        "{effect}; {against} of {total} comparisons contradict it, this \
                         one most clearly"
                    ),
                }
            }
            (ClaimVerdict::Confirmed, Some(check)) => self.confirmed(evidence, check),
            (ClaimVerdict::Elsewhere, _) => "not testable in this panel".into(),
            _ => self.undecided(evidence, telling),
        }
    }

    /// That all hold, and which of them is nearest to the contrary.
    fn confirmed(&self, evidence: &Evidence, check: &Check) -> String {
        let (total, effect) = (evidence.checks.len(), self.words(check));
        if total == 1 {
            return effect;
        }
        let is_strict = |check: &&Check| check.claimed.sense.is_strict();
        let strict = evidence.checks.iter().filter(is_strict).count();
        if strict == 0 || strict == total {
            let which = match check.claimed.sense {
                Sense::Longer => "the smallest difference",
                Sense::AtLeast => "the smallest ratio",
                Sense::AtMost => "the largest ratio",
                Sense::Between => "the nearest to a claimed limit",
                Sense::Same => "the largest difference",
                Sense::NotShorter => "the nearest to the contrary",
            };
            return format!("all {total} comparisons hold; {which}: {effect}");
        }
        let lead = match strict {
            1 => "in the one that must show a difference".into(),
            some => format!("of the {some} that must show a difference, the smallest"),
        };
        let same = evidence.checks.iter().any(|check| check.claimed.sense == Sense::Same);
        let margin = format::percent(self.levels.margin.value());
        let others = match (total - strict, same) {
            (1, true) => format!("the other one shows none of {margin}"),
            (1, false) => "the other one need only not show the contrary".into(),
            (some, true) => format!("the other {some} show none of {margin}"),
            (some, false) => format!("the other {some} need only not show the contrary"),
        };
        format!("all {total} comparisons hold; {lead}: {effect}; {others}")
    }

    /// How many hold, which are open and why, and what would decide them.
    fn undecided(&self, evidence: &Evidence, telling: Option<&Check>) -> String {
        let mut clauses = Vec::new();
        clauses.extend(lack(evidence));
        let open = evidence.checks.iter().filter(|check| check.outcome == Outcome::Open);
        let open: Vec<&Check> = open.collect();
        if open.is_empty() {
            return clauses.join("; ");
        }
        let (total, hold) = (evidence.checks.len(), evidence.count(Outcome::Holds));
        clauses.push(match (total, hold) {
            (1, _) => "the one comparison is undecided".into(),
            (_, 0) => format!("{} of {total} comparisons are undecided, none holds", open.len()),
            _ => format!("{hold} of {total} comparisons hold, {} undecided", are(open.len())),
        });
        let missing: Vec<&Check> =
            open.iter().copied().filter(|check| check.log_ratio.is_none()).collect();
        let bare = open.iter().filter(|it| it.log_ratio.is_some() && it.interval.is_none());
        let bare = bare.count();
        if let Some(first) = missing.first() {
            clauses.push(format!(
                "{} not measured yet, the first {}",
                are(missing.len()),
                self.pair_words(first)
            ));
        }
        if bare > 0 {
            clauses.push(format!("{} without an interval, for lack of launches", are(bare)));
        }
        clauses.extend(self.disturbed(&open));
        if let Some(check) = telling {
            let which = if open.len() == 1 { "" } else { "least decisive: " };
            clauses.push(format!("{which}{}", self.words(check)));
        }
        clauses.push(self.would_decide(evidence, &open));
        clauses.join("; ")
    }

    /// Which of those that are open rest on windows that others disturbed, and how much.
    fn disturbed(&self, open: &[&Check]) -> Option<String> {
        let own: Vec<&&Check> = open.iter().filter(|check| check.disturbed).collect();
        let mut cells: Vec<usize> = own.iter().flat_map(|it| [it.first, it.second]).collect();
        cells.sort_unstable();
        cells.dedup();
        let windows = cells.into_iter().filter_map(|at| self.cells[at].disturbed);
        let windows = Disturbed::all(windows)?;
        let rest = match (open.len(), own.len()) {
            (1, _) => "it rests".into(),
            (_, 1) => "1 rests".into(),
            (_, some) => format!("{some} rest"),
        };
        let which = windows.which();
        Some(format!("{rest} on windows {which} ({})", windows.words()))
    }

    /// `hmac-sha256 against cmac-aes-128 at 64 B`.
    fn pair_words(&self, check: &Check) -> String {
        let both = [check.first, check.second].map(|at| &self.cells[at]);
        let ([first, second], [mac, other_mac]) =
            (both.map(|it| &it.cell), both.map(|it| &it.called));
        let len = |it: &lab::cell::Cell| format::bytes(it.len_bytes);
        match () {
            () if first.regime != second.regime => {
                let [own, other] = contrasted(first.regime, second.regime).own;
                format!("{mac} {own} against {other} at {}", len(first))
            }
            () if first.len_bytes != second.len_bytes => {
                format!("{mac} at {} against {}", len(first), len(second))
            }
            () => format!("{mac} against {other_mac} at {}", len(first)),
        }
    }

    pub(super) fn words(&self, check: &Check) -> String {
        if let Some(said) = &check.said {
            return format!("{} {}", said.in_brief, said.rest);
        }
        let Some(effect) = check.effect() else { return self.pair_words(check) };
        let regime = |at: usize| self.cells[at].cell.regime;
        let words = match effect.quantity {
            Quantity::Time if regime(effect.slower) != regime(effect.faster) => {
                self.regime_words(check, &effect)
            }
            Quantity::Time => self.time_words(check, &effect),
            Quantity::TimePerByte => self.rate_words(check, &effect, "a byte"),
            Quantity::TimePerPrimitiveCall => {
                self.rate_words(check, &effect, "a call of the primitive")
            }
            Quantity::Preemptions => self.regime_words(check, &effect),
            Quantity::BetweenSessions => self.uneven_words(check, &effect),
        };
        match &check.aside {
            Some(aside) => format!("{words}; {aside}"),
            None => words,
        }
    }

    /// `hmac-sha256 takes 3.1 × the time of cmac-aes-128 (95 % interval 3.0 to 3.2; openssl[sha-ni]
    /// against macs[aes-ni], 64 B, key prepared)`.
    fn time_words(&self, check: &Check, effect: &Effect) -> String {
        let [slower, faster] = [effect.slower, effect.faster].map(|at| &self.cells[at]);
        let equivalent = match check.verdict(self.levels.margin) {
            Verdict::Equivalent => {
                format!(", the same within {}", format::percent(self.levels.margin.value()))
            }
            _ => String::new(),
        };
        let sources = match (slower.source(), faster.source()) {
            (own, other) if own == other => own,
            (own, other) => format!("{own} against {other}"),
        };
        let ratio = self.figure(&effect.ratio, check);
        format!(
            "{} takes {} the time of {}{equivalent} ({}; {sources}, {}, {})",
            slower.called,
            ratio.times(),
            faster.called,
            self.interval(&ratio, check),
            format::bytes(slower.cell.len_bytes),
            self.conditions(slower)
        )
    }

    /// `hmac-md5 takes 0.512 × as long on all processors as on one processor (95 % interval 0.510
    /// to 0.515; macs[avx2], 1 KiB, key prepared)`, the way round that is claimed.
    fn regime_words(&self, check: &Check, effect: &Effect) -> String {
        let is_reversed = effect.slower != check.first;
        let ratio = if is_reversed { reversed(effect.ratio) } else { effect.ratio };
        let ratio = self.figure(&ratio, check);
        let pair = [check.first, check.second].map(|at| &self.cells[at]);
        if let Some(words) = self.own_words(pair, &ratio, check) {
            return words;
        }
        let (words, shared) = against(pair, effect.quantity, &ratio.times());
        let shared = shared.filter(|_| !self.load_is_told);
        let shared = shared.map_or(String::new(), |it| format!(", {it}"));
        format!(
            "{words} ({}; {}, {}, {}{shared})",
            self.interval(&ratio, check),
            pair[0].source(),
            format::bytes(pair[0].cell.len_bytes),
            key_life_words(pair[0].cell.key_life)
        )
    }

    /// The sentence that regimes have of their own for how they compare, and its interval.
    fn own_words(
        &self,
        [first, second]: [&CellFinding; 2],
        ratio: &Figure,
        check: &Check,
    ) -> Option<String> {
        let words = takes([first, second], &ratio.times())?;
        Some(format!(
            "{words} ({}; {}, {}, {})",
            self.interval(ratio, check),
            first.source(),
            format::bytes(first.cell.len_bytes),
            key_life_words(first.cell.key_life)
        ))
    }

    /// `apparent processing of the session that is scheduled least is 1.29 × that of the one
    /// scheduled most (95 % interval 1.26 to 1.31; vmac128-aes-128 by macs[vaes-512], 1 KiB, …)`.
    fn uneven_words(&self, check: &Check, effect: &Effect) -> String {
        let ratio = self.figure(&effect.ratio, check);
        let cell = &self.cells[check.first];
        format!(
            "apparent processing of the session that is scheduled least is {} that of the one \
             scheduled most ({}; {} by {}, {}, {})",
            ratio.times(),
            self.interval(&ratio, check),
            cell.called,
            cell.source(),
            format::bytes(cell.cell.len_bytes),
            self.conditions(cell)
        )
    }

    fn conditions(&self, finding: &CellFinding) -> String {
        let Cell { key_life, regime, .. } = finding.cell;
        match self.load_is_told {
            true => key_life_words(key_life).to_owned(),
            false => condition_words(key_life, regime),
        }
    }

    /// `a byte of hmac-sha256 costs 1.52 × as much in messages of 16 B as in messages of 64 B (95 %
    /// interval 1.50 to 1.54; openssl[sha-ni], key prepared)`.
    fn rate_words(&self, check: &Check, effect: &Effect, unit: &str) -> String {
        let [slower, faster] = [effect.slower, effect.faster].map(|at| &self.cells[at]);
        let mac = &slower.called;
        let ratio = self.figure(&effect.ratio, check);
        format!(
            "{unit} of {mac} costs {} as much in messages of {} as in messages of {} ({}; {}, {})",
            ratio.times(),
            format::bytes(slower.cell.len_bytes),
            format::bytes(faster.cell.len_bytes),
            self.interval(&ratio, check),
            slower.source(),
            self.conditions(slower)
        )
    }

    /// What it would take to decide those that are open.
    fn would_decide(&self, evidence: &Evidence, open: &[&Check]) -> String {
        if open.iter().any(|check| check.disturbed) {
            return "on an otherwise idle machine it may be decided".into();
        }
        if open.iter().all(|check| check.depends) {
            return "launches differ by what else is measured, or when, and more of them would not \
                    change that"
                .into();
        }
        let now = open.iter().map(|check| check.launches()).max().unwrap_or(0);
        if now < LAUNCHES_MIN {
            return format!(
                "{LAUNCHES_MIN} launches would show how they differ and give intervals; with \
                 fewer, {} is allowed for that on top of the margin of {}",
                format::percent(LAUNCH_SLACK),
                format::percent(self.levels.margin.value())
            );
        }
        match evidence.launches_needed() {
            Some(launches) => format!(
                "about {launches} launches instead of {now}, that is about {:.0} × the budget, \
                 would decide it",
                (launches as f64 / now as f64).ceil()
            ),
            None => "it lies so close to the claimed limit that no number of launches is expected \
                     to decide it"
                .into(),
        }
    }

    /// A ratio for print, beside what it is held against: 1, the margin, the ends of the claim.
    fn figure(&self, ratio: &RatioFinding, check: &Check) -> Figure {
        let margin = self.levels.margin.log();
        let Claimed { shown, possible, .. } = check.claimed;
        let ends = [margin, shown.low, shown.high, possible.low, possible.high];
        // The claim may be of the reciprocal of what is told.
        let bounds = ends.into_iter().filter(|end| end.is_finite());
        let bounds: Vec<f64> = bounds.flat_map(|end| [end.exp(), (-end).exp()]).collect();
        let bounds = [&[1.0], &bounds[..]].concat();
        Figure::against(ratio.value, ratio.interval.map(Interval::ends), &bounds)
    }

    fn interval(&self, ratio: &Figure, check: &Check) -> String {
        let over = match &check.times {
            Times::Unpaired(_) => " over unpaired blocks",
            Times::Paired(Unit::Block, _) => " over blocks",
            _ => "",
        };
        match ratio.ends_in_words() {
            Some(ends) => {
                let confidence = format::percent(self.levels.confidence.value());
                format!("{confidence} interval{over} {ends}")
            }
            None => "too few launches for an interval".into(),
        }
    }
}

fn are(count: usize) -> String {
    if count == 1 { "1 is".into() } else { format!("{count} are") }
}

/// What was not there to be compared.
fn lack(evidence: &Evidence) -> Option<String> {
    let mut clauses = Vec::new();
    if !evidence.missing.is_empty() {
        clauses.push(format!("not measured in this panel: {}", evidence.missing.join("; ")));
    }
    if !evidence.unknown.is_empty() {
        let macs = format::list(&evidence.unknown);
        clauses.push(format!("unknown: how many calls of the primitive {macs} makes"));
    }
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

fn takes([first, second]: [&CellFinding; 2], times: &str) -> Option<String> {
    room(&first.cell.regime).takes(second.cell.regime, &first.called, times)
}

/// How one regime is beside another, and what both share.
pub(super) fn against(
    [first, second]: [&CellFinding; 2],
    what: Quantity,
    times: &str,
) -> (String, Option<String>) {
    let [one, two] = [first, second].map(|it| it.cell.regime);
    if let Some(words) = takes([first, second], times) {
        return (words, None);
    }
    let mac = &first.called;
    let Contrast { shared, own: [own, other], are_quantities } = contrasted(one, two);
    let words = match (what, &shared) {
        (Quantity::Preemptions, Some(_)) => {
            format!("threads of {mac} are preempted {times} as often {own} as {other}")
        }
        (Quantity::Preemptions, None) => {
            format!("threads of {mac} {own} are preempted {times} as often {other}")
        }
        (_, None) => format!("{mac} takes {times} the time {own} that it takes {other}"),
        _ if are_quantities => format!("{own} of {mac} is {times} its {other}"),
        _ => format!("{mac} takes {times} as long {own} as {other}"),
    };
    (words, shared)
}
