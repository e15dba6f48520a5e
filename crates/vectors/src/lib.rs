//! Test vectors: the format of `docs/vectors.md`, read with errors that say where, and the compact
//! set that travels with the project. This crate computes nothing: who computes is handed a
//! [`Case`] and asked what a tag or a ciphertext should be.

use std::fs;
use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use thiserror::Error;

/// The compact set: RFC, NIST and other published cases, and some by the definitions.
static COMPACT: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/cases");

/// Longest message that a case may ask for by `msg_repeat`.
const MESSAGE_LEN_MAX_BYTES: usize = 1 << 30;

/// One case: inputs, what must come out, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What the file calls it.
    pub id: String,
    /// Canonical name of the mac, or `block-…` for a single block through a cipher.
    pub mac: String,
    /// The key; several keys joined.
    pub key: Vec<u8>,
    /// The nonce; empty where the case has none.
    pub nonce: Vec<u8>,
    /// SP 800-185's customization string S; empty where the case has none.
    pub customization: Vec<u8>,
    /// The associated data of a composition.
    pub associated_data: Vec<u8>,
    /// The message.
    pub message: Message,
    /// The ciphertext without the tag: the case is about a composition.
    pub ciphertext: Option<Vec<u8>>,
    /// The tag that the case shows, right or wrong.
    pub tag: Vec<u8>,
    /// Length of the tag as the case says it; without it the mac's own length is meant.
    pub tag_bits: Option<u64>,
    /// Whether verification must succeed. If not, it must fail: wrong tag, or a key, nonce or tag
    /// of a length that is not allowed.
    pub is_valid: bool,
}

/// A message, kept short where it repeats itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What is repeated; the whole message where nothing is.
    pub unit: Vec<u8>,
    /// Length of the message.
    pub len_bytes: usize,
}

impl Message {
    /// The whole message, with what is repeated in it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.unit.iter().copied().cycle().take(self.len_bytes).collect()
    }
}

impl Case {
    /// Length of the tag that the case is about, for a mac whose whole tag is `whole_len_bytes`
    /// long; `None` if the tag it shows has another length, which makes it invalid.
    #[must_use]
    pub fn tag_len_bytes(&self, whole_len_bytes: usize) -> Option<usize> {
        let said = self.tag_bits.map(|bits| (bits / 8) as usize);
        let shown = self.tag.len();
        let is_as_said = said.is_none_or(|said| said == shown);
        // More than the whole tag: the output of an extendable function, which begins with it.
        let is_right = is_as_said && shown > 0 && (self.is_valid || shown <= whole_len_bytes);
        is_right.then_some(shown.min(whole_len_bytes))
    }
}

/// Why a file of vectors cannot be used.
#[derive(Debug, Error)]
pub enum VectorError {
    /// It cannot be read.
    #[error("{file}: cannot be read: {error}")]
    Read {
        /// Name of the file.
        file: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is not a JSON array of cases.
    #[error("{file}: not an array of cases: {error}")]
    Format {
        /// Name of the file.
        file: String,
        /// Where and why.
        error: serde_json::Error,
    },
    /// A case contradicts itself.
    #[error("{file}: case {number} ({id:?}): {problem}")]
    Case {
        /// Name of the file.
        file: String,
        /// Counted from 1.
        number: usize,
        /// What the case calls itself.
        id: String,
        /// What is wrong and what would be right.
        problem: Problem,
    },
}

/// What is wrong with a case.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Problem {
    /// Its result is no word that is known.
    #[error("result: {word:?} is neither valid nor invalid")]
    Outcome {
        /// The word that stands there.
        word: String,
    },
    /// Its tag does not have a whole number of bytes.
    #[error("tag_bits: must be a multiple of 8")]
    TagBits,
    /// It has no message, or two.
    #[error("either msg or msg_repeat must be there")]
    Message,
    /// Its message is too long.
    #[error("msg_repeat.len: at most {MESSAGE_LEN_MAX_BYTES}")]
    MessageLen,
    /// Its message repeats nothing.
    #[error("msg_repeat.unit: an empty unit never gets that long")]
    EmptyUnit,
    /// What is written is no number of bytes.
    #[error("{field}: not hexadecimal: {error}")]
    NoHex {
        /// Name of the field.
        field: &'static str,
        /// What is wrong there.
        error: hex::FromHexError,
    },
}

/// The cases of one file.
///
/// # Errors
/// Naming the file, the case and what would be right.
pub fn read(path: &Path) -> Result<Vec<Case>, VectorError> {
    let file = path.display().to_string();
    let text = fs::read(path).map_err(|error| VectorError::Read { file: file.clone(), error })?;
    parse(&file, &text)
}

/// The compact set, file by file with the file's name.
///
/// # Panics
/// Never: a test reads every file of the set.
pub fn compact() -> impl Iterator<Item = (String, Vec<Case>)> {
    COMPACT.files().map(|file| {
        let name = file.path().display().to_string();
        let cases = parse(&name, file.contents()).unwrap_or_else(|error| panic!("{error}"));
        (name, cases)
    })
}

