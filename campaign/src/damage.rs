//! Archives, and the logs beside them, as a bad disk leaves them: what is read of one is what was
//! kept, or it is told that it is not.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::Tried;
use crate::bed::{Bed, Ended, PATIENCE, ended, kill};

const PLAIN: &str = "--provider macs --mac hmac-sha256 --size 64 --launches 2 --blocks 20";
const SESSIONS: &str = "--provider macs --mac hmac-sha256 --size 64 --regime sessions-2-free \
                        --launches 2 --blocks 3";
const SEGMENTS: &str = "sms --part memory --provider macs --mac eax-aes-128-es --size 1024 \
                        --launches 2 --blocks 3";
const SINGLE: &str =
    "khc --part lengths --provider macs --mac hmac-sha256 --size 64 --launches 2 --blocks 2";
const LONG: &str = "--provider macs --mac hmac-sha256 --size 64 --launches 2 --budget 60";
const RESUMED: &str = "--resume last --budget 60";

/// What lies in an archive that is damaged, and the runs that make it: samples, sessions,
/// transactions with segments, single calls, and two runs.
const KINDS: [(&str, &[&str]); 5] = [
    ("samples", &[PLAIN]),
    ("sessions", &[SESSIONS]),
    ("segments", &[SEGMENTS]),
    ("single calls", &[SINGLE]),
    ("two runs", &[PLAIN, SESSIONS]),
];

/// What is read of every run.
const FORMATS: [&str; 2] = ["samples", "json"];

/// A log of so many bytes has samples in it.
const LOG_BYTES: u64 = 1 << 17;

/// Attempts to make an archive of which nothing is told.
const ATTEMPTS: usize = 5;

/// What is damaged.
struct Kept {
    what: &'static str,
    file: Vec<u8>,
    log: Option<Vec<u8>>,
    runs: Vec<String>,
    /// What is told of each run, in each format, when it is sound.
    told: Vec<Vec<Vec<u8>>>,
}

/// What was told of all runs of an archive.
struct Told {
    texts: Vec<Vec<u8>>,
    codes: Vec<Option<i32>>,
    is_warned: Vec<bool>,
    broken: Option<String>,
}

#[derive(Default)]
struct Seen {
    silent: u64,
    harmless: u64,
    of_other_moments: u64,
    older: u64,
}

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "damage", tried.seed);
    let closed = KINDS.iter().map(|(what, runs)| made(|| closed(&bed, what, runs)));
    let mut all: Vec<Result<Kept, String>> = closed.collect();
    // One that was killed, and again when it went on: a file and a log of two moments.
    all.push(made(|| killed(&bed, "log", LONG)));
    all.push(made(|| killed(&bed, "log, later", RESUMED)));
    let all: Vec<Kept> = match all.into_iter().collect() {
        Ok(all) => all,
        Err(error) => return tried.one(Some(error)),
    };
    let mut seen = Seen::default();
    while tried.has_time() {
        let failure = match tried.random.below(all.len() + 1) {
            at if at < all.len() => damaged(&bed, tried, &all[at], &mut seen),
            _ => of_two_moments(&bed, tried, &all[all.len() - 2..], &mut seen),
        };
        tried.one(failure);
    }
    let Seen { silent, harmless, of_other_moments, older } = seen;
    tried.figure(format!("{silent} silent, {harmless} without effect, the others told"));
    tried.note(format!(
        "{of_other_moments} files with a log of another moment: of {older} of them a sound state \
         of one of these moments was read"
    ));
    tried.look_around(&bed);
}

fn made(mut once: impl FnMut() -> Result<Kept, String>) -> Result<Kept, String> {
    let mut last = once();
    for _ in 1..ATTEMPTS {
        if last.is_ok() {
            break;
        }
        last = once();
    }
    last
}

fn damaged(bed: &Bed, tried: &mut Tried, kept: &Kept, seen: &mut Seen) -> Option<String> {
    let what = format!("{}, {}", kept.what, put(bed, tried, kept));
    let at = tried.random.below(FORMATS.len());
    let wrong = judged(bed, at, &kept.runs, &[&kept.told[at]], seen);
    // Of a run that was only in a log whose end is lost nothing is left that could tell of it.
    let unlisted = || kept.log.is_none().then(|| unlisted(bed, &kept.runs)).flatten();
    wrong.or_else(unlisted).map(|wrong| format!("{what}: {wrong}"))
}

/// A run that a list does not have, nor names as damaged, nor says that any is missing.
fn unlisted(bed: &Bed, runs: &[String]) -> Option<String> {
    let list = bed.run(&["list", "runs", "--format", "json", "--archive", "bad.db"]);
    let told = String::from_utf8_lossy(&list.stdout).into_owned() + &list.stderr;
    let run = runs.iter().find(|run| !told.contains(run.as_str()))?;
    let is_told = list.code() != Some(0) || list.stderr.contains("missing");
    let untold = || format!("`list runs` has no {run}, and does not say that it is missing");
    list.is_broken().or_else(|| (!is_told).then(untold))
}

