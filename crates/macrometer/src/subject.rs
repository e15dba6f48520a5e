//! The bridge from a provider to the lab's worker: the only place where the two meet.

use lab::cell::KeyLife;
use lab::worker::serve::{Subject, Tagger};
use providers::Provider;
use serde_json::{Value, json};

/// A provider as the lab's worker serves it.
pub struct Served(pub Box<dyn Provider>);

impl Subject for Served {
    fn info(&self) -> Value {
        let mut info = json!(self.0.info());
        info["protocol"] = json!(lab::worker::PROTOCOL);
        info
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
        self.0.tagger(mac, key_life.name().parse()?, key)
    }

    fn tag_len_bytes(&self, mac: &str) -> Option<usize> {
        self.0.tag_len_bytes(mac)
    }
}
