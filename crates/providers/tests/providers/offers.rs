//! What libraries of known versions must offer. A library's macs are found by trying, so that a
//! wrong call of ours would only make an offer disappear; here it is missed.

use providers::KeyLife;

use crate::installed::in_process;

/// Provider, version, and how many macs are offered: in all, prepared, with new keys, by one call.
const KNOWN: &[(&str, &str, [usize; 4])] = &[
    ("aws-lc-rs", "1.19.0", [17, 17, 17, 0]),
    ("botan", "2.19.3", [84, 81, 84, 0]),
    ("cryptopp", "8.7.0", [106, 105, 106, 0]),
    ("gcrypt", "1.10.1", [70, 69, 70, 18]),
    ("graviola", "0.4.4", [8, 8, 8, 0]),
    ("ipsec-mb", "1.3.0", [18, 17, 18, 0]),
    ("mbedtls", "2.28.3", [23, 21, 23, 13]),
    ("nettle", "3.8", [67, 67, 67, 0]),
    ("openssl", "3.0.22", [51, 50, 51, 44]),
    ("openssl-vendored", "3.6.3", [48, 47, 48, 41]),
    ("ring", "0.17.14", [9, 9, 9, 0]),
    ("rustcrypto", "hmac 0.13.0, cmac 0.8.0, blake3 1.8.7", [112, 112, 112, 1]),
    ("sodium", "1.0.18", [8, 7, 8, 4]),
    ("wolfssl", "5.5.4", [28, 27, 28, 15]),
];

/// Providers whose macs are those of our catalog or of this Linux: they have no versions of theirs.
const WITHOUT_VERSIONS: &[&str] = &["af-alg", "macs", "macs-c", "null"];

/// What this version must offer: as its row says, or that of a version which differs in the last of
/// three numbers, so that only errors were corrected.
fn known(name: &str, version: &str) -> Option<[usize; 4]> {
    let series = |version: &str| {
        let (series, _) = version.rsplit_once('.')?;
        series.contains('.').then(|| series.to_owned())
    };
    let of = |is_it: &dyn Fn(&str) -> bool| {
        let row = KNOWN.iter().find(|(of, version, _)| *of == name && is_it(version));
        row.map(|(.., right)| *right)
    };
    let own = series(version);
    let is_near = |other: &str| own.is_some() && series(other) == own;
    of(&|other| other == version).or_else(|| of(&is_near))
}

#[test]
fn known_versions_offer_what_they_have() {
    for found in in_process() {
        let info = found.provider.info();
        let what = format!("{} {}: {}", found.name, info.version, info.detail);
        assert!(!info.detail.contains("wrong tags"), "{what}");
        if WITHOUT_VERSIONS.contains(&&*found.name) {
            continue;
        }
        assert!(!info.offers.is_empty(), "{what}");
        let with =
            |life| info.offers.iter().filter(|offer| offer.key_lives.contains(&life)).count();
        let [prepared, new_key, one_shot] = KeyLife::ALL.map(with);
        let counted = [info.offers.len(), prepared, new_key, one_shot];
        // Further libcryptos have numbers instead of names.
        let name = found.name.split("-further-").next().unwrap_or_default();
        match known(name, &info.version) {
            Some(right) => assert_eq!(counted, right, "{what}"),
            None => println!("skipped: what {name} {} offers is not known", info.version),
        }
    }
}

#[test]
fn versions_with_corrections_only_offer_the_same() {
    assert_eq!(known("openssl", "3.0.22"), known("openssl", "3.0.99"));
    assert!(known("openssl", "3.0.99").is_some() && known("openssl", "3.1.0").is_none());
    assert!(known("nettle", "3.8").is_some() && known("nettle", "3.9").is_none());
    assert!(known("nothing", "3.8").is_none());
}

/// All of our catalog, but for what is told in docs/providers.md.
#[test]
fn the_c_library_offers_what_our_own_does() {
    let all = in_process();
    let Some(found) = all.iter().find(|found| found.name == "macs-c") else {
        return println!("skipped: macs-c is not built here");
    };
    let info = found.provider.info();
    assert_eq!(info.different, []);
    let is_wanted = |mac: &&macs::MacInfo| !mac.name.starts_with("cbc-then-cmac-");
    for mac in macs::catalog().iter().filter(is_wanted) {
        let Some(offer) = info.offers.iter().find(|offer| offer.mac == mac.name) else {
            panic!("macs-c has no {}; an old one is renewed by cargo build -p macs-c", mac.name)
        };
        let lives = if mac.is_composition() { &KeyLife::ALL[..2] } else { &KeyLife::ALL[..] };
        assert_eq!(
            (&offer.key_lives[..], &offer.kernel[..]),
            (lives, mac.kernel()),
            "{}",
            mac.name
        );
    }
}

/// Only the kernel may have a device do the work; of all others nothing is said.
#[test]
fn only_the_kernel_offloads() {
    for found in in_process() {
        let told = serde_json::to_value(found.provider.info()).expect("it is JSON");
        let right = (found.name == "af-alg").then_some(true.into());
        assert_eq!(told.get("offloads"), right.as_ref(), "{}", found.name);
    }
}
