//! System calls that fail, the k-th of their kind, as on a full disk or a bad one: the command says
//! so or goes on, and the archive is sound and can be written again.

use std::fs;

use crate::Tried;
use crate::bed::{Bed, Ended, PATIENCE, ended};
use crate::kills::{Whole, samples};
use crate::watch;

const CALLS: [(&str, &[&str]); 8] = [
    ("write,pwrite64", &["ENOSPC", "EIO", "EDQUOT", "EFBIG"]),
    ("fsync,fdatasync", &["EIO", "ENOSPC"]),
    ("rename,renameat,renameat2", &["EIO", "EACCES", "ENOSPC"]),
    ("openat", &["EMFILE", "EACCES", "EIO", "ENOSPC"]),
    ("ftruncate", &["EIO", "ENOSPC"]),
    ("read,pread64", &["EIO"]),
    ("mkdir,unlink", &["EACCES", "EIO"]),
    ("clone,clone3,fork,vfork", &["EAGAIN", "ENOMEM"]),
];

const RUN: &str = "run --provider macs --mac hmac-sha256 --size 64 --launches 1 --blocks 2 \
                   --cpu none --archive a.db";

const COMMANDS: [&str; 5] = [
    RUN,
    "run --resume last --cpu none --archive a.db",
    "report last --format files --out out --archive a.db",
    "runs check --archive a.db",
    "keygen --mac hmac-sha256 new",
];

/// So many commands one after another in which nothing failed: the faults are made no more.
const MISSES_MAX: u32 = 1000;

pub fn run(tried: &mut Tried) {
    if let Err(reason) = watch::can() {
        return tried.skip(&reason);
    }
    let bed = Bed::new(tried.program(), "faults", tried.seed);
    let kind = RUN.split_whitespace().skip(1).take_while(|word| *word != "--cpu");
    let whole = match Whole::of(&bed, &kind.collect::<Vec<_>>()) {
        Ok(whole) => whole,
        Err(error) => return tried.one(Some(format!("`{RUN}` without a fault: {error}"))),
    };
    let mut misses = 0;
    while tried.has_time() {
        ["new", "faulted"].iter().for_each(|name| bed.remove(name));
        if tried.random.below(8) == 0 {
            bed.remove_archive("a.db");
        }
        let (calls, errors) = *tried.random.pick(&CALLS);
        let error = *tried.random.pick(errors);
        // Most of a command's calls are its first.
        let most = *tried.random.pick(&[4, 30, 200]);
        let fault = format!("inject={calls}:error={error}:when={}", 1 + tried.random.below(most));
        let line = *tried.random.pick(&COMMANDS);
        let program = bed.program().to_string_lossy().into_owned();
        // What is not watched is traced no more than the fault needs.
        let watched = bed.log();
        let only = match watched {
            Some(_) => format!("trace={calls},{}", watch::CALLS),
            None => format!("trace={calls}"),
        };
        let log = watched.unwrap_or_else(|| bed.path("faulted"));
        let to = log.to_string_lossy().into_owned();
        let mut arguments = vec!["-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096"];
        arguments.extend(["-e", "signal=none", "-o", &to, "-e", &only, "-e", &fault, &program]);
        arguments.extend(line.split_whitespace());
        let mut command = bed.unwatched(&watch::strace(), &arguments);
        let child = command.env("PATH", bed.folder()).spawn().expect("strace to start");
        let ended = ended(child, PATIENCE);
        // What the loader finds before there is a program.
        let is_unstarted = ended.code() == Some(127)
            && (ended.stderr.is_empty()
                || ended.stderr.contains("error while loading shared libraries"));
        let broken = ended.is_broken().filter(|_| !is_unstarted);
        let text = fs::read_to_string(&log).unwrap_or_default();
        let failed: Vec<&str> = text.lines().filter(|it| it.ends_with("(INJECTED)")).collect();
        // The command has fewer such calls: nothing was tried.
        if failed.is_empty() && broken.is_none() {
            misses += 1;
            if misses == MISSES_MAX {
                return tried.one(Some(format!("{misses} commands without a fault")));
            }
            continue;
        }
        misses = 0;
        let is_run = line == RUN;
        let untold = || if is_run { untold(&bed, &whole, &ended, &failed) } else { None };
        let failure = broken.or_else(untold).or_else(|| sound(&bed));
        tried.one(failure.map(|failure| format!("{line}, {fault}: {failure}")));
    }
    tried.look_around(&bed);
}

/// A run whose archive could not be written, and nothing else, says so, or has all of its samples.
fn untold(bed: &Bed, whole: &Whole, ended: &Ended, failed: &[&str]) -> Option<String> {
    let writes = ["pwrite64(", "fsync(", "fdatasync("];
    let is_of_archive =
        |it: &&str| it.contains("/a.db") && writes.iter().any(|call| it.contains(call));
    if ended.code() != Some(0) || !failed.iter().all(is_of_archive) {
        return None;
    }
    match samples(bed, "a.db") {
        Ok(kept) if kept.len() == whole.samples.len() => None,
        Ok(kept) => Some(format!("code 0, and {} of {}", kept.len(), whole.samples.len())),
        Err(error) => Some(format!("code 0, and {}", error.trim())),
    }
}

/// The archive, if there is one yet, is whole, and takes another run.
fn sound(bed: &Bed) -> Option<String> {
    let words: Vec<&str> = RUN.split_whitespace().collect();
    for command in [&words[..], &["runs", "check", "--archive", "a.db"]] {
        let ended = bed.run(command);
        if ended.code() != Some(0) {
            let said = String::from_utf8_lossy(&ended.stdout).into_owned();
            return Some(format!("`{}` after it: {}{said}", command[0], ended.stderr.trim()));
        }
    }
    None
}
