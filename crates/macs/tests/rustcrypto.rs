//! Our macs and those of RustCrypto's `hmac` and `cmac` crates take each other's place: the same
//! generic code over the `digest` traits runs both, and they agree on random input.
#![cfg(feature = "full")]

use digest::common::BlockSizeUser;
use digest::{FixedOutputReset, KeyInit, Mac};
use macs::ciphers::{Aes128, Aes192, Aes256, Rc6_128, Rc6_192, Rc6_256};
use macs::ciphers::{Foreign, Serpent256, Twofish128};
use macs::{Cmac, DynMac, MacInfo, PreparedMac, catalog};
use proptest::prelude::*;
use rc6::RC6;

/// Everything a user of `digest::Mac` can do; returns the tag.
fn through_the_traits<M: Mac + KeyInit + FixedOutputReset + Clone>(
    key: &[u8],
    message: &[u8],
) -> Vec<u8> {
    let mut mac = M::new_from_slice(key).unwrap();
    let (head, rest) = message.split_at(message.len() / 3);
    Mac::update(&mut mac, head);
    let mut half = mac.clone();
    Mac::update(&mut mac, rest);
    let tag = mac.finalize_reset().into_bytes();

    Mac::update(&mut half, rest);
    half.clone().verify(&tag).unwrap();
    half.clone().verify_slice(&tag).unwrap();
    half.clone().verify_truncated_left(&tag[..4]).unwrap();
    half.clone().verify_truncated_right(&tag[4..]).unwrap();
    half.clone().verify_slice(&tag[..4]).unwrap_err();
    half.clone().verify_truncated_left(&[]).unwrap_err();

    Mac::update(&mut mac, b"left over");
    Mac::reset(&mut mac);
    let mut wrong = tag.clone();
    wrong[0] ^= 1;
    mac.chain_update(message).verify_slice(&wrong).unwrap_err();

    tag.to_vec()
}

/// RustCrypto's tag, for a type that need not be `Clone`.
fn theirs<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mac = <M as KeyInit>::new_from_slice(key).unwrap();
    mac.chain_update(message).finalize().into_bytes().to_vec()
}

#[test]
fn the_same_code_runs_ours_and_theirs() {
    let (key, message) = ([0x5a; 16], [0xc3; 100]);
    assert_eq!(
        through_the_traits::<macs::HmacSha256>(&key, &message),
        through_the_traits::<hmac::HmacReset<sha2::Sha256>>(&key, &message),
    );
    assert_eq!(
        through_the_traits::<macs::HmacMd5>(&key, &message),
        through_the_traits::<hmac::HmacReset<md5::Md5>>(&key, &message),
    );
    assert_eq!(
        through_the_traits::<Cmac<Foreign<aes::Aes128>>>(&key, &message),
        through_the_traits::<cmac::Cmac<Foreign<aes::Aes128>>>(&key, &message),
    );
    assert_eq!(
        through_the_traits::<Cmac<macs::ciphers::TdesEde2>>(&key, &message),
        through_the_traits::<cmac::Cmac<des::TdesEde2>>(&key, &message),
    );
}

#[test]
fn sizes_are_those_of_rustcrypto() {
    fn sizes<M: Mac + KeyInit + BlockSizeUser>() -> [usize; 3] {
        [M::key_size(), M::output_size(), M::block_size()]
    }
    assert_eq!(sizes::<macs::HmacSha384>(), [128, 48, 128]);
    assert_eq!(sizes::<macs::HmacSha384>(), sizes::<hmac::Hmac<sha2::Sha384>>());
    assert_eq!(sizes::<Cmac<Aes192>>(), [24, 16, 16]);
    assert_eq!(sizes::<Cmac<Aes192>>(), sizes::<cmac::Cmac<aes::Aes192>>());
}

#[test]
fn secrets_are_wiped_and_not_printed() {
    fn wiped_on_drop<T: zeroize::ZeroizeOnDrop>() {}
    wiped_on_drop::<macs::HmacSha512>();
    wiped_on_drop::<Cmac<Aes128>>();
    wiped_on_drop::<Cmac<Rc6_256>>();
    wiped_on_drop::<Cmac<Serpent256>>();
    wiped_on_drop::<Cmac<macs::ciphers::TdesEde3>>();
    wiped_on_drop::<Cmac<Twofish128>>();
    let mac = macs::HmacSha256::new_from_slice(&[0x41; 32]).unwrap();
    assert_eq!(format!("{mac:?}"), "Hmac { .. }");
    let mac = Cmac::<Aes128>::new_from_slice(&[0x41; 16]).unwrap();
    assert_eq!(format!("{mac:?}"), "Cmac { .. }");
    let mac = DynMac::new("cmac-aes-128", &[0x41; 16]).unwrap();
    assert_eq!(format!("{mac:?}"), "DynMac { name: \"cmac-aes-128\", .. }");
}

