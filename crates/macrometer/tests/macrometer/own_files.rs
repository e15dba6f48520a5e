//! The user's own files in transactions: their names are kept, their contents are not.

use std::path::Path;

use crate::bench::Bench;

/// What both files hold, and no archive may.
const MARKER: &[u8] = b"what-is-in-my-letter";

/// A study of the user's own, with segments of other than the usual length.
const STUDY: &str = r#"
name = "own"
title = "My files"
summary = "How long do my files take in datagrams?"
budget_s = 6
launches = 2
[[panels]]
name = "macs"
title = "Our own"
providers = ["macs"]
[[parts]]
name = "memory"
title = "In memory"
sizes = [64]
block_len_bytes = 100
views = ["transactions"]
blocks = 2
key_lives = ["prepared"]
regimes = ["segments-memory-splitting", "segments-memory-transaction"]
[[parts.cases]]
name = "eax"
title = "EAX"
macs = ["eax-aes-128-es", "eax-aes-128-se"]
"#;

fn bench() -> Bench {
    let bench = Bench::with(&[("study.toml", STUDY)]);
    bench.write("letter.txt", MARKER.repeat(5));
    bench.write("long letter.txt", MARKER.repeat(20));
    bench
}

/// All bytes below a folder, but those of the files named.
fn holds_marker(path: &Path, but: &[&str]) -> bool {
    if path.is_dir() {
        let mut entries = std::fs::read_dir(path).unwrap();
        return entries.any(|entry| holds_marker(&entry.unwrap().path(), but));
    }
    let is_own = but.iter().any(|name| path.ends_with(name));
    let bytes = std::fs::read(path).unwrap();
    // In hexadecimal too, as it goes to the workers.
    let hexed: String = MARKER.iter().map(|byte| format!("{byte:02x}")).collect();
    let holds = |what: &[u8]| bytes.windows(what.len()).any(|window| window == what);
    !is_own && (holds(MARKER) || holds(hexed.as_bytes()))
}

#[test]
fn files_are_sent_and_named_and_their_contents_stay_where_they_are() {
    let bench = bench();
    let folder = bench.path("letter.txt").display().to_string();
    let files = ["--file", &folder, "--file", "long letter.txt"];
    bench.right(&[&["run", "study.toml", "--cpu", "none"][..], &files].concat());
    let log = bench.right(&["report", "last", "--format", "log"]);
    let mut rows: Vec<Vec<&str>> = log.lines().map(|line| line.split(',').collect()).collect();
    rows.remove(0);
    assert_eq!(rows.len(), 16, "2 schemes × 2 files × 2 blocks × 2 actions: {log}");
    for row in &rows {
        // A sealed file has 32 bytes more: nonce and tag.
        let (len, pieces) = match row[1] {
            "letter.txt" => ("100", if row[8].ends_with("-es") { "2" } else { "1" }),
            "long letter.txt" => ("400", if row[8].ends_with("-es") { "5" } else { "4" }),
            other => panic!("{other:?} was not given: {log}"),
        };
        assert_eq!((row[3], row[4], row[5]), (len, "100", pieces), "{row:?}");
    }
    assert!(!holds_marker(bench.folder(), &["letter.txt", "long letter.txt"]));
    let kept = std::fs::read(bench.archive()).unwrap();
    let place = bench.folder().display().to_string() + "/letter.txt";
    assert!(!kept.windows(place.len()).any(|window| window == place.as_bytes()));

    let budget = bench.longer_by(7.0);
    let more = ["run", "--resume", "last", "--budget", &budget, "--cpu", "none"];
    let missing = bench.wrong(&more);
    let told = "give them again by --file: letter.txt (100 bytes), long letter.txt (400 bytes)";
    assert!(missing.contains(told), "{missing}");
    let one = bench.wrong(&[&more[..], &["--file", "letter.txt"]].concat());
    assert!(one.contains("and not letter.txt (100 bytes)"), "{one}");
    bench.right(&[&more[..], &files].concat());
}

#[test]
fn a_plan_has_the_lengths_of_the_files() {
    let bench = bench();
    let files = ["--file", "letter.txt", "--file", "long letter.txt"];
    let plan = bench.right(&[&["plan", "sms", "--format", "json"][..], &files].concat());
    assert!(plan.contains("segments-memory-splitting/prepared/400\""), "{plan}");
    assert!(!plan.contains("/1024\""), "{plan}");
}

#[test]
fn files_that_cannot_be_sent_get_one_line_before_anything_starts() {
    let bench = bench();
    bench.write("same.txt", [0; 100]);
    bench.write("large", "");
    std::fs::File::options()
        .write(true)
        .open(bench.path("large"))
        .unwrap()
        .set_len(1 << 25)
        .unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&["--file", "letter.txt", "--file", "same.txt"], "both have 100 bytes"),
        (&["--file", "nowhere.txt"], "--file nowhere.txt: No such file"),
        (&["--file", "."], "--file .: not a file"),
        (&["--file", "/dev/zero"], "--file /dev/zero: not a file"),
        (&["--file", "large"], "--file large: more than 16777216 bytes"),
        (&["--file", "letter.txt", "--size", "5"], "cannot be used with"),
    ];
    for (arguments, reason) in cases {
        let error = bench.wrong(&[&["run", "study.toml"], arguments].concat());
        assert!(error.contains(reason), "{arguments:?}: {error}");
    }
    let error = bench.wrong(&["run", "khc", "--file", "letter.txt"]);
    assert!(error.contains("regimes of segments, as `sms` has"), "{error}");
    assert!(!bench.archive().exists());
}
