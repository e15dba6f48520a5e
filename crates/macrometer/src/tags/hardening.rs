//! A process that holds a key keeps others out of its memory, writes no core dump, and locks its
//! memory where the limit on locked memory allows that much.

use std::env;
use std::os::unix::ffi::OsStrExt;

use rustix::mm::{MlockAllFlags, mlockall};
use rustix::process::{DumpableBehavior, Resource, getrlimit, set_dumpable_behavior, setrlimit};

/// Names of files by which a process opens its own descriptors. One that others may not look into
/// may not do that either.
const OF_DESCRIPTORS: [&[u8]; 3] = [b"/dev/fd/", b"/dev/std", b"/proc/"];

/// To be called before a key is read, and after its file was opened.
pub fn keep_others_out() {
    let mut core = getrlimit(Resource::Core);
    core.current = Some(0);
    // Each is done as far as the system lets us: what it refuses, it refuses to the user too.
    let _ = setrlimit(Resource::Core, core);
    let is_of_descriptor = |name: &[u8]| OF_DESCRIPTORS.iter().any(|it| name.starts_with(it));
    if !env::args_os().any(|name| is_of_descriptor(name.as_bytes())) {
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// To be called when the key is set up: locks what there is. The usual limit for users is less than
/// a program needs; then nothing is locked.
pub fn lock_in_memory() {
    let limit = getrlimit(Resource::Memlock);
    let most = rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum };
    let _ = setrlimit(Resource::Memlock, most);
    let _ = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::ONFAULT);
}
