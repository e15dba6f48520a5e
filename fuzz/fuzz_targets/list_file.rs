//! A list of tags: every line is one, or an error; what is one is written as it was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrometer::tags::line::{Ending, Layout, format, parse};
use macrometer::tags::list::{LINE_BYTES_MAX, List};

fuzz_target!(|data: &[u8]| {
    for ending in [Ending::Newline, Ending::Zero] {
        let mut list = List::new(data, ending);
        let mut before = 0;
        loop {
            let numbered = match list.next_line() {
                Ok(Some(numbered)) => numbered,
                Ok(None) => break,
                // What is in memory can be read; a list in UTF-16 is refused.
                Err(error) => {
                    let is_utf_16 =
                        [b"\xff\xfe", b"\xfe\xff"].iter().any(|it| data.starts_with(*it));
                    assert!(is_utf_16, "{error}");
                    break;
                }
            };
            assert!(numbered.number > before);
            before = numbered.number;
            let Some(line) = numbered.line else { continue };
            assert!(line.len() <= LINE_BYTES_MAX);
            let Ok(parsed) = parse(line, ending) else { continue };
            // What `tag` writes: hex digits, and names of the catalog.
            let is_value = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b':';
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-".contains(byte);
            let mac = parsed.mac.unwrap_or_default();
            if !parsed.value.iter().all(is_value) || !mac.iter().all(is_name) {
                continue;
            }
            let value = std::str::from_utf8(parsed.value).expect("ASCII");
            let mac = std::str::from_utf8(mac).expect("ASCII");
            let layout = if parsed.mac.is_some() { Layout::Bsd } else { Layout::Gnu };
            let mut written = format(layout, ending, mac, value, &parsed.name);
            assert_eq!(written.pop(), Some(ending.byte()));
            let again = parse(&written, ending).expect("what was written is read");
            assert_eq!(again, parsed, "{line:?} as {written:?}");
        }
    }
});
