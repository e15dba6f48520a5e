//! What becomes of published sentences: each is taken apart into comparisons of two cells, each
//! comparison holds, is contradicted or stays open, and the sentence follows from all of them.
//! Every panel gives its own verdict.

use lab::record::Run;
use lab::study::{Claim, fits_any};
use stats::{Comparison, Relation, Verdict};

use super::ranks::inverse;
use super::series::{Series, paired};
use super::{
    CellFinding, ClaimFinding, ClaimVerdict, Effect, Group, Levels, PanelVerdict, PaperTests,
    SizeFinding, key_life_words,
};
use crate::format;

/// One finding a claim.
pub(super) fn all(
    run: &Run,
    groups: &[Group],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<ClaimFinding> {
    let judge = Judge { cells, series, levels };
    let tell = |claim: &Claim| ClaimFinding {
        id: claim.id.clone(),
        text: claim.text.clone(),
        source: claim.source.clone(),
        panels: run
            .study
            .panels
            .iter()
            .map(|panel| {
                let decides = |group: &&Group| {
                    run.study.parts[group.part].name == claim.part
                        && group.panel == panel.name
                        && (claim.cases.is_empty() || claim.cases.contains(&group.case))
                };
                let own: Vec<&Group> = groups.iter().filter(decides).collect();
                judge.panel((&panel.name, &panel.title), claim, &own)
            })
            .collect(),
    };
    run.study.claims.iter().map(tell).collect()
}

/// How one comparison ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Holds,
    /// Held to be equal because the paper's own test shows no difference.
    HoldsByPaper,
    Contradicted,
    Open,
}

/// Two cells of which something is claimed.
struct Check {
    /// The one said to take longer.
    slow: usize,
    /// The one said to take less time, or just as long.
    fast: usize,
    wanted: Relation,
    /// `fast` against `slow`.
    comparison: Comparison,
    outcome: Outcome,
}

struct Judge<'a> {
    cells: &'a [CellFinding],
    series: &'a [Series],
    levels: Levels,
}

