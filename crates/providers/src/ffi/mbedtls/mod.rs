//! Mbed TLS 2.28 and 3.6, opened at run time, by its classic interface, which is the same in both.
//! Their contexts are structures that the caller allocates; versions whose structures are not known
//! are refused. What a call is for each key life: docs/providers.md.

mod aead;
mod library;
mod taggers;

use std::ffi::CStr;

use macs::MacInfo;
use words::MacName;

use super::library::Library;
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Detail, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
};
use aead::Scheme;
use library::MbedTls;

/// The row of this provider.
pub const ROW: Row = Row {
    name: "mbedtls",
    title: "Mbed TLS's libmbedcrypto",
    package: "libmbedcrypto7 or libmbedcrypto16 (Debian), mbedtls (others)",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::NotNeeded,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

const NAMES: &[&str] =
    &["libmbedcrypto.so.16", "libmbedcrypto.so.7", "libmbedcrypto.16.dylib", "libmbedcrypto.dylib"];

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let library = Library::open(place, NAMES, "mbedtls_version_get_number")?;
    offer(place, &ROW, MbedTls::new(library)?)
}

/// What a mac is to the library.
#[derive(Debug, Clone, Copy)]
enum Algorithm {
    /// HMAC over the hash of this name.
    Hmac(&'static CStr),
    /// CMAC over the cipher of this name.
    Cmac(&'static CStr),
    CmacPrf,
    Poly1305,
    Gmac,
    Sealed(Scheme),
}

fn algorithm(mac: &str) -> Option<Algorithm> {
    Some(match mac {
        "ccm-aes-128" | "ccm-aes-192" | "ccm-aes-256" => Algorithm::Sealed(Scheme::Ccm),
        "chacha20-poly1305" => Algorithm::Sealed(Scheme::ChaChaPoly),
        "cmac-aes-128" => Algorithm::Cmac(c"AES-128-ECB"),
        "cmac-aes-192" => Algorithm::Cmac(c"AES-192-ECB"),
        "cmac-aes-256" => Algorithm::Cmac(c"AES-256-ECB"),
        "cmac-prf-128" => Algorithm::CmacPrf,
        "cmac-tdes-2" | "cmac-tdes-3" => Algorithm::Cmac(c"DES-EDE3-ECB"),
        "gcm-aes-128" | "gcm-aes-192" | "gcm-aes-256" => Algorithm::Sealed(Scheme::Gcm),
        "gmac-aes-128" | "gmac-aes-192" | "gmac-aes-256" => Algorithm::Gmac,
        "hmac-md5" => Algorithm::Hmac(c"MD5"),
        "hmac-sha1" => Algorithm::Hmac(c"SHA1"),
        "hmac-sha224" => Algorithm::Hmac(c"SHA224"),
        "hmac-sha256" => Algorithm::Hmac(c"SHA256"),
        "hmac-sha3-224" => Algorithm::Hmac(c"SHA3-224"),
        "hmac-sha3-256" => Algorithm::Hmac(c"SHA3-256"),
        "hmac-sha3-384" => Algorithm::Hmac(c"SHA3-384"),
        "hmac-sha3-512" => Algorithm::Hmac(c"SHA3-512"),
        "hmac-sha384" => Algorithm::Hmac(c"SHA384"),
        "hmac-sha512" => Algorithm::Hmac(c"SHA512"),
        "poly1305" => Algorithm::Poly1305,
        _ => return None,
    })
}

impl MbedTls {
    /// On x86-64 AES and GHASH have instructions of their own where the CPU has; all else is C. On
    /// other CPUs the library does not tell.
    fn kernel(&self, mac: &str) -> &'static str {
        let name = MacName::of(mac);
        match (name.mode == "gmac", name.family() == Some("aes") || mac == "cmac-prf-128") {
            _ if !cfg!(target_arch = "x86_64") => "unknown",
            (true, _) if self.has_clmul => "clmul",
            (false, true) if self.has_aes => "aes-ni",
            _ => "soft",
        }
    }
}

impl Peer for MbedTls {
    fn about(&self) -> About {
        let path = self.library.path.display().to_string();
        let detail = format!(
            "AES instructions {}, carry-less multiplication {}",
            if self.has_aes { "found" } else { "not found" },
            if self.has_clmul { "found" } else { "not found" },
        );
        let detail = Detail::from(detail).and_inferred();
        About { version: self.version.clone(), path, detail }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let names = macs::catalog().iter().map(|info| info.name);
        let known = names.filter(|mac| algorithm(mac).is_some());
        known.map(|mac| Candidate { mac, kernel: self.kernel(mac).into() }).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        let f = self.functions;
        match algorithm(info.name) {
            Some(Algorithm::Hmac(hash)) => taggers::hmac(f, hash, key_life, inputs),
            Some(Algorithm::Cmac(cipher)) => taggers::cmac(f, info, cipher, key_life, inputs),
            Some(Algorithm::CmacPrf) => taggers::cmac_prf(f, key_life, inputs),
            Some(Algorithm::Poly1305) => taggers::poly1305(f, info, key_life, inputs),
            Some(Algorithm::Gmac) => aead::gmac(f, info, key_life, inputs),
            Some(Algorithm::Sealed(_)) | None => Err(Refused::not_here(info.name)),
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        match algorithm(info.name) {
            Some(Algorithm::Sealed(scheme)) => {
                aead::sealer(self.functions, info, scheme, key_life, inputs)
            }
            _ => Err(Refused::not_here(info.name)),
        }
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        match algorithm(info.name) {
            Some(Algorithm::Sealed(scheme)) => {
                aead::unseal(self.functions, info, scheme, inputs, tag)
            }
            _ => Err(Refused::not_here(info.name)),
        }
    }
}
