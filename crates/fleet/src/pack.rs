//! A pack: a study with the options that narrow it, the seed, and the version of the program, as
//! one small file. Its bytes are canonical, so that its hash names what is measured: whoever packs
//! the same gets the same file.

use lab::study::{Study, StudyError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Generation of the format.
pub const SCHEMA: u32 = 1;

/// Longest pack that is read.
pub const BYTES_MAX: u64 = 1 << 20;

/// What a pack begins with, whatever its generation.
const MARK: &str = "{\n  \"macrometer_pack\":";

/// A study, and how it is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// Version of the program that made it.
    pub macrometer_version: String,
    /// Seed of every random choice.
    pub seed: u64,
    /// The options of `macrometer run` that narrow the study, as they would be typed.
    pub options: Vec<String>,
    /// The study, before it is narrowed.
    pub study: Study,
}

/// The file. The order of its keys is that of its bytes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    macrometer_pack: u32,
    macrometer_version: String,
    /// Text, since many programs would round it.
    seed: String,
    options: Vec<String>,
    study: Study,
}

/// Why a file is no pack that can be used.
#[derive(Debug, Error, PartialEq)]
pub enum PackError {
    /// It is something else.
    #[error("not a pack, as `macrometer pack` writes it")]
    Foreign,
    /// A newer program made it.
    #[error("a pack of schema {0}, made by a newer macrometer; this one knows schema {SCHEMA}")]
    Newer(u64),
    /// It cannot be understood: what the parser says.
    #[error("not a valid pack: {0}")]
    Malformed(String),
    /// Its seed is none.
    #[error("not a valid pack: its seed is not a number of 64 bits")]
    Seed,
    /// Its study is none.
    #[error("not a valid pack: {0}")]
    Study(StudyError),
    /// It says the same in other bytes.
    #[error("not a pack as `macrometer pack` writes it: it was edited, pack the study again")]
    Edited,
}

impl Pack {
    /// A pack. Without a seed it has one that follows from all else, so that it is the same
    /// whenever it is made.
    #[must_use]
    pub fn new(
        study: Study,
        options: Vec<String>,
        seed: Option<u64>,
        macrometer_version: &str,
    ) -> Self {
        let mut pack =
            Self { macrometer_version: macrometer_version.into(), seed: 0, options, study };
        pack.seed = seed.unwrap_or_else(|| {
            let hash = blake3::hash(pack.text().as_bytes());
            let bytes = hash.as_bytes().iter().take(8);
            bytes.fold(0, |seed, byte| seed << 8 | u64::from(*byte))
        });
        pack
    }

    /// The file's content.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { macrometer_version, seed, options, study } = self.clone();
        let seed = seed.to_string();
        let file = File { macrometer_pack: SCHEMA, macrometer_version, seed, options, study };
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// `study_id`: the first 20 bytes of BLAKE3 over the file.
    #[must_use]
    pub fn id(&self) -> String {
        hex::encode(&blake3::hash(self.text().as_bytes()).as_bytes()[..20])
    }

    /// Whether a file says that it is a pack. No study in TOML begins so.
    #[must_use]
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(MARK.as_bytes())
    }

    /// Reads a pack.
    ///
    /// # Errors
    /// When it is none, newer, or not as it was written.
    pub fn parse(bytes: &[u8]) -> Result<Self, PackError> {
        if !Self::is_one(bytes) {
            return Err(PackError::Foreign);
        }
        let malformed = |error: serde_json::Error| PackError::Malformed(error.to_string());
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(malformed)?;
        match value["macrometer_pack"].as_u64() {
            Some(schema) if schema > u64::from(SCHEMA) => return Err(PackError::Newer(schema)),
            Some(_) => {}
            None => return Err(PackError::Foreign),
        }
        let File { macrometer_version, seed, options, study, .. } =
            serde_json::from_slice(bytes).map_err(malformed)?;
        let seed = seed.parse().map_err(|_| PackError::Seed)?;
        study.check().map_err(PackError::Study)?;
        let pack = Self { macrometer_version, seed, options, study };
        if pack.text().as_bytes() != bytes {
            return Err(PackError::Edited);
        }
        Ok(pack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(seed: Option<u64>) -> Pack {
        let options = ["--mac", "hmac-*"].map(String::from).to_vec();
        Pack::new(synthetic::hmac_vs_cmac().study, options, seed, "0.1.0")
    }

    #[test]
    fn a_pack_is_the_same_whenever_it_is_made_and_read() {
        let (one, two) = (pack(None), pack(None));
        assert_eq!((one.text(), one.id()), (two.text(), two.id()));
        assert_eq!(Pack::parse(one.text().as_bytes()), Ok(one.clone()));
        assert!(crate::names::is_study_id(&one.id()));
        // Whatever is measured otherwise has another name.
        let seeded = pack(Some(one.seed.wrapping_add(1)));
        let newer = Pack { macrometer_version: "0.1.1".into(), ..one.clone() };
        let wider = Pack { options: vec![], ..one.clone() };
        let others = [seeded, newer, wider].map(|other| other.id());
        assert!(others.iter().all(|id| *id != one.id()), "{others:?}");
        assert_ne!(pack(None).seed, Pack::new(one.study, vec![], None, "0.1.0").seed);
    }

    #[test]
    fn what_is_no_pack_is_told_why() {
        let text = pack(Some(1)).text();
        let parse = |text: &str| Pack::parse(text.as_bytes()).unwrap_err();
        assert_eq!(parse("name = \"mine\"\n"), PackError::Foreign);
        assert_eq!(parse(""), PackError::Foreign);
        assert_eq!(parse(&text.replace("_pack\": 1", "_pack\": 2")), PackError::Newer(2));
        assert_eq!(parse(&(text.clone() + " ")), PackError::Edited);
        assert_eq!(parse(&text.replace("\"seed\": \"1\"", "\"seed\": \"01\"")), PackError::Edited);
        assert_eq!(parse(&text.replace("\"seed\": \"1\"", "\"seed\": \"x\"")), PackError::Seed);
        let without = text.replace("\"launches\": ", "\"x\": ");
        assert!(matches!(parse(&without), PackError::Malformed(_)));
        let endless = text.replace("\"launches\": ", "\"launches\": 99999");
        assert!(matches!(parse(&endless), PackError::Study(StudyError::Range(_))));
    }
}
