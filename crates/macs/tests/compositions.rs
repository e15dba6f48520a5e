//! What holds for all compositions of the catalog: what was sealed opens, nothing else does, and
//! nothing is left in the buffer when it does not. RustCrypto's
//! `eax`, `ccm` and `aes-gcm` agree with ours on random input.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use aes_gcm::aead::AeadInOut;
use digest::KeyInit;
use digest::array::Array;
use digest::consts::{U4, U7, U8, U13, U16};
use digest::typenum::Unsigned;
use macs::{
    Composition, CompositionJob, DynComposition, Error, Header, Input, Len, MacInfo, catalog, find,
};
use random::Random;

fn compositions() -> impl Iterator<Item = &'static MacInfo> {
    catalog().iter().filter(|info| info.is_composition())
}

/// Key, nonce and associated data for a composition, as long as it takes them.
fn inputs(info: &MacInfo, random: &mut Random, ad_len: usize) -> [Vec<u8>; 3] {
    let nonce = info.nonce.expect("a composition takes a nonce");
    let takes_ad = !info.name.starts_with("ctr+cmac");
    let ad_len = if takes_ad { ad_len } else { 0 };
    [info.key_len_bytes, nonce.len_bytes, ad_len].map(|len| random.bytes(len))
}

#[test]
fn what_was_sealed_opens() {
    let mut random = Random(1);
    for info in compositions() {
        let mut lens: Vec<usize> = (0..24).map(|_| random.up_to(4096)).collect();
        lens.extend([0, 1, 15, 16, 17, 1023, 1024, 1025, 4096]);
        for len in lens {
            let ad_len = random.up_to(70);
            let [key, nonce, ad] = inputs(info, &mut random, ad_len);
            let mut keyed = DynComposition::with_info(info, &key).unwrap();
            let message = random.bytes(len);
            let sealed = keyed.seal(&nonce, &ad, &message).unwrap();
            assert_eq!(keyed.open(&nonce, &ad, &sealed).unwrap(), message, "{}", info.name);
            keyed.rekey(&random.bytes(key.len())).unwrap();
            assert_eq!(keyed.open(&nonce, &ad, &sealed), Err(Error::TagMismatch), "{}", info.name);
            keyed.rekey(&key).unwrap();
            assert_eq!(keyed.clone().open(&nonce, &ad, &sealed).unwrap(), message, "{}", info.name);
        }
    }
}

