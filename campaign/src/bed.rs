//! The command under test, in a folder of its own, and what becomes of it.

use std::cell::Cell;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::watch;

/// Whatever takes longer hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Compilers take longer.
const COMPILING: Duration = Duration::from_secs(900);

/// Bad input is refused within this time.
pub const REFUSED_WITHIN: Duration = Duration::from_secs(10);

const SIGABRT: i32 = 6;

/// A folder that is made anew and goes with this.
pub struct Bed {
    program: PathBuf,
    folder: PathBuf,
    started: Cell<u64>,
    has_runtimes: Cell<bool>,
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
        // The name that the system has for it.
        let folder = folder.canonicalize().expect("the folder just made");
        Self {
            program: program.to_owned(),
            folder,
            started: Cell::new(0),
            has_runtimes: Cell::new(false),
        }
    }

    /// Whether the languages of this machine can be found, which takes its time.
    pub fn let_find_runtimes(&self, can: bool) {
        self.has_runtimes.set(can);
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

    /// With its log.
    pub fn remove_archive(&self, name: &str) {
        ["", "-wal", "-shm"].iter().for_each(|end| self.remove(&format!("{name}{end}")));
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.other(&self.program.to_string_lossy(), arguments);
        if !self.has_runtimes.get() {
            command.env("PATH", &self.folder);
        }
        command
    }

    /// Where the paths of the next process are to be listed, if it is one of those watched.
    pub fn log(&self) -> Option<PathBuf> {
        let number = self.started.replace(self.started.get() + 1);
        watch::is_turn(number).then(|| self.path(&format!("watched-{number}")))
    }

    /// How many processes were watched, and what they did outside this folder.
    pub fn strays(&self) -> (u64, Vec<String>) {
        let mut strays = Vec::new();
        let logs = (0..self.started.get()).map(|number| self.path(&format!("watched-{number}")));
        let mut count = 0;
        for log in logs {
            let Ok(bytes) = fs::read(&log) else { continue };
            let _ = fs::remove_file(&log);
            count += 1;
            strays
                .extend(watch::strays(&String::from_utf8_lossy(&bytes), &[&self.folder, &cache()]));
        }
        strays.iter_mut().for_each(|line| line.insert_str(0, "elsewhere: "));
        (count, strays)
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Any other program, as the command under test is started.
    pub fn other(&self, program: &str, arguments: &[&str]) -> Command {
        let command = match self.log() {
            Some(log) => watch::watched(Path::new(program), &log),
            None => Command::new(program),
        };
        self.of(command, arguments)
    }

    /// One that is not watched, for it is `strace` itself.
    pub fn unwatched(&self, program: &Path, arguments: &[&str]) -> Command {
        self.of(Command::new(program), arguments)
    }

    /// Under limits that a shell sets; `$M` is the program.
    pub fn shell(&self, line: &str) -> Command {
        let mut command = self.other("bash", &["-c", line]);
        command.env("M", &self.program);
        command
    }

    fn of(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.args(arguments).current_dir(&self.folder);
        command.env("XDG_DATA_HOME", self.path("data")).env("XDG_CACHE_HOME", cache());
        // Other languages' tools keep things in their user's home.
        command.env("HOME", &self.folder);
        if let Some(pyenv) = pyenv() {
            command.env("PYENV_ROOT", pyenv);
        }
        command.env("TMPDIR", &self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What it has started goes with it when it hangs.
        command.process_group(0);
        command
    }

    /// Processes that were started here and have not ended, each by its number and its command.
    pub fn living(&self) -> Vec<(u32, String)> {
        let marker = [b"XDG_DATA_HOME=", self.path("data").as_os_str().as_bytes(), b"\0"].concat();
        let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = numbers.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
        let is_ours = |number: &u32| {
            let of = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            of.windows(marker.len()).any(|it| it == marker) && !is_ended(*number)
        };
        let told = |number: u32| {
            let line = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
            (number, String::from_utf8_lossy(&line).replace('\0', " "))
        };
        numbers.filter(is_ours).map(told).collect()
    }

    /// Ends all that was started here, whatever group it is in.
    pub fn kill_all(&self) {
        for (number, _) in self.living() {
            signal(&number.to_string(), "-KILL");
        }
    }

    /// What may have to compile workers first, which takes minutes where cores are busy.
    pub fn prepare(&self, arguments: &[&str]) -> Ended {
        ended(self.command(arguments).spawn().expect("the program to start"), COMPILING)
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        ended(self.command(arguments).spawn().expect("the program to start"), PATIENCE)
    }
}

/// Whether nobody but its parent has to do with it any more.
fn is_ended(number: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
}

/// The cache of all beds, so that workers are compiled once.
pub fn cache() -> PathBuf {
    let temporary = std::env::temp_dir();
    let temporary = temporary.canonicalize().unwrap_or(temporary);
    temporary.join(format!("macrometer-campaign-{}-cache", std::process::id()))
}

/// Where pyenv has its versions: its `python3` asks for them below the user's home.
fn pyenv() -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let own = std::env::var_os("PYENV_ROOT").map_or_else(|| home.join(".pyenv"), PathBuf::from);
    own.is_dir().then_some(own)
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

/// A signal to a child and all that it has started and that is of its group: workers are not.
pub fn kill(child: &Child, name: &str) {
    signal(&format!("-{}", child.id()), name);
}

/// Kills a child alone, and not what it has started; of one under `strace`, what is watched.
pub fn kill_alone(child: &Child) {
    let number = child.id();
    let name = fs::read_to_string(format!("/proc/{number}/comm")).unwrap_or_default();
    if name.trim() != "strace" {
        return signal(&number.to_string(), "-KILL");
    }
    let children = fs::read_to_string(format!("/proc/{number}/task/{number}/children"));
    match children.unwrap_or_default().split_once(' ') {
        Some((first, _)) => signal(first, "-KILL"),
        // What strace is about to start stops until it is traced: for good, without strace.
        None => kill(child, "-KILL"),
    }
}

fn signal(to: &str, name: &str) {
    let _ = Command::new("kill").args([name, "--", to]).stderr(Stdio::null()).status();
}

impl Ended {
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Ended by itself for want of memory, which was said by Rust, by its standard library, which
    /// panics where a new thread finds no room for a second stack, or by glibc for what a thread
    /// has to undo: none of them can be asked for an error instead.
    pub fn is_out_of_memory(&self) -> bool {
        let panics = self.stderr.matches("panicked at").count();
        let of_std = self.stderr.matches("failed to allocate an alternative stack").count();
        let by_glibc =
            self.stderr.contains("Fatal glibc error") && self.stderr.contains("out of memory");
        let has_said = self.stderr.contains("memory allocation of") || of_std > 0 || by_glibc;
        self.status.signal() == Some(SIGABRT) && has_said && panics == of_std
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
