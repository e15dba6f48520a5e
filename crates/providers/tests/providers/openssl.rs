//! Opening libcrypto: what is not one is an error in one line that names the file, and the alias is
//! what the provider reports. And what is its own: compositions, nonces, customization strings and
//! lengths of tags, with published answers.

use std::path::{Path, PathBuf};

use providers::ffi::openssl;
use providers::{Info, Inputs, KeyLife, Kind, Place, Provider, Refused, Sealed};

use crate::installed::{further_libcryptos, skipped};

fn open(name: Option<&str>, path: Option<&Path>) -> Result<Box<dyn Provider>, String> {
    let Kind::InProcess(open) = openssl::ROW.kind else { panic!("openssl is in-process") };
    open(&Place { name: name.map(str::to_owned), path: path.map(Path::to_owned) })
        .map_err(|unavailable| unavailable.reason)
}

fn error(path: &Path) -> String {
    let error = open(None, Some(path)).err().expect("this is no libcrypto");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(&path.display().to_string()), "{error}");
    error
}

#[test]
fn an_absent_library_is_an_error_that_names_it() {
    error(Path::new("/nonexistent/libcrypto.so.3"));
}

#[test]
fn a_file_that_is_no_library_is_an_error() {
    error(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
    error(Path::new("/bin/true"));
    error(Path::new("/"));
}

/// A library, but another one: what the C compiler's run-time needs is on every Linux.
#[test]
#[cfg(target_os = "linux")]
fn another_library_is_an_error() {
    assert!(error(Path::new("libm.so.6")).contains("not libcrypto"));
}

fn check(info: &Info) {
    assert!(Path::new(&info.path).is_absolute(), "{}", info.path);
    assert!(Path::new(&info.path).is_file(), "{}", info.path);
    let number = info.version.trim_start_matches(|c: char| !c.is_ascii_digit());
    assert!(number.split('.').count() >= 3, "{}", info.version);
    assert!(info.detail.contains(&info.version), "{}", info.detail);
    let macs: Vec<_> = info.offers.iter().map(|offer| offer.mac.as_str()).collect();
    assert!(macs.is_sorted() && macs.contains(&"hmac-sha256"), "{macs:?}");
    for offer in &info.offers {
        let (mac, lives) = (&offer.mac, &offer.key_lives);
        assert!(lives.contains(&KeyLife::NewKey), "{mac}");
        // 3.0.2 neither restarts nor copies a context of GMAC.
        if !(mac.starts_with("gmac-") && info.version == "3.0.2") {
            // A key of Poly1305 is for one message.
            let prepared = mac != "poly1305";
            assert_eq!(lives.contains(&KeyLife::Prepared), prepared, "{mac}");
        }
    }
    // What other answers hide is a defect, here or there.
    assert!(!info.detail.contains("left out"), "{}", info.detail);
    if info.detail.contains("through EVP_MAC") {
        for mac in SINCE_3_0.iter().chain(COMPOSITIONS) {
            assert!(macs.contains(mac), "no {mac} in {macs:?}");
        }
    }
}

/// What 3.0 brought, as its default provider has it.
const SINCE_3_0: &[&str] = &[
    "blake2b-keyed",
    "blake2s-keyed",
    "gmac-aes-128",
    "gmac-aes-192",
    "gmac-aes-256",
    "hmac-blake2b",
    "hmac-blake2s",
    "hmac-sha3-224",
    "hmac-sha3-256",
    "hmac-sha3-384",
    "hmac-sha3-512",
    "kmac128",
    "kmac128-xof",
    "kmac256",
    "kmac256-xof",
    "poly1305",
    "siphash-1-3",
    "siphash-1-3-128",
    "siphash-2-4",
    "siphash-2-4-128",
    "siphash-4-8",
    "siphash-4-8-128",
];

const COMPOSITIONS: &[&str] = &[
    "ccm-aes-128",
    "ccm-aes-192",
    "ccm-aes-256",
    "chacha20-poly1305",
    "gcm-aes-128",
    "gcm-aes-192",
    "gcm-aes-256",
];

/// The system's library and those named by the variable.
fn libraries() -> Vec<Box<dyn Provider>> {
    let system = open(None, None).map_err(|reason| skipped(&reason)).ok();
    let further = further_libcryptos();
    let further = further.iter().map(|path| open(None, Some(path)).expect("a libcrypto"));
    system.into_iter().chain(further).collect()
}

/// Calls `check` for each library that has the mac.
fn for_each_with(mac: &str, check: impl Fn(&dyn Provider)) {
    for library in libraries() {
        if library.tag_len_bytes(mac).is_some() {
            check(library.as_ref());
        } else {
            println!("skipped: {} has no {mac}", library.info().version);
        }
    }
}

fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hexadecimal digits")
}

