//! RustCrypto beyond what holds for every provider: whole inputs against our own library, what is
//! refused, and the table of versions.

use std::fs;

use macs::{DynComposition, DynMac, Len, MacInfo};
use providers::rust::rustcrypto::{ROW, VERSIONS};
use providers::rust::{aws_lc_rs, graviola, ring};
use providers::{Inputs, Kind, Place, Provider, Sealed};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

/// Random inputs of each mac.
const COUNT: usize = 1_000;

fn rustcrypto() -> Box<dyn Provider> {
    let Kind::InProcess(open) = ROW.kind else { panic!("rustcrypto is in-process") };
    open(&Place::default()).expect("always there")
}

/// What it offers: macs, or compositions.
fn offered(are_compositions: bool) -> Vec<&'static MacInfo> {
    let offers = rustcrypto().info().offers.into_iter();
    offers
        .map(|offer| macs::find(&offer.mac).expect("in the catalog"))
        .filter(|info| info.is_composition() == are_compositions)
        .collect()
}

fn bytes(rng: &mut StdRng, len_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0; len_bytes];
    rng.fill_bytes(&mut bytes);
    bytes
}

fn one_of(rng: &mut StdRng, lens_bytes: &[usize]) -> usize {
    lens_bytes[rng.random_range(0..lens_bytes.len())]
}

#[test]
fn all_that_has_a_crate_is_offered() {
    let offers = rustcrypto().info().offers;
    assert!(offers.is_sorted_by(|a, b| a.mac < b.mac));
    assert!(offers.iter().all(|offer| offer.key_lives.len() >= 2));
    // 14 ciphers in three modes, 9 in CMAC only, 18 hashes in HMAC, 7 keyed hashes, GMAC and
    // Poly1305; two modes over the 12 ciphers with wide blocks, GCM, SIV and GCM-SIV with two
    // lengths of keys, ChaCha20-Poly1305.
    let right = (14 * 3 + 9 + 18 + 7 + 4, 2 * 12 + 3 + 4 + 1);
    assert_eq!((offered(false).len(), offered(true).len()), right);
}

#[test]
fn tags_of_random_inputs_are_those_of_macs() {
    let provider = rustcrypto();
    let mut rng = StdRng::seed_from_u64(6);
    for info in offered(false) {
        // Neither takes all: docs/providers.md.
        let shortest = usize::from(info.name.starts_with("cbc-mac-"));
        let nonce_len = info.nonce.map_or(0, |_| 12);
        for _ in 0..COUNT {
            let any_len = rng.random_range(0..200);
            let key_len =
                if info.accepted_key_len == Len::Any { any_len } else { info.key_len_bytes };
            let message_len = rng.random_range(shortest..600);
            let key = bytes(&mut rng, key_len);
            let nonce = bytes(&mut rng, nonce_len);
            let message = bytes(&mut rng, message_len);
            // A short tag of BLAKE2 is not the beginning of the longest one, which is all it has.
            let shortest = if info.accepted_tag_len.accepts(1) { info.tag_len_bytes } else { 1 };
            let tag_len_bytes = rng.random_range(shortest..=info.tag_len_bytes);
            let mut right = vec![0; info.tag_len_bytes];
            let mac = DynMac::with_info(info, &key).expect(info.name);
            mac.mac_with_nonce_into(&nonce, &message, &mut right).expect(info.name);
            let inputs = Inputs {
                key: &key,
                nonce: &nonce,
                message: &message,
                tag_len_bytes,
                ..Inputs::default()
            };
            let tag = provider.tag(info.name, &inputs).expect(info.name);
            assert_eq!(tag, right[..tag_len_bytes], "{}", info.name);
        }
    }
}

/// The lengths of nonces and tags that are in the types used.
fn lens_bytes(mac: &str) -> (&[usize], &[usize]) {
    match mac.split('-').next() {
        Some("ccm") => (&[12, 13], &[4, 8, 16]),
        Some("eax") => (&[16], &[4, 8, 16]),
        Some("siv") => (&[16], &[16]),
        _ => (&[12], &[16]),
    }
}

