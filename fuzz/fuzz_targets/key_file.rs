//! A key file in each format: a key, and the MAC it names, that are written as they were read, or
//! an error that does not hold what was in the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrometer::tags::key::KeyFormat;

/// Of each format files with an error: none, an odd or incomplete end, a wrong character.
const OTHERS: [&[u8]; 6] = [b"", b"0", b"zz", b"AAA", b"A!==", b"\xff"];

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
                // What is said of other files, too, is ours: a file may hold just these words.
                let is_ours = OTHERS.iter().any(|other| {
                    format.decode(other).is_err_and(|of_other| of_other.to_string() == error)
                });
                if let (Ok(text), false) = (std::str::from_utf8(data), is_ours) {
                    assert!(text.len() < 24 || !error.contains(text), "{error:?}");
                }
            }
        }
    }
});
