//! Why samples of a cell must not be used.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is told of a candidate whose tags differ from those that are believed.
pub(crate) const WRONG_TAG: &str = "its tags differ from those of";

/// The same of one whose first call in a new process had another tag.
pub(crate) const WRONG_FIRST_TAG: &str =
    "the tag of its first call differs from that of a warm worker";

/// Why samples of a cell must not be used. An archive stores the sentence alone, from
/// which the kind is recovered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Exclusion {
    /// Tags were wrong after the cell had been timed, or that of its first call was.
    WrongTags(String),
    /// It was refused, or its time could not be told.
    Failed(String),
}

impl Exclusion {
    /// The sentence.
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

impl From<String> for Exclusion {
    /// That of an archive.
    fn from(text: String) -> Self {
        let is_wrong = text.contains(WRONG_TAG) || text == WRONG_FIRST_TAG;
        if is_wrong { Self::WrongTags(text) } else { Self::Failed(text) }
    }
}

impl From<Exclusion> for String {
    fn from(exclusion: Exclusion) -> Self {
        match exclusion {
            Exclusion::WrongTags(text) | Exclusion::Failed(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        let wrong = format!("after timing, a/m: {WRONG_TAG} b");
        let wrong = [wrong.as_str(), WRONG_FIRST_TAG].map(|it| Exclusion::WrongTags(it.into()));
        for own in wrong.into_iter().chain([Exclusion::Failed("b: not today".into())]) {
            let kept = serde_json::to_string(&own).unwrap();
            assert_eq!(kept, format!("{:?}", own.text()));
            assert_eq!(serde_json::from_str::<Exclusion>(&kept).unwrap(), own);
        }
    }
}
