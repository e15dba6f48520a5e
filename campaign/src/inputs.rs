//! Options and studies that are nearly right: refused in one line with exit code 2, or taken.

use std::fs;
use std::path::Path;

use crate::Tried;
use crate::bed::{Bed, PATIENCE, ended};

const VALUES: [&str; 24] = [
    "",
    "0",
    "-1",
    "1",
    "1e308",
    "nan",
    "inf",
    "18446744073709551616",
    "0x10",
    "a,b",
    ",",
    "*",
    "../../x",
    "/etc/passwd",
    "/dev/zero",
    "fifo",
    "é\u{202e}",
    "\u{1b}[2J",
    "a b",
    "-",
    "--",
    "=",
    "99999999999999999999999",
    "last",
];

/// Commands that measure nothing, each with an option or operand to be filled in.
const COMMANDS: [&str; 40] = [
    "plan @",
    "plan survey --size @",
    "plan survey --mac @",
    "plan survey --provider @",
    "plan survey --budget @",
    "plan survey --launches @",
    "plan survey --blocks @",
    "plan survey --key-len @",
    "plan survey --part @",
    "plan survey --regime @",
    "plan survey --key-life @",
    "plan survey --lib @",
    "plan survey --not @",
    "plan survey --sessions @",
    "plan survey --cores @",
    "plan survey --mix @",
    "plan survey --window @",
    "plan survey --power @",
    "plan survey --memory-limit @",
    "plan sms --file @",
    "report @",
    "report last --format @",
    "report last --out @",
    "report last --archive @",
    "report last --against @",
    "compare @ last",
    "claims @",
    "list @",
    "list macs --mac @",
    "list runs --archive @",
    "analyze --times @",
    "analyze --speeds --alpha @ t.csv",
    "analyze --times --delimiter @ t.csv",
    "selftest --vectors @",
    "keygen --mac @ k",
    "keygen --mac hmac-sha256 --key-len @ k2",
    "tag --mac @ --key-file key t.csv",
    "tag --mac hmac-sha256 --key-file @ t.csv",
    "verify --mac hmac-sha256 --key-file key --tag @",
    "runs check --archive @",
];

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "inputs", tried.seed);
    bed.write("t.csv", "a,b\n1,2\n2,3\n");
    bed.write("key", "00".repeat(32));
    let _ = std::process::Command::new("mkfifo").arg(bed.path("fifo")).status();
    let studies = studies();
    if studies.is_empty() {
        return tried.one(Some("no study found: run it in the repository".into()));
    }
    while tried.has_time() {
        let is_study = tried.random.below(2) == 0;
        let line = if is_study {
            let study = tried.random.pick(&studies).clone();
            bed.write("mine.toml", mutated(tried, &study));
            "plan mine.toml --provider macs".to_owned()
        } else {
            (*tried.random.pick(&COMMANDS)).to_owned()
        };
        let value = *tried.random.pick(&VALUES);
        let words: Vec<&str> =
            line.split(' ').map(|word| if word == "@" { value } else { word }).collect();
        bed.remove("k2");
        bed.remove("k");
        let child = bed.command(&words).spawn().expect("the program to start");
        let ended = ended(child, PATIENCE);
        // `verify` and `selftest` end with 1 where something does not match.
        let is_mismatch = ended.code() == Some(1) && ended.is_broken().is_none();
        let wrong = ended.is_no_refusal().filter(|_| !is_mismatch);
        let wrong = wrong.map(|wrong| match is_study {
            false => format!("{words:?}: {wrong}"),
            true => {
                let study = fs::read_to_string(bed.path("mine.toml")).unwrap_or_default();
                format!("a study: {wrong}\n{study}")
            }
        });
        tried.one(wrong);
    }
}

/// The studies of the repository, below the current folder.
fn studies() -> Vec<String> {
    let folder = fs::read_dir(Path::new("studies")).into_iter().flatten().flatten();
    let mut paths: Vec<_> = folder.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// A line less, a line twice, or another value in one.
fn mutated(tried: &mut Tried, study: &str) -> String {
    let mut lines: Vec<String> = study.lines().map(str::to_owned).collect();
    for _ in 0..=tried.random.below(3) {
        let at = tried.random.below(lines.len());
        match tried.random.below(4) {
            0 => drop(lines.remove(at)),
            1 => {
                let line = lines[at].clone();
                let to = tried.random.below(lines.len());
                lines.insert(to, line);
            }
            _ => {
                let value = tried.random.pick(&VALUES).replace('"', "");
                let forms =
                    [value.clone(), format!("\"{value}\""), format!("[{value}]"), "[]".into()];
                if let Some((name, _)) = lines[at].split_once('=') {
                    lines[at] = format!("{name}= {}", tried.random.pick(&forms));
                }
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}
