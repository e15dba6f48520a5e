//! A key file in each format: a key that is written as it was read, or an error that does not hold
//! what was in the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrometer::tags::key::KeyFormat;

fuzz_target!(|data: &[u8]| {
    for format in [KeyFormat::Hex, KeyFormat::Base64, KeyFormat::Raw] {
        match format.decode(data) {
            Ok(key) => {
                assert!(!key.is_empty());
                let again = format.decode(&format.encode(&key)).expect("what was written is read");
                assert_eq!(*again, *key);
            }
            Err(error) => {
                let error = error.to_string();
                assert!(!error.contains('\n'), "{error:?}");
                if let Ok(text) = std::str::from_utf8(data) {
                    assert!(text.len() < 24 || !error.contains(text), "{error:?}");
                }
            }
        }
    }
});
