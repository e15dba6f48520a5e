//! The floor: a mac that computes nothing. Its time in a run is what the harness itself costs: the
//! loop, the dynamic call, the tag written. Every other figure stands on it, and is not corrected
//! by it silently.
//!
//! Beside it what some macs of our library do beside compressing (`macs::frame`), called as those
//! are: floors too, for who wants to know what of a mac's time is its primitive's.

use std::hint::black_box;

use macs::{DynMac, MacInfo, frame};

use crate::{
    Info, KeyLife, Kind, Offer, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
    WRONG_TAG_LEN,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "null",
    title: "The floor: a call that computes nothing",
    package: "built in",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::NotNeeded,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// The mac that computes nothing.
pub const MAC: &str = "null";

/// As long as the shortest tag of a real mac (CMAC over TDES).
const TAG: [u8; 8] = *b"null tag";

/// A frame has no call of its own for a key that is used once.
const FRAME_KEY_LIVES: [KeyLife; 2] = [KeyLife::Prepared, KeyLife::NewKey];

struct Null {
    name: String,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    Ok(Box::new(Null { name: place.name_or(ROW.name) }))
}

fn frame(mac: &str) -> Option<&'static MacInfo> {
    frame::FRAMES.into_iter().find(|frame| frame.name == mac)
}

/// As the macs of our library are opened and called.
fn framed(mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
    let info = frame(mac).ok_or_else(|| Refused::lacks("null", mac))?;
    let mut kept = DynMac::with_info(info, key).map_err(Refused::said)?;
    match key_life {
        KeyLife::Prepared => Ok(Box::new(move |_, message, tag| {
            kept.mac_into(message, tag).map_err(|_| "null: mac_into failed")
        })),
        KeyLife::NewKey => Ok(Box::new(move |key, message, tag| {
            kept.rekey(key).map_err(|_| "null: rekey failed")?;
            kept.mac_with_nonce_into(&[], message, tag).map_err(|_| "null: mac_into failed")
        })),
        KeyLife::OneShot => Err(crate::no_call_here(key_life, mac)),
    }
}

impl Provider for Null {
    fn info(&self) -> Info {
        let key_lives = KeyLife::ALL.to_vec();
        let mut offers = vec![Offer { mac: MAC.into(), kernel: "none".into(), key_lives }];
        offers.extend(frame::FRAMES.map(|frame| Offer {
            mac: frame.name.into(),
            kernel: frame.kernel().into(),
            key_lives: FRAME_KEY_LIVES.to_vec(),
        }));
        Info {
            name: self.name.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            path: "built in".into(),
            detail: "null writes a constant; null-…: what a mac does beside compressing".into(),
            offers,
            ..Info::default()
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
        if mac != MAC {
            return framed(mac, key_life, key);
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
        if mac == MAC {
            return Some(TAG.len());
        }
        frame(mac).map(|frame| frame.tag_len_bytes)
    }
}
