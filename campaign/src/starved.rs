//! Under limits of the system: what cannot be done is told, and nothing panics or hangs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Tried;
use crate::bed::{Bed, Ended, PATIENCE, ended};

const COMMANDS: [&str; 8] = [
    "$M list providers --format json",
    "$M list macs",
    "$M run --provider macs --mac hmac-sha256 --size 64 --launches 1 --blocks 2 --archive a.db",
    "$M run --provider macs --mac hmac-sha256 --size 64 --sessions 8 --budget 2 --archive a.db",
    "$M report last --format files --out out --archive a.db",
    "$M selftest --provider macs --random 1",
    "$M plan survey --provider macs",
    "$M tag --mac hmac-sha256 --key-file key big",
];

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "starved", tried.seed);
    bed.let_find_runtimes(true);
    bed.write("key", "00".repeat(32));
    bed.write("big", vec![7; 1 << 20]);
    // What must be compiled is there, so that limits are tried on the rest.
    bed.prepare(&["list", "providers"]);
    let other = another_user(&bed);
    if other.is_none() {
        tried.note("no limit on processes: root has none, and setpriv is missing".into());
    }
    let (mut aborted, mut unstarted) = (0, 0);
    while tried.has_time() {
        let random = &mut tried.random;
        let limit = match random.below(6) {
            0 => format!("ulimit -v {}", 30_000 + random.below(600_000)),
            1 => format!("ulimit -f {}", random.below(400)),
            2 => format!("ulimit -n {}", 4 + random.below(40)),
            3 => format!("ulimit -d {}", 1_000 + random.below(150_000)),
            4 if other.is_some() => format!("ulimit -u {}", 1 + random.below(12)),
            _ => format!("ulimit -s {}", 64 + random.below(8_000)),
        };
        let command = *tried.random.pick(&COMMANDS);
        // The search for languages takes its time, and is tried by one command of these.
        let path = if command.contains("providers") { "" } else { "PATH=/nowhere; " };
        let line = format!("{limit}; {path}exec {command}");
        let is_of_processes = limit.contains("-u");
        let as_another = other.as_ref().filter(|_| is_of_processes);
        let mut command = match as_another {
            Some(words) => {
                let mut all: Vec<&str> = words.iter().map(String::as_str).collect();
                all.extend(["bash", "-c", &line]);
                bed.other(all[0], &all[1..])
            }
            None => bed.shell(&line),
        };
        if as_another.is_some() {
            command.env("M", bed.path("other/macrometer")).current_dir(bed.path("other"));
            command.env("XDG_DATA_HOME", bed.path("other")).env("TMPDIR", bed.path("other"));
        }
        let child = command.spawn().expect("a shell to start");
        let ended = ended(child, PATIENCE);
        let is_for_memory = ended.is_out_of_memory();
        unstarted += u64::from(is_unstarted(&ended));
        aborted += u64::from(is_for_memory);
        let failure = ended.is_broken().filter(|_| !is_for_memory && !is_unstarted(&ended));
        tried.one(failure.map(|failure| format!("{line}: {failure}")));
    }
    tried.figure(format!("{aborted} by SIGABRT, for want of memory, which was told"));
    tried.figure(format!("{unstarted} that the shell or the loader could not start"));
    tried.look_around(&bed);
}

/// Whether there was no program yet that could have said anything: codes of a shell that could not
/// start it, and of the loader that found no room for its libraries.
fn is_unstarted(ended: &Ended) -> bool {
    let by_shell = ended.stderr.contains("bash: ") || ended.stderr.is_empty();
    let by_loader = ended.stderr.contains("error while loading shared libraries");
    !ended.has_hung
        && match ended.code() {
            Some(126) => by_shell,
            Some(127) => by_shell || by_loader,
            _ => false,
        }
}

/// What makes another user of root, who has no limit on processes, with a program and a folder.
fn another_user(bed: &Bed) -> Option<Vec<String>> {
    let words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let mut try_it = Command::new(words[0]);
    try_it.args(&words[1..]).arg("true").stderr(Stdio::null());
    if !try_it.status().is_ok_and(|status| status.success()) {
        return None;
    }
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o777)).ok();
    let other = bed.path("other");
    fs::create_dir(&other).ok()?;
    open(bed.folder()).and_then(|()| open(&other))?;
    fs::copy(bed.program(), other.join("macrometer")).ok()?;
    for name in ["key", "big"] {
        fs::copy(bed.path(name), other.join(name)).ok()?;
    }
    Some(words.map(str::to_owned).to_vec())
}
