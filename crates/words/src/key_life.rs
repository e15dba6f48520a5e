//! How long a key lives.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How long a key lives: what happens to the key in each measured call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyLife {
    /// Key set up once, context reused: the library's best way.
    Prepared,
    /// Key set up for every message, context kept where the library allows it.
    NewKey,
    /// The library's one-call interface, as people really call it.
    OneShot,
}

impl KeyLife {
    /// All of them, from the key that lives longest to the one that lives shortest.
    pub const ALL: [Self; 3] = [Self::Prepared, Self::NewKey, Self::OneShot];

    /// The word for it in cells, files, requests and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::NewKey => "new-key",
            Self::OneShot => "one-shot",
        }
    }
}

impl fmt::Display for KeyLife {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for KeyLife {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|key_life| key_life.name() == name).ok_or_else(|| {
            format!("no key life {name:?}: must be one of {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for key_life in KeyLife::ALL {
            assert_eq!(key_life.to_string().parse(), Ok(key_life));
            let json = serde_json::to_string(&key_life).unwrap();
            assert_eq!(json, format!("{:?}", key_life.name()));
            assert_eq!(serde_json::from_str::<KeyLife>(&json).unwrap(), key_life);
        }
        let said = "new_key".parse::<KeyLife>().unwrap_err();
        assert_eq!(said, "no key life \"new_key\": must be one of prepared, new-key, one-shot");
    }
}
