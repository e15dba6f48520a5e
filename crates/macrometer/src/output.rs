//! Standard output and the end of the process: a full disk or a broken pipe is an error, never
//! silence, and every failure is one line on standard error with exit code 2.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

/// Exit code for usage, format and input/output errors.
const TROUBLE: u8 = 2;

/// Writes results to standard output and makes sure that they arrived.
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

/// Says something on standard error. That nobody listens is no reason to stop measuring.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a file whole or not at all.
///
/// # Errors
/// Naming the file.
pub fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let half = path.with_extension("part");
    let written = std::fs::write(&half, content).and_then(|()| std::fs::rename(&half, path));
    written.map_err(|error| {
        // Nothing half-written stays behind; that it cannot be removed would not help anybody.
        let _ = std::fs::remove_file(&half);
        anyhow::anyhow!("{}: cannot be written: {error}", path.display())
    })
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
