//! What holds for every mac of the catalog, whatever it computes: all ways to a tag agree, state
//! does not leak from one message or key to the next, and nothing but the right tag is accepted.
#![cfg(feature = "full")]

use macs::{Batch, DynMac, Error, Input, Job, Len, MacInfo, catalog, mac};
use proptest::prelude::*;

/// All that are no compositions.
fn macs_of_the_catalog() -> impl Iterator<Item = &'static MacInfo> {
    catalog().iter().filter(|info| !info.is_composition())
}

/// A nonce of the mac's own length that ends in `number`; empty where the mac takes none.
fn nonce_of(info: &MacInfo, number: u8) -> Vec<u8> {
    let mut nonce = vec![0; info.nonce.map_or(0, |nonce| nonce.len_bytes)];
    if let Some(last) = nonce.last_mut() {
        *last = number;
    }
    nonce
}

/// A key of the mac's own length out of random bytes.
fn key_of(info: &MacInfo, random: &[u8]) -> Vec<u8> {
    random.iter().copied().cycle().take(info.key_len_bytes).collect()
}

fn tag_of(mac: &DynMac, message: &[u8]) -> Vec<u8> {
    let mut tag = vec![0; mac.tag_len_bytes()];
    mac.mac_with_nonce_into(&nonce_of(mac.info(), 1), message, &mut tag).unwrap();
    tag
}

/// Gives the message under way the nonce of [`tag_of`].
fn set_nonce(mac: &mut DynMac) {
    if mac.info().nonce.is_some() {
        mac.set_nonce(&nonce_of(mac.info(), 1)).unwrap();
    }
}

fn verify(mac: &mut DynMac, tag: &[u8]) -> Result<(), Error> {
    set_nonce(mac);
    mac.verify(tag)
}

/// Failing inputs are printed, and kept by hand as named tests, not in files.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() }
}

/// Pieces of a message: mostly short, so that block edges fall everywhere.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = prop_oneof![
        9 => prop::collection::vec(any::<u8>(), 0..40),
        2 => prop::collection::vec(any::<u8>(), 40..200),
        1 => prop::collection::vec(any::<u8>(), 200..1100),
    ];
    prop::collection::vec(piece, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..config() })]

    #[test]
    fn streaming_in_any_pieces_is_the_one_shot(
        random in prop::collection::vec(any::<u8>(), 1..64),
        pieces in pieces(),
    ) {
        let message = pieces.concat();
        for info in macs_of_the_catalog() {
            let mut mac = DynMac::with_info(info, &key_of(info, &random)).unwrap();
            let expected = tag_of(&mac, &message);
            for piece in &pieces {
                mac.update(piece);
            }
            set_nonce(&mut mac);
            let mut streamed = vec![0; mac.tag_len_bytes()];
            mac.finalize_reset_into(&mut streamed).unwrap();
            prop_assert_eq!(&streamed, &expected, "{}", info.name);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_clone_and_the_one_call_give_the_same_tag(
        random in prop::collection::vec(any::<u8>(), 1..64),
        head in prop::collection::vec(any::<u8>(), 0..300),
        rest in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let message = [&head[..], &rest].concat();
        for info in macs_of_the_catalog() {
            let key = key_of(info, &random);
            let mut begun = DynMac::with_info(info, &key).unwrap();
            let expected = tag_of(&begun, &message);
            begun.update(&head);
            set_nonce(&mut begun);
            let mut clone = begun.clone();
            begun.update(b"another end");
            clone.update(&rest);
            prop_assert!(clone.verify(&expected).is_ok(), "{} clone", info.name);

            let mut tag = vec![0; info.tag_len_bytes];
            info.mac_with_nonce_into(&key, &nonce_of(info, 1), &message, &mut tag).unwrap();
            prop_assert_eq!(&tag, &expected, "{}", info.name);
            if info.nonce.is_none() {
                prop_assert_eq!(mac(info.name, &key, &message).unwrap(), expected, "{}", info.name);
            }
        }
    }

    #[test]
    fn a_batch_is_its_messages_one_by_one(
        keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..64), 1..8),
        messages in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..300)),
            0..20,
        ),
    ) {
        for info in macs_of_the_catalog() {
            let keys: Vec<Vec<u8>> = keys.iter().map(|random| key_of(info, random)).collect();
            let nonce = nonce_of(info, 1);
            let jobs: Vec<Job<'_>> = messages
                .iter()
                .map(|(key, message)| Job::new(key.index(keys.len()), message).with_nonce(&nonce))
                .collect();
            let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let mut batch = Batch::with_info(info, &vec![slices[0]; keys.len()]).unwrap();
            batch.rekey(0, &slices).unwrap();
            let mut tags = vec![0; jobs.len() * info.tag_len_bytes];
            batch.macs_into(&jobs, &mut tags).unwrap();
            for (job, tag) in jobs.iter().zip(tags.chunks(info.tag_len_bytes)) {
                let mac = DynMac::with_info(info, &keys[job.key]).unwrap();
                prop_assert_eq!(tag, tag_of(&mac, job.message), "{}", info.name);
            }
        }
    }

    #[test]
    fn nothing_is_left_of_the_message_or_the_key_before(
        random in prop::collection::vec(any::<u8>(), 1..64),
        other in prop::collection::vec(any::<u8>(), 1..64),
        before in prop::collection::vec(any::<u8>(), 0..300),
        message in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        for info in macs_of_the_catalog() {
            let key = key_of(info, &random);
            let expected = tag_of(&DynMac::with_info(info, &key).unwrap(), &message);
            let mut reused = DynMac::with_info(info, &key_of(info, &other)).unwrap();
            reused.update(&before);
            reused.rekey(&key).unwrap();
            reused.update(&message);
            prop_assert!(verify(&mut reused, &expected).is_ok(), "{} rekey", info.name);
            reused.update(&message);
            prop_assert!(verify(&mut reused, &expected).is_ok(), "{} verify", info.name);
            reused.update(&before);
            reused.reset();
            reused.update(&message);
            // A whole message in between does not disturb the one under way.
            tag_of(&reused, &before);
            prop_assert!(verify(&mut reused, &expected).is_ok(), "{} reset", info.name);
        }
    }

    #[test]
    fn no_flipped_bit_and_no_other_length_is_accepted(
        random in prop::collection::vec(any::<u8>(), 1..64),
        message in prop::collection::vec(any::<u8>(), 0..100),
        bit in any::<prop::sample::Index>(),
    ) {
        for info in macs_of_the_catalog() {
            let mut mac = DynMac::with_info(info, &key_of(info, &random)).unwrap();
            let tag = tag_of(&mac, &message);
            let mut wrong = tag.clone();
            let bit = bit.index(8 * tag.len());
            wrong[bit / 8] ^= 1 << (bit % 8);
            mac.update(&message);
            prop_assert_eq!(verify(&mut mac, &wrong), Err(Error::TagMismatch), "{}", info.name);

            if !matches!(info.accepted_tag_len, Len::Exactly(_)) {
                continue;
            }
            let longer = [&tag[..], &[0]].concat();
            for other_len in [&tag[..tag.len() - 1], &longer[..], &[]] {
                let refused = mac.verify(other_len);
                let is_tag_len = matches!(refused, Err(Error::Len { what: Input::Tag, .. }));
                prop_assert!(is_tag_len, "{}", info.name);
            }
        }
    }
}

