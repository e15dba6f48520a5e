//! Every way to a tag has a check beside it, which takes the right tag and nothing else: another
//! bit, length, message, nonce or key.
#![cfg(feature = "full")]

use digest::array::Array;
use digest::{KeyInit, Mac};
use macs::{
    Batch, DynMac, Error, Input, Job, Len, MacInfo, NonceMac, PreparedMac, catalog, ciphers,
};

const MESSAGE: &[u8] = b"a message";

fn macs_of_the_catalog() -> impl Iterator<Item = &'static MacInfo> {
    catalog().iter().filter(|info| !info.is_composition())
}

fn nonce_of(info: &MacInfo, number: u8) -> Vec<u8> {
    vec![number; info.nonce.map_or(0, |nonce| nonce.len_bytes)]
}

/// Tags that are not `right`: each bit of the first and last byte, all bytes, and shorter and
/// longer ones.
fn wrong_tags(right: &[u8]) -> Vec<Vec<u8>> {
    let mut wrong = vec![];
    for byte in [0, right.len() - 1] {
        for bit in 0..8 {
            let mut tag = right.to_vec();
            tag[byte] ^= 1 << bit;
            wrong.push(tag);
        }
    }
    wrong.push(right.iter().map(|byte| !byte).collect());
    wrong.extend([vec![], right[..1].to_vec(), right[..right.len() - 1].to_vec()]);
    wrong.push([right, &[0]].concat());
    wrong
}

#[test]
fn by_name_prepared_and_in_one_call() {
    for info in macs_of_the_catalog() {
        let (key, nonce) = (vec![7; info.key_len_bytes], nonce_of(info, 1));
        let mac = DynMac::with_info(info, &key).unwrap();
        let mut right = vec![0; info.tag_len_bytes];
        mac.mac_with_nonce_into(&nonce, MESSAGE, &mut right).unwrap();
        let prepared =
            |message: &[u8], tag: &[u8]| mac.verify_message_with_nonce(&nonce, message, tag);
        let at_once = |tag: &[u8]| macs::verify(info.name, &key, &nonce, MESSAGE, tag);
        assert_eq!((prepared(MESSAGE, &right), at_once(&right)), (Ok(()), Ok(())), "{}", info.name);
        if let Some(taken) = info.nonce {
            let missing = mac.verify_message(MESSAGE, &right);
            // What is missing is a nonce that the key takes.
            let accepted = match taken.one_len_per_key {
                true => Len::Exactly(taken.len_bytes as u64),
                false => taken.accepted_len,
            };
            assert_eq!(missing, Err(Error::NonceMissing { mac: info.name, accepted }));
            let other = mac.verify_message_with_nonce(&nonce_of(info, 2), MESSAGE, &right);
            assert_eq!(other, Err(Error::TagMismatch), "{}", info.name);
        } else {
            assert_eq!(mac.verify_message(MESSAGE, &right), Ok(()), "{}", info.name);
        }
        assert_eq!(prepared(b"another", &right), Err(Error::TagMismatch), "{}", info.name);
        for wrong in wrong_tags(&right) {
            for refused in [prepared(MESSAGE, &wrong), at_once(&wrong)] {
                if wrong.len() == right.len() {
                    assert_eq!(refused, Err(Error::TagMismatch), "{}", info.name);
                } else {
                    let is_tag_len = matches!(refused, Err(Error::Len { what: Input::Tag, .. }));
                    assert!(is_tag_len, "{}: {refused:?}", info.name);
                }
            }
        }
    }
    assert!(matches!(macs::verify("poetry", b"", b"", b"", b""), Err(Error::UnknownMac { .. })));
    let composition = macs::verify("gcm-aes-128", &[0; 16], &[0; 12], b"", &[0; 16]);
    assert!(matches!(composition, Err(Error::WrongKind { .. })));
}

/// Where the length of the nonces was chosen, that is the length which is asked for.
#[test]
fn a_missing_nonce_has_the_length_that_was_chosen() {
    let mut chosen = 0;
    for info in macs_of_the_catalog().filter(|info| info.nonce.is_some_and(|it| it.one_len_per_key))
    {
        let mac = DynMac::with_info(info, &vec![7; info.key_len_bytes]).unwrap();
        let mut mac = mac.with_nonce_len(12).unwrap();
        let missing = Err(Error::NonceMissing { mac: info.name, accepted: Len::Exactly(12) });
        let mut tag = vec![0; info.tag_len_bytes];
        assert_eq!(mac.mac_into(MESSAGE, &mut tag), missing);
        assert_eq!(mac.verify_message(MESSAGE, &tag), missing);
        assert_eq!(mac.finalize_reset_into(&mut tag), missing);
        assert_eq!(mac.verify(&tag), missing);
        chosen += 1;
    }
    assert!(chosen > 0);
}

/// A refused tag ends its message: the pieces, and the nonce, are not left for the next one.
#[test]
fn in_pieces_a_refused_tag_ends_the_message() {
    for info in macs_of_the_catalog() {
        let (key, nonce) = (vec![7; info.key_len_bytes], nonce_of(info, 1));
        let mut mac = DynMac::with_info(info, &key).unwrap();
        let mut right = vec![0; info.tag_len_bytes];
        mac.mac_with_nonce_into(&nonce, MESSAGE, &mut right).unwrap();
        let (first, last) = MESSAGE.split_at(2);
        for wrong in wrong_tags(&right) {
            for is_truncated in [false, true] {
                if is_truncated && (1..right.len()).contains(&wrong.len()) {
                    continue;
                }
                mac.update(first);
                if info.nonce.is_some() {
                    mac.set_nonce(&nonce).unwrap();
                }
                let refused = match is_truncated {
                    true => mac.verify_truncated_left(&wrong),
                    false => mac.verify(&wrong),
                };
                assert!(refused.is_err(), "{}", info.name);
                mac.update(last);
                if info.nonce.is_some() {
                    let missing = mac.verify(&right);
                    assert!(matches!(missing, Err(Error::NonceMissing { .. })), "{}", info.name);
                } else {
                    assert_eq!(mac.verify(&right), Err(Error::TagMismatch), "{}", info.name);
                }
            }
        }
        mac.update(MESSAGE);
        if info.nonce.is_some() {
            mac.set_nonce(&nonce).unwrap();
        }
        assert_eq!(mac.verify(&right), Ok(()), "{}", info.name);
    }
}

