//! The compact set is part of the binary: a new file in it is a reason to build again, which Cargo
//! does not see by itself.

fn main() {
    println!("cargo::rerun-if-changed=cases");
    println!("cargo::rerun-if-changed=build.rs");
}
