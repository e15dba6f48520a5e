//! libcrypto as an open library: where it was found, what it says of itself, and its functions as
//! plain pointers. Declared after the manual pages of 1.1.1, 3.0 and 4.0; these signatures have not
//! changed between them. The library is never closed: it registers exit handlers of its own.
#![expect(unsafe_code, reason = "opens a C library and declares its functions")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use libloading::Library;

use super::param::Param;

/// Objects of the library that are only passed around.
pub(super) type Opaque = *mut c_void;

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

/// `OpenSSL_version(0)`: name, version and date.
const VERSION_TEXT: c_int = 0;
/// `OpenSSL_version(1)`: the compiler and its flags.
const VERSION_FLAGS: c_int = 1;
/// `OpenSSL_version(9)`, since 3.0: what the library found in the CPU, its environment applied.
const VERSION_CPU: c_int = 9;

/// Declares a table of functions and how it is filled from a library.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident { $($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)* }) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the names of the library's manual pages")]
        pub(super) struct $table {
            $(pub(super) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl $table {
            /// # Safety
            /// Functions of these names in `library` must have the signatures declared here.
            unsafe fn load(library: &Library) -> Result<Self, String> {
                // SAFETY: the caller's promise; the library stays open, so the pointers stay valid.
                unsafe { Ok(Self { $($name: symbol(library, stringify!($name))?,)* }) }
            }
        }
    };
}

functions! {
    /// What every version has.
    Base {
        ERR_clear_error: fn();
        ERR_peek_last_error: fn() -> c_ulong;
        ERR_reason_error_string: fn(c_ulong) -> *const c_char;
        HMAC: fn(
            Opaque, *const c_void, c_int, *const u8, usize, *mut u8, *mut c_uint
        ) -> *mut u8;
        OpenSSL_version: fn(c_int) -> *const c_char;
        OpenSSL_version_num: fn() -> c_ulong;
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
        HMAC_Init_ex: fn(Opaque, *const c_void, c_int, Opaque, Opaque) -> c_int;
        HMAC_Update: fn(Opaque, *const u8, usize) -> c_int;
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

/// Which of the two interfaces the library is measured through: the newer one where it has it.
pub(super) enum Interface {
    EvpMac(EvpMac),
    LowLevel(LowLevel),
}

/// An open libcrypto.
pub(super) struct Libcrypto {
    /// The file that was loaded.
    pub(super) path: PathBuf,
    /// `3.0.19`; for a fork that answers to the same names, its whole text (`LibreSSL 3.8.2`).
    pub(super) version: String,
    /// `0x3000_0160` is 3.0.22.
    pub(super) number: c_ulong,
    /// The library's whole text about itself and its build.
    pub(super) build: String,
    /// What it found in the CPU, where it tells.
    pub(super) cpu_info: Option<String>,
    pub(super) base: Base,
    pub(super) cipher: Cipher,
    pub(super) interface: Interface,
    library: Library,
}

impl Libcrypto {
    /// Opens the library at `path`, or the newest of the usual names. It lives as long as the
    /// process.
    pub(super) fn open(path: Option<&Path>) -> Result<&'static Self, String> {
        let Some(path) = path else {
            let found = NAMES.iter().find_map(|name| load(Path::new(name)).ok().zip(Some(name)));
            let (library, name) =
                found.ok_or_else(|| format!("no libcrypto found (tried {})", NAMES.join(", ")))?;
            return Self::new(library, Path::new(name));
        };
        let library = load(path).map_err(|error| one_line(path, error))?;
        Self::new(library, path)
    }

    fn new(library: Library, given: &Path) -> Result<&'static Self, String> {
        let not_openssl = |error: String| one_line(given, format!("not libcrypto: {error}"));
        // SAFETY: a library with these names is OpenSSL or a fork that keeps its interface; the
        // declarations above are those of its manual pages.
        let base = unsafe { Base::load(&library) }.map_err(not_openssl)?;
        // SAFETY: as above.
        let cipher = unsafe { Cipher::load(&library) }.map_err(not_openssl)?;
        // SAFETY: as above.
        let evp_mac = unsafe { EvpMac::load(&library) };
        let interface = match evp_mac {
            Ok(functions) => Interface::EvpMac(functions),
            Err(_) => {
                // SAFETY: as above.
                let low_level = unsafe { LowLevel::load(&library) };
                Interface::LowLevel(low_level.map_err(not_openssl)?)
            }
        };
        let text = base.text(VERSION_TEXT);
        let mut words = text.split(' ');
        let version = match (words.next(), words.next()) {
            (Some("OpenSSL"), Some(version)) => version.into(),
            _ => text.clone(),
        };
        // SAFETY: the function takes nothing and returns the number of the headers it was built by.
        let number = unsafe { (base.OpenSSL_version_num)() };
        let cpu_info = (number >= 0x3000_0000).then(|| base.text(VERSION_CPU));
        let build = format!("{text}; {}", base.text(VERSION_FLAGS));
        let path = loaded_from(base.OpenSSL_version as *const c_void, given);
        let opened =
            Self { path, version, number, build, cpu_info, base, cipher, interface, library };
        Ok(Box::leak(Box::new(opened)))
    }

    /// A function that returns a digest or a cipher, such as `EVP_sha256`.
    pub(super) fn primitive(&self, name: &str) -> Option<unsafe extern "C" fn() -> Opaque> {
        // SAFETY: every name asked for is in the tables of primitive.rs and aead.rs; all are
        // `const EVP_X *EVP_x(void)`.
        unsafe { symbol(&self.library, name) }.ok()
    }
}

