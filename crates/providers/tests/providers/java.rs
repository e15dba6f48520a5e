//! The Java worker beyond what holds for every program: cold starts.

use providers::programs::java::ROW;

use crate::agreement::right_tag;
use crate::programs::worker::Worker;

/// A process that has done nothing else: the tag of a first call is right, what does not fit is
/// refused, and the worker then goes on as any other.
#[test]
fn a_first_call_has_the_right_tag_and_can_be_had_before_anything_else() {
    let Some(mut worker) = Worker::found(&ROW, ROW.name) else { return };
    let key: Vec<u8> = (1..=48).collect();
    let message = [0x5a; 29];
    for mac in ["emac-aes-128", "xcbc-aes-128", "cmac-tdes-3", "hmac-sha256"] {
        let key = &key[..macs::find(mac).expect("in the catalog").key_len_bytes];
        let words = format!("{} {}", hex::encode(key), hex::encode(message));
        let first = worker.ok(&format!("cold {mac} new-key {words}"));
        assert!(first["elapsed_ns"].as_u64().is_some_and(|ns| ns > 0), "{mac}: {first}");
        assert_eq!(first["tag"], hex::encode(right_tag(mac, key, &message)), "{mac}");
    }
    let empty = worker.ok(&format!("cold cmac-aes-128 new-key {} -", "00".repeat(16)));
    assert_eq!(empty["tag"], hex::encode(right_tag("cmac-aes-128", &[0; 16], &[])));
    for wrong in [
        "cold cmac-aes-128 new-key 00 5a".to_owned(),
        "cold cmac-aes-128 new-key 00".into(),
        format!("cold cmac-aes-128 forever {} 5a", "00".repeat(16)),
        format!("cold junk new-key {} 5a", "00".repeat(16)),
    ] {
        worker.err(wrong.as_bytes());
    }
    assert!(worker.offers().contains_key("cmac-aes-128"));
    let regimes = worker.ok("info")["regimes"].to_string();
    assert!(regimes.contains("cold-fixed") && regimes.contains("cold-rotated"), "{regimes}");
    worker.close();
}
