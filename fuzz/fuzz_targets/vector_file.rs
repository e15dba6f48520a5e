//! A file of test vectors: cases, or one line that says what is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match vectors::parse("file", data) {
        Ok(cases) => {
            for case in cases {
                let len = case.tag_len_bytes(16);
                assert!(len.is_none_or(|len| len <= case.tag.len()));
                assert!(case.message.len_bytes <= 1 << 30);
            }
        }
        Err(error) => assert!(error.to_string().starts_with("file: ")),
    }
});
