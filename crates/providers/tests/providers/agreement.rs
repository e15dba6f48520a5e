//! Properties of every in-process provider, offer and key life found here: the tags are those of
//! our own library, contexts keep the key and nothing else, and wrong arguments are errors.

use providers::{KeyLife, rust::null};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

use crate::installed::{Installed, in_process};

/// Beside every length about the blocks of all macs: some KiB, and multiples of nothing.
const LONG_LENS_BYTES: [usize; 5] = [1000, 1024, 4095, 4096, 10_007];

fn bytes(rng: &mut StdRng, len_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0; len_bytes];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// The tag that `macs` computes; where a nonce is taken, that of timed messages.
pub fn right_tag(mac: &str, key: &[u8], message: &[u8]) -> Vec<u8> {
    let info = macs::find(mac).expect("in the catalog");
    let nonce = vec![0; info.nonce.map_or(0, |nonce| nonce.len_bytes)];
    if info.is_composition() {
        let made = macs::DynComposition::with_info(info, key).expect(mac);
        let sealed = made.seal(&nonce, &[], message).expect(mac);
        return sealed[sealed.len() - info.tag_len_bytes..].to_vec();
    }
    let mut tag = vec![0; info.tag_len_bytes];
    let made = macs::DynMac::with_info(info, key).expect(mac);
    made.mac_with_nonce_into(&nonce, message, &mut tag).expect(mac);
    tag
}

/// Their CBC-MAC of the empty message is not that of the standard, and refused; ipsec-mb has no
/// HMAC of it.
fn is_refused(found: &Installed, mac: &str, message: &[u8]) -> bool {
    let refused = match &found.name[..] {
        "botan" | "cryptopp" | "rustcrypto" => "cbc-mac-",
        "ipsec-mb" => "hmac-",
        _ => return false,
    };
    mac.starts_with(refused) && message.is_empty()
}

/// Calls `check(provider, mac, key_life, tag_len_bytes)` for each offer of a real mac.
pub fn for_each_offer(mut check: impl FnMut(&Installed, &str, KeyLife, usize)) {
    let mut checked = 0;
    for found in in_process() {
        for offer in found.provider.info().offers {
            // What is only proved and not timed has no key lives.
            if found.name == null::ROW.name || offer.key_lives.is_empty() {
                continue;
            }
            let tag_len_bytes = found.provider.tag_len_bytes(&offer.mac).expect("it is offered");
            for key_life in offer.key_lives {
                check(&found, &offer.mac, key_life, tag_len_bytes);
                checked += 1;
            }
        }
    }
    // The two that are always there: macs with three key lives, and two of compositions; rustcrypto
    // with two of 67 macs and 28 compositions.
    let lives = |info: &macs::MacInfo| if info.is_composition() { 2 } else { 3 };
    let of_ours: usize = macs::catalog().iter().map(lives).sum();
    assert!(checked >= of_ours + (67 + 28) * 2, "only {checked} offers");
}

#[test]
fn tags_are_equal_across_providers() {
    for_each_offer(|found, mac, key_life, tag_len_bytes| {
        let what = format!("{}/{mac}/{key_life}", found.name);
        let mut rng = StdRng::seed_from_u64(1);
        let key_len_bytes = macs::find(mac).expect("in the catalog").key_len_bytes;
        let keys = [(); 3].map(|()| bytes(&mut rng, key_len_bytes));
        let mut tagger = found.provider.tagger(mac, key_life, &keys[0]).expect(&what);
        // In random order, so that a context that keeps something of the last message shows it.
        let mut lens: Vec<_> = (0..=130).chain(LONG_LENS_BYTES).collect();
        lens.shuffle(&mut rng);
        for (call, len_bytes) in lens.into_iter().enumerate() {
            let message = bytes(&mut rng, len_bytes);
            let given = &keys[call % 3];
            // A prepared tagger must ignore the key it is handed.
            let key = if key_life == KeyLife::Prepared { &keys[0] } else { given };
            let mut tag = vec![0xAA; tag_len_bytes];
            let called = tagger(given, &message, &mut tag);
            if is_refused(found, mac, &message) {
                called.expect_err(&what);
                continue;
            }
            called.expect(&what);
            assert_eq!(
                tag,
                right_tag(mac, key, &message),
                "{what}, {len_bytes} bytes, call {call}"
            );
        }
    });
}

#[test]
fn hmac_takes_keys_of_any_length() {
    for_each_offer(|found, mac, key_life, tag_len_bytes| {
        if !mac.starts_with("hmac-") {
            return;
        }
        let mut rng = StdRng::seed_from_u64(2);
        for key_len_bytes in [0, 1, 63, 64, 65, 127, 128, 129, 200] {
            let what = format!("{}/{mac}/{key_life}, key of {key_len_bytes}", found.name);
            let (key, message) = (bytes(&mut rng, key_len_bytes), bytes(&mut rng, 77));
            let mut tag = vec![0; tag_len_bytes];
            let mut tagger = found.provider.tagger(mac, key_life, &key).expect(&what);
            tagger(&key, &message, &mut tag).expect(&what);
            assert_eq!(tag, right_tag(mac, &key, &message), "{what}");
        }
    });
}

