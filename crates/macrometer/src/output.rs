//! Standard output and the end of the process: a full disk or a broken pipe is an error, never
//! silence, and every failure is one line on standard error with exit code 2.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use report::terminal::wrapped;
use tempfile::NamedTempFile;
use trust::folder_of;
use words::legible;

use crate::halves;

/// Exit code for usage, format and input/output errors.
const TROUBLE: u8 = 2;

/// How long something is waited for in silence.
const SAID_AFTER: Duration = Duration::from_secs(5);

/// Writes what is to be read on a terminal to standard output: names and titles in it may be those
/// of a stranger. Text with colours is [`print`]ed, since only who painted it knows which are ours.
///
/// # Errors
/// As [`print`].
pub fn print_text(text: &str) -> Result<()> {
    print(&legible(text))
}

/// Writes results to standard output as they are, for programs, and makes sure that they arrived.
///
/// # Errors
/// When they did not; a reader that has gone (`| head`) counts as satisfied.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') { Ok(()) } else { stdout.write_all(b"\n") });
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("standard output cannot be written"),
    }
}

/// Says something on standard error, in lines as wide as a terminal has them; elsewhere in one.
/// That nobody listens is no reason to stop measuring.
pub fn say(line: &str) {
    let mut stderr = io::stderr();
    let line = legible(line);
    let _ = match stderr.is_terminal() {
        true => writeln!(stderr, "{}", wrapped(&line, width(), "")),
        false => writeln!(stderr, "{line}"),
    };
}

/// Columns of the terminal, or what a pipe's reader can be expected to have.
pub fn width() -> usize {
    // A terminal that does not know its width says 0.
    let told = comfy_table::Table::new().width().filter(|width| *width > 0);
    told.map_or(100, usize::from)
}

/// Says on standard error what is waited for, where that takes long: a pipe with nobody at its
/// other end, a password that another program asks for. It ends with this.
pub struct Waiting(#[expect(dead_code, reason = "dropped, not used")] Option<Sender<()>>);

impl Waiting {
    /// From now on.
    pub fn for_(what: String) -> Self {
        let (ended, end) = channel();
        let watch = move || {
            if end.recv_timeout(SAID_AFTER) == Err(RecvTimeoutError::Timeout) {
                say(&format!("macrometer: waiting for {what}"));
            }
        };
        // Where no thread can be had, nothing is said.
        Self(std::thread::Builder::new().spawn(watch).ok().map(|_| ended))
    }
}

/// A word of a command line as a shell reads it.
pub fn quoted(word: &str) -> Cow<'_, str> {
    // Only a zero byte cannot be quoted, and no argument has one.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

/// Writes a file whole or not at all, even where the machine stops.
///
/// # Errors
/// Naming the file.
pub fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let written = half_of(path).and_then(|mut half| {
        half.write_all(content)?;
        half.as_file().sync_all()?;
        half.persist(path).map_err(|error| error.error)
    });
    written.map(|_| ()).map_err(|error| unwritten(path, &error))
}

/// What a name that the user gave is of.
enum Named {
    /// Our own, whatever it was opened as.
    Output,
    Errors,
    /// What nothing is to take the place of.
    Device,
    File,
    /// A pipe would wait for its reader, perhaps for ever.
    Other,
}

impl Named {
    fn of(path: &Path) -> Self {
        match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return Self::Output,
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => return Self::Errors,
            _ => {}
        }
        match fs::metadata(path) {
            Ok(it) if it.file_type().is_char_device() => Self::Device,
            Ok(it) if !it.is_file() && !it.is_dir() => Self::Other,
            _ => Self::File,
        }
    }
}

/// Writes what the user has named: a file as [`write_file`], but into a device, or our own standard
/// output.
///
/// # Errors
/// As [`write_file`].
pub fn write_named(path: &Path, content: &[u8]) -> Result<()> {
    fn all(mut to: impl Write, content: &[u8]) -> io::Result<()> {
        to.write_all(content)?;
        to.flush()
    }
    let written = match Named::of(path) {
        Named::Output => all(io::stdout().lock(), content),
        Named::Errors => all(io::stderr().lock(), content),
        Named::Device => OpenOptions::new().write(true).open(path).and_then(|it| all(it, content)),
        Named::File | Named::Other => return write_file(path, content),
    };
    match written {
        // Whoever read it has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritten(path, &error)),
        _ => Ok(()),
    }
}

/// Whether [`write_named`] can write there, as far as that is known before; nothing is left behind.
///
/// # Errors
/// As [`write_file`]; and a pipe or a socket is refused.
pub fn check_named(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Err(unwritten(path, &io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let checked = match Named::of(path) {
        Named::Output | Named::Errors => Ok(()),
        Named::Device => OpenOptions::new().write(true).open(path).map(drop),
        Named::File => match fs::symlink_metadata(path) {
            // A name that is too long, or goes through a file.
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => half_of(path).map(drop),
        },
        Named::Other => {
            bail!("cannot write {}: it is neither a file nor a device", path.display())
        }
    };
    checked.map_err(|error| unwritten(path, &error))
}

fn half_of(path: &Path) -> io::Result<NamedTempFile> {
    halves::file(folder_of(path), 0o666)
}

fn unwritten(path: &Path, error: &io::Error) -> anyhow::Error {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
        _ => words::reason(error),
    };
    anyhow::anyhow!("cannot write {}: {why}", path.display())
}

/// One line for whatever went wrong, and the exit code.
pub fn end(outcome: Result<u8>) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let line = format!("{error:#}").replace('\n', " ");
            say(&format!("macrometer: {line}"));
            ExitCode::from(TROUBLE)
        }
    }
}

/// Whether standard output may carry colours.
pub fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_written_into_and_stays_what_it_is() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        std::os::unix::fs::symlink("/dev/null", path("null")).unwrap();
        check_named(&path("null")).unwrap();
        write_named(&path("null"), b"lost").unwrap();
        assert!(path("null").symlink_metadata().unwrap().is_symlink());
        for ours in ["/dev/stdout", "/dev/stderr"] {
            check_named(Path::new(ours)).unwrap();
        }
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        let error = check_named(&path("socket")).unwrap_err().to_string();
        assert!(error.ends_with("it is neither a file nor a device"), "{error}");
        // A link in a folder of reports may be somebody else's.
        write_file(&path("null"), b"kept").unwrap();
        assert!(path("null").symlink_metadata().unwrap().is_file());
        // What is a file, or nothing yet, is replaced whole.
        for content in ["first", "second"] {
            check_named(&path("file")).unwrap();
            write_named(&path("file"), content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(path("file")).unwrap(), content);
        }
        assert!(check_named(place.path()).is_err());
        let error = check_named(&path(&"x".repeat(300))).unwrap_err().to_string();
        assert!(error.ends_with(": file name too long"), "{error}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3, "nothing is left behind");
    }
}
