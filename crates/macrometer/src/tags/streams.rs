//! Standard input and output, unbuffered (a buffer could keep a key) and known to be connected; and
//! files by name, where `-` is standard input.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;

use anyhow::{Context, Result};
use rustix::fs::{OFlags, fcntl_getfl, fstat};

/// What a stream looks like that was closed when the process was started.
const CLOSED: &str = "is closed, or the null device opened for reading and writing";

/// Standard input, which can be read once: as the key, the list or a message.
#[derive(Debug, Default)]
pub struct Stdin {
    read_as: Option<&'static str>,
}

impl Stdin {
    /// Standard input, from now on taken.
    ///
    /// # Errors
    /// Naming what it was taken for before; when it is closed.
    pub fn take(&mut self, what: &'static str) -> io::Result<File> {
        if let Some(before) = self.read_as.replace(what) {
            return Err(io::Error::other(format!("was already read as {before}")));
        }
        let stdin = io::stdin();
        if is_closed(stdin.as_fd()) {
            return Err(io::Error::other(CLOSED));
        }
        stdin.as_fd().try_clone_to_owned().map(File::from)
    }

    /// The file of this name; `-` is standard input.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn or_file(&mut self, name: &OsStr, what: &'static str) -> io::Result<File> {
        if name == "-" { self.take(what) } else { File::open(name) }
    }
}

/// Standard output, for what must not be lost.
///
/// # Errors
/// When it is closed.
pub fn stdout() -> Result<File> {
    let stdout = io::stdout();
    let open = if is_closed(stdout.as_fd()) {
        Err(io::Error::other(CLOSED))
    } else {
        stdout.as_fd().try_clone_to_owned()
    };
    open.map(File::from).context("standard output")
}

/// What is said when results did not arrive: unlike elsewhere, a reader that has gone too.
pub const UNWRITTEN: &str = "standard output cannot be written";

/// Rust's runtime opens `/dev/null` for reading and writing in the place of a closed standard
/// stream before `main` begins. Whoever redirects to it on purpose opens it, as a rule, for one of
/// the two only.
fn is_closed(stream: BorrowedFd<'_>) -> bool {
    let both_ways = fcntl_getfl(stream).is_ok_and(|flags| flags.contains(OFlags::RDWR));
    let null = std::fs::metadata("/dev/null").map(|null| null.rdev());
    both_ways && fstat(stream).ok().zip(null.ok()).is_some_and(|(it, null)| it.st_rdev == null)
}

/// A file's name in a message: one line of text whatever the name holds.
pub fn shown(name: &OsStr) -> String {
    if name == "-" {
        return "standard input".into();
    }
    let mut shown = String::from(if name.is_empty() { "\"\"" } else { "" });
    for letter in name.to_string_lossy().chars() {
        if words::is_control(letter) || matches!(letter, '\n' | '\t') {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}
