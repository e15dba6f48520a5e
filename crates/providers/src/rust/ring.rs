//! The crate ring: HMAC over SHA-1 and SHA-2, AES-GCM and ChaCha20-Poly1305; GMAC as GCM of no
//! message. It has no interface of its own for Poly1305.

use macs::MacInfo;
use ring::{aead, hmac};

use super::boringssl;
use super::keys::{self, AeadKey, Step};
use crate::capabilities::{self, Words, bit};
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "ring",
    title: "The crate ring",
    package: "cargo feature `ring`",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::Hidden,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// The crate's version; a test holds it against Cargo.lock.
pub const VERSIONS: [(&str, &str); 1] = [("ring", "0.17.14")];

struct Ring;

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    offer(place, &ROW, Ring)
}

fn hash(mac: &str) -> Result<hmac::Algorithm, Refused> {
    match mac {
        "hmac-sha1" => Ok(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
        "hmac-sha256" => Ok(hmac::HMAC_SHA256),
        "hmac-sha384" => Ok(hmac::HMAC_SHA384),
        "hmac-sha512" => Ok(hmac::HMAC_SHA512),
        _ => Err(Refused::not_here(mac)),
    }
}

fn cipher(mac: &str) -> Result<&'static aead::Algorithm, Refused> {
    match mac {
        "chacha20-poly1305" => Ok(&aead::CHACHA20_POLY1305),
        "gcm-aes-128" | "gmac-aes-128" => Ok(&aead::AES_128_GCM),
        "gcm-aes-256" | "gmac-aes-256" => Ok(&aead::AES_256_GCM),
        _ => Err(Refused::not_here(mac)),
    }
}

fn key(cipher: &'static aead::Algorithm, key: &[u8]) -> Result<aead::LessSafeKey, &'static str> {
    let key = aead::UnboundKey::new(cipher, key).map_err(|_| crate::WRONG_KEY_LEN)?;
    Ok(aead::LessSafeKey::new(key))
}

/// It asks the CPU by itself and reads no variable.
fn words() -> Option<Words> {
    #[cfg(target_arch = "x86_64")]
    return Some(capabilities::detected());
    #[cfg(not(target_arch = "x86_64"))]
    capabilities::found()
}

impl AeadKey for aead::LessSafeKey {
    fn seal(
        &self,
        nonce: [u8; 12],
        data: &[u8],
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Step {
        ciphertext.copy_from_slice(message);
        let sealed =
            self.seal_in_place_separate_tag(nonce_of(nonce), aead::Aad::from(data), ciphertext);
        tag.copy_from_slice(sealed.map_err(|_| "seal_in_place_separate_tag")?.as_ref());
        Ok(())
    }

    fn open(&self, nonce: [u8; 12], data: &[u8], ciphertext: &[u8], tag: &[u8]) -> Option<Vec<u8>> {
        let mut sealed = [ciphertext, tag].concat();
        let opened = self.open_in_place(nonce_of(nonce), aead::Aad::from(data), &mut sealed);
        opened.ok().map(|message| message.to_vec())
    }
}

impl Peer for Ring {
    fn about(&self) -> About {
        let detail = crate::Detail::inferred();
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
    ) -> Result<Tagger, Refused> {
        if info.nonce.is_some() {
            let cipher = cipher(info.name)?;
            return keys::gmac(info, key_life, inputs, move |bytes| key(cipher, bytes));
        }
        let hash = hash(info.name)?;
        let new = move |key: &[u8]| Ok(hmac::Key::new(hash, key));
        keys::tagger(key_life, inputs, new, |key, message, tag| {
            tag.copy_from_slice(hmac::sign(key, message).as_ref());
            Ok(())
        })
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        let cipher = cipher(info.name)?;
        keys::sealer(info, key_life, inputs, move |bytes| key(cipher, bytes))
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        keys::unseal(info, inputs, tag, key(cipher(info.name)?, inputs.key))
    }
}

fn nonce_of(bytes: [u8; 12]) -> aead::Nonce {
    aead::Nonce::assume_unique_for_key(bytes)
}
