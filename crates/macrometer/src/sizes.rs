//! Lengths of messages as people write them: `300`, `300B`, `1k`, `64KiB`.

use bytesize::ByteSize;
use thiserror::Error;

/// A text that is no length; it says what would be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a length is a whole number of bytes, also with a unit: 300, 300B, 1k (1000), 64KiB (65536), \
     1MiB"
)]
pub struct NoLength;

/// A length in bytes. `k`, `K` and `kB` are 1000 bytes, `Ki` and `KiB` 1024; likewise M and G.
///
/// # Errors
/// When it is none.
pub fn parse(text: &str) -> Result<u64, NoLength> {
    // A fraction would be cut off without a word.
    let is_whole = text.starts_with(|it: char| it.is_ascii_digit()) && !text.contains('.');
    let size = is_whole.then(|| text.parse::<ByteSize>().ok()).flatten();
    size.map(|it| it.as_u64()).ok_or(NoLength)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_decimal_unless_they_have_an_i() {
        let lengths = [
            ("0", 0),
            ("300", 300),
            ("300B", 300),
            ("1k", 1000),
            ("1K", 1000),
            ("1kB", 1000),
            ("1Ki", 1024),
            ("1KiB", 1024),
            ("64KiB", 65_536),
            ("64 KiB", 65_536),
            ("1M", 1_000_000),
            ("1MiB", 1 << 20),
        ];
        for (text, len) in lengths {
            assert_eq!(parse(text), Ok(len), "{text}");
        }
        for wrong in ["", "-5", "foo", "1.5k", "1x", "k", "+1", "1 k b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
