//! What would change the answer, by what was measured and nothing else: another number of messages
//! a second or under a key, which follows from the calls that were timed, another length that was,
//! and a policy that does not admit it. Where the answer is to stay with what is used today, it is
//! what would make a change worth it.

use lab::cell::KeyLife;
use lab::study::{ClassName, under_key};
use serde::Serialize;
use stats::median;

use super::costs::{Calls, Series, Timed};
use super::measured::Measured;
use super::ranked::{Against, Value, first, is_below, one_against};
use super::today::{Today, WORTH_CORES, Worth};
use super::words::{grouped, two, two_down, two_up};
use super::{Asked, ClassAnswer, Recommendation};
use crate::format::{bytes, list};

/// What would change the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Change {
    /// Another number of messages a second.
    Rate {
        /// From so many on another is worth changing to.
        from_per_s: Option<f64>,
        /// Below so many it is not.
        below_per_s: Option<f64>,
        /// The mac that would be changed to.
        mac: String,
        /// The provider that it would be computed by.
        provider: String,
    },
    /// Another number of messages under one key.
    MessagesPerKey {
        /// Where another is faster: a key is kept for good (absent), or is new for each (1).
        messages: Option<u64>,
        /// It is from so many on.
        from: Option<Value>,
        /// It is below so many.
        below: Option<Value>,
        /// Who, and its time over that of the answer where a key is kept for good, or is new for
        /// each message.
        #[serde(flatten)]
        other: Other,
    },
    /// Length of the messages.
    Length {
        /// Lengths at which another is faster.
        lengths_bytes: Vec<u64>,
        /// Who, and its time over the answer's at the first of them.
        #[serde(flatten)]
        other: Other,
    },
    /// Policies that do not admit the answer.
    Policy {
        /// Which, and why.
        policies: Vec<ByPolicy>,
        /// Who is the fastest of what it admits.
        #[serde(flatten)]
        other: Other,
    },
}

/// A policy, and what it says of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ByPolicy {
    /// Its name on the command line.
    pub name: String,
    /// Its name in print.
    pub title: String,
    /// What it says of the answer: `calls cmac-aes-128 legacy`.
    pub says: String,
}

/// Who would be the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Other {
    /// Name of its mac.
    pub mac: String,
    /// Name or alias of its provider.
    pub provider: String,
    /// Its time over that of the answer.
    pub to_answer: Against,
}

impl Other {
    fn of(timed: &Timed<'_>, to_answer: Against) -> Self {
        let (mac, provider) = (timed.candidate.mac.clone(), timed.candidate.provider.clone());
        Self { mac, provider, to_answer }
    }

    /// `1.3 × faster`, or `1.3 × as long`.
    fn against(&self, margin: f64) -> String {
        if self.to_answer.ratio.value <= 1.0 {
            return format!("{} faster", self.times(margin));
        }
        format!("{} as long", self.to_answer.ratio.ratio(margin).times())
    }

    /// How many times as long the answer takes: `1.3 ×`.
    fn times(&self, margin: f64) -> String {
        self.to_answer.ratio.inverse().ratio(margin).times()
    }

    /// `hmac-sha256@openssl`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}@{}", self.mac, self.provider)
    }
}

pub(super) fn changes(
    measured: &Measured<'_>,
    classes: &[ClassAnswer],
    today: Option<&Today>,
    asked: &Asked<'_>,
) -> Vec<Change> {
    let Some(answer) = classes.first() else { return vec![] };
    let Some(class) = measured.workload.classes.iter().find(|it| it.name == answer.name) else {
        return vec![];
    };
    let stays = today.filter(|it| it.stays());
    let told = stays.map_or(&answer.best, |today| &today.row);
    let Some(subject) = measured.all.iter().find(|it| told.is_of(it)) else { return vec![] };
    // What is used today may be called otherwise than is best.
    let call = stays.map(|it| it.row.call).filter(|call| *call != measured.call(subject));
    let is_cheap = |it: &&Today| it.verdict == Worth::NotWorthChanging;
    let per_ns = stays.filter(is_cheap).and(asked.rate_per_s).map(|rate| rate * 1e-9);
    let field = Field {
        measured,
        own: &measured.of_class(class),
        subject,
        call,
        may: asked.may,
        least_ns: per_ns.map_or(0.0, |cores| WORTH_CORES / cores),
    };
    let mut changes: Vec<Change> = today.and_then(|it| rate(it, answer)).into_iter().collect();
    changes.extend([None, Some(1)].into_iter().filter_map(|messages| field.at_messages(messages)));
    changes.extend(field.at_lengths());
    changes.extend(field.by_policies(classes, asked));
    changes
}