/// The cases in the text of one file; `file` is its name for errors.
///
/// # Errors
/// As [`read`].
pub fn parse(file: &str, text: &[u8]) -> Result<Vec<Case>, VectorError> {
    let written: Vec<Written> = serde_json::from_slice(text)
        .map_err(|error| VectorError::Format { file: file.into(), error })?;
    let case = |(number, written): (usize, Written)| {
        let id = written.id.clone();
        written.case().map_err(|problem| VectorError::Case {
            file: file.into(),
            number,
            id,
            problem,
        })
    };
    (1..).zip(written).map(case).collect()
}

/// A case as it is written. Fields that are not named here (`source`, `comment`, `flags`) are for
/// people.
#[derive(Deserialize)]
struct Written {
    id: String,
    mac: String,
    key: String,
    nonce: Option<String>,
    custom: Option<String>,
    ad: Option<String>,
    msg: Option<String>,
    msg_repeat: Option<Repeat>,
    ct: Option<String>,
    tag: String,
    tag_bits: Option<u64>,
    result: Option<String>,
}

#[derive(Deserialize)]
struct Repeat {
    unit: String,
    len: usize,
}

impl Written {
    fn is_valid(&self) -> Result<bool, Problem> {
        match self.result.as_deref() {
            None | Some("valid") => Ok(true),
            Some("invalid") => Ok(false),
            Some(word) => Err(Problem::Outcome { word: word.into() }),
        }
    }

    fn case(self) -> Result<Case, Problem> {
        let optional = |field, text: &Option<String>| {
            text.as_deref().map(|text| bytes(field, text)).transpose()
        };
        let is_valid = self.is_valid()?;
        if self.tag_bits.is_some_and(|bits| bits % 8 != 0) {
            return Err(Problem::TagBits);
        }
        Ok(Case {
            key: bytes("key", &self.key)?,
            nonce: optional("nonce", &self.nonce)?.unwrap_or_default(),
            customization: optional("custom", &self.custom)?.unwrap_or_default(),
            associated_data: optional("ad", &self.ad)?.unwrap_or_default(),
            message: self.message()?,
            ciphertext: optional("ct", &self.ct)?,
            tag: bytes("tag", &self.tag)?,
            tag_bits: self.tag_bits,
            is_valid,
            id: self.id,
            mac: self.mac,
        })
    }

    fn message(&self) -> Result<Message, Problem> {
        match (&self.msg, &self.msg_repeat) {
            (Some(msg), None) => {
                let unit = bytes("msg", msg)?;
                Ok(Message { len_bytes: unit.len(), unit })
            }
            (None, Some(repeat)) => {
                let unit = bytes("msg_repeat.unit", &repeat.unit)?;
                if repeat.len > MESSAGE_LEN_MAX_BYTES {
                    return Err(Problem::MessageLen);
                }
                if unit.is_empty() && repeat.len > 0 {
                    return Err(Problem::EmptyUnit);
                }
                Ok(Message { unit, len_bytes: repeat.len })
            }
            _ => Err(Problem::Message),
        }
    }
}

fn bytes(field: &'static str, text: &str) -> Result<Vec<u8>, Problem> {
    hex::decode(text).map_err(|error| Problem::NoHex { field, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compact_set_is_whole() {
        let cases: usize = compact().map(|(_, cases)| cases.len()).sum();
        assert!(cases > 100, "{cases}");
    }

    #[test]
    fn a_case_is_read() {
        let text = br#"[{"id": "a", "mac": "m", "key": "0aFf", "tag": "01", "tag_bits": 8,
            "msg_repeat": {"unit": "0102", "len": 5}, "source": "x", "result": "invalid"}]"#;
        let [case] = &parse("f", text).unwrap()[..] else { panic!() };
        assert_eq!((&case.key[..], case.is_valid), (&[0x0a, 0xff][..], false));
        assert_eq!(case.message.bytes(), [1, 2, 1, 2, 1]);
        assert_eq!(case.ciphertext, None);
    }

    #[test]
    fn the_tag_has_the_length_that_is_said() {
        let case = |tag: &str, bits: Option<u64>| {
            let bits = bits.map_or(String::new(), |bits| format!(r#""tag_bits": {bits},"#));
            let text = format!(r#"[{{"id":"","mac":"","key":"","msg":"",{bits}"tag":"{tag}"}}]"#);
            parse("f", text.as_bytes()).unwrap().remove(0).tag_len_bytes(4)
        };
        assert_eq!(case("01020304", None), Some(4));
        assert_eq!(case("0102", None), Some(2));
        assert_eq!(case("0102", Some(16)), Some(2));
        assert_eq!(case("0102", Some(32)), None);
        assert_eq!(case("", None), None);
        assert_eq!(case("0102030405", None), Some(4));
    }

    #[test]
    fn errors_say_where_and_what() {
        let said = |text: &str| parse("f.json", text.as_bytes()).unwrap_err().to_string();
        let error = said(r#"[{"id": "a", "mac": "m", "key": "0", "msg": "", "tag": ""}]"#);
        assert_eq!(error, "f.json: case 1 (\"a\"): key: not hexadecimal: Odd number of digits");
        assert!(said("{}").starts_with("f.json: not an array of cases: "));
        assert!(said(r#"[{"id": "a"}]"#).contains("missing field `mac`"));
        let error = said(r#"[{"id": "a", "mac": "m", "key": "", "tag": ""}]"#);
        assert!(error.ends_with("either msg or msg_repeat must be there"), "{error}");
    }
}
