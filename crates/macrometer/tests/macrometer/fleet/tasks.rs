//! A task that is killed goes on; what it leaves is a bundle of the whole run.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{bundles, packed, places};
use crate::bench::Bench;

const TASK: [&str; 7] = ["fleet", "task", "small.pack", "--store", "store", "--pairs", "0"];

#[test]
fn a_killed_task_goes_on_with_its_run_and_leaves_every_acknowledged_sample() {
    let bench = Bench::new();
    packed(&bench, 3, 300);
    let archive = bench.path("macrometer/fleet/archive.db");
    let mut task = bench.command(&TASK);
    let mut task = task.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while places(&archive).is_none_or(|kept| kept.len() < 100) {
        assert!(task.try_wait().unwrap().is_none(), "it ended before it could be killed");
        assert!(begun.elapsed() < Duration::from_secs(60), "no samples");
        std::thread::sleep(Duration::from_millis(20));
    }
    task.kill().unwrap();
    task.wait().unwrap();
    let kept = places(&archive).unwrap();
    assert!(bundles(&bench.path("store")).is_empty());

    let told = bench.right(&TASK);
    let [bundle] = &bundles(&bench.path("store"))[..] else { panic!("{told}") };
    assert!(told.contains(&bundle.file_name().unwrap().to_string_lossy().into_owned()));
    let whole = places(&bundle.join("archive.sqlite")).unwrap();
    assert_eq!(whole[..kept.len()], kept, "what was kept is there first");
    assert!(whole.len() > kept.len());
    // Once more: nothing is measured, nothing changes.
    bench.right(&TASK);
    assert_eq!(bundles(&bench.path("store")).len(), 1);
    assert_eq!(places(&archive).unwrap(), whole);
    let json = bench.right(&["fleet", "check", "store", "--format", "json"]);
    let told: Value = serde_json::from_str(&json).unwrap();
    let judged = &told["bundles"][0];
    assert_eq!(judged["division"], "open");
    let kinds = judged["reasons"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap());
    // Cargo sets a variable that makes the environment of tests another one.
    let kinds: Vec<&str> = kinds.filter(|kind| *kind != "environment").collect();
    assert_eq!(kinds, ["few-launches", "aa-missing"], "{json}");
}

#[test]
fn tasks_of_one_machine_are_hosts_of_one_kind_and_tell_no_name() {
    let bench = Bench::new();
    packed(&bench, 2, 6);
    bench.right(&[
        "fleet",
        "run",
        "small.pack",
        "--store",
        "store",
        "--local",
        "2",
        "--pairs",
        "0",
    ]);
    let bundles = bundles(&bench.path("store"));
    let abouts: Vec<Value> = bundles
        .iter()
        .map(|bundle| {
            let text = std::fs::read_to_string(bundle.join("bundle.json")).unwrap();
            serde_json::from_str(&text).unwrap()
        })
        .collect();
    let [one, two] = &abouts[..] else { panic!("{bundles:?}") };
    assert_eq!(one["machine_id"], two["machine_id"]);
    assert_ne!(one["host_id"], two["host_id"]);
    assert_ne!(one["run_id"], two["run_id"]);
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    for file in ["bundle.json", "provenance.json", "datapackage.json", "CITATION.cff"] {
        let text = std::fs::read_to_string(bundles[0].join(file)).unwrap();
        assert!(name.len() < 4 || !text.contains(&name), "{file} tells {name}");
    }
    let status = bench.right(&["fleet", "status", "store"]);
    assert_eq!(status.matches("COMPLETED").count(), 2, "{status}");
    assert!(status.contains("2 bundles of "), "{status}");
    // One that was changed is named, and the other is judged.
    let selftest = bundles[0].join("selftest.json");
    let text = std::fs::read_to_string(&selftest).unwrap();
    std::fs::write(&selftest, text.replace("passed", "Passed")).unwrap();
    let checked = bench.output(&["fleet", "check", "store"]);
    assert_eq!(checked.status.code(), Some(1));
    let (told, error) = (checked.stdout, String::from_utf8(checked.stderr).unwrap());
    assert_eq!(String::from_utf8(told).unwrap().matches("open ").count(), 1);
    assert!(error.contains("selftest.json: not what SHA256SUMS says"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}
