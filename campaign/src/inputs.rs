//! Options, studies and other files that are nearly right: refused in one line with exit code 2, or
//! taken.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::Tried;
use crate::bed::{Bed, Ended, REFUSED_WITHIN, ended};
use crate::files::Files;

/// Files that never begin are waited for.
const PATIENCE: Duration = Duration::from_secs(30);

pub const VALUES: [&str; 36] = [
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
    "./sub/../x",
    "passwd",
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
    "64",
    "65536",
    "1KiB",
    "64:7,576:4",
    "imix",
    "2%",
    "0.5",
    "hmac-sha256",
    "hmac-*",
    "macs",
    "macs[soft]",
    "99%=10ms",
];

/// Commands that measure nothing, each with an option or operand to be filled in.
const COMMANDS: [&str; 48] = [
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
    "runs remove @ --archive in.db",
    "runs export @ --output out.db --archive in.db",
    "runs export last --archive in.db --output @",
    "runs import @ --archive in.db",
    "cite @ --archive in.db",
    "cite last --archive in.db --author @",
    "doctor --consistency --archive @",
    "verify --mac hmac-sha256 --key-file key --check @",
];

/// What is always said to a verb, unless an option says something else: measuring is kept short.
const BASES: [(&str, &str); 19] = [
    ("plan", "--provider macs"),
    ("report last", "--archive in.db"),
    ("compare last last", "--archive in.db"),
    ("claims", "--archive in.db"),
    ("list macs", ""),
    ("runs check", "--archive in.db"),
    ("analyze t.csv", "--times"),
    ("keygen k", "--mac hmac-sha256"),
    ("tag t.csv", "--mac hmac-sha256 --key-file key"),
    ("verify t.csv", "--mac hmac-sha256 --key-file key --tag 00"),
    ("verify", "--check list --mac hmac-sha256 --key-file key"),
    ("cite last", "--archive in.db"),
    ("doctor", "--consistency --archive in.db"),
    ("runs remove nothing", "--archive in.db"),
    ("runs export last", "--archive in.db --output out.db"),
    ("runs import one.db", "--archive into.db"),
    ("run", "--provider macs --mac hmac-sha256 --size 64 --budget 1 --cpu none --archive in.db"),
    ("recommend", "--provider macs --size 64 --budget 1 --cpu none --archive in.db"),
    ("gate", "--base macs --new macs --mac hmac-sha256 --size 64 --budget 1 --cpu none"),
];

/// Verbs that measure, and what makes them do so for longer than anybody waits here.
const MEASURING: [&str; 4] = ["run", "recommend", "gate", "doctor"];
const LONGER: [&str; 9] = [
    "--budget",
    "--launches",
    "--blocks",
    "--window",
    "--patience",
    "--sessions",
    "--tables",
    "--cores",
    "--pairs",
];

/// Verbs that end with a verdict, and the exit codes of those that are not 0.
const VERDICTS: [(&str, &[i32]); 5] =
    [("verify", &[1]), ("selftest", &[1]), ("doctor", &[1]), ("gate", &[1, 3]), ("runs", &[1])];

/// A verb, its base, and the options that its help names, each with whether it takes a value.
struct Verb {
    words: &'static str,
    base: &'static str,
    options: Vec<(String, bool)>,
}

fn verbs(bed: &Bed) -> Vec<Verb> {
    let verb = |&(words, base): &(&'static str, &'static str)| {
        let name = words.split(' ').next().unwrap_or_default();
        let mut asked: Vec<&str> = words.split(' ').collect();
        asked.truncate(if name == "runs" { 2 } else { 1 });
        asked.push("--help");
        let help = bed.run(&asked).stdout;
        let help = String::from_utf8_lossy(&help).into_owned();
        let option = |line: &str| {
            let long = line.trim_start().split(' ').find(|word| word.starts_with("--"))?;
            let begins = line.trim_start().starts_with('-');
            let is_taken = begins && (!MEASURING.contains(&name) || !LONGER.contains(&long));
            let is_plain = long.chars().all(|c| c == '-' || c.is_ascii_alphanumeric());
            (is_taken && is_plain && long != "--help").then(|| (long.into(), line.contains('<')))
        };
        Verb { words, base, options: help.lines().filter_map(option).collect() }
    };
    BASES.iter().map(verb).collect()
}

