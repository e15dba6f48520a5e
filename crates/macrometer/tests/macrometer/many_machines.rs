//! `compare --fleet` and `fleet site` over a store of simulated machines.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bench::Bench;
use crate::stores;

/// A store of so many machines; its bundles.
fn store(bench: &Bench, machines: usize) -> Vec<PathBuf> {
    stores::write(&bench.path("store"), machines, [50, 8, 1])
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn machines_of_a_store_are_compared_and_shown_and_a_changed_bundle_is_named() {
    let bench = Bench::new();
    let bundles = store(&bench, 12);
    let text = bench.right(&["compare", "--fleet", "store"]);
    assert!(text.contains("12 machines measured") && text.contains("simulated"), "{text}");
    assert!(text.lines().count() <= 40, "{text}");
    // One bit of one archive.
    let archive = bundles[3].join("archive.sqlite");
    let mut bytes = std::fs::read(&archive).unwrap();
    bytes[5000] ^= 1;
    std::fs::write(&archive, bytes).unwrap();
    let arguments = ["compare", "--fleet", "store", "--mac", "hmac-*", "--format", "json"];
    let output = bench.output(&arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("macrometer: refused: ") && error.contains("archive.sqlite"));
    assert_eq!(error.lines().count(), 1, "{error}");
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["machines"].as_array().unwrap().len(), 11);
    let rows = told["rows"].as_array().unwrap();
    let is_hmac = |it: &Value| it["mac"].as_str().unwrap().starts_with("hmac-");
    assert!(!rows.is_empty() && rows.iter().all(is_hmac));

    // A refused bundle is told by the exit code; the others have their pages.
    let made = bench.output(&["fleet", "site", "store", "-o", "site"]);
    assert_eq!(made.status.code(), Some(1));
    assert_eq!(files(&bench.path("site/machine")), 11);
    std::fs::remove_dir_all(&bundles[3]).unwrap();
    // A site is replaced, by one that can be read by others.
    bench.right(&["fleet", "site", "store", "-o", "site"]);
    let whole = ["site/index.html", "site/data/compare.json"];
    assert!(whole.iter().all(|name| bench.path(name).is_file()));
    let hidden = std::fs::read_dir(bench.folder()).unwrap();
    let hidden = hidden
        .filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().starts_with(".macrometer"));
    assert_eq!(hidden.count(), 0, "nothing half-written is left");
    // What somebody put there is not deleted with it.
    bench.write("site/data/thesis.txt", "mine");
    let error = bench.wrong(&["fleet", "site", "store", "-o", "site"]);
    assert!(error.contains("holds data/thesis.txt"), "{error}");
    assert_eq!(std::fs::read(bench.path("site/data/thesis.txt")).unwrap(), b"mine");
}

#[test]
fn what_cannot_be_compared_or_replaced_is_told_in_a_line() {
    let bench = Bench::new();
    store(&bench, 1);
    std::fs::create_dir(bench.path("mine")).unwrap();
    let error = bench.wrong(&["fleet", "site", "store", "-o", "mine"]);
    assert!(error.contains("already exists and is not a site"), "{error}");
    assert_eq!(files(&bench.path("mine")), 0);
    let error = bench.wrong(&["compare", "--fleet", "store", "--against", "nobody"]);
    assert!(error.contains("nobody"), "{error}");
    let error = bench.wrong(&["compare", "--fleet", "store", "--study", "ffff"]);
    assert!(error.contains("no bundle of study ffff"), "{error}");
    assert!(bench.wrong(&["compare", "--fleet", "nowhere"]).contains("nowhere"));
    assert!(bench.wrong(&["compare", "--fleet", "store", "last", "last"]).contains("--fleet"));
    let told = bench.right(&["compare", "--fleet", "store"]);
    assert!(told.contains("Too few"), "{told}");
    // A folder with nothing that is sound is no second study.
    let own = std::fs::read_dir(bench.path("store")).unwrap().next().unwrap().unwrap().path();
    let other = bench.path("store").join("0".repeat(40));
    std::fs::rename(&own, &other).unwrap();
    let told = bench.output(&["compare", "--fleet", "store"]);
    let error = String::from_utf8(told.stderr).unwrap();
    assert_eq!(told.status.code(), Some(2));
    assert!(error.contains("refused: ") && error.contains("no valid bundle"), "{error}");
    store(&bench, 1);
    let told = bench.output(&["compare", "--fleet", "store"]);
    let error = String::from_utf8(told.stderr).unwrap();
    assert_eq!((told.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    assert!(error.contains("lies in 0000"), "{error}");
}
