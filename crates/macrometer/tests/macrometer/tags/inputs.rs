//! What some macs take beside key and message: a nonce, a customization string, a length of tags
//! to compute. Every test runs over those macs of the catalog that do.

use std::collections::BTreeSet;

use macs::MacInfo;

use super::*;

/// The macs of the catalog that give tags and fit, with a key file for each.
fn macs_with(bench: &KeyBench, fits: impl Fn(&MacInfo) -> bool) -> Vec<&'static MacInfo> {
    let fitting = macs::catalog().iter().filter(|mac| !mac.is_composition() && fits(mac));
    // Those that are refused have a test of their own.
    let fitting: Vec<_> = fitting.filter(|mac| super::keys::known(mac).is_empty()).collect();
    for mac in &fitting {
        let made = bench.words(&format!("keygen --mac {0} {0}.key", mac.name));
        assert_eq!(made.code, Some(0), "{made:?}");
    }
    fitting
}

#[test]
fn a_nonce_is_fresh_for_each_file_and_stands_before_its_tag() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    for mac in macs_with(&bench, |mac| mac.nonce.is_some()) {
        let with = format!("--mac {0} --key-file {0}.key", mac.name);
        let ended = bench.words(&format!("tag {with}{}", " m".repeat(100)));
        assert_eq!(ended.code, Some(0), "{}: {}", mac.name, ended.stderr);
        let nonces: BTreeSet<&str> =
            ended.text().lines().map(|line| line.split_once(':').unwrap().0).collect();
        assert_eq!(nonces.len(), 100, "{}", mac.name);
        for layout in ["gnu", "bsd", "bsd -z"] {
            let tags = bench.words(&format!("tag {with} --format {layout} m m"));
            bench.write("list", &tags.stdout);
            let zero = if layout.ends_with("-z") { " -z" } else { "" };
            let verified = bench.words(&format!("verify {with} --check list{zero}"));
            assert_eq!((verified.code, verified.text()), (Some(0), "m: OK\nm: OK\n"), "{layout}");
        }
    }
}

#[test]
fn a_nonce_that_is_wrong_is_refused_or_a_mismatch() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    for mac in macs_with(&bench, |mac| mac.nonce.is_some()) {
        let with = format!("--mac {0} --key-file {0}.key", mac.name);
        let nonce = "01".repeat(mac.nonce.unwrap().len_bytes);
        let tag = bench.words(&format!("tag {with} --nonce {nonce} m"));
        let (value, name) = tag.text().split_once("  ").unwrap();
        assert_eq!((&value[..=nonce.len()], name), (format!("{nonce}:").as_str(), "m\n"));
        let verify = |value: &str| bench.words(&format!("verify {with} --tag {value} m"));
        assert_eq!(verify(value).code, Some(0), "{}", mac.name);
        let mut flips = hex::decode(&nonce).unwrap();
        for at in 0..8 * flips.len() {
            flips[at / 8] ^= 1 << (at % 8);
            let flipped = format!("{}{}", hex::encode(&flips), &value[nonce.len()..]);
            assert_eq!(verify(&flipped).code, Some(1), "{} bit {at}", mac.name);
            flips[at / 8] ^= 1 << (at % 8);
        }
        verify(&value[nonce.len() + 1..]).is_refused_with(&["--tag: no nonce"]);
        verify(&format!("zz{}", &value[nonce.len()..])).is_refused_with(&["nonce is not hex"]);
        let key_file = format!("{}.key", mac.name);
        let tag = ["tag", "--mac", mac.name, "--key-file", &key_file, "m", "--nonce"];
        bench.run(&[&tag[..], &[""]].concat()).is_refused_with(&["--nonce: must not be empty"]);
        bench.run(&[&tag[..], &["zz"]].concat()).is_refused_with(&["--nonce: not hex"]);
        let accepted = mac.nonce.unwrap().accepted_len;
        let refused = (1..2000).find(|len| !accepted.accepts(*len)).map(|len| "00".repeat(len));
        // Of 16 bytes, VMAC wants the first bit 0.
        let set = mac.name.starts_with("vmac").then(|| "ff".repeat(16));
        for nonce in [refused, set].into_iter().flatten() {
            bench.run(&[&tag[..], &[&nonce]].concat()).is_refused_with(&["--nonce: "]);
            let tag = format!("{nonce}:{}", "00".repeat(mac.tag_len_bytes));
            verify(&tag).is_refused_with(&["--tag: "]);
        }
        bench
            .words(&format!("tag {with} --nonce {nonce} m m"))
            .is_refused_with(&["--nonce", "single input"]);
    }
}

#[test]
fn a_customization_string_is_part_of_what_is_verified() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    for mac in macs_with(&bench, |mac| mac.is_customizable) {
        let with = format!("--mac {0} --key-file {0}.key", mac.name);
        let mut tags = BTreeSet::new();
        for text in ["", "x", "y", "a longer one"] {
            let custom = ["--customization", text];
            let tag = format!("tag {with} m");
            let tag = bench.run(&[&tag.split(' ').collect::<Vec<_>>()[..], &custom].concat());
            assert_eq!(tag.code, Some(0), "{tag:?}");
            bench.write("list", &tag.stdout);
            let verify = format!("verify {with} --check list");
            let verify = verify.split(' ').collect::<Vec<_>>();
            assert_eq!(bench.run(&[&verify[..], &custom].concat()).code, Some(0));
            let other = ["--customization", "other"];
            assert_eq!(bench.run(&[&verify[..], &other].concat()).code, Some(1));
            assert!(tags.insert(tag.stdout), "{}: {text:?}", mac.name);
        }
    }
}

/// The length is an input of some macs: their short tags are not the beginning of long ones.
#[test]
fn tag_lengths_are_computed_where_the_mac_computes_them() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    for mac in macs_with(&bench, |_| true) {
        let with = format!("--mac {0} --key-file {0}.key", mac.name);
        let nonce = mac.nonce.map(|nonce| format!(" --nonce {}", "01".repeat(nonce.len_bytes)));
        let nonce = nonce.unwrap_or_default();
        let value = |more: &str| {
            let ended = bench.words(&format!("tag {with}{nonce} m{more}"));
            assert_eq!(ended.code, Some(0), "{} {more}: {ended:?}", mac.name);
            ended.text().split("  ").next().unwrap().to_owned()
        };
        let whole = value("");
        let lens = [4, 5, mac.tag_len_bytes - 1, mac.tag_len_bytes];
        for len in lens.into_iter().filter(|len| (4..=mac.tag_len_bytes).contains(len)) {
            let short = value(&format!(" --tag-len {len}"));
            let is_cut = whole.starts_with(&short);
            let is_computed = len < mac.tag_len_bytes && mac.accepted_tag_len.accepts(len);
            assert!(is_cut || is_computed, "{} {len}", mac.name);
            if matches!(mac.name, "blake2b-keyed" | "blake2s-keyed" | "kmac128" | "kmac256") {
                assert_eq!(is_cut, len == mac.tag_len_bytes, "{} {len}", mac.name);
            }
            let verify = format!("verify {with} --tag {short} --tag-len {len} m");
            assert_eq!(bench.words(&verify).code, Some(0), "{verify}");
        }
    }
}
