//! Every program that measures in a language of its own, run as the lab runs it: what it offers,
//! its tags against our own and published ones, its samples, and what it does with requests that
//! are wrong. They walk `ROWS`: a new program is under all of these without a line more.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use providers::{KeyLife, Kind, Place};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use crate::agreement::right_tag;

mod known_answers;
pub mod worker;

use known_answers::{SEALED, TAGS};
use worker::{Offers, Worker};

/// Messages of a cell, and their distance in the pool (docs/worker-protocol.md).
const MESSAGES: usize = 16;
const STEP_BYTES: usize = 64;
/// The longest message of these tests.
const LEN_BYTES: usize = 1500;

fn bytes(rng: &mut StdRng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}

fn right_tags(mac: &str, key_life: KeyLife, pool: &[u8], len: usize, keys: &[u8]) -> String {
    let key_len = keys.len() - (MESSAGES - 1);
    let tag = |i: usize| {
        let which = if key_life == KeyLife::Prepared { 0 } else { i };
        hex::encode(right_tag(mac, &keys[which..][..key_len], &pool[STEP_BYTES * i..][..len]))
    };
    (0..MESSAGES).map(tag).collect()
}

/// Every offer in the regimes that the worker has of these two: the tags of its cells, before and
/// after samples, and under a new key; and in `single` about the blocks of all macs.
pub fn check_offers(worker: &mut Worker, rng: &mut StdRng) -> Offers {
    worker.check_floor();
    let pool = bytes(rng, STEP_BYTES * (MESSAGES - 1) + LEN_BYTES);
    worker.ok(&format!("pool {}", hex::encode(&pool)));
    let offers = worker.offers();
    let regimes = worker.ok("info")["regimes"].clone();
    let has = |regime: &str| regimes.as_array().is_none_or(|all| all.contains(&json!(regime)));
    let cells = [("single", 0), ("single", 65), ("latency", 3), ("latency", LEN_BYTES)];
    let calls = offers.iter().flat_map(|(mac, lives)| lives.iter().map(move |life| (mac, life)));
    for (id, (mac, life)) in calls.enumerate() {
        let key_life: KeyLife = life.parse().expect("a key life");
        let key_len = macs::find(mac).expect("in the catalog").key_len_bytes;
        for len in [1, 7, 8, 9, 63, 64, 111, 112, 127, 128, 129, 136, 200, 1024] {
            let keys = bytes(rng, key_len + MESSAGES - 1);
            worker.ok(&format!("open {id} {mac} {life} single {len} {}", hex::encode(&keys)));
            let right = right_tags(mac, key_life, &pool, len, &keys);
            assert_eq!(worker.ok(&format!("prove {id} 16"))["tags"], right, "{mac} {life} {len}");
        }
        for (regime, len) in cells.into_iter().filter(|(regime, _)| has(regime)) {
            let cell = format!("{mac} {life} {regime} {len}");
            let keys = [(); 2].map(|()| bytes(rng, key_len + MESSAGES - 1));
            worker.ok(&format!("open {id} {cell} {}", hex::encode(&keys[0])));
            let [first, second] =
                keys.each_ref().map(|keys| right_tags(mac, key_life, &pool, len, keys));
            assert_eq!(worker.ok(&format!("prove {id} 16"))["tags"], first, "{cell}");
            check_samples(worker, id, &cell);
            // After a sample the tags are still those of the pool, and a new key is a new key.
            assert_eq!(worker.ok(&format!("prove {id} 16"))["tags"], first, "{cell}, sampled");
            worker.ok(&format!("rekey {id} {}", hex::encode(&keys[1])));
            assert_eq!(worker.ok(&format!("prove {id} 16"))["tags"], second, "{cell}, rekeyed");
        }
    }
    offers
}

