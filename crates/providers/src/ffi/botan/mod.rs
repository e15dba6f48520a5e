//! Botan 2 and 3 through their C interface (ffi.h), opened at run time. A keyed object is ready for
//! the next message when it has given its tag; what a call is for each key life: docs/providers.md.
#![expect(unsafe_code, reason = "calls a C library")]

mod aead;
mod kernels;
mod mac;
mod sealing;

use std::ffi::{c_char, c_int, c_void};

use macs::MacInfo;
use words::MacName;

use self::aead::Aead;
use self::kernels::Cpu;
use super::library::{Library, functions, text};
use crate::ffi::composed;
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::restriction::{Extension, NotRestricted, Variables, Without};
use crate::{
    Detail, Forced, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Sealing,
    Tagger, Unavailable,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "botan",
    title: "Botan",
    package: "libbotan-3-7 or libbotan-2-19 (Debian), botan (others)",
    kind: Kind::InProcess(open),
    forced,
    restriction: Restriction::Variables(restricted),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// From 3.2 on the number is that of the minor version.
const NAMES: &[&str] = &[
    "libbotan-3.so.19",
    "libbotan-3.so.18",
    "libbotan-3.so.17",
    "libbotan-3.so.16",
    "libbotan-3.so.15",
    "libbotan-3.so.14",
    "libbotan-3.so.13",
    "libbotan-3.so.12",
    "libbotan-3.so.11",
    "libbotan-3.so.10",
    "libbotan-3.so.9",
    "libbotan-3.so.8",
    "libbotan-3.so.7",
    "libbotan-3.so.6",
    "libbotan-3.so.5",
    "libbotan-3.so.4",
    "libbotan-3.so.3",
    "libbotan-3.so.2",
    "libbotan-3.so.1",
    "libbotan-3.so.0",
    "libbotan-3.dylib",
    "libbotan-2.so.19",
    "libbotan-2.dylib",
];

/// Read when the library first looks at the CPU, from 3.1 on.
const VARIABLE: &str = "BOTAN_CLEAR_CPUID";
/// All that its code asks for on x86-64; words that a version does not know are passed over.
const ALL_FEATURES: &str = "sse2,ssse3,aesni,clmul,intel_sha,bmi2,avx2,avx2_vaes,avx2_clmul,\
                            intel_sha512,gfni,avx512,avx512_aes,avx512_clmul";

fn forced() -> Vec<Forced> {
    if cfg!(target_arch = "x86_64") {
        vec![Forced { name: "soft", variables: &[(VARIABLE, ALL_FEATURES)], needs: &[] }]
    } else {
        Vec::new()
    }
}

/// What its code must not ask for.
#[expect(clippy::unnecessary_wraps, reason = "other providers refuse some")]
fn restricted(without: &Without) -> Result<Variables, NotRestricted> {
    let words = without.extensions().iter().map(|extension| match extension {
        Extension::Avx512 => "avx512,avx512_aes,avx512_clmul",
        Extension::Vaes => "avx2_vaes,avx2_clmul,avx512_aes,avx512_clmul",
        Extension::Sha => "intel_sha,intel_sha512",
    });
    Ok(vec![(VARIABLE, words.collect::<Vec<_>>().join(","))])
}

/// The interface of 2.8, which all later versions have.
const API: u32 = 20_180_713;

/// `botan_mac_t` or `botan_cipher_t`.
type Object = *mut c_void;
type Bytes = *const u8;

functions! {
    /// The same in 2.8 and in all later versions.
    Functions {
        botan_cipher_destroy: fn(Object) -> c_int;
        botan_cipher_get_update_granularity: fn(Object, *mut usize) -> c_int;
        botan_cipher_init: fn(*mut Object, *const c_char, u32) -> c_int;
        botan_cipher_reset: fn(Object) -> c_int;
        botan_cipher_set_associated_data: fn(Object, Bytes, usize) -> c_int;
        botan_cipher_set_key: fn(Object, Bytes, usize) -> c_int;
        botan_cipher_start: fn(Object, Bytes, usize) -> c_int;
        botan_cipher_update: fn(
            Object, u32, *mut u8, usize, *mut usize, Bytes, usize, *mut usize
        ) -> c_int;
        botan_error_description: fn(c_int) -> *const c_char;
        botan_ffi_supports_api: fn(u32) -> c_int;
        botan_mac_destroy: fn(Object) -> c_int;
        botan_mac_final: fn(Object, *mut u8) -> c_int;
        botan_mac_init: fn(*mut Object, *const c_char, u32) -> c_int;
        botan_mac_output_length: fn(Object, *mut usize) -> c_int;
        botan_mac_set_key: fn(Object, Bytes, usize) -> c_int;
        botan_mac_update: fn(Object, Bytes, usize) -> c_int;
        botan_version_major: fn() -> u32;
        botan_version_minor: fn() -> u32;
        botan_version_patch: fn() -> u32;
    }
}

functions! {
    /// What came with 3.0.
    Nonces {
        botan_mac_set_nonce: fn(Object, Bytes, usize) -> c_int;
    }
}

/// The library's functions, and which interface it has.
struct Api {
    functions: Functions,
    /// Absent in Botan 2.
    nonces: Option<Nonces>,
    /// Major and minor number.
    version: (u32, u32),
    /// All three, as text.
    number: String,
}

impl Api {
    /// The library's own words for a value that it returned; 0 is success.
    fn check(&self, returned: c_int, what: &str) -> Result<(), Refused> {
        if returned == 0 {
            return Ok(());
        }
        // SAFETY: takes any number; returns a string of the library's own.
        let why = unsafe { text((self.functions.botan_error_description)(returned)) };
        Err(Refused::Said(why).of(what))
    }
}

struct Botan {
    library: Library,
    api: &'static Api,
    cpu: Cpu,
    /// Whether Poly1305 gives a published tag that it gets wrong before 3.12.
    poly1305_is_right: bool,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let library = Library::open(place, NAMES, "botan_ffi_supports_api")?;
    // SAFETY: a library with `botan_ffi_supports_api` is Botan; declared after its ffi.h.
    let functions = unsafe { Functions::load(&library) }?;
    // SAFETY: take nothing, or a number.
    let (major, minor, patch, supported) = unsafe {
        let (major, minor) = ((functions.botan_version_major)(), (functions.botan_version_minor)());
        let patch = (functions.botan_version_patch)();
        (major, minor, patch, (functions.botan_ffi_supports_api)(API))
    };
    let (version, number) = ((major, minor), format!("{major}.{minor}.{patch}"));
    if !matches!(version.0, 2 | 3) || supported != 0 {
        let path = library.path.display();
        return Err(format!(
            "{path}: Botan {number} is not supported; 2.8 and later, and 3.x, are"
        )
        .into());
    }
    let nonces = match version.0 {
        2 => None,
        // SAFETY: the version above says that this is Botan 3; declared after its ffi.h.
        _ => Some(unsafe { Nonces::load(&library) }?),
    };
    let cpu = Cpu::new(version, place.kernel(), std::env::var_os(VARIABLE).as_deref())
        .map_err(|reason| format!("Botan {number}: {reason}"))?;
    let api: &'static Api = Box::leak(Box::new(Api { functions, nonces, version, number }));
    let poly1305_is_right = mac::poly1305_is_right(api);
    offer(place, &ROW, Botan { library, api, cpu, poly1305_is_right })
}

impl Peer for Botan {
    fn about(&self) -> About {
        let version = self.api.number.clone();
        let path = self.library.path.display().to_string();
        let detail = match self.poly1305_is_right {
            true => Detail::inferred(),
            false => Detail::inferred()
                .and("left out because its tags are wrong in rare cases: poly1305"),
        };
        About { version, path, detail }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let known = |info: &&MacInfo| {
            (info.name != "poly1305" || self.poly1305_is_right)
                && name_of(info, 12, info.tag_len_bytes).is_some()
        };
        let candidate = |info: &MacInfo| Candidate {
            mac: info.name,
            kernel: self.cpu.kernel(info.name).into(),
        };
        macs::catalog().iter().filter(known).map(candidate).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        if key_life == KeyLife::OneShot {
            return Err(crate::NO_ONE_SHOT);
        }
        if info.name == "poly1305" && key_life == KeyLife::Prepared {
            return Err(crate::ONE_MESSAGE_KEY);
        }
        let name = name_of(info, inputs.nonce.len(), inputs.tag_len_bytes);
        let name = name.ok_or_else(|| Refused::not_here(info.name))?;
        if let (Some(cipher), 16) = (cipher_of_gmac(info), inputs.tag_len_bytes) {
            // Before 3.11 a GMAC object sets up the key of GHASH again for every message.
            if self.api.version < (3, 11) {
                return Aead::new(self.api, &name, info, inputs)?.gmac(key_life);
            }
            return mac::tagger(self.api, &format!("GMAC({cipher})"), info, key_life, inputs);
        }
        mac::tagger(self.api, &name, info, key_life, inputs)
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        self.aead(info, inputs, inputs.tag_len_bytes)?.sealer(key_life)
    }

    fn sealing_tagger(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Option<Result<Tagger, Refused>> {
        let opened = self.aead(info, inputs, inputs.tag_len_bytes);
        Some(opened.and_then(|aead| aead.tagger(key_life)))
    }

    fn sealings(&self) -> Vec<Candidate> {
        let native = self.candidates().into_iter().map(|it| it.mac);
        let seals = |mac: &&str| macs::find(mac).is_some_and(MacInfo::is_composition);
        // SIV's tag comes first, which those that are kept do not expect.
        let native = native.filter(|mac| seals(mac) && MacName::of(mac).mode != "siv");
        let of_parts = composed::names().filter(|mac| MacName::of(mac).mode != "eax");
        let candidate = |mac| Candidate { mac, kernel: self.cpu.kernel(mac).into() };
        native.chain(of_parts).map(candidate).collect()
    }

    fn sealing(&self, info: &'static MacInfo, key: &[u8]) -> Result<Box<dyn Sealing>, Refused> {
        match MacName::of(info.name).mode {
            "ctr+cmac" | "ctr-then-cmac" => sealing::of_parts(self.api, info, key),
            _ => sealing::native(self.api, info, key),
        }
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let name = name_of(info, inputs.nonce.len(), tag.len());
        let name = name.ok_or_else(|| Refused::not_here(info.name))?;
        aead::unseal(self.api, &name, info, inputs, tag)
    }
}

impl Botan {
    fn aead(&self, info: &MacInfo, inputs: &Inputs<'_>, tag_len: usize) -> Result<Aead, Refused> {
        let name = name_of(info, inputs.nonce.len(), tag_len);
        let name = name.ok_or_else(|| Refused::not_here(info.name))?;
        Aead::new(self.api, &name, info, inputs)
    }
}

/// What Botan calls a mac or a composition with nonces and tags of these lengths in bytes.
fn name_of(info: &MacInfo, nonce_len: usize, tag_len: usize) -> Option<String> {
    let of_hash = |hash| Some(format!("HMAC({hash})"));
    match info.name {
        "blake2b-keyed" => return Some(format!("BLAKE2b({})", 8 * tag_len)),
        "chacha20-poly1305" => return Some("ChaCha20Poly1305".into()),
        "hmac-blake2b" => return of_hash("BLAKE2b(512)"),
        "hmac-blake2s" => return of_hash("BLAKE2s(256)"),
        "hmac-md5" => return of_hash("MD5"),
        "hmac-ripemd160" => return of_hash("RIPEMD-160"),
        "hmac-sha1" => return of_hash("SHA-1"),
        "hmac-sha224" => return of_hash("SHA-224"),
        "hmac-sha256" => return of_hash("SHA-256"),
        "hmac-sha384" => return of_hash("SHA-384"),
        "hmac-sha512" => return of_hash("SHA-512"),
        "hmac-sha512-256" => return of_hash("SHA-512-256"),
        "hmac-sha3-224" => return of_hash("SHA-3(224)"),
        "hmac-sha3-256" => return of_hash("SHA-3(256)"),
        "hmac-sha3-384" => return of_hash("SHA-3(384)"),
        "hmac-sha3-512" => return of_hash("SHA-3(512)"),
        "hmac-sm3" => return of_hash("SM3"),
        "hmac-streebog-256" => return of_hash("Streebog-256"),
        "hmac-streebog-512" => return of_hash("Streebog-512"),
        "kmac128" => return Some(format!("KMAC-128({})", 8 * tag_len)),
        "kmac256" => return Some(format!("KMAC-256({})", 8 * tag_len)),
        "poly1305" => return Some("Poly1305".into()),
        "siphash-1-3" => return Some("SipHash(1,3)".into()),
        "siphash-2-4" => return Some("SipHash(2,4)".into()),
        "siphash-4-8" => return Some("SipHash(4,8)".into()),
        _ => {}
    }
    // The rest are modes of block ciphers.
    let MacName { mode, primitive } = MacName::of(info.name);
    let cipher = cipher_of(primitive?)?;
    Some(match mode {
        "cbc-mac" => format!("CBC-MAC({cipher})"),
        // The second number is the length of the message's length, which the nonce leaves.
        "ccm" => format!("{cipher}/CCM({tag_len},{})", 15_usize.checked_sub(nonce_len)?),
        "cmac" => format!("CMAC({cipher})"),
        "eax" => format!("{cipher}/EAX({tag_len})"),
        "siv" => format!("{cipher}/SIV"),
        // GMAC is GCM of no message, and has a name of its own beside this.
        "gcm" | "gmac" => format!("{cipher}/GCM({tag_len})"),
        _ => return None,
    })
}

/// What it calls the block cipher of a GMAC; `None` of other macs.
fn cipher_of_gmac(info: &MacInfo) -> Option<&'static str> {
    let MacName { mode, primitive } = MacName::of(info.name);
    cipher_of(primitive.filter(|_| mode == "gmac")?)
}

/// What it calls a block cipher.
fn cipher_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "aes-128" => "AES-128",
        "aes-192" => "AES-192",
        "aes-256" => "AES-256",
        "aria-128" => "ARIA-128",
        "aria-192" => "ARIA-192",
        "aria-256" => "ARIA-256",
        "camellia-128" => "Camellia-128",
        "camellia-192" => "Camellia-192",
        "camellia-256" => "Camellia-256",
        "kuznyechik" => "Kuznyechik",
        "serpent-128" | "serpent-192" | "serpent-256" => "Serpent",
        "sm4" => "SM4",
        "tdes-2" | "tdes-3" => "TripleDES",
        "twofish-128" | "twofish-192" | "twofish-256" => "Twofish",
        _ => return None,
    })
}
