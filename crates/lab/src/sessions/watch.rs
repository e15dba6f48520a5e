//! What a thread keeps of its own work: its accounts at both edges of the window, and the times of
//! single messages between them.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::account;
use super::error::SessionsError;
use super::share::Share;
use super::window::{BEFORE, OVER, Reading, WITHIN, Window};
use crate::clock::{Clock, PASSES};
use crate::record::sessions::Load;

/// Most threads whose times are kept to two digits; of more, to one: 2 KiB instead of 15.
const EXACT_THREADS: u32 = 1000;

/// Longest time of a message that is told apart, in nanoseconds: a minute.
const LONGEST_NS: u64 = 60_000_000_000;

/// Threads that estimate the core clock beside the window; 6 µs each at both of its ends. They are
/// the first whose turn comes: of very many, others may not have one in the window.
const CORE_CLOCK_THREADS: u32 = 8;

/// Threads that read how long they waited for a processor; some 5 µs each at both ends. Threads are
/// alike, and few say how it is with all.
const WAITING_THREADS: u32 = 16;

/// How long all threads have to hear that they may begin, and for each of them more.
const HEARING_LEAST: Duration = Duration::from_millis(2);
const HEARING_OF_THREAD: Duration = Duration::from_micros(40);

/// How long after an edge was due a session's thread sees to it, in nanoseconds.
const OVERDUE_NS: u64 = 2_000_000;

/// The clocks of all threads are read where there are so many at most: of thousands whoever reads
/// would not be done in its turn, and the next may be minutes away.
const CLOCKS_MAX: u32 = 512;

/// Reading them may take so long, and for each of them more; what takes longer was interrupted, and
/// is read again, so often at most.
const CLOCKS_NS: u64 = 300_000;
const CLOCK_NS: u64 = 2_000;
const CLOCKS_READ_MAX: u32 = 3;

/// How often main looks after an edge or a failure at least, in nanoseconds.
const LOOK_NS: u64 = 20_000_000;

/// Cache lines that threads add their bytes to: so many that two that run at once seldom meet.
const COUNTERS: usize = 64;

/// What main and all threads share.
///
/// Main keeps the window: it sleeps until the next edge is due. Should it not get its turn, which
/// may take many seconds where thousands of threads wait for theirs, a session's thread that sees
/// that an edge is overdue makes it.
pub(super) struct Stage {
    pub(super) clock: Clock,
    pub(super) threads: u32,
    phase: AtomicU32,
    /// Threads at the gate.
    arrived: Mutex<u32>,
    is_ready: Condvar,
    is_open: AtomicBool,
    /// Threads with a lower number may end.
    may_leave: AtomicU32,
    /// When all began.
    zero: OnceLock<Instant>,
    /// When, in nanoseconds since then, the next is due: an edge, or the end of a slice.
    next_ns: AtomicU64,
    window: Mutex<Window>,
    /// Bytes of all threads so far.
    counters: [Counter; COUNTERS],
    has_failed: AtomicBool,
    /// Threads that were in the window so far.
    seen_by: AtomicU32,
    /// The clock of each thread; 0 until it is known, which no clock is.
    clocks: Vec<AtomicI32>,
}

/// A cache line.
#[derive(Default)]
#[repr(align(64))]
struct Counter(AtomicU64);

impl Stage {
    /// Sessions run on `cpus`.
    pub(super) fn new(clock: Clock, threads: u32, load: &Load, cpus: &[u32]) -> Self {
        let window = Window::of(load, cpus);
        Self {
            clock,
            threads,
            phase: AtomicU32::new(BEFORE),
            arrived: Mutex::default(),
            is_ready: Condvar::new(),
            is_open: AtomicBool::new(false),
            may_leave: AtomicU32::new(0),
            zero: OnceLock::new(),
            next_ns: AtomicU64::new(window.next_ns()),
            window: Mutex::new(window),
            counters: std::array::from_fn(|_| Counter::default()),
            has_failed: AtomicBool::new(false),
            seen_by: AtomicU32::new(0),
            clocks: (0..threads).map(|_| AtomicI32::new(0)).collect(),
        }
    }

    /// Tells the others how the time of the calling thread, which has this number, is read.
    pub(super) fn tell_clock(&self, thread: u32) {
        self.clocks[thread as usize].store(account::thread_clock(), Ordering::Release);
    }

