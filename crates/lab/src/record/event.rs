//! What happened to a run beside its samples.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::Run;

/// Something that happened to the run, in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since the Unix epoch.
    pub unix_s: u64,
    /// What it is about.
    pub kind: EventKind,
    /// One line; of a kind with fields it is made from these.
    pub text: String,
}

/// What an event is about. Written as JSON it is its name; the fields are kept by the archive.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub enum EventKind {
    /// What the budget has no room for.
    #[serde(rename = "budget")]
    Budget,
    /// Launches for claims that are not decided.
    #[serde(rename = "claims")]
    Claims,
    /// A provider that is not asked any more.
    #[serde(skip_deserializing)]
    Dropped {
        /// Name or alias of the provider.
        provider: String,
        /// What it did, or said, that ended it.
        reason: String,
    },
    /// Variables of the environment that make other programs of the workers.
    #[serde(skip_deserializing)]
    Environment {
        /// Which, with their values; none where a run goes on without those that it had.
        variables: Option<String>,
    },
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
    /// As before the text, and in the archive where it has no fields.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Budget => "budget",
            Self::Claims => "claims",
            Self::Dropped { .. } | Self::Excluded => "excluded",
            Self::NotFound => "not found",
            Self::Environment { .. } | Self::Note => "note",
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

impl Serialize for EventKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Kinds with fields, as the archive names them.
const DROPPED: &str = "dropped";
const ENVIRONMENT: &str = "environment";

/// The fields of such a kind, as the archive has them in the place of a text.
#[derive(Serialize, Deserialize)]
struct Dropped {
    provider: String,
    reason: String,
}

#[derive(Serialize, Deserialize)]
struct Environment {
    variables: Option<String>,
}

/// Words of the sentences that are made from fields, by which those of older archives are known.
const IS_DROPPED: &str = " is dropped from the run: ";
const HAS_VARIABLES: &str = "the workers' environment has ";
const HAS_NONE: &str = "resumed with none of these variables in the workers' environment";

impl Event {
    /// A provider is not asked any more.
    #[must_use]
    pub fn dropped(unix_s: u64, provider: &str, reason: &str) -> Self {
        let text = format!("{provider}{IS_DROPPED}{reason}");
        let (provider, reason) = (provider.to_owned(), reason.to_owned());
        Self { unix_s, kind: EventKind::Dropped { provider, reason }, text }
    }

    /// Variables make other programs of the workers, or do so no more.
    #[must_use]
    pub fn environment(unix_s: u64, variables: Option<String>) -> Self {
        let text = match &variables {
            Some(variables) => format!("{HAS_VARIABLES}{variables}"),
            None => HAS_NONE.to_owned(),
        };
        Self { unix_s, kind: EventKind::Environment { variables }, text }
    }

    /// The provider that is not asked any more, of such an event.
    #[must_use]
    pub fn dropped_provider(&self) -> Option<&str> {
        match &self.kind {
            EventKind::Dropped { provider, .. } => Some(provider),
            _ => None,
        }
    }

    /// Name of the kind and text, as the archive has them.
    pub(crate) fn kept(&self) -> (&str, String) {
        // PostgreSQL has no text with it.
        let clean = |text: &str| text.replace('\0', "\u{fffd}");
        match &self.kind {
            EventKind::Dropped { provider, reason } => {
                let (provider, reason) = (clean(provider), clean(reason));
                (DROPPED, json(&Dropped { provider, reason }))
            }
            EventKind::Environment { variables } => {
                let variables = variables.as_deref().map(clean);
                (ENVIRONMENT, json(&Environment { variables }))
            }
            kind => (kind.name(), clean(&self.text)),
        }
    }

