//! intel-ipsec-mb, the Multi-Buffer Crypto for IPsec library, opened at run time. Its interface are
//! structures: only versions whose layout is known (layout.rs) are spoken to. What a call is for
//! each key life, and how many messages go at once: docs/providers.md.

use std::rc::Rc;
use std::sync::Arc;

use macs::MacInfo;
use subtle::ConstantTimeEq;
use words::MacName;

use self::jobs::JobMac;
use self::layout::{
    FEATURE_AESNI, FEATURE_AVX512_IFMA, FEATURE_GFNI, FEATURE_SAFE_DATA, FEATURE_SAFE_PARAM,
    FEATURE_SHANI, FEATURE_VAES, FEATURE_VPCLMULQDQ,
};
use self::multi_buffer::{Loaded, MultiBuffer, Use};
use self::sealed_jobs::Sealing;
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    BatchTagger, Detail, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger,
    Unavailable, timed_nonce,
};

mod gcm;
mod jobs;
mod keys;
mod layout;
mod multi_buffer;
mod sealed_jobs;
mod source;

/// The row of this provider.
pub const ROW: Row = Row {
    name: "ipsec-mb",
    title: "Intel Multi-Buffer Crypto for IPsec",
    package: "libipsec-mb1 (Debian)",
    kind: Kind::InProcess(open),
    forced: || multi_buffer::MANAGERS.into(),
    restriction: Restriction::Opened,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

struct IpsecMb {
    loaded: Arc<Loaded>,
    version_text: String,
    version: (u32, u32),
    used_arch: u32,
    features: u64,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let loaded = Loaded::open(place)?;
    let manager = loaded.manager(Use::Single)?;
    let (version_text, version) = (manager.version_text(), manager.version.number);
    let (used_arch, features) = (manager.calls().used_arch, manager.calls().features);
    offer(place, &ROW, IpsecMb { loaded, version_text, version, used_arch, features })
}

/// Which of the library's managers this is; version 2 has fewer of them, and other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Arch {
    Unknown,
    Sse,
    Avx,
    Avx2,
    Avx512,
}

impl Arch {
    const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Sse => "sse",
            Self::Avx => "avx",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl IpsecMb {
    /// The manager of the thread that asks.
    fn library(&self) -> Result<Rc<MultiBuffer>, Refused> {
        self.loaded.manager(Use::Single)
    }

    fn arch(&self) -> Arch {
        match (self.version.0, self.used_arch) {
            (1, 2) | (2, 1) => Arch::Sse,
            (1, 3) => Arch::Avx,
            (1, 4) | (2, 2) => Arch::Avx2,
            (1, 5) | (2, 3) => Arch::Avx512,
            _ => Arch::Unknown,
        }
    }

    fn has(&self, features: u64) -> bool {
        self.features & features == features
    }

    /// Whether this is the second type of the manager, or of that of AVX2 a later one.
    fn is_second_type(&self, arch: Arch) -> bool {
        let vectors = FEATURE_SHANI | FEATURE_GFNI | FEATURE_VAES | FEATURE_VPCLMULQDQ;
        match arch {
            Arch::Unknown => false,
            Arch::Sse => self.has(FEATURE_SHANI),
            Arch::Avx => self.has(FEATURE_SHANI | FEATURE_GFNI),
            Arch::Avx2 => self.has(vectors),
            Arch::Avx512 => self.has(vectors | FEATURE_AVX512_IFMA),
        }
    }

    /// The rules by which the init functions of the sources (`lib/*/mb_mgr_*_t*.c`) choose. Those
    /// of AVX2 have had more than two types since 1.4, which the features here do not tell apart.
    fn kernel(&self, mac: &str) -> &'static str {
        let arch = self.arch();
        let is_second = self.is_second_type(arch);
        let is_unclear = is_second && arch == Arch::Avx2 && self.version > (1, 3);
        let aes = if self.has(FEATURE_AESNI) { "aes-ni" } else { "soft" };
        match mac {
            _ if arch == Arch::Unknown => "unknown",
            "hmac-md5" => arch.min(Arch::Avx2).name(),
            "hmac-sha224" | "hmac-sha256" if is_second && arch < Arch::Avx512 => "sha-ni",
            "hmac-sha1" if is_second && arch < Arch::Avx2 => "sha-ni",
            "hmac-sha1" | "hmac-sha384" | "hmac-sha512" if is_unclear => "unknown",
            "cmac-aes-128" | "cmac-aes-256" | "ccm-aes-128" | "ccm-aes-256" => {
                if is_second && arch == Arch::Avx512 { "vaes" } else { aes }
            }
            "poly1305" if is_unclear => "unknown",
            "poly1305" if arch < Arch::Avx512 => "soft",
            _ if matches!(MacName::of(mac).mode, "gcm" | "gmac") => match arch {
                Arch::Avx512 if is_second => "vaes",
                _ if is_unclear => "unknown",
                _ => aes,
            },
            _ => arch.name(),
        }
    }

