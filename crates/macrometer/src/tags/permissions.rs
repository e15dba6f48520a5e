//! Who can read or change a key file, or put another in its place, beside its user and root.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use trust::{doubt_of_place, is_trusted};

const READABLE_BY_OTHERS: u32 = 0o044;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// What is to be told of a key file that is read, by its name where it has one.
pub fn doubts_of_key(file: &Metadata, path: Option<&Path>) -> Vec<String> {
    let mut doubts = Vec::new();
    let mode = file.mode() & 0o7777;
    let others = file.mode() & (READABLE_BY_OTHERS | WRITABLE_BY_OTHERS);
    if others & WRITABLE_BY_OTHERS != 0 {
        doubts.push(format!(
            "others than its owner can change this key (mode {mode:04o}); chmod 600 would stop them"
        ));
    } else if others != 0 {
        doubts.push(format!(
            "others than its owner can read this key (mode {mode:04o}); chmod 600 would hide it"
        ));
    }
    if !is_trusted(file.uid()) {
        doubts.push(format!("this key belongs to user {}, who can read it", file.uid()));
    }
    doubts.extend(path.and_then(doubt_of_place));
    doubts
}
