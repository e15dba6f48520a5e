//! Runs that are killed at random moments, and resumed until they end: what is kept is what an
//! unbroken run of the same seed keeps, each sample once, and what another process could read
//! before a kill, or before it was resumed, is there ever after, with the same values.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use crate::Tried;
use crate::bed::{Bed, PATIENCE, ended, kill_alone};

/// Kinds of runs, each with its options: of our own worker, of sessions, of transactions in memory
/// and on the disk, and of other languages.
const KINDS: [&str; 6] = [
    "--provider macs --mac hmac-sha256,cmac-aes-128 --size 64,256 --launches 3 --blocks 300",
    "--provider macs --mac hmac-sha256 --size 64 --regime sessions-2-free --launches 2 --blocks 2",
    "sms --part memory --provider macs --mac eax-aes-128-es --size 1024 --launches 2 --blocks 3",
    "sms --part disk --provider macs --mac ctr+cmac-aes-128-es --size 1024 --launches 2 --blocks 2 \
     --segments-dir segments",
    "--provider python --mac hmac-sha256 --size 64 --launches 2 --blocks 2",
    "--provider java --mac hmac-sha256 --size 64 --launches 2 --blocks 2",
];

/// Of three campaigns one kills while a report is written.
const REPORTS: usize = 3;

/// What a killed process has started ends within this time by itself: workers whose input ends.
const ORPHANS_END: Duration = Duration::from_secs(30);

/// How many were killed of what, and how.
#[derive(Default)]
struct Kills {
    runs: u64,
    reports: u64,
    alone: u64,
    /// Samples that were read before a kill or before the run was resumed, and were there after.
    held: u64,
    /// Runs that had a block more than the unbroken one.
    longer: u64,
}

/// More than any run takes.
const RESUMED_MAX: u32 = 20;

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "kills", tried.seed);
    let _ = fs::create_dir(bed.path("segments"));
    // Each kind is run unbroken when it is first wanted.
    let mut whole: [Option<Whole>; KINDS.len()] = [const { None }; KINDS.len()];
    let mut kills = Kills::default();
    // Each in turn, so that none is left out by chance.
    for at in (0..KINDS.len()).cycle() {
        if !tried.has_time() {
            break;
        }
        let kind: Vec<&str> = KINDS[at].split_whitespace().collect();
        let is_of_runtime = kind.contains(&"python") || kind.contains(&"java");
        bed.let_find_runtimes(is_of_runtime);
        let whole = match &mut whole[at] {
            Some(whole) => whole,
            empty => match Whole::of(&bed, &kind) {
                Ok(whole) => empty.insert(whole),
                // Our own worker is never absent.
                Err(error) if is_of_runtime && is_absence(&error) => {
                    tried.without(&format!("`{}`: {}", kind.join(" "), error.trim()));
                    continue;
                }
                Err(error) => {
                    tried.one(Some(format!("`run {}`: {error}", kind.join(" "))));
                    continue;
                }
            },
        };
        let failure = if tried.random.below(REPORTS) == 0 && bed.path("whole.db").exists() {
            killed_report(&bed, tried, &mut kills)
        } else {
            let failure = killed(&bed, tried, &mut kills, (&kind, whole));
            failure.map(|failure| format!("`run {}`: {failure}", kind.join(" ")))
        };
        tried.failures.extend(failure);
    }
    let Kills { runs, reports, alone, held, longer } = kills;
    tried.figure(format!("{runs} of runs, {reports} of reports"));
    tried.figure(format!("{held} samples read before a kill or a resumption, looked for after it"));
    tried.figure(format!("{alone} of the command alone"));
    tried.figure(format!("{longer} resumed with a block more than unbroken"));
    tried.look_around(&bed);
}

/// Whether a language is not installed, and nothing else is wrong.
fn is_absence(error: &str) -> bool {
    error.contains("on PATH") || error.contains("(needed: ")
}

