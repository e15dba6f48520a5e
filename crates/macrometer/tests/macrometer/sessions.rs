//! Many sessions at once, as users ask for them: options, plans, runs that are stopped, and loads
//! that a machine does not carry.

use std::process::{Child, Command};

use serde_json::Value;

use crate::bench::Bench;

/// Sessions, a capacity, and a part without either.
const STUDY: &str = r#"
name = "mine"
title = "Mine"
summary = "Sessions in small."
budget_s = 600
launches = 6
[[panels]]
name = "macs"
title = "macs"
providers = ["macs"]
[[parts]]
name = "many"
title = "Many sessions"
sizes = [64, 1024]
key_lives = ["prepared"]
regimes = ["sessions-10-on-1", "sessions-10-on-all-apparent"]
blocks = 6
views = ["sessions"]
[[parts.cases]]
name = "all"
title = "All"
macs = ["hmac-sha256"]
[[parts]]
name = "carried"
title = "Sessions sustained"
sizes = [64]
key_lives = ["prepared"]
regimes = ["pooled-on-all-capacity"]
views = ["capacity"]
[[parts.cases]]
name = "all"
title = "All"
macs = ["hmac-sha256"]
[[parts]]
name = "one"
title = "One after another"
sizes = [64]
key_lives = ["prepared"]
[[parts.cases]]
name = "all"
title = "All"
macs = ["hmac-sha256"]
[[claims]]
id = "falls"
text = "A byte costs less in longer messages."
source = "nowhere"
part = "many"
falling = ["*"]
"#;

/// A run that goes on until it is stopped, in short windows that no load lengthens.
const LONG: &[&str] = &[
    "run",
    "mine.toml",
    "--part",
    "many",
    "--window",
    "10,30",
    "--blocks",
    "100000",
    "--budget",
    "6000",
];

fn bench() -> Bench {
    Bench::with(&[("mine.toml", STUDY)])
}

impl Bench {
    /// The plan of the study with these options.
    fn plan(&self, options: &[&str]) -> Value {
        let form = ["--format", "json"];
        let text = self.right(&[&["plan", "mine.toml"], options, &form[..]].concat());
        serde_json::from_str(&text).unwrap()
    }

    /// The run goes on where it was, and is stopped again: how long that takes is no matter.
    fn resumes(&self) {
        let kept = (self.count("sample"), self.count("sessions"));
        assert!(kept.0 > 0 && kept.1 > 0, "{kept:?}");
        let (child, _) = self.measuring(&["run", "--resume", "last"], kept.0);
        self.interrupt(child);
        let now = (self.count("sample"), self.count("sessions"));
        assert!(now.0 > kept.0 && now.1 > kept.1, "{kept:?} {now:?}");
        assert!(self.right(&["report", "last"]).contains("hmac-sha256"));
    }

    /// As Ctrl-C does.
    fn interrupt(&self, child: Child) {
        let sent =
            Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
        assert_eq!(self.state(), "interrupted");
    }
}

/// Names of the cells of a plan without provider and code path: `many` of `of`.
fn cells(plan: &Value) -> Vec<String> {
    let cells = plan["cells"].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap());
    let macs = cells.filter(|cell| cell.starts_with("hmac-sha256/"));
    macs.map(|cell| cell.splitn(4, '/').nth(3).unwrap().to_owned()).collect()
}

