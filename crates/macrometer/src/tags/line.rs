//! The lines that `tag` writes and `verify` reads: those of sha256sum, GNU `VALUE  NAME` and BSD
//! `MAC (NAME) = VALUE`, where the value is `TAG` or `NONCE:TAG` in hex.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::ValueEnum;
use thiserror::Error;

use super::keyed::Keyed;

/// Line format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// TAG  NAME
    Gnu,
    /// MAC (NAME) = TAG
    Bsd,
}

/// How lines end, and so whether names must be escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Names with newline, carriage return or backslash are escaped.
    Newline,
    /// Names stand as they are.
    Zero,
}

impl Ending {
    /// What `-z` asks for.
    pub fn of(is_zero: bool) -> Self {
        if is_zero { Self::Zero } else { Self::Newline }
    }

    /// The byte behind a line.
    pub fn byte(self) -> u8 {
        match self {
            Self::Newline => b'\n',
            Self::Zero => 0,
        }
    }
}

/// A line of a list, not yet believed.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Name of the mac: BSD lines have one.
    pub mac: Option<&'a [u8]>,
    /// `TAG` or `NONCE:TAG`.
    pub value: &'a [u8],
    /// The file, byte for byte.
    pub name: OsString,
}

/// Why a line is none that can be verified.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LineError {
    /// It has neither form.
    #[error("neither `TAG  NAME` nor `MAC (NAME) = TAG`")]
    Neither,
    /// It is longer than lines may be.
    #[error("longer than {most} bytes")]
    TooLong {
        /// Bytes that a line may have.
        most: usize,
    },
    /// It names no file.
    #[error("no file name")]
    NoName,
    /// No file has such a name.
    #[error("a zero byte in the name")]
    ZeroByte,
    /// What is escaped in the name is nothing.
    #[error("a backslash in the name that starts no escape")]
    Backslash,
    /// It is not known of which mac the tag is.
    #[error("no MAC is named, by --mac, the key file or this line")]
    NoMac,
    /// It names a mac that there is not.
    #[error("unknown MAC {name:?}")]
    UnknownMac {
        /// The name that stands in the line.
        name: String,
    },
    /// It names another mac than the lines before it.
    #[error("a tag of {named:?}, not of {mac}")]
    OtherMac {
        /// What it names.
        named: String,
        /// The mac of the others.
        mac: &'static str,
    },
    /// A nonce that the mac does not take.
    #[error("a nonce before the tag, but {mac} takes none")]
    Nonce {
        /// The mac of the line.
        mac: &'static str,
    },
    /// The nonce is missing.
    #[error("no nonce before the tag, but {mac} needs one")]
    NoNonce {
        /// The mac of the line.
        mac: &'static str,
    },
    /// A nonce that the mac refuses.
    #[error("{0}")]
    WrongNonce(macs::Error),
    /// What is written is no number of bytes in hex.
    #[error("the {what} is not hex")]
    NoHex {
        /// Of tag and nonce the one.
        what: &'static str,
    },
    /// The tag is longer or shorter than those of the mac.
    #[error("a tag of {given} bytes, not of {expected} (--tag-len names another length)")]
    TagLen {
        /// Length of the tag in the line.
        given: usize,
        /// That of the others.
        expected: usize,
    },
}

/// A tag and the nonce it was computed with, empty where there is none.
#[derive(Debug, PartialEq, Eq)]
pub struct Value {
    pub nonce: Vec<u8>,
    pub tag: Vec<u8>,
}

impl Value {
    /// As it stands in a line.
    pub fn text(&self) -> String {
        let tag = hex::encode(&self.tag);
        if self.nonce.is_empty() { tag } else { format!("{}:{tag}", hex::encode(&self.nonce)) }
    }

    /// Reads what [`text`](Self::text) wrote, in letters of either case, for this mac.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &[u8], keyed: &Keyed) -> Result<Self, LineError> {
        let mac = keyed.info().name;
        let mut parts = text.splitn(2, |byte| *byte == b':');
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        let (nonce, tag) = match (second, keyed.info().nonce) {
            (Some(tag), Some(_)) => (first, tag),
            (None, None) => (&[][..], first),
            (Some(_), None) => return Err(LineError::Nonce { mac }),
            (None, Some(_)) => return Err(LineError::NoNonce { mac }),
        };
        let nonce = hex::decode(nonce).map_err(|_| LineError::NoHex { what: "nonce" })?;
        let tag = hex::decode(tag).map_err(|_| LineError::NoHex { what: "tag" })?;
        keyed.check_nonce(&nonce).map_err(LineError::WrongNonce)?;
        if tag.len() != keyed.tag_len_bytes() {
            let (given, expected) = (tag.len(), keyed.tag_len_bytes());
            return Err(LineError::TagLen { given, expected });
        }
        Ok(Self { nonce, tag })
    }
}