/// Kills it, alone or with all that it has started, and waits for its end; what lives on of what it
/// has started is a failure.
fn kill(bed: &Bed, tried: &mut Tried, kills: &mut Kills, child: Child) -> Option<String> {
    tried.count += 1;
    let is_alone = tried.random.below(2) == 0;
    if !is_alone {
        // First itself, so that it starts no more.
        kill_alone(&child);
        bed.kill_all();
        ended(child, PATIENCE);
        return None;
    }
    kills.alone += 1;
    kill_alone(&child);
    let begun = Instant::now();
    let mut living = bed.living();
    while !living.is_empty() && begun.elapsed() < ORPHANS_END {
        thread::sleep(Duration::from_millis(20));
        living = bed.living();
    }
    bed.kill_all();
    ended(child, PATIENCE);
    let first = living.first().map(|(_, command)| command.trim().to_owned())?;
    let seconds = ORPHANS_END.as_secs();
    Some(format!("{} live on for {seconds} s after a kill: {first}", living.len()))
}

fn arguments<'a>(kind: &[&'a str], archive: &'a str) -> Vec<&'a str> {
    let mut all = vec!["run"];
    all.extend(kind);
    all.extend(["--cpu", "none", "--seed", "7", "--archive", archive]);
    all
}

/// A report that is killed while it is written, and written again: no file is ever half.
fn killed_report(bed: &Bed, tried: &mut Tried, kills: &mut Kills) -> Option<String> {
    let _ = fs::remove_dir_all(bed.path("out"));
    let report = ["report", "last", "--format", "files", "--out", "out", "--archive", "whole.db"];
    let begun = Instant::now();
    if bed.run(&report).code() != Some(0) {
        return Some("a report cannot be written".into());
    }
    let (takes, right) = (begun.elapsed(), files(bed));
    let _ = fs::remove_dir_all(bed.path("out"));
    let child = bed.command(&report).spawn().expect("the program to start");
    thread::sleep(takes.mul_f64(tried.random.below(1000) as f64 / 1000.0));
    kills.reports += 1;
    if let Some(orphan) = kill(bed, tried, kills, child) {
        return Some(orphan);
    }
    let half = files(bed).into_iter().find(|(name, bytes)| right.get(name) != Some(bytes));
    if let Some((name, _)) = half {
        return Some(format!("`report`: {name} is another after a kill"));
    }
    let again = bed.run(&report);
    (again.code() != Some(0)).then(|| format!("`report` again: {}", again.stderr.trim()))
}

/// The files of a report; what was begun under a name of its own is none.
fn files(bed: &Bed) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(bed.path("out")).into_iter().flatten().flatten();
    let named = entries.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path()));
    let whole = named.filter(|(name, _)| !name.starts_with('.'));
    whole.filter_map(|(name, path)| Some((name, fs::read(path).ok()?))).collect()
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("one at least").push(letter),
        }
    }
    fields
}

/// The samples of a run: cell, part, launch, block, and what was measured.
pub type Samples = BTreeMap<String, String>;

const WHICH: [&str; 4] = ["cell", "part", "launch", "block"];
const WHAT: [&str; 6] =
    ["position", "iterations", "elapsed_ns", "ticks", "core_hz_estimated", "capacity_sessions"];

/// The samples of the last run.
pub fn samples(bed: &Bed, archive: &str) -> Result<Samples, String> {
    let told = bed.run(&["report", "last", "--format", "samples", "--archive", archive]);
    if told.code() != Some(0) {
        return Err(told.stderr);
    }
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let mut lines = text.lines().map(fields);
    let head = lines.next().unwrap_or_default();
    let of = |row: &[String], names: &[&str]| -> Result<String, String> {
        let place = |name: &&str| head.iter().position(|it| it == name);
        let field = |name| place(name).and_then(|at| row.get(at).map(String::as_str));
        let fields = names.iter().map(|name| field(name).ok_or(format!("no column {name}")));
        Ok(fields.collect::<Result<Vec<_>, _>>()?.join(","))
    };
    let mut samples = Samples::new();
    for row in lines {
        let which = of(&row, &WHICH)?;
        if samples.insert(which.clone(), of(&row, &WHAT)?).is_some() {
            return Err(format!("sample {which} is there twice"));
        }
    }
    Ok(samples)
}

/// The first of `before` that is not among `after` as it was.
pub fn lost(before: &Samples, after: &Samples) -> Option<String> {
    let lost = before.iter().find(|(which, what)| after.get(*which) != Some(*what))?;
    let is = after.get(lost.0).map_or("is not there", String::as_str);
    Some(format!("sample {} of {} {}: now {is}", lost.0, before.len(), lost.1))
}

