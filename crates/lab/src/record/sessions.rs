//! A window of sessions: what a worker is asked to put on, and what it saw.

mod steady;

use serde::{Deserialize, Serialize};

use crate::regimes::sessions::Serving;

/// What sessions are put on. It goes to the worker as JSON without spaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Who serves them.
    pub serving: Serving,
    /// How many sessions.
    pub count: u32,
    /// Processors they may run on, in the order of the run; empty: wherever the system puts them.
    pub cpus: Vec<u32>,
    /// Whether session i (of a pool: thread i) is held to `cpus[i % len]` alone.
    pub pinned: bool,
    /// Lengths of messages in bytes, each with its weight; one of them where all are alike.
    pub lengths: Vec<(u32, u32)>,
    /// Sessions verify the tag of each message, instead of making it.
    #[serde(default)]
    pub verify: bool,
    /// Each session gets its key anew after so many messages; 0: never.
    #[serde(default)]
    pub rekey_every: u32,
    /// Messages a second that each session gets, at times without pattern; absent: the next as soon
    /// as the last is done.
    #[serde(default)]
    pub rate_per_s: Option<f64>,
    /// t1: from here on it counts, in milliseconds since all sessions began.
    pub from_ms: f64,
    /// t2: until here it counts. Sessions go on until it is over.
    pub to_ms: f64,
}

impl Load {
    /// Length of the window in nanoseconds.
    #[must_use]
    pub fn window_ns(&self) -> f64 {
        (self.to_ms - self.from_ms) * 1e6
    }

    /// Mean length of a message in bytes.
    #[must_use]
    pub fn mean_len_bytes(&self) -> f64 {
        let sum = |of: fn(&(u32, u32)) -> f64| self.lengths.iter().map(of).sum::<f64>();
        sum(|(len, weight)| f64::from(*len) * f64::from(*weight)) / sum(|it| f64::from(it.1))
    }
}

/// What was seen in the window: the reply to `sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// t2 − t1 as it was, in nanoseconds.
    pub window_ns: f64,
    /// Messages that were begun in the window and done, of all sessions.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes: u64,
    /// Time of the processors that the sessions' threads spent on them, in nanoseconds. Of a
    /// message that t2 cuts all of it, of one that t1 cuts nothing.
    pub cpu_ns: f64,
    /// Time of the processors that the sessions' threads had from t1 to t2. Absent where it could
    /// not be read, and from older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_cpu_ns: Option<f64>,
    /// The same of the whole process, by the system's own account of it: an independent count.
    /// Absent where the account could not be read near enough to both edges.
    pub process_cpu_ns: Option<f64>,
    /// Core clock estimated beside it, in hertz.
    pub core_hz: Option<f64>,
    /// Threads at work.
    pub threads: u32,
    /// Sessions that were done with a message at least.
    pub served: u32,
    /// Bytes of all sessions in each of the equal slices of the window, as fine as could be read.
    pub slices: Vec<Slice>,
    /// Messages of a session: how they are spread over the sessions.
    pub messages_of_session: Spread,
    /// Nanoseconds of the processor that a session spent on a message, over the sessions served.
    pub cpu_ns_of_session: Spread,
    /// Jain's index of the sessions' messages: 1 where all have as many, 1/n where one has all.
    pub fairness: f64,
    /// Times that a thread waited by itself.
    pub switches_voluntary: u64,
    /// Times that a thread was put aside for another.
    pub switches_involuntary: u64,
    /// Times that a thread was seen on another processor than before.
    pub migrations: u64,
    /// Time that the hypervisor took from the processors used, in nanoseconds; absent where the
    /// system does not tell.
    pub steal_ns: Option<f64>,
    /// Largest memory that the process held so far, in bytes.
    pub memory_bytes: Option<u64>,
    /// Times of single messages: pairs of nanoseconds and how often, ascending. Where messages come
    /// at a rate, from when each was due.
    pub times: Vec<(u64, u64)>,
    /// Messages that were due in the window and not done at its end, where they come at a rate.
    #[serde(default)]
    pub behind: u64,
    /// Who had the processors; absent from older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Received>,
}

