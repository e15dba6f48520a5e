//! A published sentence made checkable: whose cells decide, and what they must show.

mod error;
mod mistakes;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::{Panel, Part, fits_any};
use crate::cell::{KeyLife, Regime};
pub use error::{ClaimError, NamesRegimes};

/// A published sentence made checkable. It says exactly one thing: see [`Statement`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name within the study.
    pub id: String,
    /// The sentence, word for word as published, or a paraphrase of it.
    pub text: String,
    /// Whether it is no quotation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paraphrase: bool,
    /// Page, table or figure.
    pub source: String,
    /// How its source decided it, which is done again on the data of a run; absent: not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<PaperRule>,
    /// The part whose cells decide.
    pub part: String,
    /// The panels that give a verdict; absent: all of the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<String>,
    /// The cases whose cells decide; absent: all of the part.
    #[serde(default)]
    pub cases: Vec<String>,
    /// The key lives that decide; absent: all of the part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_lives: Vec<KeyLife>,
    /// The regimes that decide; absent: all of the part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regimes: Vec<Regime>,
    /// Macs or patterns of its part that it says nothing about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not: Vec<String>,
    /// The message lengths that decide; absent: all of the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SizeSpan>,
    /// Differences within this share do not count; absent: the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// An ordering of speeds: `cmac-aes-128 < hmac-sha224 = hmac-sha256`.
    #[serde(default)]
    pub ordering: Option<String>,
    /// Macs or patterns said to be faster …
    #[serde(default)]
    pub faster: Vec<String>,
    /// … than each of these.
    #[serde(default)]
    pub than: Vec<String>,
    /// Macs or patterns whose time of a byte is said to fall from each length to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub falling: Vec<String>,
    /// How many times longer one mac is said to take than another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<ClaimedRatio>,
    /// Macs or patterns whose time is said to be proportional to the calls of their primitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proportional: Vec<String>,
    /// Where one mac is said to overtake another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crossover: Option<ClaimedCrossover>,
    /// How one regime is said to differ from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contrast: Option<ClaimedContrast>,
    /// Macs or patterns whose order is said to change with the length of messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reordered: Vec<String>,
    /// Macs or patterns whose order is said to be the same in all `regimes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_order: Vec<String>,
    /// How unevenly sessions are said to be scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uneven: Option<ClaimedUneven>,
    /// Macs or patterns whose order is said to be the same on every machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_trend: Vec<String>,
    /// Rank correlation that makes a trend the same; absent: [`LEAST_TAU`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_tau: Option<f64>,
    /// Macs or patterns of whose samples none is said to be normally distributed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_normal: Vec<String>,
    /// Macs or patterns whose samples are said to have the same shape and spread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_spread: Vec<String>,
    /// Macs or patterns whose code is said to take different times in different launches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launches_differ: Vec<String>,
    /// Whose median is said not to be settled by so many calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<ClaimedUnsettled>,
    /// Why no measurement decides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
}

/// How a publication decided what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaperRule {
    /// Means beside each other.
    Means,
    /// Medians beside each other.
    Medians,
    /// Wilcoxon's signed-rank test of each pair, one-tailed at 5 %.
    Wilcoxon,
    /// One test of Friedman over all, at 5 %.
    Friedman,
}

/// Kendall's tau from which two orders are called the same, where a claim does not say: nine pairs
/// of ten are in the same order.
pub const LEAST_TAU: f64 = 0.8;

/// Message lengths from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeSpan {
    /// Shortest length in bytes; absent: the shortest there is.
    #[serde(default)]
    pub from: Option<u64>,
    /// Longest length in bytes; absent: the longest there is.
    #[serde(default)]
    pub to: Option<u64>,
}

impl SizeSpan {
    fn holds(self, len_bytes: u64) -> bool {
        self.from.is_none_or(|from| from <= len_bytes) && self.to.is_none_or(|to| len_bytes <= to)
    }
}

/// The time of one mac over the time of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedRatio {
    /// Who takes longer; `*` stands for the same in both names, or, here only, for every other mac.
    pub slower: String,
    /// Who takes less time.
    pub faster: String,
    /// The ratio is at least this.
    pub least: f64,
    /// And at most this; absent: it may be any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

