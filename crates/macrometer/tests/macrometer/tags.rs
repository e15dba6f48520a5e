//! The verbs `tag`, `verify` and `keygen` as a user calls them.

mod closed;
mod inputs;
mod key_places;
mod keys;
mod lists;
mod names;
mod streams;

use std::ffi::OsStr;
use std::fs::Permissions;
use std::io::Write;
use std::ops::Deref;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::process::{Command, Output, Stdio};

use crate::bench::Bench;

const MAC: &str = "hmac-sha256";

/// The key of every bench, in hex; its file is `key`.
const KEY: &str = "a1d3c40f5e6b7788990a1b2c3d4e5f60718293a4b5c6d7e8f90011223344fe5d";

/// A folder to work in, with a key.
struct KeyBench(Bench);

impl Deref for KeyBench {
    type Target = Bench;

    fn deref(&self) -> &Bench {
        &self.0
    }
}

/// How a call ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

impl KeyBench {
    fn new() -> Self {
        let bench = Self(Bench::new());
        bench.private("key", KEY);
        bench
    }

    /// A file that only its owner can read.
    fn private(&self, name: &str, content: impl AsRef<[u8]>) {
        let mut options = std::fs::OpenOptions::new();
        let options = options.write(true).create(true).truncate(true).mode(0o600);
        options.open(self.path(name)).unwrap().write_all(content.as_ref()).unwrap();
    }

    /// Takes all permissions from a file, which stops those that [`KeyBench::stopped`] runs.
    fn lock(&self, name: &str) {
        std::fs::set_permissions(self.path(name), Permissions::from_mode(0o000)).unwrap();
    }

    /// The command in this folder.
    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.0.command(&[]);
        command.args(arguments);
        command
    }

    fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    /// As `run`, but permissions stop root, too: without the capabilities to pass over them.
    fn stopped<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ended {
        if !rustix::process::geteuid().is_root() {
            return self.run(arguments);
        }
        let without = "-dac_override,-dac_read_search";
        let mut command = Command::new("setpriv");
        command.args(["--inh-caps", without, "--bounding-set", without]);
        command.arg(env!("CARGO_BIN_EXE_macrometer")).args(arguments);
        command.current_dir(self.folder()).stdin(Stdio::null());
        Ended::from(command.output().expect("setpriv (util-linux)"))
    }

    /// The words of one line, as a shell would split them at spaces.
    fn words(&self, line: &str) -> Ended {
        self.run(&line.split(' ').collect::<Vec<_>>())
    }

    /// A line of `sh` in which `$M` is the command.
    fn shell(&self, line: &str) -> Ended {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.folder()).stdin(Stdio::null());
        command.env("M", env!("CARGO_BIN_EXE_macrometer"));
        Ended::from(command.output().unwrap())
    }

    /// The line or lines of `tag` for these files under the bench's key.
    fn tag<S: AsRef<OsStr>>(&self, more: &[S]) -> Vec<u8> {
        let begin = ["tag", "--mac", MAC, "--key-file", "key"].map(OsStr::new);
        let arguments: Vec<&OsStr> =
            begin.into_iter().chain(more.iter().map(AsRef::as_ref)).collect();
        let ended = self.run(&arguments);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(ended.stderr, "");
        ended.stdout
    }

    /// `verify` under the bench's key.
    fn verify(&self, more: &str) -> Ended {
        self.words(&format!("verify --mac {MAC} --key-file key {more}"))
    }
}

impl Ended {
    fn from(output: Output) -> Self {
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        Self { code: output.status.code(), stdout: output.stdout, stderr }
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// One line on standard error that has these words, exit code 2, no result.
    #[track_caller]
    fn is_refused_with(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.stdout.is_empty(), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in {:?}", self.stderr);
        }
    }
}

/// The tag of a message under the bench's key, by the library.
fn expected(message: &[u8]) -> String {
    hex::encode(macs::mac(MAC, &hex::decode(KEY).unwrap(), message).unwrap())
}
