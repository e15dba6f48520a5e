//! What is wrong with a claim.

use thiserror::Error;

use super::KEYS;
use crate::cell::{KeyLife, Regime};
use crate::study::OutOfRange;

/// Why no run could decide a claim.
#[expect(missing_docs, reason = "fields are the words of the line above them")]
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClaimError {
    /// The study has no such part.
    #[error("no part {part:?}")]
    NoPart { part: String },
    /// The study has no such panel.
    #[error("no panel {panel:?}")]
    NoPanel { panel: String },
    /// Its part has no such case.
    #[error("part {part:?} has no case {case:?}")]
    NoCase { part: String, case: String },
    /// Its part has no such key life.
    #[error("part {part:?} has no key life {life}")]
    NoKeyLife { part: String, life: KeyLife },
    /// A part has no such regime.
    #[error("part {part:?} has no regime {regime}")]
    NoRegime { part: String, regime: Regime },
    /// Its sizes end before they begin.
    #[error("sizes from {from} to {to}: from must not be above to")]
    Sizes { from: u64, to: u64 },
    /// Its part has no length among its sizes.
    #[error("no length of part {part:?} lies within its sizes")]
    NoLength { part: String },
    /// It is about how something changes with the length.
    #[error("needs at least two lengths of part {part:?}")]
    OneLength { part: String },
    /// A margin or a tau.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// One of the two is missing.
    #[error("`faster` and `than` belong together")]
    FasterOrThan,
    /// There is nothing that it would be the least of.
    #[error("`least_tau` belongs to `same_trend` or `same_order`")]
    LeastTau,
    /// It says nothing, or several things.
    #[error("give exactly one of {KEYS}; it has {}", all_or_none(.given))]
    Statements { given: Vec<&'static str> },
    /// An ordering that is none.
    #[error("ordering {text:?}: must be MACs with < or = between them, in spaces")]
    Ordering { text: String },
    /// Too few calls, or no macs.
    #[error("unsettled by {calls} calls: needs MACs, and 6 calls at least")]
    Unsettled { calls: u32 },
    /// Nothing to compare an order with.
    #[error("`same_order` needs two `regimes` at least")]
    OneRegime,
    /// An argument without a reason.
    #[error("argument: must say why no measurement decides it")]
    NoReason,
    /// An argument that was decided by data.
    #[error("`decided_by` is done again on data, and no measurement decides an argument")]
    DecidedArgument,
    /// `regimes` beside a statement that names its own.
    #[error("{named}: leave `regimes` out")]
    RegimesTwice { named: NamesRegimes },
    /// A regime in which nobody can be served unevenly.
    #[error("uneven {regime}: must be sessions by their apparent processing")]
    NotOfApparent { regime: Regime },
    /// Less than evenly.
    #[error("uneven with least {least}: must be 1 or more")]
    Even { least: f64 },
    /// The parts of a contrast have no length in common.
    #[error("parts {part:?} and {other:?} share no length of it")]
    NoSharedLength { part: String, other: String },
    /// A contrast of something to itself.
    #[error("contrast of {regime} to itself: must be two regimes")]
    ContrastToItself { regime: Regime },
    /// Preemptions of two parts.
    #[error("preemptions are compared within one part")]
    PreemptionsOfParts,
    /// Preemptions where none are counted.
    #[error("preemptions in {regime} and {to}: both must be of sessions")]
    PreemptionsUncounted { regime: Regime, to: Regime },
    /// A contrast without bounds, or with impossible ones.
    #[error(
        "contrast with least {} and most {}: needs one of them, above 0, and least <= most",
        or_none(*.least),
        or_none(*.most)
    )]
    ContrastBounds { least: Option<f64>, most: Option<f64> },
    /// A ratio whose bounds are impossible.
    #[error("ratio from {least} to {most}: needs 0 < least <= most")]
    RatioBounds { least: f64, most: f64 },
    /// A ratio in which it is open which mac is held against which.
    #[error("ratio of {slower:?} and {faster:?}: one `*` in each, in `slower` only, or in none")]
    RatioStars { slower: String, faster: String },
    /// A crossover that ends before it begins.
    #[error("crossover from {from} to {to}: from must be below to")]
    CrossoverBounds { from: u64, to: u64 },
    /// A crossover of a mac with itself.
    #[error("crossover: {mac:?} cannot overtake itself")]
    CrossoverOfItself { mac: String },
    /// A crossover at lengths that are not measured.
    #[error(
        "crossover from {from} to {to}: needs a length of {from} B or less, and of {to} B or more"
    )]
    CrossoverLengths { from: u64, to: u64 },
}

/// A statement that names its regimes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NamesRegimes {
    /// `contrast`.
    #[error("a contrast names its two regimes")]
    Contrast,
    /// `uneven`.
    #[error("`uneven` names its regime")]
    Uneven,
}

fn all_or_none(keys: &[&str]) -> String {
    if keys.is_empty() { "none".into() } else { keys.join(" and ") }
}

fn or_none(bound: Option<f64>) -> String {
    bound.map_or("none".into(), |bound| bound.to_string())
}
