//! The engine: puts a load on, waits for the window, and tells what was seen in it.

use std::thread::{Builder, ScopedJoinHandle};

use super::account::{self, Unbound};
use super::error::SessionsError;
use super::needs::{Needs, STACK_LEN_BYTES};
use super::share::{Common, Last};
use super::tally::Tally;
use super::thread::{self, Outcome};
use super::watch::Stage;
use super::window::Window;
use super::workload::{Workload, deck};
use crate::clock::Clock;
use crate::record::sessions::{Load, Measured, Received};

/// Most bytes that are computed again after a window, unless [`CHECKED_LEAST`] sessions are more.
const CHECKED_BYTES: u64 = 64 << 20;

/// Sessions whose last tag is computed again at least, spread evenly over all.
const CHECKED_LEAST: usize = 100;

/// One window of `load`.
///
/// # Errors
/// What is wrong with the load, what a session could not do, or that tags are wrong.
pub fn measure(
    workload: &Workload<'_>,
    load: &Load,
    clock: Clock,
) -> Result<Measured, SessionsError> {
    measure_on(workload, load, clock, |_| STACK_LEN_BYTES)
}

/// The same with a stack of a length of its own for each thread.
#[expect(clippy::missing_errors_doc, reason = "as `measure`")]
pub fn measure_on(
    workload: &Workload<'_>,
    load: &Load,
    clock: Clock,
    stack_len: impl Fn(u32) -> usize,
) -> Result<Measured, SessionsError> {
    workload.check(load)?;
    // Main may run anywhere too: it is to see both edges soon, however busy some processors are.
    let unbound = Unbound::begin();
    let needs = Needs::of(load, unbound.cpus.len().max(1));
    needs.check()?;
    let deck = deck(&load.lengths);
    let common = Common { workload, load, deck: &deck };
    let cpus = if load.cpus.is_empty() { &unbound.cpus } else { &load.cpus };
    let stage = Stage::new(clock, needs.threads, load, cpus);
    let outcomes = std::thread::scope(|scope| {
        let mut handles = Vec::with_capacity(needs.threads as usize);
        for thread in 0..needs.threads {
            let stage = &stage;
            let builder = Builder::new().stack_size(stack_len(thread));
            match builder.spawn_scoped(scope, move || thread::run(stage, common, thread)) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    stage.fail();
                    stage.open(handles.iter().map(ScopedJoinHandle::thread));
                    let started = handles.len();
                    let _ = joined(stage, handles);
                    let wanted = needs.threads;
                    return Err(SessionsError::Threads { started, wanted, error });
                }
            }
        }
        stage.await_all();
        stage.open(handles.iter().map(ScopedJoinHandle::thread));
        stage.stay();
        joined(&stage, handles)
    })?;
    check_lasts(workload, outcomes.iter().flat_map(|it| &it.lasts).collect())?;
    Ok(measured(&stage.window(), &outcomes, needs.threads))
}

/// Threads that may end at once. Each gives back memory under the one lock that the system has for
/// that, and many thousands that wait for it were seen to take minutes.
const LEAVING: usize = 32;

/// What all threads came to, or the first thing that went wrong. None is left running.
fn joined(
    stage: &Stage,
    handles: Vec<ScopedJoinHandle<'_, Result<Outcome, SessionsError>>>,
) -> Result<Vec<Outcome>, SessionsError> {
    let broken = |_| Err(SessionsError::Halfway);
    let mut outcomes = Vec::with_capacity(handles.len());
    let mut handles = handles.into_iter().peekable();
    while handles.peek().is_some() {
        let leaving: Vec<_> = handles.by_ref().take(LEAVING).collect();
        stage.release((outcomes.len() + leaving.len()) as u32);
        leaving.iter().for_each(|handle| handle.thread().unpark());
        outcomes.extend(leaving.into_iter().map(|it| it.join().unwrap_or_else(broken)));
    }
    outcomes.into_iter().collect()
}

/// The last tag of each session once more, by a tagger opened alone, now that all threads are over.
/// Of many long messages only some, evenly, since each window pays for it.
fn check_lasts(workload: &Workload<'_>, mut lasts: Vec<&Last>) -> Result<(), SessionsError> {
    let bytes: u64 = lasts.iter().map(|last| u64::from(last.len)).sum();
    let most = (lasts.len() as u64 * CHECKED_BYTES / bytes.max(1)) as usize;
    let step = lasts.len().div_ceil(most.max(CHECKED_LEAST)).max(1);
    lasts.sort_by_key(|last| last.session);
    let mut tag = vec![0; workload.tag_len];
    for last in lasts.into_iter().step_by(step) {
        let mut tagger = workload.provider.tagger(workload.mac, workload.key_life, &last.key)?;
        tagger(&last.key, workload.message(last.session, last.len), &mut tag)?;
        if tag != last.tag {
            let [tag, alone] = [&last.tag, &tag].map(hex::encode);
            return Err(SessionsError::WrongLastTag { session: last.session, tag, alone });
        }
    }
    Ok(())
}

fn measured(window: &Window, outcomes: &[Outcome], threads: u32) -> Measured {
    let tally = Tally::of(outcomes.iter().map(|outcome| &outcome.done));
    Measured {
        window_ns: window.ns(),
        messages: tally.messages,
        bytes: tally.bytes,
        cpu_ns: tally.cpu_ns,
        window_cpu_ns: window.threads_cpu_ns(),
        process_cpu_ns: window.process_cpu_ns(),
        core_hz: tally.core_hz,
        threads,
        served: tally.served,
        slices: window.slices(),
        messages_of_session: tally.messages_of_session,
        cpu_ns_of_session: tally.cpu_ns_of_session,
        fairness: tally.fairness,
        switches_voluntary: tally.switches[0],
        switches_involuntary: tally.switches[1],
        migrations: tally.migrations,
        steal_ns: window.steal_ns(),
        memory_bytes: account::most_memory_bytes(),
        times: tally.times,
        behind: tally.behind,
        received: Some(Received {
            processors: threads.min(window.cpus.len() as u32),
            others_ns: window.others_ns(),
            idle_ns: window.idle_ns(),
            wait_ns: tally.wait_ns.map(|ns| ns * f64::from(threads)),
            nice: outcomes.first().and_then(|it| it.nice),
        }),
    }
}
