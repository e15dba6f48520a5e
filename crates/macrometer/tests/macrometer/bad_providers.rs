//! Providers with planted faults beside sound ones: each is named, none stops the others, and what
//! was measured is kept.

use std::process::Command;

use serde_json::Value;

use crate::bench::Bench;

/// More calls of the library than finding it and proving its tags take.
const IN_THE_MIDDLE: i64 = 30_000;

/// At the tag of a published case, and not before.
const AT_A_VECTOR: i64 = -1;

impl Bench {
    /// A libcrypto that goes wrong after so many calls, as `--lib` takes it; `None`, and a line,
    /// where it cannot be made here.
    fn bad_library(&self, name: &str, fault: &str, after: i64, more: &[&str]) -> Option<String> {
        let defines = [&format!("-DFAULT={fault}"), &*format!("-DAFTER={after}")];
        let library = self.changed_libcrypto(name, "bad_library.c", &[&defines, more].concat())?;
        Some(format!("openssl-{name}={}", library.display()))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A short run in which `lib` takes part; what it printed on both streams, and the kept findings.
fn run_with(bench: &Bench, lib: &str) -> (String, Value) {
    let measured = bench.output(&[
        "run",
        "--mac",
        "hmac-sha256,cmac-aes-128",
        "--size",
        "64",
        "--launches",
        "2",
        "--provider",
        "macs,rustcrypto,null,openssl-*",
        "--lib",
        lib,
        "--budget",
        "12",
        "--patience",
        "2",
    ]);
    let said = text(&measured.stdout) + &text(&measured.stderr);
    assert_eq!(measured.status.code(), Some(0), "{said}");
    let told = bench.right(&["report", "last", "--format", "json"]);
    (said, serde_json::from_str(&told).unwrap())
}

/// Every cell of the sound providers was measured, and the others are not in the ranking.
fn sound_ones_are_ranked(findings: &Value, bad: &str) {
    let ranked = findings.to_string();
    for provider in ["macs", "rustcrypto"] {
        for mac in ["hmac-sha256", "cmac-aes-128"] {
            for life in ["prepared", "new-key"] {
                let found = ranked.match_indices(&format!("{mac}/{provider}/")).any(|(at, _)| {
                    ranked[at..].chars().take(80).collect::<String>().contains(life)
                });
                assert!(found, "{mac}/{provider}/{life} beside {bad}");
            }
        }
    }
}

#[test]
fn one_that_crashes_hangs_or_lies_in_the_middle_is_dropped_and_named() {
    let bench = Bench::new();
    for (fault, told) in [
        ("crash", "openssl-crash is dropped from the run: died at `run"),
        ("hang", "openssl-hang is dropped from the run: hangs: no answer to `run"),
        ("lie", "its tags differ"),
    ] {
        let Some(lib) = bench.bad_library(fault, fault, IN_THE_MIDDLE, &[]) else { return };
        let (said, findings) = run_with(&bench, &lib);
        let unfolded: Vec<&str> = said.split_whitespace().collect();
        assert!(unfolded.join(" ").contains(told), "{fault}: {said}");
        assert!(said.contains(&format!("openssl-{fault}")), "{said}");
        sound_ones_are_ranked(&findings, fault);
    }
}

#[test]
fn one_that_is_wrong_from_the_beginning_is_not_there_and_says_why() {
    let bench = Bench::new();
    let Some(liar) = bench.bad_library("liar", "lie", 0, &[]) else { return };
    let (said, findings) = run_with(&bench, &liar);
    let unfolded = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["openssl-liar", "left out for wrong tags"] {
        assert!(unfolded.contains(words), "{said}");
    }
    sound_ones_are_ranked(&findings, &liar);

    // What was asked for by its place and cannot be asked anything is an error before measuring.
    let at_load = bench.bad_library("unloadable", "crash", 0, &["-DAT_LOAD"]).unwrap();
    for (lib, words) in [
        (&at_load[..], ["openssl-unloadable", "died at `info`: signal: 11"]),
        ("openssl-missing=/no/such/libcrypto.so", ["openssl-missing", "/no/such/libcrypto.so"]),
    ] {
        let error = bench.wrong(&["run", "--provider", "macs,openssl-*", "--lib", lib]);
        assert!(words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
    }
}

#[test]
fn one_that_refuses_short_keys_by_some_calls_is_told_by_its_calls() {
    let bench = Bench::new();
    let never = IN_THE_MIDDLE * 1000;
    let Some(lib) = bench.bad_library("strict", "lie", never, &["-DSTRICT"]) else { return };
    let policy = ["selftest", "--policy", "nist-2031", "--provider", "openssl-*", "--lib", &lib];
    let told: Value =
        serde_json::from_str(&bench.right(&[&policy[..], &["--json"]].concat())).unwrap();
    let answers = told["providers"][0]["answers"].as_array().unwrap();
    let short = |life: &str| {
        answers.iter().find(|it| {
            it["question"] == "short-key" && it["mac"] == "hmac-sha256" && it["key_life"] == life
        })
    };
    let new_key = short("new-key").unwrap();
    assert_eq!(new_key["computed_bits"], serde_json::json!([112, 120]), "{new_key}");
    assert_eq!(new_key["refused_bits"][12], 104, "{new_key}");
    let text = bench.right(&policy);
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("8 to 104 bits refused (EVP_MAC_init failed)"), "{text}");
}

#[test]
fn the_self_test_fails_on_a_bad_one_and_goes_on_with_the_others() {
    let bench = Bench::new();
    for (fault, told) in [("crash", "signal: 11"), ("hang", "no answer"), ("lie", "instead of")] {
        let Some(lib) = bench.bad_library(fault, fault, AT_A_VECTOR, &[]) else { return };
        let tested = bench.output(&[
            "selftest",
            "--provider",
            "macs,openssl-*",
            "--lib",
            &lib,
            "--patience",
            "2",
        ]);
        let said = text(&tested.stdout);
        assert_eq!(tested.status.code(), Some(1), "{fault}: {said}{}", text(&tested.stderr));
        let line =
            said.lines().find(|line| line.starts_with("FAILED: openssl-") && line.contains(told));
        assert!(line.is_some(), "{fault}: {said}");
        let ours = said.lines().find(|line| line.trim_start().starts_with("macs")).unwrap();
        let failed = ours.split_whitespace().nth(4).unwrap();
        assert_eq!(failed, "0", "{ours}");
    }
}

/// Whoever opens a pipe waits for who writes to it: nothing is started that would.
#[test]
fn what_is_no_file_is_no_library() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(bench.path("fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("fifo", bench.path("link.so")).unwrap();
    for (path, said) in [
        ("./fifo", "--lib openssl=./fifo: a pipe, must be a file"),
        ("./link.so", "--lib openssl=./link.so: a pipe, must be a file"),
        ("./folder", "--lib openssl=./folder: a folder, must be a file"),
        ("/dev/zero", "--lib openssl=/dev/zero: a device, must be a file"),
        ("", "--lib openssl=: needs a path"),
    ] {
        let lib = format!("openssl={path}");
        let line = bench.wrong(&["plan", "--provider", "openssl", "--lib", &lib]);
        assert!(line.contains(said), "{line}");
    }
    let error = bench.wrong(&["gate", "--base", "openssl=./fifo", "--new", "macs"]);
    assert!(error.contains("--base: ./fifo: a pipe, must be a file"), "{error}");
}

/// What is installed and does not work is told with its reason; only what is not there is merely
/// listed.
#[test]
fn what_does_not_work_is_told_apart_from_what_is_not_installed() {
    let bench = Bench::new();
    bench.script("programs/go", "#!/bin/sh\necho go1.2; echo /nowhere\n");
    let programs = bench.path("programs");
    let plan = ["plan", "--mac", "hmac-sha256", "--size", "64"];
    let ended = bench.command(&plan).env("PATH", &programs).output().unwrap();
    let said = text(&ended.stdout) + &text(&ended.stderr);
    let line = |word: &str| said.lines().find(|line| line.contains(word)).unwrap_or_default();
    assert!(line("not found").contains("java") && !line("not found").contains("go"), "{said}");
    assert!(line("left out").contains("go: ") && said.contains("not go1.2"), "{said}");
}
