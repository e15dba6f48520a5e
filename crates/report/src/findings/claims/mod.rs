//! What becomes of published sentences: each is taken apart into elementary comparisons, each
//! comparison holds, is contradicted or stays open, and the sentence follows from all of them.
//! Every panel gives its own verdict. One file a kind of sentence.

mod brief;
mod by_source;
mod check;
mod contrast;
mod crossover;
mod decided;
mod direct;
mod elsewhere;
mod falling;
mod family;
mod finding;
mod launches_differ;
mod not_normal;
mod open;
mod pairs;
mod proportional;
mod ratio;
mod reason;
mod reordered;
mod same_order;
mod same_spread;
mod sample;
mod uneven;
mod unsettled;
mod without_files;

pub use decided::sentence as decided;
pub use finding::{ClaimFinding, ClaimVerdict, Effect, PanelVerdict, Quantity};
pub use open::{OpenComparison, open};

use lab::record::Run;
use lab::study::{Choose, Claim, Panel, Statement, fits_any};
use stats::Margin;

use super::series::Series;
use super::sessions::Disturbed;
use super::{CellFinding, Group, Levels, SizeFinding};
use check::{Check, Outcome};

/// One finding a claim.
pub(super) fn all(
    run: &Run,
    groups: &[Group],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<ClaimFinding> {
    let tell = |claim: &Claim| {
        let judge = Judge::of(run, claim, cells, series, levels);
        let asked = run.study.panels.iter().filter(|panel| claim.asks(panel));
        ClaimFinding {
            id: claim.id.clone(),
            text: claim.text.clone(),
            quoted: claim.quoted(),
            source: claim.source.clone(),
            under: decided::under(&run.study, claim),
            decided: decided(&run.study, claim),
            panels: asked.map(|panel| judge.panel(panel, claim, groups)).collect(),
        }
    };
    run.study.claims.iter().map(tell).collect()
}

/// Whether the cells of a group decide a claim.
fn concerns(claim: &Claim, part: &str, group: &Group) -> bool {
    let is_other = claim.part != part;
    claim.is_in(part)
        && (is_other || claim.cases.is_empty() || claim.cases.contains(&group.case))
        && (claim.key_lives.is_empty() || claim.key_lives.contains(&group.key_life))
        && claim.is_about(group.regime)
}

/// What speaks for and against a claim in one panel.
#[derive(Default)]
struct Evidence {
    /// Whether nothing that could decide is part of the run.
    is_elsewhere: bool,
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

    /// Confirmed where all hold, refuted where one is contradicted.
    fn verdict(&self) -> ClaimVerdict {
        match () {
            () if self.is_elsewhere => ClaimVerdict::Elsewhere,
            () if self.count(Outcome::Contradicted) > 0 => ClaimVerdict::Refuted,
            () if self.is_whole() && self.count(Outcome::Open) == 0 => ClaimVerdict::Confirmed,
            () => ClaimVerdict::Undecided,
        }
    }

    /// Launches in all with which every comparison that is open is expected to be decided.
    fn launches_needed(&self) -> Option<usize> {
        let open = self.checks.iter().filter(|check| check.outcome == Outcome::Open);
        let needed: Option<Vec<usize>> = open.map(Check::launches_needed).collect();
        needed?.into_iter().max()
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
    run: &'a Run,
    cells: &'a [CellFinding],
    series: &'a [Series],
    levels: Levels,
    /// Whether the claim is told with the one load of sessions that all of its cells are under:
    /// then its sentences need not say it again.
    load_is_told: bool,
    /// Macs that the claim says nothing about.
    not: &'a [String],
}

impl<'a> Judge<'a> {
    /// By the claim's own margin, or the study's.
    fn of(
        run: &'a Run,
        claim: &'a Claim,
        cells: &'a [CellFinding],
        series: &'a [Series],
        levels: Levels,
    ) -> Self {
        let margin = claim.margin.and_then(|margin| Margin::new(margin).ok());
        let levels = Levels { margin: margin.unwrap_or(levels.margin), ..levels };
        let load_is_told = decided::under(&run.study, claim).is_some();
        Judge { run, cells, series, levels, load_is_told, not: &claim.not }
    }

    /// Everything that a panel has to say about a claim, decided.
    fn evidence(&self, panel: &Panel, claim: &Claim, groups: &[Group]) -> Evidence {
        let decides = |group: &&Group| {
            group.panel == panel.name
                && concerns(claim, &self.run.study.parts[group.part].name, group)
        };
        let own: Vec<&Group> = groups.iter().filter(decides).collect();
        let mut evidence = Evidence { is_elsewhere: own.is_empty(), ..Evidence::default() };
        for scope in scopes(panel, claim, &own) {
            self.gather(claim, &scope, &mut evidence);
        }
        // Nothing compared confirms nothing.
        if evidence.checks.is_empty() && evidence.is_whole() {
            evidence.lacks(sought(claim));
        }
        self.decide(&mut evidence.checks);
        self.set_beside_memory(&mut evidence);
        evidence
    }

    /// Decides all comparisons of a claim together. Those that rest on windows which others
    /// disturbed stay open, unless they show more than the time which others had could make.
    fn decide(&self, checks: &mut [Check]) {
        family::decide(checks, self.levels.confidence);
        for check in checks {
            let slack = self.disturbance(check);
            check.disturbed = slack.is_some_and(|it| check.settled || !check.stands_beyond(it));
            if check.disturbed {
                check.outcome = Outcome::Open;
            }
        }
    }

    /// By how much, on the logarithmic scale, others may have changed what a comparison rests on;
    /// absent where nobody disturbed its windows.
    fn disturbance(&self, check: &Check) -> Option<f64> {
        let cells = [check.first, check.second].map(|at| self.cells[at].disturbed);
        let slack = |it: &Disturbed| match it.overcharged {
            0 => -it.least_share.ln(),
            _ => f64::INFINITY,
        };
        cells.iter().flatten().map(slack).reduce(f64::max)
    }

    fn panel(&self, panel: &Panel, claim: &Claim, groups: &[Group]) -> PanelVerdict {
        if let Some(why) = claim.statement().and_then(elsewhere::why) {
            return elsewhere::verdict(panel, &why);
        }
        if !claim.statement().is_none_or(|it| it.is_compared()) {
            return self.direct(panel, claim, groups);
        }
        let evidence = self.evidence(panel, claim, groups);
        let verdict = evidence.verdict();
        let telling = telling(&evidence.checks, verdict);
        let is_open = verdict == ClaimVerdict::Undecided;
        PanelVerdict {
            panel: panel.name.clone(),
            panel_title: panel.title.clone(),
            verdict,
            comparisons: evidence.checks.len(),
            hold: evidence.count(Outcome::Holds),
            contradicted: evidence.count(Outcome::Contradicted),
            open: evidence.count(Outcome::Open),
            launches_needed: evidence.launches_needed().filter(|_| is_open),
            effect: telling.and_then(Check::effect),
            by_source: self.by_source(panel, claim, groups, &evidence.checks),
            reason: self.reason(verdict, &evidence, telling),
            brief: self.brief(verdict, &evidence, telling),
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
            Some(Statement::SameOrder(macs, least)) => {
                same_order::gather(self, (macs, least), &claim.regimes, scope, evidence);
            }
            Some(Statement::Uneven(it)) => uneven::gather(self, it, scope, evidence),
            // Decided otherwise, or not at all.
            Some(_) => {}
            None => evidence.lacks("the claim says nothing that can be decided".into()),
        }
    }

    /// The cells of one size whose macs are wanted, measured or yet to be.
    fn places(&self, size: &SizeFinding, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let sound = |at: &usize| self.run.cells[*at].excluded.is_none();
        let places = size.ranking.iter().map(|row| row.cell).filter(sound);
        let is_wanted = |mac: &str| wanted(mac) && !fits_any(self.not, mac);
        places.filter(|&at| is_wanted(&self.cells[at].cell.candidate.mac)).collect()
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
/// is of two regimes, of one case or of two parts: there the groups of a key life and regime are
/// one, or those of a key life and case, or all of a key life.
fn scopes<'a>(panel: &Panel, claim: &Claim, groups: &[&'a Group]) -> Vec<Scope<'a>> {
    let joins = |one: &Group, other: &Group| match claim.statement() {
        Some(Statement::Ratio(_)) => one.regime == other.regime,
        Some(Statement::Contrast(it)) => one.case == other.case || it.to_part.is_some(),
        Some(Statement::SameOrder(..)) => one.case == other.case,
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
            format!("no two MACs of {} at two lengths", macs.join(", "))
        }
        Some(Statement::SameOrder(macs, _)) => {
            format!("no order of {} in two regimes", macs.join(", "))
        }
        Some(Statement::Uneven(it)) => {
            format!("no windows of {} as {}", it.macs.join(", "), it.regime)
        }
        _ => String::new(),
    }
}

/// The comparison that decides: the strongest against the claim, else the one that is furthest from
/// being decided, else of those that hold the one nearest to the contrary.
fn telling(checks: &[Check], verdict: ClaimVerdict) -> Option<&Check> {
    let of = |wanted: Outcome| checks.iter().filter(move |check| check.outcome == wanted);
    let by_size = |x: &&Check, y: &&Check| x.size().total_cmp(&y.size());
    match verdict {
        ClaimVerdict::Refuted => of(Outcome::Contradicted).max_by(by_size),
        ClaimVerdict::Undecided | ClaimVerdict::Elsewhere => {
            let told = of(Outcome::Open).filter(|check| check.log_ratio.is_some());
            told.max_by(|x, y| x.shrink().total_cmp(&y.shrink()))
        }
        ClaimVerdict::Confirmed => {
            let strict = checks.iter().filter(|check| check.claimed.sense.is_strict());
            strict.min_by(by_size).or_else(|| checks.iter().max_by(by_size))
        }
    }
}
