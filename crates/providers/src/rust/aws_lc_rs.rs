//! The crate aws-lc-rs, AWS-LC built in: HMAC over SHA-1 and SHA-2, CMAC, AES-GCM and
//! ChaCha20-Poly1305; GMAC as GCM of no message.

use aws_lc_rs::{aead, cmac, hmac};
use macs::MacInfo;
use zeroize::Zeroizing;

use super::boringssl;
use super::keys::{self, AeadKey, Step};
use crate::capabilities::{self, bit};
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Detail, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
    restriction,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "aws-lc-rs",
    title: "The crate aws-lc-rs, AWS-LC built in",
    package: "cargo feature `aws-lc-rs`",
    kind: Kind::InProcess(open),
    forced: || capabilities::FORCED.to_vec(),
    restriction: Restriction::Variables(restriction::ia32cap),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// The versions of the crate and of AWS-LC's; a test holds them against Cargo.lock.
pub const VERSIONS: [(&str, &str); 2] = [("aws-lc-rs", "1.19.0"), ("aws-lc-sys", "0.47.0")];

struct AwsLc;

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    offer(place, &ROW, AwsLc)
}

fn hash(mac: &str) -> Result<hmac::Algorithm, Refused> {
    match mac {
        "hmac-sha1" => Ok(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
        "hmac-sha224" => Ok(hmac::HMAC_SHA224),
        "hmac-sha256" => Ok(hmac::HMAC_SHA256),
        "hmac-sha384" => Ok(hmac::HMAC_SHA384),
        "hmac-sha512" => Ok(hmac::HMAC_SHA512),
        _ => Err(Refused::not_here(mac)),
    }
}

fn block_cipher(mac: &str) -> Option<cmac::Algorithm> {
    match mac {
        "cmac-aes-128" => Some(cmac::AES_128),
        "cmac-aes-192" => Some(cmac::AES_192),
        "cmac-aes-256" => Some(cmac::AES_256),
        "cmac-tdes-2" | "cmac-tdes-3" => Some(cmac::DES_EDE3_FOR_LEGACY_USE_ONLY),
        _ => None,
    }
}

fn cipher(mac: &str) -> Result<&'static aead::Algorithm, Refused> {
    match mac {
        "chacha20-poly1305" => Ok(&aead::CHACHA20_POLY1305),
        "gcm-aes-128" | "gmac-aes-128" => Ok(&aead::AES_128_GCM),
        "gcm-aes-192" | "gmac-aes-192" => Ok(&aead::AES_192_GCM),
        "gcm-aes-256" | "gmac-aes-256" => Ok(&aead::AES_256_GCM),
        _ => Err(Refused::not_here(mac)),
    }
}

fn key(cipher: &'static aead::Algorithm, key: &[u8]) -> Result<aead::LessSafeKey, &'static str> {
    let key = aead::UnboundKey::new(cipher, key).map_err(|_| crate::WRONG_KEY_LEN)?;
    Ok(aead::LessSafeKey::new(key))
}

/// A key of CMAC; TDES with two keys is widened on the stack.
fn cmac_key(cipher: cmac::Algorithm, key: &[u8], widens: bool) -> Result<cmac::Key, &'static str> {
    let made = if widens {
        let mut wide = Zeroizing::new([0; 24]);
        crate::widen(key, &mut wide)?;
        cmac::Key::new(cipher, &*wide)
    } else {
        cmac::Key::new(cipher, key)
    };
    made.map_err(|_| crate::WRONG_KEY_LEN)
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
        let (nonce, data) = (nonce_of(nonce), aead::Aad::from(data));
        let sealed = self.seal_out_of_place_scatter(nonce, data, message, ciphertext, &[], tag);
        sealed.map_err(|_| "seal_out_of_place_scatter failed")
    }

    fn open(&self, nonce: [u8; 12], data: &[u8], ciphertext: &[u8], tag: &[u8]) -> Option<Vec<u8>> {
        let (data, mut message) = (aead::Aad::from(data), vec![0; ciphertext.len()]);
        let opened =
            self.open_separate_gather(nonce_of(nonce), data, ciphertext, tag, &mut message);
        opened.ok().map(|()| message)
    }
}

impl Peer for AwsLc {
    fn about(&self) -> About {
        let [(_, version), (sys, sys_version)] = VERSIONS;
        let detail = Detail::from(format!("{sys} {sys_version}")).and_inferred();
        About { version: version.into(), path: "built in".into(), detail }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let words = capabilities::found();
        let words = words.as_ref();
        let (sha256, sha512) = (boringssl::sha256(words), boringssl::sha512(words));
        let wide = [bit::AVX512F, bit::AVX512DQ, bit::AVX512BW, bit::AVX512VL];
        let gcm = boringssl::gcm(words, &[&wide[..], &[bit::VAES, bit::VPCLMULQDQ]].concat());
        let aes = boringssl::aes(words);
        let all = [
            ("chacha20-poly1305", boringssl::chacha20_poly1305(words)),
            ("cmac-aes-128", aes),
            ("cmac-aes-192", aes),
            ("cmac-aes-256", aes),
            ("cmac-tdes-2", "soft"),
            ("cmac-tdes-3", "soft"),
            ("gcm-aes-128", gcm),
            ("gcm-aes-192", gcm),
            ("gcm-aes-256", gcm),
            ("gmac-aes-128", gcm),
            ("gmac-aes-192", gcm),
            ("gmac-aes-256", gcm),
            ("hmac-sha1", boringssl::sha1(words)),
            ("hmac-sha224", sha256),
            ("hmac-sha256", sha256),
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
        if let Some(cipher) = block_cipher(info.name) {
            let widens = info.name == "cmac-tdes-2";
            let new = move |key: &[u8]| cmac_key(cipher, key, widens);
            return keys::tagger(key_life, inputs, new, |key, message, tag| {
                let signed = cmac::sign_to_buffer(key, message, tag);
                signed.map(|_| ()).map_err(|_| "cmac::sign_to_buffer failed")
            });
        }
        let hash = hash(info.name)?;
        let new = move |key: &[u8]| Ok(hmac::Key::new(hash, key));
        keys::tagger(key_life, inputs, new, |key, message, tag| {
            let signed = hmac::sign_to_buffer(key, message, tag);
            signed.map(|_| ()).map_err(|_| "hmac::sign_to_buffer failed")
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
