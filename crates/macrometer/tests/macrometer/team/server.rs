//! A PostgreSQL of its own for a test: in a folder, on a socket, as an ordinary user.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Where Debian's packages have the programs, newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 15..=30;

/// How the socket of a server is called in its folder.
const SOCKET: &str = ".s.PGSQL.5432";

const PATIENCE: Duration = Duration::from_secs(60);

/// The folder of the programs. Where there is none, the test is skipped with a line, unless the
/// environment says that it must not be.
pub fn programs() -> Option<PathBuf> {
    let debian = VERSIONS.rev().map(|it| PathBuf::from(format!("/usr/lib/postgresql/{it}/bin")));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = debian.chain(std::env::split_paths(&path).collect::<Vec<_>>());
    let found = folders.find(|it| it.join("initdb").is_file() && it.join("postgres").is_file());
    if found.is_none() {
        println!("skipped: no PostgreSQL (Debian's package postgresql)");
        let is_strict = std::env::var_os("MACROMETER_TEST_POSTGRES").is_some();
        assert!(!is_strict, "MACROMETER_TEST_POSTGRES is set, and there is no PostgreSQL");
    }
    found
}

/// A server, which ends with it.
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    running: Option<Child>,
}

impl Server {
    /// One with an empty database, `bench`, whose owner is `ann`; absent where none is installed.
    /// The methods say how it asks for passwords: `trust` for not at all.
    pub fn start(method: &str) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
        let mut server = Self { programs: programs()?, folder, running: None };
        let path = server.folder.path();
        std::fs::write(path.join("password"), "s3cret\n").unwrap();
        if rustix::process::geteuid().is_root() {
            // The server refuses to run as root.
            let owned = Command::new("chown").args(["-R", "nobody"]).arg(path).status().unwrap();
            assert!(owned.success());
        }
        let data = server.data();
        let mut made = server.ordinary("initdb");
        made.args(["-U", "ann", "-A", method, "--no-sync", "-E", "UTF8", "--locale", "C"]);
        made.arg("--pwfile").arg(path.join("password")).arg("-D").arg(&data);
        let made = made.output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        server.run();
        server.sql("postgres", "CREATE DATABASE bench");
        Some(server)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder of its socket.
    pub fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// A program of the server, as an ordinary user.
    fn ordinary(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.folder.path()).env_clear().env("LC_ALL", "C");
        command.stdin(Stdio::null());
        command
    }

    /// Starts it, or starts it again.
    pub fn run(&mut self) {
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        let mut server = self.ordinary("postgres");
        server.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        // What a killed process has written the kernel keeps.
        server.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=50"]);
        server.stdout(Stdio::null()).stderr(log);
        self.running = Some(server.spawn().unwrap());
        let begun = Instant::now();
        while !self.ask("postgres", "SELECT 1").is_ok_and(|told| told.trim() == "1") {
            assert!(begun.elapsed() < PATIENCE, "{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Kills it with all its processes, as a failing machine does.
    pub fn kill(&mut self) {
        self.signal("-KILL");
        assert_eq!(self.running.take().unwrap().wait().unwrap().signal(), Some(9));
        let begun = Instant::now();
        while self.socket().join(SOCKET).exists() && begun.elapsed() < PATIENCE {
            // The socket of a killed server stays, and so does its number.
            let _ = std::fs::remove_file(self.socket().join(SOCKET));
        }
        let _ = std::fs::remove_file(self.socket().join(format!("{SOCKET}.lock")));
        let _ = std::fs::remove_file(self.data().join("postmaster.pid"));
    }

    /// Stops it in its tracks, or lets it go on: its connections stay open.
    pub fn signal(&self, signal: &str) {
        let pid = self.running.as_ref().unwrap().id().to_string();
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", &pid]).output().unwrap();
        let children = String::from_utf8(children.stdout).unwrap();
        let all = std::iter::once(pid.as_str()).chain(children.split_whitespace());
        // Not all need be there any more: a process whose client has gone ends by itself.
        let _ = Command::new("kill").arg(signal).args(all).stderr(Stdio::null()).status().unwrap();
    }

    /// The URL of a database as a user names it.
    pub fn url(&self, user: &str, database: &str) -> String {
        let socket = self.socket().to_str().unwrap().replace('/', "%2F");
        format!("postgres://{user}@{socket}/{database}")
    }

    /// The archive of the tests.
    pub fn archive(&self) -> String {
        self.url("ann", "bench")
    }

    /// The archive by a way that is cut after a transaction with samples was kept, before that is
    /// said to who asked for it. The way is in the folder.
    pub fn archive_not_heard(&self, folder: &Path) -> String {
        let listener = UnixListener::bind(folder.join(SOCKET)).unwrap();
        let to = self.socket().join(SOCKET);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&to).unwrap());
                if !between(client, server) {
                    return;
                }
            }
        });
        self.archive().replace(
            &self.socket().to_str().unwrap().replace('/', "%2F"),
            &folder.to_str().unwrap().replace('/', "%2F"),
        )
    }

    fn ask(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-U", "ann", "-d", database]);
        psql.arg("-h").arg(self.socket()).args(["-c", sql]).env("PGPASSWORD", "s3cret");
        let told = psql.stdin(Stdio::null()).output().unwrap();
        match told.status.success() {
            true => Ok(String::from_utf8(told.stdout).unwrap()),
            false => Err(String::from_utf8_lossy(&told.stderr).into_owned()),
        }
    }

    /// What the server's own client prints for a statement.
    #[track_caller]
    pub fn sql(&self, database: &str, sql: &str) -> String {
        self.ask(database, sql).unwrap().trim().to_owned()
    }
}

/// Hands on what two say to each other, until one of them has ended or samples are committed: then
/// the answer is kept back, and it is `false`.
fn between(mut client: UnixStream, mut server: UnixStream) -> bool {
    let (mut answers, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let is_committed = Arc::new(AtomicBool::new(false));
    let seen = is_committed.clone();
    let back = std::thread::spawn(move || {
        let mut part = [0; 1 << 16];
        while let Ok(len @ 1..) = answers.read(&mut part) {
            if seen.load(Ordering::SeqCst) || to_client.write_all(&part[..len]).is_err() {
                break;
            }
        }
        let _ = (to_client.shutdown(Shutdown::Both), answers.shutdown(Shutdown::Both));
    });
    let (mut part, mut asked) = ([0; 1 << 16], Vec::new());
    while let Ok(len @ 1..) = client.read(&mut part) {
        asked.extend_from_slice(&part[..len]);
        let text = String::from_utf8_lossy(&asked);
        let samples = text.find("INSERT INTO macrometer.sample");
        if samples.is_some_and(|at| text[at..].contains("COMMIT\0")) {
            is_committed.store(true, Ordering::SeqCst);
        }
        if server.write_all(&part[..len]).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Write);
    back.join().unwrap();
    !is_committed.load(Ordering::SeqCst)
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its fast way to end, then the sure one; a failed test may have left it stopped.
        for signal in ["-INT", "-KILL"] {
            if self.running.is_none() {
                return;
            }
            self.signal(signal);
            self.signal("-CONT");
            let begun = Instant::now();
            while self.running.is_some() && begun.elapsed() < PATIENCE {
                self.running.take_if(|it| !matches!(it.try_wait(), Ok(None)));
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}
