//! A panel: whose implementations are compared, and in which parts.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{PanelError, Part, SINGLE_CALLS_MAX, StudyError, fits_any};

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
    /// Providers that are left out, likewise: `*[*` are those held to a code path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not: Vec<String>,
    /// All their offers, or only the fastest for each mac.
    #[serde(default)]
    pub choose: Choose,
    /// Parts in which it speaks; absent: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// Message lengths at which it speaks, of those that its parts have; absent: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<u64>,
    /// Calls in each sample of candidates that only such panels show; absent: as many as take the
    /// time of a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_calls: Option<NonZeroU32>,
}

impl Panel {
    /// Whether it speaks in this part.
    #[must_use]
    pub fn is_in(&self, part: &Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part.name)
    }

    /// Whether offers of this provider may speak in it.
    #[must_use]
    pub fn takes(&self, provider: &str) -> bool {
        fits_any(&self.providers, provider) && !fits_any(&self.not, provider)
    }

    /// Whether it speaks about messages of this length, where its parts have such.
    #[must_use]
    pub fn speaks_at(&self, len_bytes: u64) -> bool {
        self.sizes.is_empty() || self.sizes.contains(&len_bytes)
    }

    pub(super) fn check(&self, parts: &[Part]) -> Result<(), StudyError> {
        let wrong = |mistake| Err(StudyError::Panel { panel: self.name.clone(), mistake });
        let is_none = |name: &&String| parts.iter().all(|part| part.name != **name);
        if let Some(part) = self.parts.iter().find(is_none) {
            return wrong(PanelError::NoPart { part: part.clone() });
        }
        if self.sample_calls.is_some_and(|calls| calls.get() > SINGLE_CALLS_MAX) {
            return wrong(PanelError::SampleCalls);
        }
        Ok(())
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