    /// One more thread is at the gate. Each arrives once, whatever became of it.
    pub(super) fn arrive(&self) {
        let mut arrived = self.arrived();
        *arrived += 1;
        if *arrived >= self.threads {
            self.is_ready.notify_one();
        }
    }

    /// A thread waits until all may begin. It takes nothing that another one waits for: thousands
    /// that take a lock in turn would do so long after the window, each when the system lets it
    /// run.
    pub(super) fn wait(&self) {
        while !self.is_open.load(Ordering::Acquire) {
            std::thread::park();
        }
        if let Some(zero) = self.zero.get() {
            std::thread::sleep(zero.saturating_duration_since(Instant::now()));
        }
    }

    /// Main waits for all.
    pub(super) fn await_all(&self) {
        let mut arrived = self.arrived();
        while *arrived < self.threads {
            arrived = self.is_ready.wait(arrived).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// All may begin, at a time when each has heard of it: a thread that began at once would keep
    /// others from being woken.
    pub(super) fn open<'t>(&self, all: impl Iterator<Item = &'t Thread>) {
        let hearing = HEARING_LEAST + HEARING_OF_THREAD * self.threads;
        self.zero.get_or_init(|| Instant::now() + hearing);
        let cpus = self.window().cpus.clone();
        let reading = Reading::now(&cpus, || self.now_ns());
        self.window().keep_reading(reading);
        self.is_open.store(true, Ordering::Release);
        all.for_each(Thread::unpark);
    }

    fn arrived(&self) -> MutexGuard<'_, u32> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread stays until it may end.
    pub(super) fn stay_until_released(&self, thread: u32) {
        while self.may_leave.load(Ordering::Acquire) <= thread {
            std::thread::park();
        }
    }

    /// Threads below this number may end.
    pub(super) fn release(&self, below: u32) {
        self.may_leave.store(below, Ordering::Release);
    }

    /// A thread cannot go on, and so nobody needs to.
    pub(super) fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
        self.phase.store(OVER, Ordering::Release);
    }

    /// Goes on to a phase, never back to one: another thread may fail after we looked whether one
    /// had, and if it were not over any more then, nobody would ever leave.
    fn reach(&self, phase: u32) {
        self.phase.fetch_max(phase, Ordering::Release);
    }

    /// Nanoseconds since all began.
    pub(super) fn now_ns(&self) -> u64 {
        self.zero.get().map_or(0, |zero| zero.elapsed().as_nanos() as u64)
    }

    /// Where the window stands, which the caller has to see to if nobody did for so long.
    #[inline(always)]
    fn phase(&self, overdue_ns: u64) -> u32 {
        if self.now_ns() >= self.next_ns.load(Ordering::Relaxed).saturating_add(overdue_ns) {
            self.advance();
        }
        self.phase.load(Ordering::Acquire)
    }

    /// Makes the edge that is due, or ends the slice, unless another thread is about it.
    #[cold]
    fn advance(&self) {
        let Ok(mut window) = self.window.try_lock() else { return };
        let now_ns = self.now_ns();
        if now_ns < window.next_ns() || self.has_failed.load(Ordering::Relaxed) {
            return;
        }
        // An edge is when the clocks were read.
        let read = window.is_edge(now_ns).then(|| self.clocks_of_all()).flatten();
        let (now_ns, cpu_ns) = read.map_or((now_ns, None), |(at_ns, ns)| (at_ns, Some(ns)));
        let bytes = self.counters.iter().map(|it| it.0.load(Ordering::Relaxed)).sum();
        window.advance(now_ns, bytes, cpu_ns);
        self.reach(window.phase());
        self.next_ns.store(window.next_ns(), Ordering::Relaxed);
        if !window.wants_reading() {
            return;
        }
        let cpus = window.cpus.clone();
        // It takes a millisecond where there are thousands of threads, and may be interrupted for
        // long: not while others wait for the window.
        drop(window);
        let reading = Reading::now(&cpus, || self.now_ns());
        self.window().keep_reading(reading);
    }

    /// Time of processors that all threads have had, and when that was; absent where it cannot be
    /// read in one go.
    fn clocks_of_all(&self) -> Option<(u64, f64)> {
        if self.threads > CLOCKS_MAX {
            return None;
        }
        let most_ns = CLOCKS_NS + CLOCK_NS * u64::from(self.threads);
        (0..CLOCKS_READ_MAX).find_map(|_| {
            let begin_ns = self.now_ns();
            let clocks = self.clocks.iter().map(|it| it.load(Ordering::Acquire));
            let cpu_ns = account::threads_cpu_ns(clocks)?;
            let took_ns = self.now_ns() - begin_ns;
            (took_ns <= most_ns).then_some((begin_ns + took_ns / 2, cpu_ns))
        })
    }

