//! The bridge from a provider to the lab's worker: the only place where the two meet.

use lab::cell::{Flow, KeyLife, Regime, Scheme};
use lab::segments::Sealing;
use lab::worker::serve::{BatchTagger, Subject, Tagger};
use lab::worker::{Inputs, Sealed};
use providers::{Offer, Provider};
use serde_json::{Value, json};

/// A provider as the lab's worker serves it.
pub struct Served(pub Box<dyn Provider>);

impl Subject for Served {
    fn info(&self) -> Value {
        let mut info = json!(self.0.info());
        info["protocol"] = json!(lab::worker::PROTOCOL);
        let sealings = self.0.sealings();
        // Opening a library tries all that it has: no call after that is a first one.
        let is_known = |regime: &Regime| {
            (!sealings.is_empty() || regime.action().is_none()) && regime.cold().is_none()
        };
        info["regimes"] = json!(Regime::kinds().filter(is_known).collect::<Vec<_>>());
        if let Some(offers) = info["offers"].as_array_mut() {
            offers.extend(sealings.iter().flat_map(schemes));
        }
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

    fn sealing(&self, composition: &str, key: &[u8]) -> Result<Box<dyn Sealing>, String> {
        Ok(Box::new(Bridged(self.0.sealing(composition, key)?)))
    }
}

/// The schemes over a composition, with a key that is set up once a session.
fn schemes(offer: &Offer) -> Vec<Value> {
    let scheme = |&flow: &Flow| {
        let mac = Scheme { composition: &offer.mac, flow }.to_string();
        json!({ "mac": mac, "kernel": offer.kernel, "key_lives": [KeyLife::Prepared] })
    };
    Flow::ALL.iter().map(scheme).collect()
}

/// A provider's sealing as the lab takes it.
struct Bridged(Box<dyn providers::Sealing>);

impl Sealing for Bridged {
    fn nonce_len_bytes(&self) -> usize {
        self.0.nonce_len_bytes()
    }

    fn tag_len_bytes(&self) -> usize {
        self.0.tag_len_bytes()
    }

    fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize {
        self.0.ciphertext_len_bytes(message_len_bytes)
    }

    fn takes_associated_data(&self) -> bool {
        self.0.takes_associated_data()
    }

    fn seal(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        message_len: usize,
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        self.0.seal(nonce, associated_data, buffer, message_len, tag)
    }

    fn open(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Option<usize> {
        self.0.open(nonce, associated_data, buffer, tag)
    }
}

/// The lab's words in the providers': neither crate knows the other.
fn of<'a>(inputs: &Inputs<'a>) -> providers::Inputs<'a> {
    let Inputs { key, nonce, customization, associated_data, message, tag_len_bytes } = *inputs;
    providers::Inputs { key, nonce, customization, associated_data, message, tag_len_bytes }
}

#[cfg(test)]
mod tests;