/// Mac, key, nonce, customization, message, tag. GMAC: Wycheproof, with nonces of 12 and 16 bytes.
/// KMAC: NIST's examples for SP 800-185. Poly1305: RFC 8439 §2.5.2. SipHash: the appendix of
/// its paper.
const TAGS: &[[&str; 6]] = &[
    [
        "gmac-aes-128",
        "c9859c8b39d8d7e811d8ae45d9b85882",
        "110d550119d71a0945bfecbb",
        "",
        "36717076748d9351e5a3cc67b9e8833e07",
        "f0b26b17b28ea92708b12b871f3b3071",
    ],
    [
        "gmac-aes-128",
        "0f624e318b51a9cc6c30cf4e45a287db",
        "0d4df021633dcebb58f2a389e1911b66",
        "",
        "0e45",
        "d07a83bbd544f0b079eec632f80974c9",
    ],
    [
        "kmac128",
        "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
        "",
        "4d7920546167676564204170706c69636174696f6e",
        "00010203",
        "3b1fba963cd8b0b59e8c1a6d71888b7143651af8ba0a7070c0979e2811324aa5",
    ],
    [
        "kmac256",
        "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
        "",
        "4d7920546167676564204170706c69636174696f6e",
        "00010203",
        "20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7\
         f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd",
    ],
    [
        "kmac128-xof",
        "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
        "",
        "4d7920546167676564204170706c69636174696f6e",
        "00010203",
        "31a44527b4ed9f5c6101d11de6d26f0620aa5c341def41299657fe9df1a3b16c",
    ],
    [
        "poly1305",
        "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
        "",
        "",
        "43727970746f6772617068696320466f72756d2052657365617263682047726f7570",
        "a8061dc1305136c6c22b8baf0c0127a9",
    ],
    [
        "siphash-2-4",
        "000102030405060708090a0b0c0d0e0f",
        "",
        "",
        "000102030405060708090a0b0c0d0e",
        "e545be4961ca29a1",
    ],
];

#[test]
fn tags_with_nonces_and_customization_are_the_published_ones() {
    for [mac, key, nonce, customization, message, right] in TAGS {
        let inputs = [key, nonce, customization, message, right].map(|text| bytes(text));
        let [key, nonce, customization, message, right] = &inputs;
        for_each_with(mac, |library| {
            let inputs = Inputs {
                key,
                nonce,
                customization,
                message,
                tag_len_bytes: right.len(),
                ..Inputs::default()
            };
            assert_eq!(library.tag(mac, &inputs).as_ref(), Ok(right), "{mac}");
            // A shorter tag is the beginning, but for KMAC, where the length is an input.
            let short = library.tag(mac, &Inputs { tag_len_bytes: 8, ..inputs }).expect(mac);
            let is_input = *mac == "kmac128" || *mac == "kmac256";
            assert_eq!(short == right[..8], !is_input, "{mac}");
        });
    }
}

