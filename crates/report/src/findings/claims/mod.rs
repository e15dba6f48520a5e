//! What becomes of published sentences: each is taken apart into elementary comparisons, each
//! comparison holds, is contradicted or stays open, and the sentence follows from all of them.
//! Every panel gives its own verdict. One file a kind of sentence.

mod contrast;
mod crossover;
mod decided;
mod falling;
mod pairs;
mod proportional;
mod rates;
mod ratio;
mod reason;
mod reordered;
mod same_trend;
mod told;

pub use decided::sentence as decided;
pub use told::{ClaimFinding, ClaimVerdict, Effect, PanelVerdict, Quantity};

use lab::record::Run;
use lab::study::{Choose, Claim, Panel, Statement, fits_any};
use stats::{Margin, Verdict};

use super::series::Series;
use super::{CellFinding, Group, Interval, Levels, RatioFinding, SizeFinding};

/// One finding a claim.
pub(super) fn all(
    run: &Run,
    groups: &[Group],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<ClaimFinding> {
    let tell = |claim: &Claim| {
        let margin = claim.margin.and_then(|margin| Margin::new(margin).ok());
        let levels = Levels { margin: margin.unwrap_or(levels.margin), ..levels };
        let judge = Judge { cells, series, levels };
        let verdict = |panel: &Panel| {
            let decides = |group: &&Group| {
                group.panel == panel.name
                    && concerns(claim, &run.study.parts[group.part].name, group)
            };
            let own: Vec<&Group> = groups.iter().filter(decides).collect();
            judge.panel(panel, claim, &own)
        };
        ClaimFinding {
            id: claim.id.clone(),
            text: claim.text.clone(),
            source: claim.source.clone(),
            decided: decided(&run.study, claim),
            panels: {
                let asked = run.study.panels.iter().filter(|panel| claim.asks(panel));
                asked.map(verdict).collect()
            },
        }
    };
    run.study.claims.iter().map(tell).collect()
}

/// Whether the cells of a group decide a claim.
fn concerns(claim: &Claim, part: &str, group: &Group) -> bool {
    claim.part == part
        && (claim.cases.is_empty() || claim.cases.contains(&group.case))
        && (claim.key_lives.is_empty() || claim.key_lives.contains(&group.key_life))
        && claim.is_about(group.regime)
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

/// One elementary comparison.
#[derive(Clone)]
struct Check {
    effect: Effect,
    /// What the interval says of the pair.
    verdict: Verdict,
    outcome: Outcome,
    /// Whether a difference was claimed: then the narrowest that holds is worth telling, else the
    /// widest.
    strict: bool,
    /// How far it is from what decides, on the logarithmic scale.
    size: f64,
    /// Whether it was made without pairs, for want of launches.
    unpaired: bool,
    /// Whether the claim is of the reciprocal: the one that takes less time over the other.
    inverted: bool,
    /// The ends that the claim itself names.
    bounds: Vec<f64>,
    /// What is worth saying beside it.
    aside: Option<String>,
}

/// What speaks for and against a claim in one panel.
#[derive(Default)]
struct Evidence {
    checks: Vec<Check>,
    /// What should have been measured.
    missing: Vec<String>,
    /// Macs whose calls of the primitive should have been known.
    unknown: Vec<String>,
}

impl Evidence {
    fn lacks(&mut self, what: String) {
        if !self.missing.contains(&what) {
            self.missing.push(what);
        }
    }

    fn does_not_know_calls_of(&mut self, mac: &str) {
        if !self.unknown.iter().any(|known| known == mac) {
            self.unknown.push(mac.to_owned());
        }
    }

    fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.unknown.is_empty()
    }

    fn count(&self, wanted: Outcome) -> usize {
        self.checks.iter().filter(|check| check.outcome == wanted).count()
    }
}

/// The cells that decide together: of one group, or of several (see [`scopes`]).
struct Scope<'a> {
    group: &'a Group,
    sizes: Vec<&'a SizeFinding>,
    choose: Choose,
}

