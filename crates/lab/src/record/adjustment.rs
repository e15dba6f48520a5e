//! What was adjusted of a load before it was measured.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What was adjusted, and why; a sentence in an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Adjustment {
    /// Length of the messages that it was adjusted with, where those were others.
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

impl From<String> for Adjustment {
    /// That of an archive.
    fn from(text: String) -> Self {
        let taken_over = || {
            let (len, why) = text.strip_prefix("as with ")?.split_once(" B: ")?;
            Some(Self { as_with_bytes: Some(len.parse().ok()?), why: why.to_owned() })
        };
        taken_over().unwrap_or_else(|| Self::own(text))
    }
}

impl From<Adjustment> for String {
    fn from(adjustment: Adjustment) -> Self {
        adjustment.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        let own = Adjustment::own("t1 moved from 20 to 40 ms: so it is".into());
        let other = Adjustment { as_with_bytes: Some(64), ..own.clone() };
        assert_eq!(other.to_string(), "as with 64 B: t1 moved from 20 to 40 ms: so it is");
        for it in [own, other] {
            let kept = serde_json::to_string(&it).unwrap();
            assert_eq!(kept, format!("{:?}", it.to_string()));
            assert_eq!(serde_json::from_str::<Adjustment>(&kept).unwrap(), it);
        }
    }
}
