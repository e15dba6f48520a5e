//! Power failures: the writes of a run are recorded, and replayed up to a moment without some of
//! those that were not synchronised yet. What is there then is sound, nothing of what was
//! synchronised is lost, and a resumed run is whole.

use std::collections::BTreeMap;
use std::fs;

use crate::Tried;
use crate::bed::{Bed, PATIENCE, ended};
use crate::kills::{Samples, Whole, blocks, lost, samples, samples_so_far, surplus};
use crate::watch;

const RUN: &str = "--provider macs --mac hmac-sha256 --size 64,256 --launches 3 --blocks 6";

/// After so many moments there have been samples that were synchronised.
const HELD_AFTER: u64 = 20;

/// What was seen beside failures.
#[derive(Default)]
struct Seen {
    lost: u64,
    held: u64,
    warned: u64,
    longer: u64,
}

/// What a disk is told about one of the files.
enum Told {
    Write(String, usize, Vec<u8>),
    Truncate(String, usize),
    Sync(String),
    Delete(String),
}

pub fn run(tried: &mut Tried) {
    if let Err(reason) = watch::can() {
        return tried.skip(&reason);
    }
    let bed = Bed::new(tried.program(), "power", tried.seed);
    let kind: Vec<&str> = RUN.split_whitespace().collect();
    let whole = match Whole::of(&bed, &kind) {
        Ok(whole) => whole,
        Err(error) => return tried.one(Some(error)),
    };
    let told = match recorded(&bed) {
        Ok(told) => told,
        Err(error) => return tried.one(Some(error)),
    };
    let mut seen = Seen::default();
    while tried.has_time() {
        let moment = 1 + tried.random.below(told.len());
        // What is on the disk for certain: all until it was last waited for.
        let synced = told[..moment].iter().rposition(|it| matches!(it, Told::Sync(_)));
        replay(&bed, &told[..synced.map_or(0, |at| at + 1)], || false);
        let certain = samples_so_far(&bed, "power.db");
        let dropped = replay(&bed, &told[..moment], || tried.random.below(2) == 0);
        let what = format!("call {moment} of {}, {dropped} writes lost", told.len());
        seen.lost += dropped;
        let failure = match certain {
            Ok(certain) => after(&bed, &whole, &certain, &mut seen),
            Err(error) => Some(format!("what was synchronised cannot be read: {error}")),
        };
        tried.one(failure.map(|failure| format!("{what}: {failure}")));
    }
    // Two thirds of the moments are after the first samples.
    if tried.count >= HELD_AFTER && seen.held == 0 {
        tried.failures.push("no sample that had been synchronised was ever looked for".into());
    }
    let Seen { lost, held, warned, longer } = seen;
    tried.figure(format!("{lost} writes lost; of {warned} logs the lost end was told"));
    tried.figure(format!("{held} samples that had been synchronised, looked for after it"));
    tried.figure(format!("{longer} resumed runs have a block more than the unbroken one"));
    tried.look_around(&bed);
}

/// The archive is read, or it is told why not; resumed or begun anew, the run is whole.
fn after(bed: &Bed, whole: &Whole, certain: &Samples, seen: &mut Seen) -> Option<String> {
    let check = bed.run(&["runs", "check", "--archive", "power.db"]);
    if let Some(broken) = check.is_broken() {
        return Some(broken);
    }
    // The end of the log that was lost is told; what is before it is sound.
    seen.warned += u64::from(check.stderr.contains("write-ahead log can be read up to"));
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    if said.contains("DAMAGED") {
        return Some(format!("a run is damaged: {}", said.trim()));
    }
    // Before it is resumed, which would measure anew what is lost.
    let found = match samples_so_far(bed, "power.db") {
        Ok(found) => found,
        Err(error) => return Some(error),
    };
    seen.held += certain.len() as u64;
    if let Some(lost) = lost(certain, &found) {
        return Some(format!("synchronised, and lost: {lost}"));
    }
    let list = bed.run(&["list", "runs", "--format", "json", "--archive", "power.db"]);
    let has_run = list.code() == Some(0) && list.stdout.contains(&b'{');
    let resume = "run --resume last --take-over --cpu none --archive power.db".to_owned();
    let anew = format!("run {RUN} --cpu none --seed 7 --archive power.db");
    let line = if has_run { resume } else { anew };
    let resumed = bed.run(&line.split_whitespace().collect::<Vec<_>>());
    if resumed.code() != Some(0) {
        return Some(format!("`{line}`: {}", resumed.stderr.trim()));
    }
    let kept = match samples(bed, "power.db") {
        Ok(kept) => kept,
        Err(error) => return Some(error),
    };
    if let Some(lost) = lost(&found, &kept) {
        return Some(format!("`{line}`: lost by it: {lost}"));
    }
    let (blocks, right) = (blocks(&kept), blocks(&whole.samples));
    if blocks.len() < kept.len() {
        return Some(format!("{} samples of {} blocks", kept.len(), blocks.len()));
    }
    seen.longer += u64::from(blocks.len() > right.len());
    let lost: Vec<_> = right.difference(&blocks).take(3).collect();
    if !lost.is_empty() {
        return Some(format!("`{line}`: there are not {lost:?}"));
    }
    surplus(&blocks, &right, usize::from(has_run)).map(|more| format!("`{line}`: {more}"))
}

