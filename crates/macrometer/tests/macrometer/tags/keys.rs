//! Keys: the three formats, the places they come from, what is refused, and `keygen`.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// What a mac is asked for by that others would be refused.
pub fn known(mac: &macs::MacInfo) -> &'static str {
    let is_forgeable = match mac.standing() {
        macs::Standing::Broken => true,
        macs::Standing::Conditional => mac.nonce.is_none(),
        _ => false,
    };
    if is_forgeable && !mac.is_composition() { " --insecure" } else { "" }
}

/// RFC 4231 test case 2.
const RFC_MESSAGE: &str = "what do ya want for nothing?";
const RFC_TAG: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

#[test]
fn the_published_tag_by_every_way_to_give_a_key() {
    let bench = KeyBench::new();
    bench.write("message", RFC_MESSAGE);
    let raw = "--key-format raw";
    let base64 = "--key-format base64";
    for (content, format) in [
        ("Jefe", raw),
        ("4a656665", ""),
        ("4A65 6665\n", "--key-format hex"),
        (" 4a\r\n6\t566\n65\r\n", ""),
        ("SmVmZQ==", base64),
        ("\nSmVm\n ZQ= =\r\n", base64),
    ] {
        bench.private("k", content);
        let end = format!("tag --mac {MAC} {format} message");
        for line in [
            format!("$M {end} --key-file k"),
            format!("$M {end} --key-file - <k"),
            format!("cat k | $M {end} --key-file -"),
            format!("$M {end} --key-fd 3 3<k"),
            format!("cat k | $M {end} --key-fd 0"),
            format!("cat k | $M {end} --key-fd 7 7<&0 </dev/null"),
            format!("mkfifo f; cat k >f & $M {end} --key-file f; code=$?; rm f; exit $code"),
        ] {
            let ended = bench.shell(&line);
            assert_eq!(ended.text(), format!("{RFC_TAG}  message\n"), "{line}: {ended:?}");
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{line}");
        }
    }
}

#[test]
fn what_is_no_key_is_refused_with_a_line_that_says_why() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    let raw_hint = "--key-format raw if the file holds the key's bytes themselves";
    let cases: &[(&[u8], &str, &str, &[&str])] = &[
        (b"", MAC, "hex", &["k: ", "empty"]),
        (b" \n\t", MAC, "hex", &["empty"]),
        (b"", MAC, "raw", &["empty"]),
        (b"\n", MAC, "base64", &["empty"]),
        (b"4a656", MAC, "hex", &["odd number", "5"]),
        (b"4a 6x", MAC, "hex", &["not hex at byte 5", raw_hint, "--key-format base64"]),
        (b"0x4a65", MAC, "hex", &["not hex at byte 2"]),
        (b"4a65\0", MAC, "hex", &["not hex at byte 5"]),
        (b"\xff\xfe4\x00", MAC, "hex", &["not hex at byte 1", raw_hint]),
        (b"\xef\xbb\xbf4a65", MAC, "hex", &["not hex at byte 1"]),
        (b"SmVmZQ", MAC, "base64", &["not base64", "padded"]),
        (b"SmVmZR==", MAC, "base64", &["not base64"]),
        (b"SmVmZ===", MAC, "base64", &["not base64"]),
        (b"====", MAC, "base64", &["not base64"]),
        (b"Sm-_", MAC, "base64", &["not base64 at byte 3", raw_hint, "--key-format hex"]),
        (
            b"4a656665",
            "cmac-aes-128",
            "hex",
            &["16 bytes", "not of 4", "keygen --mac cmac-aes-128"],
        ),
        (&[0; 17], "cmac-aes-128", "raw", &["k: ", "16 bytes", "not of 17 bytes"]),
        (&[0; 15], "cmac-aes-128", "raw", &["16 bytes", "not of 15 bytes"]),
        (&[0; 16], "cmac-tdes-3", "raw", &["24 bytes", "not of 16 bytes"]),
        (&[b'a'; (1 << 20) + 1], MAC, "hex", &["k: ", "larger than 1 MiB"]),
        (&[0; (1 << 20) + 1], MAC, "raw", &["larger than 1 MiB"]),
    ];
    for (content, mac, format, words) in cases {
        bench.private("k", content);
        for verb in ["tag", "verify --tag 00"] {
            let line = format!("{verb} --mac {mac} --key-file k --key-format {format} message");
            bench.words(&line).is_refused_with(words);
        }
    }
    bench.private("k", [0; 1 << 20]);
    let largest = format!("tag --mac {MAC} --key-file k --key-format raw message");
    assert_eq!(bench.words(&largest).code, Some(0));
}

