//! What was adjusted of a load before it was measured.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What was adjusted, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct Adjustment {
    /// Length of the messages that it was adjusted with, where those were others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_with_bytes: Option<u64>,
    /// What and why.
    pub why: String,
}

impl Adjustment {
    /// With messages of the load's own length.
    #[must_use]
    pub fn own(why: String) -> Self {
        Self { as_with_bytes: None, why }
    }
}

impl fmt::Display for Adjustment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(len_bytes) = self.as_with_bytes {
            write!(f, "as with {len_bytes} B: ")?;
        }
        f.write_str(&self.why)
    }
}

/// What an archive has: the fields; in older ones, the sentence.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Fields { as_with_bytes: Option<u64>, why: String },
    Sentence(String),
}

impl From<Kept> for Adjustment {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Fields { as_with_bytes, why } => Self { as_with_bytes, why },
            Kept::Sentence(text) => taken_over(&text).unwrap_or_else(|| Self::own(text)),
        }
    }
}

/// One whose sentence begins with the length of other messages.
fn taken_over(text: &str) -> Option<Adjustment> {
    let (len, why) = text.strip_prefix("as with ")?.split_once(" B: ")?;
    Some(Adjustment { as_with_bytes: Some(len.parse().ok()?), why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_as_it_was_and_older_archives_have_the_sentence() {
        let own = Adjustment::own("t1 moved from 20 to 40 ms: so it is".into());
        let other = Adjustment { as_with_bytes: Some(64), ..own.clone() };
        assert_eq!(other.to_string(), "as with 64 B: t1 moved from 20 to 40 ms: so it is");
        for it in [own, other] {
            let kept = serde_json::to_value(&it).unwrap();
            assert_eq!(kept["why"], it.why);
            assert_eq!(serde_json::from_value::<Adjustment>(kept).unwrap(), it);
            let sentence = serde_json::Value::from(it.to_string());
            assert_eq!(serde_json::from_value::<Adjustment>(sentence).unwrap(), it);
        }
    }
}