struct Judge<'a> {
    cells: &'a [CellFinding],
    series: &'a [Series],
    levels: Levels,
}

impl Judge<'_> {
    fn panel(&self, panel: &Panel, claim: &Claim, groups: &[&Group]) -> PanelVerdict {
        if let Some(Statement::SameTrend(..)) = claim.statement() {
            return same_trend::elsewhere(panel);
        }
        let mut evidence = Evidence::default();
        for scope in scopes(panel, claim, groups) {
            self.gather(claim, &scope, &mut evidence);
        }
        // Nothing compared confirms nothing.
        if evidence.checks.is_empty() && evidence.is_whole() {
            evidence.lacks(sought(claim));
        }
        let hold = evidence.count(Outcome::Holds) + evidence.count(Outcome::HoldsByPaper);
        let contradicted = evidence.count(Outcome::Contradicted);
        let verdict = match () {
            () if contradicted > 0 => ClaimVerdict::Refuted,
            () if evidence.is_whole() && hold == evidence.checks.len() => ClaimVerdict::Confirmed,
            () => ClaimVerdict::Undecided,
        };
        let telling = telling(&evidence.checks, verdict);
        PanelVerdict {
            panel: panel.name.clone(),
            panel_title: panel.title.clone(),
            verdict,
            comparisons: evidence.checks.len(),
            hold,
            contradicted,
            effect: telling.map(|check| check.effect.clone()),
            reason: self.reason(verdict, &evidence, telling),
        }
    }

    fn gather(&self, claim: &Claim, scope: &Scope<'_>, evidence: &mut Evidence) {
        match claim.statement() {
            Some(Statement::Ordering(text)) => pairs::ordering(self, text, scope, evidence),
            Some(Statement::Faster(faster, than)) => {
                pairs::faster(self, faster, than, scope, evidence);
            }
            Some(Statement::Falling(macs)) => falling::gather(self, macs, scope, evidence),
            Some(Statement::Ratio(ratio)) => ratio::gather(self, ratio, scope, evidence),
            Some(Statement::Proportional(macs)) => {
                proportional::gather(self, macs, scope, evidence);
            }
            Some(Statement::Crossover(it)) => crossover::gather(self, it, scope, evidence),
            Some(Statement::Contrast(it)) => contrast::gather(self, it, scope, evidence),
            Some(Statement::Reordered(macs)) => reordered::gather(self, macs, scope, evidence),
            Some(Statement::SameTrend(..)) => {}
            None => evidence.lacks("the claim says nothing that can be decided".into()),
        }
    }

    /// The cells of one size whose macs are wanted, where they could be ranked.
    fn places(&self, size: &SizeFinding, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let ranked = size.ranking.iter().filter(|row| row.rank.is_some()).map(|row| row.cell);
        ranked.filter(|&at| wanted(&self.cells[at].cell.candidate.mac)).collect()
    }

    /// Of each candidate whose mac fits, its cells by ascending length.
    fn by_candidate(&self, macs: &[String], scope: &Scope<'_>) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for size in &scope.sizes {
            for at in self.places(size, |mac| fits_any(macs, mac)) {
                let own = |row: &&mut Vec<usize>| {
                    self.cells[row[0]].cell.candidate == self.cells[at].cell.candidate
                };
                match rows.iter_mut().find(own) {
                    Some(row) => row.push(at),
                    None => rows.push(vec![at]),
                }
            }
        }
        rows
    }

    /// Of pairs of offers those that one provider has both of: two libraries side by side say
    /// little of two macs. Where the panel has chosen an offer for each mac, or no provider has
    /// both, all.
    fn alike(&self, pairs: Vec<(usize, usize)>, choose: Choose) -> Vec<(usize, usize)> {
        let provider = |at: usize| &self.cells[at].cell.candidate.provider;
        let same = |pair: &&(usize, usize)| provider(pair.0) == provider(pair.1);
        let alike: Vec<_> = pairs.iter().filter(same).copied().collect();
        if choose == Choose::Fastest || alike.is_empty() { pairs } else { alike }
    }
}