/// A file that names its MAC is as `keygen` wrote it, or refused: nothing is joined or guessed.
#[test]
fn a_file_that_names_its_mac_has_one_key_in_the_format_of_the_option() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    let hex = "4a6566654a6566654a6566654a656665";
    let named = |key: &str| format!("mac: {MAC}\n{key}");
    for (content, format, words) in [
        (named(&format!("{hex}\n{hex}\n")), "hex", &["k: 2 lines under", "one was expected"][..]),
        (named(&format!("{hex}\n\n{hex}\n{hex}")), "hex", &["3 lines under"]),
        (named("4a65 6665\n"), "hex", &["white space within the key"]),
        (named("SmVm ZQ==\n"), "base64", &["white space within the key"]),
        (named(&format!("{hex}\n")), "base64", &["in hex", "--key-format hex"]),
        (named(&format!("{hex}\n")), "raw", &["not raw", "--key-format hex or base64"]),
    ] {
        bench.private("k", content);
        let line = format!("tag --key-file k --key-format {format} --mac {MAC} message");
        bench.words(&line).is_refused_with(words);
    }
    for end in ["", "\n", "\r\n", "\n\n"] {
        bench.private("k", named(&format!("{hex}{end}")));
        assert_eq!(bench.words("tag --key-file k message").code, Some(0), "{end:?}");
    }
    // What only begins like a name is a raw key.
    bench.private("k", "mac: nonsuch\n0123456789");
    let raw = format!("tag --key-file k --key-format raw --mac {MAC} message");
    assert_eq!(bench.words(&raw).code, Some(0));
}

#[test]
fn places_without_a_key_are_named() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    symlink("loop", bench.path("loop")).unwrap();
    symlink("nowhere", bench.path("dangling")).unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("--key-file nothing", &["nothing: the key cannot be read: no such file"]),
        ("--key-file .", &[".: the key cannot be read: is a directory"]),
        ("--key-file dangling", &["dangling", "no such file"]),
        ("--key-file loop", &["loop", "symbolic links"]),
        ("--key-file message/k", &["message/k", "not a directory"]),
        ("--key-file /dev/null", &["/dev/null", "empty"]),
        ("--key-file /dev/zero --key-format raw", &["/dev/zero", "larger than 1 MiB"]),
        ("--key-file -", &["standard input", "empty"]),
        ("--key-fd 3", &["--key-fd 3", "this descriptor is not open"]),
        ("--key-fd 9", &["--key-fd 9", "this descriptor is not open"]),
        ("--key-fd -1", &["-1"]),
        ("--key-fd x", &["--key-fd"]),
        ("--key-fd 4294967296", &["--key-fd"]),
        ("--key-file key --key-fd 3", &["cannot be used with"]),
        ("--key-file key --key-file key", &["multiple times"]),
        ("--key-file key --key-format utf8", &["utf8", "raw"]),
        ("--key-format hex", &["--key-file"]),
    ];
    for (key, words) in cases {
        bench.words(&format!("tag --mac {MAC} {key} message")).is_refused_with(words);
    }
    bench.lock("key");
    bench
        .stopped(&["tag", "--mac", MAC, "--key-file", "key", "message"])
        .is_refused_with(&["key: the key cannot be read: permission denied"]);
}