/// From how many messages a second on a change is worth it.
fn rate(today: &Today, answer: &ClassAnswer) -> Option<Change> {
    let from = today.worth_from_per_s?;
    let (from_per_s, below_per_s) = match today.verdict {
        Worth::NotWorthChanging => (Some(from), None),
        Worth::WorthChanging => (None, Some(from)),
        // The answer begins with it.
        _ => return None,
    };
    let (mac, provider) = (answer.best.mac.clone(), answer.best.provider.clone());
    Some(Change::Rate { from_per_s, below_per_s, mac, provider })
}

/// The candidates of a class, and the one that the answer names: the best, or what is used today
/// where it stays.
struct Field<'a> {
    measured: &'a Measured<'a>,
    own: &'a [&'a Timed<'a>],
    subject: &'a Timed<'a>,
    /// The call that is used, where it is not the usual one.
    call: Option<KeyLife>,
    may: &'a dyn Fn(&str, Option<u64>) -> bool,
    /// A change must save so many nanoseconds of a message.
    least_ns: f64,
}

impl Field<'_> {
    /// What a message of one length takes of the subject, or of another.
    fn time(
        &self,
        is_subject: bool,
        messages: Option<u64>,
        calls: &Calls,
        len: u64,
    ) -> Option<f64> {
        match self.call.filter(|_| is_subject) {
            Some(call) => calls.get(&(len, call)).copied(),
            None => under_key(messages, |life| calls.get(&(len, life)).copied()),
        }
    }

    /// Over all lengths, under keys for so many messages.
    fn mean(&self, is_subject: bool, messages: Option<u64>, calls: &Calls) -> Option<f64> {
        let lengths = self.measured.workload.own();
        let each = lengths
            .map(|it| Some(it.share * self.time(is_subject, messages, calls, it.len_bytes)?));
        each.sum()
    }

    /// Who is faster than the subject by more than the margin, and saves enough, where this is what
    /// counts.
    fn faster(
        &self,
        messages: Option<u64>,
        value: impl Fn(bool, &Calls) -> Option<f64>,
    ) -> Option<(&Timed<'_>, Other)> {
        let margin = self.measured.margin;
        let is_allowed = |it: &&&Timed<'_>| (self.may)(&it.candidate.mac, messages);
        let allowed: Vec<&&Timed<'_>> = self.own.iter().filter(is_allowed).collect();
        let series: Vec<Series> =
            allowed.iter().map(|it| it.series(|calls| value(false, calls))).collect();
        let first = first(&series, margin)?;
        let own = self.subject.series(|calls| value(true, calls));
        let to_answer = one_against(&series[first], &own, margin)?;
        let saved = own.iter().filter_map(|(at, ns)| Some(ns - series[first].get(at)?));
        let saved_ns = median(&stats::Sample::new(saved.collect()).ok()?);
        let other = allowed[first];
        let is_worth = is_below(&to_answer, margin.value()) && saved_ns >= self.least_ns;
        is_worth.then(|| (*other, Other::of(other, to_answer)))
    }

    /// Where a key is kept for good, or is new for each message.
    fn at_messages(&self, messages: Option<u64>) -> Option<Change> {
        if messages == self.measured.workload.messages_per_key {
            return None;
        }
        let mean = |is_subject, calls: &Calls| self.mean(is_subject, messages, calls);
        let (other, told) = self.faster(messages, mean)?;
        let crossing = self.crossing(other);
        let (from, below) = if messages.is_none() { (crossing, None) } else { (None, crossing) };
        Some(Change::MessagesPerKey { messages, from, below, other: told })
    }

    /// Messages under a key with which a change saves nothing, or just enough, launch by launch;
    /// `None` where there is no such number above one in some launch.
    fn crossing(&self, other: &Timed<'_>) -> Option<Value> {
        let parts = |timed: &Timed<'_>, is_subject| {
            let kept = timed.series(|calls| self.mean(is_subject, None, calls));
            (kept, timed.series(|calls| self.mean(is_subject, Some(1), calls)))
        };
        let ((kept, new), (other_kept, other_new)) =
            (parts(self.subject, true), parts(other, false));
        let at = |launch: &u32| {
            let (kept, new) = (*kept.get(launch)?, *new.get(launch)?);
            let (other_kept, other_new) = (*other_kept.get(launch)?, *other_new.get(launch)?);
            let set_up = (new - kept) - (other_new - other_kept);
            let messages = set_up / (other_kept - kept + self.least_ns);
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
            let value = |is_subject, calls: &Calls| self.time(is_subject, messages, calls, len);
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

    /// The policies that do not admit the answer; those with one winner together.
    fn by_policies(&self, classes: &[ClassAnswer], asked: &Asked<'_>) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        let messages = self.measured.workload.messages_per_key;
        let own = self.subject.series(|calls| self.mean(true, messages, calls));
        for class in classes {
            let ClassName::Policy(policy) = &class.name else { continue };
            let admitted = self.measured.workload.classes.iter().find(|it| it.name == class.name);
            if admitted.is_some_and(|it| it.has(&self.subject.candidate.mac)) {
                continue;
            }
            // The class may lack what the policy admits: MACs that are not widely used, say.
            let Some(policy) = (asked.policy)(policy, &self.subject.candidate.mac) else {
                continue;
            };
            let winner = self.measured.all.iter().find(|it| class.best.is_of(it));
            let Some(winner) = winner else { continue };
            let series = winner.series(|calls| self.mean(false, messages, calls));
            // A pair that the answer compares has one verdict.
            let compared =
                classes.first().filter(|it| self.call.is_none() && it.best.is_of(self.subject));
            let compared = compared.and_then(|it| it.rivals().find(|it| it.row.is_of(winner)));
            let alone = || one_against(&series, &own, self.measured.margin);
            let Some(to_answer) = compared.map(|it| it.to_best).or_else(alone) else { continue };
            let other = Other::of(winner, to_answer);
            let known = changes.iter_mut().find_map(|change| match change {
                Change::Policy { policies, other: own } if own.name() == other.name() => {
                    Some(policies)
                }
                _ => None,
            });
            match known {
                Some(policies) => policies.push(policy),
                None => changes.push(Change::Policy { policies: vec![policy], other }),
            }
        }
        changes
    }
}