/// Composition, key, nonce, associated data, message, ciphertext, tag. NIST CAVP, with a nonce of
/// one byte and tags of 14 and 8; SP 800-38C example 1, with a tag of 4 bytes; CAVP; RFC 8439
/// §2.8.2.
const SEALED: &[[&str; 7]] = &[
    [
        "gcm-aes-128",
        "95c4166a6be3baec41036c1da3e51bd9",
        "f8",
        "0fba852acd36e19f5334d49600248771a1b408c160f7657775e5efb2c4eb1b30\
         a88a3396351cb13ee984e2eafa6e64d3",
        "7bba1a15b335ff4eef3713891cd1c13f3739e3788076b725a250aa450b22e6ef",
        "484e8d80cefeb642a037241679ca7afbd5a5a35a72a7cb759895538783eb0a08",
        "55735c9f5c984f395bce6fea05ec",
    ],
    [
        "gcm-aes-128",
        "34a3446e43c37842b68ff85114c00dfb",
        "83",
        "7f11af44d3d0f20752eb03727dc045653a57a0944762fd8c770da6b6bd1f91ea\
         504ff77c7521d2672e34db6b2476ab53",
        "",
        "",
        "a632bb21185076bc",
    ],
    [
        "ccm-aes-128",
        "404142434445464748494a4b4c4d4e4f",
        "10111213141516",
        "0001020304050607",
        "20212223",
        "7162015b",
        "4dac255d",
    ],
    [
        "ccm-aes-128",
        "3e4fa1c6f8b00f1296956735ee86e310",
        "c6a170936568651020edfe15df",
        "b207eb870aeeab27c6201ef04650bdc7ea30028a243420f7d198f1c9c9a43023",
        "72e9c1",
        "70c513",
        "a2d49e1a113767ea4219107819d88b65",
    ],
    [
        "chacha20-poly1305",
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        "070000004041424344454647",
        "50515253c0c1c2c3c4c5c6c7",
        "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a\
         204966204920636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865\
         206675747572652c2073756e73637265656e20776f756c642062652069742e",
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282\
         fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab3\
         24e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116",
        "1ae10b594f09e26a7e902ecbd0600691",
    ],
];

