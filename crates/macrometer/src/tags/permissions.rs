//! Who can read a key file or put another in its place, beside its user and root.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const READABLE_BY_OTHERS: u32 = 0o044;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// The folder that a file of this name is in.
///
/// # Errors
/// When it is not there.
pub fn folder(path: &Path) -> io::Result<Metadata> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::metadata(folder.unwrap_or(Path::new(".")))
}

/// What is to be told of a key file that is read.
pub fn doubts_of_key(file: &Metadata, folder: Option<&Metadata>) -> Vec<String> {
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
    doubts.extend(folder.and_then(doubt_of_folder));
    doubts
}

/// Why somebody else could put another file in the place of one in this folder.
pub fn doubt_of_folder(folder: &Metadata) -> Option<String> {
    if !is_trusted(folder.uid()) {
        let owner = folder.uid();
        return Some(format!("it is in a folder of user {owner}, who can replace it"));
    }
    let is_writable = folder.mode() & WRITABLE_BY_OTHERS != 0 && folder.mode() & STICKY == 0;
    is_writable.then(|| {
        format!(
            "it is in a folder that others can write to (mode {:04o}), who can replace it",
            folder.mode() & 0o7777
        )
    })
}

/// Whether this is our user or root, who can do anything here.
fn is_trusted(owner: u32) -> bool {
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}
