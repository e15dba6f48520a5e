//! The crate graviola: HMAC over SHA-2, AES-GCM and ChaCha20-Poly1305; GMAC as GCM of no message.

use graviola::aead::{AesGcm, ChaCha20Poly1305};
use graviola::hashing::hmac::Hmac;
use graviola::hashing::{Hash, Sha256, Sha384, Sha512};
use macs::MacInfo;

use super::keys::{self, AeadKey, Step};
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
    WRONG_TAG_LEN, processor,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "graviola",
    title: "The crate graviola",
    package: "cargo feature `graviola`",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::Hidden,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// The crate's version; a test holds it against Cargo.lock.
pub const VERSIONS: [(&str, &str); 1] = [("graviola", "0.4.4")];

struct Graviola;

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    // Without them its functions panic.
    if !graviola::util::is_cpu_supported() {
        if cfg!(target_arch = "x86_64") {
            let needs = ["adx", "aes", "avx2", "bmi1", "bmi2", "pclmulqdq", "ssse3"];
            processor::check(&needs).map_err(Unavailable::not_installed)?;
        }
        let reason = "this processor lacks instructions that it needs";
        return Err(Unavailable::not_installed(reason));
    }
    offer(place, &ROW, Graviola)
}

/// Finishing takes the context with it: a prepared one is copied, a new one is not.
fn hmac<H: Hash + Clone + 'static>(
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let (kept, tag_len_bytes) = (Hmac::<H>::new(inputs.key), inputs.tag_len_bytes);
    let finish = move |mut hmac: Hmac<H>, message: &[u8], tag: &mut [u8]| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        hmac.update(message);
        tag.copy_from_slice(hmac.finish().as_ref());
        Ok(())
    };
    match key_life {
        KeyLife::Prepared => {
            Ok(Box::new(move |_, message, tag| finish(kept.clone(), message, tag)))
        }
        KeyLife::NewKey => {
            Ok(Box::new(move |key, message, tag| finish(Hmac::new(key), message, tag)))
        }
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

/// A key of AES-GCM; `AesGcm::new` panics on lengths that it does not take.
fn gcm_key(info: &'static MacInfo) -> impl Fn(&[u8]) -> Result<AesGcm, &'static str> {
    move |key| {
        if key.len() == info.key_len_bytes {
            Ok(AesGcm::new(key))
        } else {
            Err(crate::WRONG_KEY_LEN)
        }
    }
}

fn chacha_key(key: &[u8]) -> Result<ChaCha20Poly1305, &'static str> {
    key.try_into().map(ChaCha20Poly1305::new).map_err(|_| crate::WRONG_KEY_LEN)
}

macro_rules! aead_key {
    ($key:ty) => {
        impl AeadKey for $key {
            fn seal(
                &self,
                nonce: [u8; 12],
                data: &[u8],
                message: &[u8],
                ciphertext: &mut [u8],
                tag: &mut [u8],
            ) -> Step {
                ciphertext.copy_from_slice(message);
                let tag = tag.try_into().map_err(|_| WRONG_TAG_LEN)?;
                self.encrypt(&nonce, data, ciphertext, tag);
                Ok(())
            }

            fn open(
                &self,
                nonce: [u8; 12],
                data: &[u8],
                ciphertext: &[u8],
                tag: &[u8],
            ) -> Option<Vec<u8>> {
                let mut message = ciphertext.to_vec();
                self.decrypt(&nonce, data, &mut message, tag).is_ok().then_some(message)
            }
        }
    };
}

aead_key!(AesGcm);
aead_key!(ChaCha20Poly1305);

impl Peer for Graviola {
    fn about(&self) -> About {
        let detail = crate::Detail::inferred();
        About { version: VERSIONS[0].1.into(), path: "built in".into(), detail }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let gcm = kernels::gcm();
        let all = [
            ("chacha20-poly1305", kernels::chacha20()),
            ("gcm-aes-128", gcm),
            ("gcm-aes-256", gcm),
            ("gmac-aes-128", gcm),
            ("gmac-aes-256", gcm),
            ("hmac-sha256", kernels::sha256()),
            ("hmac-sha384", kernels::sha512()),
            ("hmac-sha512", kernels::sha512()),
        ];
        all.map(|(mac, kernel)| Candidate { mac, kernel: kernel.into() }).into()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        match info.name {
            "hmac-sha256" => hmac::<Sha256>(key_life, inputs),
            "hmac-sha384" => hmac::<Sha384>(key_life, inputs),
            "hmac-sha512" => hmac::<Sha512>(key_life, inputs),
            "gmac-aes-128" | "gmac-aes-256" => keys::gmac(info, key_life, inputs, gcm_key(info)),
            mac => Err(Refused::not_here(mac)),
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        match info.name {
            "chacha20-poly1305" => keys::sealer(info, key_life, inputs, chacha_key),
            "gcm-aes-128" | "gcm-aes-256" => keys::sealer(info, key_life, inputs, gcm_key(info)),
            mac => Err(Refused::not_here(mac)),
        }
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        match info.name {
            "chacha20-poly1305" => keys::unseal(info, inputs, tag, chacha_key(inputs.key)),
            "gcm-aes-128" | "gcm-aes-256" => {
                keys::unseal(info, inputs, tag, gcm_key(info)(inputs.key))
            }
            mac => Err(Refused::not_here(mac)),
        }
    }
}

/// Code paths, as its modules `low::x86_64::*_mux` choose them; on AArch64 there is one.
mod kernels {
    pub(super) fn chacha20() -> &'static str {
        if cfg!(target_arch = "x86_64") { "avx2" } else { "neon" }
    }

    /// AES-GCM with AVX-512 where all of these are there.
    pub(super) fn gcm() -> &'static str {
        #[cfg(target_arch = "x86_64")]
        return match is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("vaes")
            && is_x86_feature_detected!("vpclmulqdq")
        {
            true => "vaes",
            false => "aes-ni",
        };
        #[cfg(not(target_arch = "x86_64"))]
        "armv8"
    }

    pub(super) fn sha256() -> &'static str {
        #[cfg(target_arch = "x86_64")]
        return if is_x86_feature_detected!("sha") { "sha-ni" } else { "soft" };
        #[cfg(not(target_arch = "x86_64"))]
        "armv8"
    }

    /// Its AVX2 code needs BMI2 too.
    pub(super) fn sha512() -> &'static str {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi2") {
            return "avx2";
        }
        "soft"
    }
}
