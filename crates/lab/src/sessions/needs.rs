//! What a load needs, told before anything starts: threads and memory, beside what this machine
//! allows.

use std::fs;

use thiserror::Error;

use crate::machine::cgroup::{number_in, own_folders};
use crate::record::sessions::Load;
use crate::regimes::sessions::Serving;
use crate::sessions::account::memory_bytes;
use crate::worker::memory_limit::byte_text;

/// Stack that a thread of sessions gets. Only what it touches is memory.
pub const STACK_LEN_BYTES: usize = 256 * 1024;

/// What a thread takes at most beside its sessions: the pages of its stack that it touches and its
/// times of messages (some 12 KiB seen); what a library keeps for a thread (of those measured,
/// intel-ipsec-mb most by far: some 210 KiB); and the system's own account of it.
const THREAD_BYTES: u64 = 240 * 1024;

/// What a session takes at most beside its messages: a library's context and its key.
const CONTEXT_BYTES: u64 = 16 * 1024;

/// What the prepared context of one of many keys takes at most: libraries of ciphers with tables of
/// their own take that much.
const KEY_BYTES: u64 = 4 * 1024;

/// What a worker takes before any session or key: its program, its library, the pool.
const WORKER_BYTES: u64 = 64 << 20;

/// What this machine has too little of.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotEnough {
    /// Threads at once.
    #[error("{needed} threads are more than this machine allows: {most} ({bound})")]
    Threads {
        /// How many are needed.
        needed: u32,
        /// How many it allows.
        most: u64,
        /// Where that is set.
        bound: &'static str,
    },
    /// Memory, in bytes.
    #[error(
        "{} of memory are needed, but only {} are available ({bound})",
        rounded(*needed_bytes),
        rounded(*most_bytes)
    )]
    Memory {
        /// How much is needed.
        needed_bytes: u64,
        /// How much there is.
        most_bytes: u64,
        /// Where that is told.
        bound: &'static str,
    },
}

/// Threads and memory of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// Threads of the worker that are at work at once.
    pub threads: u32,
    /// Memory of the worker at most, in bytes.
    pub memory_bytes: u64,
}

impl Needs {
    /// What `load` needs of a worker that has `cpus` processors to run on.
    #[must_use]
    pub fn of(load: &Load, cpus: usize) -> Self {
        let threads = match load.serving {
            Serving::Threads => load.count,
            Serving::Pooled | Serving::Batched => {
                let places = if load.cpus.is_empty() { cpus } else { load.cpus.len() };
                load.count.min(places as u32)
            }
        };
        let longest = load.lengths.iter().map(|(len, _)| *len).max().unwrap_or(0);
        let session = CONTEXT_BYTES + u64::from(longest).next_multiple_of(64);
        let memory_bytes =
            WORKER_BYTES + u64::from(threads) * THREAD_BYTES + u64::from(load.count) * session;
        Self { threads, memory_bytes }
    }

    /// What one thread needs that has the contexts of so many keys.
    #[must_use]
    pub fn of_keys(count: u32) -> Self {
        Self { threads: 1, memory_bytes: WORKER_BYTES + u64::from(count) * KEY_BYTES }
    }

    /// Whether this machine has as much.
    ///
    /// # Errors
    /// What it has too little of.
    pub fn check(&self) -> Result<(), NotEnough> {
        let spare = 64;
        for (most, bound) in thread_limits() {
            let needed = u64::from(self.threads) + spare;
            if needed > most {
                let (needed, most) = (self.threads, most.saturating_sub(spare));
                return Err(NotEnough::Threads { needed, most, bound });
            }
        }
        for (most_bytes, bound) in memory_limits() {
            if self.memory_bytes > most_bytes {
                let needed_bytes = self.memory_bytes;
                return Err(NotEnough::Memory { needed_bytes, most_bytes, bound });
            }
        }
        Ok(())
    }
}

/// The most of something, and what bounds it.
pub type Limit = (u64, &'static str);

/// The tightest limits of this machine on threads at once and on bytes of memory; absent where
/// nothing can be read.
#[must_use]
pub fn limits() -> [Option<Limit>; 2] {
    [thread_limits(), memory_limits()].map(|all| all.into_iter().min())
}

/// Whole MiB.
fn rounded(bytes: u64) -> String {
    byte_text(bytes.next_multiple_of(1 << 20))
}

/// Most threads at once, by everything that bounds them; what cannot be read bounds nothing.
fn thread_limits() -> Vec<(u64, &'static str)> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limits = [
        (number("/proc/sys/kernel/threads-max"), "kernel.threads-max"),
        (number("/proc/sys/kernel/pid_max"), "kernel.pid_max"),
        // A stack, that for its overflow, and the guard of each.
        (
            number("/proc/sys/vm/max_map_count").map(|maps| maps / 4),
            "vm.max_map_count, 4 per thread",
        ),
        (
            rustix::process::getrlimit(rustix::process::Resource::Nproc).current,
            "RLIMIT_NPROC, ulimit -u",
        ),
        (
            own_folders("pids").iter().filter_map(|it| number(&format!("{it}/pids.max"))).min(),
            "pids.max of the cgroup",
        ),
    ];
    limits.into_iter().filter_map(|(most, what)| Some((most?, what))).collect()
}

