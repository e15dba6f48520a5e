//! Our own library, `macs`, measured as any other peer: through its public interface, by name.

use macs::DynMac;

use crate::{Info, KeyLife, Kind, Offer, Place, Provider, Row, Tagger, keyed};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "macs",
    title: "The MAC library of macrometer",
    package: "built in",
    kind: Kind::InProcess(open),
};

struct Macs {
    name: String,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(Macs { name: place.name_or(ROW.name) }))
}

impl Provider for Macs {
    fn info(&self) -> Info {
        let offer = |info: &macs::MacInfo| Offer {
            mac: info.name.into(),
            kernel: info.kernel().into(),
            key_lives: KeyLife::ALL.to_vec(),
        };
        Info {
            name: self.name.clone(),
            // One workspace, one version: macs and this crate take theirs from the same line.
            version: env!("CARGO_PKG_VERSION").into(),
            path: "built in".into(),
            detail: String::new(),
            offers: macs::catalog().iter().map(offer).collect(),
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
        let info = keyed(mac, key)?;
        let mut kept = DynMac::with_info(info, key).map_err(|error| error.to_string())?;
        Ok(match key_life {
            KeyLife::Prepared => Box::new(move |_, message, tag| {
                kept.mac_into(message, tag).map_err(|_| "macs: mac_into failed")
            }),
            KeyLife::NewKey => Box::new(move |key, message, tag| {
                kept.rekey(key).map_err(|_| "macs: rekey failed")?;
                kept.mac_into(message, tag).map_err(|_| "macs: mac_into failed")
            }),
            KeyLife::OneShot => Box::new(move |key, message, tag| {
                // With the look-up by name and the tag on the heap, as its callers have them.
                let computed =
                    macs::mac(info.name, key, message).map_err(|_| "macs: mac failed")?;
                if computed.len() != tag.len() {
                    return Err(crate::WRONG_TAG_LEN);
                }
                tag.copy_from_slice(&computed);
                Ok(())
            }),
        })
    }
}
