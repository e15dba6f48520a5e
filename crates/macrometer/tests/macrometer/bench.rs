//! A folder for each test, and the command as a user calls it there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

/// A folder to work in, which the command also takes for the user's data folder.
pub struct Bench(TempDir);

/// Files by their names from the folder, kept by a test binary for [`Bench::like`].
pub type Kept = OnceLock<Vec<(PathBuf, Vec<u8>)>>;

impl Bench {
    /// Without any file.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// With these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let bench = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            bench.write(name, content);
        }
        bench
    }

    /// With what `measure` leaves in a folder the first time: measuring takes seconds, and tests of
    /// what comes after it need one run.
    pub fn like(kept: &Kept, measure: impl FnOnce(&Self)) -> Self {
        let files = kept.get_or_init(|| {
            let bench = Self::with(&[]);
            measure(&bench);
            let files = bench.files_below(bench.folder()).into_iter();
            let content = |path: PathBuf| {
                let content = std::fs::read(&path).unwrap();
                (path.strip_prefix(bench.folder()).unwrap().to_owned(), content)
            };
            files.map(content).collect()
        });
        let bench = Self::with(&[]);
        for (name, content) in files {
            std::fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
            bench.write(name, content);
        }
        bench
    }

    /// Every file below a folder.
    pub fn files_below(&self, folder: &Path) -> Vec<PathBuf> {
        let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files
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

    /// A script that can be executed, in a folder that is made if it is not there. Another process
    /// writes it: what a test beside this one starts could inherit our open file, and nothing
    /// executes a file that somebody can still write to (ETXTBSY).
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut sh = Command::new("sh");
        sh.args(["-c", r#"printf %s "$1" >"$0" && chmod 755 "$0""#]).arg(&path).arg(text);
        assert!(sh.status().unwrap().success());
        path
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

    /// What it printed with `--format json`.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.right(&[arguments, &["--format", "json"]].concat())).unwrap()
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

    /// Starts a long run, and waits until samples are kept; with how many.
    pub fn started(&self, arguments: &[&str]) -> (Child, i64) {
        self.measuring(arguments, 0)
    }

    /// The same of a run that has so many samples already.
    pub fn measuring(&self, arguments: &[&str], before: i64) -> (Child, i64) {
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        loop {
            let kept = self.samples().filter(|&kept| kept > before);
            if let Some(kept) = kept {
                return (child, kept);
            }
            assert!(child.try_wait().unwrap().is_none(), "{arguments:?} ended without samples");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// Samples of the archive; absent while it is not made yet.
    fn samples(&self) -> Option<i64> {
        // Opening it by its name would make it.
        let read_only = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let store = Connection::open_with_flags(self.archive(), read_only).ok()?;
        store.query_row("SELECT count(*) FROM sample", [], |row| row.get(0)).ok()
    }

    /// The archive, as another program opens it.
    pub fn kept(&self) -> Connection {
        Connection::open(self.archive()).unwrap()
    }

    /// Changes the archive as somebody may have who gives it away.
    pub fn plant(&self, sql: &str) {
        // Without checksums, as older archives are: somebody could make them anew.
        let sql = format!(
            "PRAGMA foreign_keys = OFF; {sql}; DROP TABLE IF EXISTS seal; PRAGMA user_version = 0;"
        );
        self.kept().execute_batch(&sql).unwrap();
    }

    /// A budget that leaves every run there so many seconds, whatever it has spent on this machine.
    pub fn longer_by(&self, seconds: f64) -> String {
        let spent = "SELECT max(spent_s) FROM run";
        let spent_s: f64 = self.kept().query_row(spent, [], |row| row.get(0)).unwrap();
        (spent_s + seconds).ceil().to_string()
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

    /// The machine's libcrypto; `None`, and a line, where it has none.
    pub fn libcrypto(&self) -> Option<&'static str> {
        static PATH: OnceLock<Option<String>> = OnceLock::new();
        let path = PATH.get_or_init(|| {
            let listed = self.json(&["list", "providers"]);
            let openssl = listed.as_array().unwrap().iter().find(|row| row["name"] == "openssl")?;
            openssl["path"].as_str().map(str::to_owned)
        });
        if path.is_none() {
            println!("skipped: no libcrypto here");
        }
        path.as_deref()
    }

    /// A libcrypto made of the machine's own and of a file beside these tests; `None`, and a line,
    /// where that cannot be done here.
    pub fn changed_libcrypto(&self, name: &str, source: &str, flags: &[&str]) -> Option<PathBuf> {
        let libcrypto = self.libcrypto()?;
        let library = self.path(format!("lib{name}.so"));
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-Wl,--no-as-needed"])
            .args(flags)
            .arg("-o")
            .arg(&library);
        cc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/macrometer").join(source));
        match cc.args([libcrypto, "-ldl"]).output() {
            Ok(made) if made.status.success() => Some(library),
            made => {
                println!("skipped: cc cannot make a library here: {made:?}");
                None
            }
        }
    }
}
