//! Why samples of a cell must not be used.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is told of a candidate whose tags differ from those that are believed.
pub(crate) const WRONG_TAG: &str = "its tags differ from those of";

/// The same of one whose first call in a new process had another tag.
pub(crate) const WRONG_FIRST_TAG: &str =
    "the tag of its first call differs from that of a warm worker";

/// Why samples of a cell must not be used, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept", rename_all = "kebab-case")]
pub enum Exclusion {
    /// Tags were wrong after the cell had been timed, or that of its first call was.
    WrongTags(String),
    /// It was refused, or its time could not be told.
    Failed(String),
}

impl Exclusion {
    /// The reason, in one sentence.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::WrongTags(text) | Self::Failed(text) => text,
        }
    }
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// What an archive has: its kind with the sentence; in older ones, the sentence alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Kind(Kind),
    Sentence(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    WrongTags(String),
    Failed(String),
}

impl From<Kept> for Exclusion {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Kind(Kind::WrongTags(text)) => Self::WrongTags(text),
            Kept::Kind(Kind::Failed(text)) => Self::Failed(text),
            Kept::Sentence(text) => {
                let is_wrong = text.contains(WRONG_TAG) || text == WRONG_FIRST_TAG;
                if is_wrong { Self::WrongTags(text) } else { Self::Failed(text) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kept: &serde_json::Value) -> Exclusion {
        serde_json::from_value(kept.clone()).unwrap()
    }

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        for (own, kind) in [
            (Exclusion::WrongTags("other words".into()), "wrong-tags"),
            (Exclusion::Failed(WRONG_FIRST_TAG.into()), "failed"),
        ] {
            let kept = serde_json::to_value(&own).unwrap();
            assert_eq!(kept, serde_json::json!({ kind: own.text() }));
            assert_eq!(read(&kept), own);
        }
    }

    #[test]
    fn a_sentence_of_an_older_archive_has_a_kind() {
        let wrong = format!("after timing, a/m: {WRONG_TAG} b");
        for text in [wrong.as_str(), WRONG_FIRST_TAG] {
            assert_eq!(read(&text.into()), Exclusion::WrongTags(text.into()));
        }
        assert_eq!(read(&"b: not today".into()), Exclusion::Failed("b: not today".into()));
    }
}
