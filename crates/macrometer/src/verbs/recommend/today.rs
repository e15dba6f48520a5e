//! What is used today: `hmac-sha256@python`, or `hmac-sha256@python/one-shot` where the call is
//! known.

use std::str::FromStr;

use anyhow::{Result, bail};
use lab::cell::KeyLife;
use lab::plan::Planned;
use lab::record::ProviderRecord;
use lab::study::Now;
use thiserror::Error;

use crate::discovery;
use crate::must_be::MustBe;
use crate::suggestions::unknown_mac;

const RIGHT: MustBe = MustBe(
    "MAC@PROVIDER, such as hmac-sha256@python, or MAC@PROVIDER/CALL with the call prepared, \
     new-key or one-shot",
);

/// A mac, a provider, and perhaps a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Today(pub Now);

/// Why a text does not say what is used today.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotToday {
    #[error(transparent)]
    Form(#[from] MustBe),
    /// The call is none: what its own type says of it.
    #[error("{0}")]
    Call(String),
    #[error("{} (`macrometer list macs` shows all)", unknown_mac(.0))]
    Mac(String),
    #[error("{}", discovery::unknown(.0, providers::ROWS.iter().map(|row| row.name)))]
    Provider(String),
}

impl FromStr for Today {
    type Err = NotToday;

    fn from_str(text: &str) -> Result<Self, NotToday> {
        let (mac, rest) = text.split_once('@').ok_or(RIGHT)?;
        let (provider, call) = match rest.split_once('/') {
            None => (rest, None),
            Some((provider, call)) => {
                let call = KeyLife::from_str(call);
                (provider, Some(call.map_err(|error| NotToday::Call(error.to_string()))?))
            }
        };
        if mac.is_empty() || provider.is_empty() {
            return Err(RIGHT.into());
        }
        if macs::find(mac).is_none() {
            return Err(NotToday::Mac(mac.into()));
        }
        if providers::row(provider).is_none() {
            return Err(NotToday::Provider(provider.into()));
        }
        Ok(Self(Now { mac: mac.into(), provider: provider.into(), call }))
    }
}

impl Today {
    /// Refuses a call that such messages cannot be made by.
    pub fn check(&self, messages_per_key: Option<u64>) -> Result<()> {
        if self.0.call == Some(KeyLife::Prepared) && messages_per_key == Some(1) {
            bail!("--now {self}: with a new key for each message, no key is prepared: use new-key");
        }
        Ok(())
    }

    /// Refuses what is not among the cells of a plan that has all its calls.
    pub fn check_is_there(
        &self,
        planned: &[Planned],
        providers: &[ProviderRecord],
        messages_per_key: Option<u64>,
    ) -> Result<()> {
        let provider = &self.0.provider;
        let mut own = planned.iter().filter(|it| self.0.is(&it.cell.candidate)).peekable();
        let why = match own.peek() {
            None if !providers.iter().any(|it| it.name == *provider) => "not found here",
            None => "does not offer that MAC",
            Some(_) => "does not offer that call",
        };
        if own.any(|it| self.is_called(it.cell.key_life, messages_per_key)) {
            return Ok(());
        }
        bail!("--now {self}: {provider} {why} (`macrometer list providers --details`)")
    }

    /// Whether this is its call: the one that is named, or the usual one for so many messages.
    fn is_called(&self, life: KeyLife, messages_per_key: Option<u64>) -> bool {
        match self.0.call {
            Some(call) => life == call,
            None if life == KeyLife::Prepared => messages_per_key.is_none(),
            None => life == KeyLife::NewKey,
        }
    }
}

impl std::fmt::Display for Today {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Now { mac, provider, call } = &self.0;
        let call = call.map(|call| format!("/{call}")).unwrap_or_default();
        write!(f, "{mac}@{provider}{call}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_a_mac_of_a_provider_and_perhaps_a_call() {
        for text in ["hmac-sha256@python", "ctr+cmac-aes-128@openssl-4.0", "hmac-md5@java/one-shot"]
        {
            assert_eq!(Today::from_str(text).unwrap().to_string(), text);
        }
        for (text, said) in [
            ("hmac-sha256", "must be MAC@PROVIDER"),
            ("hmac-sha256@", "must be MAC@PROVIDER"),
            ("hmac-sha265@python", "unknown MAC \"hmac-sha265\": did you mean"),
            ("hmac-sha256@pyhton", "did you mean python"),
            ("hmac-sha256@python/fast", "no key life \"fast\""),
        ] {
            let error = Today::from_str(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let prepared = Today::from_str("hmac-sha256@python/prepared").unwrap();
        assert!(prepared.check(Some(1)).is_err() && prepared.check(None).is_ok());
    }
}