/// Cells and their blocks, whichever launch they are of: one that was cut short is not gone on
/// with, since other processes are another launch, and the next one makes what it left.
pub fn blocks(samples: &Samples) -> BTreeSet<String> {
    let of = |sample: &String| {
        let (rest, block) = sample.rsplit_once(',')?;
        Some(format!("{},{block}", rest.rsplit_once(',')?.0))
    };
    samples.keys().filter_map(of).collect()
}

/// A cell that has more blocks beyond those of an unbroken run than the run was resumed. A run of
/// fewer than six launches that is resumed after the last began makes another, and a block in it of
/// what has all its blocks.
pub fn surplus(
    made: &BTreeSet<String>,
    right: &BTreeSet<String>,
    resumed: usize,
) -> Option<String> {
    let mut more: BTreeMap<&str, usize> = BTreeMap::new();
    for block in made.difference(right) {
        let (cell, _) = block.rsplit_once(',')?;
        *more.entry(cell).or_default() += 1;
    }
    let (cell, count) = more.into_iter().find(|(_, count)| *count > resumed)?;
    Some(format!("{count} blocks of cell {cell} more than unbroken, and resumed {resumed} times"))
}

/// An unbroken run: its samples, and how long it takes.
pub struct Whole {
    pub samples: Samples,
    takes: Duration,
}

impl Whole {
    pub fn of(bed: &Bed, kind: &[&str]) -> Result<Self, String> {
        // The second time nothing is compiled.
        for is_first in [true, false] {
            bed.remove_archive("whole.db");
            let ended = bed.prepare(&arguments(kind, "whole.db"));
            if ended.code() != Some(0) {
                return Err(ended.is_broken().unwrap_or(ended.stderr));
            }
            if !(is_first && ended.stderr.contains("compiling")) {
                return Ok(Self { samples: samples(bed, "whole.db")?, takes: ended.took });
            }
        }
        Err("it is compiled again and again".into())
    }
}

fn killed(
    bed: &Bed,
    tried: &mut Tried,
    kills: &mut Kills,
    (kind, Whole { samples: whole, takes }): (&[&str], &Whole),
) -> Option<String> {
    bed.remove_archive("killed.db");
    let mut times = 1 + tried.random.below(3);
    let mut held = Samples::new();
    let mut resumed = 0;
    for _ in 0..RESUMED_MAX {
        let list = bed.run(&["list", "runs", "--format", "json", "--archive", "killed.db"]);
        // Killed before there was a run: it begins anew.
        let has_run = list.code() == Some(0) && list.stdout.contains(&b'{');
        resumed += usize::from(has_run);
        let resume = ["run", "--resume", "last", "--cpu", "none", "--archive", "killed.db"];
        let begin = arguments(kind, "killed.db");
        let mut command = bed.command(if has_run { &resume[..] } else { &begin[..] });
        let child = command.spawn().expect("the program to start");
        if times > 0 {
            times -= 1;
            kills.runs += 1;
            thread::sleep(takes.mul_f64(tried.random.below(1000) as f64 / 1000.0));
            let is_read = tried.random.below(2) == 0;
            let living = if is_read { read_on(bed, kills, &mut held) } else { Ok(()) };
            if let Some(orphan) = kill(bed, tried, kills, child) {
                return Some(orphan);
            }
            if let Err(error) = living {
                return Some(format!("while it was measured: {error}"));
            }
            if let Err(error) = read_on(bed, kills, &mut held) {
                return Some(format!("after a kill: {error}"));
            }
            continue;
        }
        let ended = ended(child, PATIENCE);
        if let Some(broken) = ended.is_broken() {
            return Some(broken);
        }
        if let Err(error) = read_on(bed, kills, &mut held) {
            return Some(format!("after resuming: {error}"));
        }
        return match ended.code() {
            Some(0) => difference(bed, kills, (whole, &held), resumed),
            code => Some(format!("resuming ends with {code:?}: {}", ended.stderr.trim())),
        };
    }
    Some("no end".into())
}

/// What is said of an archive that is not made yet.
const NONE_YET: [&str; 5] = [
    "no archive here yet",
    "no run",
    "an empty file",
    "not a macrometer archive",
    "ended while it was creating this archive",
];

