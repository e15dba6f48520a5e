//! The Python worker, run as the lab runs it: what it offers, its tags against RustCrypto's and
//! published ones, its samples, and what it does with requests that are wrong.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use providers::programs::python;
use providers::{KeyLife, Kind, Place, Provider, row};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::found::skipped;

mod known;

use known::{OTHERS, SEALED, TAGS};

/// Messages of a cell, and their distance in the pool (docs/worker-protocol.md).
const MESSAGES: usize = 16;
const STEP_BYTES: usize = 64;

struct Worker {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Worker {
    fn spawn(place: &Place) -> Result<Self, String> {
        let Kind::Program(command) = python::ROW.kind else { panic!("python is a program") };
        let argv = command(place)?;
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let requests = child.stdin.take().expect("piped");
        let replies = BufReader::new(child.stdout.take().expect("piped"));
        Ok(Self { child, requests, replies })
    }

    fn found() -> Option<Self> {
        Self::spawn(&Place::default()).map_err(|reason| skipped(&format!("python: {reason}"))).ok()
    }

    fn send(&mut self, request: &[u8]) -> String {
        self.requests.write_all(request).and_then(|()| self.requests.flush()).expect("it lives");
        let mut reply = String::new();
        self.replies.read_line(&mut reply).expect("it lives");
        reply.trim_end_matches('\n').to_owned()
    }

    /// The object of an `ok` reply.
    fn ok(&mut self, request: &str) -> Value {
        let reply = self.send(format!("{request}\n").as_bytes());
        let shown = &request[..request.len().min(60)];
        let json = reply.strip_prefix("ok ").unwrap_or_else(|| panic!("{shown}: {reply}"));
        serde_json::from_str(json).expect("JSON")
    }

    /// The text of an `err` reply.
    fn err(&mut self, request: &[u8]) -> String {
        let reply = self.send(&[request, b"\n"].concat());
        let shown = String::from_utf8_lossy(&request[..request.len().min(60)]);
        let text = reply.strip_prefix("err ").unwrap_or_else(|| panic!("{shown}: {reply}"));
        assert!(!text.is_empty() && !text.contains("Traceback"), "{shown}: {text}");
        text.to_owned()
    }

