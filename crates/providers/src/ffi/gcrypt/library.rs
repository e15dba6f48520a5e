//! The functions of libgcrypt, its start, and its handles, which are closed on drop: what they hold
//! of a key is wiped then.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{CString, c_char, c_int, c_uchar, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};

use super::super::library::{Library, functions, text};
use crate::{Refused, Unavailable};

/// A handle of the library's own.
pub(super) type Handle = *mut c_void;
/// `gcry_error_t`: zero, or a code with its source in the upper bits.
pub(super) type Error = c_uint;

/// `gcry_buffer_t`.
#[repr(C)]
pub(super) struct Buffer {
    /// Not used by what is called here.
    pub(super) size: usize,
    /// Where the data begin behind `data`.
    pub(super) offset: usize,
    pub(super) len: usize,
    pub(super) data: *const c_void,
}

functions! {
    /// The same since 1.6, where `gcry_mac_open` came.
    Functions {
        gcry_check_version: fn(*const c_char) -> *const c_char;
        gcry_cipher_authenticate: fn(Handle, *const c_void, usize) -> Error;
        gcry_cipher_checktag: fn(Handle, *const c_void, usize) -> Error;
        gcry_cipher_close: fn(Handle);
        gcry_cipher_ctl: fn(Handle, c_int, *mut c_void, usize) -> Error;
        gcry_cipher_decrypt: fn(Handle, *mut c_void, usize, *const c_void, usize) -> Error;
        gcry_cipher_encrypt: fn(Handle, *mut c_void, usize, *const c_void, usize) -> Error;
        gcry_cipher_gettag: fn(Handle, *mut c_void, usize) -> Error;
        gcry_cipher_open: fn(*mut Handle, c_int, c_int, c_uint) -> Error;
        gcry_cipher_setiv: fn(Handle, *const c_void, usize) -> Error;
        gcry_cipher_setkey: fn(Handle, *const c_void, usize) -> Error;
        gcry_free: fn(*mut c_void);
        gcry_mac_close: fn(Handle);
        gcry_mac_ctl: fn(Handle, c_int, *mut c_void, usize) -> Error;
        gcry_mac_open: fn(*mut Handle, c_int, c_uint, *mut c_void) -> Error;
        gcry_mac_read: fn(Handle, *mut c_void, *mut usize) -> Error;
        gcry_mac_setkey: fn(Handle, *const c_void, usize) -> Error;
        gcry_mac_write: fn(Handle, *const c_void, usize) -> Error;
        gcry_md_close: fn(Handle);
        gcry_md_get_algo_dlen: fn(c_int) -> c_uint;
        gcry_md_hash_buffers: fn(c_int, c_uint, *mut c_void, *const Buffer, c_int) -> Error;
        gcry_md_open: fn(*mut Handle, c_int, c_uint) -> Error;
        gcry_md_read: fn(Handle, c_int) -> *mut c_uchar;
        gcry_md_reset: fn(Handle);
        gcry_md_setkey: fn(Handle, *const c_void, usize) -> Error;
        gcry_md_write: fn(Handle, *const c_void, usize);
        gcry_strerror: fn(Error) -> *const c_char;
    }
}

/// `gcry_control`, whose arguments follow from the command.
type Control = unsafe extern "C" fn(c_int, ...) -> Error;
/// `gcry_get_config`, since 1.8.
type GetConfig = unsafe extern "C" fn(c_int, *const c_char) -> *mut c_char;

// Of gcrypt.h, the same in all versions.
pub(super) const RESET: c_int = 4;
const DISABLE_SECMEM: c_int = 37;
const INITIALIZATION_FINISHED: c_int = 38;
const INITIALIZATION_FINISHED_P: c_int = 39;
const ANY_INITIALIZATION_P: c_int = 40;
const DISABLE_HWF: c_int = 63;

/// The library, started.
pub(super) struct Gcrypt {
    pub(super) library: Library,
    pub(super) functions: &'static Functions,
    pub(super) version: String,
    /// Whether it is 1.11 or later.
    pub(super) is_1_11: bool,
    /// What it found in the CPU and may use; `None` in versions that do not tell.
    pub(super) features: Option<Vec<String>>,
}

/// Held while a copy of the library is started: it does so without a lock of its own.
static START: Mutex<()> = Mutex::new(());

