//! Standard input and output, unbuffered (a buffer could keep a key) and known to be connected; and
//! files by name, where `-` is standard input.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
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

/// Writes a line with a file's name to standard output: as it is for programs, and for a terminal
/// with nothing in it that a terminal would act on.
///
/// # Errors
/// When it cannot be written.
pub fn write_line(stdout: &mut impl Write, line: &[u8]) -> io::Result<()> {
    stdout.write_all(&line_for(io::stdout().is_terminal(), line))
}

/// The line as a terminal or a program gets it; what ends it stays.
fn line_for(is_terminal: bool, line: &[u8]) -> Cow<'_, [u8]> {
    match line.split_last() {
        Some((end, text)) if is_terminal => {
            let text = String::from_utf8_lossy(text);
            Cow::Owned([words::legible(&text).as_bytes(), &[*end]].concat())
        }
        _ => Cow::Borrowed(line),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_control_characters_and_a_program_every_byte() {
        for (line, shown) in [
            (&b"a\x1b[2J\x07: OK\n"[..], "a\u{fffd}[2J\u{fffd}: OK\n"),
            ("a\u{202e}b: OK\n".as_bytes(), "a\u{fffd}b: OK\n"),
            // An 8-bit CSI, which is no UTF-8.
            (b"a\x9b2J: OK\0", "a\u{fffd}2J: OK\0"),
            ("Größe\t日本語: OK\n".as_bytes(), "Größe\t日本語: OK\n"),
            (b"", ""),
        ] {
            assert_eq!(line_for(true, line), shown.as_bytes());
            assert_eq!(line_for(false, line), line);
        }
    }
}
