//! Claims of a user's own study: tested by a run, listed with their verdicts, refused when they
//! make no sense.

use serde_json::Value;

use crate::bench::Bench;

const STUDY: &str = r#"
    name = "mine"
    title = "Claims of every kind"
    summary = "Small."
    budget_s = 8
    launches = 2
    [[panels]]
    name = "own"
    title = "Our own"
    providers = ["macs"]
    [[parts]]
    name = "p"
    title = "P"
    sizes = [16, 4096]
    key_lives = ["prepared"]
    regimes = ["single", "latency"]
    [[parts.cases]]
    name = "c"
    title = "C"
    macs = ["siphash-2-4", "hmac-sha256", "hmac-sha512"]
"#;

/// Of each claim its name and what it says; none depends on how fast this machine is.
const CLAIMS: [(&str, &str); 10] = [
    ("order", "ordering = \"hmac-sha512 < siphash-2-4\"\nsizes = { to = 16 }"),
    ("faster", "faster = [\"hmac-*\"]\nthan = [\"siphash-*\"]\nsizes = { to = 16 }"),
    ("falling", "falling = [\"hmac-*\"]"),
    ("ratio", "ratio = { slower = \"*-sha512\", faster = \"*-sha256\", least = 1e4, most = 1e5 }"),
    ("proportional", "proportional = [\"hmac-*\"]\nmargin = 0.25"),
    (
        "crossover",
        "crossover = { below = \"hmac-sha512\", above = \"siphash-2-4\", \
                   from = 16, to = 4096 }",
    ),
    ("contrast", "contrast = { regime = \"latency\", to = \"single\", least = 1e3 }"),
    ("reordered", "reordered = [\"*\"]\npanels = [\"own\"]"),
    ("same-trend", "same_trend = [\"*\"]"),
    ("argument", "argument = \"It is a definition.\""),
];

fn study() -> String {
    let claim = |(id, says): (&str, &str)| {
        format!(
            "[[claims]]\nid = \"{id}\"\ntext = \"So says {id}.\"\nsource = \"page 1\"\n\
                 part = \"p\"\n{says}\n"
        )
    };
    format!("{STUDY}\n{}", CLAIMS.map(claim).concat())
}

fn bench() -> Bench {
    Bench::with(&[("mine.toml", &study())])
}

impl Bench {
    /// The last verdict of each claim, by its name.
    fn verdict(&self, id: &str) -> Value {
        let text = self.right(&["claims", "mine.toml", "--format", "json"]);
        let document: Value = serde_json::from_str(&text).unwrap();
        let claims = document["studies"][0]["claims"].as_array().unwrap();
        claims.iter().find(|claim| claim["id"] == id).unwrap()["panels"][0].clone()
    }
}

#[test]
fn claims_are_listed_before_and_after_a_run() {
    let bench = bench();
    let before = bench.right(&["claims"]);
    assert!(before.contains("not run yet: `macrometer run hmac-vs-cmac`"), "{before}");
    assert!(!before.contains("mine"), "nobody has run it");
    assert!(bench.verdict("order").is_null());

    bench.right(&["run", "mine.toml"]);
    let table = bench.right(&["claims", "mine.toml"]);
    let line = |id: &str| table.lines().find(|line| line.starts_with(id)).unwrap();
    assert!(line("order").ends_with("confirmed") && line("faster").ends_with("refuted"));
    assert!(line("falling").ends_with("confirmed") && line("ratio").ends_with("refuted"));
    assert!(line("crossover").contains("ed") && line("proportional").contains("ed"));
    assert!(line("contrast").ends_with("refuted") && line("reordered").contains("ed"));
    assert!(line("same-trend").ends_with("not decided here"), "one machine does not tell");
    assert!(line("argument").ends_with("not decided here"), "nothing is measured for it");
    assert!(table.contains("UTC (`macrometer run mine.toml"), "{table}");
    let details = bench.right(&["claims", "mine.toml", "--details"]);
    assert!(details.contains("own: refuted: hmac-sha512 takes ") && details.contains("decided by"));
    assert!(details.contains("it is decided between runs of two machines"), "{details}");
    let compared = bench.right(&["compare", "last", "last"]);
    assert!(compared.contains("Both runs are of the same machine"), "{compared}");
    assert!(compared.contains("So says same-trend.") && compared.contains("── Trends"));
    let falling = bench.verdict("falling");
    assert_eq!(falling["effect"]["quantity"], "time-per-byte");
    assert!(falling["effect"]["slower"].as_str().unwrap().starts_with("hmac-sha"));
    assert!(bench.right(&["claims"]).contains("mine: Claims of every kind"), "it was run");

    // A claim that says something else has not been tested yet, and neither has any elsewhere.
    bench.write("mine.toml", study().replace("falling = [\"hmac-*\"]", "falling = [\"*\"]"));
    assert!(bench.verdict("falling").is_null() && !bench.verdict("order").is_null());
    let sql = "UPDATE run SET record = json_set(record, '$.machine.cpu_model', 'another')";
    bench
        .kept()
        .execute_batch(&format!("{sql}; DROP TABLE seal; PRAGMA user_version = 0"))
        .unwrap();
    assert!(bench.verdict("order").is_null());
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_with_fewer_processors_is_on_the_same_machine() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let bench = bench();
    bench.right(&["run", "mine.toml"]);
    let whole = bench.right(&["claims", "mine.toml", "--format", "json"]);
    let allowed = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).unwrap();
    let mut one = CpuSet::new();
    one.set(first);
    // Of this thread only, and what it starts.
    sched_setaffinity(None, &one).unwrap();
    assert_eq!(bench.right(&["claims", "mine.toml", "--format", "json"]), whole);
}

#[test]
fn nonsense_is_one_line_and_exit_code_2() {
    let bench = bench();
    assert!(bench.wrong(&["claims", "no-such-study"]).contains("unknown study \"no-such-study\""));
    assert!(bench.wrong(&["claims", "absent.toml"]).contains("absent.toml: "));
    assert!(bench.wrong(&["claims", "survey"]).contains("makes no claim"));
    bench.write("mine.toml", study().replace("least = 1e4", "least = 1e6"));
    let error = bench.wrong(&["claims", "mine.toml"]);
    assert!(error.contains("mine.toml: claim \"ratio\": ratio from 1000000 to 100000"), "{error}");
    assert_eq!(bench.wrong(&["run", "mine.toml"]), error, "before anything is measured");
    std::fs::create_dir(bench.path("macrometer")).unwrap();
    bench.write(bench.archive(), "no archive, but long enough to be one");
    assert!(bench.wrong(&["claims"]).contains("not a macrometer archive"));
}