/// Memory that may still be taken, by everything that bounds it.
fn memory_limits() -> Vec<(u64, &'static str)> {
    let folders = own_folders("memory");
    let of_cgroups = |most: &str, used: &str| {
        let left = |folder: &String| {
            let text = |name: &str| fs::read_to_string(format!("{folder}/{name}"));
            let or_none = |name: &str| text(name).unwrap_or_default();
            left_bytes(&text(most).ok()?, &or_none(used), &or_none("memory.stat"))
        };
        folders.iter().filter_map(left).min()
    };
    let limits = [
        (available_bytes(), "MemAvailable"),
        (of_cgroups("memory.max", "memory.current"), "memory.max of the cgroup"),
        (
            of_cgroups("memory.limit_in_bytes", "memory.usage_in_bytes"),
            "memory.limit_in_bytes of the cgroup",
        ),
    ];
    limits.into_iter().filter_map(|(most, what)| Some((most?, what))).collect()
}

fn available_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    memory_bytes(&text, "MemAvailable")
}

/// What a control group leaves of its limit, from what its files say; absent without a limit.
///
/// The files that a process has read or written count as used until the system needs the memory for
/// something else, which it may at any time: they are not taken, just as in `MemAvailable`.
fn left_bytes(most: &str, used: &str, stat: &str) -> Option<u64> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let of = |name: &str| number_in(stat, name);
    // In cgroup v1 a number without `total_` leaves out the groups below, whose use is counted.
    let kept = ["active_file", "inactive_file", "slab_reclaimable"]
        .into_iter()
        .filter_map(|name| of(&format!("total_{name}")).or_else(|| of(name)))
        .fold(0, u64::saturating_add);
    let taken = number(used).unwrap_or(0).saturating_sub(kept);
    Some(number(most)?.saturating_sub(taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(serving: Serving, count: u32) -> Load {
        Load {
            serving,
            count,
            cpus: vec![0, 1],
            pinned: false,
            lengths: vec![(1000, 1), (10, 3)],
            verify: false,
            rekey_every: 0,
            rate_per_s: None,
            from_ms: 0.0,
            to_ms: 100.0,
        }
    }

    #[test]
    fn threads_and_messages_are_counted() {
        let threads = Needs::of(&load(Serving::Threads, 10_000), 2);
        let pooled = Needs::of(&load(Serving::Pooled, 10_000), 2);
        assert_eq!((threads.threads, pooled.threads), (10_000, 2));
        assert_eq!(threads.memory_bytes - pooled.memory_bytes, 9_998 * THREAD_BYTES);
        assert!(pooled.memory_bytes > 10_000 * 1000);
    }

    #[test]
    fn more_than_the_machine_has_is_refused_in_one_line() {
        let many = Needs { threads: u32::MAX, memory_bytes: 0 };
        let said = many.check().unwrap_err().to_string();
        assert!(said.starts_with("4294967295 threads are more than this machine allows"), "{said}");
        let large = Needs { threads: 1, memory_bytes: 1 << 60 };
        let said = large.check().unwrap_err().to_string();
        assert!(said.contains("of memory are needed"), "{said}");
        assert_eq!(Needs { threads: 1, memory_bytes: 1 << 20 }.check(), Ok(()));
    }

    #[test]
    fn memory_of_files_that_may_be_dropped_is_not_taken() {
        let stat = "anon 700\ninactive_file 100\nactive_file 40\nslab_reclaimable 3\nslab 9\n";
        assert_eq!(left_bytes("1000\n", "900\n", stat), Some(243));
        assert_eq!(left_bytes("1000\n", "900\n", ""), Some(100));
        assert_eq!(left_bytes("1000\n", "", stat), Some(1000));
        assert_eq!(left_bytes("1000\n", "1200\n", ""), Some(0));
        assert_eq!(left_bytes("max\n", "900\n", stat), None);
        let v1 = "cache 9\ninactive_file 1\ntotal_inactive_file 200\ntotal_active_file 50\n";
        assert_eq!(left_bytes("1000\n", "900\n", v1), Some(350));
    }
}