/// What only some machines have is not part of these tests.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn options_of_sessions_are_refused_in_one_line() {
    let bench = bench();
    let wrong = |options: &[&str]| bench.wrong(&[&["plan", "mine.toml"], options].concat());
    for (options, said) in [
        (&["--sessions", "0"][..], "--sessions 0: must be 1 to 1000000"),
        (&["--sessions", "2000000"], "--sessions 2000000: must be 1 to 1000000"),
        (&["--cores", "0,0"], "must be processors such as 0,2-5, each once, or no-siblings"),
        (&["--cores", "60000"], "this process may not use processor 60000, only "),
        (&["--window", "100"], "must be T1,T2 in milliseconds"),
        (&["--window", "100,50"], "must be T1,T2 in milliseconds"),
        (&["--window", "1,900000"], "needs 0 <= t1 < t2 <= 600000"),
        (&["--mix", "imux"], "must be imix, lengths such as 64,1500"),
        (&["--mix", "64:0"], "weights from 1 on"),
        (&["--mix", "imix", "--size", "64"], "cannot be used with"),
        (&["--rekey-every", "0"], "--rekey-every 0: must be at least 1"),
        (&["--rate", "0"], "--rate 0: must be 0.1 to 1000000"),
        (&["--tail", "nan"], "--tail NaN: must be 0.001 to 60000"),
        (&["--tail-quantile", "1"], "--tail-quantile 1: must be 0.5 to 0.9999"),
        (
            &["--part", "few"],
            "unknown part \"few\" in the study \"mine\"; available: many, carried, one",
        ),
        (&["--regime", "sessions-0"], "\"0\" is not a number from 1 to 1000000"),
        (&["--regime", "sessions-9-on-all-capacity"], "without COUNT and with -capacity"),
        (&["--regime", "keys-0"], "must be keys-N, N from 1 to"),
    ] {
        let error = wrong(options);
        assert!(error.contains(said), "{options:?}: {error}");
    }
}

#[test]
fn options_of_sessions_need_sessions() {
    let bench = bench();
    let one = |options: &[&str]| {
        bench.wrong(&[&["plan", "mine.toml", "--part", "one"], options].concat())
    };
    for (options, said) in [
        (&["--sessions", "7"][..], "--sessions 7: in the study \"mine\" no session regime"),
        (&["--verify"], "--verify: in the study"),
        (&["--cores", "no-siblings"], "--cores no-siblings: in the study"),
        (&["--mix", "64,65"], "`--regime sessions` adds one"),
        (&["--rate", "10"], "`--regime sessions-on-all-capacity` adds one"),
    ] {
        let error = one(options);
        assert!(error.contains(said), "{options:?}: {error}");
    }
    let many = bench.wrong(&["plan", "mine.toml", "--part", "many", "--tail", "5"]);
    assert!(many.contains("--tail 5: in the study \"mine\" no capacity"), "{many}");
    let carried = bench.wrong(&["plan", "mine.toml", "--part", "carried", "--sessions", "5"]);
    assert!(carried.contains("no session regime is left to measure"), "{carried}");
    let resumed = bench.wrong(&["run", "--resume", "last", "--sessions", "5"]);
    assert!(resumed.contains("cannot be used with"), "{resumed}");
}

#[test]
fn parts_are_taken_by_name_and_sessions_by_number() {
    let bench = bench();
    let one = cells(&bench.plan(&["--part", "one"]));
    assert_eq!(one, ["single/prepared/64"]);
    let of_seven = cells(&bench.plan(&["--part", "many", "--sessions", "7", "--size", "64"]));
    let mut expected = vec!["sessions-7-on-all-apparent/prepared/64"];
    if processors() > 1 {
        expected.extend([
            "sessions-7-on-1-absolute/prepared/64",
            "sessions-7-on-1-apparent/prepared/64",
        ]);
    }
    for name in expected {
        assert!(of_seven.iter().any(|cell| cell == name), "{name}: {of_seven:?}");
    }
    assert!(of_seven.iter().all(|cell| !cell.contains("-10-")), "{of_seven:?}");
    let mixed = cells(&bench.plan(&["--part", "many,carried", "--mix", "64:7,576:4,1500:1"]));
    assert!(!mixed.is_empty() && mixed.iter().all(|cell| cell.ends_with("/354")), "{mixed:?}");
    // The capacity is sought in sessions, whose number no option sets.
    let both = cells(&bench.plan(&["--part", "carried,many", "--sessions", "7"]));
    assert!(both.contains(&"pooled-on-all-capacity/prepared/64".to_owned()), "{both:?}");
}

#[test]
fn sessions_can_be_asked_of_any_study() {
    let bench = bench();
    let only = ["--mac", "hmac-sha256", "--size", "1024", "--provider", "macs"];
    let life = ["--key-life", "prepared", "--format", "json"];
    let plan = |regimes: &str| {
        let start = ["plan", "survey", "--regime", regimes];
        let text = bench.right(&[&start[..], &only, &life].concat());
        cells(&serde_json::from_str(&text).unwrap())
    };
    let window = ["sessions-100-on-all-absolute", "sessions-100-on-all-apparent"];
    let window = window.map(|regime| format!("{regime}/prepared/1024"));
    assert_eq!(plan("sessions-100-on-all"), window);
    assert_eq!(plan("sessions-100,sessions-100-on-all-absolute"), window);
    assert_eq!(plan("keys-1000,latency").len(), 2);
}