/// A verb with some of its own options, with values that fit some option.
fn by_grammar(tried: &mut Tried, verbs: &[Verb]) -> Vec<String> {
    let verb = tried.random.pick(verbs);
    let mut options: Vec<Vec<String>> = Vec::new();
    for word in verb.base.split_whitespace() {
        if word.starts_with("--") {
            options.push(vec![]);
        }
        options.last_mut().expect("a base begins with an option").push(word.into());
    }
    for _ in 0..=tried.random.below(2) {
        let Some((name, takes_value)) =
            verb.options.get(tried.random.below(verb.options.len().max(1)))
        else {
            break;
        };
        options.retain(|option| option[0] != *name);
        let mut option = vec![name.clone()];
        option.extend(takes_value.then(|| (*tried.random.pick(&VALUES)).to_owned()));
        options.push(option);
    }
    let words = verb.words.split(' ').map(str::to_owned);
    words.chain(options.into_iter().flatten()).collect()
}

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "inputs", tried.seed);
    prepare(&bed);
    let (studies, verbs, files) = (texts("studies", "toml"), verbs(&bed), Files::of(&bed));
    let files = match files {
        Ok(files) if !studies.is_empty() => files,
        Ok(_) => return tried.one(Some("no study found: run it in the repository".into())),
        Err(error) => return tried.one(Some(error)),
    };
    let (mut refused, mut taken, mut of_files) = (0, 0, 0);
    while tried.has_time() {
        let words: Vec<String> = match tried.random.below(6) {
            0 => {
                let study = tried.random.pick(&studies).clone();
                bed.write("mine.toml", mutated(tried, &study));
                "plan ./mine.toml --provider macs".split(' ').map(str::to_owned).collect()
            }
            1 => {
                let value = *tried.random.pick(&VALUES);
                let line = *tried.random.pick(&COMMANDS);
                line.split(' ').map(|word| if word == "@" { value } else { word }.into()).collect()
            }
            2 | 3 => {
                of_files += 1;
                files.changed(&bed, tried)
            }
            _ => by_grammar(tried, &verbs),
        };
        ["k", "k2", "out.db"].iter().for_each(|name| bed.remove(name));
        bed.remove_archive("into.db");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let child = bed.command(&words).spawn().expect("the program to start");
        let wrong = judged(&words, ended(child, PATIENCE), &mut refused, &mut taken);
        tried.one(wrong.map(|wrong| format!("{words:?}: {wrong}{}", shown(&bed, &words))));
    }
    tried.note(format!("{refused} refused in one line, {taken} taken"));
    tried
        .figure(format!("{of_files} of them tables, lists of tags, keys, policies, vectors, runs"));
    tried.look_around(&bed);
}

fn prepare(bed: &Bed) {
    bed.write("t.csv", "a,b\n1,2\n2,3\n");
    bed.write("key", "00".repeat(32));
    bed.write("passwd", "root:x:0:0:root:/root:/bin/sh\n");
    let _ = fs::create_dir(bed.path("sub"));
    let _ = std::process::Command::new("mkfifo").arg(bed.path("fifo")).status();
    let base = BASES.iter().find(|base| base.0 == "run").map_or("", |base| base.1);
    let first: Vec<&str> = ["run"].into_iter().chain(base.split(' ')).collect();
    bed.run(&first);
    bed.run(&["runs", "export", "last", "--archive", "in.db", "--output", "one.db"]);
    let tags = bed.run(&["tag", "--mac", "hmac-sha256", "--key-file", "key", "t.csv", "passwd"]);
    bed.write("list", tags.stdout);
}

