//! Which library this is. `build.rs` reads the number below.
#![expect(unsafe_code, reason = "functions that C calls by name")]

use std::ffi::{CStr, c_char};

/// Version of the binary interface: that of the header. It is the number in the library's name,
/// `libmacs.so.0`, and changes when a program has to be compiled again.
pub const MACS_ABI_VERSION: u32 = 0;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

/// Version of the binary interface that the library has: `MACS_ABI_VERSION` of its own header.
#[unsafe(no_mangle)]
pub extern "C" fn macs_abi_version() -> u32 {
    MACS_ABI_VERSION
}

/// Version of the library: `MACS_VERSION` of its own header. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn macs_version() -> *const c_char {
    VERSION.as_ptr()
}
