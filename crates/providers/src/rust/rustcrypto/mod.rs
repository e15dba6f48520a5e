//! RustCrypto's macs and compositions, and the crates `blake3` and `siphasher` beside them, as a
//! plain build of them runs: what they find on this CPU at run time, no `target-cpu`. The calls and
//! why these: docs/providers.md.

mod compositions;
mod kernels;
mod taggers;

use compositions::Composition;

use crate::{
    Info, Input, Inputs, KeyLife, Kind, Offer, Place, Provider, Refused, Restriction, Row,
    SEALED_KEY_LIVES, Sealed, Tagger, Unavailable, keyed, offered_tag_len, timed_nonce,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "rustcrypto",
    title: "RustCrypto, and the crates blake3 and siphasher",
    package: "built in",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::Hidden,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// The crates' versions. A crate cannot ask its dependencies for theirs; a test holds this table
/// against Cargo.lock. The three best known first: they make the provider's version.
pub const VERSIONS: [(&str, &str); 33] = [
    ("hmac", "0.13.0"),
    ("cmac", "0.8.0"),
    ("blake3", "1.8.7"),
    ("aes", "0.9.4"),
    ("aes-gcm", "0.11.1"),
    ("aes-gcm-siv", "0.12.1"),
    ("aes-siv", "0.8.0"),
    ("aria", "0.2.0"),
    ("blake2", "0.11.0"),
    ("camellia", "0.2.1"),
    ("cbc-mac", "0.2.0"),
    ("ccm", "0.6.1"),
    ("chacha20poly1305", "0.11.0"),
    ("des", "0.9.0"),
    ("eax", "0.6.1"),
    ("keccak", "0.2.2"),
    ("kuznyechik", "0.9.0"),
    ("magma", "0.10.0"),
    ("md-5", "0.11.0"),
    ("pmac", "0.8.0"),
    ("poly1305", "0.9.1"),
    ("polyval", "0.7.3"),
    ("rc6", "0.1.0"),
    ("ripemd", "0.2.0"),
    ("serpent", "0.6.0"),
    ("sha1", "0.11.0"),
    ("sha2", "0.11.1"),
    ("sha3", "0.12.0"),
    ("siphasher", "1.0.4"),
    ("sm3", "0.5.0"),
    ("sm4", "0.6.0"),
    ("streebog", "0.11.0"),
    ("twofish", "0.8.0"),
];

struct RustCrypto {
    name: String,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    Ok(Box::new(RustCrypto { name: place.name_or(ROW.name) }))
}

impl Provider for RustCrypto {
    fn info(&self) -> Info {
        let list = |versions: &[(&str, &str)]| {
            let words: Vec<_> = versions.iter().map(|(name, at)| format!("{name} {at}")).collect();
            words.join(", ")
        };
        let (best_known, others) = VERSIONS.split_at(3);
        let macs = taggers::ROWS.iter().copied().flatten().map(|row| Offer {
            mac: row.mac.into(),
            kernel: (row.kernel)().into(),
            key_lives: row.key_lives.to_vec(),
        });
        let compositions = compositions::ROWS.iter().copied().flatten().map(|row| Offer {
            mac: row.mac.into(),
            kernel: (row.kernel)().into(),
            key_lives: SEALED_KEY_LIVES.to_vec(),
        });
        let mut offers: Vec<Offer> = macs.chain(compositions).collect();
        offers.sort_by(|a, b| a.mac.cmp(&b.mac));
        Info {
            name: self.name.clone(),
            version: list(best_known),
            path: "built in".into(),
            detail: format!("{}; {WIPED}", list(others)),
            offers,
            ..Info::default()
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
        let info = keyed(mac, key)?;
        let nonce = timed_nonce(info);
        if info.is_composition() {
            let inputs = Inputs { key, nonce: &nonce, ..Inputs::default() };
            let kept = composition(mac, &inputs, info.tag_len_bytes)?;
            return compositions::tagger(kept, key_life, nonce);
        }
        (tagger_row(mac)?.open)(key_life, key, &nonce)
    }

    fn tag_len_bytes(&self, mac: &str) -> Option<usize> {
        offered_tag_len(self, mac)
    }

    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, Refused> {
        let row = tagger_row(mac)?;
        let info = keyed(mac, inputs.key)?;
        if !inputs.customization.is_empty() {
            let (who, input) = (mac.to_owned(), Input::Customization);
            return Err(Refused::Untaken { who, input });
        }
        if info.nonce.is_none() && !inputs.nonce.is_empty() {
            return Err(Refused::Untaken { who: mac.to_owned(), input: Input::Nonce });
        }
        // Of BLAKE2, whose types here are those of the longest tag.
        let (len, whole) = (inputs.tag_len_bytes, info.tag_len_bytes);
        if info.accepted_tag_len.accepts(len) && len != whole {
            let why = format!("{mac} gives tags of {whole} bytes here, not {len}");
            return Err(Refused::limit(&[Input::Tag], why));
        }
        let mut tagger = (row.open)(KeyLife::NewKey, inputs.key, inputs.nonce)?;
        let mut tag = vec![0; info.tag_len_bytes];
        tagger(inputs.key, inputs.message, &mut tag)?;
        tag.truncate(inputs.tag_len_bytes);
        Ok(tag)
    }

    fn seal(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, Refused> {
        composition(mac, inputs, inputs.tag_len_bytes)?.seal(inputs)
    }

    fn unseal(
        &self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        composition(mac, inputs, tag.len())?.unseal(inputs, tag)
    }
}

/// What wipes itself though its default features do not say so: our own library and `rc6` need it,
/// and Cargo builds a crate once for all who use it.
const WIPED: &str = "buffers of block-buffer are wiped on drop, key schedules not";

fn tagger_row(mac: &str) -> Result<&'static taggers::Row, Refused> {
    let row = taggers::ROWS.iter().copied().flatten().find(|row| row.mac == mac);
    row.ok_or_else(|| Refused::lacks("rustcrypto", mac))
}

fn composition(
    mac: &str,
    inputs: &Inputs<'_>,
    tag_len_bytes: usize,
) -> Result<Box<dyn Composition>, Refused> {
    let row = compositions::ROWS.iter().copied().flatten().find(|row| row.mac == mac);
    let row = row.ok_or_else(|| {
        Refused::Purpose(format!("rustcrypto does not encrypt with {mac}").into())
    })?;
    keyed(mac, inputs.key)?;
    (row.open)(inputs.key, inputs.nonce.len(), tag_len_bytes)
}
