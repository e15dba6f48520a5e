//! What a command that was run must have ended with.

use std::process::Output;

/// Exit code 0; what it printed.
pub fn right(arguments: &[&str], output: Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// One line on standard error, exit code 2, nothing on standard output; the line.
pub fn wrong(arguments: &[&str], output: Output) -> String {
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    error
}
