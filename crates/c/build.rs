//! The name by which programs that were linked with the library ask for it.

use std::env;
use std::fs;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/edge/version.rs");
    // cargo-c gives it itself.
    if env::var_os("CARGO_CFG_CARGO_C").is_some() {
        return;
    }
    let Some(version) = abi_version() else {
        println!("cargo::error=src/edge/version.rs: MACS_ABI_VERSION is not found");
        return;
    };
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "freebsd" | "netbsd" | "openbsd" | "dragonfly" | "android") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmacs.so.{version}");
        }
        Ok("macos") => {
            let name = format!("@rpath/libmacs.{version}.dylib");
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,{name}");
        }
        _ => {}
    }
}

fn abi_version() -> Option<u32> {
    let source = fs::read_to_string("src/edge/version.rs").ok()?;
    let (_, rest) = source.split_once("MACS_ABI_VERSION: u32 = ")?;
    rest.split_once(';')?.0.parse().ok()
}