#[test]
fn two_taggers_do_not_disturb_each_other() {
    for_each_offer(|found, mac, key_life, tag_len_bytes| {
        let mut rng = StdRng::seed_from_u64(3);
        let key_len_bytes = macs::find(mac).expect("in the catalog").key_len_bytes;
        let keys = [(); 2].map(|()| bytes(&mut rng, key_len_bytes));
        let open = |key: &[u8]| found.provider.tagger(mac, key_life, key).expect("it is offered");
        let mut taggers = [open(&keys[0]), open(&keys[1])];
        for call in 0..6 {
            let (message, which) = (bytes(&mut rng, 40 * call + 1), call % 2);
            let mut tag = vec![0; tag_len_bytes];
            taggers[which](&keys[which], &message, &mut tag).expect("a right call");
            assert_eq!(
                tag,
                right_tag(mac, &keys[which], &message),
                "{}/{mac}/{key_life}",
                found.name
            );
        }
    });
}

#[test]
fn a_tag_slice_of_another_length_is_an_error_and_harmless() {
    for_each_offer(|found, mac, key_life, tag_len_bytes| {
        let what = format!("{}/{mac}/{key_life}", found.name);
        let key: Vec<u8> =
            (1..=macs::find(mac).expect("in the catalog").key_len_bytes as u8).collect();
        let mut tagger = found.provider.tagger(mac, key_life, &key).expect(&what);
        for wrong in [0, 1, tag_len_bytes - 1, tag_len_bytes + 1] {
            // Canaries on both sides of what the tagger may touch.
            let mut memory = vec![0xAA; wrong + 128];
            let called = tagger(&key, b"message", &mut memory[64..64 + wrong]);
            assert!(called.is_err(), "{what}: a tag of {wrong} bytes");
            let outside = memory[..64].iter().chain(&memory[64 + wrong..]);
            assert!(outside.into_iter().all(|byte| *byte == 0xAA), "{what}: wrote beside the tag");
        }
        let mut tag = vec![0; tag_len_bytes];
        tagger(&key, b"message", &mut tag).expect(&what);
        assert_eq!(tag, right_tag(mac, &key, b"message"), "{what}, after the errors");
    });
}

#[test]
fn what_is_not_offered_is_refused() {
    for found in in_process() {
        let (name, provider) = (&found.name, &found.provider);
        assert!(provider.tagger("hmac-sha3", KeyLife::Prepared, &[1; 32]).is_err(), "{name}");
        assert_eq!(provider.tag_len_bytes("hmac-sha3"), None, "{name}");
        for offer in provider.info().offers {
            // The floor and single blocks of a cipher are no macs.
            let Some(info) = macs::find(&offer.mac) else { continue };
            for key_life in KeyLife::ALL {
                let offered = offer.key_lives.contains(&key_life);
                // Bytes that differ: libraries may refuse a degenerate TDES key.
                let key: Vec<u8> = (1..=info.key_len_bytes as u8).collect();
                let opened = provider.tagger(&offer.mac, key_life, &key);
                assert_eq!(opened.is_ok(), offered, "{name}/{}/{key_life}", offer.mac);
                if !info.accepted_key_len.accepts(key.len() - 1) {
                    let opened = provider.tagger(&offer.mac, key_life, &key[1..]);
                    assert!(opened.is_err(), "{name}/{}/{key_life}: a short key", offer.mac);
                }
            }
        }
    }
}

#[test]
fn null_writes_its_tag_and_nothing_else() {
    let null = in_process().into_iter().find(|found| found.name == "null").expect("always there");
    let len_bytes = null.provider.tag_len_bytes(null::MAC).expect("its one mac");
    for key_life in KeyLife::ALL {
        let mut tagger = null.provider.tagger(null::MAC, key_life, b"").expect("all key lives");
        let mut tag = vec![0; len_bytes];
        tagger(b"key", b"message", &mut tag).expect("nothing can fail");
        assert_ne!(tag, vec![0; len_bytes]);
        assert!(tagger(b"key", b"message", &mut tag[1..]).is_err());
    }
}

#[test]
fn null_has_the_frames_of_macs() {
    let null = in_process().into_iter().find(|found| found.name == "null").expect("always there");
    let offers = null.provider.info().offers;
    let names: Vec<&str> = offers.iter().map(|offer| offer.mac.as_str()).collect();
    assert_eq!(names, ["null", "null-hmac-sha256", "null-khc1-sha256", "null-khc2-sha256"]);
    for offer in &offers[1..] {
        assert!(macs::find(&offer.mac).is_none(), "{} is no mac", offer.mac);
        assert_eq!(null.provider.tag_len_bytes(&offer.mac), Some(32));
        let tags = [[1; 32], [2; 32]].map(|key| {
            let tags = [KeyLife::Prepared, KeyLife::NewKey].map(|key_life| {
                let mut tagger = null.provider.tagger(&offer.mac, key_life, &key).expect("offered");
                let mut tag = [0; 32];
                tagger(&key, b"message", &mut tag).expect("a key of 32 bytes");
                assert!(tagger(&key, b"message", &mut tag[1..]).is_err());
                tag
            });
            assert_eq!(tags[0], tags[1], "{}", offer.mac);
            tags[0]
        });
        // The two keyed blocks of HMAC cancel each other, where all that is done is XOR.
        let is_hmac = offer.mac == "null-hmac-sha256";
        assert_eq!(tags[0] == tags[1], is_hmac, "{} depends on the key", offer.mac);
        assert!(null.provider.tagger(&offer.mac, KeyLife::OneShot, &[1; 32]).is_err());
        assert!(null.provider.tagger(&offer.mac, KeyLife::Prepared, &[1; 31]).is_err());
    }
}
