//! The campaign: what macrometer promises of the data that it keeps, tried on the program as it is.
//! `docs/reliability.md` tells the promises, and which part tries which. One part is one file and a
//! row in `PARTS`.
//!
//! A seed brings a campaign again, as far as moments are not chance.

mod bed;
mod damage;
mod flips;
mod inputs;
mod kills;
mod lines;
mod races;
mod random;
mod starved;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use random::Random;

/// What a part tries, and by what.
type Part = (&'static str, &'static str, fn(&mut Tried));

const PARTS: [Part; 7] = [
    ("kills", "runs killed at random and resumed: nothing lost or doubled", kills::run),
    ("damage", "damaged archives and logs: told, or without effect", damage::run),
    ("races", "processes at once on one archive, run or folder", races::run),
    ("inputs", "bad options and studies: one line, exit code 2, within 10 s", inputs::run),
    ("starved", "under limits of memory, threads, files: no panic, no hang", starved::run),
    ("flips", "a flipped bit of file, tag, key or nonce: never verified", flips::run),
    ("lines", "lines that no worker knows: a reply each, no panic", lines::run),
];

/// A part as it goes on.
pub struct Tried {
    program: PathBuf,
    seed: u64,
    random: Random,
    until: Instant,
    count: u64,
    /// What is told beside the count.
    notes: Vec<String>,
    failures: Vec<String>,
}

impl Tried {
    fn program(&self) -> &Path {
        &self.program
    }

    fn has_time(&self) -> bool {
        Instant::now() < self.until
    }

    fn one(&mut self, failure: Option<String>) {
        self.count += 1;
        self.failures.extend(failure);
    }

    fn note(&mut self, text: String) {
        self.notes.push(text);
    }
}

const USAGE: &str = "usage: macrometer-campaign PROGRAM [--seed N] [--seconds N] [PART...]";

struct Wanted {
    program: PathBuf,
    seed: u64,
    seconds: u64,
    parts: Vec<String>,
}

fn wanted() -> Result<Wanted, String> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or(USAGE)?;
    let program = Path::new(&program).canonicalize().map_err(|e| format!("{program}: {e}"))?;
    let mut wanted = Wanted { program, seed: 1, seconds: 300, parts: vec![] };
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments.next().unwrap_or_default();
            value.parse().map_err(|_| format!("{argument} {value:?}: not a number; {USAGE}"))
        };
        match argument.as_str() {
            "--seed" => wanted.seed = number()?,
            "--seconds" => wanted.seconds = number()?,
            part if PARTS.iter().any(|it| it.0 == part) => wanted.parts.push(argument),
            _ => {
                let names = PARTS.map(|it| it.0).join(", ");
                return Err(format!("{argument:?}: no part; there are {names}"));
            }
        }
    }
    Ok(wanted)
}

fn main() -> ExitCode {
    let Wanted { program, seed, seconds, parts } = match wanted() {
        Ok(wanted) => wanted,
        Err(error) => {
            eprintln!("macrometer-campaign: {error}");
            return ExitCode::from(2);
        }
    };
    let is_wanted = |part: &&Part| parts.is_empty() || parts.iter().any(|name| name == part.0);
    let chosen: Vec<&Part> = PARTS.iter().filter(is_wanted).collect();
    let each = Duration::from_secs(seconds) / chosen.len() as u32;
    println!("seed {seed}, {} s a part", each.as_secs());
    let mut failed = 0;
    for (name, what, run) in chosen {
        let mut tried = Tried {
            program: program.clone(),
            seed,
            random: Random::new(seed ^ u64::from_le_bytes(padded(name))),
            until: Instant::now() + each,
            count: 0,
            notes: vec![],
            failures: vec![],
        };
        run(&mut tried);
        failed += tried.failures.len();
        println!("{name:<8} {:>7} tried, {:>3} failed   {what}", tried.count, tried.failures.len());
        tried.notes.iter().for_each(|note| println!("         {note}"));
        tried.failures.iter().for_each(|failure| println!("         FAILED {failure}"));
        if tried.count == 0 {
            println!("         FAILED nothing was tried: more --seconds");
            failed += 1;
        }
    }
    ExitCode::from(u8::from(failed > 0))
}

fn padded(name: &str) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    bytes
}
