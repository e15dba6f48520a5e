//! How many sessions, and which window: adjusted until a run of them is valid, after the workflow
//! of the paper that proposes apparent processing (its figure 3).
//!
//! The slowest candidate is tried, for what is long enough for it is long enough for the others,
//! and all of them get the same number and window.

use super::Sitting;
use super::load::{Frame, Processors, is_of};
use super::workers::Workers;
use crate::cell::Regime;
use crate::record::sessions::Measured;
use crate::record::{Adjustment, CellRecord, SettledLoad};
use crate::regimes::sessions::SESSIONS_USUAL;
use crate::regimes::sessions::{Quantity, Serving, Sessions};
use crate::schedule;
use crate::sessions::needs::NotEnough;
use crate::study::Part;

/// What the system's scheduler gives a thread before it turns to the next, roughly: Linux has
/// slices of 3 ms, which end with a tick.
const TURN_MS: f64 = 4.0;

/// Least t1 and least window: clocks and caches settle, and slices can be told apart.
const FROM_MS_MIN: f64 = 20.0;
const WINDOW_MS_MIN: f64 = 100.0;

/// Longest t2 that is adjusted to, for up to so many sessions and for more.
const FEW_SESSIONS: u32 = 1000;
const TO_MS_MAX_FEW: f64 = 4_000.0;
const TO_MS_MAX_MANY: f64 = 10_000.0;

/// No more precision is sought than this, relative, of all blocks together.
const PRECISION: f64 = 0.01;

/// Threads' own clocks over the system's account of the process: outside, one of them is wrong.
const CPU_TO_PROCESS: [f64; 2] = [0.95, 1.05];

/// Tries for one number and window at most.
const TRIES_MAX: u32 = 16;

/// Share of the budget that all tries may take.
const SHARE: f64 = 0.15;

/// A search of a capacity: settling and window at least, and the window beside the tail.
const CAPACITY_FROM_MS: f64 = 50.0;
const CAPACITY_WINDOW_MS: [f64; 2] = [200.0, 2_000.0];
const CAPACITY_TAILS: f64 = 10.0;

/// What may be adjusted, and how far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    /// The study fixed the number.
    pub(super) count_is_fixed: bool,
    /// The study fixed the window.
    pub(super) window_is_fixed: bool,
    /// Relative standard error that is sought.
    pub(super) precision: f64,
}

/// What a try says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    /// What to try next, and why; `None` where nothing more is to be gained.
    pub(super) next: Option<(Frame, String)>,
    /// What is not as it should be.
    pub(super) doubts: Vec<String>,
}

fn to_ms_max(count: u32) -> f64 {
    if count <= FEW_SESSIONS { TO_MS_MAX_FEW } else { TO_MS_MAX_MANY }
}

/// What is begun with: one and a half rounds of turns of all sessions, of which 0.4 are before t1.
pub(super) fn usual(
    part: &Part,
    sessions: Sessions,
    processors: &Processors,
    message_ns: f64,
) -> Frame {
    let count = sessions.count.map_or(SESSIONS_USUAL, std::num::NonZeroU32::get);
    framed(part, sessions, count, processors, message_ns)
}

fn framed(
    part: &Part,
    sessions: Sessions,
    count: u32,
    processors: &Processors,
    message_ns: f64,
) -> Frame {
    let asked = &part.sessions;
    if let Some([from_ms, to_ms]) = asked.window_ms {
        return Frame { count, from_ms, to_ms };
    }
    if sessions.quantity == Quantity::Capacity {
        let [least, most] = CAPACITY_WINDOW_MS;
        let window_ms = (CAPACITY_TAILS * asked.tail_ms).clamp(least, most);
        let from_ms = CAPACITY_FROM_MS.max(window_ms / 4.0);
        return Frame { count, from_ms, to_ms: from_ms + window_ms };
    }
    let turn_ms = match sessions.serving {
        Serving::Threads => TURN_MS,
        Serving::Pooled | Serving::Batched => message_ns * 1e-6,
    };
    let round_ms = f64::from(count) * turn_ms / processors.at_work(sessions.binding) as f64;
    let from_ms = (round_ms * 0.4).max(FROM_MS_MIN).ceil();
    let to_ms = from_ms + (round_ms * 1.1).max(WINDOW_MS_MIN).ceil();
    let most_ms = to_ms_max(count);
    if to_ms <= most_ms {
        return Frame { count, from_ms, to_ms };
    }
    Frame { count, from_ms: (most_ms / 3.0).round(), to_ms: most_ms }
}