#[test]
fn in_batches() {
    for info in macs_of_the_catalog() {
        let (keys, nonce) = ([vec![7; info.key_len_bytes], vec![9; info.key_len_bytes]], [1, 2]);
        let nonces = nonce.map(|number| nonce_of(info, number));
        let batch = Batch::with_info(info, &[&keys[0], &keys[1]]).unwrap();
        let messages: Vec<Vec<u8>> = (0..20).map(|len| vec![3; 5 * len]).collect();
        let job =
            |(i, message): (usize, _)| Job::new(i % 2, message).with_nonce(&nonces[i / 2 % 2]);
        let jobs: Vec<Job<'_>> = messages.iter().map(Vec::as_slice).enumerate().map(job).collect();
        let mut tags = vec![0; jobs.len() * info.tag_len_bytes];
        batch.macs_into(&jobs, &mut tags).unwrap();
        assert_eq!(batch.verify(&jobs, &tags), Ok(()), "{}", info.name);

        let mut are_right = vec![false; jobs.len()];
        for wrong in [0, 7, jobs.len() - 1] {
            let mut tags = tags.clone();
            tags[(wrong + 1) * info.tag_len_bytes - 1] ^= 1;
            assert_eq!(batch.verify(&jobs, &tags), Err(Error::TagMismatch), "{}", info.name);
            batch.verify_each(&jobs, &tags, &mut are_right).unwrap();
            let expected = (0..jobs.len()).map(|number| number != wrong);
            assert!(are_right.iter().copied().eq(expected), "{} {wrong}", info.name);
        }
        are_right.fill(true);
        let short = batch.verify_each(&jobs, &tags[1..], &mut are_right);
        assert!(matches!(short, Err(Error::Len { what: Input::Tag, .. })), "{}", info.name);
        assert!(are_right.iter().all(|is_right| !is_right), "{}", info.name);
    }
}

#[test]
fn by_type_with_a_nonce() {
    fn check<M: NonceMac>() {
        let mut mac = M::new(&Default::default());
        let (nonce, mut right) = ([1; 8], Default::default());
        mac.mac_into(&nonce, MESSAGE, &mut right).unwrap();
        mac.verify_message(&nonce, MESSAGE, &right).unwrap();
        assert!(mac.verify_message(&[2; 8], MESSAGE, &right).is_err());
        assert!(mac.verify_message(&[], MESSAGE, &right).is_err());
        assert!(mac.verify_message(&[], MESSAGE, &vec![0; right.len()]).is_err());
        mac.update(b"dropped");
        assert!(mac.verify_reset(&[], &right).is_err());
        for wrong in wrong_tags(&right) {
            assert!(mac.verify_message(&nonce, MESSAGE, &wrong).is_err());
            mac.update(MESSAGE);
            assert!(mac.verify_reset(&nonce, &wrong).is_err());
        }
        mac.update(MESSAGE);
        mac.verify_reset(&nonce, &right).unwrap();
    }
    check::<macs::Gmac<ciphers::Aes128>>();
    check::<macs::Vmac64<ciphers::Aes256>>();
    check::<macs::Vmac128<ciphers::Serpent128>>();
    check::<macs::Umac32>();
    check::<macs::Umac64>();
    check::<macs::Umac96>();
    check::<macs::Umac128>();
}

#[test]
fn by_type_without_a_nonce() {
    fn check<M: PreparedMac>() {
        let mac = <M as KeyInit>::new(&Array::from_fn(|i| i as u8 + 1));
        let mut right = Default::default();
        mac.mac_into(MESSAGE, &mut right);
        mac.verify_message(MESSAGE, &right).unwrap();
        assert!(mac.verify_message(b"another", &right).is_err());
        for wrong in wrong_tags(&right) {
            assert!(mac.verify_message(MESSAGE, &wrong).is_err());
            assert!(Mac::verify_slice(mac.clone().chain_update(MESSAGE), &wrong).is_err());
        }
    }
    check::<macs::Blake3Keyed>();
    check::<macs::Cmac<ciphers::Aes128>>();
    check::<macs::HmacSha256>();
    check::<macs::Khc1Sha256>();
    check::<macs::Poly1305>();
}

/// The length of KMAC's tag is in the type of what is compared.
#[test]
fn by_type_of_kmac() {
    let mut mac = macs::Kmac128::new(b"key");
    let mut right = [0; 32];
    mac.mac_into(MESSAGE, &mut right);
    mac.verify_message(MESSAGE, &right).unwrap();
    let beginning: [u8; 4] = right[..4].try_into().unwrap();
    assert!(mac.verify_message(MESSAGE, &beginning).is_err());
    for bit in 0..256 {
        let mut wrong = right;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(mac.verify_message(MESSAGE, &wrong).is_err());
        mac.update(MESSAGE);
        assert!(mac.verify_reset(&wrong).is_err());
    }
    mac.update(MESSAGE);
    mac.verify_reset(&right).unwrap();
}
