//! libgcrypt, opened at run time: GnuPG's library. HMAC and keyed BLAKE2 through `gcry_md`, CMAC
//! and Poly1305 through `gcry_mac`, GMAC and the compositions through `gcry_cipher`; what a call is
//! for each key life: docs/providers.md.

mod aead;
mod kernel;
mod library;
mod taggers;

use std::ffi::c_int;

use macs::MacInfo;
use words::MacName;

use super::library::Library;
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::restriction::{self, Extension};
use crate::{
    Detail, Forced, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger,
    Unavailable,
};
use kernel::Rules;
use library::Gcrypt;

/// The row of this provider.
pub const ROW: Row = Row {
    name: "gcrypt",
    title: "libgcrypt, the library of GnuPG",
    package: "libgcrypt20 (Debian), libgcrypt (others)",
    kind: Kind::InProcess(open),
    forced,
    restriction: Restriction::Opened,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

const NAMES: &[&str] = &["libgcrypt.so.20", "libgcrypt.20.dylib"];

/// A code path: what the processor must have, and what the library must not use of it, by its own
/// names of features.
struct CodePath {
    name: &'static str,
    needs: &'static [&'static str],
    disabled: &'static [&'static str],
}

const FORCED: &[CodePath] = &[
    // As on Intel's CPUs of 2013 to 2018.
    CodePath {
        name: "avx2",
        needs: &["avx2", "bmi2"],
        disabled: &["intel-shaext", "intel-vaes-vpclmul", "intel-avx512", "intel-gfni"],
    },
    CodePath { name: "soft", needs: &[], disabled: &["all"] },
    // As on CPUs of 2008: no AES instructions, but their AES in constant time.
    CodePath {
        name: "ssse3",
        needs: &["ssse3"],
        disabled: &[
            "intel-aesni",
            "intel-avx",
            "intel-avx2",
            "intel-avx512",
            "intel-bmi2",
            "intel-gfni",
            "intel-pclmul",
            "intel-shaext",
            "intel-sse4.1",
            "intel-vaes-vpclmul",
        ],
    },
];

fn forced() -> Vec<Forced> {
    let is_here = |path: &&CodePath| path.name == "soft" || cfg!(target_arch = "x86_64");
    let forced = |CodePath { name, needs, .. }: &CodePath| Forced { name, variables: &[], needs };
    FORCED.iter().filter(is_here).map(forced).collect()
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let forced_to = ROW.forced_to(place)?;
    let path = forced_to.and_then(|forced| FORCED.iter().find(|path| path.name == forced.name));
    let mut disabled = path.map_or(vec![], |path| path.disabled.to_vec());
    disabled.extend(restriction::left_out().extensions().iter().map(|extension| match extension {
        Extension::Avx512 => "intel-avx512",
        Extension::Vaes => "intel-vaes-vpclmul",
        Extension::Sha => "intel-shaext",
    }));
    let library = Library::open(place, NAMES, "gcry_check_version")?;
    offer(place, &ROW, Gcrypt::start(library, &disabled)?)
}

/// What a mac is to the library: numbers of gcrypt.h, the same in all versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    /// HMAC over this hash.
    Hmac(c_int),
    /// This hash, keyed.
    KeyedHash(c_int),
    /// CMAC or Poly1305: this mac.
    Mac(c_int),
    /// GCM over this cipher, without a message.
    Gmac(c_int),
    /// This cipher in this mode.
    Sealed(c_int, c_int),
}

const CHACHA20: c_int = 316;
const BLAKE2B_512: c_int = 318;
const BLAKE2S_256: c_int = 322;
const MAC_POLY1305: c_int = 501;

const MODE_CCM: c_int = 8;
const MODE_GCM: c_int = 9;
const MODE_POLY1305: c_int = 10;
const MODE_EAX: c_int = 14;
/// Since 1.10, and the next one.
const MODE_SIV: c_int = 15;
const MODE_GCM_SIV: c_int = 16;