    /// One message of a composition, opened: the message, and the tag that it should have.
    fn opened(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
    ) -> Result<(Vec<u8>, Vec<u8>), Refused> {
        let library = self.library()?;
        match Sealing::find(info.name) {
            Some(sealing) => sealed_jobs::open(&library, sealing, inputs),
            None if MacName::of(info.name).is("gcm", "aes") => gcm::open(&library, inputs),
            None => Err(Refused::not_here(info.name)),
        }
    }
}

const MACS: &[&str] = &[
    "ccm-aes-128",
    "ccm-aes-256",
    "chacha20-poly1305",
    "cmac-aes-128",
    "cmac-aes-256",
    "gcm-aes-128",
    "gcm-aes-192",
    "gcm-aes-256",
    "gmac-aes-128",
    "gmac-aes-192",
    "gmac-aes-256",
    "hmac-md5",
    "hmac-sha1",
    "hmac-sha224",
    "hmac-sha256",
    "hmac-sha384",
    "hmac-sha512",
    "poly1305",
];

impl Peer for IpsecMb {
    fn about(&self) -> About {
        let has =
            |feature, name: &str| if self.has(feature) { format!(", {name}") } else { "".into() };
        let detail = format!(
            "manager {}{}{}{}",
            self.arch().name(),
            if self.is_second_type(self.arch()) { ", newer type" } else { "" },
            has(FEATURE_SAFE_DATA, "SAFE_DATA"),
            has(FEATURE_SAFE_PARAM, "SAFE_PARAM"),
        );
        let detail = Detail::from(detail).and_inferred();
        About { version: self.version_text.clone(), path: self.loaded.path(), detail }
    }

    fn candidates(&self) -> Vec<Candidate> {
        MACS.iter().map(|mac| Candidate { mac, kernel: self.kernel(mac).into() }).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        match JobMac::find(info.name) {
            Some(mac) => mac.tagger(&self.library()?, key_life, inputs),
            None if MacName::of(info.name).is("gmac", "aes") => {
                gcm::gmac(&self.library()?, key_life, inputs)
            }
            None => Err(Refused::not_here(info.name)),
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        match Sealing::find(info.name) {
            Some(sealing) => sealed_jobs::sealer(&self.library()?, sealing, key_life, inputs),
            None if MacName::of(info.name).is("gcm", "aes") => {
                gcm::sealer(&self.library()?, key_life, inputs)
            }
            None => Err(Refused::not_here(info.name)),
        }
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let inputs = Inputs { tag_len_bytes: tag.len(), ..*inputs };
        let (opened, right) = self.opened(info, &inputs)?;
        Ok(bool::from(right.ct_eq(tag)).then_some(opened))
    }

    fn batch(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        keys: &[&[u8]],
    ) -> Option<Result<BatchTagger, Refused>> {
        let library = match self.library() {
            Ok(library) => library,
            Err(error) => return Some(Err(error)),
        };
        if let Some(mac) = JobMac::find(info.name) {
            return mac.batch(&library, key_life, keys);
        }
        let nonce = timed_nonce(info);
        let inputs =
            Inputs { nonce: &nonce, tag_len_bytes: info.tag_len_bytes, ..Inputs::default() };
        sealed_jobs::batch(&library, Sealing::find(info.name)?, key_life, keys, &inputs)
    }
}
