//! System calls that fail, the k-th of their kind, as on a full disk or a bad one: the command says
//! so or goes on, and the archive is sound and can be written again.

use crate::Tried;
use crate::bed::{Bed, PATIENCE, ended};
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

pub fn run(tried: &mut Tried) {
    if let Err(reason) = watch::can() {
        return tried.skip(&reason);
    }
    let bed = Bed::new(tried.program(), "faults", tried.seed);
    while tried.has_time() {
        bed.remove("new");
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
        let log = bed.log();
        let only = match log {
            Some(_) => format!("trace={calls},{}", watch::CALLS),
            None => format!("trace={calls}"),
        };
        let log = log.unwrap_or_else(|| "/dev/null".into()).to_string_lossy().into_owned();
        let mut arguments = vec!["-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096"];
        arguments.extend(["-e", "signal=none", "-o", &log, "-e", &only, "-e", &fault, &program]);
        arguments.extend(line.split_whitespace());
        let mut command = bed.unwatched(&watch::strace(), &arguments);
        let child = command.env("PATH", bed.folder()).spawn().expect("strace to start");
        let ended = ended(child, PATIENCE);
        // What the loader finds before there is a program.
        let is_unstarted = ended.code() == Some(127)
            && (ended.stderr.is_empty()
                || ended.stderr.contains("error while loading shared libraries"));
        let broken = ended.is_broken().filter(|_| !is_unstarted);
        let failure = broken.or_else(|| sound(&bed));
        tried.one(failure.map(|failure| format!("{line}, {fault}: {failure}")));
    }
    tried.look_around(&bed);
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
