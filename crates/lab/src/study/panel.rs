//! A panel: whose implementations are compared, and in which parts.

use serde::{Deserialize, Serialize};

use super::Part;

/// Whose implementations speak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Providers, by name or pattern with `*`.
    #[serde(default = "everything")]
    pub providers: Vec<String>,
    /// All their offers, or only the fastest for each mac.
    #[serde(default)]
    pub choose: Choose,
    /// Parts in which it speaks; absent: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl Panel {
    /// Whether it speaks in this part.
    #[must_use]
    pub fn is_in(&self, part: &Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part.name)
    }

    pub(super) fn check(&self, parts: &[Part]) -> Result<(), String> {
        let is_none = |name: &&String| parts.iter().all(|part| part.name != **name);
        self.parts.iter().find(is_none).map_or(Ok(()), |name| {
            Err(format!("panel {:?}: parts: there is no part {name:?}", self.name))
        })
    }
}

pub(super) fn everything() -> Vec<String> {
    vec!["*".into()]
}

/// Which of several offers of a mac speak for it in a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// Each is a candidate of its own.
    #[default]
    All,
    /// The one that the pilot found fastest.
    Fastest,
}
