//! libcrypto as an open library: what it says of itself, and its functions as plain pointers.
//! Declared after the manual pages of 1.1.1, 3.0 and 4.0; these signatures have not changed between
//! them. BoringSSL and AWS-LC have the older interface with the differences named here.
#![expect(unsafe_code, reason = "declares the functions of a C library")]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

use super::param::Param;
use crate::ffi::library::{Library, functions, text};
use crate::{Place, Refused, Unavailable};

/// Objects of the library that are only passed around.
pub(super) type Opaque = *mut c_void;

/// A function such as `EVP_sha256`.
pub(super) type PrimitiveFn = unsafe extern "C" fn() -> Opaque;

/// Names tried in turn, newest first. On macOS never the bare `libcrypto.dylib`: the system ends a
/// process that opens its own copy.
const NAMES: &[&str] = if cfg!(target_os = "macos") {
    &[
        "libcrypto.4.dylib",
        "libcrypto.3.dylib",
        "/opt/homebrew/opt/openssl@4/lib/libcrypto.4.dylib",
        "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
        "/usr/local/opt/openssl@4/lib/libcrypto.4.dylib",
        "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib",
        "libcrypto.1.1.dylib",
    ]
} else if cfg!(windows) {
    &["libcrypto-4-x64.dll", "libcrypto-3-x64.dll", "libcrypto-1_1-x64.dll"]
} else {
    &["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1"]
};

/// What every libcrypto has, and no other library.
const LANDMARK: &str = "EVP_CIPHER_CTX_new";

/// `OpenSSL_version(0)`: name, version and date.
const VERSION_TEXT: c_int = 0;
/// `OpenSSL_version(1)`: the compiler and its flags.
const VERSION_FLAGS: c_int = 1;
/// `OpenSSL_version(9)`, since 3.0: what the library found in the CPU, its environment applied.
const VERSION_CPU: c_int = 9;

functions! {
    /// What every version has. The length of the key is an `int` in OpenSSL and a `size_t` in
    /// BoringSSL and AWS-LC; one that fits into both is handed over alike.
    Base {
        HMAC: fn(
            Opaque, *const c_void, usize, *const u8, usize, *mut u8, *mut c_uint
        ) -> *mut u8;
        OpenSSL_version: fn(c_int) -> *const c_char;
    }
}

functions! {
    /// Why something failed. BoringSSL and AWS-LC have numbers of 32 bits, of which it takes those.
    Reasons {
        ERR_clear_error: fn();
        ERR_peek_last_error: fn() -> c_ulong;
        ERR_reason_error_string: fn(c_ulong) -> *const c_char;
    }
}

