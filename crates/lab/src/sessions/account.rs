//! The system's own accounts: time of processors and who had it, switches, waiting, memory, and
//! where a thread runs.

use std::fs;

use nix::sys::resource::{UsageWho, getrusage};
use nix::time::ClockId as ClockOf;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;

/// Nanoseconds of a step in `/proc/stat`: Linux tells user space of hundredths on every machine.
const STEP_NS: f64 = 1e7;

/// Nanoseconds of a processor that this thread has had.
pub(super) fn thread_cpu_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The number by which any thread of the process may ask how much of a processor this one has had.
/// The kernel makes it of the thread's number: all bits inverted, then 4 for a thread (and not a
/// process) and 2 for time by the scheduler's own count; `pthread_getcpuclockid` gives the same.
pub(super) fn thread_clock() -> i32 {
    (!rustix::thread::gettid().as_raw_nonzero().get() << 3) | 4 | 2
}

/// Nanoseconds of a processor that the threads with these clocks have had, one that is running
/// included up to now; absent where one of them cannot be read.
pub(super) fn threads_cpu_ns(clocks: impl Iterator<Item = i32>) -> Option<f64> {
    let each = clocks.map(|clock| {
        let time = ClockOf::from_raw(clock).now().ok()?;
        Some(time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64)
    });
    each.sum()
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
pub(crate) fn process_cpu_ns() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(f64::NAN, |usage| {
        let times = [usage.user_time(), usage.system_time()];
        times.iter().map(|it| it.tv_sec() as f64 * 1e9 + it.tv_usec() as f64 * 1e3).sum()
    })
}

/// Nanoseconds that this thread was ready to run and had no processor; absent where the kernel does
/// not tell.
pub(super) fn thread_wait_ns() -> Option<f64> {
    of_schedstat(&fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

/// The second of three numbers: time run, time waited, turns. A kernel that keeps no such account
/// writes zeros, also for a thread that has run.
fn of_schedstat(text: &str) -> Option<f64> {
    let mut words = text.split_ascii_whitespace();
    let ran: u64 = words.next()?.parse().ok()?;
    let waited: u64 = words.next()?.parse().ok()?;
    (ran > 0 || waited > 0).then_some(waited as f64)
}

/// What became of the time of some processors since the system was started, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spent {
    /// They worked, for whomever.
    pub(crate) busy_ns: f64,
    /// They had nothing to do.
    pub(crate) idle_ns: f64,
    /// The hypervisor gave them to other guests; absent where that is not told.
    pub(crate) steal_ns: Option<f64>,
}

/// Time of these processors.
pub(crate) fn spent(cpus: &[u32]) -> Option<Spent> {
    of_stat(&fs::read_to_string("/proc/stat").ok()?, cpus)
}

/// From the text of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal, and what
/// is in user and nice already.
fn of_stat(text: &str, cpus: &[u32]) -> Option<Spent> {
    let mut sum = Spent { busy_ns: 0.0, idle_ns: 0.0, steal_ns: Some(0.0) };
    for cpu in cpus {
        let name = format!("cpu{cpu}");
        let mut lines = text.lines().map(|line| line.split_ascii_whitespace());
        let words = lines.find_map(|mut words| (words.next()? == name).then_some(words))?;
        let steps: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        let of = |places: &[usize]| -> Option<f64> {
            let all: Option<Vec<f64>> = places.iter().map(|&at| steps.get(at).copied()).collect();
            Some(all?.iter().sum::<f64>() * STEP_NS)
        };
        sum.busy_ns += of(&[0, 1, 2, 5, 6])?;
        sum.idle_ns += of(&[3, 4])?;
        sum.steal_ns = sum.steal_ns.zip(of(&[7])).map(|(sum, own)| sum + own);
    }
    (!cpus.is_empty()).then_some(sum)
}

/// An amount of memory in a file of `/proc`, which gives it in units of 1024 bytes:
/// `MemTotal:  16 kB`.
pub(crate) fn memory_bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Largest memory that the process has held.
pub(super) fn most_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    memory_bytes(&status, "VmHWM")
}

/// Why a thread cannot be held to processors.
#[derive(Debug, Error)]
pub enum NotBound {
    /// A number that is beyond all.
    #[error("no processor {0}")]
    NoProcessor(u32),
    /// The system does not let a thread run there.
    #[error("not allowed to run on processors {cpus:?}: {error}")]
    NotAllowed {
        /// Where it was to run.
        cpus: Vec<u32>,
        /// What the system said.
        error: Errno,
    },
    /// It does not let a thread run on one of several.
    #[error("processor {0} is not there or not allowed")]
    NotGranted(u32),
}

