//! Builds OpenSSL's libcrypto for the feature `openssl-vendored`; without it there is nothing to
//! do.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "openssl-vendored")]
    if let Err(error) = vendored::libcrypto() {
        println!("cargo::error=openssl-vendored: {error}");
    }
}

#[cfg(feature = "openssl-vendored")]
mod vendored {
    use std::env;
    use std::path::PathBuf;

    /// The name of the shared object; `ffi/openssl/vendored.rs` takes it up.
    const SHARED_OBJECT: &str = "libcrypto-vendored.so";

    /// Builds the static libcrypto (position-independent code, with assembly, as `Configure` has it
    /// by default), and makes one shared object of all of it: the provider opens it like any other,
    /// and its names meet those of no other library.
    pub(super) fn libcrypto() -> Result<(), String> {
        let system = env::var("CARGO_CFG_TARGET_OS").map_err(|error| error.to_string())?;
        if system != "linux" {
            return Err(format!("for Linux only, not for {system}: build without this feature"));
        }
        let folder = env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
        let folder = PathBuf::from(folder);
        let built = openssl_src::Build::new().try_build();
        let built = built.map_err(|error| {
            // What failed and why; the whole command comes behind.
            let why = error.lines().take(2).map(str::trim).collect::<Vec<_>>().join(" ");
            format!("{why} (OpenSSL is built by perl, make and a C compiler)")
        })?;
        let mut link = cc::Build::new().cargo_metadata(false).get_compiler().to_command();
        // -Bsymbolic as OpenSSL links its own: without it, its functions would call each other by a
        // table of 4,900 addresses, and another libcrypto of the process could get into it.
        link.args(["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,-s", "-o"]);
        link.arg(folder.join(SHARED_OBJECT)).arg("-Wl,--whole-archive");
        link.arg(built.lib_dir().join("libcrypto.a"));
        link.args(["-Wl,--no-whole-archive", "-lpthread", "-ldl"]);
        let ended = link.status().map_err(|error| format!("{link:?}: {error}"))?;
        if !ended.success() {
            return Err(format!("{link:?} failed: {ended}"));
        }
        Ok(())
    }
}