functions! {
    /// The interface of 3.0 and later.
    EvpMac {
        EVP_MAC_CTX_dup: fn(Opaque) -> Opaque;
        EVP_MAC_CTX_free: fn(Opaque);
        EVP_MAC_CTX_new: fn(Opaque) -> Opaque;
        EVP_MAC_fetch: fn(Opaque, *const c_char, *const c_char) -> Opaque;
        EVP_MAC_final: fn(Opaque, *mut u8, *mut usize, usize) -> c_int;
        EVP_MAC_free: fn(Opaque);
        EVP_MAC_init: fn(Opaque, *const u8, usize, *const Param<'_>) -> c_int;
        EVP_MAC_update: fn(Opaque, *const u8, usize) -> c_int;
        EVP_Q_mac: fn(
            Opaque, *const c_char, *const c_char, *const c_char, *const Param<'_>, *const u8, usize,
            *const u8, usize, *mut u8, usize, *mut usize
        ) -> *mut u8;
    }
}

functions! {
    /// The interface before 3.0, deprecated since.
    LowLevel {
        CMAC_CTX_free: fn(Opaque);
        CMAC_CTX_new: fn() -> Opaque;
        CMAC_Final: fn(Opaque, *mut u8, *mut usize) -> c_int;
        CMAC_Init: fn(Opaque, *const c_void, usize, Opaque, Opaque) -> c_int;
        CMAC_Update: fn(Opaque, *const c_void, usize) -> c_int;
        HMAC_CTX_free: fn(Opaque);
        HMAC_CTX_new: fn() -> Opaque;
        HMAC_Final: fn(Opaque, *mut u8, *mut c_uint) -> c_int;
        /// The length of the key: see [`Base`].
        HMAC_Init_ex: fn(Opaque, *const c_void, usize, Opaque, Opaque) -> c_int;
        HMAC_Update: fn(Opaque, *const u8, usize) -> c_int;
    }
}

functions! {
    /// What BoringSSL and AWS-LC have beside that.
    Boring {
        CMAC_Reset: fn(Opaque) -> c_int;
    }
}

functions! {
    /// Ciphers, in every version.
    Cipher {
        EVP_CIPHER_CTX_ctrl: fn(Opaque, c_int, c_int, *mut c_void) -> c_int;
        EVP_CIPHER_CTX_free: fn(Opaque);
        EVP_CIPHER_CTX_new: fn() -> Opaque;
        EVP_CipherFinal_ex: fn(Opaque, *mut u8, *mut c_int) -> c_int;
        EVP_CipherInit_ex: fn(Opaque, Opaque, Opaque, *const u8, *const u8, c_int) -> c_int;
        EVP_CipherUpdate: fn(Opaque, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
    }
}

/// Which of the interfaces the library is measured through: the newer one where it has it.
pub(super) enum Interface {
    EvpMac(EvpMac),
    LowLevel(LowLevel, Option<Boring>),
}

/// An open libcrypto.
pub(super) struct Libcrypto {
    pub(super) library: Library,
    /// `3.0.19`; for a fork that answers to the same names, its whole text (`LibreSSL 3.8.2`).
    pub(super) version: String,
    /// `0x3000_0160` is OpenSSL 3.0.22; `None` for a fork, whose numbers mean something else.
    pub(super) number: Option<c_ulong>,
    /// The library's whole text about itself and its build.
    pub(super) build: String,
    /// What it found in the CPU, where it tells.
    pub(super) cpu_info: Option<String>,
    pub(super) base: Base,
    pub(super) cipher: Cipher,
    pub(super) interface: Interface,
    reasons: Option<Reasons>,
}

impl Libcrypto {
    /// Opens the library that the user names, or the newest of the usual ones. It lives as long as
    /// the process.
    pub(super) fn open(place: &Place) -> Result<&'static Self, Unavailable> {
        let not_openssl = |error: Refused| format!("{error}: not libcrypto");
        let library = Library::loaded(place, NAMES)?.known_by(LANDMARK).map_err(not_openssl)?;
        // SAFETY: a library with these names is OpenSSL or a fork that keeps its interface; the
        // declarations above are those of its manual pages.
        let base = unsafe { Base::load(&library) }.map_err(not_openssl)?;
        // SAFETY: libcrypto, since its base was there; declared by its manual pages.
        let cipher = unsafe { Cipher::load(&library) }.map_err(not_openssl)?;
        // SAFETY: libcrypto; declared by its manual pages, and what is BoringSSL's by its header.
        let (evp_mac, boring, reasons) = unsafe {
            let boring = Boring::load(&library).ok();
            (EvpMac::load(&library), boring, Reasons::load(&library).ok())
        };
        let interface = match evp_mac {
            Ok(functions) => Interface::EvpMac(functions),
            Err(_) => {
                // SAFETY: libcrypto without EVP_MAC, which is 1.1 or a fork of it: declared by the
                // manual pages of 1.1.
                let low_level = unsafe { LowLevel::load(&library) };
                Interface::LowLevel(low_level.map_err(not_openssl)?, boring)
            }
        };
        let named = base.text(VERSION_TEXT);
        // A fork that says "OpenSSL 1.1.1 (compatible; BoringSSL)" is none.
        let is_fork = !named.starts_with("OpenSSL ") || named.contains("compatible");
        // SAFETY: the function takes nothing and returns the number of the headers it was built by.
        let number = unsafe {
            let told = library.symbol("OpenSSL_version_num").ok().filter(|_| !is_fork);
            told.map(|number: unsafe extern "C" fn() -> c_ulong| number())
        };
        let version = match named.split(' ').nth(1) {
            Some(version) if number.is_some() => version.into(),
            _ => named.clone(),
        };
        let tells = number.is_some_and(|number| number >= 0x3000_0000);
        let cpu_info = tells.then(|| base.text(VERSION_CPU));
        let build = format!("{named}; {}", base.text(VERSION_FLAGS));
        let opened =
            Self { library, version, number, build, cpu_info, base, cipher, interface, reasons };
        Ok(Box::leak(Box::new(opened)))
    }

    /// A function that returns a digest or a cipher, such as `EVP_sha256`.
    pub(super) fn primitive(&self, name: &str) -> Option<PrimitiveFn> {
        // SAFETY: every name asked for is in a table of primitive.rs, aead.rs or sealing.rs; all
        // are `const EVP_X *EVP_x(void)`.
        unsafe { self.library.symbol(name) }.ok()
    }

    /// Calls the library, and adds its own reason to an error.
    pub(super) fn with_reason<T>(
        &self,
        call: impl FnOnce() -> Result<T, &'static str>,
    ) -> Result<T, Refused> {
        let Some(reasons) = &self.reasons else { return Ok(call()?) };
        // SAFETY: takes nothing, and empties this thread's list of errors.
        unsafe { (reasons.ERR_clear_error)() };
        call().map_err(|error| {
            // SAFETY: takes any number and returns a string of the library's own or null.
            let reason =
                unsafe { text((reasons.ERR_reason_error_string)((reasons.ERR_peek_last_error)())) };
            match reason {
                reason if reason.is_empty() => error.into(),
                reason => Refused::Said(reason).of(error),
            }
        })
    }
}

impl Base {
    fn text(&self, what: c_int) -> String {
        // SAFETY: OpenSSL_version takes any number and returns a string of the library's own.
        unsafe { text((self.OpenSSL_version)(what)) }
    }
}