/// What a run tells the disk about its archive.
fn recorded(bed: &Bed) -> Result<Vec<Told>, String> {
    let program = bed.program().to_string_lossy().into_owned();
    let log = bed.path("recorded").to_string_lossy().into_owned();
    let calls = "trace=pwrite64,ftruncate,fsync,fdatasync,unlink";
    let mut arguments = vec!["-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "200000"];
    arguments.extend(["-e", calls, "-e", "signal=none", "-o", &log, &program, "run"]);
    arguments.extend(RUN.split_whitespace());
    arguments.extend(["--cpu", "none", "--seed", "7", "--archive", "recorded.db"]);
    let mut strace = bed.unwatched(&watch::strace(), &arguments);
    let child = strace.env("PATH", bed.folder()).spawn().map_err(|error| error.to_string())?;
    let ended = ended(child, PATIENCE);
    if ended.code() != Some(0) {
        return Err(format!("a run under strace: {}", ended.stderr.trim()));
    }
    let log = fs::read_to_string(bed.path("recorded")).map_err(|error| error.to_string())?;
    let told: Vec<Told> = log.lines().filter_map(told).collect();
    if !told.iter().any(|it| matches!(it, Told::Sync(_))) {
        return Err("nothing was synchronised".into());
    }
    // Lines that could not be read would be writes that no failure can lose.
    replay(bed, &told, || false);
    for end in ["", "-wal", "-journal"] {
        let file = |name: &str| fs::read(bed.path(&format!("{name}.db{end}"))).ok();
        if file("power") != file("recorded") {
            return Err(format!("what was recorded does not make recorded.db{end}"));
        }
    }
    Ok(told)
}

/// A line of the log, where it is about the archive: `7 pwrite64(3<\x2f…>, "\x53…", 9, 0) = 9`.
fn told(line: &str) -> Option<Told> {
    let (call, rest) = line.split_once('(')?;
    let is_path_only = call.ends_with("unlink");
    let path = match is_path_only {
        true => rest.split('"').nth(1)?,
        false => rest.split_once('<')?.1.split_once('>')?.0,
    };
    let path = String::from_utf8(bytes(path)).ok()?;
    let file = path.rsplit('/').next()?.strip_prefix("recorded.db")?;
    // The index of the log is shared memory.
    if file == "-shm" {
        return None;
    }
    let file = format!("power.db{file}");
    let numbers = |text: &str| -> Vec<usize> {
        let words = text.split(|c: char| !c.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    };
    Some(match call.rsplit(' ').next()? {
        "pwrite64" => {
            let mut pieces = rest.split('"');
            let content = bytes(pieces.nth(1)?);
            Told::Write(file, *numbers(pieces.next()?).get(1)?, content)
        }
        "ftruncate" => Told::Truncate(file, *numbers(rest.split_once('>')?.1).first()?),
        "unlink" => Told::Delete(file),
        _ => Told::Sync(file),
    })
}

/// `\x2f` as `strace -xx` writes it, or plain text.
fn bytes(text: &str) -> Vec<u8> {
    match text.strip_prefix("\\x") {
        None => text.as_bytes().to_vec(),
        Some(rest) => {
            rest.split("\\x").filter_map(|byte| u8::from_str_radix(byte, 16).ok()).collect()
        }
    }
}

/// Makes the files as a disk may have them after the last of these; how many writes were lost.
fn replay(bed: &Bed, told: &[Told], mut is_lost: impl FnMut() -> bool) -> u64 {
    bed.remove_archive("power.db");
    // One that is left of another moment would be rolled back into this one.
    bed.remove("power.db-journal");
    let mut files: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let mut dropped = 0;
    for (at, one) in told.iter().enumerate() {
        match one {
            Told::Write(file, begin, content) => {
                let is_synced =
                    told[at..].iter().any(|it| matches!(it, Told::Sync(it) if it == file));
                if !is_synced && is_lost() {
                    dropped += 1;
                    continue;
                }
                let bytes = files.entry(file).or_default();
                bytes.resize(bytes.len().max(begin + content.len()), 0);
                bytes[*begin..begin + content.len()].copy_from_slice(content);
            }
            Told::Truncate(file, len) => files.entry(file).or_default().resize(*len, 0),
            Told::Delete(file) => drop(files.remove(file.as_str())),
            Told::Sync(_) => {}
        }
    }
    for (name, bytes) in files {
        bed.write(name, bytes);
    }
    dropped
}