#[test]
fn compositions_of_random_inputs_are_those_of_macs() {
    let provider = rustcrypto();
    let mut rng = StdRng::seed_from_u64(7);
    for info in offered(true) {
        let (nonces, tags) = lens_bytes(info.name);
        for _ in 0..COUNT {
            let (nonce_len, tag_len_bytes) = (one_of(&mut rng, nonces), one_of(&mut rng, tags));
            let (data_len, len) = (rng.random_range(0..100), rng.random_range(0..400));
            let key = bytes(&mut rng, info.key_len_bytes);
            let nonce = bytes(&mut rng, nonce_len);
            let (data, message) = (bytes(&mut rng, data_len), bytes(&mut rng, len));
            let (mut sealed, mut right) = (message.clone(), vec![0; tag_len_bytes]);
            let ours = DynComposition::with_info(info, &key).expect(info.name);
            let ours = ours.with_tag_len(tag_len_bytes).expect(info.name);
            ours.seal_in_place(&nonce, &data, &mut sealed, len, &mut right).expect(info.name);
            let inputs = Inputs {
                key: &key,
                nonce: &nonce,
                associated_data: &data,
                message: &message,
                tag_len_bytes,
                ..Inputs::default()
            };
            let Sealed { ciphertext, tag } = provider.seal(info.name, &inputs).expect(info.name);
            assert!(ciphertext == sealed && tag == right, "{}", info.name);
            let inputs = Inputs { message: &sealed, ..inputs };
            let opened = provider.unseal(info.name, &inputs, &right).expect(info.name);
            assert_eq!(opened.as_ref(), Some(&message), "{}", info.name);
            let place = rng.random_range(0..tag_len_bytes);
            right[place] ^= 1 << rng.random_range(0..8);
            let opened = provider.unseal(info.name, &inputs, &right).expect(info.name);
            assert_eq!(opened, None, "{}: a wrong tag", info.name);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_in_one_line() {
    let provider = rustcrypto();
    let fits =
        Inputs { key: &[1; 16], message: b"message", tag_len_bytes: 16, ..Inputs::default() };
    let nonce: &[u8] = &[2; 12];
    let tags = [
        ("cbc-mac-aes-128", Inputs { message: b"", ..fits }),
        ("cmac-aes-128", Inputs { key: &[1; 15], ..fits }),
        ("cmac-aes-128", Inputs { nonce, ..fits }),
        ("cmac-aes-128", Inputs { customization: b"mine", ..fits }),
        ("gmac-aes-128", fits),
        ("gmac-aes-128", Inputs { nonce: &[2; 16], ..fits }),
        ("gcm-aes-128", Inputs { nonce, ..fits }),
        ("siphash-4-8", fits),
        ("hmac-sha3", fits),
    ];
    for (mac, inputs) in tags {
        let reason = provider.tag(mac, &inputs).expect_err(mac).to_string();
        assert!(!reason.is_empty() && reason.lines().count() == 1, "{mac}: {reason}");
    }
    let sealed = [
        ("cmac-aes-128", Inputs { nonce, ..fits }),
        ("gcm-aes-128", Inputs { nonce: &[2; 16], ..fits }),
        ("gcm-aes-128", Inputs { nonce, tag_len_bytes: 12, ..fits }),
        ("gcm-aes-128", Inputs { nonce, key: &[1; 17], ..fits }),
        ("ccm-aes-128", Inputs { nonce: &[2; 7], ..fits }),
        ("ccm-aes-128", Inputs { nonce, tag_len_bytes: 5, ..fits }),
        ("eax-aes-128", Inputs { nonce, ..fits }),
    ];
    for (mac, inputs) in sealed {
        let tag = vec![0; inputs.tag_len_bytes];
        let reasons = [
            provider.seal(mac, &inputs).expect_err(mac),
            provider.unseal(mac, &inputs, &tag).expect_err(mac),
        ];
        for reason in reasons.map(|refused| refused.to_string()) {
            assert!(!reason.is_empty() && reason.lines().count() == 1, "{mac}: {reason}");
        }
    }
}

#[test]
fn versions_are_those_of_the_lock_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = fs::read_to_string(path).expect("the workspace has a lock file");
    let mut lines = lock.lines().peekable();
    let mut packages = Vec::new();
    while let Some(line) = lines.next() {
        let (name, version) = (value(line, "name"), lines.peek());
        if let (Some(name), Some(version)) = (name, version.and_then(|line| value(line, "version")))
        {
            packages.push((name, version));
        }
    }
    let of_all = VERSIONS.into_iter().chain(ring::VERSIONS).chain(aws_lc_rs::VERSIONS);
    for (name, version) in of_all.chain(graviola::VERSIONS) {
        let locked: Vec<_> = packages.iter().filter(|package| package.0 == name).collect();
        assert_eq!(locked, [&(name, version)], "correct VERSIONS in src/rust");
    }
}

fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')
}
