//! The floor: a mac that computes nothing. Its time in a run is what the harness itself costs: the
//! loop, the dynamic call, the tag written. Every other figure stands on it, and is not corrected
//! by it silently.

use std::hint::black_box;

use crate::{Info, KeyLife, Kind, Offer, Place, Provider, Row, Tagger, WRONG_TAG_LEN};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "null",
    title: "The floor: a call that computes nothing",
    package: "built in",
    kind: Kind::InProcess(open),
    forced: Vec::new,
};

/// Its one mac.
pub const MAC: &str = "null";

/// As long as the shortest tag of a real mac (CMAC over TDES).
const TAG: [u8; 8] = *b"null tag";

struct Null {
    name: String,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(Null { name: place.name_or(ROW.name) }))
}

impl Provider for Null {
    fn info(&self) -> Info {
        let key_lives = KeyLife::ALL.to_vec();
        Info {
            name: self.name.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            path: "built in".into(),
            detail: "writes a constant".into(),
            offers: vec![Offer { mac: MAC.into(), kernel: "none".into(), key_lives }],
            different: vec![],
        }
    }

    fn tagger(&self, mac: &str, _key_life: KeyLife, _key: &[u8]) -> Result<Tagger, String> {
        if mac != MAC {
            return Err(format!("null has no {mac}, only {MAC}"));
        }
        Ok(Box::new(|key, message, tag| {
            // The arguments must be made, though nobody reads them: real macs need them.
            black_box((key, message));
            if tag.len() != TAG.len() {
                return Err(WRONG_TAG_LEN);
            }
            tag.copy_from_slice(black_box(&TAG));
            Ok(())
        }))
    }

    fn tag_len_bytes(&self, mac: &str) -> Option<usize> {
        (mac == MAC).then_some(TAG.len())
    }
}