impl Judge<'_> {
    fn panel(&self, (name, title): (&str, &str), claim: &Claim, groups: &[&Group]) -> PanelVerdict {
        let (mut checks, mut missing) = (Vec::new(), Vec::new());
        for group in groups {
            for size in &group.sizes {
                let tests = size.tests.as_ref().or(group.tests.as_ref());
                match &claim.ordering {
                    Some(ordering) => {
                        self.ordering(ordering, size, tests, &mut checks, &mut missing);
                    }
                    None => self.faster_than(claim, size, &mut checks),
                }
            }
        }
        // Nothing compared confirms nothing.
        if checks.is_empty() && missing.is_empty() {
            let sought = [claim.faster.join(", "), claim.than.join(", ")].join(" and ");
            missing.push(format!("no pair of {}", claim.ordering.as_ref().unwrap_or(&sought)));
        }
        let count = |wanted: fn(Outcome) -> bool| {
            checks.iter().filter(|check| wanted(check.outcome)).count()
        };
        let hold = count(|it| matches!(it, Outcome::Holds | Outcome::HoldsByPaper));
        let contradicted = count(|it| it == Outcome::Contradicted);
        let verdict = match () {
            () if contradicted > 0 => ClaimVerdict::Refuted,
            () if missing.is_empty() && hold == checks.len() => ClaimVerdict::Confirmed,
            () => ClaimVerdict::Undecided,
        };
        let telling = telling(&checks, verdict);
        PanelVerdict {
            panel: name.into(),
            panel_title: title.into(),
            verdict,
            comparisons: checks.len(),
            hold,
            contradicted,
            effect: telling.map(|check| self.effect(check)),
            reason: self.reason(verdict, &checks, telling, &missing),
        }
    }

    /// `a < b = c` is about speeds: a is slower than b, and b as fast as c.
    fn ordering(
        &self,
        ordering: &str,
        size: &SizeFinding,
        tests: Option<&PaperTests>,
        checks: &mut Vec<Check>,
        missing: &mut Vec<String>,
    ) {
        let words: Vec<&str> = ordering.split_whitespace().collect();
        let of = |mac: &str| self.places(size, |own| own == mac);
        for mac in words.iter().step_by(2).filter(|mac| of(mac).is_empty()) {
            let text = format!("{mac} at {}", format::bytes(size.len_bytes));
            if !missing.contains(&text) {
                missing.push(text);
            }
        }
        for step in words.windows(3).step_by(2) {
            let wanted = if step[1] == "=" { Relation::Equal } else { Relation::Less };
            for slow in of(step[0]) {
                for fast in of(step[2]) {
                    checks.extend(self.check(slow, fast, wanted, tests));
                }
            }
        }
    }

    fn faster_than(&self, claim: &Claim, size: &SizeFinding, checks: &mut Vec<Check>) {
        let fasts = self.places(size, |mac| fits_any(&claim.faster, mac));
        for slow in self.places(size, |mac| fits_any(&claim.than, mac)) {
            for &fast in fasts.iter().filter(|&&fast| fast != slow) {
                checks.extend(self.check(slow, fast, Relation::Less, None));
            }
        }
    }

    fn places(&self, size: &SizeFinding, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let ranked = size.ranking.iter().filter(|row| row.rank.is_some()).map(|row| row.cell);
        ranked.filter(|&at| wanted(&self.cells[at].cell.candidate.mac)).collect()
    }

    fn check(
        &self,
        slow: usize,
        fast: usize,
        wanted: Relation,
        tests: Option<&PaperTests>,
    ) -> Option<Check> {
        let (_, pair) = paired(&[&self.series[fast], &self.series[slow]]);
        let Levels { confidence, margin, .. } = self.levels;
        let comparison = Comparison::between(&pair[0], &pair[1], confidence, margin).ok()?;
        let outcome = match (wanted, comparison.verdict) {
            (Relation::Less, Verdict::Faster) | (Relation::Equal, Verdict::Equivalent) => {
                Outcome::Holds
            }
            (_, Verdict::Slower) | (Relation::Equal, Verdict::Faster) => Outcome::Contradicted,
            (Relation::Equal, _) if self.paper_shows_none(tests, slow, fast) => {
                Outcome::HoldsByPaper
            }
            _ => Outcome::Open,
        };
        Some(Check { slow, fast, wanted, comparison, outcome })
    }

    /// Whether the paper's one-tailed signed-rank test leaves the two equal.
    fn paper_shows_none(&self, tests: Option<&PaperTests>, slow: usize, fast: usize) -> bool {
        let Some(tests) = tests else { return false };
        let candidate = |at: usize| &self.cells[at].cell.candidate;
        let name = |at: usize| {
            let mut columns = tests.columns.iter();
            columns.find(|(_, own)| candidate(*own) == candidate(at)).map(|(name, _)| name)
        };
        let (Some(slow), Some(fast)) = (name(slow), name(fast)) else { return false };
        let pair =
            tests.analysis.wilcoxon.iter().find(|pair| {
                (&pair.a, &pair.b) == (slow, fast) || (&pair.a, &pair.b) == (fast, slow)
            });
        pair.is_some_and(|pair| pair.test.p_one_tailed >= self.levels.alpha.value())
    }

    /// The comparison told with the one that takes longer first.
    fn effect(&self, check: &Check) -> Effect {
        let ratio = inverse(&check.comparison);
        if ratio.value <= 1.0 {
            return Effect { slower: check.slow, faster: check.fast, ratio: reversed(ratio) };
        }
        Effect { slower: check.fast, faster: check.slow, ratio }
    }

    fn reason(
        &self,
        verdict: ClaimVerdict,
        checks: &[Check],
        telling: Option<&Check>,
        missing: &[String],
    ) -> String {
        let Some(check) = telling else {
            return format!("undecided: not measured in this panel: {}", missing.join("; "));
        };
        let effect = self.words(&self.effect(check), check.comparison.verdict);
        let total = checks.len();
        match verdict {
            ClaimVerdict::Refuted => {
                let against = checks.iter().filter(|it| it.outcome == Outcome::Contradicted);
                let against = against.count();
                let verb = if against == 1 { "contradicts" } else { "contradict" };
                format!("refuted: {effect}; {against} of {total} comparisons {verb} it")
            }
            ClaimVerdict::Confirmed => {
                let by_paper =
                    checks.iter().filter(|it| it.outcome == Outcome::HoldsByPaper).count();
                let how = match by_paper {
                    0 => String::new(),
                    some => format!(
                        " ({some} because the paper's own Wilcoxon test shows no difference)"
                    ),
                };
                let narrowest = if total == 1 { "" } else { "; the narrowest: " };
                let all = match total {
                    1 => String::new(),
                    _ => format!("all {total} comparisons hold{how}"),
                };
                format!("confirmed: {all}{narrowest}{effect}")
            }
            ClaimVerdict::Undecided if !missing.is_empty() => {
                format!("undecided: not measured in this panel: {}", missing.join("; "))
            }
            ClaimVerdict::Undecided => {
                let open = checks.iter().filter(|it| it.outcome == Outcome::Open).count();
                let verb = if open == 1 { "shows" } else { "show" };
                format!("undecided: {open} of {total} comparisons {verb} neither; {effect}")
            }
        }
    }

    /// `hmac-sha256 takes 3.1 × the time of cmac-aes-128 (95 % interval 3.0 to 3.2; openssl[sha-ni]
    /// against macs[aes-ni], 64 B, key prepared)`.
    fn words(&self, effect: &Effect, verdict: Verdict) -> String {
        let [slower, faster] = [effect.slower, effect.faster].map(|at| &self.cells[at]);
        let interval = match effect.ratio.interval {
            Some(it) => format!(
                "{} interval {}",
                format::percent(self.levels.confidence.value()),
                format::ends_in_words(it.low, it.high)
            ),
            None => "too few launches for an interval".into(),
        };
        let equivalent = match verdict {
            Verdict::Equivalent => {
                format!(", equivalent within {}", format::percent(self.levels.margin.value()))
            }
            _ => String::new(),
        };
        format!(
            "{} takes {} the time of {}{equivalent} ({interval}; {} against {}, {}, {})",
            slower.cell.candidate.mac,
            format::times(effect.ratio.value),
            faster.cell.candidate.mac,
            slower.source(),
            faster.source(),
            format::bytes(slower.cell.len_bytes),
            key_life_words(slower.cell.key_life)
        )
    }
}

