//! `compare` on files of other benchmark programs.

use std::process::Command;

use crate::bench::Bench;

/// Eight repetitions of a benchmark.
fn repetitions(ns: f64) -> String {
    (0..8).map(|at| format!("BenchmarkA 100 {} ns/op\n", ns + 0.01 * f64::from(at))).collect()
}

#[test]
fn files_are_named_and_may_be_pipes() {
    let bench = Bench::new();
    bench.write("old.txt", repetitions(100.0));
    bench.write("new.txt", repetitions(150.0) + "BenchmarkB 100 7 B/op\n");
    let text = bench.right(&["compare", "old.txt", "new.txt", "--margin", "2%"]);
    assert!(text.starts_with("1 of 1 benchmarks is slower"), "{text}");
    assert!(text.contains("\nold.txt → new.txt (Go's benchmark format)\n"), "{text}");
    assert!(text.contains("\nWhat cannot be compared, after (1)\n"), "{text}");
    let told = bench.json(&["compare", "old.txt", "new.txt"]);
    assert_eq!(told["before"], "old.txt");
    assert_eq!(told["after"], "new.txt");
    let line =
        format!("exec {} compare <(cat old.txt) <(cat new.txt)", env!("CARGO_BIN_EXE_macrometer"));
    let mut shell = Command::new("bash");
    shell.args(["-c", &line]).env("XDG_DATA_HOME", bench.folder()).current_dir(bench.folder());
    let piped = shell.output().unwrap();
    assert!(piped.status.success(), "{piped:?}");
    assert!(String::from_utf8_lossy(&piped.stdout).starts_with("1 of 1 benchmarks is slower"));
}

#[test]
fn a_mistyped_file_is_no_run_and_files_are_of_no_archive() {
    let bench = Bench::new();
    bench.write("old.txt", repetitions(100.0));
    for (arguments, told) in [
        (&["old.txt", "nwe.txt"][..], "old.txt is a file and nwe.txt is not"),
        (&["odl.txt", "nwe.txt"], "odl.txt is neither a file nor a run in "),
        (&["last", "odl/new"], "odl/new is neither a file nor a run in "),
        (&["old.txt", "old.txt", "--archive", "a.db"], "--archive: old.txt and old.txt are files"),
        (&["old.txt", "old.txt", "--other-archive", "a.db"], "--other-archive: old.txt and "),
        (&["old.txt", "old.txt", "--margin", "1"], "must be a percentage with its sign"),
    ] {
        let error = bench.wrong(&[&["compare"], arguments].concat());
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    assert!(bench.wrong(&["compare", "last", "last"]).contains("no archive here yet"));
}