/// RustCrypto's tag for a catalog name, where `hmac` or `cmac` has that mac.
fn reference(name: &str, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    use digest::consts::{U16, U20, U24, U32};
    Some(match name {
        "cmac-aes-128" => theirs::<cmac::Cmac<Foreign<aes::Aes128>>>(key, message),
        "cmac-aes-192" => theirs::<cmac::Cmac<aes::Aes192>>(key, message),
        "cmac-aes-256" => theirs::<cmac::Cmac<aes::Aes256>>(key, message),
        "cmac-rc6-128" => theirs::<cmac::Cmac<RC6<u32, U20, U16>>>(key, message),
        "cmac-rc6-192" => theirs::<cmac::Cmac<RC6<u32, U20, U24>>>(key, message),
        "cmac-rc6-256" => theirs::<cmac::Cmac<RC6<u32, U20, U32>>>(key, message),
        "cmac-tdes-2" => theirs::<cmac::Cmac<des::TdesEde2>>(key, message),
        "cmac-tdes-3" => theirs::<cmac::Cmac<des::TdesEde3>>(key, message),
        "hmac-md5" => theirs::<hmac::Hmac<md5::Md5>>(key, message),
        "hmac-sha1" => theirs::<hmac::Hmac<sha1::Sha1>>(key, message),
        "hmac-sha224" => theirs::<hmac::Hmac<sha2::Sha224>>(key, message),
        "hmac-sha256" => theirs::<hmac::Hmac<sha2::Sha256>>(key, message),
        "hmac-sha384" => theirs::<hmac::Hmac<sha2::Sha384>>(key, message),
        "hmac-sha512" => theirs::<hmac::Hmac<sha2::Sha512>>(key, message),
        "hmac-sha512-224" => theirs::<hmac::Hmac<sha2::Sha512_224>>(key, message),
        "hmac-sha512-256" => theirs::<hmac::Hmac<sha2::Sha512_256>>(key, message),
        _ if name.starts_with("cmac-serpent-") => {
            theirs::<cmac::Cmac<serpent::Serpent>>(key, message)
        }
        _ if name.starts_with("cmac-twofish-") => {
            theirs::<cmac::Cmac<twofish::Twofish>>(key, message)
        }
        _ => return None,
    })
}

/// The macs that `hmac` and `cmac` have as well.
fn shared_macs() -> impl Iterator<Item = &'static MacInfo> {
    let is_shared = |info: &&MacInfo| reference(info.name, &key_of(info), b"").is_some();
    catalog().iter().filter(is_shared)
}

fn key_of(info: &MacInfo) -> Vec<u8> {
    (0..info.key_len_bytes).map(|i| (i * 7 + 3) as u8).collect()
}

/// Every length from 0 to four blocks and one, once.
#[test]
fn ours_equals_theirs_at_every_length_around_the_blocks() {
    assert!(shared_macs().count() >= 22);
    for info in shared_macs() {
        let key = key_of(info);
        let mac = DynMac::with_info(info, &key).unwrap();
        let message: Vec<u8> =
            (0..4 * info.primitive.block_len_bytes + 1).map(|i| (i % 251) as u8).collect();
        let mut tag = vec![0; info.tag_len_bytes];
        for len in 0..=message.len() {
            mac.mac_into(&message[..len], &mut tag).unwrap();
            let theirs = reference(info.name, &key, &message[..len]);
            assert_eq!(Some(&tag), theirs.as_ref(), "{} {len}", info.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn ours_equals_theirs(
        keys in prop::collection::vec(any::<u8>(), 300),
        hmac_key_len in 0..=300_usize,
        message in prop::collection::vec(any::<u8>(), 0..5000),
    ) {
        for info in shared_macs() {
            let key_len = match info.accepted_key_len {
                macs::Len::Exactly(len) => len as usize,
                _ => hmac_key_len,
            };
            let key = &keys[..key_len];
            let tag = macs::mac(info.name, key, &message).unwrap();
            prop_assert_eq!(Some(tag), reference(info.name, key, &message), "{}", info.name);
        }
    }
}

#[test]
fn a_clone_has_its_own_message() {
    fn check<M: PreparedMac>(key: &[u8]) {
        let mut mac = M::new_from_slice(key).unwrap();
        Mac::update(&mut mac, b"begun");
        let mut clone = mac.clone();
        Mac::update(&mut clone, b" and gone on");
        assert!(mac.finalize() != clone.finalize());
    }
    check::<macs::HmacSha1>(b"key");
    check::<Cmac<Aes256>>(&[1; 32]);
    check::<Cmac<Rc6_128>>(&[1; 16]);
    check::<Cmac<Rc6_192>>(&[1; 24]);
}