/// The comparison that decides: the strongest against the claim, else the first that is open, else
/// the narrowest of those that hold.
fn telling(checks: &[Check], verdict: ClaimVerdict) -> Option<&Check> {
    let size = |check: &&Check| check.comparison.ratio.log_ratio.abs();
    let of = |wanted: Outcome| checks.iter().filter(move |check| check.outcome == wanted);
    match verdict {
        ClaimVerdict::Refuted => {
            of(Outcome::Contradicted).max_by(|x, y| size(x).total_cmp(&size(y)))
        }
        ClaimVerdict::Undecided => of(Outcome::Open).next(),
        ClaimVerdict::Confirmed => {
            let strict = checks.iter().filter(|check| check.wanted == Relation::Less);
            let narrowest = strict.min_by(|x, y| size(x).total_cmp(&size(y)));
            narrowest.or_else(|| checks.iter().max_by(|x, y| size(x).total_cmp(&size(y))))
        }
    }
}

fn reversed(ratio: super::RatioFinding) -> super::RatioFinding {
    super::RatioFinding {
        value: 1.0 / ratio.value,
        interval: ratio.interval.map(|it| super::Interval {
            low: 1.0 / it.high,
            high: 1.0 / it.low,
            confidence: it.confidence,
        }),
    }
}
