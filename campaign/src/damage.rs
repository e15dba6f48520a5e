//! Archives, and the logs beside them, as a bad disk leaves them: what is read of one is what was
//! kept, or it is told that it is not.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::Tried;
use crate::bed::{Bed, Ended, PATIENCE, ended, kill};

const RUN: [&str; 13] = [
    "run",
    "--provider",
    "macs",
    "--mac",
    "hmac-sha256",
    "--size",
    "64",
    "--launches",
    "2",
    "--cpu",
    "none",
    "--archive",
    "kept.db",
];

/// A log of so many bytes has samples in it.
const LOG_BYTES: u64 = 1 << 17;

/// What is damaged, and the bytes of it.
struct Kept {
    file: Vec<u8>,
    log: Option<Vec<u8>>,
    /// What is told of it when it is sound.
    told: Vec<u8>,
}

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "damage", tried.seed);
    let closed = kept(&bed, false);
    let open = kept(&bed, true);
    let (mut silent, mut harmless) = (0, 0);
    while tried.has_time() {
        let kept = if tried.random.below(2) == 0 { &closed } else { &open };
        let Some(kept) = kept else {
            return tried.one(Some("there is no archive to damage".into()));
        };
        let what = put(&bed, tried, kept);
        let report = read(&bed);
        // Reading has changed nothing: what was told is told again.
        let again = read(&bed);
        let list = bed.run(&["list", "runs", "--archive", "bad.db"]);
        let is_told = report.code() != Some(0) || report.stderr.contains("warning: ");
        let is_same = report.stdout == kept.told;
        harmless += u64::from(is_same && !is_told);
        silent += u64::from(!is_same && !is_told);
        let failure = report.is_broken().or_else(|| list.is_broken());
        let is_stable = report.code() == again.code() && report.stdout == again.stdout;
        let changed = || "read again, something else is told".to_owned();
        let failure = failure.or_else(|| again.is_broken());
        let failure = failure.or_else(|| (!is_stable).then(changed));
        let other = || "other figures, and nothing told".to_owned();
        let failure = failure.or_else(|| (!is_same && !is_told).then(other));
        tried.one(failure.map(|failure| format!("{what}: {failure}")));
    }
    tried.look_around(&bed);
    tried.note(format!("{silent} silent, {harmless} without effect, the others told"));
}

fn read(bed: &Bed) -> Ended {
    bed.run(&["report", "last", "--format", "samples", "--archive", "bad.db"])
}

/// A run that ended, or one that was killed and has left its log.
fn kept(bed: &Bed, is_killed: bool) -> Option<Kept> {
    ["kept.db", "bad.db"].iter().for_each(|name| bed.remove_archive(name));
    if is_killed {
        let mut arguments = RUN.to_vec();
        arguments.extend(["--budget", "60"]);
        let child = bed.command(&arguments).spawn().ok()?;
        // Until there is something in the log, however slow this machine is.
        let log = || fs::metadata(bed.path("kept.db-wal")).map_or(0, |it| it.len());
        let begun = Instant::now();
        while log() < LOG_BYTES && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(50));
        }
        kill(&child, "-KILL");
        ended(child, PATIENCE);
    } else {
        let mut arguments = RUN.to_vec();
        arguments.extend(["--blocks", "20"]);
        bed.run(&arguments);
    }
    let file = fs::read(bed.path("kept.db")).ok()?;
    let log = fs::read(bed.path("kept.db-wal")).ok().filter(|log| !log.is_empty());
    let mut kept = Kept { file, log, told: vec![] };
    write(bed, &kept.file, kept.log.as_deref());
    let told = read(bed);
    kept.told = told.stdout;
    (told.status.success() && !kept.told.is_empty() && is_killed == kept.log.is_some())
        .then_some(kept)
}

fn write(bed: &Bed, file: &[u8], log: Option<&[u8]>) {
    for name in ["bad.db-wal", "bad.db-shm"] {
        bed.remove(name);
    }
    bed.write("bad.db", file);
    if let Some(log) = log {
        bed.write("bad.db-wal", log);
    }
}

/// Damages one of the two files, and says how.
fn put(bed: &Bed, tried: &mut Tried, kept: &Kept) -> String {
    let (mut file, mut log) = (kept.file.clone(), kept.log.clone());
    let random = &mut tried.random;
    let (name, bytes) = match &mut log {
        Some(log) if random.below(2) == 0 => ("log", log),
        _ => ("file", &mut file),
    };
    let at = random.below(bytes.len());
    let sector = at / 512 * 512..(at / 512 * 512 + 512).min(bytes.len());
    let how = match random.below(5) {
        0 => {
            bytes.truncate(at);
            "cut at"
        }
        1 => {
            bytes[sector].fill(0);
            "a sector of zeros at"
        }
        2 => {
            let from = random.below(bytes.len() - sector.len());
            bytes.copy_within(from..from + sector.len(), sector.start);
            "a sector from elsewhere at"
        }
        _ => {
            bytes[at] ^= 1 << random.below(8);
            "a flipped bit at"
        }
    };
    write(bed, &file, log.as_deref());
    format!("{name}: {how} byte {at}")
}