#[test]
fn every_bit_of_the_tag_counts() {
    for info in macs_of_the_catalog() {
        let mut mac = DynMac::with_info(info, &key_of(info, &[7])).unwrap();
        let tag = tag_of(&mac, b"message");
        for bit in 0..8 * tag.len() {
            let mut wrong = tag.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            mac.update(b"message");
            assert_eq!(
                verify(&mut mac, &wrong),
                Err(Error::TagMismatch),
                "{} bit {bit}",
                info.name
            );
        }
    }
}

#[test]
fn a_truncated_tag_is_accepted_only_when_asked_for() {
    let mut mac = DynMac::new("hmac-sha256", b"key").unwrap();
    let tag = tag_of(&mac, b"message");
    mac.update(b"message");
    assert!(matches!(mac.verify(&tag[..16]), Err(Error::Len { what: Input::Tag, .. })));
    mac.update(b"message");
    mac.verify_truncated_left(&tag[..16]).unwrap();
    mac.update(b"message");
    assert_eq!(mac.verify_truncated_left(&tag[1..17]), Err(Error::TagMismatch));
    assert!(matches!(mac.verify_truncated_left(&[]), Err(Error::Len { what: Input::Tag, .. })));
    assert!(matches!(
        mac.verify_truncated_left(&[0; 33]),
        Err(Error::Len { what: Input::Tag, .. })
    ));
}

#[test]
fn keys_of_a_wrong_length_are_refused_and_the_old_one_stays() {
    for info in macs_of_the_catalog() {
        let Len::Exactly(len) = info.accepted_key_len else { continue };
        let len = len as usize;
        for wrong in [0, 1, len - 1, len + 1, 2 * len + 5] {
            let key = vec![0; wrong];
            assert!(matches!(
                DynMac::with_info(info, &key),
                Err(Error::Len { what: Input::Key, .. })
            ));
            let mut kept = DynMac::with_info(info, &vec![9; len]).unwrap();
            let before = tag_of(&kept, b"message");
            assert!(kept.rekey(&key).is_err());
            assert_eq!(tag_of(&kept, b"message"), before, "{}", info.name);
        }
    }
}

/// Under the new key the old nonce may have been used already.
#[test]
fn another_key_asks_for_another_nonce() {
    let mut asked = 0;
    for info in macs_of_the_catalog().filter(|info| info.nonce.is_some()) {
        let mut mac = DynMac::with_info(info, &key_of(info, &[7])).unwrap();
        mac.update(b"message");
        set_nonce(&mut mac);
        mac.rekey(&key_of(info, &[8])).unwrap();
        mac.update(b"message");
        let finished = mac.finalize_reset_into(&mut vec![0; info.tag_len_bytes]);
        assert!(matches!(finished, Err(Error::NonceMissing { .. })), "{}", info.name);
        asked += 1;
    }
    assert!(asked > 0);
}

#[test]
fn errors_say_what_would_be_right() {
    let said = |error: Error| error.to_string();
    assert_eq!(
        said(DynMac::new("cmac-aes-128", &[0; 15]).unwrap_err()),
        "cmac-aes-128 takes a key of 16 bytes, not of 15 bytes"
    );
    assert_eq!(
        said(DynMac::new("hmac-sha-256", b"").unwrap_err()),
        "there is no MAC `hmac-sha-256` in the catalog; did you mean hmac-sha256 or hmac-sha3-256?"
    );
    assert_eq!(
        said(DynMac::new("poetry", b"").unwrap_err()),
        "there is no MAC `poetry` in the catalog"
    );
    let mac = DynMac::new("hmac-md5", b"").unwrap();
    assert_eq!(
        said(mac.mac_into(b"", &mut [0; 12]).unwrap_err()),
        "hmac-md5 takes a tag of 16 bytes, not of 12 bytes"
    );
}
