//! Messages that differ in nonce and associated data: every provider that seals them gives, byte
//! for byte, what our own library gives, opens it, and refuses anything else.

use providers::KeyLife;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::installed::{in_process, skipped};

/// Lengths of message and associated data.
const LENS_BYTES: [(usize, usize); 8] =
    [(0, 0), (1, 16), (15, 0), (140, 16), (140, 0), (4096, 7), (100_000, 0), (64, 16)];

#[test]
fn segments_of_all_providers_are_ours_byte_for_byte() {
    for found in in_process() {
        for offer in found.provider.sealings() {
            let what = format!("{}/{}", found.name, offer.mac);
            assert!(offer.key_lives.contains(&KeyLife::Prepared), "{what}");
            let info = macs::find(&offer.mac).expect(&what);
            let mut random = StdRng::seed_from_u64(5);
            let mut bytes = |len: usize| {
                let mut bytes = vec![0; len];
                random.fill_bytes(&mut bytes);
                bytes
            };
            let key = bytes(info.key_len_bytes);
            let ours = macs::DynComposition::with_info(info, &key).expect(&what);
            let mut theirs = found.provider.sealing(&offer.mac, &key).expect(&what);
            for (len, data_len) in LENS_BYTES {
                let data_len = if theirs.takes_associated_data() { data_len } else { 0 };
                let (nonce, data) = (bytes(theirs.nonce_len_bytes()), bytes(data_len));
                let message = bytes(len);
                let mut sealed = vec![0; theirs.ciphertext_len_bytes(len)];
                sealed[..len].copy_from_slice(&message);
                let mut tag = vec![0; theirs.tag_len_bytes()];
                theirs.seal(&nonce, &data, &mut sealed, len, &mut tag).expect(&what);
                let right = ours.seal(&nonce, &data, &message).expect(&what);
                assert_eq!([&sealed[..], &tag].concat(), right, "{what}, {len} bytes");

                for at in [0, tag.len() - 1] {
                    let mut forged = (sealed.clone(), tag.clone());
                    forged.1[at] ^= 0x80;
                    let opened = theirs.open(&nonce, &data, &mut forged.0, &forged.1);
                    assert_eq!(opened, None, "{what}, {len} bytes");
                    assert!(forged.0.iter().all(|&byte| byte == 0), "{what}: something is left");
                }
                if theirs.takes_associated_data() {
                    let other = [&data[..], &[1]].concat();
                    let opened = theirs.open(&nonce, &other, &mut sealed.clone(), &tag);
                    assert_eq!(opened, None, "{what}, {len} bytes, other associated data");
                }
                assert_eq!(theirs.open(&nonce, &data, &mut sealed, &tag), Some(len), "{what}");
                assert_eq!(sealed[..len], message, "{what}");
            }
            let wrong = theirs.seal(&[], &[], &mut [0; 4], 5, &mut []);
            assert!(wrong.is_err(), "{what} takes lengths that it must not");
        }
    }
}

#[test]
fn the_libraries_of_the_study_have_what_the_paper_compares() {
    for name in ["macs", "botan", "openssl"] {
        let Some(found) = in_process().into_iter().find(|it| it.name == name) else {
            skipped(name);
            continue;
        };
        let sealings = found.provider.sealings();
        for mac in ["eax-aes-128", "ctr+cmac-aes-128", "ccm-aes-128", "gcm-aes-128"] {
            assert!(sealings.iter().any(|offer| offer.mac == mac), "{name} has no {mac}");
        }
        assert!(found.provider.sealing("hmac-sha256", &[0; 32]).is_err());
        assert!(found.provider.sealing("eax-aes-128", &[0; 5]).is_err());
    }
}
