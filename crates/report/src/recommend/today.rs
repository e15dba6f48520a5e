//! What is used today beside the answer: what changing would save, whether that is worth it, and
//! whether another call of the same library would do.

use lab::cell::KeyLife;
use serde::Serialize;

use super::costs::{Series, Timed};
use super::measured::Measured;
use super::ranked::{Against, Behind, Value, is_beyond, one_against};
use super::{Asked, ClassAnswer, Row};

/// A change is worth it from so much of one core on.
pub const WORTH_CORES: f64 = 0.01;

/// What is used today.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Today {
    /// Who, and what a message takes by the call that is used.
    #[serde(flatten)]
    pub row: Row,
    /// Against the answer; absent where it is the answer itself.
    pub to_best: Option<Against>,
    /// Nanoseconds of a message that the answer saves.
    pub saved_ns: Option<Value>,
    /// What it takes of a core at the rate.
    pub cores: Option<f64>,
    /// What the answer saves of a core at the rate.
    pub cores_saved: Option<f64>,
    /// Messages a second from which on the answer saves as much of a core as is worth a change.
    pub worth_from_per_s: Option<f64>,
    /// Whether to change.
    pub verdict: Worth,
    /// Why it may not be used, where it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Where it is the call that is slow.
    pub call_advice: Option<CallAdvice>,
}

impl Today {
    /// Whether the answer is to stay with it.
    pub(super) fn stays(&self) -> bool {
        matches!(self.verdict, Worth::IsTheAnswer | Worth::NotSlower | Worth::NotWorthChanging)
    }
}

/// Whether to change what is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Worth {
    /// It may not be used for the workload, however fast it is.
    DoesNotFit,
    /// It is the answer.
    IsTheAnswer,
    /// It is not shown to be slower.
    NotSlower,
    /// It is slower, and at the rate that saves too little.
    NotWorthChanging,
    /// It is slower, and at the rate that is worth a change.
    WorthChanging,
    /// It is slower; what that is worth depends on the rate, which is not given.
    DependsOnRate,
    /// There are too few launches to say anything.
    CannotSay,
}

/// A better call of the same library for the same mac.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallAdvice {
    /// The call that is slow.
    pub slow: KeyLife,
    /// The better one.
    pub better: KeyLife,
    /// The slow one as it is written in code, where that is known.
    pub slow_written: Option<String>,
    /// The better one likewise.
    pub better_written: Option<String>,
    /// Nanoseconds of a message by the slow one.
    pub slow_ns: Value,
    /// By the better one.
    pub better_ns: Value,
    /// Slow over better.
    pub ratio: Against,
    /// Whether the slow one is what is used, or only one that people commonly use.
    pub is_used: bool,
}

pub(super) fn today(
    measured: &Measured<'_>,
    answer: &ClassAnswer,
    asked: &Asked<'_>,
) -> Option<Today> {
    let now = measured.workload.now.as_ref()?;
    let is_now = |it: &&Timed<'_>| now.is(it.candidate) && it.regime.batch().is_none();
    let timed = measured.all.iter().find(is_now)?;
    let usual = measured.call(timed);
    let (call, own) = match now.call {
        Some(call) if call != usual => (call, measured.message_by(timed, call)),
        _ => (usual, measured.message(timed)),
    };
    let row = Row::of(timed, call, &own, measured.margin)?;
    let best = measured.message(measured.all.iter().find(|it| answer.best.is_of(it))?);
    let is_answer = row.is(&answer.best) && call == answer.best.call;
    let to_best = if is_answer { None } else { one_against(&own, &best, measured.margin) };
    let saved = own.iter().filter_map(|(launch, ns)| Some((*launch, ns - best.get(launch)?)));
    let saved_ns = if is_answer { None } else { Value::of(&saved.collect()) };
    let is_slower = to_best.is_some_and(|it| it.verdict == Behind::Slower);
    let at_rate = |ns: f64| asked.rate_per_s.map(|rate| rate * ns * 1e-9);
    let cores_saved = saved_ns.filter(|_| is_slower).and_then(|it| at_rate(it.value));
    let verdict = match to_best.map(|it| it.verdict) {
        _ if !(asked.may)(&now.mac, measured.workload.messages_per_key) => Worth::DoesNotFit,
        None if is_answer => Worth::IsTheAnswer,
        None | Some(Behind::CannotSay) => Worth::CannotSay,
        Some(Behind::AsFast | Behind::TooClose | Behind::Faster) => Worth::NotSlower,
        Some(Behind::Slower) => match cores_saved {
            None => Worth::DependsOnRate,
            Some(cores) if cores >= WORTH_CORES => Worth::WorthChanging,
            Some(_) => Worth::NotWorthChanging,
        },
    };
    let worth_from = saved_ns.filter(|it| is_slower && it.value > 0.0);
    Some(Today {
        cores: at_rate(row.message_ns.value),
        worth_from_per_s: worth_from.map(|it| WORTH_CORES * 1e9 / it.value),
        call_advice: call_advice(measured, timed, (now.call, usual), asked),
        row,
        to_best,
        saved_ns,
        cores_saved,
        verdict,
        why_not: (asked.why_not)(&now.mac, measured.workload.messages_per_key),
    })
}

/// Whether the call that is used, or the one that people commonly use, is slower than the best one
/// by more than the margin.
fn call_advice(
    measured: &Measured<'_>,
    timed: &Timed<'_>,
    (used, better): (Option<KeyLife>, KeyLife),
    asked: &Asked<'_>,
) -> Option<CallAdvice> {
    let slow = used.unwrap_or(KeyLife::OneShot);
    if slow == better {
        return None;
    }
    let own: Series = measured.message_by(timed, slow);
    let best = measured.message(timed);
    let ratio = one_against(&own, &best, measured.margin)?;
    let is_slow = ratio.verdict == Behind::Slower && is_beyond(&ratio, measured.margin.value());
    is_slow.then_some(())?;
    let (slow_ns, better_ns) = (Value::of(&own)?, Value::of(&best)?);
    let written = |call| (asked.written)(&timed.candidate.mac, &timed.candidate.provider, call);
    let (slow_written, better_written) = (written(slow), written(better));
    let is_used = used.is_some();
    Some(CallAdvice {
        slow,
        better,
        slow_written,
        better_written,
        slow_ns,
        better_ns,
        ratio,
        is_used,
    })
}
