//! Transactions: the actions of one are told together, under the whole of it.

pub mod log;

use lab::cell::Regime;
use lab::regimes::segments::{Action, Medium, Segments};
use lab::study::View;

use super::{Room, Set};
use crate::chart_kind::ChartKind;

/// A medium in words.
#[must_use]
pub fn medium_words(medium: Medium) -> &'static str {
    match medium {
        Medium::Memory => "segments in memory",
        Medium::Disk => "segments on disk",
        Medium::Fsync => "segments on disk with fsync",
    }
}

impl Room for Segments {
    fn words(&self) -> String {
        let whole = if self.action == Action::Transaction { "whole " } else { "" };
        format!("{whole}{}, {}", self.action, medium_words(self.medium))
    }

    fn set(&self, views: &[View]) -> Option<Set> {
        let is_whole = self.action == Action::Transaction;
        views.contains(&View::Transactions).then_some(Set {
            topic: self.medium.name(),
            words: medium_words(self.medium),
            charts: match is_whole {
                true => &[
                    ChartKind::Ranking,
                    ChartKind::TimeOverSize,
                    ChartKind::Transactions,
                    ChartKind::WhereTimeGoes,
                ],
                false => &[ChartKind::Transactions, ChartKind::WhereTimeGoes],
            },
            is_one: false,
            is_part: !is_whole,
            is_ranked: is_whole,
            crosses: is_whole,
            is_extra: self.medium == Medium::Fsync,
            asked_bytes: &[1024, 1 << 20],
            subject: "scheme",
            unit: "file",
            time: "time of a transaction",
        })
    }

    /// `a whole transaction with eax-aes-128-es takes 9.1 × as long with segments on disk as with
    /// segments in memory`; only where two media of one action are compared.
    fn takes(&self, other: Regime, mac: &str, times: &str) -> Option<String> {
        let other = other.segments().filter(|it| it.action == self.action)?;
        let what = match self.action {
            Action::Transaction => "a whole transaction",
            action => action.name(),
        };
        let [one, two] = [self.medium, other.medium].map(medium_words);
        Some(format!("{what} with {mac} takes {times} as long with {one} as with {two}"))
    }
}