/// Batches of a worker that has them: a key for each message, and samples told by messages.
pub fn check_batches(worker: &mut Worker) {
    let mut bytes = vec![0; 64 * 15 + 200];
    StdRng::seed_from_u64(11).fill_bytes(&mut bytes);
    worker.ok(&format!("pool {}", hex::encode(&bytes)));
    let mut keys = [[0; 32 + 15]; 2];
    keys.iter_mut().for_each(|keys| StdRng::seed_from_u64(12).fill_bytes(&mut keys[..]));
    keys[1].reverse();
    for (regime, len) in [("batch-4", 0), ("batch-64", 64), ("batch-64-mixed", 200)] {
        let messages = if regime == "batch-4" { 4 } else { 16 };
        let len_of =
            |i: usize| if regime == "batch-64-mixed" { len * (7 * i % 16 + 1) / 16 } else { len };
        let right = |keys: &[u8]| -> String {
            let tag = |i: usize| {
                right_tag("hmac-sha256", &keys[i..][..32], &bytes[64 * i..][..len_of(i)])
            };
            (0..messages).map(|i| hex::encode(tag(i))).collect()
        };
        for life in ["prepared", "new-key"] {
            let cell = format!("hmac-sha256 {life} {regime} {len}");
            worker.ok(&format!("open 7 {cell} {}", hex::encode(keys[0])));
            assert_eq!(worker.ok("prove 7 16")["tags"], right(&keys[0]), "{cell}");
            let sample = worker.ok("run 7 70");
            assert!(sample["elapsed_ns"].as_f64().is_some_and(|ns| ns > 0.0), "{cell}: {sample}");
            worker.ok("single 7 20");
            worker.ok(&format!("rekey 7 {}", hex::encode(keys[1])));
            assert_eq!(worker.ok("prove 7 16")["tags"], right(&keys[1]), "{cell}");
        }
    }
    let keys = hex::encode(keys[0]);
    let refused = worker.err(format!("open 7 hmac-sha256 one-shot batch-4 64 {keys}").as_bytes());
    assert_eq!(refused, "no one-shot calls in batch-4");
}

fn check_samples(worker: &mut Worker, id: usize, cell: &str) {
    let sample = worker.ok(&format!("run {id} 100"));
    assert!(sample["elapsed_ns"].as_u64().is_some_and(|ns| ns > 0), "{cell}: {sample}");
    let histogram = worker.ok(&format!("single {id} 50"));
    let bins = histogram["ns"].as_array().expect("a list").iter();
    let count: u64 = bins.map(|bin| bin[1].as_u64().expect("a count")).sum();
    assert_eq!(count, 50, "{cell}: {histogram}");
}

#[test]
fn tags_are_those_of_our_own_library() {
    for mut worker in worker::all() {
        let offers = check_offers(&mut worker, &mut StdRng::seed_from_u64(4));
        assert!(offers.contains_key("hmac-sha256"), "{}: {offers:?}", worker.name);
        worker.close();
    }
}

/// A tag by the worker's own `tag`.
fn tag(worker: &mut Worker, [mac, key, nonce, custom, message]: [&str; 5], len: usize) -> String {
    let reply = worker.ok(&format!("tag {mac} {key} {nonce} {custom} {len} {message}"));
    reply["tag"].as_str().expect("hexadecimal").to_owned()
}

/// Known answers for what is offered; the names of what is not are printed.
fn check_published(worker: &mut Worker) {
    let offers = worker.offers();
    let mut absent = Vec::new();
    for &[mac, key, nonce, customization, message, right] in TAGS {
        if !offers.contains_key(mac) {
            absent.push(mac);
            continue;
        }
        // Java's `SecretKeySpec` takes no empty key.
        if key == "-" && worker.name.starts_with("java") {
            let refused = worker.err(format!("tag {mac} - - - 32 {message}").as_bytes());
            assert!(refused.contains("a key of 0 bytes"), "{refused}");
            continue;
        }
        let inputs = [mac, key, nonce, customization, message];
        assert_eq!(tag(worker, inputs, right.len() / 2), right, "{}: {mac}", worker.name);
    }
    for case in SEALED {
        if offers.contains_key(case[0]) {
            check_sealed(worker, case);
        } else {
            absent.push(case[0]);
        }
    }
    if !absent.is_empty() {
        println!("skipped: not in {}: {}", worker.name, absent.join(", "));
    }
}