/// Who had the processors that sessions may run on, in the window.
///
/// The system counts the time of its processors in hundredths of a second, some by looking at each
/// tick: that of others is rough in a short window, that of the sessions is not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// Processors that the sessions could use at once: those they may run on, one a thread at most.
    pub processors: u32,
    /// Time that others than this process had of the processors, in nanoseconds.
    pub others_ns: Option<f64>,
    /// Time that the processors had nothing to do, in nanoseconds.
    pub idle_ns: Option<f64>,
    /// Time that the sessions' threads, all together, were ready to run and had no processor.
    pub wait_ns: Option<f64>,
    /// Nice value of the sessions' threads.
    pub nice: Option<i32>,
}

/// Of the processors' time that they could use, sessions that are always ready have this share at
/// least where nobody disturbs them.
pub const SHARE_LEAST: f64 = 0.95;

/// No share is greater than this: both edges are read within a fraction of a percent of a window.
pub const SHARE_MOST: f64 = 1.02;

/// Part of a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Its length in nanoseconds.
    pub ns: f64,
    /// Bytes of all sessions in it.
    pub bytes: u64,
}

/// Five numbers of a distribution over sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The least of all sessions.
    pub least: f64,
    /// A quarter of the sessions lie below.
    pub lower_quartile: f64,
    /// Half of the sessions lie below.
    pub median: f64,
    /// A quarter of the sessions lie above.
    pub upper_quartile: f64,
    /// The most of all sessions.
    pub most: f64,
}

impl Measured {
    /// Time of the processors that the sessions had between t1 and t2; of older records what they
    /// spent on the messages counted.
    #[must_use]
    pub fn had_ns(&self) -> f64 {
        self.window_cpu_ns.unwrap_or(self.cpu_ns)
    }

    /// A window for just the messages that were counted: as much longer than the one that was as
    /// the work on them is more than what was done in it.
    #[must_use]
    pub fn whole_window_ns(&self) -> f64 {
        match self.window_cpu_ns {
            Some(had_ns) if had_ns > 0.0 => self.window_ns * (self.cpu_ns / had_ns),
            _ => self.window_ns,
        }
    }

    /// Nanoseconds a message as if one processor did the work.
    #[must_use]
    pub fn apparent_ns(&self) -> f64 {
        self.whole_window_ns() / self.messages as f64
    }

    /// Nanoseconds of a processor a message.
    #[must_use]
    pub fn absolute_ns(&self) -> f64 {
        self.cpu_ns / self.messages as f64
    }

    /// Nanoseconds from one message of a session to its next, over all sessions.
    #[must_use]
    pub fn wall_ns(&self, sessions: u32) -> f64 {
        self.apparent_ns() * f64::from(sessions)
    }

    /// Window × processors: what the sessions could have had, in nanoseconds.
    #[must_use]
    pub fn available_ns(&self) -> Option<f64> {
        let processors = self.received.map(|it| f64::from(it.processors));
        processors.map(|it| it * self.window_ns).filter(|ns| *ns > 0.0)
    }

    /// The share that the sessions had of it.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        self.available_ns().map(|ns| self.had_ns() / ns)
    }

    /// The share that the sessions are said to have had of the processors, where that is more than
    /// there was: then the accounts of this window are wrong, as those of older records are whose
    /// messages are long.
    #[must_use]
    pub fn excess(&self) -> Option<f64> {
        self.share().filter(|share| *share > SHARE_MOST)
    }

    /// The share that the sessions had of the processors, where that is less than
    /// [`SHARE_LEAST`] and not by their own doing.
    ///
    /// Messages that come at a rate leave processors idle, and so do threads that wait for a lock
    /// or a device: then run time and waiting for a processor together do not fill what was there.
    #[must_use]
    pub fn shortfall(&self, load: &Load) -> Option<f64> {
        let (available_ns, share) = (self.available_ns()?, self.share()?);
        let wait_ns = self.received.and_then(|it| it.wait_ns);
        let is_ready = load.rate_per_s.is_none()
            && wait_ns.is_none_or(|ns| self.had_ns() + ns >= SHARE_LEAST * available_ns);
        (is_ready && share < SHARE_LEAST).then_some(share)
    }

    /// Time of the processors by the threads' own clocks over the system's account of the process.
    #[must_use]
    pub fn cpu_to_process(&self) -> Option<f64> {
        self.process_cpu_ns.filter(|&ns| ns > 0.0).map(|ns| self.had_ns() / ns)
    }
}

