//! The crate ring: HMAC over SHA-1 and SHA-2, AES-GCM and ChaCha20-Poly1305; GMAC as GCM of no
//! message. It has no interface of its own for Poly1305.

use macs::MacInfo;
use ring::{aead, hmac};

use super::{boringssl, kept};
use crate::capabilities::{self, Words, bit};
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{Inputs, KeyLife, Kind, Place, Provider, Row, Tagger};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "ring",
    title: "The crate ring",
    package: "cargo feature `ring`",
    kind: Kind::InProcess(open),
    forced: Vec::new,
};

/// The crate's version; a test holds it against Cargo.lock.
pub const VERSIONS: [(&str, &str); 1] = [("ring", "0.17.14")];

struct Ring;

fn open(place: &Place) -> Result<Box<dyn Provider>, String> {
    offer(place, &ROW, Ring)
}

fn hash(mac: &str) -> Result<hmac::Algorithm, String> {
    match mac {
        "hmac-sha1" => Ok(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
        "hmac-sha256" => Ok(hmac::HMAC_SHA256),
        "hmac-sha384" => Ok(hmac::HMAC_SHA384),
        "hmac-sha512" => Ok(hmac::HMAC_SHA512),
        _ => Err(format!("no {mac} here")),
    }
}

fn cipher(mac: &str) -> Result<&'static aead::Algorithm, String> {
    match mac {
        "chacha20-poly1305" => Ok(&aead::CHACHA20_POLY1305),
        "gcm-aes-128" | "gmac-aes-128" => Ok(&aead::AES_128_GCM),
        "gcm-aes-256" | "gmac-aes-256" => Ok(&aead::AES_256_GCM),
        _ => Err(format!("no {mac} here")),
    }
}

fn key(cipher: &'static aead::Algorithm, key: &[u8]) -> Result<aead::LessSafeKey, &'static str> {
    let key = aead::UnboundKey::new(cipher, key).map_err(|_| "the key has another length")?;
    Ok(aead::LessSafeKey::new(key))
}

/// It asks the CPU by itself and reads no variable.
fn words() -> Option<Words> {
    #[cfg(target_arch = "x86_64")]
    return Some(capabilities::detected());
    #[cfg(not(target_arch = "x86_64"))]
    capabilities::found()
}

impl Peer for Ring {
    fn about(&self) -> About {
        let detail = "kernels inferred".into();
        About { version: VERSIONS[0].1.into(), path: "built in".into(), detail }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let words = words();
        let words = words.as_ref();
        let sha512 = boringssl::sha512(words);
        let gcm = boringssl::gcm(words, &[bit::AVX, bit::AVX2, bit::VAES, bit::VPCLMULQDQ]);
        let all = [
            ("chacha20-poly1305", boringssl::chacha20_poly1305(words)),
            ("gcm-aes-128", gcm),
            ("gcm-aes-256", gcm),
            ("gmac-aes-128", gcm),
            ("gmac-aes-256", gcm),
            // In Rust, for every CPU.
            ("hmac-sha1", "soft"),
            ("hmac-sha256", boringssl::sha256(words)),
            ("hmac-sha384", sha512),
            ("hmac-sha512", sha512),
        ];
        all.map(|(mac, kernel)| Candidate { mac, kernel: kernel.into() }).into()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, String> {
        if info.nonce.is_some() {
            let cipher = cipher(info.name)?;
            let nonce = kept::nonce(info, inputs.nonce, inputs.tag_len_bytes)?;
            let new = move |bytes: &[u8]| key(cipher, bytes);
            return kept::tagger(key_life, inputs, new, move |key, message, tag| {
                let (nonce, data) = (nonce_of(nonce), aead::Aad::from(message));
                let sealed = key.seal_in_place_separate_tag(nonce, data, &mut []);
                tag.copy_from_slice(sealed.map_err(|_| "seal_in_place_separate_tag")?.as_ref());
                Ok(())
            });
        }
        let hash = hash(info.name)?;
        let new = move |key: &[u8]| Ok(hmac::Key::new(hash, key));
        kept::tagger(key_life, inputs, new, |key, message, tag| {
            tag.copy_from_slice(hmac::sign(key, message).as_ref());
            Ok(())
        })
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, String> {
        let cipher = cipher(info.name)?;
        let nonce = kept::nonce(info, inputs.nonce, inputs.tag_len_bytes)?;
        let data = inputs.associated_data.to_vec();
        let new = move |bytes: &[u8]| key(cipher, bytes);
        kept::sealer(key_life, inputs, new, move |key, message, ciphertext, tag| {
            ciphertext.copy_from_slice(message);
            let (nonce, data) = (nonce_of(nonce), aead::Aad::from(&data));
            let sealed = key.seal_in_place_separate_tag(nonce, data, ciphertext);
            tag.copy_from_slice(sealed.map_err(|_| "seal_in_place_separate_tag")?.as_ref());
            Ok(())
        })
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        let nonce = nonce_of(kept::nonce(info, inputs.nonce, tag.len())?);
        let key = key(cipher(info.name)?, inputs.key)?;
        let mut sealed = [inputs.message, tag].concat();
        let opened = key.open_in_place(nonce, aead::Aad::from(inputs.associated_data), &mut sealed);
        Ok(opened.ok().map(|message| message.to_vec()))
    }
}

fn nonce_of(bytes: [u8; 12]) -> aead::Nonce {
    aead::Nonce::assume_unique_for_key(bytes)
}