    /// Main stays until the window is over, for threads that sleep when an edge is due.
    pub(super) fn stay(&self) {
        while self.phase(0) != OVER {
            let left_ns = self.next_ns.load(Ordering::Relaxed).saturating_sub(self.now_ns());
            // Somebody else may be about an edge that is due.
            std::thread::sleep(Duration::from_nanos(left_ns.clamp(50_000, LOOK_NS)));
        }
    }

    /// The window, once it is over.
    pub(super) fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's accounts at one moment.
struct Mark {
    cpu_ns: f64,
    switches: [u64; 2],
    /// Of each of its sessions.
    messages: Vec<u64>,
    bytes: u64,
    /// Of the first threads only.
    wait_ns: Option<f64>,
}

impl Mark {
    fn of(share: &Share<'_>, thread: u32) -> Self {
        let waits = thread < WAITING_THREADS;
        Self {
            wait_ns: waits.then(account::thread_wait_ns).flatten(),
            cpu_ns: account::thread_cpu_ns(),
            switches: account::thread_switches(),
            messages: share.sessions.iter().map(|session| session.messages).collect(),
            bytes: share.bytes,
        }
    }
}

/// What a thread did in the window.
#[derive(Default)]
pub(super) struct Done {
    pub(super) cpu_ns: f64,
    pub(super) switches: [u64; 2],
    pub(super) messages: Vec<u64>,
    pub(super) bytes: u64,
    pub(super) migrations: u64,
    pub(super) times: Vec<(u64, u64)>,
    pub(super) core_hz: Vec<f64>,
    pub(super) behind: u64,
    pub(super) wait_ns: Option<f64>,
}

/// A thread's view of the window.
pub(super) struct Watch<'a> {
    pub(super) stage: &'a Stage,
    thread: u32,
    published: u64,
    seen: u32,
    begin: Option<Mark>,
    end: Option<Mark>,
    times: Histogram<u32>,
    cpu: usize,
    migrations: u64,
    has_core_clock: bool,
    core_hz: Vec<f64>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(stage: &'a Stage, thread: u32) -> Result<Self, SessionsError> {
        let digits = if stage.threads > EXACT_THREADS { 1 } else { 2 };
        let times = Histogram::new_with_max(LONGEST_NS, digits);
        Ok(Self {
            stage,
            thread,
            published: 0,
            seen: BEFORE,
            begin: None,
            end: None,
            times: times.map_err(SessionsError::Histogram)?,
            cpu: rustix::thread::sched_getcpu(),
            migrations: 0,
            has_core_clock: false,
            core_hz: vec![],
        })
    }

    /// Looks where the window stands, between two bursts; whether there is anything left to do.
    ///
    /// Both edges have one rule: what a thread is in the middle of when the edge comes belongs to
    /// what was before it. A burst cut by t1 is lost and one cut by t2 is won. That cancels only
    /// where as many threads are in the middle of one at both, and where many have their first turn
    /// within the window they are not; so what lay in it is told by the clocks read at its edges.
    #[inline(always)]
    pub(super) fn look(&mut self, share: &Share<'_>) -> bool {
        let counter = &self.stage.counters[self.thread as usize % COUNTERS];
        counter.0.fetch_add(share.bytes - self.published, Ordering::Relaxed);
        self.published = share.bytes;
        let phase = self.stage.phase(OVERDUE_NS);
        if phase != self.seen {
            self.turn(phase, share);
        }
        if phase == WITHIN {
            let cpu = rustix::thread::sched_getcpu();
            self.migrations += u64::from(cpu != self.cpu);
            self.cpu = cpu;
        }
        phase != OVER
    }

    #[cold]
    fn turn(&mut self, phase: u32, share: &Share<'_>) {
        // A thread whose first turn comes after the window has done nothing in it.
        if phase == WITHIN {
            let earlier = self.stage.seen_by.fetch_add(1, Ordering::Relaxed);
            self.has_core_clock = earlier < CORE_CLOCK_THREADS;
            self.estimate_core_clock();
            self.cpu = rustix::thread::sched_getcpu();
            self.begin = Some(Mark::of(share, self.thread));
        } else if self.begin.is_some() {
            self.end = Some(Mark::of(share, self.thread));
            self.estimate_core_clock();
        }
        self.seen = phase;
    }

