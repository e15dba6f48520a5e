//! A folder for each test, and the command as a user calls it there.
#![allow(dead_code, reason = "no test binary needs all of it")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rusqlite::Connection;
use tempfile::TempDir;

/// A folder to work in, which the command also takes for the user's data folder.
pub struct Bench(TempDir);

impl Bench {
    /// With these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let bench = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            bench.write(name, content);
        }
        bench
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Where runs are kept unless the user says otherwise.
    pub fn archive(&self) -> PathBuf {
        self.path("macrometer/archive.db")
    }

    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_macrometer"));
        command.env("XDG_DATA_HOME", self.0.path()).current_dir(self.0.path());
        command.args(arguments).stdin(Stdio::null());
        command
    }

    pub fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Exit code 0; what it printed.
    #[track_caller]
    pub fn right(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// One line on standard error, exit code 2, nothing on standard output; the line.
    #[track_caller]
    pub fn wrong(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        error
    }

    /// Starts a long run, and waits until it says that samples are kept; with how many.
    pub fn started(&self, arguments: &[&str]) -> (Child, i64) {
        self.measuring(arguments, 0)
    }

    /// The same of a run that has so many samples already.
    pub fn measuring(&self, arguments: &[&str], before: i64) -> (Child, i64) {
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let kept = lines.find_map(|line| {
            let line = line.unwrap();
            let (words, _) = line.split_once(" samples kept")?;
            words.rsplit(' ').next()?.parse().ok().filter(|&kept| kept > before)
        });
        // Whoever writes lines that nobody reads must not be stopped by it.
        std::thread::spawn(move || lines.for_each(drop));
        (child, kept.expect("a line that says how many samples are kept"))
    }

    /// The archive, as another program opens it.
    pub fn kept(&self) -> Connection {
        Connection::open(self.archive()).unwrap()
    }

    /// Rows of a table of the archive.
    pub fn count(&self, table: &str) -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        self.kept().query_row(&count, [], |row| row.get(0)).unwrap()
    }

    /// How its one run has ended.
    pub fn state(&self) -> String {
        self.kept().query_row("SELECT state FROM run", [], |row| row.get(0)).unwrap()
    }
}
