//! What is used today: `hmac-sha256@python`, or `hmac-sha256@python/one-shot` where the call is
//! known.

use std::str::FromStr;

use anyhow::{Result, bail};
use lab::cell::KeyLife;
use lab::plan::Planned;
use lab::record::ProviderRecord;
use lab::study::Now;

use crate::discovery;
use crate::suggestions::unknown_mac;

/// A mac, a provider, and perhaps a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Today(pub Now);

impl FromStr for Today {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let right = || {
            "must be MAC@PROVIDER, such as hmac-sha256@python, or MAC@PROVIDER/CALL with the call \
             prepared, new-key or one-shot"
                .to_owned()
        };
        let (mac, rest) = text.split_once('@').ok_or_else(right)?;
        let (provider, call) = match rest.split_once('/') {
            None => (rest, None),
            Some((provider, call)) => (provider, Some(KeyLife::from_str(call)?)),
        };
        if mac.is_empty() || provider.is_empty() {
            return Err(right());
        }
        if macs::find(mac).is_none() {
            return Err(format!("{} (`macrometer list macs` shows all)", unknown_mac(mac)));
        }
        if providers::row(provider).is_none() {
            let names = providers::ROWS.iter().map(|row| row.name);
            return Err(discovery::unknown(provider, names));
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
        let Self(Now { provider, call, .. }) = self;
        let mut own = planned.iter().filter(|it| self.0.is(&it.cell.candidate)).peekable();
        let why = match own.peek() {
            None if !providers.iter().any(|it| it.name == *provider) => "not found here",
            None => "does not offer that MAC",
            Some(_) => "does not offer that call",
        };
        let is_right = |life: KeyLife| match call {
            Some(call) => life == *call,
            None if life == KeyLife::Prepared => messages_per_key.is_none(),
            None => life == KeyLife::NewKey,
        };
        if own.any(|it| is_right(it.cell.key_life)) {
            return Ok(());
        }
        bail!("--now {self}: {provider} {why} (`macrometer list providers --details`)")
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
            let error = Today::from_str(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
        let prepared = Today::from_str("hmac-sha256@python/prepared").unwrap();
        assert!(prepared.check(Some(1)).is_err() && prepared.check(None).is_ok());
    }
}