    /// The event that an archive has so.
    ///
    /// # Errors
    /// Where it can be none.
    pub(crate) fn of_kept(unix_s: u64, kind: &str, text: String) -> serde_json::Result<Self> {
        match kind {
            DROPPED => {
                let Dropped { provider, reason } = serde_json::from_str(&text)?;
                Ok(Self::dropped(unix_s, &provider, &reason))
            }
            ENVIRONMENT => {
                let Environment { variables } = serde_json::from_str(&text)?;
                Ok(Self::environment(unix_s, variables))
            }
            name => {
                let kind: EventKind = serde_json::from_str(&format!("\"{name}\""))?;
                let kind = fields_of_older(&kind, &text).unwrap_or(kind);
                Ok(Self { unix_s, kind, text })
            }
        }
    }
}

/// The kind with fields of an event that an older archive has as a sentence.
fn fields_of_older(kind: &EventKind, text: &str) -> Option<EventKind> {
    match kind {
        EventKind::Excluded => {
            let (provider, reason) = text.split_once(IS_DROPPED)?;
            let (provider, reason) = (provider.to_owned(), reason.to_owned());
            Some(EventKind::Dropped { provider, reason })
        }
        EventKind::Note if text == HAS_NONE => Some(EventKind::Environment { variables: None }),
        EventKind::Note => {
            let variables = Some(text.strip_prefix(HAS_VARIABLES)?.to_owned());
            Some(EventKind::Environment { variables })
        }
        _ => None,
    }
}

fn json(fields: &impl Serialize) -> String {
    serde_json::to_string(fields).unwrap_or_default()
}

impl Run {
    /// What was not measured, or no longer, and why.
    pub fn exclusions(&self) -> impl Iterator<Item = &Event> {
        let is_one =
            |it: &&Event| matches!(it.kind, EventKind::Dropped { .. } | EventKind::Excluded);
        self.events.iter().filter(is_one)
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
    }

    fn with_fields() -> [(Event, &'static str, &'static str); 3] {
        [
            (
                Event::dropped(1, "openssl-4.0[soft]", "died: signal 11"),
                "excluded",
                "openssl-4.0[soft] is dropped from the run: died: signal 11",
            ),
            (
                Event::environment(1, Some("LD_PRELOAD=x.so, GODEBUG=a".into())),
                "note",
                "the workers' environment has LD_PRELOAD=x.so, GODEBUG=a",
            ),
            (
                Event::environment(1, None),
                "note",
                "resumed with none of these variables in the workers' environment",
            ),
        ]
    }

    #[test]
    fn a_kind_with_fields_is_kept_with_them_and_shown_as_a_sentence() {
        for (event, kind, text) in with_fields() {
            assert_eq!((event.kind.name(), event.text.as_str()), (kind, text));
            let shown = serde_json::json!({ "unix_s": 1, "kind": kind, "text": text });
            assert_eq!(serde_json::to_value(&event).unwrap(), shown);
            let (name, fields) = event.kept();
            assert!(name != kind && fields.starts_with('{'), "{name}: {fields}");
            assert_eq!(Event::of_kept(1, name, fields).unwrap(), event);
        }
        let [(dropped, ..), (other, ..), _] = with_fields();
        assert_eq!(dropped.dropped_provider(), Some("openssl-4.0[soft]"));
        assert_eq!(other.dropped_provider(), None);
        assert!(Event::of_kept(1, DROPPED, "{}".into()).is_err());
        let unclean = Event::dropped(1, "a", "b\0");
        let (name, fields) = unclean.kept();
        let clean = Event::dropped(1, "a", "b\u{fffd}");
        assert_eq!(Event::of_kept(1, name, fields).unwrap(), clean);
    }

    #[test]
    fn sentences_of_older_archives_have_the_same_fields() {
        for (event, kind, text) in with_fields() {
            assert_eq!(Event::of_kept(1, kind, text.to_owned()).unwrap(), event);
            let other = Event::of_kept(1, "warning", text.to_owned()).unwrap();
            assert_eq!((other.kind.name(), other.text.as_str()), ("warning", text));
        }
        let plain = Event { unix_s: 1, kind: EventKind::Note, text: "this machine: x".into() };
        let (name, text) = plain.kept();
        assert_eq!((name, text.as_str()), ("note", "this machine: x"));
        assert_eq!(Event::of_kept(1, name, text).unwrap(), plain);
    }
}
