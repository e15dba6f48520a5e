//! The table of versions says what Cargo.lock says.

use std::fs;

use providers::rustcrypto::VERSIONS;

#[test]
fn versions_are_those_of_the_lock_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = fs::read_to_string(path).expect("the workspace has a lock file");
    let mut lines = lock.lines().peekable();
    let mut packages = Vec::new();
    while let Some(line) = lines.next() {
        let (name, version) = (value(line, "name"), lines.peek());
        if let (Some(name), Some(version)) = (name, version.and_then(|line| value(line, "version")))
        {
            packages.push((name, version));
        }
    }
    for (name, version) in VERSIONS {
        let locked: Vec<_> = packages.iter().filter(|package| package.0 == name).collect();
        assert_eq!(locked, [&(name, version)], "correct VERSIONS in src/rustcrypto.rs");
    }
}

fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')
}