#[test]
fn a_key_that_others_can_read_is_warned_of_and_taken() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    for (mode, warned) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
        let permissions = PermissionsExt::from_mode(mode);
        std::fs::set_permissions(bench.path("key"), permissions).unwrap();
        for key in ["--key-file key", "--key-file - <key", "--key-fd 3 3<key"] {
            let ended = bench.shell(&format!("$M tag --mac {MAC} message {key}"));
            assert_eq!(ended.text(), format!("{}  message\n", expected(b"m")));
            assert_eq!(ended.stderr.contains("warning"), warned, "{mode:o} {key}: {ended:?}");
            assert_eq!(ended.stderr.contains(&format!("{mode:04o}")), warned, "{ended:?}");
        }
    }
    let pipe = bench.shell(&format!("cat key | $M tag --mac {MAC} --key-file - message"));
    assert_eq!(pipe.stderr, "");
}

#[test]
fn every_mac_of_the_catalog_gets_a_key_and_verifies_its_tags() {
    let bench = KeyBench::new();
    bench.write("message", "a message");
    bench.write("empty", "");
    for mac in macs::catalog() {
        let (name, known) = (mac.name, known(mac));
        let made = bench.words(&format!("keygen --mac {name}{known} {name}.key"));
        assert_eq!((made.code, made.text(), made.stderr.as_str()), (Some(0), "", ""), "{name}");
        let key = std::fs::read_to_string(bench.path(format!("{name}.key"))).unwrap();
        let key = key.strip_prefix(&format!("mac: {name}\n")).expect("the line that names it");
        assert_eq!(key.len(), 2 * mac.key_len_bytes + 1, "{name}");
        if name == "retail-mac-des" {
            let odd = |byte: &u8| byte.count_ones() % 2 == 1;
            assert!(hex::decode(key.trim()).unwrap().iter().all(odd), "{name}");
        }
        let tag = format!("tag --mac {name}{known} --key-file {name}.key message empty");
        if mac.is_composition() {
            bench.words(&tag).is_refused_with(&[name, "composition"]);
            continue;
        }
        let ended = bench.words(&tag);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{name}");
        let value = ended.text().split(' ').next().unwrap().to_owned();
        let nonce_len = mac.nonce.map_or(0, |nonce| 2 * nonce.len_bytes + 1);
        assert_eq!(value.len(), nonce_len + 2 * mac.tag_len_bytes, "{name}");
        if let Some((nonce, tag)) = value.split_once(':') {
            let again = bench.words(&format!(
                "tag --mac {name}{known} --key-file {name}.key --nonce {nonce} --format bsd message"
            ));
            assert_eq!(again.text(), format!("{name} (message) = {nonce}:{tag}\n"));
        } else {
            let key = hex::decode(key.trim()).unwrap();
            let tag = macs::mac(name, &key, b"a message").unwrap();
            assert_eq!(value, hex::encode(tag), "{name}");
        }
        bench.write("list", &ended.stdout);
        let verified =
            bench.words(&format!("verify --mac {name}{known} --key-file {name}.key --check list"));
        assert_eq!((verified.code, verified.text()), (Some(0), "message: OK\nempty: OK\n"));
        let line =
            format!("verify --mac {name}{known} --key-file {name}.key --tag {value} message");
        assert_eq!(bench.words(&line).code, Some(0), "{name}");
        assert_eq!(bench.words(&line.replace(" message", " empty")).code, Some(1), "{name}");
    }
}

