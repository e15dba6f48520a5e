//! Crypto++, which has a C++ interface only: a shim with a C one is compiled on first use
//! (shim.cpp, compile.rs) and opened like a library. What a call is for each key life:
//! docs/providers.md.
#![expect(unsafe_code, reason = "calls a C library")]

mod aead;
mod compile;
mod mac;

use std::ffi::{CString, c_char, c_int, c_uint, c_void};

use macs::MacInfo;
use words::MacName;

use super::library::{Library, functions, text};
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::restriction;
use crate::{
    Forced, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "cryptopp",
    title: "Crypto++",
    package: compile::PACKAGE,
    kind: Kind::InProcess(open),
    forced,
    restriction: Restriction::Opened,
    prepare,
    cold_variables: &[],
};

/// What `mm_shim_version` says of the functions declared here.
const SHIM_VERSION: c_int = 3;

/// Code paths by what the library must not use of the CPU, as `mm_without` takes it: AES and CLMUL,
/// SHA, all other vectors.
const FORCED: &[(&str, c_uint)] = &[("no-aes", 1), ("no-sha", SHA), ("soft", 7)];

/// For `mm_without`: SHA instructions.
const SHA: c_uint = 2;

fn forced() -> Vec<Forced> {
    let here = if cfg!(target_arch = "x86_64") { FORCED } else { &[] };
    here.iter().map(|(name, _)| Forced::by_name(name)).collect()
}

type Object = *mut c_void;
type Bytes = *const u8;
type BytesMut = *mut u8;

functions! {
    /// The shim's.
    Functions {
        mm_aead_free: fn(Object);
        mm_aead_new: fn(*const c_char, c_int) -> Object;
        mm_aead_open: fn(
            Object, Bytes, usize, Bytes, usize, BytesMut, Bytes, usize
        ) -> c_int;
        mm_aead_seal: fn(
            Object, Bytes, usize, Bytes, usize, Bytes, usize, BytesMut, BytesMut, usize
        ) -> c_int;
        mm_aead_set_key: fn(Object, Bytes, usize, Bytes, usize, usize) -> c_int;
        mm_error: fn() -> *const c_char;
        mm_header_version: fn() -> c_int;
        mm_library_version: fn() -> c_int;
        mm_mac_free: fn(Object);
        mm_mac_new: fn(*const c_char) -> Object;
        mm_mac_set_key: fn(Object, Bytes, usize, Bytes, usize) -> c_int;
        mm_mac_tag: fn(Object, Bytes, usize, Bytes, usize, BytesMut, usize) -> c_int;
        mm_mac_tag_len: fn(Object) -> usize;
        mm_path: fn(*const c_char, *mut c_char, usize) -> c_int;
        mm_shim_version: fn() -> c_int;
        mm_without: fn(c_uint) -> c_int;
    }
}

impl Functions {
    /// What the shim caught last on this thread, as one line.
    fn error(&self) -> Refused {
        // SAFETY: takes nothing, returns a string that lives as long as the thread.
        let error = unsafe { text((self.mm_error)()) };
        Refused::Said(error.lines().collect::<Vec<_>>().join(" "))
    }
}

struct CryptoPp {
    library: Library,
    functions: &'static Functions,
}

