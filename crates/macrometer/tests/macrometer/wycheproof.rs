//! Project Wycheproof through every provider of this machine, in the process of ours or in a
//! language of its own: right tags are made and accepted, and every forgery that it collects is
//! refused. A provider may refuse valid cases (many take nonces of 12 bytes only), but not all of a
//! MAC that it offers; our own library refuses none.

use std::collections::BTreeMap;

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

/// No case of these sets is merely acceptable. Of one that a later version has it must be said here
/// what is right.
fn word(result: TestResult) -> &'static str {
    match result {
        TestResult::Valid => "valid",
        TestResult::Invalid => "invalid",
        TestResult::Acceptable => panic!("a case of Wycheproof that may be refused or not"),
    }
}

fn macs_without_a_nonce() -> Vec<Value> {
    let mut cases = Vec::new();
    for test in mac::TestName::all() {
        let name = of_mac(test);
        for group in mac::TestSet::load(test).unwrap().test_groups {
            cases.extend(group.tests.iter().map(|case| {
                json!({
                    "id": format!("{name} {}", case.tc_id), "mac": named(name, &case.key),
                    "key": hex::encode(&case.key[..]), "msg": hex::encode(&case.msg[..]),
                    "tag": hex::encode(&case.tag[..]), "tag_bits": group.tag_size,
                    "result": word(case.result),
                })
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
            cases.extend(group.tests.iter().map(|case| {
                json!({
                    "id": format!("{name} {}", case.tc_id), "mac": named(name, &case.key),
                    "key": hex::encode(&case.key[..]), "nonce": hex::encode(&case.nonce[..]),
                    "msg": hex::encode(&case.msg[..]), "tag": hex::encode(&case.tag[..]),
                    "tag_bits": group.tag_size, "result": word(case.result),
                })
            }));
        }
    }
    cases
}

/// Our name of a composition, or why no provider is asked. Every set is in this list, or it does
/// not compile.
fn of_composition(test: aead::TestName) -> Result<&'static str, &'static str> {
    use aead::TestName::*;
    Ok(match test {
        Aegis128L => "aegis-128l",
        Aegis256 => "aegis-256",
        AesCcm => "ccm-aes",
        AesEax => "eax-aes",
        AesGcm => "gcm-aes",
        AesGcmSiv => "gcm-siv-aes",
        AesSivCmac => "siv-aes",
        ChaCha20Poly1305 => "chacha20-poly1305",
        AriaCcm | AriaGcm | CamelliaCcm | Sm4Ccm | Sm4Gcm => {
            return Err("not in the catalog; the test of crates/macs has it, by its type");
        }
        Aegis128 => return Err("the draft of AEGIS left AEGIS-128 out"),
        Aes128CbcHmacSha256 | Aes192CbcHmacSha384 | Aes256CbcHmacSha512 => {
            return Err("CBC is combined with CMAC only");
        }
        Ascon128 | Ascon128a | Ascon80pq => {
            return Err("of Ascon there are the MACs only, without encryption");
        }
        Morus640 | Morus1280 => return Err("MORUS has no MAC of its own"),
        SeedCcm | SeedGcm => return Err("there is no cipher SEED"),
        XChaCha20Poly1305 => return Err("there is no XChaCha20"),
    })
}

fn compositions() -> Vec<Value> {
    let mut cases = Vec::new();
    for test in aead::TestName::all() {
        let name = match of_composition(test) {
            Ok(name) => name,
            Err(reason) => {
                println!("{test:?} is left out: {reason}");
                continue;
            }
        };
        for group in aead::TestSet::load(test).unwrap().test_groups {
            cases.extend(group.tests.iter().map(|case| {
                // SIV takes two keys.
                let keys = if name == "siv-aes" { 2 } else { 1 };
                let cipher_key = &case.key[..case.key.len() / keys];
                json!({
                    "id": format!("{name} {}", case.tc_id), "mac": named(name, cipher_key),
                    "key": hex::encode(&case.key[..]), "nonce": hex::encode(&case.nonce[..]),
                    "ad": hex::encode(&case.aad[..]), "msg": hex::encode(&case.pt[..]),
                    "ct": hex::encode(&case.ct[..]), "tag": hex::encode(&case.tag[..]),
                    "tag_bits": group.tag_size, "result": word(case.result),
                })
            }));
        }
    }
    cases
}

/// How many valid cases a provider refuses of a MAC, by the lines that tell so: `refused: PROVIDER:
/// MAC: REASON (ID, ID and 7 more)`.
fn refused(told: &str) -> BTreeMap<(&str, &str), usize> {
    let mut refused = BTreeMap::new();
    let lines = told.lines().filter_map(|line| line.strip_prefix("refused: "));
    for line in lines.filter(|line| !line.contains(" random inputs: ")) {
        let (provider, rest) = line.split_once(": ").unwrap();
        let (mac, rest) = rest.split_once(": ").unwrap();
        let (_, ids) = rest.rsplit_once(" (").unwrap();
        let (named, more) = ids.split_once(" and ").unwrap_or((ids, "0 more)"));
        let more: usize = more.strip_suffix(" more)").unwrap().parse().unwrap();
        *refused.entry((provider, mac)).or_default() += named.split(", ").count() + more;
    }
    refused
}

#[test]
fn refusals_are_counted() {
    let told = "refused: a: gcm: no nonce (of 1) (x 1, x 2 and 7 more)\nrefused: a: gcm: no (y 3)\n\
                refused: b: gcm: 1 random inputs: no (1)\nnot tested: c: 1 case\n";
    assert_eq!(refused(told), BTreeMap::from([(("a", "gcm"), 10)]));
}

#[test]
fn every_provider_passes_wycheproof() {
    let cases = [macs_without_a_nonce(), macs_with_a_nonce(), compositions()].concat();
    let count = cases.len();
    assert!(count > 4000, "{count} cases");
    let mut valid: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases.iter().filter(|case| case["result"] == "valid") {
        *valid.entry(case["mac"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let bench = Bench::with(&[("wycheproof.json", &Value::from(cases).to_string())]);
    // Random inputs, on which all agree, are for other tests.
    let test = ["selftest", "--vectors", "wycheproof.json", "--random", "1", "--seed", "1"];
    let told = bench.right(&test);
    println!("{told}");
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(last, format!("{count} passed, 0 failed"), "{told}");
    // One provider that passes a case is enough for that line.
    for ((provider, mac), refused) in refused(&told) {
        let valid = valid[mac];
        assert!(provider != "macs", "macs refuses {refused} of {valid} valid cases of {mac}");
        assert!(refused < valid, "{provider} refuses all {valid} valid cases of {mac}");
    }
}