/// The cells that decide, group by group. A ratio may be of macs of different cases, and a contrast
/// is of two regimes, all of which are measured in the same blocks: there the groups of a key life
/// and regime are one, or those of a key life and case.
fn scopes<'a>(panel: &Panel, claim: &Claim, groups: &[&'a Group]) -> Vec<Scope<'a>> {
    let joins = |one: &Group, other: &Group| match claim.statement() {
        Some(Statement::Ratio(_)) => one.regime == other.regime,
        Some(Statement::Contrast(_)) => one.case == other.case,
        _ => false,
    };
    let mut scopes: Vec<Scope<'a>> = Vec::new();
    for &group in groups {
        let sizes = group.sizes.iter().filter(|size| claim.concerns(size.len_bytes));
        let is_same = |scope: &&mut Scope<'_>| {
            scope.group.key_life == group.key_life && joins(scope.group, group)
        };
        match scopes.iter_mut().find(is_same) {
            Some(scope) => scope.sizes.extend(sizes),
            None => {
                scopes.push(Scope { group, sizes: sizes.collect(), choose: panel.choose });
            }
        }
    }
    scopes
}

/// What a claim would have compared, had it been there.
fn sought(claim: &Claim) -> String {
    match claim.statement() {
        None => String::new(),
        Some(Statement::Ordering(text)) => format!("no pair of {text}"),
        Some(Statement::Faster(faster, than)) => {
            format!("no pair of {} and {}", faster.join(", "), than.join(", "))
        }
        Some(Statement::Ratio(it)) => format!("no pair of {} and {}", it.slower, it.faster),
        Some(Statement::Crossover(it)) => format!("no pair of {} and {}", it.below, it.above),
        Some(Statement::Falling(macs) | Statement::Proportional(macs)) => {
            format!("no two lengths of {}", macs.join(", "))
        }
        Some(Statement::Contrast(it)) => {
            format!("{} as {} and as {}", it.macs.join(", "), it.regime, it.to)
        }
        Some(Statement::Reordered(macs)) => {
            format!("no two macs of {} at two lengths", macs.join(", "))
        }
        Some(Statement::SameTrend(macs, _)) => format!("no order of {}", macs.join(", ")),
    }
}

/// The comparison that decides: the strongest against the claim, else the first that is open, else
/// the narrowest of those that hold.
fn telling(checks: &[Check], verdict: ClaimVerdict) -> Option<&Check> {
    let of = |wanted: Outcome| checks.iter().filter(move |check| check.outcome == wanted);
    match verdict {
        ClaimVerdict::Refuted => of(Outcome::Contradicted).max_by(|x, y| x.size.total_cmp(&y.size)),
        ClaimVerdict::Undecided => of(Outcome::Open).next(),
        ClaimVerdict::Confirmed => {
            let strict = checks.iter().filter(|check| check.strict);
            let narrowest = strict.min_by(|x, y| x.size.total_cmp(&y.size));
            narrowest.or_else(|| checks.iter().max_by(|x, y| x.size.total_cmp(&y.size)))
        }
    }
}

/// Two cells with their ratio, the one that takes longer first.
fn effect(first: usize, second: usize, over: RatioFinding, quantity: Quantity) -> Effect {
    if over.value >= 1.0 {
        return Effect { slower: first, faster: second, ratio: over, quantity };
    }
    Effect { slower: second, faster: first, ratio: reversed(over), quantity }
}

fn reversed(ratio: RatioFinding) -> RatioFinding {
    let interval = ratio.interval.map(|it| Interval {
        low: 1.0 / it.high,
        high: 1.0 / it.low,
        confidence: it.confidence,
    });
    RatioFinding { value: 1.0 / ratio.value, interval }
}

/// A ratio as `stats` has it, as findings tell it.
fn finding(value: f64, interval: Option<&stats::RatioInterval>) -> RatioFinding {
    let interval = interval.map(|it| Interval {
        low: it.low,
        high: it.high,
        confidence: it.confidence_achieved,
    });
    RatioFinding { value, interval }
}
