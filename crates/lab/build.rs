//! Names the compiler, which belongs to what is known of a run.

use std::process::Command;

fn main() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = Command::new(compiler).arg("--version").output();
    let version = told.map(|it| String::from_utf8_lossy(&it.stdout).trim().to_owned());
    println!("cargo::rustc-env=MACROMETER_COMPILER={}", version.unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
}
