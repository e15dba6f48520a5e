//! Who can read a key file or put another in its place, beside its user and root.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const READABLE_BY_OTHERS: u32 = 0o044;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// The folder that a file of this name is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

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

/// Why somebody else could put another file in the place of this one, or another folder in the
/// place of one above it. None where that cannot be known: the file cannot be reached then, either.
pub fn doubt_of_place(file: &Path) -> Option<String> {
    let folder = folder_of(file).canonicalize().ok()?;
    folder.ancestors().find_map(|it| {
        let doubt = doubt_of_folder(&fs::metadata(it).ok()?)?;
        Some(match it == folder {
            true => format!("it is in {doubt}"),
            false => format!("it is below {}, {doubt}", it.display()),
        })
    })
}

/// Why somebody else could put another file in the place of one in this folder.
pub fn doubt_of_folder(folder: &Metadata) -> Option<String> {
    if !is_trusted(folder.uid()) {
        return Some(format!("a folder of user {}, who can replace it", folder.uid()));
    }
    let is_writable = folder.mode() & WRITABLE_BY_OTHERS != 0 && folder.mode() & STICKY == 0;
    is_writable.then(|| {
        let mode = folder.mode() & 0o7777;
        format!("a folder that others can write to (mode {mode:04o}), who can replace it")
    })
}

/// Whether this is our user or root, who can do anything here.
fn is_trusted(owner: u32) -> bool {
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}
