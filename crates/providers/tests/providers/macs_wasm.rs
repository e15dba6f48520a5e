//! Our own library's npm package beyond what holds for every program.

use std::env;

use providers::Place;
use providers::programs::macs_wasm::ROW;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::installed::skipped;
use crate::programs::worker::Worker;
use crate::programs::{check_batches, check_offers};

/// The package, installed globally or where `MACROMETER_TEST_MACS_WASM` names a file of it.
fn package(name: &str) -> Option<Worker> {
    let list = env::var_os("MACROMETER_TEST_MACS_WASM");
    let path = list.as_ref().and_then(|list| env::split_paths(list).next());
    let spawned = Worker::spawn(&ROW, &Place { name: Some(name.into()), path });
    if list.is_some() {
        return Some(spawned.expect("the package that the variable names"));
    }
    spawned.map_err(|reason| skipped(&format!("{name}: {reason}"))).ok()
}

#[test]
fn both_builds_have_the_families_of_the_package_by_all_calls() {
    for (name, kernel) in [("macs-wasm", "simd128"), ("macs-wasm[scalar]", "scalar")] {
        let Some(mut worker) = package(name) else { return };
        let offers = check_offers(&mut worker, &mut StdRng::seed_from_u64(13));
        let families = ["blake2b-", "blake3-", "cmac-", "gmac-", "hmac-sha1", "hmac-sha2"];
        for family in families.iter().chain(&["hmac-sha3-", "kmac", "poly1305", "siphash-"]) {
            assert!(offers.keys().any(|mac| mac.starts_with(family)), "{family}: {offers:?}");
        }
        let all = ["prepared", "new-key", "one-shot"];
        assert!(offers.values().all(|lives| *lives == all), "{offers:?}");
        let info = worker.ok("info");
        let mut offers = info["offers"].as_array().expect("a list").iter();
        assert!(offers.all(|it| it["kernel"] == kernel || it["mac"] == "null"), "{info}");
        worker.close();
    }
}

#[test]
fn batches_of_the_package_are_timed_by_messages_and_have_a_key_for_each() {
    let Some(mut worker) = package(ROW.name) else { return };
    check_batches(&mut worker);
    worker.close();
}

#[test]
fn what_the_package_does_not_take_is_told_in_its_own_words() {
    let Some(mut worker) = package(ROW.name) else { return };
    let keys = "00".repeat(8 + 15);
    worker.ok(&format!("pool {}", "00".repeat(2000)));
    let open = format!("open 1 cmac-aes-128 prepared single 64 {keys}");
    let refused = worker.err(open.as_bytes());
    assert_eq!(refused, "cmac-aes-128 takes a key of 16 bytes, not of 8 bytes");
    worker.close();
}

#[test]
fn a_runtime_without_the_package_is_skipped_with_what_installs_it() {
    let Err(reason) = Worker::spawn(&ROW, &Place::default()) else { return };
    let is_told = reason.contains("no package macs-wasm; npm install --global");
    assert!(is_told || reason.contains("not on PATH"), "{reason}");
    let place = Place { path: Some(env::temp_dir().join("package.json")), ..Place::default() };
    let reason = Worker::spawn(&ROW, &place).err().expect("no package");
    assert!(reason.contains("no file of the package macs-wasm"), "{reason}");
}
