//! Folders that cannot be had are told in a line before a run begins: nothing is measured or kept.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::bench::Bench;

const RUN: [&str; 11] = [
    "run",
    "--provider",
    "macs",
    "--mac",
    "hmac-sha256",
    "--size",
    "64",
    "--budget",
    "3",
    "--cpu",
    "none",
];

#[test]
fn a_folder_that_cannot_be_had_is_told_before_anything_is_measured() {
    let bench = Bench::with(&[("file", "")]);
    symlink("nowhere", bench.path("dangling")).unwrap();
    symlink("loop", bench.path("loop")).unwrap();
    let long = "x".repeat(300);
    for (option, place, told) in [
        ("--out", "file", "--out file: must be a folder, not a file"),
        ("--out", "file/sub", "cannot write the report to file/sub: not a directory"),
        ("--out", "dangling", "must be a folder, not a link that leads to none"),
        ("--out", "loop", "must be a folder, not a link that leads to none"),
        ("--out", long.as_str(), ": file name too long"),
        ("--out", "/proc/x", "--out: cannot write the report to /proc/x: "),
        ("--out", "/proc", "--out: cannot write the report to /proc: "),
        ("--segments-dir", "file", "--segments-dir file: no place for segments: "),
        ("--segments-dir", "/proc", "--segments-dir /proc: no place for segments: "),
    ] {
        let line = bench.wrong(&[&RUN[..], &[option, place]].concat());
        assert!(line.contains(told), "{line}");
        assert!(!bench.archive().exists(), "{line}");
    }
}

#[test]
fn a_folder_is_made_for_a_run_that_begins_only() {
    let bench = Bench::new();
    bench.wrong(&["run", "--mac", "no-such-mac", "--out", "deep/new"]);
    assert!(!bench.path("deep").exists());
    bench.right(&[&RUN[..], &["--out", "deep/new"]].concat());
    assert!(bench.path("deep/new/report.html").exists());
    // Neither told again nor gone on with.
    let (kept, budget) = (bench.count("sample"), bench.longer_by(3.0));
    let again = ["run", "--resume", "last", "--out", "/proc/x"];
    let more: [&[&str]; 2] = [&[], &["--budget", &budget]];
    for more in more {
        let line = bench.wrong(&[&again[..], more].concat());
        assert!(line.contains("--out: cannot write the report to /proc/x: "), "{line}");
        assert_eq!(bench.count("sample"), kept, "{line}");
    }
}

#[test]
fn a_run_that_has_no_place_for_its_segments_is_not_begun() {
    let bench = Bench::new();
    std::fs::set_permissions(bench.folder(), Permissions::from_mode(0o777)).unwrap();
    let ended = bench.output(&["run", "sms", "--provider", "macs", "--budget", "3"]);
    let error = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{error}");
    assert!(error.contains("--segments-dir"), "{error}");
    assert!(!bench.archive().exists() || bench.count("run") == 0, "{error}");
}