fn check_sealed(worker: &mut Worker, case: &[&str; 7]) {
    let &[mac, key, nonce, data, message, ciphertext, right] = case;
    let (len, what) = (right.len() / 2, format!("{}: {mac}", worker.name));
    let sealed = worker.ok(&format!("seal {mac} {key} {nonce} {data} {len} {message}"));
    assert_eq!(sealed, json!({ "ciphertext": ciphertext, "tag": right }), "{what}");
    let asked = format!("unseal {mac} {key} {nonce} {data} {ciphertext}");
    assert_eq!(worker.ok(&format!("{asked} {right}")), json!({ "message": message }), "{what}");
    // One bit of the tag, and the associated data left out.
    let first = u8::from_str_radix(&right[..2], 16).expect("hexadecimal") ^ 0x80;
    let forged = worker.ok(&format!("{asked} {first:02x}{}", &right[2..]));
    assert_eq!(forged, json!({ "message": null }), "{what}");
    let moved = worker.ok(&format!("unseal {mac} {key} {nonce} - {ciphertext} {right}"));
    assert_eq!(moved, json!({ "message": null }), "{what}");
    // No message and no data is a message too.
    let empty = worker.ok(&format!("seal {mac} {key} {nonce} - {len} -"));
    assert_eq!(empty["ciphertext"], "", "{what}");
    let tag = empty["tag"].as_str().expect("hexadecimal");
    let opened = worker.ok(&format!("unseal {mac} {key} {nonce} - - {tag}"));
    assert_eq!(opened["message"], "", "{what}");
}

#[test]
fn published_tags_on_every_code_path() {
    for mut worker in worker::all().chain(worker::forced()) {
        check_published(&mut worker);
        worker.close();
    }
}

