//! Text of strangers does not act on a terminal; what is starved, or waits for ever, says so.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::bench::Bench;

/// A clear screen, a title of the window, an 8-bit CSI, an override of the direction.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}gpj\u{2066}\u{200f}\u{61c}";

fn acts(letter: char) -> bool {
    words::is_control(letter)
}

#[track_caller]
fn legible(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8(both).expect("UTF-8");
    assert!(!text.contains(acts), "{text:?}");
    text
}

fn evil_study() -> String {
    let survey = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/survey.toml");
    let study = std::fs::read_to_string(survey).unwrap();
    let escaped: String = EVIL.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let lines = study.lines().map(|line| match line.split_once(" = ") {
        Some((key @ ("title" | "summary"), _)) => format!("{key} = \"T{escaped}\""),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_title_of_a_study_does_nothing_to_a_terminal() {
    let bench = Bench::with(&[("evil.toml", &evil_study())]);
    let narrow = ["--provider", "macs", "--mac", "hmac-sha256", "--size", "64", "--cpu", "none"];
    let plan = bench.output(&[&["plan", "./evil.toml"], &narrow[..6]].concat());
    assert!(plan.status.success() && legible(&plan).contains("T\u{fffd}[2J"), "{plan:?}");
    let run = [&["run", "./evil.toml", "--budget", "1"], &narrow[..]].concat();
    for command in [&run[..], &["report", "last"], &["list", "runs"], &["claims"]] {
        let told = bench.output(command);
        assert!(told.status.success(), "{command:?}: {told:?}");
        legible(&told);
    }
    let author = format!("Doe{EVIL}, Jane{EVIL}");
    for format in ["bibtex", "cff"] {
        for author in [&[][..], &["--author", author.as_str()][..]] {
            let cited = bench.output(&[&["cite", "last", "--format", format], author].concat());
            assert!(cited.status.success(), "{cited:?}");
            let text = legible(&cited);
            assert_eq!(text.contains(r"\u009b31m\u202egpj"), format == "cff", "{text}");
        }
    }
    // Programs get what there is, in JSON that can be shown.
    bench.right(&["report", "last", "--format", "files", "--out", "files"]);
    let file = std::fs::read_to_string(bench.path("files/findings.json")).unwrap();
    let report = bench.right(&["report", "last", "--format", "json"]);
    let run = bench.right(&[&run[..], &["--format", "json"]].concat());
    for json in [report, run, file] {
        assert!(!json.contains(acts), "{json:?}");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(read.to_string().contains('\u{202e}'), "as it was given");
    }
    legible(&bench.output(&["list", "runs", "--format", "json"]));
}

/// Whoever opens a table in a spreadsheet runs nothing.
#[test]
fn names_of_a_study_are_no_formulas_in_tables() {
    let study = evil_study().replace("name = \"sizes\"", "name = \"=1+1\"");
    let bench = Bench::with(&[("evil.toml", &study)]);
    let narrow = ["--provider", "macs", "--mac", "hmac-sha256", "--size", "64"];
    let plan = [&["plan", "./evil.toml", "--format", "csv"], &narrow[..]].concat();
    let run = ["run", "./evil.toml", "--budget", "1", "--cpu", "none"];
    bench.right(&[&run[..], &narrow].concat());
    let report = |format| ["report", "last", "--format", format];
    for command in [&plan[..], &report("csv"), &report("samples")] {
        let table = bench.right(command);
        assert!(table.contains("'=1+1,"), "{command:?}: {table}");
        assert!(!table.contains(",=") && !table.contains("\n="), "{command:?}: {table}");
    }
}

#[test]
fn names_of_files_and_columns_do_nothing_to_a_terminal() {
    let bench = Bench::with(&[("key", &"00".repeat(32))]);
    bench.write(EVIL, "not a database, nor a study");
    let csv = format!("{EVIL}a_ns,b_ns\n1,2\n2,3\n4,9\n");
    bench.write("table.csv", csv);
    let study = format!("./{EVIL}.toml");
    bench.write(&study, "junk");
    let mac = ["--mac", "hmac-sha256", "--key-file"];
    let missing = format!("no{EVIL}");
    for command in [
        &["report", "last", "--archive", EVIL][..],
        &["plan", &study],
        &["analyze", "table.csv"],
        &["analyze", "table.csv", "--json"],
        &["analyze", EVIL],
        &["selftest", "--provider", "macs", "--vectors", EVIL],
        &["recommend", "--lengths", EVIL],
        &[EVIL],
        &["plan", EVIL],
        &["tag", mac[0], mac[1], mac[2], "key", &missing],
        &["tag", mac[0], mac[1], mac[2], &missing],
        &["verify", mac[0], mac[1], mac[2], "key", "--check", &missing],
        &["verify", mac[0], mac[1], mac[2], "key", "--tag", EVIL, "key"],
    ] {
        let told = legible(&bench.output(command));
        assert!(!told.trim().is_empty(), "{command:?}");
    }
}

/// What a command prints on a terminal, if one can be had here.
fn on_a_terminal(bench: &Bench, line: &str) -> Option<String> {
    let line = format!("{} {line}", env!("CARGO_BIN_EXE_macrometer"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("XDG_DATA_HOME", bench.folder());
    script.env_remove("NO_COLOR").current_dir(bench.folder()).stdin(Stdio::null());
    let Ok(shown) = script.output() else {
        println!("skipped: no `script` for a terminal");
        return None;
    };
    Some(String::from_utf8_lossy(&shown.stdout).replace("\r\n", "\n"))
}

#[test]
fn names_of_verified_files_do_nothing_to_a_terminal() {
    let bench = Bench::with(&[("key", &"00".repeat(32))]);
    bench.write(EVIL, "message");
    let key = ["--mac", "hmac-sha256", "--key-file", "key"];
    let list = bench.right(&[&["tag"], &key[..], &[EVIL]].concat());
    assert!(list.contains(EVIL), "a pipe gets the name as it is");
    bench.write("list", &list);
    for line in ["verify --check list", "tag *x*", "tag --zero *x*"] {
        let Some(shown) = on_a_terminal(&bench, &format!("{line} {}", key.join(" "))) else {
            return;
        };
        assert!(shown.contains("\u{fffd}[2J"), "{line}: {shown:?}");
        assert!(!shown.trim_end_matches('\0').contains(acts), "{line}: {shown:?}");
    }
}

#[test]
fn a_study_colours_nothing_on_a_terminal() {
    let study = evil_study().replace("\"T\\u001b", "\"T\\u001b[31mINK\\u001b");
    let bench = Bench::with(&[("evil.toml", &study)]);
    let narrow = ["--provider", "macs", "--mac", "hmac-sha256", "--size", "64", "--cpu", "none"];
    bench.right(&[&["run", "./evil.toml", "--budget", "1"], &narrow[..]].concat());
    for line in ["report last", "report last --tables", "plan ./evil.toml"] {
        let Some(shown) = on_a_terminal(&bench, line) else { return };
        assert!(shown.contains("\u{fffd}[31mINK"), "{line}: {shown:?}");
        assert!(!shown.contains("\u{1b}[31mINK"), "{line}: {shown:?}");
    }
    for format in ["markdown", "html"] {
        legible(&bench.output(&["report", "last", "--format", format]));
    }
}

/// A pipe that nobody has opened, or that nobody writes to yet, as from `<(pass …)`: what is waited
/// for is said, and what comes late is taken.
#[test]
fn a_key_that_comes_late_is_waited_for_and_that_is_said() {
    let bench = Bench::with(&[("message", "text"), ("key", &"00".repeat(32))]);
    for name in ["fifo", "list"] {
        assert!(Command::new("mkfifo").arg(bench.path(name)).status().unwrap().success());
    }
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(bench.path("key"), private).unwrap();
    let tag = ["tag", "--mac", "hmac-sha256", "--key-file", "fifo", "message"];
    let check = ["verify", "--mac", "hmac-sha256", "--key-file", "key", "--check", "list"];
    let key = "00".repeat(32);
    let list = bench.right(&["tag", "--mac", "hmac-sha256", "--key-file", "key", "message"]);
    let cases: [(&[&str], &str, &str, &str); 2] = [
        (&tag, "fifo", &key, "waiting for the key from fifo"),
        (&check, "list", &list, "waiting for the list from list"),
    ];
    for is_open in [false, true] {
        for (command, fifo, content, waits) in cases {
            let mut command = bench.command(command);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let (heard, is_heard) = channel();
            let writer = written_late(bench.path(fifo), content.to_owned(), is_open, is_heard);
            let mut said = BufReader::new(child.stderr.take().unwrap());
            let mut line = String::new();
            said.read_line(&mut line).unwrap();
            assert!(line.contains(waits), "opened: {is_open}: {line:?}");
            heard.send(()).unwrap();
            writer.join().unwrap();
            let ended = child.wait_with_output().unwrap();
            assert!(ended.status.success() && !ended.stdout.is_empty(), "{ended:?}");
        }
    }
}

/// Writes into a pipe once it was heard that this is waited for, or after a time in which that had
/// to be said; it is opened before or after that.
fn written_late(
    pipe: PathBuf,
    content: String,
    is_open: bool,
    is_heard: Receiver<()>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let open = || std::fs::File::options().write(true).open(&pipe).unwrap();
        let early = is_open.then(open);
        let _ = is_heard.recv_timeout(Duration::from_secs(60));
        early.unwrap_or_else(open).write_all(content.as_bytes()).unwrap();
    })
}

/// A line and exit code 2 where a command cannot be begun, its work where it can; never a signal.
#[test]
fn what_has_too_little_is_told_so() {
    let bench = Bench::with(&[("key", &"00".repeat(32))]);
    let limits = [
        "-d 1500",
        "-d 20000",
        "-d 40000",
        "-v 40000",
        "-v 70000",
        "-s 64",
        "-s 200",
        "-s 64 -d 40000",
    ];
    for limit in limits {
        for command in [
            "list macs",
            "plan --provider macs --mac hmac-sha256 --size 64",
            "tag --mac hmac-sha256 --key-file key key",
        ] {
            let limits: String = limit
                .split(" -")
                .map(|it| format!("ulimit -{}; ", it.trim_start_matches('-')))
                .collect();
            let line = format!("{limits} exec {} {command}", env!("CARGO_BIN_EXE_macrometer"));
            let mut shell = Command::new("bash");
            shell.args(["-c", &line]).env("XDG_DATA_HOME", bench.folder());
            let ended = shell.current_dir(bench.folder()).output().unwrap();
            let told = String::from_utf8_lossy(&ended.stderr).into_owned();
            // Where the system cannot even load it, it says so itself.
            let is_loaded = !told.contains("error while loading shared libraries");
            let is_right = match ended.status.code() {
                Some(0) => true,
                Some(2) => told.lines().count() == 1 && told.starts_with("macrometer: "),
                _ => !is_loaded,
            };
            assert!(is_right, "ulimit {limit}; {command}: {:?}: {told}", ended.status);
        }
    }
    // A small stack alone is no reason.
    let line = format!("ulimit -s 64; exec {} list macs", env!("CARGO_BIN_EXE_macrometer"));
    assert!(Command::new("bash").args(["-c", &line]).output().unwrap().status.success());
}

/// Its shim takes long to be compiled on a busy machine: that is no answer that is waited for.
#[test]
fn the_shim_of_cryptopp_is_not_compiled_by_the_worker() {
    if !Path::new("/usr/include/cryptopp/config.h").exists() {
        return println!("skipped: no headers of Crypto++");
    }
    let bench = Bench::new();
    let path = std::env::var("PATH").unwrap();
    // Who compiles: the command that started the compiler.
    let script = "#!/bin/sh\ntr '\\0' ' ' </proc/$PPID/cmdline >>\"$COMPILED_BY\"\n\
                  echo >>\"$COMPILED_BY\"\nexec /usr/bin/c++ \"$@\"\n";
    bench.script("bin/c++", script);
    let mut command = bench.command(&["plan", "--provider", "cryptopp", "--size", "64"]);
    command.env("PATH", format!("{}:{path}", bench.path("bin").display()));
    command.env("COMPILED_BY", bench.path("log")).env("XDG_CACHE_HOME", bench.path("cache"));
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let log = std::fs::read_to_string(bench.path("log")).unwrap();
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(told.contains("compiling the worker code for cryptopp"), "{told}");
    assert!(log.lines().next().is_some_and(|first| first.contains(" plan ")), "{log}");
}
