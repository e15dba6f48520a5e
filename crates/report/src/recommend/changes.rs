//! What would change the answer, by what was measured and nothing else: another number of messages
//! under a key, which follows from the calls that were timed, and another length that was.

use lab::cell::KeyLife;
use lab::study::under_key;
use serde::Serialize;

use super::costs::{Calls, Series, Timed};
use super::ranked::{Against, Value, first, is_beyond, one_against};
use super::{ClassAnswer, Measured};

/// What would change the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Change {
    /// Messages under one key.
    MessagesPerKey {
        /// Where another is faster: a key is kept for good (absent), or is new for each (1).
        messages: Option<u64>,
        /// It is from so many on.
        from: Option<Value>,
        /// It is below so many.
        below: Option<Value>,
        /// Who, and how many times as long the answer takes where a key is kept for good, or is new
        /// for each message.
        #[serde(flatten)]
        other: Other,
    },
    /// Length of the messages.
    Length {
        /// Lengths at which another is faster.
        lengths_bytes: Vec<u64>,
        /// Who, and how many times as long the answer takes at the first of them.
        #[serde(flatten)]
        other: Other,
    },
}

/// Who would be faster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Other {
    /// The mac.
    pub mac: String,
    /// Whose.
    pub provider: String,
    /// Time of the answer over its time.
    pub ratio: Against,
}

impl Other {
    /// `hmac-sha256@openssl`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}@{}", self.mac, self.provider)
    }
}

pub(super) fn changes(
    measured: &Measured<'_>,
    answer: &ClassAnswer,
    may: &dyn Fn(&str, Option<u64>) -> bool,
) -> Vec<Change> {
    let Some(class) = measured.workload.classes.iter().find(|it| it.name == answer.name) else {
        return vec![];
    };
    let own = measured.of_class(class);
    let is_best = |it: &&&Timed<'_>| {
        it.candidate.mac == answer.best.mac && it.candidate.provider == answer.best.provider
    };
    let Some(best) = own.iter().find(is_best) else { return vec![] };
    let field = Field { measured, own: &own, best, may };
    let mut changes: Vec<Change> =
        [None, Some(1)].into_iter().filter_map(|messages| field.at_messages(messages)).collect();
    changes.extend(field.at_lengths());
    changes
}

/// The candidates of a class, and the one that the answer names.
struct Field<'a> {
    measured: &'a Measured<'a>,
    own: &'a [&'a Timed<'a>],
    best: &'a Timed<'a>,
    may: &'a dyn Fn(&str, Option<u64>) -> bool,
}

impl Field<'_> {
    /// Who is faster than the answer by more than the margin where this is what counts.
    fn faster(
        &self,
        messages: Option<u64>,
        value: impl Fn(&Calls) -> Option<f64>,
    ) -> Option<(&Timed<'_>, Other)> {
        let margin = self.measured.margin;
        let is_allowed = |it: &&&Timed<'_>| (self.may)(&it.candidate.mac, messages);
        let allowed: Vec<&&Timed<'_>> = self.own.iter().filter(is_allowed).collect();
        let series: Vec<Series> = allowed.iter().map(|it| it.series(&value)).collect();
        let first = first(&series, margin)?;
        let ratio = one_against(&self.best.series(&value), &series[first], margin)?;
        let other = allowed[first];
        is_beyond(&ratio, margin).then(|| {
            let (mac, provider) = (other.candidate.mac.clone(), other.candidate.provider.clone());
            (*other, Other { mac, provider, ratio })
        })
    }

    /// Where a key is kept for good, or is new for each message.
    fn at_messages(&self, messages: Option<u64>) -> Option<Change> {
        if messages == self.measured.workload.messages_per_key {
            return None;
        }
        let (other, told) = self.faster(messages, |calls| self.mean(messages, calls))?;
        let crossing = self.crossing(other);
        let (from, below) = if messages.is_none() { (crossing, None) } else { (None, crossing) };
        Some(Change::MessagesPerKey { messages, from, below, other: told })
    }

    /// What a message takes over all lengths under keys for so many messages.
    fn mean(&self, messages: Option<u64>, calls: &Calls) -> Option<f64> {
        let each = self.measured.workload.own().map(|it| {
            let time = |life| calls.get(&(it.len_bytes, life)).copied();
            Some(it.share * under_key(messages, time)?)
        });
        each.sum()
    }

    /// Messages under a key with which both take as long, launch by launch; `None` where there is
    /// no such number above one in some launch.
    fn crossing(&self, other: &Timed<'_>) -> Option<Value> {
        let parts = |timed: &Timed<'_>| {
            let kept = timed.series(|calls| self.mean(None, calls));
            (kept, timed.series(|calls| self.mean(Some(1), calls)))
        };
        let ((kept, new), (other_kept, other_new)) = (parts(self.best), parts(other));
        let at = |launch: &u32| {
            let (kept, new) = (*kept.get(launch)?, *new.get(launch)?);
            let (other_kept, other_new) = (*other_kept.get(launch)?, *other_new.get(launch)?);
            let messages = ((new - kept) - (other_new - other_kept)) / (other_kept - kept);
            (messages.is_finite() && messages >= 1.0).then_some((*launch, messages))
        };
        let all: Option<Series> = kept.keys().map(at).collect();
        all.and_then(|all| Value::of(&all))
    }

    /// The lengths that were measured, one by one; those with one winner together.
    fn at_lengths(&self) -> Vec<Change> {
        let messages = self.measured.workload.messages_per_key;
        let mut changes: Vec<Change> = Vec::new();
        for length in self.measured.workload.lengths.iter().filter(|it| it.share < 1.0) {
            let len = length.len_bytes;
            let value = |calls: &Calls| {
                let time = |life: KeyLife| calls.get(&(len, life)).copied();
                under_key(messages, time)
            };
            let Some((_, other)) = self.faster(messages, value) else { continue };
            let known = changes.iter_mut().find_map(|change| match change {
                Change::Length { lengths_bytes, other: own } if own.name() == other.name() => {
                    Some(lengths_bytes)
                }
                _ => None,
            });
            match known {
                Some(lengths) => lengths.push(len),
                None => changes.push(Change::Length { lengths_bytes: vec![len], other }),
            }
        }
        changes
    }
}
