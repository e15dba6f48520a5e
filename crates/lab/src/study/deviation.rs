//! Where a study departs from its source.

use serde::{Deserialize, Serialize};

/// One departure: a sentence, or a sentence and what it means for the verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Deviation {
    /// What is done otherwise, and why.
    pub text: String,
    /// In short, where it changes how a verdict is to be read: what a terminal tells.
    pub verdicts: Option<String>,
}

/// As a file has it.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a sentence, or { text = \"…\", verdicts = \"…\" }")]
enum Written {
    Alone(String),
    Both(Both),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Both {
    text: String,
    verdicts: String,
}

impl From<Written> for Deviation {
    fn from(written: Written) -> Self {
        match written {
            Written::Alone(text) => Deviation { text, verdicts: None },
            Written::Both(Both { text, verdicts }) => Deviation { text, verdicts: Some(verdicts) },
        }
    }
}

impl From<Deviation> for Written {
    fn from(it: Deviation) -> Self {
        match it.verdicts {
            None => Written::Alone(it.text),
            Some(verdicts) => Written::Both(Both { text: it.text, verdicts }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Study {
        deviations: Vec<Deviation>,
    }

    #[test]
    fn a_sentence_alone_and_one_with_its_meaning_are_read_and_written_alike() {
        let text = r#"deviations = ["One.", { text = "Two.", verdicts = "So." }]"#;
        let study: Study = toml::from_str(text).unwrap();
        assert_eq!(study.deviations[0], Deviation { text: "One.".into(), verdicts: None });
        assert_eq!(study.deviations[1].verdicts.as_deref(), Some("So."));
        let json = serde_json::to_string(&study).unwrap();
        assert!(json.contains("\"One.\","), "older archives have sentences alone: {json}");
        assert_eq!(serde_json::from_str::<Study>(&json).unwrap(), study);
        let wrong = toml::from_str::<Study>(r#"deviations = [{ text = "Two.", verdict = "So." }]"#);
        assert!(wrong.unwrap_err().to_string().contains("a sentence, or { text"));
    }
}