/// Compiles the shim, once: a worker would be waited for no longer than for any answer.
fn prepare(place: &Place) -> Result<(), Unavailable> {
    compile::shim(place).map(|_| ())
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let forced_to = ROW.forced_to(place)?;
    let shim = Place { path: Some(compile::shim(place)?), ..Place::default() };
    // The landmark lies in Crypto++ itself, so that the path is that of the library.
    let library = Library::open(&shim, &[], "LibraryVersion")?;
    // SAFETY: our own shim, found by the digest of its source; declared after it.
    let functions: &'static Functions = Box::leak(Box::new(unsafe { Functions::load(&library) }?));
    let f = functions;
    // SAFETY: take nothing.
    let [shim, headers, linked] =
        unsafe { [(f.mm_shim_version)(), (f.mm_header_version)(), (f.mm_library_version)()] };
    if shim != SHIM_VERSION {
        return Err(format!("shim version {shim}; version {SHIM_VERSION} is required").into());
    }
    if headers != linked {
        let path = library.path.display();
        let both = format!("{path} is {}, its headers {}", number(linked), number(headers));
        return Err(both.into());
    }
    let row = forced_to.and_then(|forced| FORCED.iter().find(|(name, _)| *name == forced.name));
    // It has no code for AVX-512 or VAES.
    let of_sha = if restriction::left_out().takes(restriction::Extension::Sha) { SHA } else { 0 };
    let without = row.map_or(0, |(_, without)| *without) | of_sha;
    // SAFETY: takes any number. No object of this shim was made before the first such call.
    if unsafe { (f.mm_without)(without) } != 0 {
        let path = library.path.display();
        return Err(format!("{path} is already open in this process, for another code path").into());
    }
    offer(place, &ROW, CryptoPp { library, functions })
}

/// 8.7.0 of 870.
fn number(version: c_int) -> String {
    format!("{}.{}.{}", version / 100, version / 10 % 10, version % 10)
}

/// What the shim calls a mac or a composition: the catalog's name, without the key's length where
/// one type takes several.
fn name_of(mac: &str) -> &str {
    let name = MacName::of(mac);
    match name.family() {
        Some(cipher @ ("aes" | "aria" | "camellia" | "rc6" | "serpent" | "twofish")) => {
            &mac[..name.mode.len() + 1 + cipher.len()]
        }
        _ => mac,
    }
}

/// That name for the shim.
fn c_name_of(mac: &str) -> CString {
    CString::new(name_of(mac)).unwrap_or_default()
}

/// HMAC over SHA-1, SHA-384 and SHA-512 where there is no SSE2 code for them.
fn is_soft_sha(mac: &str) -> bool {
    let is_32_bit = cfg!(target_arch = "x86");
    mac == "hmac-sha1" || !is_32_bit && matches!(mac, "hmac-sha384" | "hmac-sha512")
}

impl CryptoPp {
    /// The code path of a mac as Crypto++ tells it, in our words; `None` where it has no such mac.
    fn kernel(&self, mac: &str) -> Option<String> {
        let (name, mut path) = (c_name_of(mac), [0; 64]);
        // SAFETY: a name that ends with a zero byte, memory of the length said.
        let done = unsafe { (self.functions.mm_path)(name.as_ptr(), path.as_mut_ptr(), 64) };
        if done != 0 {
            return None;
        }
        // SAFETY: the shim ended it with a zero byte.
        let path = unsafe { text(path.as_ptr()) };
        Some(match &path[..] {
            "AESNI" => "aes-ni".into(),
            "C++" => "soft".into(),
            // Wrong of these two: for SHA-1 there is no such code, and that for SHA-512 is compiled
            // for 32-bit x86 only (sha.cpp).
            "SSE2" if is_soft_sha(mac) => "soft".into(),
            "SHANI" => "sha-ni".into(),
            other => other.to_ascii_lowercase().replace(' ', "-"),
        })
    }
}

impl Peer for CryptoPp {
    fn about(&self) -> About {
        // SAFETY: takes nothing.
        let version = number(unsafe { (self.functions.mm_library_version)() });
        let path = self.library.path.display().to_string();
        About { version, path, detail: "code paths as the library reports them".into() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let candidate =
            |info: &MacInfo| Some(Candidate { mac: info.name, kernel: self.kernel(info.name)? });
        macs::catalog().iter().filter_map(candidate).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        mac::tagger(self.functions, info, key_life, inputs)
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        aead::sealer(self.functions, info, key_life, inputs)
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        aead::unseal(self.functions, info, inputs, tag)
    }
}
