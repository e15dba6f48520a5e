//! The system's own accounts: time of processors, switches, steal, memory, and where a thread runs.

use std::fs;

use nix::sys::resource::{UsageWho, getrusage};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of a step in `/proc/stat`: Linux tells user space of hundredths on every machine.
const STEP_NS: f64 = 1e7;

/// Nanoseconds of a processor that this thread has had.
pub(super) fn thread_cpu_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Switches of this thread: by itself, and for another.
pub(super) fn thread_switches() -> [u64; 2] {
    getrusage(UsageWho::RUSAGE_THREAD).map_or([0; 2], |usage| {
        [usage.voluntary_context_switches(), usage.involuntary_context_switches()]
            .map(|count| count as u64)
    })
}

/// Nanoseconds of processors that the whole process has had, by `getrusage`.
///
/// It is not our sum of the threads' clocks by another name. The system brings a thread's account
/// up to date when it switches threads and at its tick (1 to 10 ms), so that at both edges each
/// processor may lack a tick; the main thread is in it, and so is what threads do at the edges that
/// is not counted for a session: a burst that was begun before t1, and their own bookkeeping.
pub(super) fn process_cpu_ns() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(f64::NAN, |usage| {
        let times = [usage.user_time(), usage.system_time()];
        times.iter().map(|it| it.tv_sec() as f64 * 1e9 + it.tv_usec() as f64 * 1e3).sum()
    })
}

/// Nanoseconds that the hypervisor took from these processors since the start; of all, if none.
pub(super) fn steal_ns(cpus: &[u32]) -> Option<f64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let of = |name: &str| -> Option<f64> {
        let mut words = text.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace();
            (words.next()? == name).then_some(words)
        })?;
        Some(words.nth(7)?.parse::<f64>().ok()? * STEP_NS)
    };
    if cpus.is_empty() {
        return of("cpu");
    }
    cpus.iter().map(|cpu| of(&format!("cpu{cpu}"))).sum()
}

/// Largest memory that the process has held.
pub(super) fn most_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Lets this thread run on these processors only.
pub(super) fn bind(cpus: &[u32]) -> Result<(), String> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu as usize >= CpuSet::MAX_CPU {
            return Err(format!("no processor {cpu}"));
        }
        set.set(cpu as usize);
    }
    let refused = |error| format!("not allowed to run on processors {cpus:?}: {error}");
    sched_setaffinity(None, &set).map_err(refused)?;
    // Of several that are asked for, the system takes those that it has and says nothing.
    let granted = sched_getaffinity(None).map_err(refused)?;
    match cpus.iter().find(|&&cpu| !granted.is_set(cpu as usize)) {
        Some(cpu) => Err(format!("processor {cpu} is not there or not allowed")),
        None => Ok(()),
    }
}

/// This thread may run anywhere until this is dropped: a worker is held to one processor, and what
/// it starts would be held to it too.
pub(super) struct Unbound {
    before: Option<CpuSet>,
    /// On how many processors.
    pub(super) count: usize,
}

impl Unbound {
    pub(super) fn begin() -> Self {
        let before = sched_getaffinity(None).ok();
        let mut all = CpuSet::new();
        (0..CpuSet::MAX_CPU).for_each(|cpu| all.set(cpu));
        // The system takes away what it does not have or allow.
        let _ = sched_setaffinity(None, &all);
        let count = sched_getaffinity(None).map_or(1, |allowed| allowed.count() as usize);
        Self { before, count }
    }
}

impl Drop for Unbound {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_what_it_is_asked() {
        let before = [thread_cpu_ns(), process_cpu_ns()];
        std::hint::black_box((0..20_000_000_u64).fold(0, |sum, i| sum ^ std::hint::black_box(i)));
        assert!(thread_cpu_ns() > before[0] && process_cpu_ns() >= before[1]);
        assert!(most_memory_bytes().is_some_and(|bytes| bytes > 1 << 20));
        assert_eq!(steal_ns(&[99_999]), None);
    }

    #[test]
    fn a_processor_that_is_not_there_is_refused() {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let unbound = Unbound::begin();
                assert!(unbound.count >= 1);
                assert!(bind(&[1_000_000]).unwrap_err().contains("no processor"));
                assert!(bind(&[0, 1023]).is_err());
            });
        });
    }
}
