//! wolfSSL's wolfCrypt, opened at run time. Its builds leave out what they were not asked for, and
//! their contexts differ in length, which the library does not tell: what needs none is called as
//! it is, all else gets more memory than any build needs. What a call is for each key life:
//! docs/providers.md.
#![expect(unsafe_code, reason = "calls a C library")]

mod aead;
mod macs;

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};
use std::fs;
use std::ptr::{null, null_mut};

use ::macs::MacInfo;
use words::MacName;

use super::library::{Library, functions, text};
use super::state::State;
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "wolfssl",
    title: "wolfSSL's wolfCrypt",
    package: "libwolfssl35 (Debian), wolfssl (others)",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::Hidden,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

const NAMES: &[&str] = &[
    "libwolfssl.so.44",
    "libwolfssl.so.43",
    "libwolfssl.so.42",
    "libwolfssl.so.41",
    "libwolfssl.so.35",
    "libwolfssl.dylib",
];

type Bytes = *const c_uchar;
type BytesMut = *mut c_uchar;
type Len = c_uint;
type Memory = *mut c_void;

functions! {
    Base {
        wolfCrypt_Init: fn() -> c_int;
        wolfSSL_lib_version: fn() -> *const c_char;
    }
}

/// `wc_AesSetKey`.
type SetKey = unsafe extern "C" fn(Memory, Bytes, Len, Bytes, c_int) -> c_int;

functions! {
    Aes {
        wc_AesFree: fn(Memory);
        wc_AesInit: fn(Memory, Memory, c_int) -> c_int;
    }
}

/// More than any context of AES needs: the longest holds a bitsliced key (from 5.6.6 on, where it
/// was asked for; 15 × 16 × 64 words of 8 bytes, 120 KiB) and a table for GCM (4 KiB).
const AES_CONTEXT_LEN_MAX: usize = 192 * 1024;

/// More than a context of AES needs whose key is not bitsliced, or in words of 16 bits at most:
/// that of usual builds has about 1 KiB, with the table 5; such a key has 8.
const USUAL_AES_CONTEXT_LEN: usize = 16 * 1024;

/// Likewise of all else: HMAC has at most three states of a hash and two blocks, less than 2 KiB.
const CONTEXT_LEN_BYTES: usize = 4 * 1024;

/// No hardware but the CPU.
const INVALID_DEVID: c_int = -2;

/// HMACs, with the hash in `enum wc_HashType` and in the layer that is compatible with OpenSSL.
const HASHES: &[(&str, c_int, &str)] = &[
    ("hmac-md5", 3, "wolfSSL_EVP_md5"),
    ("hmac-sha1", 4, "wolfSSL_EVP_sha1"),
    ("hmac-sha224", 5, "wolfSSL_EVP_sha224"),
    ("hmac-sha256", 6, "wolfSSL_EVP_sha256"),
    ("hmac-sha3-224", 10, "wolfSSL_EVP_sha3_224"),
    ("hmac-sha3-256", 11, "wolfSSL_EVP_sha3_256"),
    ("hmac-sha3-384", 12, "wolfSSL_EVP_sha3_384"),
    ("hmac-sha3-512", 13, "wolfSSL_EVP_sha3_512"),
    ("hmac-sha384", 7, "wolfSSL_EVP_sha384"),
    ("hmac-sha512", 8, "wolfSSL_EVP_sha512"),
];

/// What is made of AES.
const AES: &[&str] = &[
    "ccm-aes-128",
    "ccm-aes-192",
    "ccm-aes-256",
    "cmac-aes-128",
    "cmac-aes-192",
    "cmac-aes-256",
    "gcm-aes-128",
    "gcm-aes-192",
    "gcm-aes-256",
    "gmac-aes-128",
    "gmac-aes-192",
    "gmac-aes-256",
];

const OTHERS: &[&str] = &[
    "blake2b-keyed",
    "blake2s-keyed",
    "chacha20-poly1305",
    "poly1305",
    "siphash-2-4",
    "siphash-2-4-128",
];

/// Memory for a context, zeros at first; given back to the library on drop, and then wiped.
struct Context {
    state: State,
    free: Option<unsafe extern "C" fn(Memory)>,
}

impl Context {
    /// One that keeps nothing outside its memory.
    fn plain() -> Self {
        Self { state: State::new(CONTEXT_LEN_BYTES), free: None }
    }

    /// One that `free` gives back; zeros must be right for it, as after its initialiser.
    fn new(free: unsafe extern "C" fn(Memory)) -> Self {
        Self { free: Some(free), state: State::new(CONTEXT_LEN_BYTES) }
    }

    /// One of AES, without a key.
    fn aes(aes: &Aes, len_bytes: usize) -> Result<Self, Refused> {
        let mut context = Self { free: Some(aes.wc_AesFree), state: State::new(len_bytes) };
        // SAFETY: zeros, longer than any context.
        match unsafe { (aes.wc_AesInit)(context.as_mut_ptr(), null_mut(), INVALID_DEVID) } {
            0 => Ok(context),
            code => Err(Refused::Failed { call: "wc_AesInit".to_owned(), code }),
        }
    }

    #[inline]
    fn as_mut_ptr(&mut self) -> Memory {
        self.state.as_mut_ptr()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: a context that was set up by its initialiser, or zeros.
            unsafe { free(self.state.as_mut_ptr()) };
        }
    }
}

/// A length as wolfCrypt takes it.
#[inline]
fn len(bytes: &[u8]) -> Result<Len, &'static str> {
    Len::try_from(bytes.len()).map_err(|_| "wolfCrypt takes less than 4 GiB per call")
}

