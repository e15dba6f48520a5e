//! Runs that are killed at random moments, and resumed until they end: what is kept is what an
//! unbroken run of the same seed keeps, each sample once.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use crate::Tried;
use crate::bed::{Bed, PATIENCE, ended, kill};

/// Kinds of runs, each with its options.
const KINDS: [&[&str]; 3] = [
    &["--mac", "hmac-sha256,cmac-aes-128", "--size", "64,256", "--launches", "3", "--blocks", "6"],
    &[
        "--mac",
        "hmac-sha256",
        "--size",
        "64",
        "--sessions",
        "2",
        "--launches",
        "2",
        "--blocks",
        "2",
    ],
    &["sms", "--part", "memory", "--mac", "eax-aes-128", "--launches", "2", "--blocks", "3"],
];

/// More than any run takes.
const RESUMED_MAX: u32 = 20;

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "kills", tried.seed);
    let mut whole = Vec::new();
    for kind in KINDS {
        let begun = Instant::now();
        let samples = unbroken(&bed, kind);
        whole.push(samples.map(|samples| (samples, begun.elapsed())));
    }
    let mut kills = 0;
    while tried.has_time() {
        let at = tried.random.below(KINDS.len());
        let kind = KINDS[at];
        match &whole[at] {
            Err(error) => {
                let failure = format!("`run {}`: {error}", kind.join(" "));
                return tried.one(Some(failure));
            }
            Ok((samples, takes)) => {
                let failure = killed(&bed, tried, kind, samples, *takes, &mut kills);
                tried.one(failure.map(|failure| format!("`run {}`: {failure}", kind.join(" "))));
            }
        }
    }
    tried.note(format!("{kills} kills"));
}

fn arguments<'a>(kind: &[&'a str], archive: &'a str) -> Vec<&'a str> {
    let mut all = vec!["run"];
    all.extend(kind);
    all.extend(["--provider", "macs", "--cpu", "none", "--seed", "7", "--archive", archive]);
    all
}

/// Which samples a run has: cell, part, launch, block.
fn samples(bed: &Bed, archive: &str) -> Result<BTreeSet<String>, String> {
    let told = bed.run(&["report", "last", "--format", "samples", "--archive", archive]);
    if told.code() != Some(0) {
        return Err(told.stderr);
    }
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let rows: Vec<String> = text
        .lines()
        .skip(1)
        .map(|row| row.splitn(5, ',').take(4).collect::<Vec<_>>().join(","))
        .collect();
    let distinct: BTreeSet<String> = rows.iter().cloned().collect();
    match rows.len() == distinct.len() {
        true => Ok(distinct),
        false => Err(format!("{} samples, {} of them distinct", rows.len(), distinct.len())),
    }
}

fn unbroken(bed: &Bed, kind: &[&str]) -> Result<BTreeSet<String>, String> {
    bed.remove("whole.db");
    let ended = bed.run(&arguments(kind, "whole.db"));
    match ended.code() {
        Some(0) => samples(bed, "whole.db"),
        _ => Err(ended.is_broken().unwrap_or(ended.stderr)),
    }
}

fn killed(
    bed: &Bed,
    tried: &mut Tried,
    kind: &[&str],
    whole: &BTreeSet<String>,
    takes: Duration,
    kills: &mut u64,
) -> Option<String> {
    for name in ["killed.db", "killed.db-wal", "killed.db-shm"] {
        bed.remove(name);
    }
    let mut times = 1 + tried.random.below(3);
    for _ in 0..RESUMED_MAX {
        let list = bed.run(&["list", "runs", "--format", "json", "--archive", "killed.db"]);
        // Killed before there was a run: it begins anew.
        let has_run = list.code() == Some(0) && list.stdout.contains(&b'{');
        let resume = ["run", "--resume", "last", "--cpu", "none", "--archive", "killed.db"];
        let begin = arguments(kind, "killed.db");
        let mut command = bed.command(if has_run { &resume[..] } else { &begin[..] });
        let child = command.spawn().expect("the program to start");
        if times > 0 {
            times -= 1;
            *kills += 1;
            thread::sleep(takes.mul_f64(tried.random.below(1000) as f64 / 1000.0));
            kill(&child, "-KILL");
            ended(child, PATIENCE);
            continue;
        }
        let ended = ended(child, PATIENCE);
        if let Some(broken) = ended.is_broken() {
            return Some(broken);
        }
        return match ended.code() {
            Some(0) => difference(bed, whole),
            code => Some(format!("resuming ends with {code:?}: {}", ended.stderr.trim())),
        };
    }
    Some("no end".into())
}

fn difference(bed: &Bed, whole: &BTreeSet<String>) -> Option<String> {
    let check = bed.run(&["runs", "check", "--archive", "killed.db"]);
    if check.code() != Some(0) {
        return Some(format!("`runs check`: {}", String::from_utf8_lossy(&check.stdout)));
    }
    match samples(bed, "killed.db") {
        Err(error) => Some(error),
        Ok(kept) => (kept != *whole).then(|| {
            let lost = whole.difference(&kept).count();
            let more = kept.difference(whole).count();
            format!("{lost} samples of an unbroken run are not there, {more} others are")
        }),
    }
}