    fn close(mut self) {
        assert_eq!(self.ok("close"), json!({}));
        let mut rest = String::new();
        assert_eq!(self.replies.read_line(&mut rest).expect("the end of the stream"), 0, "{rest}");
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn rustcrypto() -> Box<dyn Provider> {
    let Kind::InProcess(open) = row("rustcrypto").expect("a row").kind else { panic!() };
    open(&Place::default()).expect("always there")
}

/// Names of what it offers, each with its key lives; the rest of `info` is checked on the way.
fn offers(worker: &mut Worker) -> BTreeMap<String, Vec<String>> {
    let info = worker.ok("info");
    assert_eq!(info["protocol"], 2);
    for field in ["name", "version", "path", "detail"] {
        assert!(info[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {info}");
    }
    println!("{} {} ({})", info["path"], info["version"], info["detail"]);
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let mut offers = BTreeMap::new();
    for offer in info["offers"].as_array().expect("a list") {
        assert!(offer["kernel"].as_str().is_some_and(|kernel| !kernel.contains(' ')), "{offer}");
        let key_lives = offer["key_lives"].as_array().expect("a list").iter().map(word).collect();
        assert!(offers.insert(word(&offer["mac"]), key_lives).is_none(), "offered twice: {offer}");
    }
    offers
}

/// A tag by the worker's own `tag`: what `published_tags` proves.
fn tag(
    worker: &mut Worker,
    [mac, key, nonce, customization, message]: [&str; 5],
    len: usize,
) -> Value {
    worker.ok(&format!("tag {mac} {key} {nonce} {customization} {len} {message}"))["tag"].take()
}

fn word(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".into() } else { hex::encode(bytes) }
}

/// The tags of a cell: RustCrypto's, or what the worker itself says when it is asked one by one.
fn right_tags(
    worker: &mut Worker,
    mac: &str,
    key_life: KeyLife,
    pool: &[u8],
    len: usize,
    keys: &[u8],
) -> String {
    let provider = rustcrypto();
    let key_len = keys.len() - (MESSAGES - 1);
    let mut tags = String::new();
    for i in 0..MESSAGES {
        let which = if key_life == KeyLife::Prepared { 0 } else { i };
        let key = &keys[which..which + key_len];
        let message = &pool[STEP_BYTES * i..][..len];
        if let Some(tag_len) = provider.tag_len_bytes(mac) {
            let mut tagger = provider.tagger(mac, KeyLife::NewKey, key).expect("rustcrypto has it");
            let mut tag = vec![0; tag_len];
            tagger(key, message, &mut tag).expect("a right call");
            tags += &hex::encode(tag);
        } else {
            let [_, nonce_len, tag_len] = other(mac);
            let nonce = word(&vec![0; nonce_len]);
            let inputs = [mac, &word(key), &nonce, "-", &word(message)];
            tags += tag(worker, inputs, tag_len).as_str().expect("hexadecimal");
        }
    }
    tags
}

/// Lengths of key, nonce and tag.
fn other(mac: &str) -> [usize; 3] {
    OTHERS.iter().find(|(name, _)| *name == mac).unwrap_or_else(|| panic!("{mac} is new here")).1
}

fn check_offers(worker: &mut Worker, rng: &mut StdRng) -> BTreeMap<String, Vec<String>> {
    let mut bytes = |len: usize| {
        let mut bytes = vec![0; len];
        rng.fill_bytes(&mut bytes);
        bytes
    };
    let pool = bytes(STEP_BYTES * (MESSAGES - 1) + 1500);
    worker.ok(&format!("pool {}", hex::encode(&pool)));
    let offers = offers(worker);
    let calls = offers.iter().flat_map(|(mac, lives)| lives.iter().map(move |life| (mac, life)));
    for (id, (mac, key_life)) in calls.enumerate() {
        let life: KeyLife = key_life.parse().expect("a key life");
        let is_other = rustcrypto().tag_len_bytes(mac).is_none();
        let found = macs::find(mac).filter(|_| !is_other);
        let key_len = found.map_or_else(|| other(mac)[0], |info| info.key_len_bytes);
        for (regime, len) in [("single", 0), ("single", 65), ("latency", 3), ("latency", 1500)] {
            let what = format!("{mac} {key_life} {regime} {len}");
            let [first, second] = [(); 2].map(|()| bytes(key_len + MESSAGES - 1));
            worker.ok(&format!("open {id} {what} {}", hex::encode(&first)));
            let right = right_tags(worker, mac, life, &pool, len, &first);
            assert_eq!(worker.ok(&format!("prove {id} 16"))["tags"], right, "{what}");
            let sample = worker.ok(&format!("run {id} 100"));
            assert!(sample["elapsed_ns"].as_u64().is_some_and(|ns| ns > 0), "{what}: {sample}");
            let histogram = worker.ok(&format!("single {id} 50"));
            let bins = histogram["ns"].as_array().expect("a list").iter();
            assert_eq!(
                bins.map(|bin| bin[1].as_u64().expect("a count")).sum::<u64>(),
                50,
                "{what}"
            );
            // After a sample the tags are still those of the pool, and a new key is a new key.
            assert_eq!(
                worker.ok(&format!("prove {id} 16"))["tags"],
                right,
                "{what}, after a sample"
            );
            worker.ok(&format!("rekey {id} {}", hex::encode(&second)));
            let right = right_tags(worker, mac, life, &pool, len, &second);
            assert_eq!(worker.ok(&format!("prove {id} 16"))["tags"], right, "{what}, second key");
        }
    }
    offers
}

#[test]
fn tags_are_those_of_rustcrypto() {
    let Some(mut worker) = Worker::found() else { return };
    let offers = check_offers(&mut worker, &mut StdRng::seed_from_u64(4));
    assert_eq!(offers["hmac-sha256"], ["prepared", "new-key", "one-shot"]);
    assert_eq!(offers["blake2b-keyed"], ["prepared", "new-key"]);
    // Compositions are proved, not timed.
    assert!(offers.get("gcm-aes-128").is_none_or(Vec::is_empty), "{offers:?}");
    if !offers.contains_key("cmac-aes-128") {
        skipped("python: neither cryptography nor pycryptodome, so no CMAC");
    }
    worker.close();
}

/// Known answers for what is offered; the names of what is not.
fn check_published(worker: &mut Worker) {
    let offers = offers(worker);
    let mut absent = Vec::new();
    for &[mac, key, nonce, customization, message, right] in TAGS {
        if !offers.contains_key(mac) {
            absent.push(mac);
            continue;
        }
        let inputs = [mac, key, nonce, customization, message];
        assert_eq!(tag(worker, inputs, right.len() / 2), right, "{mac}");
    }
    for &[mac, key, nonce, data, message, ciphertext, right] in SEALED {
        if !offers.contains_key(mac) {
            absent.push(mac);
            continue;
        }
        let len = right.len() / 2;
        let sealed = worker.ok(&format!("seal {mac} {key} {nonce} {data} {len} {message}"));
        assert_eq!(sealed["ciphertext"], ciphertext, "{mac}");
        assert_eq!(sealed["tag"], right, "{mac}");
        let asked = format!("unseal {mac} {key} {nonce} {data} {ciphertext}");
        assert_eq!(worker.ok(&format!("{asked} {right}"))["message"], message, "{mac}");
        // One bit of the tag, and the associated data left out.
        let first = u8::from_str_radix(&right[..2], 16).expect("hexadecimal") ^ 0x80;
        let forged = worker.ok(&format!("{asked} {first:02x}{}", &right[2..]));
        assert_eq!(forged, json!({ "message": null }), "{mac}");
        let moved = worker.ok(&format!("unseal {mac} {key} {nonce} - {ciphertext} {right}"));
        assert_eq!(moved, json!({ "message": null }), "{mac}");
        // No message and no data is a message too.
        let empty = worker.ok(&format!("seal {mac} {key} {nonce} - {len} -"));
        assert_eq!(empty["ciphertext"], "", "{mac}");
        let tag = empty["tag"].as_str().expect("hexadecimal");
        let opened = worker.ok(&format!("unseal {mac} {key} {nonce} - - {tag}"));
        assert_eq!(opened["message"], "", "{mac}");
    }
    if !absent.is_empty() {
        println!("skipped: not in the libraries of this Python: {}", absent.join(", "));
    }
}

#[test]
fn published_tags() {
    let Some(mut worker) = Worker::found() else { return };
    check_published(&mut worker);
    worker.close();
}

/// Whatever is offered refuses what does not fit, in one line, and goes on.
#[test]
fn whole_inputs_that_do_not_fit_are_refused() {
    let Some(mut worker) = Worker::found() else { return };
    let offers = offers(&mut worker);
    let (short, key, nonce) = ("00".repeat(15), "00".repeat(16), "00".repeat(12));
    let right = tag(&mut worker, ["hmac-sha256", &key, "-", "-", "-"], 32);
    let mut wrong: Vec<String> = vec![
        "tag hmac-sha256 00 - - 32".into(),
        "tag hmac-sha256 00 - - 32 - -".into(),
        "tag hmac-sha256 00 - - 0 -".into(),
        "tag hmac-sha256 00 - - 33 -".into(),
        "tag hmac-sha256 00 - - -1 -".into(),
        "tag hmac-sha256 0 - - 32 -".into(),
        "tag hmac-sha256 zz - - 32 -".into(),
        "tag hmac-sha256 -- - - 32 -".into(),
        "tag hmac-sha256 00 00 - 32 -".into(),
        "tag hmac-sha256 00 - 00 32 -".into(),
        "tag junk 00 - - 32 -".into(),
        "tag blake2b-keyed - - - 64 -".into(),
        format!("tag blake2b-keyed {} - - 64 -", "00".repeat(65)),
        format!("tag blake2s-keyed {} - - 32 -", "00".repeat(33)),
        "seal hmac-sha256 00 - - 32 -".into(),
        "unseal hmac-sha256 00 - - - 00".into(),
        "seal junk 00 - - 16 -".into(),
    ];
    // Lengths of key, tag and nonce that these libraries do not take; a composition is no mac, and
    // has nothing to be timed.
    let more = [
        ("poly1305", format!("tag poly1305 {key} - - 16 -")),
        ("gmac-aes-128", format!("tag gmac-aes-128 {key} - - 16 -")),
        ("gmac-aes-128", format!("tag gmac-aes-128 {key} {nonce} 00 16 -")),
        ("gmac-aes-128", format!("tag gmac-aes-128 {short} {nonce} - 16 -")),
        ("cmac-tdes-3", format!("tag cmac-tdes-3 {key} - - 8 -")),
        ("kmac128", "tag kmac128 - - - 32 -".into()),
        ("gcm-aes-128", format!("tag gcm-aes-128 {key} {nonce} - 16 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {key} {nonce} - 12 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {key} {nonce} 16 -")),
        ("gcm-aes-128", format!("seal gcm-aes-128 {short} {nonce} - 16 -")),
        ("gcm-aes-128", format!("unseal gcm-aes-128 {key} - - - {key}")),
        ("gcm-aes-128", format!("unseal gcm-aes-128 {key} {nonce} - - {short}")),
        ("gcm-aes-128", format!("open 1 gcm-aes-128 prepared single 0 {}", "00".repeat(31))),
        ("ccm-aes-128", format!("seal ccm-aes-128 {key} {nonce} - 5 -")),
        ("ccm-aes-128", format!("seal ccm-aes-128 {key} {key} - 16 -")),
        ("chacha20-poly1305", format!("seal chacha20-poly1305 {key}{key} {key} - 16 -")),
        ("eax-aes-128", format!("seal eax-aes-128 {key} - - 16 -")),
        ("eax-aes-128", format!("seal eax-aes-128 {key} {nonce} - 17 -")),
    ];
    worker.ok(&format!("pool {}", "00".repeat(STEP_BYTES * 15)));
    wrong.extend(more.into_iter().filter(|(mac, _)| offers.contains_key(*mac)).map(|more| more.1));
    for request in wrong {
        worker.err(request.as_bytes());
    }
    assert_eq!(tag(&mut worker, ["hmac-sha256", &key, "-", "-", "-"], 32), right);
    worker.close();
}

/// Interpreters in `MACROMETER_TEST_PYTHON`, separated as in `PATH`: other versions, other modules.
#[test]
fn other_interpreters() {
    let list = std::env::var_os("MACROMETER_TEST_PYTHON").unwrap_or_default();
    let paths: Vec<PathBuf> = std::env::split_paths(&list).collect();
    if list.is_empty() {
        println!("skipped: MACROMETER_TEST_PYTHON names no further interpreter");
        return;
    }
    for path in paths {
        let place = Place { name: Some("python-other".into()), path: Some(path.clone()) };
        let mut worker = Worker::spawn(&place).expect("an interpreter");
        assert_eq!(worker.ok("info")["name"], "python-other");
        let offers = check_offers(&mut worker, &mut StdRng::seed_from_u64(5));
        check_published(&mut worker);
        println!("{}: {} macs", path.display(), offers.len());
        worker.close();
    }
}

#[test]
fn wrong_requests_are_errors_and_change_nothing() {
    let Some(mut worker) = Worker::found() else { return };
    assert!(worker.err(b"open 1 hmac-sha256 prepared single 8 00").contains("pool"));
    worker.ok(&format!("pool {}", "5a".repeat(STEP_BYTES * 15 + 64)));
    let keys = "0f".repeat(32 + 15);
    worker.ok(&format!("open 1 hmac-sha256 prepared single 64 {keys}"));
    let right = worker.ok("prove 1 16");
    let wrong: [&[u8]; 28] = [
        b"",
        b" ",
        b"junk",
        b"INFO",
        b"info ",
        b"info now",
        b"cell 1",
        b"__init__ x",
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
    for request in wrong {
        worker.err(request);
    }
    assert!(
        worker
            .err(format!("open 1 hmac-sha256 prepared single 65 {keys}").as_bytes())
            .contains("pool")
    );
    assert_eq!(worker.ok("prove 1 16"), right);
    worker.close();
}

#[test]
#[cfg(unix)]
fn an_interrupt_does_not_end_it() {
    let Some(mut worker) = Worker::found() else { return };
    // Its handler is set before the first reply.
    worker.ok("info");
    let mut kill = Command::new("kill");
    let killed = kill.args(["-INT", &worker.child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    worker.ok("info");
    worker.close();
}

#[test]
fn an_absent_interpreter_is_an_error_that_names_it() {
    let place = Place { path: Some("/nonexistent/python3".into()), ..Place::default() };
    let error = Worker::spawn(&place).err().expect("there is none");
    assert!(error.contains("/nonexistent/python3") && error.lines().count() == 1, "{error}");
}
