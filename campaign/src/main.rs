//! The campaign: what macrometer promises of the data that it keeps, tried on the program as it is.
//! `docs/reliability.md` tells the promises, and which part tries which. One part is one file and a
//! row in `PARTS`.
//!
//! A seed brings a campaign again, as far as moments are not chance. With `PART=N` or `--count` it
//! makes as many trials on every machine, with `--seconds` more on a quick one.

mod archives;
mod bed;
mod damage;
mod differential;
mod faults;
mod files;
mod flips;
mod inputs;
mod kills;
mod lines;
mod power;
mod races;
mod random;
mod starved;
mod watch;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use random::Random;

/// Set by Ctrl-C: nothing more is begun.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// What a part tries, as a row of the table in `docs/reliability.md` calls it, and by what.
type Part = (&'static str, &'static str, fn(&mut Tried));

const PARTS: [Part; 11] = [
    ("kills", "kills at random, resumed: nothing lost or doubled", kills::run),
    ("power", "power failures, by replay: sound, resumed whole", power::run),
    ("faults", "system calls that fail: told, and the archive sound", faults::run),
    ("damage", "damaged archives and logs: told, or without effect", damage::run),
    ("races", "processes at once on one run, archive or folder", races::run),
    ("inputs", "bad options and studies: one line, exit code 2, in 10 s", inputs::run),
    ("starved", "limits of memory, threads, files: no panic, no hang", starved::run),
    ("flips", "flipped bits of file, tag, key, nonce: not verified", flips::run),
    ("lines", "lines to workers: a reply each, no panic", lines::run),
    ("archives", "archives of others with anything in them: told, or read", archives::run),
    ("differential", "random inputs: all providers agree", differential::run),
];

/// A part as it goes on.
pub struct Tried {
    program: PathBuf,
    seed: u64,
    /// What each trial begins its own numbers with.
    trials: Random,
    /// Numbers of the trial under way.
    random: Random,
    until: Option<Instant>,
    most: Option<u64>,
    count: u64,
    /// Processes whose paths were watched.
    watched: u64,
    is_skipped: bool,
    /// What is told beside the count.
    notes: Vec<String>,
    /// What is told in the table, too.
    figures: Vec<String>,
    failures: Vec<String>,
}

impl Tried {
    fn new(
        program: &Path,
        (seed, name): (u64, &str),
        (until, most): (Option<Instant>, Option<u64>),
    ) -> Self {
        Self {
            program: program.to_owned(),
            seed,
            trials: Random::new(seed ^ u64::from_le_bytes(padded(name))),
            random: Random::new(seed),
            until,
            most,
            count: 0,
            watched: 0,
            is_skipped: false,
            notes: vec![],
            figures: vec![],
            failures: vec![],
        }
    }

    fn program(&self) -> &Path {
        &self.program
    }

    /// Whether there is to be another trial. It has numbers of its own: how many the one before
    /// drew, which may depend on how long something took, says nothing about it.
    fn has_time(&mut self) -> bool {
        self.random = Random::new(self.trials.next());
        // One at least, however long it took to prepare.
        let is_soon = self.count == 0 || self.until.is_none_or(|until| Instant::now() < until);
        let goes_on = is_soon && !is_interrupted();
        goes_on && self.most.is_none_or(|most| self.count < most) && self.failures.len() < TOLD_MAX
    }

    /// What was not tried that should have been.
    fn is_too_little(&self) -> Option<String> {
        if self.is_skipped || is_interrupted() {
            return None;
        }
        match (self.count, self.most, self.until) {
            (0, ..) => Some("nothing was tried: more --seconds, or see the notes".into()),
            (count, Some(most), None) if count < most && self.failures.is_empty() => {
                Some(format!("ended after {count} of {most}"))
            }
            _ => None,
        }
    }

    /// Tells what was written or deleted elsewhere by those processes of a bed that were watched.
    fn look_around(&mut self, bed: &bed::Bed) {
        let (watched, strays) = bed.strays();
        self.watched += watched;
        self.failures.extend(strays);
    }

    fn one(&mut self, failure: Option<String>) {
        self.count += 1;
        self.failures.extend(failure);
    }

    /// Nothing is tried here; in CI that is a failure.
    fn skip(&mut self, reason: &str) {
        self.is_skipped = true;
        self.without(reason);
    }

    /// Something of a part is not tried here, which is told once; in CI that is a failure.
    fn without(&mut self, reason: &str) {
        let note = format!("skipped: {reason}");
        if self.notes.contains(&note) {
            return;
        }
        self.note(note);
        if std::env::var_os("CI").is_some() {
            self.failures.push(format!("skipped in CI: {reason}"));
        }
    }

    fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// A number that belongs into the table.
    fn figure(&mut self, text: String) {
        self.figures.push(text);
    }
}

/// A part with so many failures has said enough.
const TOLD_MAX: usize = 50;

const USAGE: &str = "usage: macrometer-campaign PROGRAM [--seed N] [--seconds N (of all parts)] \
                     [--count N (of each part)] [--watch all] [PART[=N]...]";

