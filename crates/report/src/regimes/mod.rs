//! What reports say of each kind of regime: a room of its own for each, in a file here. What is not
//! about one of them asks here what it means and never which it is; `room` lists the kinds.

mod batch;
pub mod calls;
mod cold;
mod keys;
pub mod segments;
pub(crate) mod sessions;

use lab::cell::Regime;
use lab::study::View;

use crate::chart_kind::ChartKind;

/// What a report asks of a kind of regime.
pub(crate) trait Room {
    /// The regime in words.
    fn words(&self) -> String;

    /// The set in which its groups are told, in a part that asks for these views; `None`: each is
    /// told by itself.
    fn set(&self, _views: &[View]) -> Option<Set> {
        None
    }

    /// How it differs from another regime, where that is in one thing.
    fn beside(&self, _other: Regime) -> Option<Contrast> {
        None
    }

    /// A sentence that says how many `times` as long it takes as another, of a mac; `None`: what is
    /// said of all will do.
    fn takes(&self, _other: Regime, _mac: &str, _times: &str) -> Option<String> {
        None
    }
}

/// The room of a regime.
pub(crate) fn room(regime: &Regime) -> &dyn Room {
    match regime {
        Regime::Calls(own) => own,
        Regime::Batch(own) => own,
        Regime::Segments(own) => own,
        Regime::Sessions(own) => own,
        Regime::Keys(own) => own,
        Regime::Cold(own) => own,
    }
}

/// Groups that are told beside each other.
#[derive(Debug, Clone, Copy)]
pub struct Set {
    /// The word for it in topics.
    pub(crate) topic: &'static str,
    /// What it is called.
    pub(crate) words: &'static str,
    /// Kinds of the charts that this group has.
    pub(crate) charts: &'static [ChartKind],
    /// Whether it is shown as one, so that no regime is named where it is told.
    pub(crate) is_one: bool,
    /// Whether this group is told within another of the set.
    pub(crate) is_part: bool,
    /// Whether this group has a ranking of its own.
    pub(crate) is_ranked: bool,
    /// Whether it is told who overtakes whom in this group.
    pub(crate) crosses: bool,
    /// Whether people ask who is the fastest there only where no other of its kind was measured.
    pub(crate) is_extra: bool,
    /// Lengths that people ask about.
    pub(crate) asked_bytes: &'static [u64],
    /// What is compared, what that is done to, and what is told of it.
    pub(crate) subject: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) time: &'static str,
}

impl Set {
    /// Regimes of macs that are shown as one, in tables and charts over what they differ in.
    pub(crate) const fn of_regimes(words: &'static str, charts: &'static [ChartKind]) -> Self {
        Self {
            topic: words,
            words,
            charts,
            is_one: true,
            is_part: false,
            is_ranked: false,
            crosses: true,
            is_extra: false,
            asked_bytes: &[],
            subject: "MAC",
            unit: "message",
            time: "time per call",
        }
    }
}

/// How two regimes differ.
pub(crate) struct Contrast {
    /// What both share; `None` where they differ in more than one thing.
    pub(crate) shared: Option<String>,
    /// What each has for itself.
    pub(crate) own: [String; 2],
    /// Whether these are two quantities, and no two ways of doing the same.
    pub(crate) are_quantities: bool,
}

/// A regime in words.
#[must_use]
pub fn regime_words(regime: Regime) -> String {
    room(&regime).words()
}

/// How two regimes differ, in words.
pub(crate) fn contrasted(one: Regime, other: Regime) -> Contrast {
    room(&one).beside(other).unwrap_or_else(|| Contrast {
        shared: None,
        own: [one, other].map(|it| format!("as {}", regime_words(it))),
        are_quantities: false,
    })
}
