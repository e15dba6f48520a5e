//! A key file in each format: a key, and the MAC it names, that are written as they were read, or
//! an error that does not hold what was in the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrometer::tags::key::KeyFormat;

/// Files with each error that there is: none, an odd or incomplete end, a wrong character; under a
/// line `mac:` no name, two lines, two words, hex in base64; such a line where the key is raw.
const OTHERS: [&[u8]; 10] = [
    b"",
    b"0",
    b"AAA",
    b"\xff",
    b"zz",
    b"mac:",
    b"mac: x\n00\n00",
    b"mac: x\n00 00",
    b"mac: x\n0000000000000000",
    b"mac: hmac-sha256",
];

/// The words of an error, without its numbers: of bytes, digits or lines, of which a file has no
/// more than bytes.
fn words(error: &str, len: usize) -> String {
    let is_between = |c: char| !c.is_ascii_alphanumeric();
    let plain = |piece: &str| {
        let word = piece.trim_end_matches(is_between);
        match word.parse::<usize>() {
            Ok(number) if number <= len => piece.replacen(word, "N", 1),
            _ => piece.to_owned(),
        }
    };
    error.split_inclusive(is_between).map(plain).collect()
}

fuzz_target!(|data: &[u8]| {
    for format in [KeyFormat::Hex, KeyFormat::Base64, KeyFormat::Raw] {
        match format.decode(data) {
            Ok(key) => {
                assert!(!key.bytes.is_empty());
                let written = format.encode(&key.bytes, key.mac.as_deref());
                let again = format.decode(&written).expect("what was written is read");
                assert_eq!((&again.mac, &*again.bytes), (&key.mac, &*key.bytes));
            }
            Err(error) => {
                let error = error.to_string();
                assert!(!error.contains('\n'), "{error:?}");
                // What is said of these files, too, is ours, and nothing else may be said.
                let said = words(&error, data.len());
                let is_ours = OTHERS.iter().any(|other| {
                    let of_other = format.decode(other).err().map(|it| it.to_string());
                    of_other.is_some_and(|of_other| words(&of_other, other.len()) == said)
                });
                assert!(is_ours, "{error:?}");
            }
        }
    }
});
