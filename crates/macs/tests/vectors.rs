//! Known answers. `tests/vectors/*.json` hold a few for every mac of the catalog (RFC 2202, RFC
//! 4231, SP 800-38B, Wycheproof, CAVP, an independent oracle for the rest); with
//! `MACROMETER_VECTORS=FOLDER` all cases of that folder that are about our macs are run as well.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use macs::{DynMac, catalog, find};
use serde::Deserialize;

const FILES: [&str; 3] = ["hmac.json", "cmac.json", "oracle_omac1.json"];

#[derive(Deserialize)]
struct Case {
    id: String,
    mac: String,
    key: String,
    msg: Option<String>,
    msg_repeat: Option<Repeat>,
    tag: String,
    tag_bits: Option<usize>,
    result: Option<String>,
}

/// `unit` over and over, up to `len` bytes.
#[derive(Deserialize)]
struct Repeat {
    unit: String,
    len: usize,
}

impl Case {
    fn message(&self) -> Vec<u8> {
        match (&self.msg, &self.msg_repeat) {
            (Some(msg), None) => bytes(msg),
            (None, Some(repeat)) => {
                bytes(&repeat.unit).into_iter().cycle().take(repeat.len).collect()
            }
            _ => panic!("{}: msg or msg_repeat", self.id),
        }
    }

    fn is_valid(&self) -> bool {
        self.result.as_deref() != Some("invalid")
    }

    /// Whether the macs of this crate say of the case what it says of itself.
    fn passes(&self) -> bool {
        match self.accepted() {
            Some(accepted) => accepted == self.is_valid(),
            None => !self.is_valid(),
        }
    }

    /// Whether the tag is accepted, by every way to a tag alike; `None` when the key is refused.
    fn accepted(&self) -> Option<bool> {
        let (message, tag) = (self.message(), bytes(&self.tag));
        let mut mac = DynMac::new(&self.mac, &bytes(&self.key)).ok()?;
        let len_is_as_said = self.tag_bits.is_none_or(|bits| bits == 8 * tag.len());

        let mut computed = vec![0; mac.tag_len_bytes()];
        mac.mac_into(&message, &mut computed).unwrap();
        let one_shot = !tag.is_empty() && computed.starts_with(&tag);

        mac.update(&message);
        let streamed = mac.verify_truncated_left(&tag).is_ok();
        assert_eq!(one_shot, streamed, "{}: one-shot and streaming disagree", self.id);
        if tag.len() == mac.tag_len_bytes() {
            mac.update(&message);
            assert_eq!(mac.verify(&tag).is_ok(), streamed, "{}: verify", self.id);
        }
        Some(streamed && len_is_as_said)
    }
}

fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hex")
}

/// The cases of one file that are about a mac of the catalog.
fn load(path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cases: Vec<Case> = serde_json::from_str(&text).expect("cases");
    cases.into_iter().filter(|case| find(&case.mac).is_some()).collect()
}

/// Runs the cases, prints the count, and panics naming those that failed.
fn run(name: &str, cases: &[Case]) {
    let failed: Vec<&str> =
        cases.iter().filter(|case| !case.passes()).map(|case| case.id.as_str()).collect();
    println!("{name}: {} passed, {} failed", cases.len() - failed.len(), failed.len());
    assert!(failed.is_empty(), "{name}: {failed:?}");
}

#[test]
fn known_answers_for_every_mac() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut covered = BTreeSet::new();
    for name in ["hmac.json", "cmac.json"] {
        let cases = load(&folder.join(name));
        run(name, &cases);
        covered.extend(cases.into_iter().map(|case| case.mac));
    }
    for mac in catalog() {
        assert!(covered.contains(mac.name), "{} has no known answer", mac.name);
    }
}

#[test]
fn all_known_answers_of_the_folder_asked_for() {
    let Some(folder) = std::env::var_os("MACROMETER_VECTORS") else {
        println!("not asked: set MACROMETER_VECTORS to a folder of vectors to run them all");
        return;
    };
    let mut all = Vec::new();
    for name in FILES {
        let cases = load(&Path::new(&folder).join(name));
        run(name, &cases);
        all.extend(cases);
    }
    run("all", &all);
}
