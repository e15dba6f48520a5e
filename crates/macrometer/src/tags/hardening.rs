//! A process that holds a key keeps others out of its memory, writes no core dump, and locks its
//! memory where the limit on locked memory allows that much.

use std::os::unix::ffi::OsStrExt;
use std::{env, process};

use rustix::mm::{MlockAllFlags, mlockall};
use rustix::process::{DumpableBehavior, Resource, getrlimit, set_dumpable_behavior, setrlimit};

/// Names of files by which a process opens its own descriptors. One that others may not look into
/// may not do that either.
const OF_DESCRIPTORS: [&[u8]; 3] = [b"/dev/stdin", b"/dev/stdout", b"/dev/stderr"];

/// What names of such files begin with, beside the process's own folder in /proc.
const OVER_DESCRIPTORS: [&[u8]; 3] = [b"/dev/fd/", b"/proc/self/", b"/proc/thread-self/"];

/// To be called before a key is read, and after its file was opened.
pub fn keep_others_out() {
    let mut core = getrlimit(Resource::Core);
    core.current = Some(0);
    // Each is done as far as the system lets us: what it refuses, it refuses to the user too.
    let _ = setrlimit(Resource::Core, core);
    let own = format!("/proc/{}/", process::id());
    if !env::args_os().any(|name| is_of_descriptor(name.as_bytes(), own.as_bytes())) {
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Whether a process whose folder in /proc is `own` may open a descriptor of its own by this name.
/// Other files below /proc are no reason to let others look into it.
fn is_of_descriptor(name: &[u8], own: &[u8]) -> bool {
    OF_DESCRIPTORS.contains(&name)
        || name.starts_with(own)
        || OVER_DESCRIPTORS.iter().any(|it| name.starts_with(it))
}

/// To be called when the room for a key is there and before the key is in it, and again when it was
/// copied: locks what there is. The usual limit for users is less than a program needs; then
/// nothing is locked.
pub fn lock_in_memory() {
    let limit = getrlimit(Resource::Memlock);
    let most = rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum };
    let _ = setrlimit(Resource::Memlock, most);
    let mut which = MlockAllFlags::CURRENT | MlockAllFlags::ONFAULT;
    // With a limit, memory that is asked for later could be refused for it.
    if limit.maximum.is_none() {
        which |= MlockAllFlags::FUTURE;
    }
    let _ = mlockall(which);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_own_descriptors_keep_a_process_open() {
        let is_one = |name: &str| is_of_descriptor(name.as_bytes(), b"/proc/123/");
        let ones = [
            "/dev/fd/0",
            "/dev/stderr",
            "/dev/stdin",
            "/dev/stdout",
            "/proc/123/fd/4",
            "/proc/self/fd/4",
            "/proc/self/task/123/fd/4",
            "/proc/thread-self/fd/4",
        ];
        for name in ones {
            assert!(is_one(name), "{name}");
        }
        let others = [
            "",
            "/dev/std",
            "/dev/stdin2",
            "/proc/1234/fd/4",
            "/proc/cpuinfo",
            "/proc/sys/kernel/ostype",
            "own/proc/self/fd/4",
        ];
        for name in others {
            assert!(!is_one(name), "{name}");
        }
    }
}