struct WolfSsl {
    library: Library,
    version: String,
    aes_context_len: usize,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let library = Library::open(place, NAMES, "wolfCrypt_Init")?;
    // SAFETY: declared after wc_port.h and ssl.h; the first may be called again, the second
    // returns a string of the library's own.
    let (ready, version) = unsafe {
        let base = Base::load(&library)?;
        ((base.wolfCrypt_Init)(), text((base.wolfSSL_lib_version)()))
    };
    if ready != 0 {
        return Err(format!("wolfCrypt_Init failed: {ready}").into());
    }
    if !version.starts_with("5.") {
        let path = library.path.display();
        return Err(format!("{path}: wolfSSL {version} is not supported; 5.x is").into());
    }
    let aes_context_len = aes_context_len(&library);
    offer(place, &ROW, WolfSsl { library, version, aes_context_len })
}

/// How much memory a context of AES gets. Of thousands of contexts all that they get is memory, and
/// the longest is rare: a bitsliced key in words of 32 bits or more. The longest key, set up in
/// memory of one value, shows it: it fills more than all of a usual context.
fn aes_context_len(library: &Library) -> usize {
    const VALUE: u8 = 0xA5;
    // SAFETY: declared after aes.h.
    let (Ok(aes), Ok(set_key)) = (unsafe { (Aes::load(library), library.symbol("wc_AesSetKey")) })
    else {
        return AES_CONTEXT_LEN_MAX;
    };
    let set_key: SetKey = set_key;
    let mut memory = State::new(AES_CONTEXT_LEN_MAX);
    let (at, key) = (memory.as_mut_ptr::<u8>(), [1; 32]);
    // SAFETY: memory of ours, as long as said and longer than any context, which the initialiser
    // takes with whatever is in it; a key of 32 bytes, no initial vector, direction 0 to encrypt.
    let is_usual = unsafe {
        at.write_bytes(VALUE, AES_CONTEXT_LEN_MAX);
        let is_set = (aes.wc_AesInit)(at.cast(), null_mut(), INVALID_DEVID) == 0
            && set_key(at.cast(), key.as_ptr(), 32, null(), 0) == 0;
        let rest = AES_CONTEXT_LEN_MAX - USUAL_AES_CONTEXT_LEN;
        let rest = std::slice::from_raw_parts(at.add(USUAL_AES_CONTEXT_LEN), rest);
        let is_untouched = is_set && rest.iter().all(|byte| *byte == VALUE);
        (aes.wc_AesFree)(at.cast());
        is_untouched
    };
    if is_usual { USUAL_AES_CONTEXT_LEN } else { AES_CONTEXT_LEN_MAX }
}

impl Peer for WolfSsl {
    fn about(&self) -> About {
        let path = self.library.path.display().to_string();
        About { version: self.version.clone(), path, detail: crate::Detail::inferred() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let (aes, others) = self.kernels();
        let hmacs = HASHES.iter().map(|(mac, ..)| (*mac, others));
        let others_of_all = OTHERS.iter().map(|mac| (*mac, others));
        let all = AES.iter().map(|mac| (*mac, aes)).chain(hmacs).chain(others_of_all);
        all.map(|(mac, kernel)| Candidate { mac, kernel: kernel.into() }).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        match info.name {
            "blake2b-keyed" => self.blake2("2b", key_life, inputs),
            "blake2s-keyed" => self.blake2("2s", key_life, inputs),
            "cmac-aes-128" | "cmac-aes-192" | "cmac-aes-256" => self.cmac(key_life, inputs),
            "gmac-aes-128" | "gmac-aes-192" | "gmac-aes-256" => self.gmac(key_life, inputs),
            "poly1305" => self.poly1305(key_life, inputs),
            "siphash-2-4" | "siphash-2-4-128" => self.siphash(key_life, inputs),
            mac => match HASHES.iter().find(|(name, ..)| *name == mac) {
                Some((_, _, md)) if key_life == KeyLife::OneShot => self.hmac_at_once(md, inputs),
                Some((_, hash, _)) => self.hmac(*hash, key_life, inputs),
                None => Err(Refused::not_here(mac)),
            },
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        let name = MacName::of(info.name);
        match (name.mode, name.family()) {
            (mode @ ("ccm" | "gcm"), Some("aes")) => self.aes_sealer(mode, key_life, inputs),
            _ if info.name == "chacha20-poly1305" => self.chacha_sealer(key_life, inputs),
            _ => Err(Refused::not_here(info.name)),
        }
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let name = MacName::of(info.name);
        match (name.mode, name.family()) {
            (mode @ ("ccm" | "gcm"), Some("aes")) => self.aes_unseal(mode, inputs, tag),
            _ if info.name == "chacha20-poly1305" => self.chacha_unseal(inputs, tag),
            _ => Err(Refused::not_here(info.name)),
        }
    }
}

/// The instruction `aesenc`.
const AESENC: [u8; 4] = [0x66, 0x0F, 0x38, 0xDC];

impl WolfSsl {
    /// The code paths of AES and of all else. Assembly comes with `--enable-intelasm` alone, which
    /// has AES instructions in it: where the file has none, all is C.
    fn kernels(&self) -> (&'static str, &'static str) {
        let file = fs::read(&self.library.path).unwrap_or_default();
        if !cfg!(target_arch = "x86_64") || file.is_empty() {
            return ("unknown", "unknown");
        }
        // AES-128 alone has ten rounds; single ones may be other bytes that look alike.
        let rounds = file.windows(AESENC.len()).filter(|bytes| *bytes == AESENC).count();
        match (rounds >= 10, has_aes()) {
            (false, _) => ("soft", "soft"),
            (true, true) => ("aes-ni", "unknown"),
            (true, false) => ("soft", "unknown"),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_aes() -> bool {
    is_x86_feature_detected!("aes")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_aes() -> bool {
    false
}