/// Whatever is offered refuses what does not fit, in one line, and goes on.
#[test]
fn whole_inputs_that_do_not_fit_are_refused() {
    let (short, key, nonce) = ("00".repeat(15), "00".repeat(16), "00".repeat(12));
    let wrong = [
        ("hmac-sha256", "tag hmac-sha256 00 - - 32".to_owned()),
        ("hmac-sha256", "tag hmac-sha256 00 - - 32 - -".into()),
        ("hmac-sha256", "tag hmac-sha256 00 - - 0 -".into()),
        ("hmac-sha256", "tag hmac-sha256 00 - - 33 -".into()),
        ("hmac-sha256", "tag hmac-sha256 00 - - -1 -".into()),
        ("hmac-sha256", "tag hmac-sha256 0 - - 32 -".into()),
        ("hmac-sha256", "tag hmac-sha256 zz - - 32 -".into()),
        ("hmac-sha256", "tag hmac-sha256 AA - - 32 -".into()),
        ("hmac-sha256", "tag hmac-sha256 -- - - 32 -".into()),
        ("hmac-sha256", "tag hmac-sha256 00 00 - 32 -".into()),
        ("hmac-sha256", "tag hmac-sha256 00 - 00 32 -".into()),
        ("hmac-sha256", "tag junk 00 - - 32 -".into()),
        ("hmac-sha256", "seal hmac-sha256 00 - - 32 -".into()),
        ("hmac-sha256", "unseal hmac-sha256 00 - - - 00".into()),
        ("hmac-sha256", "seal junk 00 - - 16 -".into()),
        ("blake2b-keyed", "tag blake2b-keyed - - - 64 -".into()),
        ("blake2b-keyed", format!("tag blake2b-keyed {} - - 64 -", "00".repeat(65))),
        ("blake2s-keyed", format!("tag blake2s-keyed {} - - 32 -", "00".repeat(33))),
        ("poly1305", format!("tag poly1305 {key} - - 16 -")),
        ("cmac-aes-128", format!("tag cmac-aes-128 {short} - - 16 -")),
        ("cmac-tdes-3", format!("tag cmac-tdes-3 {key} - - 8 -")),
        ("gmac-aes-128", format!("tag gmac-aes-128 {key} - - 16 -")),
        ("gmac-aes-128", format!("tag gmac-aes-128 {key} {nonce} 00 16 -")),
        ("gmac-aes-128", format!("tag gmac-aes-128 {key} {nonce} - 17 -")),
        ("gmac-aes-128", format!("tag gmac-aes-128 {short} {nonce} - 16 -")),
        // A composition is no mac.
        ("gcm-aes-128", format!("tag gcm-aes-128 {key} {nonce} - 16 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {key} {nonce} - 3 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {key} {nonce} - 17 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {key} {nonce} 16 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {key} - - 16 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {short} {nonce} - 16 -")),
        ("gcm-aes-128", format!("unseal gcm-aes-128 {key} - - - {key}")),
        ("gcm-aes-128", format!("unseal gcm-aes-128 {key} {nonce} - - -")),
        ("gcm-aes-128", format!("open 1 gcm-aes-128 prepared single 0 {}", "00".repeat(30))),
        ("ccm-aes-128", format!("seal ccm-aes-128 {key} {nonce} - 5 -")),
        ("ccm-aes-128", format!("seal ccm-aes-128 {key} {key} - 16 -")),
        ("chacha20-poly1305", format!("seal chacha20-poly1305 {key}{key} {key} - 16 -")),
        ("chacha20-poly1305", format!("seal chacha20-poly1305 {key}{key} {nonce} - 17 -")),
        ("eax-aes-128", format!("seal eax-aes-128 {key} {nonce} - 17 -")),
    ];
    for mut worker in worker::all() {
        let offers = worker.offers();
        worker.ok(&format!("pool {}", "00".repeat(STEP_BYTES * 15)));
        let right = tag(&mut worker, ["hmac-sha256", &key, "-", "-", "-"], 32);
        for (_, request) in wrong.iter().filter(|(mac, _)| offers.contains_key(*mac)) {
            worker.err(request.as_bytes());
        }
        assert_eq!(tag(&mut worker, ["hmac-sha256", &key, "-", "-", "-"], 32), right);
        worker.close();
    }
}

const WRONG_REQUESTS: [&[u8]; 30] = [
    b"",
    b" ",
    b"junk",
    b"INFO",
    b"info ",
    b"info\r",
    b"info now",
    b"cell 1",
    b"__init__ x",
    b"__proto__ x",
    b"pool 5",
    b"pool 5A",
    b"pool zz",
    b"prove 2 1",
    b"prove -1 1",
    b"prove 1",
    b"prove 1 0",
    b"prove 1 17",
    b"prove 99999999999999999999 1",
    b"run 1",
    b"run 1 0",
    b"run 1 -5",
    b"run 1 1e3",
    b"run 1 99999999999999",
    b"single 1 99999999999",
    b"rekey 1 00",
    b"open 1 hmac-sha3 prepared single 64 00",
    b"open 1 hmac-sha256 prepared batch 64 00",
    b"\xff\xfe\x00",
    b"open 1 hmac-sha256 forever single 64 00",
];

