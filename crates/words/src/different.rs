//! What a provider has and does not offer, because its results are not those of others.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::KeyLife;

/// A mac whose results differ, and where. Written as `MAC/KEY-LIFE`, `MAC, message by message` or
/// `MAC`: so workers report it, and so it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Different {
    /// Canonical name of the mac.
    pub mac: String,
    /// Where its results differ.
    pub part: DifferentPart,
}

/// Where results differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DifferentPart {
    /// In everything that was tried.
    All,
    /// In tags under keys of this life.
    KeyLife(KeyLife),
    /// In messages that are encrypted one by one under a prepared key.
    Sealing,
    /// In something else, which a worker writes so behind the name.
    Other(String),
}

const SEALING: &str = ", message by message";

impl Display for Different {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mac = &self.mac;
        match &self.part {
            DifferentPart::All => write!(f, "{mac}"),
            DifferentPart::KeyLife(life) => write!(f, "{mac}/{life}"),
            DifferentPart::Sealing => write!(f, "{mac}{SEALING}"),
            DifferentPart::Other(tail) => write!(f, "{mac}{tail}"),
        }
    }
}

impl From<String> for Different {
    fn from(text: String) -> Self {
        let (mac, tail) = text.split_at(text.find(['/', ',']).unwrap_or(text.len()));
        let life = KeyLife::ALL.into_iter().find(|it| tail == format!("/{it}"));
        let part = match (tail, life) {
            ("", _) => DifferentPart::All,
            (SEALING, _) => DifferentPart::Sealing,
            (_, Some(life)) => DifferentPart::KeyLife(life),
            (tail, None) => DifferentPart::Other(tail.into()),
        };
        Self { mac: mac.into(), part }
    }
}

impl From<Different> for String {
    fn from(different: Different) -> Self {
        different.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (text, mac, part) in [
            ("ccm-aes-128, message by message", "ccm-aes-128", DifferentPart::Sealing),
            ("cmac-aes-128/new-key", "cmac-aes-128", DifferentPart::KeyLife(KeyLife::NewKey)),
            ("eax-aes-128", "eax-aes-128", DifferentPart::All),
            ("hmac-md5/batch-4", "hmac-md5", DifferentPart::Other("/batch-4".into())),
        ] {
            let read = Different::from(text.to_owned());
            assert_eq!(read, Different { mac: mac.into(), part });
            assert_eq!(read.to_string(), text);
        }
    }
}