#[test]
fn all_kernels_seal_and_open_alike() {
    let mut random = Random(1);
    for info in compositions().filter(|info| info.kernels().len() > 1) {
        let [first, second] = [(); 2].map(|()| random.bytes(info.key_len_bytes));
        let best = DynComposition::with_info(info, &first).unwrap();
        for kernel in info.kernels() {
            let mut keyed = DynComposition::with_kernel(info, &second, kernel).unwrap();
            keyed.rekey(&first).unwrap();
            for len in (0..=300).chain([1000, 4096, 5001]) {
                let ad_len = [0, 16, 5, 64, 33][len % 5];
                let [_, nonce, ad] = inputs(info, &mut random, ad_len);
                let message = random.bytes(len);
                let sealed = best.seal(&nonce, &ad, &message).unwrap();
                let what = format!("{} {kernel} {len}", info.name);
                assert_eq!(keyed.seal(&nonce, &ad, &message).unwrap(), sealed, "{what}");
                assert_eq!(keyed.open(&nonce, &ad, &sealed).unwrap(), message, "{what}");
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_refused_and_the_buffer_zeroed() {
    let mut random = Random(1);
    for info in compositions() {
        let [key, nonce, ad] = inputs(info, &mut random, 5);
        let keyed = DynComposition::with_info(info, &key).unwrap();
        let message = random.bytes(21);
        let sealed = keyed.seal(&nonce, &ad, &message).unwrap();
        let (ct, tag) = sealed.split_at(sealed.len() - info.tag_len_bytes);
        let whole = [&nonce, &ad[..], ct, tag];
        for part in 0..4 {
            for bit in 0..8 * whole[part].len() {
                let mut flipped = whole.map(<[u8]>::to_vec);
                flipped[part][bit / 8] ^= 1 << (bit % 8);
                let [nonce, ad, mut buffer, tag] = flipped;
                let opened = keyed.open_in_place(&nonce, &ad, &mut buffer, &tag);
                assert_eq!(opened, Err(Error::TagMismatch), "{} {part} {bit}", info.name);
                assert!(buffer.iter().all(|&byte| byte == 0), "{} {part} {bit}", info.name);
            }
        }
        let mut buffer = ct.to_vec();
        assert_eq!(keyed.open_in_place(&nonce, &ad, &mut buffer, tag), Ok(message.len()));
        assert_eq!(buffer[..message.len()], message);
        // The beginning of the right tag is none, unless its length was asked for.
        let mut buffer = ct.to_vec();
        let short = &tag[..tag.len() - 1];
        assert!(matches!(
            keyed.open_in_place(&nonce, &ad, &mut buffer, short),
            Err(Error::Len { what: Input::Tag, .. })
        ));
        assert!(buffer.iter().all(|&byte| byte == 0), "{}", info.name);
    }
}

/// Into another place: of ciphertexts of the right length alone.
#[test]
fn a_message_that_stays_is_sealed_as_one_in_place() {
    let mut random = Random(1);
    for info in compositions() {
        let [key, nonce, ad] = inputs(info, &mut random, 21);
        let keyed = DynComposition::with_info(info, &key).unwrap();
        for len in (0..200).chain([511, 1023, 1024, 1025, 4096, 5000]) {
            let message = random.bytes(len);
            let ciphertext_len = keyed.ciphertext_len_bytes(len);
            let (mut buffer, mut tag) = (message.clone(), vec![0; info.tag_len_bytes]);
            buffer.resize(ciphertext_len, 0);
            keyed.seal_in_place(&nonce, &ad, &mut buffer, len, &mut tag).unwrap();
            let (mut out, mut same) = (vec![0xaa; ciphertext_len], vec![0; tag.len()]);
            keyed.seal_into(&nonce, &ad, &message, &mut out, &mut same).unwrap();
            assert!(out == buffer && same == tag, "{} {len}", info.name);
            let mut long = vec![0xaa; ciphertext_len + 1];
            let refused = keyed.seal_into(&nonce, &ad, &message, &mut long, &mut same);
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::Len { what: Input::Ciphertext, .. }), "{error}");
            assert!(long.iter().all(|&byte| byte == 0xaa), "{} {len}", info.name);
        }
        let (mut out, mut tag) = (vec![0xaa; keyed.ciphertext_len_bytes(3)], [0; 40]);
        let refused = keyed.seal_into(&nonce, &ad, &[1; 3], &mut out, &mut tag);
        assert!(matches!(refused, Err(Error::Len { what: Input::Tag, .. })), "{}", info.name);
        assert!(out.iter().all(|&byte| byte == 0xaa), "{}", info.name);
    }
}

/// A length that is not taken, if there is one.
fn wrong(accepted: Len) -> Option<usize> {
    (0..=300).find(|&len| !accepted.accepts(len))
}

#[test]
fn wrong_lengths_are_refused_whole_on_sealing_and_zeroed_on_opening() {
    let mut random = Random(1);
    for info in compositions() {
        let [key, nonce, ad] = inputs(info, &mut random, 5);
        let keyed = DynComposition::with_info(info, &key).unwrap();
        let check = |nonce: &[u8], ad: &[u8], tag_len: usize, what: Input| {
            let is_refused = |error| match error {
                Error::Len { mac, what: of, .. } => mac == info.name && of == what,
                _ => false,
            };
            let mut buffer = vec![0xaa; keyed.ciphertext_len_bytes(40)];
            let (before, mut tag) = (buffer.clone(), vec![0xaa; tag_len]);
            let sealed = keyed.seal_in_place(nonce, ad, &mut buffer, 40, &mut tag);
            assert!(sealed.is_err_and(is_refused), "{} {what}", info.name);
            assert!(buffer == before && tag == vec![0xaa; tag_len], "{} {what}", info.name);
            let opened = keyed.open_in_place(nonce, ad, &mut buffer, &tag);
            assert!(opened.is_err_and(is_refused), "{} {what}", info.name);
            assert_eq!(buffer, vec![0; before.len()], "{} {what}", info.name);
        };
        if let Some(len) = wrong(info.nonce.unwrap().accepted_len) {
            check(&vec![0; len], &ad, info.tag_len_bytes, Input::Nonce);
        }
        check(&nonce, &ad, info.tag_len_bytes + 1, Input::Tag);
        check(&nonce, &ad, wrong(info.accepted_tag_len).unwrap(), Input::Tag);
        if info.name.starts_with("ctr+cmac") {
            check(&nonce, b"a", info.tag_len_bytes, Input::AssociatedData);
        }
        let (mut buffer, mut tag) = (vec![0xaa; 50], vec![0; info.tag_len_bytes]);
        let sealed = keyed.seal_in_place(&nonce, &ad, &mut buffer, 40, &mut tag);
        assert!(matches!(sealed, Err(Error::Len { what: Input::Ciphertext, .. })), "{}", info.name);
        assert_eq!(buffer, vec![0xaa; 50], "{}", info.name);
    }
}

#[test]
fn ccm_refuses_what_its_nonce_leaves_no_room_for() {
    let keyed = DynComposition::new("ccm-aes-128", &[1; 16]).unwrap();
    let sealed = keyed.seal(&[2; 13], b"", &[3; 65_535]).unwrap();
    assert_eq!(keyed.open(&[2; 13], b"", &sealed).unwrap(), [3; 65_535]);
    assert_eq!(
        keyed.seal(&[2; 13], b"", &[3; 65_536]).unwrap_err().to_string(),
        "ccm-aes-128 takes a message of at most 65535 bytes, not of 65536 bytes"
    );
    let mut buffer = vec![3; 65_536];
    assert!(keyed.open_in_place(&[2; 13], b"", &mut buffer, &[0; 16]).is_err());
    assert!(buffer.iter().all(|&byte| byte == 0));
    assert!(keyed.seal(&[2; 12], b"", &buffer).is_ok());
}

#[test]
fn ctr_and_cmac_takes_no_associated_data() {
    let two_keys = core::array::from_fn::<u8, 32, _>(|at| at as u8);
    let keyed = DynComposition::new("ctr+cmac-aes-128", &two_keys).unwrap();
    assert_eq!(
        keyed.seal(&[2; 16], b"a", b"message").unwrap_err().to_string(),
        "ctr+cmac-aes-128 takes no associated data"
    );
}

#[test]
fn secrets_are_wiped_and_not_printed() {
    fn check<C: Composition + std::fmt::Debug + zeroize::ZeroizeOnDrop>(
        key_len: usize,
        printed: &str,
    ) {
        let key: Vec<u8> = (0..key_len as u8).collect();
        let keyed = C::new_from_slice(&key).unwrap();
        assert_eq!(format!("{keyed:?}"), printed);
    }
    use macs::ciphers::Aes128;
    check::<macs::AegisAead<macs::Aegis256>>(32, "AegisAead { .. }");
    check::<macs::CbcThenCmac<Aes128>>(32, "CbcThenCmac { .. }");
    check::<macs::Ccm<Aes128>>(16, "Ccm { .. }");
    check::<macs::ChaCha20Poly1305>(32, "ChaCha20Poly1305 { .. }");
    check::<macs::CtrAndCmac<Aes128>>(32, "CtrAndCmac { .. }");
    check::<macs::CtrThenCmac<Aes128>>(32, "CtrThenCmac { .. }");
    check::<macs::Eax<Aes128>>(16, "Eax { .. }");
    check::<macs::Gcm<Aes128>>(16, "Gcm { .. }");
    check::<macs::GcmSiv<Aes128>>(16, "GcmSiv { .. }");
    check::<macs::Siv<Aes128>>(32, "Siv { .. }");
    let keyed = DynComposition::with_info(find("gcm-aes-128").unwrap(), &[0x41; 16]).unwrap();
    assert_eq!(format!("{keyed:?}"), "DynComposition { name: \"gcm-aes-128\", .. }");
    let header = Header { nonce: b"", associated_data: b"" };
    let mut message = [0x41; 5];
    let job = CompositionJob::new(3, header, &mut message);
    assert_eq!(format!("{job:?}"), "CompositionJob { key: 3, message_len_bytes: 5, .. }");
}

/// Tags of every length below the whole one: with those of one byte a forger needs 256 tries.
#[test]
fn a_composition_by_type_takes_whole_tags_only_unless_another_length_was_fixed() {
    fn check<C: Composition>() {
        let is_tag_len = |error| matches!(error, Error::Len { what: Input::Tag, .. });
        let keyed = || C::new_from_slice(&Random(1).bytes(C::KeySize::USIZE)).unwrap();
        let nonce = vec![1; C::NONCE_LEN.0];
        let header = Header { nonce: &nonce, associated_data: b"" };
        let whole_len = C::TAG_LEN.0;
        let mut sealed = vec![7; C::ciphertext_len_bytes(20)];
        let mut tag = vec![0; whole_len + 1];
        keyed().seal_in_place(header, &mut sealed, 20, &mut tag[..whole_len]).unwrap();
        for len in (0..=whole_len + 1).filter(|len| *len != whole_len) {
            let mut buffer = sealed.clone();
            let opened = keyed().open_in_place(header, &mut buffer, &tag[..len]);
            assert!(opened.is_err_and(is_tag_len), "{} {len}", C::TITLE);
            assert!(buffer.iter().all(|&byte| byte == 0), "{} {len}", C::TITLE);
            let refused = keyed().seal_in_place(header, &mut buffer, 20, &mut vec![0; len]);
            assert!(refused.is_err_and(is_tag_len), "{} {len}", C::TITLE);
            let refused = keyed().seal_into(header, &[7; 20], &mut buffer, &mut vec![0; len]);
            assert!(refused.is_err_and(is_tag_len), "{} {len}", C::TITLE);
        }
        for len in 0..=whole_len {
            let fixed = keyed().with_tag_len(len);
            assert_eq!(fixed.is_ok(), C::TAG_LEN.1.accepts(len), "{} {len}", C::TITLE);
            let fixed = keyed().with_short_tag_len(len);
            assert_eq!(fixed.is_ok(), C::SHORT_TAG_LEN.accepts(len), "{} {len}", C::TITLE);
            let Ok(fixed) = fixed else { continue };
            let (mut buffer, mut tag) = (vec![7; sealed.len()], vec![0; len]);
            fixed.seal_in_place(header, &mut buffer, 20, &mut tag).unwrap();
            let (mut out, mut same) = (vec![0; sealed.len()], vec![0; len]);
            fixed.seal_into(header, &[7; 20], &mut out, &mut same).unwrap();
            assert!(out == buffer && same == tag, "{} {len}", C::TITLE);
            for other in (0..=whole_len).filter(|other| *other != len) {
                let opened = fixed.open_in_place(header, &mut buffer.clone(), &vec![0; other]);
                assert!(opened.is_err_and(is_tag_len), "{} {other}, not {len}", C::TITLE);
            }
            assert_eq!(fixed.open_in_place(header, &mut buffer, &tag), Ok(20));
            assert_eq!(buffer[..20], [7; 20], "{} {len}", C::TITLE);
        }
    }
    use macs::ciphers::{Aes128, TdesEde3};
    check::<macs::AegisAead<macs::Aegis128X2>>();
    check::<macs::CbcThenCmac<Aes128>>();
    check::<macs::Ccm<Aes128>>();
    check::<macs::ChaCha20Poly1305>();
    check::<macs::CtrAndCmac<TdesEde3>>();
    check::<macs::CtrThenCmac<Aes128>>();
    check::<macs::Eax<Aes128>>();
    check::<macs::Gcm<Aes128>>();
    check::<macs::GcmSiv<Aes128>>();
    check::<macs::Siv<Aes128>>();
}

#[test]
fn gcm_takes_short_tags_only_where_they_are_asked_for_by_name() {
    let keyed = |name| DynComposition::new(name, &[3; 16]).unwrap();
    for name in ["gcm-aes-128", "gcm-serpent-128"] {
        for len in 0..=17 {
            let is_long = matches!(len, 12..=16);
            assert_eq!(keyed(name).with_tag_len(len).is_ok(), is_long, "{name} {len}");
            // SP 800-38D §5.2.1.2.
            let is_specified = is_long || matches!(len, 4 | 8);
            assert_eq!(keyed(name).with_short_tag_len(len).is_ok(), is_specified, "{name} {len}");
        }
    }
    assert_eq!(
        keyed("gcm-aes-128").with_tag_len(8).unwrap_err().to_string(),
        "gcm-aes-128 takes a tag of 12 to 16 bytes, not of 8 bytes"
    );
    assert_eq!(
        keyed("gcm-aes-128").with_short_tag_len(5).unwrap_err().to_string(),
        "gcm-aes-128 takes a tag of 4, 8, 12, 13, 14, 15 or 16 bytes, not of 5 bytes"
    );
}

/// What is proved is proved of two independent keys.
#[test]
fn one_key_twice_is_refused_where_two_are_taken() {
    let takes_two = |name: &&str| name.contains("cmac-") || name.starts_with("siv-");
    let names = compositions().map(|info| info.name).filter(takes_two);
    let mut refused = 0;
    for name in names {
        let info = find(name).unwrap();
        let twice = vec![7; info.key_len_bytes];
        let same = Error::SameKeys { mac: name };
        assert_eq!(DynComposition::new(name, &twice).unwrap_err(), same);
        let mut other = twice.clone();
        other[0] ^= 1;
        let mut keyed = DynComposition::new(name, &other).unwrap();
        let nonce = vec![1; info.nonce.unwrap().len_bytes];
        let sealed = keyed.seal(&nonce, b"", b"message").unwrap();
        assert_eq!(keyed.rekey(&twice).unwrap_err(), same);
        assert_eq!(keyed.open(&nonce, b"", &sealed).unwrap(), b"message", "{name}: the old key");
        refused += 1;
    }
    assert_eq!(refused, 14 + 14 + 3 + 3, "every cipher with CTR, AES with CBC and SIV");
    use macs::ciphers::Aes128;
    assert!(macs::CtrAndCmac::<Aes128>::new_from_slice(&[7; 32]).is_err());
    assert!(macs::CtrThenCmac::<Aes128>::new_from_slice(&[7; 32]).is_err());
    assert!(macs::CbcThenCmac::<Aes128>::new_from_slice(&[7; 32]).is_err());
    assert!(macs::Siv::<Aes128>::new_from_slice(&[7; 32]).is_err());
    let twice = [7; 32].into();
    assert!(std::panic::catch_unwind(|| macs::Siv::<Aes128>::new(&twice)).is_err());
    refuses_one_key_twice::<macs::CtrAndCmac<Aes128>>();
    refuses_one_key_twice::<macs::CtrThenCmac<Aes128>>();
    refuses_one_key_twice::<macs::CbcThenCmac<Aes128>>();
    refuses_one_key_twice::<macs::Siv<Aes128>>();
}

/// What generic code can set keys up by.
fn refuses_one_key_twice<C: Composition>() {
    assert!(C::new_from_slice(&[7; 32]).is_err());
    let mut other = [7; 32];
    other[0] ^= 1;
    let mut keyed = C::new_from_slice(&other).unwrap();
    assert!(keyed.rekey(&[7; 32]).is_err());
    assert!(keyed.rekey(&[7; 31]).is_err());
}

/// Seals `count` random inputs with both and compares.
fn agree<Theirs: AeadInOut + KeyInit>(name: &str, count: usize, ad_len_max: usize) {
    let (info, mut random) = (find(name).unwrap(), Random(1));
    for _ in 0..count {
        let key = random.bytes(info.key_len_bytes);
        let nonce = Array::<u8, Theirs::NonceSize>::from_fn(|_| random.bytes(1)[0]);
        let (message_len, ad_len) = (random.up_to(300), random.up_to(ad_len_max));
        let (mut message, ad) = (random.bytes(message_len), random.bytes(ad_len));
        let ours = DynComposition::with_info(info, &key).unwrap();
        let ours = ours.with_tag_len(Theirs::TagSize::USIZE).unwrap();
        let (mut sealed, mut tag) = (message.clone(), Array::<u8, Theirs::TagSize>::default());
        ours.seal_in_place(&nonce, &ad, &mut sealed, message_len, &mut tag).unwrap();
        let theirs = Theirs::new_from_slice(&key).unwrap();
        let their_tag =
            theirs.encrypt_inout_detached(&nonce, &ad, message.as_mut_slice().into()).unwrap();
        assert!(sealed == message && tag == their_tag, "{name}");
    }
}

#[test]
fn ours_equals_rustcryptos() {
    agree::<eax::Eax<aes::Aes128>>("eax-aes-128", 10_000, 70);
    agree::<eax::Eax<aes::Aes192, U8>>("eax-aes-192", 1_000, 70);
    agree::<eax::Eax<aes::Aes256>>("eax-aes-256", 1_000, 70);
    agree::<ccm::Ccm<aes::Aes128, U16, U13>>("ccm-aes-128", 10_000, 70);
    agree::<ccm::Ccm<aes::Aes192, U4, U7>>("ccm-aes-192", 1_000, 70);
    agree::<ccm::Ccm<aes::Aes256, U8, U8>>("ccm-aes-256", 1_000, 70);
    agree::<aes_gcm::Aes128Gcm>("gcm-aes-128", 10_000, 70);
    agree::<aes_gcm::AesGcm<aes::Aes192, U16>>("gcm-aes-192", 1_000, 70);
    agree::<aes_gcm::AesGcm<aes::Aes256, U7>>("gcm-aes-256", 1_000, 70);
    // Associated data whose length takes six bytes in CCM: from 65,280 on.
    agree::<ccm::Ccm<aes::Aes128, U16, U13>>("ccm-aes-128", 100, 130_000);
}