/// Lets this thread run on these processors only.
pub(super) fn bind(cpus: &[u32]) -> Result<(), NotBound> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu as usize >= CpuSet::MAX_CPU {
            return Err(NotBound::NoProcessor(cpu));
        }
        set.set(cpu as usize);
    }
    let refused = |error| NotBound::NotAllowed { cpus: cpus.to_vec(), error };
    sched_setaffinity(None, &set).map_err(refused)?;
    // Of several that are asked for, the system takes those that it has and says nothing.
    let granted = sched_getaffinity(None).map_err(refused)?;
    match cpus.iter().find(|&&cpu| !granted.is_set(cpu as usize)) {
        Some(&cpu) => Err(NotBound::NotGranted(cpu)),
        None => Ok(()),
    }
}

/// This thread may run anywhere until this is dropped: a worker is held to one processor, and what
/// it starts would be held to it too.
pub(super) struct Unbound {
    before: Option<CpuSet>,
    /// On these processors; of none where the system does not tell.
    pub(super) cpus: Vec<u32>,
}

impl Unbound {
    pub(super) fn begin() -> Self {
        let before = sched_getaffinity(None).ok();
        let mut all = CpuSet::new();
        (0..CpuSet::MAX_CPU).for_each(|cpu| all.set(cpu));
        // The system takes away what it does not have or allow.
        let _ = sched_setaffinity(None, &all);
        let allowed = sched_getaffinity(None).ok();
        let is_allowed = |cpu: &u32| allowed.is_some_and(|it| it.is_set(*cpu as usize));
        let cpus = (0..CpuSet::MAX_CPU as u32).filter(is_allowed).collect();
        Self { before, cpus }
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
        assert_eq!((spent(&[99_999]), spent(&[])), (None, None));
    }

    /// As a virtual machine with two processors told it.
    const STAT: &str = "\
        cpu  53510 117510 8992 145738 1264 0 188 207 0 0\n\
        cpu0 21115 59145 4023 78963 341 0 40 98 0 0\n\
        cpu1 32395 58364 4969 66775 922 7 147 109 5 3\n\
        intr 2312802 0 0 0\nctxt 1\n";

    #[test]
    fn time_of_processors_is_that_of_those_asked_for() {
        let busy = (32395 + 58364 + 4969 + 7 + 147) as f64 * 1e7;
        let one = Spent { busy_ns: busy, idle_ns: 67697e7, steal_ns: Some(109e7) };
        assert_eq!(of_stat(STAT, &[1]), Some(one));
        let both = of_stat(STAT, &[0, 1]).unwrap();
        assert_eq!((both.idle_ns, both.steal_ns), ((67697 + 79304) as f64 * 1e7, Some(207e7)));
        assert_eq!((of_stat(STAT, &[2]), of_stat(STAT, &[0, 2])), (None, None));
        // Kernels before 2.6.11 do not tell of steal; one line that is cut tells nothing.
        let old = of_stat("cpu0 1 2 3 4 5 6 7\n", &[0]).unwrap();
        assert_eq!((old.busy_ns, old.idle_ns, old.steal_ns), (19e7, 9e7, None));
        assert_eq!(of_stat("cpu0 1 2 3\n", &[0]), None);
    }

    #[test]
    fn waiting_is_the_second_number() {
        assert_eq!(of_schedstat("81503113 2778000 12\n"), Some(2_778_000.0));
        assert_eq!(of_schedstat("81503113 0 12\n"), Some(0.0));
        for none in ["0 0 0\n", "", "x y z", "12"] {
            assert_eq!(of_schedstat(none), None, "{none:?}");
        }
    }

    #[test]
    fn the_clock_of_a_thread_is_read_from_another() {
        let (before, own) = (thread_cpu_ns(), thread_clock());
        let read = || threads_cpu_ns([own].into_iter());
        let elsewhere = std::thread::scope(|scope| scope.spawn(read).join().unwrap()).unwrap();
        assert!((before..=thread_cpu_ns()).contains(&elsewhere), "{before} {elsewhere}");
        let both = threads_cpu_ns([own, own].into_iter()).unwrap();
        assert!(both >= 2.0 * elsewhere);
        // No thread has this number.
        assert_eq!(threads_cpu_ns([own, (!0x0fff_ffff << 3) | 6].into_iter()), None);
    }

    #[test]
    fn a_processor_that_is_not_there_is_refused() {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let unbound = Unbound::begin();
                assert!(!unbound.cpus.is_empty());
                assert!(bind(&[1_000_000]).unwrap_err().to_string().contains("no processor"));
                assert!(bind(&[0, 1023]).is_err());
            });
        });
    }
}
