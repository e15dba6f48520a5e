//! Which code path Botan takes, inferred: its C interface does not say. It asks the CPU once, and
//! its sources prefer the paths below (`CPUID::has…` in src/lib, 2.8 to 3.13; a build with all
//! modules). Where the path hangs on the length, the name is that of long messages.

use std::ffi::OsStr;

use words::MacName;

use super::{ALL_FEATURES, VARIABLE};
use crate::Unavailable;
use crate::restriction::{self, NOT_HIDDEN};

/// What the library finds in the CPU, as far as its version has code for it.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each feature of the CPU")]
struct Features {
    sse2: bool,
    ssse3: bool,
    avx2: bool,
    avx512: bool,
    bmi: bool,
    aes: bool,
    vaes: bool,
    clmul: bool,
    gfni: bool,
    sha: bool,
    sha512: bool,
}

/// The CPU as one version of Botan sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cpu {
    version: (u32, u32),
    /// `None`: another architecture, or a variable that hides we do not know what.
    features: Option<Features>,
}

impl Cpu {
    /// `forced` is the code path of the alias, and `variable` the value of [`VARIABLE`].
    pub(super) fn new(
        version: (u32, u32),
        forced: Option<&str>,
        variable: Option<&OsStr>,
    ) -> Result<Self, Unavailable> {
        let is_read = version >= (3, 1);
        let features = match forced {
            Some(_) if !is_read => {
                let reason = "cannot be forced to a code path: 3.1 is the first to read";
                return Err(format!("{reason} {VARIABLE}").into());
            }
            Some("soft") if variable == Some(OsStr::new(ALL_FEATURES)) => Some(Features::default()),
            Some("soft") => {
                return Err(format!("forced to soft only by {VARIABLE}={ALL_FEATURES}").into());
            }
            Some(kernel) => {
                return Err(format!("cannot be forced to {kernel}, only to soft").into());
            }
            None if !is_read && restriction::is_seen() => {
                return Err(Unavailable::restricted(NOT_HIDDEN));
            }
            None if is_read && variable.is_some() && restriction::left_out().is_empty() => None,
            None => Features::found(),
        };
        Ok(Self { version, features })
    }

    /// The code path of one of the catalog's macs, as one word.
    pub(super) fn kernel(&self, mac: &str) -> &'static str {
        let Some(has) = self.features else { return "unknown" };
        let name = MacName::of(mac);
        match mac {
            "chacha20-poly1305" => self.chacha20(has),
            "hmac-sha1" => self.sha1(has),
            "hmac-sha224" | "hmac-sha256" => self.sha256(has),
            "hmac-sha384" | "hmac-sha512" | "hmac-sha512-256" => self.sha512(has),
            "kmac128" | "kmac256" => self.keccak(has),
            "poly1305" => self.poly1305(has),
            _ => match (name.mode, name.family()) {
                ("hmac", Some("sha3")) => self.keccak(has),
                ("gcm" | "gmac", Some(cipher)) => self.gcm(has, cipher),
                (_, Some("aes")) => self.aes(has),
                // MD5, BLAKE2, SipHash, and all chains of other ciphers: their code for several
                // blocks at once is of no use to a chain, which is most of the work in EAX and CCM.
                _ => "soft",
            },
        }
    }

    fn since_3(&self, minor: u32) -> bool {
        self.version >= (3, minor)
    }

    fn aes(&self, has: Features) -> &'static str {
        match has {
            Features { vaes: true, .. } if self.since_3(6) => "vaes",
            Features { aes: true, .. } => "aes-ni",
            // Vector-permutation AES.
            Features { ssse3: true, .. } => "ssse3",
            _ => "soft",
        }
    }

    /// Named after the cipher, where GHASH has instructions of its own just if the cipher has.
    fn gcm(&self, has: Features, cipher: &str) -> &'static str {
        match cipher {
            "serpent" => self.vectors(has),
            "twofish" => {
                if self.since_3(12) && has.avx512 && has.gfni {
                    "avx512"
                } else {
                    "soft"
                }
            }
            _ if has.clmul == has.aes => self.aes(has),
            _ => "unknown",
        }
    }

    /// Code for 32-bit words side by side, in Serpent and ChaCha.
    fn vectors(&self, has: Features) -> &'static str {
        match has {
            Features { avx512: true, .. } if self.since_3(1) => "avx512",
            Features { avx2: true, .. } => "avx2",
            Features { ssse3: true, .. } if self.since_3(8) => "ssse3",
            Features { sse2: true, .. } if !self.since_3(8) => "sse2",
            _ => "soft",
        }
    }

    fn chacha20(&self, has: Features) -> &'static str {
        self.vectors(has)
    }

    fn sha1(&self, has: Features) -> &'static str {
        match has {
            Features { sha: true, .. } => "sha-ni",
            Features { avx2: true, bmi: true, .. } if self.since_3(9) => "avx2",
            Features { ssse3: true, .. } if self.since_3(8) => "ssse3",
            Features { sse2: true, .. } if !self.since_3(8) => "sse2",
            _ => "soft",
        }
    }

    fn sha256(&self, has: Features) -> &'static str {
        match has {
            Features { sha: true, .. } => "sha-ni",
            Features { avx2: true, bmi: true, .. } if self.since_3(8) => "avx2",
            Features { ssse3: true, .. } if self.since_3(8) => "ssse3",
            Features { bmi: true, .. } if !self.since_3(8) => "bmi2",
            _ => "soft",
        }
    }

    fn sha512(&self, has: Features) -> &'static str {
        match has {
            Features { sha512: true, .. } if self.since_3(8) => "sha512-ni",
            Features { avx512: true, bmi: true, .. } if self.since_3(8) => "avx512",
            Features { avx2: true, bmi: true, .. } if self.since_3(8) => "avx2",
            Features { bmi: true, .. } if self.version >= (2, 10) && !self.since_3(8) => "bmi2",
            _ => "soft",
        }
    }

    fn keccak(&self, has: Features) -> &'static str {
        match has {
            Features { avx512: true, .. } if self.since_3(11) => "avx512",
            Features { bmi: true, .. } if self.version >= (2, 10) => "bmi2",
            _ => "soft",
        }
    }

    fn poly1305(&self, has: Features) -> &'static str {
        match has {
            Features { avx512: true, .. } if self.since_3(11) => "avx512",
            Features { avx2: true, .. } if self.since_3(11) => "avx2",
            _ => "soft",
        }
    }
}

impl Features {
    #[cfg(target_arch = "x86_64")]
    fn found() -> Option<Self> {
        macro_rules! has {
            ($name:tt) => {
                is_x86_feature_detected!($name) && !restriction::takes_feature($name)
            };
        }
        Some(Self {
            sse2: has!("sse2"),
            ssse3: has!("ssse3"),
            avx2: has!("avx2"),
            // Botan asks for all of them together.
            avx512: has!("avx512f")
                && has!("avx512dq")
                && has!("avx512ifma")
                && has!("avx512bw")
                && has!("avx512vl")
                && has!("avx512vbmi")
                && has!("avx512vbmi2")
                && has!("avx512bitalg"),
            bmi: has!("bmi1") && has!("bmi2"),
            aes: has!("aes"),
            vaes: has!("vaes"),
            clmul: has!("pclmulqdq"),
            gfni: has!("gfni"),
            sha: has!("sha"),
            sha512: has!("sha512"),
        })
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn found() -> Option<Self> {
        None
    }
}
