//! RustCrypto's `hmac` and `cmac` over its hashes and ciphers, as a plain build of them runs: what
//! they find on this CPU at run time, no `target-cpu`. There is no one-call interface, so
//! `one-shot` is not offered. The calls and why these: docs/providers.md.
#![allow(unexpected_cfgs, reason = "the backend cfgs belong to aes, md-5, sha1 and sha2")]

use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use cmac::Cmac;
use des::{TdesEde2, TdesEde3};
use digest::consts::{U16, U20, U24, U32};
use digest::{FixedOutputReset, KeyInit, Mac};
use hmac::{Hmac, HmacReset};
use md5::Md5;
use rc6::RC6;
use serpent::Serpent;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use twofish::Twofish;

use crate::{Info, KeyLife, Kind, Offer, Place, Provider, Row, Tagger, WRONG_TAG_LEN, keyed};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "rustcrypto",
    title: "RustCrypto: hmac and cmac over its hashes and ciphers",
    package: "built in",
    kind: Kind::InProcess(open),
};

/// The crates' versions. A crate cannot ask its dependencies for theirs; a test holds this table
/// against Cargo.lock. The two macs first: they make the provider's version.
pub const VERSIONS: [(&str, &str); 10] = [
    ("hmac", "0.13.0"),
    ("cmac", "0.8.0"),
    ("aes", "0.9.4"),
    ("des", "0.9.0"),
    ("md-5", "0.11.0"),
    ("rc6", "0.1.0"),
    ("serpent", "0.6.0"),
    ("sha1", "0.11.0"),
    ("sha2", "0.11.1"),
    ("twofish", "0.8.0"),
];

/// Names the code path on this CPU.
type Kernel = fn() -> &'static str;

/// Opens a tagger.
type Open = fn(KeyLife, &[u8]) -> Result<Tagger, String>;

/// One row per mac, by its canonical name.
const MACS: [(&str, Kernel, Open); 22] = [
    ("cmac-aes-128", kernel_aes, open_cmac::<Cmac<Aes128Enc>>),
    ("cmac-aes-192", kernel_aes, open_cmac::<Cmac<Aes192Enc>>),
    ("cmac-aes-256", kernel_aes, open_cmac::<Cmac<Aes256Enc>>),
    ("cmac-rc6-128", soft, open_cmac::<Cmac<RC6<u32, U20, U16>>>),
    ("cmac-rc6-192", soft, open_cmac::<Cmac<RC6<u32, U20, U24>>>),
    ("cmac-rc6-256", soft, open_cmac::<Cmac<RC6<u32, U20, U32>>>),
    ("cmac-serpent-128", soft, open_cmac::<Cmac<Serpent>>),
    ("cmac-serpent-192", soft, open_cmac::<Cmac<Serpent>>),
    ("cmac-serpent-256", soft, open_cmac::<Cmac<Serpent>>),
    ("cmac-tdes-2", soft, open_cmac::<Cmac<TdesEde2>>),
    ("cmac-tdes-3", soft, open_cmac::<Cmac<TdesEde3>>),
    ("cmac-twofish-128", soft, open_cmac::<Cmac<Twofish>>),
    ("cmac-twofish-192", soft, open_cmac::<Cmac<Twofish>>),
    ("cmac-twofish-256", soft, open_cmac::<Cmac<Twofish>>),
    ("hmac-md5", kernel_md5, open_mac::<HmacReset<Md5>, Hmac<Md5>>),
    ("hmac-sha1", kernel_sha1, open_mac::<HmacReset<Sha1>, Hmac<Sha1>>),
    ("hmac-sha224", kernel_sha256, open_mac::<HmacReset<Sha224>, Hmac<Sha224>>),
    ("hmac-sha256", kernel_sha256, open_mac::<HmacReset<Sha256>, Hmac<Sha256>>),
    ("hmac-sha384", kernel_sha512, open_mac::<HmacReset<Sha384>, Hmac<Sha384>>),
    ("hmac-sha512", kernel_sha512, open_mac::<HmacReset<Sha512>, Hmac<Sha512>>),
    ("hmac-sha512-224", kernel_sha512, open_mac::<HmacReset<Sha512_224>, Hmac<Sha512_224>>),
    ("hmac-sha512-256", kernel_sha512, open_mac::<HmacReset<Sha512_256>, Hmac<Sha512_256>>),
];