/// The file of one moment beside the log of another.
fn of_two_moments(bed: &Bed, tried: &mut Tried, both: &[Kept], seen: &mut Seen) -> Option<String> {
    let [first, second] = both else { return None };
    let (file, log) = if tried.random.below(2) == 0 { (first, second) } else { (second, first) };
    // Now and then the log was cut off as well.
    let mut bytes = log.log.clone().unwrap_or_default();
    if tried.random.below(4) > 0 {
        bytes.truncate(tried.random.below(bytes.len()));
    }
    write(bed, &file.file, Some(&bytes));
    let at = tried.random.below(FORMATS.len());
    let before = seen.harmless;
    let right = [&first.told[at], &second.told[at]];
    let wrong = judged(bed, at, &file.runs, &right, seen);
    seen.of_other_moments += 1;
    seen.older += seen.harmless - before;
    let bytes = bytes.len();
    wrong.map(|it| {
        format!("the file of {:?}, {bytes} bytes of the log of the other: {it}", file.what)
    })
}

/// What is wrong with what is told of the archive that was written; of each run it may be any of
/// `right`.
fn judged(
    bed: &Bed,
    at: usize,
    runs: &[String],
    right: &[&Vec<Vec<u8>>],
    seen: &mut Seen,
) -> Option<String> {
    let report = read(bed, runs, at);
    // Reading has changed nothing: what was told is told again.
    let again = read(bed, runs, at);
    let list = bed.run(&["list", "runs", "--archive", "bad.db"]);
    let untold: Vec<usize> = (0..runs.len())
        .filter(|&run| report.codes[run] == Some(0) && !report.is_warned[run])
        .collect();
    let is_right = |run: &usize| right.iter().any(|right| right[*run] == report.texts[*run]);
    let is_silent = !untold.iter().all(is_right);
    seen.silent += u64::from(is_silent);
    seen.harmless += u64::from(!is_silent && untold.len() == runs.len());
    let is_stable = report.codes == again.codes && report.texts == again.texts;
    let broken = report.broken.or(again.broken).or_else(|| list.is_broken());
    let changed = || "read again, something else is told".to_owned();
    let other = || "other figures, and nothing told".to_owned();
    broken.or_else(|| (!is_stable).then(changed)).or_else(|| is_silent.then(other))
}

/// What is told of these runs in one format.
fn read(bed: &Bed, runs: &[String], format: usize) -> Told {
    let of = |run: &String| {
        bed.run(&["report", run, "--format", FORMATS[format], "--archive", "bad.db"])
    };
    let all: Vec<Ended> = runs.iter().map(of).collect();
    Told {
        codes: all.iter().map(Ended::code).collect(),
        is_warned: all.iter().map(|it| it.stderr.contains("warning: ")).collect(),
        broken: all.iter().find_map(Ended::is_broken),
        texts: all.into_iter().map(|it| it.stdout).collect(),
    }
}

/// Runs that have ended.
fn closed(bed: &Bed, what: &'static str, runs: &[&str]) -> Result<Kept, String> {
    bed.remove_archive("kept.db");
    for run in runs {
        let ended = bed.run(&arguments(run));
        if ended.code() != Some(0) {
            return Err(format!("`run {run}`: {}", ended.stderr.trim()));
        }
    }
    let kept = sound(bed, what)?;
    match kept.runs.len() == runs.len() && kept.log.is_none() {
        true => Ok(kept),
        false => Err(format!("{what}: {} runs, or a log that is left", kept.runs.len())),
    }
}

/// A run that was killed and has left its log.
fn killed(bed: &Bed, what: &'static str, run: &str) -> Result<Kept, String> {
    let log = || fs::metadata(bed.path("kept.db-wal")).map_or(0, |it| it.len());
    if !run.contains("--resume") {
        bed.remove_archive("kept.db");
    }
    let before = log();
    let child = bed.command(&arguments(run)).spawn().map_err(|error| error.to_string())?;
    // Until there is something else in the log, however slow this machine is.
    let begun = Instant::now();
    while (log() < LOG_BYTES || log() == before) && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(50));
    }
    kill(&child, "-KILL");
    bed.kill_all();
    ended(child, PATIENCE);
    let kept = sound(bed, what)?;
    match kept.log.is_some() {
        true => Ok(kept),
        false => Err(format!("{what}: a killed run has left no log")),
    }
}

fn arguments(run: &str) -> Vec<&str> {
    let words = run.split_whitespace();
    ["run"].into_iter().chain(words).chain(["--cpu", "none", "--archive", "kept.db"]).collect()
}

/// The archive that was made, if what is told of it is no warning and the same twice.
fn sound(bed: &Bed, what: &'static str) -> Result<Kept, String> {
    let file = fs::read(bed.path("kept.db")).map_err(|error| format!("{what}: {error}"))?;
    let log = fs::read(bed.path("kept.db-wal")).ok().filter(|log| !log.is_empty());
    write(bed, &file, log.as_deref());
    let list = bed.run(&["list", "runs", "--format", "json", "--archive", "bad.db"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let names = list.split("\"id\":").skip(1).filter_map(|it| it.split('"').nth(1));
    let runs: Vec<String> = names.map(str::to_owned).collect();
    let mut told = Vec::new();
    for (at, format) in FORMATS.iter().enumerate() {
        let each = |run: &String| {
            bed.run(&["report", run, "--format", format, "--archive", "bad.db"]).stderr
        };
        let warned: String = runs.iter().map(each).collect();
        let (first, again) = (read(bed, &runs, at), read(bed, &runs, at));
        let is_right = first.codes.iter().all(|code| *code == Some(0)) && !runs.is_empty();
        let is_full = first.texts.iter().all(|text| !text.is_empty());
        if !warned.is_empty() || !is_right || !is_full || first.texts != again.texts {
            return Err(format!("{what}: of an undamaged archive is told: {}", warned.trim()));
        }
        told.push(first.texts);
    }
    Ok(Kept { what, file, log, runs, told })
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
