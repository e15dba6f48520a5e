//! Processes that hold a key: closed to others, locked in memory, and gone without a trace.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Child;
use std::time::Duration;

use super::*;

/// A user without files.
const NOBODY: u32 = 65534;

/// How often something is looked for, ten times a second: longer than anything takes here.
const LOOKS_MAX: u32 = 600;

/// Verbs that wait with a key: for the message, for the list (which is to name the MAC), and for
/// the reader of a key that is longer than a pipe.
const HOLDING: [&str; 3] = [
    "tag --mac hmac-sha256 --key-file key",
    "verify --key-file key --check -",
    "keygen --mac hmac-sha256 --key-len 100000 -",
];

/// The capability to lock any amount of memory (CAP_IPC_LOCK).
const MAY_LOCK: u64 = 1 << 14;

/// A process that waits; ended with this.
struct Waiting(Child);

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Waiting {
    /// Started with the rights of this user, with core files and as much locked memory as it may
    /// have.
    fn start(bench: &KeyBench, program: &str, arguments: &str, user: Option<u32>) -> Self {
        let limits = "ulimit -Sc unlimited; ulimit -l unlimited; exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", limits, "sh", program]).args(arguments.split(' '));
        command.current_dir(bench.folder());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        Self(command.spawn().unwrap())
    }

    fn file(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.0.id())
    }

    /// Whom the system takes for the owner of its memory.
    fn owner(&self) -> u32 {
        std::fs::metadata(self.file("environ")).unwrap().uid()
    }

    /// The words behind this name in a file of the system about it.
    fn words(&self, file: &str, name: &str) -> Vec<String> {
        let all = std::fs::read_to_string(self.file(file)).unwrap();
        let line = all.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().map(str::to_owned).collect()
    }

    /// Its memory that is locked, or all of it, in kB.
    fn memory_kb(&self, name: &str) -> u64 {
        let words = self.words("status", name);
        words.first().map_or(0, |kb| kb.parse().unwrap())
    }

    /// Whether it is our command, which writes no core file: so is one that is about to hold a key.
    fn is_hardened(&self) -> bool {
        let name = std::fs::read_to_string(self.file("comm")).unwrap();
        let core = self.words("limits", "Max core file size");
        ["macrometer", "m"].contains(&name.trim_end()) && core[0] == "0"
    }

    /// Whether it may lock twice its memory: by the limit, or whatever the limit is.
    fn may_lock(&self) -> bool {
        let may = u64::from_str_radix(&self.words("status", "CapEff:")[0], 16).unwrap();
        // In a namespace of users the capability counts for nothing.
        let is_first = self.words("uid_map", "")[..] == ["0", "0", "4294967295"];
        let most = self.words("limits", "Max locked memory")[1].parse().unwrap_or(u64::MAX);
        may & MAY_LOCK != 0 && is_first || most / 2048 >= self.memory_kb("VmSize:")
    }

    /// Whether this comes true before it ends.
    fn becomes(&mut self, is_so: impl Fn(&Self) -> bool) -> bool {
        for _ in 0..LOOKS_MAX {
            let is_now = is_so(self);
            // What has ended belongs to root, too.
            if self.0.try_wait().unwrap().is_some() {
                return false;
            }
            if is_now {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    }
}

/// A process that holds a key writes no core file, and its memory is nobody else's.
#[test]
fn a_process_that_holds_a_key_is_closed_to_others() {
    let bench = KeyBench::new();
    let own = rustix::process::geteuid();
    // What a process may not be looked into belongs to root, and what root has does anyway.
    let (user, owner, program) = if own.is_root() {
        let copied = bench.shell("cp \"$M\" m && chmod 755 m");
        assert_eq!(copied.code, Some(0), "{copied:?}");
        for name in [".", "key"] {
            chown(bench.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        (Some(NOBODY), NOBODY, "./m")
    } else {
        (None, own.as_raw(), env!("CARGO_BIN_EXE_macrometer"))
    };
    let other = Waiting::start(&bench, "sleep", "600", user);
    if other.owner() != owner {
        return println!("skipped: this system lets no process be watched: all belongs to root");
    }
    for arguments in HOLDING {
        let mut it = Waiting::start(&bench, program, arguments, user);
        assert!(it.becomes(Waiting::is_hardened), "{arguments}: would write core files");
        assert!(it.becomes(|it| it.owner() == 0), "{arguments}: others can look into it");
    }
}

#[test]
fn a_process_that_holds_a_key_is_locked_in_memory_where_it_may_be() {
    let bench = KeyBench::new();
    for arguments in HOLDING {
        let mut it = Waiting::start(&bench, env!("CARGO_BIN_EXE_macrometer"), arguments, None);
        assert!(it.becomes(Waiting::is_hardened), "{arguments}");
        if !it.may_lock() {
            let (all, most) = (it.memory_kb("VmSize:"), it.words("limits", "Max locked memory"));
            let most = &most[1];
            println!("skipped: twice {all} kB of memory are needed, but only {most} may be locked");
            return;
        }
        assert!(it.becomes(|it| it.memory_kb("VmLck:") > 0), "{arguments}: nothing is locked");
    }
}

/// A process whose memory is closed could not open its descriptors by their names.
#[test]
fn a_descriptor_that_an_argument_names_can_be_read() {
    let bench = KeyBench::new();
    let fds = bench.shell(&format!("$M tag --mac {MAC} --key-file key /dev/fd/3 3<key"));
    assert_eq!((fds.code, fds.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_keygen_that_is_killed_leaves_nothing() {
    let bench = KeyBench::new();
    for delay in 0..40 {
        let made = bench.shell(&format!(
            "$M keygen --mac {MAC} k & it=$!; sleep 0.0{delay:02}; kill -9 $it; wait $it"
        ));
        let names = std::fs::read_dir(bench.folder()).unwrap().map(|it| it.unwrap().file_name());
        let names: Vec<_> = names.filter(|name| name != "key").collect();
        assert!(names.is_empty() || names == ["k"], "{names:?} {made:?}");
        let _ = std::fs::remove_file(bench.path("k"));
    }
}