/// What a try of `frame` says. Sessions that had no turn ask for a longer window, then for fewer of
/// them; halves that differ for a later one; slices that scatter for a longer one.
pub(super) fn judge(frame: Frame, measured: &Measured, bounds: Bounds) -> Verdict {
    let Frame { count, from_ms, to_ms } = frame;
    let room_ms = if bounds.window_is_fixed { 0.0 } else { to_ms_max(count) - to_ms };
    let window_ms = to_ms - from_ms;
    let longer = |why: &str| {
        let more_ms = window_ms.min(room_ms);
        let next = Frame { to_ms: to_ms + more_ms, ..frame };
        let why = format!(
            "window lengthened from {window_ms:.0} to {:.0} ms: {why}",
            window_ms + more_ms
        );
        (next, why)
    };
    let later = |why: &str| {
        let more_ms = from_ms.max(FROM_MS_MIN).min(room_ms);
        let next = Frame { from_ms: from_ms + more_ms, to_ms: to_ms + more_ms, ..frame };
        (next, format!("t1 moved from {from_ms:.0} to {:.0} ms: {why}", from_ms + more_ms))
    };
    let mut doubts = Vec::new();
    let mut next = None;
    // Less room than a tenth of the window is not worth a try.
    let has_room = room_ms > window_ms / 10.0;
    if measured.served < count {
        let missing = count - measured.served;
        let why = format!("{missing} of {count} sessions had no message done in the window");
        if has_room {
            next = Some(longer(&why));
        } else if !bounds.count_is_fixed && count > 1 {
            // Those that had a turn can have one; fewer than half must be enough.
            let fewer = (count / 2).min(measured.served.max(1));
            let why = format!("sessions lowered from {count} to {fewer}: {why}");
            let fewer = Frame { count: fewer, ..frame };
            next = Some((fewer, why));
        }
        doubts.push(why);
    }
    if let Some(drift) = measured.drift() {
        let (by, how) = (drift.abs() * 100.0, if drift > 0.0 { "faster" } else { "slower" });
        let why = format!("the second half of the window was {by:.1} % {how} than the first");
        next = next.or_else(|| has_room.then(|| later(&why)));
        doubts.push(why);
    }
    if let Some(error) = measured.slice_error().filter(|it| *it > bounds.precision) {
        let (has, wanted) = (error * 100.0, bounds.precision * 100.0);
        let why = format!("its slices leave a standard error of {has:.1} %, above {wanted:.1} %");
        // No window that is allowed makes up for more scatter than this. Then it is no doubt: the
        // intervals over blocks tell how precise the figures are. What the user fixed is judged.
        let at_best = error * (window_ms / (window_ms + room_ms)).sqrt();
        let is_reachable = has_room && at_best <= bounds.precision;
        next = next.or_else(|| is_reachable.then(|| longer(&why)));
        doubts.extend(bounds.window_is_fixed.then_some(why));
    }
    let [least, most] = CPU_TO_PROCESS;
    if let Some(ratio) = measured.cpu_to_process().filter(|it| !(least..=most).contains(it)) {
        doubts.push(format!(
            "the threads' own clocks say {ratio:.2} of what the system charged the process"
        ));
    }
    Verdict { next, doubts }
}

/// Sessions that cannot be put on.
pub(super) struct Refused {
    pub(super) part: u32,
    pub(super) regime: Regime,
    /// Of messages of this length; others may need less.
    pub(super) len_bytes: u64,
    pub(super) reason: NotEnough,
}

/// Settles what is not settled yet for these cells; returns what cannot be put on.
pub(super) fn settle(
    sitting: &mut Sitting<'_>,
    workers: &mut Workers,
    records: &[CellRecord],
) -> Vec<Refused> {
    let began_s = sitting.spent_s();
    let mut refused: Vec<Refused> = Vec::new();
    let leaders = schedule::leaders(records);
    for first in &leaders {
        let (part, regime) = (first.part, first.cell.measured_as().regime);
        let Some(sessions) = regime.sessions().map(Sessions::measured_as) else { continue };
        let is_known = sitting.run.loads.iter().any(|load| is_of(load, part, &first.cell));
        let len_bytes = first.cell.len_bytes;
        let is_refused = refused
            .iter()
            .any(|it| (it.part, it.regime, it.len_bytes) == (part, regime, len_bytes));
        if is_known || is_refused || sitting.bench.observer.stop() {
            continue;
        }
        sitting.show(&format!("settling {regime}, {} B", first.cell.len_bytes));
        let is_its = |it: &&&CellRecord| {
            let regime_of = it.cell.measured_as().regime;
            (it.part, regime_of, it.cell.len_bytes) == (part, regime, first.cell.len_bytes)
        };
        let mut rivals: Vec<&CellRecord> = leaders.iter().filter(is_its).copied().collect();
        let proof_ns = |it: &CellRecord| workers.proof_ns.get(&it.id).copied().unwrap_or(0.0);
        rivals.sort_by(|a, b| proof_ns(b).total_cmp(&proof_ns(a)));
        let message_ns = proof_ns(rivals[0]);
        let may_try = sitting.spent_s() - began_s <= SHARE * sitting.run.budget_s;
        match settle_one(sitting, workers, &rivals, sessions, message_ns, may_try) {
            Ok(load) => sitting.run.loads.push(load),
            Err(reason) => refused.push(Refused { part, regime, len_bytes, reason }),
        }
    }
    refused
}