#[test]
fn the_study_is_listed_and_its_plan_names_its_parts() {
    let bench = bench();
    assert!(bench.right(&["list", "studies"]).contains("apparent-processing"));
    let plan = bench.right(&["plan", "apparent-processing"]);
    for part in ["functions", "cores", "vmac-cores", "n", "keys", "new-key", "servers", "capacity"]
    {
        assert!(plan.lines().any(|line| line.starts_with(&format!("{part} "))), "{part}: {plan}");
    }
    let plan = bench.right(&["plan", "apparent-processing", "--cells"]);
    for mac in
        ["hmac-md5", "cmac-twofish-128", "cmac-serpent-128", "cmac-rc6-128", "vmac128-aes-128"]
    {
        for provider in ["macs", "macs[soft]"] {
            assert!(plan.contains(&format!("\n{mac}/{provider}/")), "{mac} {provider}");
        }
    }
    // Processors that are not there are left out, and what is the same is measured once.
    for beyond in [1, 2, 4, 8, 16, 32, 64].into_iter().filter(|&n| n >= processors()) {
        let name = format!("/sessions-100-on-{beyond}-");
        let own = plan.lines().filter(|line| line.contains(&name));
        // `vmac-cores` has one processor and all; `cores` has all of them.
        assert_eq!(own.count(), 0, "{name}");
    }
    assert!(plan.contains("/keys-1000000/") && plan.contains("/batched-on-all-capacity/"));
}

#[test]
fn doctor_shows_the_processors_and_what_fits() {
    let told = bench().right(&["doctor"]);
    for line in ["topology ", "siblings ", "sessions     on processors ", "threads ", "memory "] {
        assert!(told.contains(&format!("\n{line}")), "{line}: {told}");
    }
}

#[test]
fn a_run_of_sessions_ends_with_a_table_and_can_be_told_again() {
    let bench = bench();
    let options = ["--part", "many", "--sessions", "6", "--cores", "no-siblings", "--verify"];
    let told = bench.right(&[&["run", "mine.toml", "--budget", "6"], &options[..]].concat());
    assert!(told.contains("hmac-sha256"), "{told}");
    assert!(bench.count("sessions") > 0 && bench.count("load") > 0);
    let page = bench.right(&["report", "--format", "html"]);
    // In the order of the help, and as a shell takes it.
    let again = "mine.toml --part many --cores no-siblings --sessions 6 --verify";
    assert!(page.contains(again), "{page}");
}

#[test]
fn an_interrupted_run_goes_on_later() {
    let bench = bench();
    let (child, _) = bench.started(LONG);
    bench.interrupt(child);
    bench.resumes();
}

#[test]
fn a_killed_run_goes_on_later() {
    let bench = bench();
    let (mut child, _) = bench.started(LONG);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(bench.state(), "open");
    assert!(bench.right(&["report", "last"]).contains("hmac-sha256"));
    bench.resumes();
}

#[test]
fn ten_thousand_sessions_run_to_their_end() {
    let bench = bench();
    let load = ["--part", "many", "--sessions", "10000", "--size", "64", "--provider", "macs"];
    let told = bench
        .right(&[&["run", "mine.toml", "--launches", "1", "--budget", "1"], &load[..]].concat());
    assert!(told.contains("hmac-sha256"), "{told}");
    assert!(bench.count("sessions") > 0, "{told}");
    assert_eq!(bench.state(), "complete");
}

#[test]
fn more_sessions_than_the_machine_carries_are_refused_before_anything_starts() {
    let bench = bench();
    for count in ["1000000", "2000000"] {
        let options = ["--part", "many", "--budget", "1", "--launches", "1"];
        let run = [&["run", "mine.toml", "--sessions", count], &options[..]].concat();
        let error = bench.wrong(&run);
        assert!(error.contains(count), "{error}");
        let runs = bench.output(&["list", "runs"]);
        assert!(!String::from_utf8_lossy(&runs.stdout).contains("mine"), "{runs:?}");
    }
}