/// Seconds of all parts where nothing else is said.
const SECONDS: u64 = 300;

struct Wanted {
    program: PathBuf,
    seed: u64,
    seconds: Option<u64>,
    count: Option<u64>,
    /// Each with its own count.
    parts: Vec<(String, Option<u64>)>,
}

fn wanted() -> Result<Wanted, String> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or(USAGE)?;
    let program = Path::new(&program).canonicalize().map_err(|e| format!("{program}: {e}"))?;
    let mut wanted = Wanted { program, seed: 1, seconds: None, count: None, parts: vec![] };
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments.next().unwrap_or_default();
            value.parse().map_err(|_| format!("{argument} {value:?}: not a number; {USAGE}"))
        };
        match argument.as_str() {
            "--seed" => wanted.seed = number()?,
            "--seconds" => wanted.seconds = Some(number()?),
            "--count" => wanted.count = Some(number()?),
            "--watch" => match arguments.next().as_deref() {
                Some("all") => watch::watch_all(),
                _ => return Err(format!("--watch takes `all`; {USAGE}")),
            },
            _ => wanted.parts.push(part(&argument)?),
        }
    }
    Ok(wanted)
}

/// `PART` or `PART=N`.
fn part(argument: &str) -> Result<(String, Option<u64>), String> {
    let (name, count) = match argument.split_once('=') {
        Some((name, count)) => (name, Some(count)),
        None => (argument, None),
    };
    if !PARTS.iter().any(|it| it.0 == name) {
        let names = PARTS.map(|it| it.0).join(", ");
        return Err(format!("{argument:?}: no part; there are {names}"));
    }
    let number = |count: &str| {
        count.parse::<u64>().map_err(|_| format!("{argument:?}: not a number; {USAGE}"))
    };
    Ok((name.to_owned(), count.map(number).transpose()?))
}

fn main() -> ExitCode {
    let Wanted { program, seed, seconds, count, parts } = match wanted() {
        Ok(wanted) => wanted,
        Err(error) => {
            eprintln!("macrometer-campaign: {error}");
            return ExitCode::from(2);
        }
    };
    let asked = |part: &Part| parts.iter().find(|it| it.0 == part.0);
    let is_wanted = |part: &&Part| parts.is_empty() || asked(part).is_some();
    let chosen: Vec<&Part> = PARTS.iter().filter(is_wanted).collect();
    let parts_count = chosen.len() as u32;
    let interrupt = || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("macrometer-campaign: ends after what is being tried; again: at once");
    };
    if let Err(error) = ctrlc::set_handler(interrupt) {
        eprintln!("macrometer-campaign: {error}: Ctrl-C ends it without a table");
    }
    println!("seed {seed}; watched: {}", watch::can().unwrap_or_else(|reason| reason));
    let mut rows = Vec::new();
    for part in chosen.into_iter().take_while(|_| !is_interrupted()) {
        let begun = Instant::now();
        let most = asked(part).and_then(|it| it.1).or(count);
        let seconds = seconds.or(most.is_none().then_some(SECONDS));
        let until = seconds.map(|seconds| begun + Duration::from_secs(seconds) / parts_count);
        let mut tried = Tried::new(&program, (seed, part.0), (until, most));
        part.2(&mut tried);
        let too_little = tried.is_too_little();
        tried.failures.extend(too_little);
        tell(part.0, &tried, begun.elapsed());
        rows.push((part, tried));
    }
    let _ = std::fs::remove_dir_all(bed::cache());
    table(seed, &rows);
    let has_failed = rows.iter().any(|(_, tried)| !tried.failures.is_empty());
    if is_interrupted() && !has_failed {
        println!("interrupted: this is not a whole campaign");
        return ExitCode::from(130);
    }
    ExitCode::from(u8::from(has_failed))
}

fn tell(name: &str, tried: &Tried, took: Duration) {
    let Tried { count, failures, notes, figures, .. } = tried;
    println!("{name}: {count} tried, {} failed, {} s", failures.len(), took.as_secs());
    figures.iter().chain(notes).for_each(|note| println!("    {note}"));
    failures.iter().for_each(|failure| println!("    FAILED {failure}"));
    let _ = io::stdout().flush();
}

fn table(seed: u64, rows: &[(&Part, Tried)]) {
    println!("\n| what is tried | part | count | failures | of these |\n|---|---|---|---|---|");
    for ((name, what, _), Tried { count, failures, figures, .. }) in rows {
        let (failed, figures) = (failures.len(), figures.join("; "));
        println!("| {what} | `--seed {seed} {name}` | {count} | {failed} | {figures} |");
    }
    let watched: u64 = rows.iter().map(|(_, tried)| tried.watched).sum();
    let what = "processes whose paths were watched: nothing written or deleted elsewhere";
    println!("| {what} | all of these | {watched} | (among those above) | |");
}

fn padded(name: &str) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    bytes
}