#[test]
fn keys_are_made_whole_private_and_never_twice() {
    let bench = KeyBench::new();
    for (arguments, len) in [
        ("--mac hmac-sha256", 17 + 65),
        ("--mac hmac-sha256 --key-len 20", 17 + 41),
        ("--mac hmac-sha256 --key-len 20 --key-format base64", 17 + 29),
        ("--mac hmac-sha256 --key-len 20 --key-format raw", 20),
        ("--mac cmac-aes-192 --key-len 24", 18 + 49),
        ("--mac cmac-tdes-3 --key-format raw", 24),
    ] {
        let line = format!("keygen {arguments} k");
        let mut made = BTreeSet::new();
        for _ in 0..3 {
            let ended = bench.words(&line);
            assert_eq!((ended.code, ended.text(), ended.stderr.as_str()), (Some(0), "", ""));
            let known = std::fs::metadata(bench.path("k")).unwrap();
            assert_eq!(known.permissions().mode() & 0o7777, 0o600);
            let key = std::fs::read(bench.path("k")).unwrap();
            assert_eq!(key.len(), len, "{line}");
            bench.words(&line).is_refused_with(&["k: already exists"]);
            assert_eq!(std::fs::read(bench.path("k")).unwrap(), key);
            std::fs::remove_file(bench.path("k")).unwrap();
            made.insert(key);
        }
        assert_eq!(made.len(), 3, "{line}");
    }
    let left: Vec<_> = std::fs::read_dir(bench.folder()).unwrap().collect();
    assert_eq!(left.len(), 1, "only the bench's own key: {left:?}");
    for mac in ["cmac-tdes-2", "cmac-tdes-3"] {
        let key = bench.words(&format!("keygen --mac {mac} --key-format raw -")).stdout;
        assert!(key.iter().all(|byte| byte.count_ones() % 2 == 1), "{mac}: {key:?}");
    }
}

/// A file of bare hex is a key for any MAC; one of `keygen` is for its own.
#[test]
fn a_key_file_names_its_mac() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    for format in ["hex", "base64"] {
        let name = format!("{format}.key");
        let with = format!("--key-format {format} --key-file {name} message");
        let made = bench.words(&format!("keygen --mac hmac-sha512 --key-format {format} {name}"));
        assert_eq!(made.code, Some(0), "{made:?}");
        let asked = bench.words(&format!("tag --mac hmac-sha512 {with}"));
        let named = bench.words(&format!("tag {with}"));
        assert_eq!((named.code, named.text(), &*named.stderr), (Some(0), asked.text(), ""));
        let tag = named.text().split(' ').next().unwrap();
        assert_eq!(tag.len(), 128, "of HMAC-SHA-512");
        assert_eq!(bench.words(&format!("verify --tag {tag} {with}")).code, Some(0));
        for verb in ["tag", "verify --tag 00"] {
            let other = bench.words(&format!("{verb} --mac hmac-sha256 {with}"));
            other.is_refused_with(&["--mac hmac-sha256", &name, "is for hmac-sha512"]);
        }
    }
    // With its line, the largest key that can be made is read again.
    let made = bench.words(&format!("keygen --mac {MAC} --key-len 524224 largest"));
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(bench.words("tag --key-file largest message").code, Some(0));
    for (content, words) in [
        ("4a656665", &["no MAC is named", "--mac NAME", "k"][..]),
        ("mac: hmac-sha256", &["k: empty"]),
        ("mac: hmac-sha256\n4a6x", &["k: not hex at byte 21"]),
        ("mac:\n4a65", &["k: the line `mac:` names no MAC"]),
        ("mac: 4a65 6665\n4a65", &["k: the line `mac:` names no MAC"]),
        ("mac: 4a656665\n4a65", &["k: its line `mac:` names no MAC that is known"]),
        ("mac: cmac-aes-128\n4a65", &["k: ", "16 bytes", "not of 2 bytes"]),
        ("mac: cbc-mac-aes-128\n4a65", &["cbc-mac-aes-128: broken", "--insecure"]),
    ] {
        bench.private("k", content);
        for verb in ["tag", "verify --tag 00"] {
            let ended = bench.words(&format!("{verb} --key-file k message"));
            ended.is_refused_with(words);
            assert!(!ended.stderr.contains("4a65"), "{}", ended.stderr);
        }
    }
    bench.private("k", "mac: hmac-sha256\r\n4a656665\r\n");
    bench.write("message", RFC_MESSAGE);
    assert_eq!(bench.words("tag --key-file k message").text(), format!("{RFC_TAG}  message\n"));
}