fn algorithm(mac: &str) -> Option<Algorithm> {
    match mac {
        "blake2b-keyed" => return Some(Algorithm::KeyedHash(BLAKE2B_512)),
        "blake2s-keyed" => return Some(Algorithm::KeyedHash(BLAKE2S_256)),
        "chacha20-poly1305" => return Some(Algorithm::Sealed(CHACHA20, MODE_POLY1305)),
        "poly1305" => return Some(Algorithm::Mac(MAC_POLY1305)),
        _ => {}
    }
    let MacName { mode, primitive } = MacName::of(mac);
    let primitive = primitive?;
    match mode {
        "hmac" => Some(Algorithm::Hmac(hash(primitive)?)),
        "cmac" => Some(Algorithm::Mac(cmac(primitive)?)),
        "gmac" => Some(Algorithm::Gmac(cipher(primitive)?)),
        "ccm" => Some(Algorithm::Sealed(cipher(primitive)?, MODE_CCM)),
        "eax" => Some(Algorithm::Sealed(cipher(primitive)?, MODE_EAX)),
        "gcm" => Some(Algorithm::Sealed(cipher(primitive)?, MODE_GCM)),
        "gcm-siv" => Some(Algorithm::Sealed(cipher(primitive)?, MODE_GCM_SIV)),
        "siv" => Some(Algorithm::Sealed(cipher(primitive)?, MODE_SIV)),
        _ => None,
    }
}

fn hash(name: &str) -> Option<c_int> {
    Some(match name {
        "blake2b" => BLAKE2B_512,
        "blake2s" => BLAKE2S_256,
        "md5" => 1,
        "ripemd160" => 3,
        "sha1" => 2,
        "sha224" => 11,
        "sha256" => 8,
        "sha384" => 9,
        "sha512" => 10,
        "sha512-224" => 328,
        "sha512-256" => 327,
        "sha3-224" => 312,
        "sha3-256" => 313,
        "sha3-384" => 314,
        "sha3-512" => 315,
        "sm3" => 326,
        "streebog-256" => 309,
        "streebog-512" => 310,
        _ => return None,
    })
}

/// One number for all lengths of the key.
fn cmac(cipher: &str) -> Option<c_int> {
    Some(match cipher {
        "aes-128" | "aes-192" | "aes-256" => 201,
        "aria-128" | "aria-192" | "aria-256" => 213,
        "camellia-128" | "camellia-192" | "camellia-256" => 203,
        "sm4" => 212,
        "tdes-2" | "tdes-3" => 202,
        "twofish-128" | "twofish-192" | "twofish-256" => 206,
        "serpent-128" | "serpent-192" | "serpent-256" => 207,
        _ => return None,
    })
}

fn cipher(name: &str) -> Option<c_int> {
    Some(match name {
        "aes-128" => 7,
        "aes-192" => 8,
        "aes-256" => 9,
        "serpent-128" => 304,
        "serpent-192" => 305,
        "serpent-256" => 306,
        "tdes-2" | "tdes-3" => 2,
        "twofish-128" => 303,
        "twofish-256" => 10,
        _ => return None,
    })
}

impl Peer for Gcrypt {
    fn about(&self) -> About {
        let path = self.library.path.display().to_string();
        let detail = match &self.features {
            Some(features) => Detail::from(format!("uses {}", features.join(" "))).and_inferred(),
            None => "does not report which CPU features it uses".into(),
        };
        About { version: self.version.clone(), path, detail }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let rules =
            self.features.as_ref().map(|features| Rules { features, is_1_11: self.is_1_11 });
        let kernel = |mac| rules.as_ref().map_or("unknown", |rules| rules.kernel(mac));
        let names = macs::catalog().iter().map(|info| info.name);
        let known = names.filter(|mac| algorithm(mac).is_some());
        known.map(|mac| Candidate { mac, kernel: kernel(mac).into() }).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        let one_shot = key_life == KeyLife::OneShot;
        match algorithm(info.name) {
            Some(Algorithm::Hmac(hash)) if one_shot => taggers::hmac_at_once(self, hash, inputs),
            Some(_) if one_shot => Err(crate::no_one_shot_of(info)),
            Some(Algorithm::Hmac(hash)) => taggers::hmac(self, hash, key_life, inputs),
            Some(Algorithm::KeyedHash(hash)) => taggers::keyed_hash(self, hash, key_life, inputs),
            Some(Algorithm::Mac(MAC_POLY1305)) => taggers::poly1305(self, info, key_life, inputs),
            Some(Algorithm::Mac(mac)) => taggers::cmac(self, info, mac, key_life, inputs),
            Some(Algorithm::Gmac(cipher)) => {
                aead::gmac(self, info, (cipher, MODE_GCM), key_life, inputs)
            }
            Some(Algorithm::Sealed(..)) | None => Err(Refused::not_here(info.name)),
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        match algorithm(info.name) {
            Some(Algorithm::Sealed(cipher, mode)) => {
                aead::sealer(self, info, (cipher, mode), key_life, inputs)
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
            Some(Algorithm::Sealed(cipher, mode)) => {
                aead::unseal(self, info, (cipher, mode), inputs, tag)
            }
            _ => Err(Refused::not_here(info.name)),
        }
    }
}