impl Base {
    /// Calls the library, and adds its own reason to an error.
    pub(super) fn with_reason<T>(
        &self,
        call: impl FnOnce() -> Result<T, &'static str>,
    ) -> Result<T, String> {
        // SAFETY: takes nothing, and empties this thread's list of errors.
        unsafe { (self.ERR_clear_error)() };
        call().map_err(|error| {
            // SAFETY: takes any number and returns a string of the library's own or null.
            let reason = unsafe {
                static_text((self.ERR_reason_error_string)((self.ERR_peek_last_error)()))
            };
            match reason {
                reason if reason.is_empty() => error.into(),
                reason => format!("{error}: {reason}"),
            }
        })
    }

    fn text(&self, what: c_int) -> String {
        // SAFETY: OpenSSL_version takes any number and returns a string of the library's own.
        unsafe { static_text((self.OpenSSL_version)(what)) }
    }
}

/// # Safety
/// `text` must be null or a string of the library's own, which is never closed.
unsafe fn static_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null; the caller's promise that it ends with a zero byte and lives long enough.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn load(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: opening a library runs its initialisers. The path is one of the usual names or the
    // user's own choice of library to run.
    unsafe { Library::new(path) }
}

/// # Safety
/// `T` must be the function's type.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<T>(name) };
    found.map(|symbol| *symbol).map_err(|_| format!("it has no {name}"))
}

/// Loader messages may have several lines; an error here has one, and names the file.
fn one_line(path: &Path, error: impl Display) -> String {
    let message = error.to_string();
    let lines: Vec<_> = message.lines().map(str::trim).collect();
    format!("{}: {}", path.display(), lines.join(" "))
}

/// The file a function lies in, as the loader knows it.
#[cfg(unix)]
fn loaded_from(function: *const c_void, given: &Path) -> PathBuf {
    use std::ffi::OsStr;
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt;

    #[repr(C)]
    struct DlInfo {
        file: *const c_char,
        base: *const c_void,
        symbol: *const c_char,
        address: *const c_void,
    }
    unsafe extern "C" {
        fn dladdr(address: *const c_void, info: *mut DlInfo) -> c_int;
    }

    let mut info = MaybeUninit::<DlInfo>::zeroed();
    // SAFETY: `info` is a writable Dl_info; zero bytes are a valid one.
    let (found, info) = unsafe { (dladdr(function, info.as_mut_ptr()), info.assume_init()) };
    if found == 0 || info.file.is_null() {
        return given.into();
    }
    // SAFETY: not null; the loader's own string, which lives as long as the object is loaded.
    let file = unsafe { CStr::from_ptr(info.file) };
    let file = Path::new(OsStr::from_bytes(file.to_bytes()));
    file.canonicalize().unwrap_or_else(|_| file.into())
}

#[cfg(not(unix))]
fn loaded_from(_function: *const c_void, given: &Path) -> PathBuf {
    given.into()
}
