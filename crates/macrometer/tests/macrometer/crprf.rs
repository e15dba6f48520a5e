//! The options and the CSV of CRPRF, the program of KHC's authors.

use serde_json::Value;

use crate::bench::Bench;

/// Two parts, one of them with a range of lengths.
const STUDY: &str = r#"
name = "mine"
title = "Mine"
summary = "KHC in small."
budget_s = 8
launches = 2
[[panels]]
name = "macs"
title = "macs"
providers = ["macs"]
[[parts]]
name = "range"
title = "A range"
size_range = { from = 16, to = 32, step = 16 }
key_lives = ["new-key"]
views = ["stacked", "work"]
[[parts.cases]]
name = "all"
title = "All"
macs = [
    "hmac-sha256", "khc1-sha256", "khc2-sha256",
    "null-hmac-sha256", "null-khc1-sha256", "null-khc2-sha256",
]
[[parts]]
name = "sizes"
title = "Sizes"
sizes = [48]
key_lives = ["prepared"]
[[parts.cases]]
name = "all"
title = "All"
macs = ["khc1-sha256"]
"#;

fn bench() -> Bench {
    Bench::with(&[("mine.toml", STUDY)])
}

#[test]
fn the_authors_options_set_lengths_and_calls_and_their_csv_comes_out() {
    let bench = bench();
    let options = ["--maxMessageByteLength=64", "--stepByte=32", "--repeatCount=9"];
    bench.right(&[&["run", "mine.toml"], &options[..]].concat());
    bench.right(&["report", "last", "--format", "files", "--out", "out"]);
    let table = bench.right(&["report", "last", "--format", "crprf"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "Bytes , OpenSSL-HMAC , HMAC , KHC1 , KHC2");
    for (line, len) in lines[1..].iter().zip([0, 32, 64]) {
        // Nobody asked for OpenSSL.
        let rest = line.strip_prefix(&format!("{len} ,, ")).expect(line);
        let ticks: Vec<u64> = rest.split(" , ").map(|it| it.parse().expect(line)).collect();
        assert!(ticks.len() == 3 && ticks.iter().all(|&ticks| ticks > 0), "{line}");
    }
    assert_eq!(lines.len(), 4);
    assert_eq!(std::fs::read_to_string(bench.path("out/crprf.csv")).unwrap(), table);
    for name in ["crprf_moc", "crprf_moc_sha256cf"] {
        let file = std::fs::read_to_string(bench.path(format!("out/{name}.csv"))).unwrap();
        assert_eq!(bench.right(&["report", "last", "--format", name]), file);
        assert!(!file.contains(" 0 ,") && file.starts_with("Bytes , "), "{file}");
    }

    let found: Value = serde_json::from_str(&bench.right(&["report", "--format", "json"])).unwrap();
    for cell in found["cells"].as_array().unwrap().iter().filter(|cell| cell["part"] == 0) {
        assert_eq!(cell["single"]["calls"], 9, "{cell}");
    }
    let page = bench.right(&["report", "--format", "html"]);
    let again = "macrometer run mine.toml --maxMessageByteLength 64 --stepByte 32 --repeatCount 9";
    assert!(page.contains(again));
}

#[test]
fn the_authors_options_are_refused_where_they_mean_nothing() {
    let bench = bench();
    let wrong = |options: &[&str]| bench.wrong(&[&["plan", "mine.toml"], options].concat());
    assert!(wrong(&["--repeatCount", "128"]).contains("--repeatCount 128: must be odd"));
    assert!(wrong(&["--repeatCount", "0"]).contains("must be odd"));
    assert!(wrong(&["--stepByte", "0"]).contains("--stepByte 0: must be at least 1"));
    let long = wrong(&["--maxMessageByteLength", "16777217"]);
    assert!(long.contains("must be at most 16777216"), "{long}");
    let many = wrong(&["--maxMessageByteLength", "1000000", "--stepByte", "1"]);
    assert!(many.contains("at most 10000 steps"), "{many}");
    assert!(wrong(&["--size", "32", "--stepByte", "16"]).contains("cannot be used with"));
    let survey = bench.wrong(&["plan", "survey", "--stepByte", "16"]);
    assert!(survey.contains("\"survey\" has a size_range"), "{survey}");

    let plan = bench.right(&["plan", "mine.toml", "--stepByte", "8", "--format", "json"]);
    for len in ["/16\"", "/24\"", "/32\"", "/48\""] {
        assert!(plan.contains(len), "{len}: {plan}");
    }
}

#[test]
fn a_run_without_calls_taken_apart_has_no_csv_of_theirs() {
    let bench = bench();
    let small = ["--mac", "khc1-sha256", "--size", "16", "--launches", "1", "--budget", "1"];
    let only = ["--provider", "macs", "--key-life", "prepared"];
    bench.right(&[&["run", "survey"], &small[..], &only[..]].concat());
    bench.right(&["report", "last", "--format", "files", "--out", "out"]);
    assert!(bench.path("out/findings.csv").exists());
    assert!(!bench.path("out/crprf.csv").exists());
    let error = bench.wrong(&["report", "last", "--format", "crprf"]);
    assert!(error.contains("no call breakdown"), "{error}");
}