#[test]
fn wrong_requests_are_errors_and_change_nothing() {
    for mut worker in worker::all() {
        assert!(worker.err(b"open 1 hmac-sha256 prepared single 8 00").contains("pool"));
        worker.ok(&format!("pool {}", "5a".repeat(STEP_BYTES * 15 + 64)));
        let keys = "0f".repeat(32 + 15);
        worker.ok(&format!("open 1 hmac-sha256 prepared single 64 {keys}"));
        let right = worker.ok("prove 1 16");
        for request in WRONG_REQUESTS {
            worker.err(request);
        }
        let too_long = format!("open 1 hmac-sha256 prepared single 65 {keys}");
        assert!(worker.err(too_long.as_bytes()).contains("pool"));
        // Longer than any request.
        let too_long = worker.err(&vec![b'0'; (1 << 26) + 100]);
        assert_eq!(too_long, "the request has more than 67108864 bytes");
        assert_eq!(worker.ok("prove 1 16"), right);
        worker.close();
    }
}

/// Whoever asked for a sample of an hour and is no more leaves nobody behind.
#[test]
fn java_ends_with_the_one_that_asked_in_the_middle_of_a_sample_too() {
    let java = worker::rows().find(|row| row.name == "java").expect("a row");
    let Kind::Program(command) = java.kind else { panic!("java is a program") };
    let argv = match command(&Place::default()) {
        Ok(argv) => argv,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let mut lab = Command::new("sh");
    lab.args(["-c", "exec 3<&0; \"$@\" <&3 & echo $!; exec 3<&-; wait", "lab"]).args(argv);
    let mut lab = lab.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh runs");
    let mut requests = lab.stdin.take().expect("piped");
    let mut replies = BufReader::new(lab.stdout.take().expect("piped")).lines();
    let mut reply = || replies.next().expect("a line").expect("UTF-8");
    let id = reply();
    let (pool, keys) = ("00".repeat(1024), "00".repeat(47));
    let asked = format!("pool {pool}\nopen 1 hmac-sha256 prepared single 8 {keys}\nprove 1 1\n");
    requests.write_all(asked.as_bytes()).expect("it listens");
    for _ in 0..3 {
        assert!(reply().starts_with("ok "));
    }
    requests.write_all(b"run 1 10000000000\n").expect("it listens");
    lab.kill().expect("it lives");
    lab.wait().expect("it was killed");
    drop(requests);
    let is_alive = || std::path::Path::new(&format!("/proc/{id}")).exists();
    let begun = std::time::Instant::now();
    while is_alive() {
        assert!(begun.elapsed().as_secs() < 60, "process {id} lives on");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
#[cfg(unix)]
fn an_interrupt_does_not_end_it() {
    for mut worker in worker::all() {
        // Its handler is set before the first reply.
        worker.ok("info");
        let mut shell = std::process::Command::new("sh");
        let kill = format!("kill -INT {}", worker.id());
        let killed = shell.args(["-c", &kill]).status().expect("sh runs");
        assert!(killed.success());
        worker.ok("info");
        worker.close();
    }
}

#[test]
fn an_absent_runtime_is_an_error_that_names_it() {
    for row in worker::rows() {
        let path = format!("/nonexistent/{}", row.name);
        let place = Place { path: Some((&path).into()), ..Place::default() };
        let error = Worker::spawn(row, &place).err().expect("there is none");
        assert!(error.contains(&path) && error.lines().count() == 1, "{error}");
    }
}

/// Runtimes in `MACROMETER_TEST_PYTHON`, `MACROMETER_TEST_MACS_PYTHON`, …, separated as in `PATH`:
/// other versions, other modules.
#[test]
fn other_runtimes() {
    for row in worker::rows() {
        let name = row.name.to_uppercase().replace('-', "_");
        let list = env::var_os(format!("MACROMETER_TEST_{name}"));
        for path in list.iter().flat_map(env::split_paths) {
            let place = Place { name: Some(format!("{}-other", row.name)), path: Some(path) };
            let mut worker = Worker::spawn(row, &place).expect("a runtime");
            let offers = check_offers(&mut worker, &mut StdRng::seed_from_u64(5));
            check_published(&mut worker);
            println!("{:?}: {} macs", place.path, offers.len());
            worker.close();
        }
        if list.is_none() {
            println!("skipped: further ones of {}, for no variable names any", row.name);
        }
    }
}