/// What the same sessions took with messages of another length, where that was adjusted.
fn neighbour<'a>(loads: &'a [SettledLoad], first: &CellRecord) -> Option<&'a SettledLoad> {
    let regime = first.cell.measured_as().regime;
    let same = loads.iter().filter(|load| (load.part, load.regime) == (first.part, regime));
    same.filter(|load| !load.adjusted.is_empty())
        .min_by_key(|load| load.len_bytes.abs_diff(first.cell.len_bytes))
}

/// Settles the number and the window of one regime and length. `rivals` are its candidates, the
/// slowest first.
fn settle_one(
    sitting: &Sitting<'_>,
    workers: &mut Workers,
    rivals: &[&CellRecord],
    sessions: Sessions,
    message_ns: f64,
    may_try: bool,
) -> Result<SettledLoad, NotEnough> {
    let first = rivals[0];
    let len_bytes = first.cell.len_bytes;
    let part = &sitting.run.study.parts[first.part as usize];
    let mut settled = SettledLoad {
        part: first.part,
        regime: sessions.into(),
        len_bytes,
        count: 0,
        from_ms: 0.0,
        to_ms: 0.0,
        adjusted: vec![],
        doubts: vec![],
    };
    let mut frame = usual(part, sessions, &sitting.processors, message_ns);
    if sessions.quantity == Quantity::Capacity {
        frame.count = sitting.processors.sessions_max(part, sessions, len_bytes);
        let most = format!("at most {} sessions are tried", frame.count);
        settled.adjusted.push(Adjustment::own(most));
        return Ok(filled(settled, frame));
    }
    if let Some(other) = neighbour(&sitting.run.loads, first) {
        frame = Frame { count: other.count, from_ms: other.from_ms, to_ms: other.to_ms };
        let taken_over = |it: &Adjustment| Adjustment {
            as_with_bytes: it.as_with_bytes.or(Some(other.len_bytes)),
            ..it.clone()
        };
        settled.adjusted.extend(other.adjusted.iter().map(taken_over));
    }
    loop {
        let load = sitting.processors.load(part, sessions, len_bytes, frame);
        let Err(reason) = sitting.processors.needs(&load).check() else { break };
        if sessions.count.is_some() || frame.count == 1 {
            return Err(reason);
        }
        let count = frame.count / 2;
        let why = format!("sessions lowered from {} to {count}: {reason}", frame.count);
        settled.adjusted.push(Adjustment::own(why));
        frame = framed(part, sessions, count, &sitting.processors, message_ns);
    }
    if may_try {
        let settled = filled(settled, frame);
        return Ok(tried(sitting, workers, rivals, sessions, message_ns, settled));
    }
    let share = SHARE * 100.0;
    settled.doubts.push(format!("not tried: tries may take {share:.0} % of the budget"));
    Ok(filled(settled, frame))
}

/// What is settled after tries that begin with `settled`.
fn tried(
    sitting: &Sitting<'_>,
    workers: &mut Workers,
    rivals: &[&CellRecord],
    sessions: Sessions,
    message_ns: f64,
    mut settled: SettledLoad,
) -> SettledLoad {
    let part = &sitting.run.study.parts[settled.part as usize];
    let blocks = f64::from(part.blocks.unwrap_or(sitting.run.study.launches));
    let bounds = Bounds {
        count_is_fixed: sessions.count.is_some(),
        window_is_fixed: part.sessions.window_ms.is_some(),
        precision: sitting.run.study.half_width.max(PRECISION) * blocks.sqrt(),
    };
    let SettledLoad { count, from_ms, to_ms, .. } = settled;
    let mut frame = Frame { count, from_ms, to_ms };
    let mut rivals = rivals.iter();
    let mut rival = rivals.next();
    let mut is_doubted = false;
    for tries in 1..=TRIES_MAX {
        let Some(record) = rival else {
            settled.doubts.push("not tried: no candidate could be".into());
            break;
        };
        let load = sitting.processors.load(part, sessions, settled.len_bytes, frame);
        let Ok(measured) = workers.sessions(record, &load) else {
            // It fails again in its first block, where it is told.
            rival = rivals.next();
            continue;
        };
        let verdict = judge(frame, &measured, bounds);
        let may_go_on = tries < TRIES_MAX && !sitting.late();
        // One window may have been disturbed; what is wrong with two in a row is the load.
        let is_confirmed = std::mem::replace(&mut is_doubted, verdict.next.is_some());
        if verdict.next.is_some() && may_go_on && !is_confirmed {
            continue;
        }
        is_doubted = false;
        let Some((next, why)) = verdict.next.filter(|_| may_go_on) else {
            settled.doubts = verdict.doubts;
            break;
        };
        settled.adjusted.push(Adjustment::own(why));
        let is_fewer = next.count < frame.count && !bounds.window_is_fixed;
        let anew = |count| framed(part, sessions, count, &sitting.processors, message_ns);
        frame = if is_fewer { anew(next.count) } else { next };
    }
    filled(settled, frame)
}

fn filled(settled: SettledLoad, frame: Frame) -> SettledLoad {
    let Frame { count, from_ms, to_ms } = frame;
    SettledLoad { count, from_ms, to_ms, ..settled }
}

#[cfg(test)]
mod tests;
