//! Instructions that are left out, as a user asks for it.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use serde_json::Value;

use crate::bench::Bench;

/// A run of a few seconds.
const SHORT: [&str; 12] = [
    "run",
    "survey",
    "--provider",
    "macs,null",
    "--mac",
    "hmac-sha256,cmac-aes-128",
    "--size",
    "64",
    "--launches",
    "2",
    "--blocks",
    "8",
];

/// Whether this processor has what the test leaves out; says so where not.
fn has(name: &str) -> bool {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let has = cpuinfo.split_whitespace().any(|flag| flag == name);
    if !has {
        println!("skipped: this processor has no {name}");
    }
    has
}

fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    arguments.iter().chain(more).copied().collect()
}

#[test]
fn what_is_not_known_or_cannot_be_is_one_line() {
    let bench = Bench::new();
    for verb in ["run", "plan", "selftest"] {
        let error = bench.wrong(&[verb, "--without", "avx512,avx1024"]);
        assert!(error.contains("\"avx1024\" to leave out: must be among avx512, vaes, sha"));
    }
    let error = bench.wrong(&["list", "macs", "--bounds", "--tier", "zen"]);
    assert!(error.contains("must be one of avx512, avx2+vaes+sha, avx2"), "{error}");
    bench.wrong(&["plan", "--tier", "avx2", "--without", "sha"]);
    bench.wrong(&["run", "--resume", "last", "--without", "sha"]);
    assert!(bench.wrong(&["list", "providers", "--without", "sha"]).contains("--bounds"));
    if has("sha_ni") {
        let error = bench.wrong(&["plan", "--without", "sha", "--provider", "macs[sha-ni]"]);
        assert!(error.contains("macs[sha-ni]: it needs sha, which the run leaves out"), "{error}");
        let error = bench.wrong(&["plan", "--without", "sha", "--provider", "af-alg"]);
        assert!(
            error.contains("af-alg: cannot do without these instructions: the Linux kernel"),
            "{error}"
        );
    }
}

#[test]
fn a_run_keeps_what_was_left_out_and_is_not_mixed_with_others() {
    if !has("sha_ni") {
        return;
    }
    let bench = Bench::new();
    let whole: Value =
        serde_json::from_str(&bench.right(&with(&SHORT, &["--format", "json"]))).unwrap();
    assert!(whole["without"].is_null());
    let held = with(&SHORT, &["--without", "sha", "--seed", "1"]);
    let text = bench.right(&held);
    // Behind the processor's name, wherever the line is folded.
    let head: Vec<&str> = text.split_whitespace().take(60).collect();
    assert!(head.join(" ").contains("· without SHA instructions"), "{text}");
    assert!(!text.contains("sha-ni"), "{text}");
    let report = |format: &str| bench.right(&["report", "last", "--format", format]);
    let told: Value = serde_json::from_str(&report("json")).unwrap();
    assert_eq!(told["without"], serde_json::json!(["sha"]));
    assert!(report("html").contains("<b>without SHA instructions</b>"));
    let sql = "SELECT record FROM run ORDER BY rowid DESC";
    let record: String = bench.kept().query_row(sql, [], |row| row.get(0)).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["machine"]["without"], serde_json::json!(["sha"]));
    assert!(record["command"].as_str().unwrap().contains(" --without sha --seed 1"));

    let runs: Value = serde_json::from_str(&bench.right(&["list", "runs", "--format", "json"]))
        .expect("a list of two");
    let ids: Vec<_> =
        runs.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    let compared = bench.right(&["compare", ids[0], ids[1]]);
    assert!(compared.contains("but not with the same instructions"), "{compared}");
    // Whether the runs agree, its exit code, depends on what else the machine does.
    let consistency = bench.output(&["doctor", "--consistency"]).stdout;
    let consistency = String::from_utf8(consistency).unwrap();
    assert!(consistency.contains("2 machines"), "{consistency}");
    // What is foretold is made of a run with the same instructions, or of none.
    let plan = |more: &[&str]| bench.right(&with(&["plan", "survey", "--provider", "macs"], more));
    assert!(plan(&["--without", "sha"]).contains(record["id"].as_str().unwrap()));
    // What this processor lacks anyway is not left out, and makes no difference.
    if has("vaes") {
        let untold = plan(&["--without", "vaes"]);
        assert!(!untold.contains("run 20"), "none was made so: {untold}");
    }
}

/// By the code paths that every provider says it takes, which its own sources decide.
#[test]
fn everybody_is_held_and_still_right() {
    let bench = Bench::new();
    let plan = bench.right(&["plan", "kernels", "--tier", "avx2", "--format", "csv"]);
    let left_out = ["vaes", "avx512", "sha-ni", "sha512-ni", "ifma", "vpclmul"];
    let cells: Vec<&str> = plan.lines().filter(|line| line.contains("-aes-")).collect();
    assert!(cells.len() > 20, "{plan}");
    for kernel in left_out {
        let found = plan.lines().find(|line| line.contains(&format!(",{kernel}")));
        assert_eq!(found, None, "{kernel}");
    }
    let output = bench.output(&["selftest", "--tier", "avx2", "--random", "4", "--seed", "1"]);
    let (text, error) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{text}{error}");
    assert!(text.contains("passed, 0 failed"), "{text}");
    if has("avx512f") {
        assert!(
            error.contains("left out: af-alg: cannot do without these instructions"),
            "{error}"
        );
    }
}

#[test]
fn bounds_are_of_what_is_left() {
    if !has("sha_ni") {
        return;
    }
    let bench = Bench::new();
    let row = |more: &[&str]| -> Value {
        let all = ["list", "macs", "--bounds", "--mac", "hmac-sha256", "--format", "json"];
        let rows: Value = serde_json::from_str(&bench.right(&with(&all, more))).unwrap();
        rows[0].clone()
    };
    let (whole, held) = (row(&[]), row(&["--tier", "avx2"]));
    assert_eq!(whole["kernel"], "sha-ni");
    assert!(whole["bound_cycles_per_byte"].is_number());
    assert!(held["bound_cycles_per_byte"].is_null(), "{held}");
    assert_ne!(held["kernel"], "sha-ni");
}
