//! The functions of Mbed TLS, and the contexts that its caller allocates.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};

use super::super::library::{Library, functions};
use super::super::state::State;
use crate::{Refused, Unavailable};

pub(super) type Bytes = *const c_uchar;
pub(super) type BytesMut = *mut c_uchar;
/// A context, in memory of the caller's.
pub(super) type Memory = *mut c_void;
/// A description of a hash or cipher, of the library's own.
pub(super) type Described = *const c_void;

functions! {
    /// The same in 2.28 and 3.6.
    Functions {
        mbedtls_aes_cmac_prf_128: fn(Bytes, usize, Bytes, usize, BytesMut) -> c_int;
        mbedtls_ccm_auth_decrypt: fn(
            Memory, usize, Bytes, usize, Bytes, usize, Bytes, BytesMut, Bytes, usize
        ) -> c_int;
        mbedtls_ccm_encrypt_and_tag: fn(
            Memory, usize, Bytes, usize, Bytes, usize, Bytes, BytesMut, BytesMut, usize
        ) -> c_int;
        mbedtls_ccm_free: fn(Memory);
        mbedtls_ccm_init: fn(Memory);
        mbedtls_ccm_setkey: fn(Memory, c_int, Bytes, c_uint) -> c_int;
        mbedtls_chachapoly_auth_decrypt: fn(
            Memory, usize, Bytes, Bytes, usize, Bytes, Bytes, BytesMut
        ) -> c_int;
        mbedtls_chachapoly_encrypt_and_tag: fn(
            Memory, usize, Bytes, Bytes, usize, Bytes, BytesMut, BytesMut
        ) -> c_int;
        mbedtls_chachapoly_free: fn(Memory);
        mbedtls_chachapoly_init: fn(Memory);
        mbedtls_chachapoly_setkey: fn(Memory, Bytes) -> c_int;
        mbedtls_cipher_cmac: fn(Described, Bytes, usize, Bytes, usize, BytesMut) -> c_int;
        mbedtls_cipher_cmac_finish: fn(Memory, BytesMut) -> c_int;
        mbedtls_cipher_cmac_reset: fn(Memory) -> c_int;
        mbedtls_cipher_cmac_starts: fn(Memory, Bytes, usize) -> c_int;
        mbedtls_cipher_cmac_update: fn(Memory, Bytes, usize) -> c_int;
        mbedtls_cipher_free: fn(Memory);
        mbedtls_cipher_info_from_string: fn(*const c_char) -> Described;
        mbedtls_cipher_init: fn(Memory);
        mbedtls_cipher_setup: fn(Memory, Described) -> c_int;
        mbedtls_gcm_auth_decrypt: fn(
            Memory, usize, Bytes, usize, Bytes, usize, Bytes, usize, Bytes, BytesMut
        ) -> c_int;
        mbedtls_gcm_crypt_and_tag: fn(
            Memory, c_int, usize, Bytes, usize, Bytes, usize, Bytes, BytesMut, usize, BytesMut
        ) -> c_int;
        mbedtls_gcm_free: fn(Memory);
        mbedtls_gcm_init: fn(Memory);
        mbedtls_gcm_setkey: fn(Memory, c_int, Bytes, c_uint) -> c_int;
        mbedtls_md_free: fn(Memory);
        mbedtls_md_get_size: fn(Described) -> c_uchar;
        mbedtls_md_hmac: fn(Described, Bytes, usize, Bytes, usize, BytesMut) -> c_int;
        mbedtls_md_hmac_finish: fn(Memory, BytesMut) -> c_int;
        mbedtls_md_hmac_reset: fn(Memory) -> c_int;
        mbedtls_md_hmac_starts: fn(Memory, Bytes, usize) -> c_int;
        mbedtls_md_hmac_update: fn(Memory, Bytes, usize) -> c_int;
        mbedtls_md_info_from_string: fn(*const c_char) -> Described;
        mbedtls_md_init: fn(Memory);
        mbedtls_md_setup: fn(Memory, Described, c_int) -> c_int;
        mbedtls_poly1305_finish: fn(Memory, BytesMut) -> c_int;
        mbedtls_poly1305_free: fn(Memory);
        mbedtls_poly1305_init: fn(Memory);
        mbedtls_poly1305_mac: fn(Bytes, Bytes, usize, BytesMut) -> c_int;
        mbedtls_poly1305_starts: fn(Memory, Bytes) -> c_int;
        mbedtls_poly1305_update: fn(Memory, Bytes, usize) -> c_int;
        mbedtls_version_get_string: fn(*mut c_char);
    }
}