impl ClaimedRatio {
    /// What the `*` of a pattern stands for in `name`; empty where there is no `*`.
    #[must_use]
    pub fn star<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
        match pattern.split_once('*') {
            None => (pattern == name).then_some(""),
            Some((head, tail)) => name.strip_prefix(head)?.strip_suffix(tail),
        }
    }
}

/// The median of a few calls is not settled yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedUnsettled {
    /// Macs or patterns.
    pub macs: Vec<String>,
    /// So many calls, each timed by itself.
    pub calls: u32,
}

/// One mac overtakes another as messages grow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedCrossover {
    /// Who is faster for messages up to `from`.
    pub below: String,
    /// Who is faster for messages of `to` and more.
    pub above: String,
    /// Length in bytes.
    pub from: u64,
    /// Length in bytes.
    pub to: u64,
}

/// The time of a mac in one regime over its time in another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedContrast {
    /// What is compared, where it is not the time.
    #[serde(default, skip_serializing_if = "Contrasted::is_time")]
    pub of: Contrasted,
    /// The regime that is told about …
    pub regime: Regime,
    /// … beside this one.
    pub to: Regime,
    /// The part in which that one is measured; absent: the part of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_part: Option<String>,
    /// Macs or patterns; absent: all.
    #[serde(default = "super::panel::everything", skip_serializing_if = "is_everything")]
    pub macs: Vec<String>,
    /// The ratio is at least this; absent: it may be any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// And at most this; absent: it may be any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

/// What a contrast compares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contrasted {
    /// The time of a message.
    #[default]
    Time,
    /// How often a thread of the sessions is put aside for another in a second of processor time.
    Preemptions,
}

impl Contrasted {
    fn is_time(&self) -> bool {
        *self == Self::Time
    }
}

/// Sessions that the system schedules unevenly: the apparent processing of the one that is
/// scheduled least over that of the one scheduled most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedUneven {
    /// Under which load: a regime of apparent processing.
    pub regime: Regime,
    /// Macs or patterns; absent: all.
    #[serde(default = "super::panel::everything", skip_serializing_if = "is_everything")]
    pub macs: Vec<String>,
    /// The ratio is more than this.
    pub least: f64,
}

fn is_everything(macs: &[String]) -> bool {
    matches!(macs, [all] if all == "*")
}