struct RustCrypto {
    name: String,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(RustCrypto { name: place.name_or(ROW.name) }))
}

impl Provider for RustCrypto {
    fn info(&self) -> Info {
        let list = |versions: &[(&str, &str)]| {
            let words: Vec<_> = versions.iter().map(|(name, at)| format!("{name} {at}")).collect();
            words.join(", ")
        };
        let (macs, primitives) = VERSIONS.split_at(2);
        let offer = |(mac, kernel, _): &(&str, Kernel, Open)| Offer {
            mac: (*mac).into(),
            kernel: kernel().into(),
            key_lives: vec![KeyLife::Prepared, KeyLife::NewKey],
        };
        Info {
            name: self.name.clone(),
            version: list(macs),
            path: "built in".into(),
            detail: format!("{}; key schedules are wiped on drop", list(primitives)),
            offers: MACS.iter().map(offer).collect(),
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
        let row = MACS.iter().find(|(name, ..)| *name == mac);
        let (.., open) = row.ok_or_else(|| format!("rustcrypto has no {mac}"))?;
        keyed(mac, key)?;
        open(key_life, key)
    }
}

fn open_cmac<C>(key_life: KeyLife, key: &[u8]) -> Result<Tagger, String>
where
    C: Mac + KeyInit + FixedOutputReset + 'static,
{
    open_mac::<C, C>(key_life, key)
}

/// `Kept` can be reset to its key; `Fresh` is made for one message.
fn open_mac<Kept, Fresh>(key_life: KeyLife, key: &[u8]) -> Result<Tagger, String>
where
    Kept: Mac + KeyInit + FixedOutputReset + 'static,
    Fresh: Mac + KeyInit,
{
    match key_life {
        KeyLife::Prepared => {
            let kept = <Kept as KeyInit>::new_from_slice(key);
            let mut mac = kept.map_err(|error| error.to_string())?;
            Ok(Box::new(move |_, message, tag| {
                Mac::update(&mut mac, message);
                write(&mac.finalize_reset().into_bytes(), tag)
            }))
        }
        KeyLife::NewKey => Ok(Box::new(|key, message, tag| {
            let fresh = <Fresh as KeyInit>::new_from_slice(key);
            let mut mac = fresh.map_err(|_| "rustcrypto: new_from_slice failed")?;
            Mac::update(&mut mac, message);
            write(&mac.finalize().into_bytes(), tag)
        })),
        KeyLife::OneShot => Err("rustcrypto has no one-call interface".into()),
    }
}

#[inline(always)]
fn write(computed: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
    if computed.len() != tag.len() {
        return Err(WRONG_TAG_LEN);
    }
    tag.copy_from_slice(computed);
    Ok(())
}

// The code paths, as the crates' backend modules choose them at run time. `macs` has such names
// too, but of its own kernels; these stay right when the two part.

fn soft() -> &'static str {
    "soft"
}

/// A chain takes one block at a time: of the VAES backends it runs the AES-NI part.
fn kernel_aes() -> &'static str {
    match aes::hardware_accelerated() {
        true if cfg!(target_arch = "aarch64") => "armv8",
        true => "aes-ni",
        false => "soft",
    }
}

fn kernel_md5() -> &'static str {
    if cfg!(md5_backend = "soft") { "soft" } else { kernel_loongarch_or_soft() }
}

fn kernel_sha1() -> &'static str {
    if cfg!(sha1_backend = "soft") {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if is_x86_feature_detected!("sha")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("sse4.1")
    {
        return "sha-ni";
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha2") {
        return "armv8";
    }
    kernel_loongarch_or_soft()
}

fn kernel_sha256() -> &'static str {
    if cfg!(any(sha2_backend = "soft", sha2_256_backend = "soft")) {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if is_x86_feature_detected!("sha") && is_x86_feature_detected!("sse4.1") {
        return "sha-ni";
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha2") {
        return "armv8";
    }
    kernel_loongarch_or_soft()
}

fn kernel_sha512() -> &'static str {
    if cfg!(any(sha2_backend = "soft", sha2_512_backend = "soft")) {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if is_x86_feature_detected!("avx2") {
        return "avx2";
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha3") {
        return "armv8";
    }
    kernel_loongarch_or_soft()
}

fn kernel_loongarch_or_soft() -> &'static str {
    if cfg!(target_arch = "loongarch64") { "loongarch-asm" } else { "soft" }
}