#[test]
fn keys_that_cannot_be_made_are_refused() {
    let bench = KeyBench::new();
    symlink("nowhere", bench.path("dangling")).unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("--mac hmac-sha265 k", &["hmac-sha265", "did you mean", "hmac-sha256"]),
        ("--mac poetry k", &["poetry", "macrometer list macs"]),
        ("--mac hmac-sha256", &["<FILE>"]),
        ("k", &["--mac"]),
        ("--mac hmac-sha256 --key-len 0 k", &["--key-len 0", "1 to"]),
        ("--mac hmac-sha256 --key-len 524288 k", &["--key-len 524288", "524224"]),
        ("--mac hmac-sha256 --key-len 18446744073709551615 k", &["524224"]),
        ("--mac hmac-sha256 --key-len x k", &["--key-len"]),
        ("--mac cmac-aes-128 --key-len 32 k", &["--key-len 32", "cmac-aes-128", "16 bytes"]),
        ("--mac cmac-tdes-3 --key-len 16 k", &["24 bytes"]),
        ("--mac hmac-sha256 no/such/k", &["no/such/k", "no such file"]),
        ("--mac hmac-sha256 key/k", &["key/k", "not a directory"]),
        ("--mac hmac-sha256 /proc/k", &["/proc/k"]),
        ("--mac hmac-sha256 key", &["key: already exists"]),
        ("--mac hmac-sha256 dangling", &["dangling: already exists"]),
        ("--mac hmac-sha256 /dev/null", &["/dev/null"]),
        ("--mac hmac-sha256 .", &["."]),
    ];
    for (arguments, words) in cases {
        bench.words(&format!("keygen {arguments}")).is_refused_with(words);
    }
    assert_eq!(std::fs::read_to_string(bench.path("key")).unwrap(), KEY);
    assert!(!bench.path("k").exists() && !bench.path("nowhere").exists());
}

#[test]
fn no_part_of_a_key_is_ever_said() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    let raw = hex::decode(KEY).unwrap();
    bench.private("raw", &raw);
    bench.private("broken", format!("{KEY}zz"));
    bench.write("others", KEY);
    bench.write("list", format!("{}  message\n", expected(b"m")));
    let mut told = Vec::new();
    for key in ["key", "raw", "broken", "others"] {
        for format in ["hex", "base64", "raw"] {
            for mac in [MAC, "cmac-aes-128", "cmac-aes-256", "none"] {
                let with = format!("--mac {mac} --key-file {key} --key-format {format}");
                for line in [
                    format!("tag {with} message nothing ."),
                    format!("verify {with} --check list"),
                    format!("verify {with} --tag 00 message"),
                    format!("tag --key={KEY} {with} message"),
                    format!("tag {with} --key-fd 0 message"),
                ] {
                    let ended = bench.words(&line);
                    told.extend([ended.stdout, ended.stderr.into_bytes()].concat());
                }
            }
        }
    }
    assert!(told.len() > 10_000);
    let text = String::from_utf8_lossy(&told).to_lowercase();
    for at in 0..KEY.len() - 8 {
        assert!(!text.contains(&KEY[at..at + 8]), "the key's digits at {at}");
    }
    for part in raw.windows(4) {
        assert!(!told.windows(4).any(|window| window == part), "the key's bytes");
    }
}

#[test]
fn a_mac_whose_tags_can_be_forged_is_taken_only_by_those_who_know() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    let refused = ["cbc-mac-aes-128", "cbc-mac-tdes-3", "poly1305", "siphash-1-3-64"];
    let refused = refused.iter().filter_map(|name| macs::find(name));
    assert!(refused.clone().count() >= 3);
    for mac in refused {
        let name = mac.name;
        bench.private("k", "00".repeat(mac.key_len_bytes));
        for line in [
            format!("tag --mac {name} --key-file k message"),
            format!("verify --mac {name} --key-file k --tag 00 message"),
            format!("keygen --mac {name} new"),
        ] {
            let words = [name, mac.standing().name(), "--insecure"];
            bench.words(&line).is_refused_with(&words);
        }
        assert!(!bench.path("new").exists());
        let ended = bench.words(&format!("tag --mac {name} --insecure --key-file k message"));
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.stderr);
    }
    for name in ["gmac-aes-128", "umac-64", "cmac-tdes-3", "hmac-md5"] {
        assert_eq!(bench.words(&format!("keygen --mac {name} {name}")).code, Some(0), "{name}");
    }
}
