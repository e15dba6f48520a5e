//! The Python worker beyond what holds for every program: what each Python must have, and what its
//! libraries refuse.

use std::env;

use providers::Place;
use providers::programs::macs_python;
use providers::programs::python::ROW;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::installed::skipped;
use crate::programs::worker::Worker;
use crate::programs::{check_batches, check_offers};

#[test]
fn the_standard_library_has_all_its_key_lives() {
    let Some(mut worker) = Worker::found(&ROW, ROW.name) else { return };
    let offers = worker.offers();
    assert_eq!(offers["hmac-sha256"], ["prepared", "new-key", "one-shot"]);
    assert_eq!(offers["blake2b-keyed"], ["prepared", "new-key"]);
    // Compositions are proved, not timed.
    assert!(offers.get("gcm-aes-128").is_none_or(Vec::is_empty), "{offers:?}");
    if !offers.contains_key("cmac-aes-128") {
        skipped("python: neither cryptography nor pycryptodome, so no CMAC");
    }
    worker.close();
}

/// Lengths that these libraries do not take; a composition has nothing to be timed.
#[test]
fn what_its_libraries_refuse_is_refused() {
    let Some(mut worker) = Worker::found(&ROW, ROW.name) else { return };
    let offers = worker.offers();
    worker.ok(&format!("pool {}", "00".repeat(64 * 15)));
    let (short, key, nonce) = ("00".repeat(15), "00".repeat(16), "00".repeat(12));
    let wrong = [
        ("kmac128", "tag kmac128 - - - 32 -".to_owned()),
        ("gcm-aes-128", format!("seal gcm-aes-128 {key} {nonce} - 12 -")),
        ("gcm-aes-128", format!("unseal gcm-aes-128 {key} {nonce} - - {short}")),
        ("gcm-aes-128", format!("open 1 gcm-aes-128 prepared single 0 {}", "00".repeat(31))),
        ("eax-aes-128", format!("seal eax-aes-128 {key} - - 16 -")),
    ];
    for (_, request) in wrong.iter().filter(|(mac, _)| offers.contains_key(*mac)) {
        worker.err(request.as_bytes());
    }
    worker.close();
}

/// CMAC as the paper *Comparing the Speeds of HMAC and CMAC* has it; its tags are hexadecimal text
/// within the time, and bytes where they are proved.
#[test]
fn what_is_chained_in_python_has_the_tags_of_our_own_library() {
    let Some(mut worker) = Worker::found(&ROW, "python[chained]") else { return };
    let offers = check_offers(&mut worker, &mut StdRng::seed_from_u64(9));
    assert!(offers.values().all(|lives| *lives == ["new-key"]), "{offers:?}");
    assert!(offers.contains_key("hmac-sha512"), "{offers:?}");
    let keys = "0f".repeat(32 + 15);
    let chained = format!("open 1 hmac-sha256 new-key latency 64 {keys}");
    assert_eq!(worker.err(chained.as_bytes()), "no regime latency: single");
    if !offers.contains_key("cmac-aes-128") {
        skipped("python[chained]: no cryptography, so no CMAC");
    }
    worker.close();
}

/// The module of our own library: on `PATH`, or where `MACROMETER_TEST_MACS_PYTHON` says.
fn module() -> Option<Worker> {
    let list = env::var_os("MACROMETER_TEST_MACS_PYTHON");
    let path = list.as_ref().and_then(|list| env::split_paths(list).next());
    let place = Place { name: Some(macs_python::ROW.name.into()), path };
    let spawned = Worker::spawn(&macs_python::ROW, &place);
    if list.is_some() {
        return Some(spawned.expect("the interpreter that the variable names has it"));
    }
    spawned.map_err(|reason| skipped(&format!("macs-python: {reason}"))).ok()
}

#[test]
fn the_module_has_all_macs_and_compositions_of_the_library() {
    let Some(mut worker) = module() else { return };
    let offers = check_offers(&mut worker, &mut StdRng::seed_from_u64(10));
    for info in macs::catalog() {
        let lives = offers.get(info.name).unwrap_or_else(|| panic!("no {}", info.name));
        let all: &[&str] =
            if info.is_composition() { &[] } else { &["prepared", "new-key", "one-shot"] };
        assert_eq!(lives, all, "{}", info.name);
    }
    worker.close();
}

#[test]
fn batches_of_the_module_are_timed_by_messages_and_have_a_key_for_each() {
    let Some(mut worker) = module() else { return };
    check_batches(&mut worker);
    worker.close();
}

/// Another module of that name, and none.
#[test]
fn an_interpreter_without_the_module_is_skipped_with_what_installs_it() {
    let place = Place::default();
    let Some(python) = Worker::found(&ROW, ROW.name) else { return };
    python.close();
    if let Err(reason) = Worker::spawn(&macs_python::ROW, &place) {
        assert!(reason.contains("No module named 'macs'"), "{reason}");
        assert!(reason.ends_with("pip install crates/python (in a checkout)"), "{reason}");
    }
}