impl Gcrypt {
    /// Starts the library without what is `disabled` of the CPU (`intel-avx2`; `all`).
    pub(super) fn start(library: Library, disabled: &[&str]) -> Result<Self, Unavailable> {
        let _one_at_a_time = START.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a library with `gcry_check_version` is libgcrypt; declared after its header.
        let functions: &'static Functions =
            Box::leak(Box::new(unsafe { Functions::load(&library) }?));
        // SAFETY: the variadic function that gcrypt.h declares; its callers pass what it asks.
        let control: Control = unsafe { library.symbol("gcry_control") }?;
        // SAFETY: a question without further arguments, which may come before the start.
        if unsafe { control(ANY_INITIALIZATION_P) } == 0 {
            for name in disabled {
                let name = CString::new(*name).map_err(|error| error.to_string())?;
                // SAFETY: takes a string that ends with zero and is read now. A name that this
                // version does not know is an error without effect: it makes no use of that then.
                unsafe { control(DISABLE_HWF, name.as_ptr(), null::<c_void>()) };
            }
        }
        // SAFETY: null asks for any version; the answer is a string of the library's own.
        let version = unsafe { text((functions.gcry_check_version)(null())) };
        // SAFETY: commands without arguments or with one int that is not used, as the manual's
        // first example has them; in that order, after the version.
        unsafe {
            if control(INITIALIZATION_FINISHED_P) == 0 {
                control(DISABLE_SECMEM, 0 as c_int);
                control(INITIALIZATION_FINISHED, 0 as c_int);
            }
        }
        // SAFETY: a string that ends with zero; null where the version is older than that.
        let is_1_11 = !unsafe { (functions.gcry_check_version)(c"1.11.0".as_ptr()) }.is_null();
        let features = features(&library, functions)?;
        let gcrypt = Self { library, functions, version, is_1_11, features };
        gcrypt.check_disabled(disabled)?;
        Ok(gcrypt)
    }

    /// What it may use of the CPU is settled once a process.
    fn check_disabled(&self, disabled: &[&str]) -> Result<(), Unavailable> {
        let is_off = |name: &str| disabled.contains(&"all") || disabled.contains(&name);
        let path = self.library.path.display();
        match &self.features {
            _ if disabled.is_empty() => Ok(()),
            None => Err(format!("{path}: {} does not report its code path", self.version).into()),
            Some(features) => match features.iter().find(|name| is_off(name)) {
                None => Ok(()),
                Some(name) => {
                    Err(format!("{path} is already in use in this process, with {name}").into())
                }
            },
        }
    }

    /// What an error of the library's means.
    pub(super) fn reason(&self, error: Error) -> String {
        // SAFETY: takes any code, returns a string of the library's own.
        unsafe { text((self.functions.gcry_strerror)(error)) }
    }
}

/// The line `hwflist:intel-bmi2:…:` of its configuration.
fn features(library: &Library, functions: &Functions) -> Result<Option<Vec<String>>, Refused> {
    if !library.has("gcry_get_config") {
        return Ok(None);
    }
    // SAFETY: declared after the header.
    let get_config: GetConfig = unsafe { library.symbol("gcry_get_config") }?;
    // SAFETY: no mode, a string that ends with zero; returns a new string or null.
    let line = unsafe { get_config(0, c"hwflist".as_ptr()) };
    // SAFETY: null, or a string that lives until it is freed below.
    let list = unsafe { text(line) };
    // SAFETY: what it returned, which nothing points to any more; null is passed over.
    unsafe { (functions.gcry_free)(line.cast()) };
    let known = list.trim_end().strip_prefix("hwflist:");
    Ok(known
        .map(|names| names.split(':').filter(|name| !name.is_empty()).map(Into::into).collect()))
}

/// An open handle of one of the three kinds.
pub(super) struct Open {
    pub(super) functions: &'static Functions,
    /// Never null.
    pub(super) handle: Handle,
    close: unsafe extern "C" fn(Handle),
}

impl Open {
    /// A hash, or with `flags` 2 an HMAC.
    pub(super) fn md(gcrypt: &Gcrypt, algorithm: c_int, flags: c_uint) -> Result<Self, Refused> {
        let f = gcrypt.functions;
        // SAFETY: writes a new handle or null; refuses numbers that it does not know.
        Self::new(gcrypt, f.gcry_md_close, |handle| unsafe {
            (f.gcry_md_open)(handle, algorithm, flags)
        })
    }

    pub(super) fn mac(gcrypt: &Gcrypt, algorithm: c_int) -> Result<Self, Refused> {
        let f = gcrypt.functions;
        // SAFETY: writes a new handle or null; refuses numbers that it does not know; the context
        // may be null.
        Self::new(gcrypt, f.gcry_mac_close, |handle| unsafe {
            (f.gcry_mac_open)(handle, algorithm, 0, null_mut())
        })
    }

    pub(super) fn cipher(gcrypt: &Gcrypt, algorithm: c_int, mode: c_int) -> Result<Self, Refused> {
        let f = gcrypt.functions;
        // SAFETY: writes a new handle or null; refuses numbers that it does not know.
        Self::new(gcrypt, f.gcry_cipher_close, |handle| unsafe {
            (f.gcry_cipher_open)(handle, algorithm, mode, 0)
        })
    }

    fn new(
        gcrypt: &Gcrypt,
        close: unsafe extern "C" fn(Handle),
        open: impl FnOnce(*mut Handle) -> Error,
    ) -> Result<Self, Refused> {
        let mut handle = null_mut();
        let error = open(&raw mut handle);
        if error != 0 || handle.is_null() {
            return Err(Refused::Said(gcrypt.reason(error)));
        }
        Ok(Self { functions: gcrypt.functions, handle, close })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: opened by the function that belongs to this one, and used by nobody else.
        unsafe { (self.close)(self.handle) };
    }
}
