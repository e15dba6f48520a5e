//! The command under test, in a folder of its own, and what becomes of it.

use std::fs;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Whatever takes longer hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Bad input is refused within this time.
pub const REFUSED_WITHIN: Duration = Duration::from_secs(10);

/// A folder that is made anew and goes with this.
pub struct Bed {
    program: PathBuf,
    folder: PathBuf,
}

/// How a command ended.
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub took: Duration,
    pub has_hung: bool,
}

impl Bed {
    pub fn new(program: &Path, name: &str, seed: u64) -> Self {
        let name = format!("macrometer-campaign-{}-{name}-{seed:x}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("a folder to try things in");
        Self { program: program.to_owned(), folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file to be written");
    }

    pub fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.path(name));
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.of(Command::new(&self.program), arguments)
    }

    /// Under limits that a shell sets; `$M` is the program.
    pub fn shell(&self, line: &str) -> Command {
        let mut command = self.of(Command::new("bash"), &["-c", line]);
        command.env("M", &self.program);
        command
    }

    fn of(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.args(arguments).current_dir(&self.folder);
        command.env("XDG_DATA_HOME", self.path("data")).env("XDG_CACHE_HOME", self.path("cache"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What it has started goes with it when it hangs.
        command.process_group(0);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        ended(self.command(arguments).spawn().expect("the program to start"), PATIENCE)
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Waits for the end, and makes one where there is none.
pub fn ended(mut child: Child, patience: Duration) -> Ended {
    let begun = Instant::now();
    let stdout = child.stdout.take().map(|it| thread::spawn(move || whole(it)));
    let stderr = child.stderr.take().map(|it| thread::spawn(move || whole(it)));
    let mut has_hung = false;
    let status = loop {
        match child.try_wait().expect("a child to wait for") {
            Some(status) => break status,
            None if begun.elapsed() > patience && !has_hung => {
                has_hung = true;
                kill(&child, "-KILL");
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let bytes = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        reader.map_or_else(Vec::new, |reader| reader.join().unwrap_or_default())
    };
    let (stdout, stderr) = (bytes(stdout), bytes(stderr));
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    Ended { status, stdout, stderr, took: begun.elapsed(), has_hung }
}

fn whole(mut from: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    bytes
}

/// A signal to a child and all that it has started.
pub fn kill(child: &Child, signal: &str) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args([signal, "--", &group]).stderr(Stdio::null()).status();
}

impl Ended {
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// A panic, a signal or no end: what never may be.
    pub fn is_broken(&self) -> Option<String> {
        let said = self.stderr.lines().next().unwrap_or_default();
        if self.has_hung {
            return Some(format!("no end within {} s", self.took.as_secs()));
        }
        if let Some(signal) = self.status.signal() {
            return Some(format!("ended by signal {signal}: {said}"));
        }
        let has_panicked = self.stderr.contains("panicked at") || self.code() == Some(101);
        has_panicked.then(|| format!("a panic: {said}"))
    }

    /// What is wrong with it as an answer to bad input: one line and exit code 2, soon; or none,
    /// where the input was good after all.
    pub fn is_no_refusal(&self) -> Option<String> {
        let broken = self.is_broken();
        let lines = self.stderr.lines().count();
        let first = self.stderr.lines().next().unwrap_or_default();
        broken.or_else(|| match self.code() {
            _ if self.took > REFUSED_WITHIN => Some(format!("took {} s", self.took.as_secs())),
            Some(0) => None,
            Some(2) if lines == 1 && first.starts_with("macrometer: ") => None,
            code => Some(format!("exit code {code:?}, {lines} lines: {first}")),
        })
    }
}