#[test]
fn compositions_seal_as_published_and_open_nothing_else() {
    for [mac, key, nonce, associated_data, message, ciphertext, tag] in SEALED {
        let parts = [key, nonce, associated_data, message, ciphertext, tag].map(|text| bytes(text));
        let [key, nonce, associated_data, message, ciphertext, tag] = &parts;
        for_each_with(mac, |library| {
            let inputs = Inputs {
                key,
                nonce,
                associated_data,
                message,
                tag_len_bytes: tag.len(),
                ..Inputs::default()
            };
            let right = Sealed { ciphertext: ciphertext.clone(), tag: tag.clone() };
            assert_eq!(library.seal(mac, &inputs), Ok(right), "{mac}");
            let sealed = Inputs { message: ciphertext, ..inputs };
            assert_eq!(library.unseal(mac, &sealed, tag), Ok(Some(message.clone())), "{mac}");
            for bit in [0, 8 * tag.len() - 1] {
                let mut wrong = tag.clone();
                wrong[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(library.unseal(mac, &sealed, &wrong), Ok(None), "{mac}, bit {bit}");
            }
            let other_data = Inputs { associated_data: b"other", ..sealed };
            assert_eq!(library.unseal(mac, &other_data, tag), Ok(None), "{mac}");
        });
    }
}

/// All lengths of nonces and tags that the library takes, against our own.
#[test]
fn compositions_take_all_lengths() {
    let (key, message) = ([7; 32], [9; 40]);
    for mac in COMPOSITIONS {
        let info = macs::find(mac).expect("in the catalog");
        let key = &key[..info.key_len_bytes];
        let ours = macs::DynComposition::new(mac, key).expect("a right key");
        let nonce_len = info.nonce.expect("it takes one").accepted_len;
        let tag_len = info.accepted_short_tag_len;
        for_each_with(mac, |library| {
            for nonce_len in (1..=128).filter(|len| nonce_len.accepts(*len)) {
                for tag_len_bytes in (1..=16).filter(|len| tag_len.accepts(*len)) {
                    let ours = ours.clone().with_short_tag_len(tag_len_bytes).expect(mac);
                    for message in [&message[..nonce_len % 40], &[]] {
                        let nonce = &[3; 128][..nonce_len];
                        let (mut buffer, mut tag) = (message.to_vec(), vec![0; tag_len_bytes]);
                        let len = message.len();
                        ours.seal_in_place(nonce, b"", &mut buffer, len, &mut tag).expect(mac);
                        let inputs =
                            Inputs { key, nonce, message, tag_len_bytes, ..Inputs::default() };
                        let sealed = library.seal(mac, &inputs).expect(mac);
                        let right = Sealed { ciphertext: buffer, tag };
                        assert_eq!(sealed, right, "{mac} {nonce_len} {tag_len_bytes}");
                        let inputs = Inputs { message: &sealed.ciphertext, ..inputs };
                        let opened = library.unseal(mac, &inputs, &sealed.tag);
                        assert_eq!(opened, Ok(Some(message.to_vec())), "{mac}");
                    }
                }
            }
        });
    }
}

fn is_refused<T: std::fmt::Debug>(answer: Result<T, Refused>, what: &str) {
    let reason = answer.expect_err(what).to_string();
    assert_eq!(reason.lines().count(), 1, "{what}: {reason}");
}

#[test]
fn what_a_mac_does_not_take_is_refused_in_one_line() {
    let bytes = [1; 600];
    // Lengths of key, nonce, customization string and tag.
    for (mac, key, nonce, customization, tag) in [
        ("gmac-aes-128", 16, 0, 0, 16),
        ("gmac-aes-128", 16, 129, 0, 16),
        ("gmac-aes-128", 17, 12, 0, 16),
        ("kmac128", 3, 0, 0, 32),
        ("kmac128", 16, 12, 0, 32),
        ("kmac128", 16, 0, 600, 32),
        ("poly1305", 31, 0, 0, 16),
        ("siphash-2-4", 16, 0, 1, 8),
        ("blake2s-keyed", 33, 0, 0, 32),
        ("ccm-aes-128", 16, 6, 0, 16),
        ("ccm-aes-128", 16, 14, 0, 16),
        ("ccm-aes-128", 16, 12, 0, 5),
        ("gcm-aes-128", 16, 0, 0, 16),
        ("gcm-aes-128", 16, 129, 0, 16),
        ("gcm-aes-128", 15, 12, 0, 16),
        ("gcm-aes-128", 16, 12, 0, 0),
        ("gcm-aes-128", 16, 12, 0, 17),
        ("chacha20-poly1305", 32, 11, 0, 16),
        ("chacha20-poly1305", 32, 12, 0, 15),
    ] {
        let what = format!("{mac} {key} {nonce} {customization} {tag}");
        for library in libraries() {
            let inputs = Inputs {
                key: &bytes[..key],
                nonce: &bytes[..nonce],
                customization: &bytes[..customization],
                tag_len_bytes: tag,
                ..Inputs::default()
            };
            // In 1.1 a nonce of GCM has any length.
            let is_limited = library.info().detail.contains("through EVP_MAC") || nonce != 129;
            if is_limited {
                is_refused(library.tag(mac, &inputs), &what);
                is_refused(library.seal(mac, &inputs), &what);
                is_refused(library.unseal(mac, &inputs, &bytes[..tag]), &what);
            }
        }
    }
}

#[test]
fn the_system_library_says_what_it_is() {
    match open(None, None) {
        Ok(provider) => {
            let info = provider.info();
            assert_eq!(info.name, "openssl");
            check(&info);
        }
        Err(reason) => skipped(&reason),
    }
}

#[test]
fn several_versions_beside_each_other() {
    let paths = further_libcryptos();
    if paths.is_empty() {
        println!("skipped: MACROMETER_TEST_LIBCRYPTO names no further libcrypto");
    }
    let opened: Vec<_> = paths
        .iter()
        .map(|path| open(Some("openssl-other"), Some(path)).expect("a libcrypto"))
        .collect();
    for (provider, path) in opened.iter().zip(&paths) {
        let info = provider.info();
        assert_eq!(info.name, "openssl-other");
        let real: PathBuf = path.canonicalize().expect("it was opened");
        assert_eq!(Path::new(&info.path), real);
        check(&info);
        println!("{} at {}: {}", info.version, info.path, info.detail);
        for offer in info.offers {
            println!("  {} {} {:?}", offer.mac, offer.kernel, offer.key_lives);
        }
    }
}