#[cfg(test)]
impl Measured {
    /// 100 messages of 16 bytes that eight sessions did on one processor in a window of 100 ms: a
    /// test changes what it is about.
    pub(crate) fn planted() -> Self {
        Self {
            window_ns: 1e8,
            messages: 100,
            bytes: 1600,
            cpu_ns: 1e8,
            window_cpu_ns: None,
            process_cpu_ns: None,
            core_hz: None,
            threads: 8,
            served: 8,
            slices: vec![],
            messages_of_session: Spread::default(),
            cpu_ns_of_session: Spread::default(),
            fairness: 1.0,
            switches_voluntary: 0,
            switches_involuntary: 0,
            migrations: 0,
            steal_ns: None,
            memory_bytes: None,
            times: vec![],
            behind: 0,
            received: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 100 ms on these processors, in which they gave all that `cpu_ns` tells.
    fn window(processors: u32, messages: u64, cpu_ns: f64) -> Measured {
        let received = Some(Received { processors, ..Received::default() });
        let window_cpu_ns = Some(cpu_ns);
        Measured { messages, cpu_ns, window_cpu_ns, received, ..Measured::planted() }
    }

    fn near(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-12
    }

    #[test]
    fn on_one_processor_apparent_is_absolute_or_more_where_others_have_some_of_it() {
        let alone = window(1, 100_000, 1e8);
        assert!(near(alone.absolute_ns(), 1_000.0) && near(alone.apparent_ns(), 1_000.0));
        assert!(near(alone.wall_ns(8), 8_000.0));
        let beside_others = window(1, 80_000, 0.8e8);
        assert!(near(beside_others.absolute_ns(), 1_000.0));
        assert!(near(beside_others.apparent_ns(), 1_250.0));
        assert_eq!(beside_others.share(), Some(0.8));
    }

    #[test]
    fn a_second_processor_halves_the_apparent_time_unless_a_lock_stands_before_it() {
        let free = window(2, 200_000, 2e8);
        assert!(near(free.absolute_ns(), 1_000.0) && near(free.apparent_ns(), 500.0));
        let locked = window(2, 100_000, 1e8);
        assert!(near(locked.absolute_ns(), 1_000.0) && near(locked.apparent_ns(), 1_000.0));
        assert_eq!(locked.share(), Some(0.5));
    }

    #[test]
    fn of_long_messages_that_the_edges_cut_apparent_is_what_they_took() {
        // 40 of 3 ms: with those that t2 cut, more than the processor had in the window.
        let cut = Measured { window_cpu_ns: Some(1e8), ..window(1, 40, 1.2e8) };
        assert!(near(cut.absolute_ns(), 3e6) && near(cut.apparent_ns(), 3e6));
        assert_eq!((cut.share(), cut.excess()), (Some(1.0), None));
        // An older record does not know what they had.
        let old = Measured { window_cpu_ns: None, ..cut };
        assert!(near(old.apparent_ns(), 2.5e6) && near(old.excess().unwrap(), 1.2));
    }

    #[test]
    fn the_threads_clocks_are_set_beside_the_systems_account_of_the_process() {
        let told = |ns| Measured { process_cpu_ns: ns, ..window(1, 100, 0.95e8) }.cpu_to_process();
        assert!(near(told(Some(1e8)).unwrap(), 0.95));
        assert_eq!((told(Some(0.0)), told(None)), (None, None));
    }
}