/// What a claim says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statement<'a> {
    /// Speeds from slow to fast.
    Ordering(&'a str),
    /// Each of the first is faster than each of the second.
    Faster(&'a [String], &'a [String]),
    /// The time of a byte falls as messages grow.
    Falling(&'a [String]),
    /// One takes so many times longer than the other.
    Ratio(&'a ClaimedRatio),
    /// The time is proportional to the calls of the primitive.
    Proportional(&'a [String]),
    /// One overtakes the other.
    Crossover(&'a ClaimedCrossover),
    /// One regime takes so many times longer than the other.
    Contrast(&'a ClaimedContrast),
    /// Some pair changes places as messages grow.
    Reordered(&'a [String]),
    /// The order is the same in several regimes: the macs, and the least rank correlation.
    SameOrder(&'a [String], f64),
    /// Sessions are scheduled unevenly.
    Uneven(&'a ClaimedUneven),
    /// The order is the same on every machine, which is decided between two runs: the macs, and the
    /// least rank correlation.
    SameTrend(&'a [String], f64),
    /// No sample is normally distributed.
    NotNormal(&'a [String]),
    /// All samples have the same shape and spread.
    SameSpread(&'a [String]),
    /// The same code takes different times in different launches.
    LaunchesDiffer(&'a [String]),
    /// A median of so few calls is not settled.
    Unsettled(&'a ClaimedUnsettled),
    /// It is a matter of argument: why no measurement decides it.
    Argument(&'a str),
}

impl Statement<'_> {
    /// Whether it is decided by comparing cells of one run.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        !matches!(
            self,
            Statement::SameTrend(..)
                | Statement::Argument(_)
                | Statement::NotNormal(_)
                | Statement::SameSpread(_)
                | Statement::LaunchesDiffer(_)
                | Statement::Unsettled(_)
        )
    }
}

/// What a claim can say, as its key in the file.
const KEYS: &str = "`ordering`, `faster` with `than`, `falling`, `ratio`, `proportional`, \
                    `crossover`, `contrast`, `reordered`, `same_order`, `uneven`, `same_trend`, \
                    `not_normal`, `same_spread`, `launches_differ`, `unsettled`, `argument`";

impl Claim {
    /// The sentence as it is printed: between quotation marks, but for a paraphrase.
    #[must_use]
    pub fn quoted(&self) -> String {
        if self.paraphrase { self.text.clone() } else { format!("“{}”", self.text) }
    }

    /// What it says; `None` where that is nothing, or more than one thing.
    #[must_use]
    pub fn statement(&self) -> Option<Statement<'_>> {
        match self.statements()[..] {
            [(_, only)] => Some(only),
            _ => None,
        }
    }

    fn statements(&self) -> Vec<(&'static str, Statement<'_>)> {
        let list = |items: &[String]| !items.is_empty();
        let pair = list(&self.faster) && list(&self.than);
        let least_tau = self.least_tau.unwrap_or(LEAST_TAU);
        let given = [
            self.ordering.as_ref().map(|it| ("ordering", Statement::Ordering(it))),
            pair.then_some(("faster", Statement::Faster(&self.faster, &self.than))),
            list(&self.falling).then_some(("falling", Statement::Falling(&self.falling))),
            self.ratio.as_ref().map(|it| ("ratio", Statement::Ratio(it))),
            list(&self.proportional)
                .then_some(("proportional", Statement::Proportional(&self.proportional))),
            self.crossover.as_ref().map(|it| ("crossover", Statement::Crossover(it))),
            self.contrast.as_ref().map(|it| ("contrast", Statement::Contrast(it))),
            list(&self.reordered).then_some(("reordered", Statement::Reordered(&self.reordered))),
            list(&self.same_order)
                .then_some(("same_order", Statement::SameOrder(&self.same_order, least_tau))),
            self.uneven.as_ref().map(|it| ("uneven", Statement::Uneven(it))),
            list(&self.same_trend)
                .then_some(("same_trend", Statement::SameTrend(&self.same_trend, least_tau))),
            list(&self.not_normal)
                .then_some(("not_normal", Statement::NotNormal(&self.not_normal))),
            list(&self.same_spread)
                .then_some(("same_spread", Statement::SameSpread(&self.same_spread))),
            list(&self.launches_differ)
                .then_some(("launches_differ", Statement::LaunchesDiffer(&self.launches_differ))),
            self.unsettled.as_ref().map(|it| ("unsettled", Statement::Unsettled(it))),
            self.argument.as_ref().map(|it| ("argument", Statement::Argument(it))),
        ];
        given.into_iter().flatten().collect()
    }

    /// Whether cells of this part decide: of its own, or of the other one that a contrast names.
    #[must_use]
    pub fn is_in(&self, part: &str) -> bool {
        let other = self.contrast.as_ref().and_then(|it| it.to_part.as_deref());
        self.part == part || other == Some(part)
    }

    /// Whether cells of this length decide.
    #[must_use]
    pub fn concerns(&self, len_bytes: u64) -> bool {
        self.sizes.is_none_or(|span| span.holds(len_bytes))
    }

    /// Whether a panel gives a verdict: one that is named, or all that speak in its part.
    #[must_use]
    pub fn asks(&self, panel: &Panel) -> bool {
        if self.panels.is_empty() {
            return panel.parts.is_empty() || panel.parts.contains(&self.part);
        }
        self.panels.contains(&panel.name)
    }

    /// Whether cells of this regime decide.
    #[must_use]
    pub fn is_about(&self, regime: Regime) -> bool {
        let own = self.own_regimes();
        match own.is_empty() {
            true => self.regimes.is_empty() || self.regimes.contains(&regime),
            false => own.contains(&regime),
        }
    }

    /// The regimes that its statement names by itself.
    fn own_regimes(&self) -> Vec<Regime> {
        let contrast = self.contrast.iter().flat_map(|it| [it.regime, it.to]);
        contrast.chain(self.uneven.iter().map(|it| it.regime)).collect()
    }

    /// The lengths of its part that decide, ascending.
    #[must_use]
    pub fn lengths(&self, part: &Part) -> Vec<u64> {
        part.lengths().into_iter().filter(|&len| self.concerns(len)).collect()
    }

    /// Whether enough of it is left in a narrowed study to be decided: all its cases, and one at
    /// least of its panels, key lives, regimes and lengths. Where the user named macs, of each side
    /// one too; where not, a mac that is not there is told as missing, for it may be misspelt.
    pub(crate) fn is_left_in(&self, panels: &[Panel], parts: &[Part], macs_named: bool) -> bool {
        let Some(part) = parts.iter().find(|part| part.name == self.part) else { return false };
        let is_left = |name: &String| part.cases.iter().any(|case| case.name == *name);
        let any = |own: usize, left: bool| own == 0 || left;
        let life = self.key_lives.iter().any(|life| part.key_lives.contains(life));
        let regimes = self.regimes.iter().filter(|regime| part.regimes.contains(regime)).count();
        let needed = if self.same_order.is_empty() { 1 } else { 2 };
        let own = self.uneven.as_ref().is_none_or(|it| part.regimes.contains(&it.regime));
        let both = self.contrast.as_ref().is_none_or(|it| {
            let other = it.to_part.as_ref().unwrap_or(&self.part);
            let mut others = parts.iter().filter(|part| part.name == *other);
            part.regimes.contains(&it.regime)
                && others.any(|part| part.regimes.contains(&it.to) && self.has_lengths_in(part))
        });
        self.cases.iter().all(is_left)
            && any(self.key_lives.len(), life)
            && any(self.regimes.len(), regimes >= needed)
            && own
            && both
            && panels.iter().any(|panel| self.asks(panel))
            && self.has_lengths_in(part)
            && (!macs_named || self.has_macs_in(part))
    }

    /// What is told of lengths beside each other needs two of them.
    fn has_lengths_in(&self, part: &Part) -> bool {
        let needed = if matches!(self.statement(), Some(Statement::Reordered(_))) { 2 } else { 1 };
        self.lengths(part).len() >= needed
    }

    fn has_macs_in(&self, part: &Part) -> bool {
        let decides = |name: &String| self.cases.is_empty() || self.cases.contains(name);
        let cases = part.cases.iter().filter(|case| decides(&case.name));
        let macs: Vec<&String> = cases.flat_map(|case| &case.macs).collect();
        let any = |side: &[String]| macs.iter().any(|mac| fits_any(side, mac));
        let two = |side: &[String]| macs.iter().filter(|mac| fits_any(side, mac)).count() > 1;
        let one = |side: &String| any(std::slice::from_ref(side));
        match self.statement() {
            None | Some(Statement::Argument(_)) => true,
            Some(Statement::Ordering(text)) => {
                let named: Vec<String> =
                    text.split_whitespace().step_by(2).map(String::from).collect();
                named.iter().filter(|mac| one(mac)).count() > 1
            }
            Some(Statement::Faster(faster, than)) => any(faster) && any(than),
            Some(Statement::Falling(side) | Statement::Proportional(side)) => any(side),
            Some(Statement::NotNormal(side) | Statement::LaunchesDiffer(side)) => any(side),
            Some(Statement::SameSpread(side)) => two(side),
            Some(Statement::Unsettled(it)) => any(&it.macs),
            Some(Statement::Contrast(it)) => any(&it.macs),
            Some(Statement::Uneven(it)) => any(&it.macs),
            Some(
                Statement::Reordered(side)
                | Statement::SameOrder(side, _)
                | Statement::SameTrend(side, _),
            ) => two(side),
            Some(Statement::Ratio(it)) => one(&it.slower) && one(&it.faster),
            Some(Statement::Crossover(it)) => one(&it.below) && one(&it.above),
        }
    }
}
