//! A C library, opened at run time: where it was found, and its functions as plain pointers. It is
//! never closed: libraries register exit handlers of their own, and taggers keep its functions.
#![expect(unsafe_code, reason = "opens a C library")]

use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use crate::{Place, Refused, Unavailable};

/// Declares a table of functions and how it is filled from a library:
///
/// ```ignore
/// functions! {
///     /// What every version has.
///     Base {
///         gcry_check_version: fn(*const c_char) -> *const c_char;
///     }
/// }
/// // SAFETY: the declarations are those of gcrypt.h.
/// let base = unsafe { Base::load(&library) }?;
/// ```
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident {
        $($(#[$about:meta])* $name:ident: fn($($arg:ty),* $(,)?) $(-> $ret:ty)?;)*
    }) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the names of the library's documentation")]
        pub(super) struct $table {
            $($(#[$about])* pub(super) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl $table {
            /// # Safety
            /// Functions of these names in `library` must have the signatures declared here.
            unsafe fn load(
                library: &$crate::ffi::library::Library,
            ) -> Result<Self, $crate::Refused> {
                // SAFETY: the caller's promise; the library stays open, so the pointers stay valid.
                unsafe { Ok(Self { $($name: library.symbol(stringify!($name))?,)* }) }
            }
        }
    };
}

pub(super) use functions;

/// An open library.
pub(super) struct Library {
    /// The file that was loaded.
    pub(super) path: PathBuf,
    opened: ManuallyDrop<libloading::Library>,
}

impl Library {
    /// Opens the library that the user names, or the first of `names` that is there: names of
    /// shared objects, newest first. `landmark` is a function that it must have, by which the file
    /// is known.
    pub(super) fn open(place: &Place, names: &[&str], landmark: &str) -> Result<Self, Unavailable> {
        Ok(Self::loaded(place, names)?.known_by(landmark)?)
    }

    /// The first half of [`open`](Self::open): whatever library lies there.
    pub(super) fn loaded(place: &Place, names: &[&str]) -> Result<Self, Unavailable> {
        let (opened, path) = match &place.path {
            Some(path) => {
                let opened = load(path).map_err(|error| one_line(path, &words_of(&error)))?;
                (opened, path.clone())
            }
            None => first_of(names)?,
        };
        Ok(Self { path, opened: ManuallyDrop::new(opened) })
    }

    /// The second half: fails where it has no such function.
    pub(super) fn known_by(mut self, landmark: &str) -> Result<Self, Refused> {
        // SAFETY: only the function's address is used.
        let landmark: *const c_void = unsafe { self.symbol(landmark) }?;
        self.path = loaded_from(landmark, &self.path);
        Ok(self)
    }

    /// A function, or the value of a variable that is a pointer.
    ///
    /// # Safety
    /// `T` must be the function's type.
    pub(super) unsafe fn symbol<T: Copy>(&self, name: &str) -> Result<T, Refused> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.opened.get::<T>(name) };
        found
            .map(|symbol| *symbol)
            .map_err(|_| Refused::Symbol { library: self.path.clone(), name: name.to_owned() })
    }

    /// Whether there is such a function.
    pub(super) fn has(&self, name: &str) -> bool {
        // SAFETY: only whether there is an address is looked at.
        unsafe { self.symbol::<*const c_void>(name) }.is_ok()
    }
}

/// The text of a C string of the library's own; empty for null.
///
/// # Safety
/// `text` must be null or end with a zero byte, and live as long as the library.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null; the caller's promise that it ends with a zero byte and lives long enough.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: opening a library runs its initialisers. The path is one of the usual names or the
    // user's own choice of library to run.
    unsafe { libloading::Library::new(path) }
}

/// The loader's own words, which are behind "dlopen failed".
fn words_of(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// The first of these names that loads. One that is there and does not load, for want of a library
/// that it needs, say, is told only where no other does.
fn first_of(names: &[&str]) -> Result<(libloading::Library, PathBuf), Unavailable> {
    let mut broken = None;
    for &name in names {
        match load(Path::new(name)).map_err(|error| words_of(&error)) {
            Ok(opened) => return Ok((opened, name.into())),
            Err(words) if is_missing(name, &words) => {}
            Err(words) => broken = broken.or(Some(one_line(Path::new(name), &words))),
        }
    }
    let tried = || format!("not found (tried {})", names.join(", "));
    Err(broken.map_or_else(|| Unavailable::not_installed(tried()), Into::into))
}

/// Whether the loader's message says that there is no file of this name, and not that there is none
/// of a library that it needs: glibc names that one alone, musl and macOS both.
fn is_missing(name: &str, error: &str) -> bool {
    let is_of_another = error.contains("needed by") || error.contains("Library not loaded");
    error.contains(name) && error.to_lowercase().contains("no such file") && !is_of_another
}

/// Loader messages may have several lines; an error here has one, and names the file.
fn one_line(path: &Path, words: &str) -> String {
    let message = words.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let path = path.display().to_string();
    if message.contains(&path) { message } else { format!("{path}: {message}") }
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

#[cfg(test)]
mod tests {
    use super::is_missing;

    #[test]
    fn a_library_that_needs_another_is_not_missing_itself() {
        for said in [
            "libbotan-2.so: cannot open shared object file: No such file or directory",
            "Error loading shared library libbotan-2.so: No such file or directory",
            "dlopen(libbotan-2.so, 0x0005): tried: 'libbotan-2.so' (no such file)",
        ] {
            assert!(is_missing("libbotan-2.so", said), "{said}");
        }
        for said in [
            "libbz2.so.1.0: cannot open shared object file: No such file or directory",
            "libbotan-2.so: invalid ELF header",
            "Error loading shared library libbz2.so.1: No such file or directory (needed by \
             /usr/lib/libbotan-2.so)",
            "dlopen(libbotan-2.so, 0x0005): Library not loaded: libbz2.dylib\n  Referenced from: \
             /opt/lib/libbotan-2.so\n  Reason: tried: '/opt/lib/libbz2.dylib' (no such file)",
        ] {
            assert!(!is_missing("libbotan-2.so", said), "{said}");
        }
    }
}