/// The samples of the last run so far: none where there is no archive yet, none with a run, or it
/// is being made.
pub fn samples_so_far(bed: &Bed, archive: &str) -> Result<Samples, String> {
    samples(bed, archive).or_else(|error| {
        let is_none_yet = NONE_YET.iter().any(|none| error.contains(none));
        if is_none_yet { Ok(Samples::new()) } else { Err(error.trim().to_owned()) }
    })
}

/// Reads the run again, which has whatever it had.
fn read_on(bed: &Bed, kills: &mut Kills, held: &mut Samples) -> Result<(), String> {
    let now = samples_so_far(bed, "killed.db")?;
    if let Some(lost) = lost(held, &now) {
        return Err(lost);
    }
    kills.held += held.len() as u64;
    *held = now;
    Ok(())
}

/// A folder that was made and not marked is removed by a run on the disk a minute later or more;
/// within this time there has been one.
const UNMARKED: Duration = Duration::from_secs(600);

fn is_left(folder: &Path) -> bool {
    let is_marked = fs::metadata(folder.join("owner.json")).is_ok_and(|it| it.len() > 0);
    let age = fs::metadata(folder).and_then(|it| it.modified()).ok();
    is_marked || age.and_then(|it| it.elapsed().ok()).is_some_and(|age| age > UNMARKED)
}

/// Between a run that was killed and resumed so many times and an unbroken one.
fn difference(
    bed: &Bed,
    kills: &mut Kills,
    (whole, kept): (&Samples, &Samples),
    resumed: usize,
) -> Option<String> {
    let check = bed.run(&["runs", "check", "--archive", "killed.db"]);
    if check.code() != Some(0) {
        return Some(format!("`runs check`: {}", String::from_utf8_lossy(&check.stdout)));
    }
    let segments = fs::read_dir(bed.path("segments")).into_iter().flatten().flatten();
    let segments = segments.filter(|it| is_left(&it.path())).count();
    if segments > 0 {
        return Some(format!("{segments} folders of segments are left behind"));
    }
    let (made, right) = (blocks(kept), blocks(whole));
    if made.len() < kept.len() {
        return Some(format!("{} samples of {} blocks", kept.len(), made.len()));
    }
    kills.longer += u64::from(made.len() > right.len());
    let lost = right.difference(&made).count();
    if lost > 0 {
        return Some(format!("{lost} blocks of the unbroken run's {} are not there", right.len()));
    }
    surplus(&made, &right, resumed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_or_another_is_seen() {
        let of = |all: &[(&str, &str)]| -> Samples {
            all.iter().map(|(which, what)| ((*which).to_owned(), (*what).to_owned())).collect()
        };
        let before = of(&[("a,0,0,0", "7"), ("a,0,0,1", "8")]);
        assert_eq!(
            lost(&before, &of(&[("a,0,0,0", "7"), ("a,0,0,1", "8"), ("b,0,0,0", "1")])),
            None
        );
        let missing = lost(&before, &of(&[("a,0,0,0", "7")]));
        assert!(missing.is_some_and(|it| it.contains("a,0,0,1") && it.contains("not there")));
        let other = lost(&before, &of(&[("a,0,0,0", "7"), ("a,0,0,1", "9")]));
        assert!(other.is_some_and(|it| it.contains("now 9")));
    }

    #[test]
    fn a_cell_may_have_a_block_more_for_each_resumption() {
        let of = |all: &[&str]| -> BTreeSet<String> { all.iter().map(|&it| it.into()).collect() };
        let right = of(&["a,0,0", "a,0,1", "b,0,0"]);
        let made = of(&["a,0,0", "a,0,1", "a,0,2", "b,0,0", "b,0,1"]);
        assert_eq!(surplus(&right, &right, 0), None);
        assert_eq!(surplus(&made, &right, 1), None);
        assert!(surplus(&made, &right, 0).is_some_and(|it| it.starts_with("1 blocks of cell a,0")));
        let made = of(&["a,0,0", "a,0,1", "b,0,0", "b,0,1", "b,0,2"]);
        assert!(surplus(&made, &right, 1).is_some_and(|it| it.starts_with("2 blocks of cell b,0")));
    }
}