/// A whole line with its ending.
pub fn format(layout: Layout, ending: Ending, mac: &str, value: &str, name: &OsStr) -> Vec<u8> {
    let (backslash, name) = match ending {
        Ending::Newline => escape(name),
        Ending::Zero => ("", name.as_bytes().into()),
    };
    let (before, behind) = match layout {
        Layout::Gnu => (format!("{backslash}{value}  "), String::new()),
        Layout::Bsd => (format!("{backslash}{mac} ("), format!(") = {value}")),
    };
    [before.as_bytes(), &name, behind.as_bytes(), &[ending.byte()]].concat()
}

/// Reads a line without its ending.
///
/// # Errors
/// When it is none.
pub fn parse(line: &[u8], ending: Ending) -> Result<Line<'_>, LineError> {
    const NEITHER: LineError = LineError::Neither;
    let escaped = line.strip_prefix(b"\\").filter(|_| ending == Ending::Newline);
    let plain = escaped.unwrap_or(line);
    let space = plain.iter().position(|byte| *byte == b' ').ok_or(NEITHER)?;
    let (first, rest) = (&plain[..space], &plain[space + 1..]);
    let (mac, value, name) = match rest {
        // The star marks a file read as binary, as all are.
        [b' ' | b'*', name @ ..] => (None, first, name),
        // The name may itself hold what ends it: the last one counts, a value holds none.
        [b'(', rest @ ..] => {
            let end = rest.windows(4).rposition(|window| window == b") = ").ok_or(NEITHER)?;
            (Some(first), &rest[end + 4..], &rest[..end])
        }
        _ => return Err(NEITHER),
    };
    let name = file_name(name, escaped.is_some())?;
    Ok(Line { mac, value, name: OsString::from_vec(name) })
}

fn file_name(name: &[u8], is_escaped: bool) -> Result<Vec<u8>, LineError> {
    if name.is_empty() {
        return Err(LineError::NoName);
    }
    if name.contains(&0) {
        return Err(LineError::ZeroByte);
    }
    match is_escaped {
        true => unescape(name).ok_or(LineError::Backslash),
        false => Ok(name.to_vec()),
    }
}

/// A backslash for the beginning of the line if the name needs one, and the name in that line.
pub fn escape(name: &OsStr) -> (&'static str, Vec<u8>) {
    let mut escaped = Vec::with_capacity(name.len());
    for &byte in name.as_bytes() {
        match byte {
            b'\\' => escaped.extend(b"\\\\"),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            _ => escaped.push(byte),
        }
    }
    (if escaped.len() > name.len() { "\\" } else { "" }, escaped)
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_as_they_are_met() {
        let cases = [
            ("0a  file", None, "0a", "file"),
            ("0a *file", None, "0a", "file"),
            ("0a   file", None, "0a", " file"),
            ("0a  *file", None, "0a", "*file"),
            ("0a  a b ", None, "0a", "a b "),
            ("0a  (x) = 1", None, "0a", "(x) = 1"),
            ("01:0A  file", None, "01:0A", "file"),
            ("m (file) = 0a", Some("m"), "0a", "file"),
            ("m (a) = b) = 0a", Some("m"), "0a", "a) = b"),
            ("m (() = 0a", Some("m"), "0a", "("),
            ("m ( a ) = 0a", Some("m"), "0a", " a "),
            ("\\0a  a\\nb\\\\c\\r", None, "0a", "a\nb\\c\r"),
            ("\\m (a\\nb) = 0a", Some("m"), "0a", "a\nb"),
            ("0a  a\\nb", None, "0a", "a\\nb"),
        ];
        for (line, mac, value, name) in cases {
            let mac = mac.map(str::as_bytes);
            let expected = Line { mac, value: value.as_bytes(), name: name.into() };
            assert_eq!(parse(line.as_bytes(), Ending::Newline), Ok(expected), "{line:?}");
        }
    }

    #[test]
    fn lines_that_are_none() {
        let cases = [
            "",
            " ",
            "0a",
            "0a ",
            "0a  ",
            "0a file",
            "m (file)",
            "m (file) =",
            "m () = 0a",
            "m(file) = 0a",
            "\\",
            "\\0a  a\\",
            "\\0a  a\\t",
            "0a  a\0b",
        ];
        for line in cases {
            assert!(parse(line.as_bytes(), Ending::Newline).is_err(), "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_whatever_the_name(
            name in prop::collection::vec(
                prop_oneof![1..=255u8, prop::sample::select(b"\\\n\r ()=*:#".to_vec())],
                1..60,
            ),
            is_bsd: bool,
            is_zero: bool,
        ) {
            let layout = if is_bsd { Layout::Bsd } else { Layout::Gnu };
            let ending = Ending::of(is_zero);
            let line = format(layout, ending, "mac-1", "01:ab", OsStr::from_bytes(&name));
            let (last, line) = line.split_last().unwrap();
            prop_assert_eq!(*last, ending.byte());
            prop_assert!(!line.contains(last));
            let expected = is_bsd.then_some(&b"mac-1"[..]);
            let name = OsString::from_vec(name);
            let read = Line { mac: expected, value: b"01:ab", name };
            prop_assert_eq!(parse(line, ending), Ok(read));
        }

        #[test]
        fn no_line_is_a_panic(line: Vec<u8>, is_zero: bool) {
            let _ = parse(&line, Ending::of(is_zero));
        }
    }
}
