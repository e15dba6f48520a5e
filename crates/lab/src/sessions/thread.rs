//! What a thread does: it opens its sessions, waits for the others, and works until it is over.

use super::error::SessionsError;
use super::share::{Common, Last, Share};
use super::watch::{Done, Stage, Watch};
use super::{account, paced};
use crate::record::sessions::Load;
use crate::regimes::sessions::Serving;

/// Length of a burst of calls between two looks at the window: long beside the look itself (some
/// 100 ns with the timed call in it), short beside the turns that a scheduler gives.
const BURST_NS: f64 = 15_000.0;

/// Most calls in a burst.
const BURST_MAX: f64 = 2000.0;

/// How much nicer than main a session's thread is. Main waits for little and needs it at once: of
/// threads that are alike, the system would let it wait until all others had a turn. Sessions are
/// alike among themselves, as before.
const NICER: i32 = 4;

/// What a thread leaves behind.
pub(super) struct Outcome {
    pub(super) done: Done,
    /// The last tag of each session that was done with a message at all.
    pub(super) lasts: Vec<Last>,
    /// Its nice value.
    pub(super) nice: Option<i32>,
}

/// The gate is told of each thread once, whether its sessions can be opened, cannot, or break it.
struct Arrival<'a> {
    stage: &'a Stage,
    is_told: bool,
    is_well: bool,
}

impl Arrival<'_> {
    fn tell(&mut self) {
        if !self.is_told {
            self.is_told = true;
            self.stage.arrive();
        }
    }
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        if !self.is_well {
            self.stage.fail();
        }
        self.tell();
    }
}

/// Thread `thread` from its beginning to its end.
pub(super) fn run(
    stage: &Stage,
    common: Common<'_>,
    thread: u32,
) -> Result<Outcome, SessionsError> {
    let mut arrival = Arrival { stage, is_told: false, is_well: false };
    let nice = rustix::process::nice(NICER).ok();
    let Load { cpus, pinned, rate_per_s, .. } = common.load;
    if *pinned && !cpus.is_empty() {
        account::bind(&[cpus[thread as usize % cpus.len()]])?;
    } else if !cpus.is_empty() {
        account::bind(cpus)?;
    }
    let mut share = Share::open(common, thread, stage.threads)?;
    let mut watch = Watch::new(stage, thread)?;
    stage.tell_clock(thread);
    arrival.tell();
    stage.wait();
    let behind = match rate_per_s {
        None => in_bursts(&mut share, &mut watch).map(|()| 0)?,
        Some(rate_per_s) => paced::run(&mut share, &mut watch, *rate_per_s)?,
    };
    arrival.is_well = true;
    let lasts = share.sessions.iter().filter_map(|session| session.last()).collect();
    let outcome = Outcome { done: watch.done(&share, behind), lasts, nice };
    stage.stay_until_released(thread);
    Ok(outcome)
}

/// One message after another, as fast as they can be done.
fn in_bursts(share: &mut Share<'_>, watch: &mut Watch<'_>) -> Result<(), SessionsError> {
    let clock = watch.stage.clock;
    let mut least_ns = f64::INFINITY;
    while watch.look(share) {
        // How many calls make a burst is known from the quickest of the calls timed so far; where
        // lengths differ, each for a message of the mean length.
        let calls = (BURST_NS / least_ns).clamp(1.0, BURST_MAX) as u32;
        let mut outcome = Ok(());
        let before = share.bytes;
        let ns = clock.time(|| outcome = share.step()).ns - clock.bracket_ns();
        outcome?;
        watch.keep(ns);
        least_ns = least_ns.min((ns * scale(share, before)).max(1.0));
        for _ in 1..calls {
            share.step()?;
        }
        share.check_last()?;
    }
    Ok(())
}

/// The mean length of a message over that of the one just done; of a batch it is its mean anyway.
fn scale(share: &Share<'_>, before: u64) -> f64 {
    let len = share.bytes - before;
    let load = share.load();
    if len == 0 || load.lengths.len() == 1 || load.serving == Serving::Batched {
        return 1.0;
    }
    load.mean_len_bytes() / len as f64
}
