//! The bridge from a provider to the lab's worker: the only place where the two meet.

use lab::cell::{KeyLife, Regime};
use lab::worker::serve::{BatchTagger, Subject, Tagger};
use lab::worker::{Inputs, Sealed};
use providers::Provider;
use serde_json::{Value, json};

/// A provider as the lab's worker serves it.
pub struct Served(pub Box<dyn Provider>);

impl Subject for Served {
    fn info(&self) -> Value {
        let mut info = json!(self.0.info());
        info["protocol"] = json!(lab::worker::PROTOCOL);
        let of_macs = |regime: &&Regime| !matches!(regime, Regime::Segments(..));
        info["regimes"] = json!(Regime::ALL.iter().filter(of_macs).collect::<Vec<_>>());
        info
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
        self.0.tagger(mac, key_life.name().parse()?, key)
    }

    fn batch(&self, mac: &str, key_life: KeyLife, keys: &[&[u8]]) -> Result<BatchTagger, String> {
        self.0.batch(mac, key_life.name().parse()?, keys)
    }

    fn tag_len_bytes(&self, mac: &str) -> Option<usize> {
        self.0.tag_len_bytes(mac)
    }

    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, String> {
        self.0.tag(mac, &of(inputs))
    }

    fn seal(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, String> {
        let (ciphertext, tag) = self.0.seal(mac, &of(inputs))?;
        Ok(Sealed { ciphertext, tag })
    }

    fn unseal(
        &self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        self.0.unseal(mac, &of(inputs), tag)
    }
}

/// The lab's words in the providers': neither crate knows the other.
fn of<'a>(inputs: &Inputs<'a>) -> providers::Inputs<'a> {
    let Inputs { key, nonce, customization, associated_data, message, tag_len_bytes } = *inputs;
    providers::Inputs { key, nonce, customization, associated_data, message, tag_len_bytes }
}
