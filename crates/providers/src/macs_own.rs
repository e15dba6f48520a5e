//! Our own library, `macs`, measured as any other peer: through its public interface, by name.

use macs::{DynComposition, DynMac, MacInfo, ciphers};

use crate::{
    BLOCK, Info, Inputs, KeyLife, Kind, Offer, Place, Provider, Row, Tagger, WRONG_TAG_LEN, keyed,
};

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
        // Compositions are proved, and not timed as if they were macs.
        let offer = |info: &MacInfo| Offer {
            mac: info.name.into(),
            kernel: info.kernel().into(),
            key_lives: if info.is_composition() { vec![] } else { KeyLife::ALL.to_vec() },
        };
        let block = |cipher: &&ciphers::CipherInfo| Offer {
            mac: format!("{BLOCK}{}", cipher.primitive.name),
            kernel: cipher.primitive.kernel().into(),
            key_lives: vec![],
        };
        let macs = macs::catalog().iter().map(offer);
        Info {
            name: self.name.clone(),
            // One workspace, one version: macs and this crate take theirs from the same line.
            version: env!("CARGO_PKG_VERSION").into(),
            path: "built in".into(),
            detail: String::new(),
            offers: macs.chain(ciphers::CIPHERS.iter().map(block)).collect(),
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
        let info = keyed(mac, key)?;
        let mut kept = DynMac::with_info(info, key).map_err(|error| error.to_string())?;
        let nonce = crate::timed_nonce(info);
        Ok(match key_life {
            KeyLife::Prepared if info.nonce.is_none() => Box::new(move |_, message, tag| {
                kept.mac_into(message, tag).map_err(|_| "macs: mac_into failed")
            }),
            KeyLife::Prepared => Box::new(move |_, message, tag| {
                let computed = kept.mac_with_nonce_into(&nonce, message, tag);
                computed.map_err(|_| "macs: mac_with_nonce_into failed")
            }),
            KeyLife::NewKey => Box::new(move |key, message, tag| {
                kept.rekey(key).map_err(|_| "macs: rekey failed")?;
                let computed = kept.mac_with_nonce_into(&nonce, message, tag);
                computed.map_err(|_| "macs: mac_with_nonce_into failed")
            }),
            KeyLife::OneShot if info.nonce.is_none() => Box::new(move |key, message, tag| {
                // With the look-up by name and the tag on the heap, as its callers have them.
                let computed =
                    macs::mac(info.name, key, message).map_err(|_| "macs: mac failed")?;
                if computed.len() != tag.len() {
                    return Err(WRONG_TAG_LEN);
                }
                tag.copy_from_slice(&computed);
                Ok(())
            }),
            KeyLife::OneShot => Box::new(move |key, message, tag| {
                let computed = info.mac_with_nonce_into(key, &nonce, message, tag);
                computed.map_err(|_| "macs: mac_with_nonce_into failed")
            }),
        })
    }

    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, String> {
        if let Some(cipher) = mac.strip_prefix(BLOCK).and_then(ciphers::find) {
            let mut block = inputs.message.to_vec();
            let encrypted = cipher.encrypt_block(inputs.key, &mut block);
            return encrypted.map(|()| block).map_err(|_| "no such key or block length".into());
        }
        let info = macs::find(mac).ok_or_else(|| format!("no {mac} here"))?;
        let tag = || {
            let is_whole = info.accepted_tag_len.accepts(inputs.tag_len_bytes);
            let whole = if is_whole { inputs.tag_len_bytes } else { info.tag_len_bytes };
            let mac = DynMac::with_customization(info, inputs.key, inputs.customization)?
                .with_tag_len(whole)?;
            let mut tag = vec![0; whole];
            mac.mac_with_nonce_into(inputs.nonce, inputs.message, &mut tag)?;
            tag.truncate(inputs.tag_len_bytes);
            Ok(tag)
        };
        tag().map_err(|error: macs::Error| error.to_string())
    }

    fn seal(&self, mac: &str, inputs: &Inputs<'_>) -> Result<(Vec<u8>, Vec<u8>), String> {
        let keyed = DynComposition::new(mac, inputs.key);
        let keyed = keyed.and_then(|keyed| keyed.with_tag_len(inputs.tag_len_bytes));
        let sealed = keyed.and_then(|composition| {
            let Inputs { nonce, associated_data, message, .. } = *inputs;
            let mut buffer = vec![0; composition.ciphertext_len_bytes(message.len())];
            buffer[..message.len()].copy_from_slice(message);
            let mut tag = vec![0; inputs.tag_len_bytes];
            let sealed = composition.seal_in_place(
                nonce,
                associated_data,
                &mut buffer,
                message.len(),
                &mut tag,
            );
            sealed.map(|()| (buffer, tag))
        });
        sealed.map_err(|error| error.to_string())
    }

    fn unseal(
        &self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        let keyed = DynComposition::new(mac, inputs.key);
        let keyed = keyed.and_then(|keyed| keyed.with_tag_len(tag.len()));
        let composition = keyed.map_err(|error| error.to_string())?;
        let mut buffer = inputs.message.to_vec();
        match composition.open_in_place(inputs.nonce, inputs.associated_data, &mut buffer, tag) {
            Ok(len) => {
                buffer.truncate(len);
                Ok(Some(buffer))
            }
            // A failed opening leaves zeros behind; anything else counts as opened.
            Err(_) if buffer.iter().any(|&byte| byte != 0) => Ok(Some(buffer)),
            Err(macs::Error::TagMismatch) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}
