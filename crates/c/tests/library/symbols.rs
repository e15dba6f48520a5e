//! What the shared library shows of itself.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::compiled::{folder, is_there, root, skipped};

/// What a program prints about the shared library; `None`, which is told, without the program.
fn told(program: &str, arguments: &[&str]) -> Option<String> {
    if !is_there(program) {
        skipped(&format!("no {program} (package binutils)"));
        return None;
    }
    let ended = Command::new(program).args(arguments).arg(folder().join("libmacs.so.0")).output();
    let ended = ended.expect("it starts");
    assert!(ended.status.success(), "{program}: {}", String::from_utf8_lossy(&ended.stderr));
    Some(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// The functions that the header declares: the word before an opening bracket, in the lines that
/// are not comments.
fn declared() -> BTreeSet<String> {
    let header = fs::read_to_string(root().join("include/macs.h")).expect("a header");
    let lines = header.lines().filter(|line| !line.starts_with([' ', '/', '#', '*']));
    let names = lines.filter_map(|line| line.split_once('(')?.0.split([' ', '*']).next_back());
    names.map(str::to_owned).collect()
}

#[test]
fn it_exports_what_the_header_declares_and_nothing_else() {
    let Some(told) = told("nm", &["-D", "--defined-only"]) else { return };
    let exported: BTreeSet<String> =
        told.lines().filter_map(|line| Some(line.split_whitespace().nth(2)?.to_owned())).collect();
    assert!(exported.iter().all(|name| name.starts_with("macs_")), "{exported:?}");
    assert_eq!(exported, declared());
    assert!(exported.len() > 30, "{exported:?}");
}

#[test]
fn its_name_has_the_number_of_its_interface() {
    let Some(told) = told("readelf", &["-d"]) else { return };
    let header = fs::read_to_string(root().join("include/macs.h")).expect("a header");
    let (_, rest) = header.split_once("#define MACS_ABI_VERSION ").expect("a number");
    let number = rest.lines().next().expect("a line").trim();
    assert!(told.contains(&format!("soname: [libmacs.so.{number}]")), "{told}");
}
