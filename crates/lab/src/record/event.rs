//! What happened to a run beside its samples.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Run;

/// How a note begins that says which variables of the environment made other programs of the
/// workers.
pub const ENVIRONMENT: &str = "the workers' environment has ";

/// Something that happened to the run, in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since the Unix epoch.
    pub unix_s: u64,
    /// What it is about.
    pub kind: EventKind,
    /// One line.
    pub text: String,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// What the budget has no room for.
    #[serde(rename = "budget")]
    Budget,
    /// Launches for claims that are not decided.
    #[serde(rename = "claims")]
    Claims,
    /// A provider or a cell that is not measured, or no longer.
    #[serde(rename = "excluded")]
    Excluded,
    /// A provider that is not on this machine; older archives say `not here`.
    #[serde(rename = "not found", alias = "not here")]
    NotFound,
    /// A condition of the run.
    #[serde(rename = "note")]
    Note,
    /// Candidates that left after a first look.
    #[serde(rename = "race")]
    Race,
    /// What the time went to.
    #[serde(rename = "time")]
    Time,
    /// What makes figures doubtful.
    #[serde(rename = "warning")]
    Warning,
    /// A cell of a gate for which the versions give different tags.
    #[serde(rename = "wrong tags")]
    WrongTags,
    /// What a newer macrometer calls so.
    #[serde(untagged)]
    Other(String),
}

impl EventKind {
    /// As in the archive and before the text.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Budget => "budget",
            Self::Claims => "claims",
            Self::Excluded => "excluded",
            Self::NotFound => "not found",
            Self::Note => "note",
            Self::Race => "race",
            Self::Time => "time",
            Self::Warning => "warning",
            Self::WrongTags => "wrong tags",
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Between the name of a dropped provider and the reason.
const DROPPED: &str = " is dropped from the run: ";

impl Event {
    /// A provider is not asked any more.
    #[must_use]
    pub fn dropped(unix_s: u64, provider: &str, reason: &str) -> Self {
        Self { unix_s, kind: EventKind::Excluded, text: format!("{provider}{DROPPED}{reason}") }
    }

    /// The provider that is not asked any more, of such an event.
    #[must_use]
    pub fn dropped_provider(&self) -> Option<&str> {
        let (provider, _) = self.text.split_once(DROPPED)?;
        (self.kind == EventKind::Excluded).then_some(provider)
    }
}

impl Run {
    /// What was not measured, or no longer, and why.
    pub fn exclusions(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| event.kind == EventKind::Excluded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_as_it_was_written() {
        let all = [
            EventKind::Budget,
            EventKind::Claims,
            EventKind::Excluded,
            EventKind::NotFound,
            EventKind::Note,
            EventKind::Race,
            EventKind::Time,
            EventKind::Warning,
            EventKind::WrongTags,
            EventKind::Other("a later kind".into()),
        ];
        for kind in all {
            let written = serde_json::to_value(&kind).unwrap();
            assert_eq!(written, kind.name());
            assert_eq!(serde_json::from_value::<EventKind>(written).unwrap(), kind);
        }
        let old: EventKind = serde_json::from_str("\"not here\"").unwrap();
        assert_eq!(old, EventKind::NotFound);
        let event = Event::dropped(1, "openssl-4.0[soft]", "died: signal 11");
        assert_eq!(event.dropped_provider(), Some("openssl-4.0[soft]"));
        assert_eq!(Event { kind: EventKind::Note, ..event }.dropped_provider(), None);
    }
}