impl Recommendation {
    pub(crate) fn change_line(&self, change: &Change) -> String {
        match change {
            Change::MessagesPerKey { messages, from, below, other } => {
                let times = other.times(self.margin);
                let about = |value: &Value| grouped(two(value.value).round());
                let with = match messages {
                    None => "with keys that are kept",
                    Some(_) => "with a new key for each",
                };
                let name = other.name();
                let below = below.as_ref().filter(|it| it.value >= 1.5);
                match (from, below) {
                    (Some(from), _) => format!(
                        "from about {} messages under a key on: {name}, {times} faster {with}",
                        about(from)
                    ),
                    (_, Some(below)) => format!(
                        "below about {} messages under a key: {name}, {times} faster {with}",
                        about(below)
                    ),
                    _ => format!("{with}: {name}, {times} faster"),
                }
            }
            Change::Rate { from_per_s, below_per_s, mac, provider } => {
                let at = |per_s: f64| format!("{} messages per second", grouped(per_s));
                match (from_per_s, below_per_s) {
                    (Some(from), _) => {
                        let from = at(two_up(*from));
                        format!("from {from} on: worth changing to {mac}@{provider}")
                    }
                    (_, below) => {
                        let below = at(two_down(below.unwrap_or_default()));
                        format!("below {below}: not worth changing")
                    }
                }
            }
            Change::Policy { policies, other } => {
                let by = policies
                    .iter()
                    .map(|it| format!("{} ({}), which {}", it.name, it.title, it.says));
                let (by, against) = (by.collect::<Vec<_>>(), other.against(self.margin));
                format!("by {}: {}, {against}", list(&by), other.name())
            }
            Change::Length { lengths_bytes, other } => {
                let lengths: Vec<String> = lengths_bytes.iter().map(|&it| bytes(it)).collect();
                let times = other.times(self.margin);
                let by = match &lengths[..] {
                    [_] => format!("{times} faster"),
                    [first, ..] => format!("{times} faster at {first}, and faster at the others"),
                    [] => String::new(),
                };
                format!("for messages of {} alone: {}, {by}", list(&lengths), other.name())
            }
        }
    }
}