/// `mbedtls_aesni_has_support`, in builds for x86.
type HasSupport = unsafe extern "C" fn(c_uint) -> c_int;

// Of aesni.h.
const AESNI_AES: c_uint = 0x0200_0000;
const AESNI_CLMUL: c_uint = 0x0000_0002;

/// The upper half of the version numbers whose headers were read: 2.28 and 3.6.
const KNOWN: [c_uint; 2] = [0x021C, 0x0306];

pub(super) struct MbedTls {
    pub(super) library: Library,
    pub(super) functions: &'static Functions,
    pub(super) version: String,
    /// Whether it found instructions for AES.
    pub(super) has_aes: bool,
    /// Whether it found carry-less multiplication.
    pub(super) has_clmul: bool,
}

impl MbedTls {
    /// Versions whose structures are not known are refused.
    pub(super) fn new(library: Library) -> Result<Self, Unavailable> {
        // SAFETY: a library with a function of that name is Mbed TLS; the same in all versions.
        let number: unsafe extern "C" fn() -> c_uint =
            unsafe { library.symbol("mbedtls_version_get_number") }?;
        // SAFETY: takes nothing.
        let number = unsafe { number() };
        if !KNOWN.contains(&(number >> 16)) {
            let [major, minor, patch, _] = number.to_be_bytes();
            let path = library.path.display();
            return Err(format!(
                "{path}: Mbed TLS {major}.{minor}.{patch} is not supported; 2.28 and 3.6 are"
            )
            .into());
        }
        // SAFETY: declared after the headers of both versions.
        let functions: &'static Functions =
            Box::leak(Box::new(unsafe { Functions::load(&library) }?));
        let mut version = [0; 64];
        // SAFETY: writes `3.6.6` and a zero, at most 18 bytes.
        unsafe { (functions.mbedtls_version_get_string)(version.as_mut_ptr().cast()) };
        let version = CStr::from_bytes_until_nul(&version).unwrap_or(c"unknown");
        let version = version.to_string_lossy().into_owned();
        let [has_aes, has_clmul] = instructions(&library)?;
        Ok(Self { library, functions, version, has_aes, has_clmul })
    }
}

/// AES, and carry-less multiplication.
fn instructions(library: &Library) -> Result<[bool; 2], Refused> {
    if !library.has("mbedtls_aesni_has_support") {
        return Ok([false; 2]);
    }
    // SAFETY: declared after the header.
    let has: HasSupport = unsafe { library.symbol("mbedtls_aesni_has_support") }?;
    // SAFETY: asks for bits of what `cpuid` told.
    Ok([AESNI_AES, AESNI_CLMUL].map(|what| unsafe { has(what) } != 0))
}

/// Longer than any context of a mac or of CCM and ChaCha20-Poly1305, of which none has more than
/// 424 bytes in the versions known. Not much longer: of thousands of contexts it is all memory.
pub(super) const USUAL_LEN_BYTES: usize = 1024;

/// Longer than that of GCM: 4,272 bytes in 3.6 with a table for each byte.
pub(super) const GCM_LEN_BYTES: usize = 8192;

/// A context in memory of ours, which is freed, and with it what the library holds for it, on drop.
pub(super) struct Context {
    state: State,
    free: unsafe extern "C" fn(Memory),
}

impl Context {
    /// `len_bytes` is one of the two above, whichever the kind of context needs.
    pub(super) fn new(
        len_bytes: usize,
        init: unsafe extern "C" fn(Memory),
        free: unsafe extern "C" fn(Memory),
    ) -> Self {
        let mut state = State::new(len_bytes);
        // SAFETY: memory of at least the length that the context has in the versions known, see
        // there, and aligned for all types; it is written to only.
        unsafe { init(state.as_mut_ptr()) };
        Self { state, free }
    }

    pub(super) fn as_mut_ptr(&mut self) -> Memory {
        self.state.as_mut_ptr()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: initialised by the function that belongs to this one, and used by nobody else.
        unsafe { (self.free)(self.state.as_mut_ptr()) };
    }
}