/// The file that was refused wrongly, if it is short.
fn shown(bed: &Bed, words: &[&str]) -> String {
    let is_mine = |word: &&&str| word.trim_start_matches("./").starts_with("mine.");
    let name = words.iter().find(is_mine);
    let bytes = name.and_then(|name| fs::read(bed.path(name)).ok()).unwrap_or_default();
    match bytes.len() {
        0 => String::new(),
        1..2000 => format!("\n{}", bytes.escape_ascii()),
        len => format!("\n({len} bytes)"),
    }
}

/// What is wrong with how it ended.
fn judged(words: &[&str], ended: Ended, refused: &mut u64, taken: &mut u64) -> Option<String> {
    match ended.code() {
        Some(2) => *refused += 1,
        _ => *taken += 1,
    }
    // What waits for a pipe that nobody writes to says so, and goes on waiting.
    let waits = ended.has_hung && ended.stderr.contains("macrometer: waiting for ");
    // `verify`, `gate` and the like end with 1 and more where something is not as it should be.
    let of_verb = VERDICTS.iter().filter(|it| it.0 == words[0]).flat_map(|it| it.1);
    let is_verdict =
        of_verb.into_iter().any(|it| ended.code() == Some(*it)) && ended.is_broken().is_none();
    let measures = MEASURING.contains(&words[0]) || words.contains(&"--bounds");
    let is_measured = measures && ended.code() == Some(0) && !ended.has_hung;
    let reads_fifo = words.contains(&"fifo");
    let is_file = ["tag", "verify"].contains(&words[0]) && ended.has_hung && reads_fifo;
    // A run whose budget is too little for this machine says so below its progress.
    let is_progress = |line: &str| {
        let beginnings = ["run ", "time: "].iter().any(|it| line.starts_with(it));
        measures && (beginnings || line.contains(" s  "))
    };
    let is_told = |line: &&str| !line.contains(": warning: ") && !is_progress(line);
    let warned: Vec<&str> = ended.stderr.lines().filter(is_told).collect();
    // Of a list each line that is none is told.
    let is_list = words[0] == "verify" && words.contains(&"--check");
    let is_one = ended.code() == Some(2)
        && (warned.len() == 1 || is_list && !warned.is_empty())
        && warned.iter().all(|line| line.starts_with("macrometer: "))
        && ended.took < REFUSED_WITHIN;
    let control = |c: char| {
        c.is_control() && c != '\n' && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c)
    };
    let printed = String::from_utf8_lossy(&ended.stdout);
    // What is written for programs has their own escapes.
    let is_text = ["analyze", "list", "report", "claims", "compare", "verify", "doctor"];
    let is_text = is_text.contains(&words[0]) && !words.contains(&"--format");
    let printed = printed.chars().filter(|_| is_text);
    if let Some(letter) = ended.stderr.chars().chain(printed).find(|c| control(*c)) {
        return Some(format!("{letter:?} reaches a terminal"));
    }
    if waits || is_file || is_verdict || is_measured || is_one {
        return None;
    }
    ended.is_no_refusal()
}

/// Files of the repository, below the current folder.
pub fn texts(folder: &str, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(Path::new(folder)).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == ending));
    paths.sort();
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// A line less, a line twice, or another value in one.
pub fn mutated(tried: &mut Tried, study: &str) -> String {
    let mut lines: Vec<String> = study.lines().map(str::to_owned).collect();
    for _ in 0..=tried.random.below(3) {
        let at = tried.random.below(lines.len());
        match tried.random.below(5) {
            4 => {
                // A field that studies have, somewhere else.
                let from = tried.random.below(lines.len());
                if let (Some((name, _)), Some((_, value))) =
                    (lines[from].split_once(" = "), lines[at].split_once(" = "))
                {
                    lines[at] = format!("{name} = {value}");
                }
            }
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