    /// Outside of what is counted for the thread.
    fn estimate_core_clock(&mut self) {
        if self.has_core_clock {
            self.core_hz.extend(self.stage.clock.core_hz(PASSES));
        }
    }

    /// Keeps the time of a message, if it belongs to the window.
    #[inline(always)]
    pub(super) fn keep(&mut self, ns: f64) {
        if self.seen == WITHIN {
            self.times.saturating_record(ns.max(0.0) as u64);
        }
    }

    /// What it comes to.
    pub(super) fn done(self, share: &Share<'_>, behind: u64) -> Done {
        let (Some(begin), Some(end)) = (self.begin, self.end) else {
            return Done { messages: vec![0; share.sessions.len()], behind, ..Done::default() };
        };
        let times = self.times.iter_recorded();
        Done {
            cpu_ns: end.cpu_ns - begin.cpu_ns,
            switches: [0, 1].map(|i| end.switches[i].saturating_sub(begin.switches[i])),
            bytes: end.bytes - begin.bytes,
            messages: end.messages.iter().zip(&begin.messages).map(|(end, it)| end - it).collect(),
            migrations: self.migrations,
            times: times.map(|it| (it.value_iterated_to(), it.count_at_value().into())).collect(),
            core_hz: self.core_hz,
            behind,
            wait_ns: end.wait_ns.zip(begin.wait_ns).map(|(end, begin)| end - begin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::share::tests::{load, with_share_of};
    use super::*;
    use crate::regimes::sessions::Serving;

    /// Some messages, each of which seems to take 100 ns.
    fn burst(messages: u32, share: &mut Share<'_>, watch: &mut Watch<'_>) {
        for _ in 0..messages {
            share.step().unwrap();
            watch.keep(100.0);
        }
    }

    /// As long as nobody opens the gate, time stands still, and edges come when they are made.
    #[test]
    fn what_an_edge_cuts_belongs_to_what_was_before_it() {
        let load = load(Serving::Pooled, 2);
        with_share_of(&load, |share| {
            let stage = Stage::new(Clock::calibrate(), 1, &load, &[]);
            let mut watch = Watch::new(&stage, 0).unwrap();
            burst(5, share, &mut watch);
            assert!(watch.look(share));
            stage.reach(WITHIN);
            burst(2, share, &mut watch);
            assert!(watch.look(share));
            burst(7, share, &mut watch);
            assert!(watch.look(share));
            stage.reach(OVER);
            burst(3, share, &mut watch);
            assert!(!watch.look(share));
            let published = stage.counters.iter().map(|it| it.0.load(Ordering::Relaxed));
            assert_eq!((share.bytes, published.sum::<u64>()), (17 * 16, 17 * 16));
            let done = watch.done(share, 4);
            assert_eq!((&done.messages[..], done.bytes), (&[5, 5][..], 10 * 16));
            assert_eq!((&done.times[..], done.behind), (&[(100, 10)][..], 4));
        });
    }

    #[test]
    fn a_thread_without_a_turn_in_the_window_has_done_nothing_in_it() {
        let load = load(Serving::Pooled, 2);
        with_share_of(&load, |share| {
            let stage = Stage::new(Clock::calibrate(), 1, &load, &[]);
            let mut watch = Watch::new(&stage, 0).unwrap();
            assert!(watch.look(share));
            burst(5, share, &mut watch);
            stage.reach(WITHIN);
            stage.reach(OVER);
            assert!(!watch.look(share));
            let done = watch.done(share, 9);
            assert_eq!((&done.messages[..], done.bytes, done.behind), (&[0, 0][..], 0, 9));
            assert!(done.times.is_empty() && done.cpu_ns == 0.0);
        });
    }

    #[test]
    fn what_is_over_by_a_failure_stays_over_whoever_is_about_an_edge() {
        let load = load(Serving::Threads, 1);
        let stage = Stage::new(Clock::calibrate(), 1, &load, &[]);
        let phase = || stage.phase.load(Ordering::Acquire);
        stage.reach(WITHIN);
        assert_eq!(phase(), WITHIN);
        stage.fail();
        stage.reach(WITHIN);
        assert_eq!(phase(), OVER);
    }
}
