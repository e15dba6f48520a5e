//! Runs as things: what only reads changes no byte of them, and they are removed, exported and
//! imported whole.

use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::bench::{Bench, Kept};

/// Formats of reports that every run has.
const OWN_FORMATS: [&str; 7] = ["json", "csv", "samples", "html", "files", "latex", "bundle"];

/// Those of transactions, and of calls that were timed one by one.
const NOT_OF_EVERY_RUN: [&str; 4] = ["log", "crprf", "crprf_moc", "crprf_moc_sha256cf"];

impl Bench {
    /// With two short runs in its archive, oldest first.
    fn measured() -> (Self, [String; 2]) {
        static KEPT: Kept = Kept::new();
        let bench = Self::like(&KEPT, |bench| {
            for mac in ["hmac-sha256", "cmac-aes-128"] {
                let run = ["run", "--provider", "macs", "--mac", mac, "--size", "64"];
                bench.right(&[&run[..], &["--budget", "3", "--cpu", "none"]].concat());
            }
        });
        let runs = bench.json(&["runs"]);
        let id = |at: usize| runs["runs"][at]["id"].as_str().unwrap().to_owned();
        let ids = [id(1), id(0)];
        (bench, ids)
    }

    /// The archive and its log.
    fn bytes(&self) -> [Vec<u8>; 2] {
        let name = self.archive();
        let log = name.with_file_name("archive.db-wal");
        [name, log].map(|path| std::fs::read(path).unwrap_or_default())
    }

    /// Leaves a log, as a killed process does.
    fn leave_log(&self) {
        let store = self.kept();
        store.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        for change in ["+ 1", "- 1"] {
            store.execute(&format!("UPDATE sample SET position = position {change}"), []).unwrap();
        }
    }

    /// Runs everything that only reads.
    fn read(&self, run: &str, code: i32) {
        let verbs: [&[&str]; 21] = [
            &["list", "runs"],
            &["list", "runs", "--format", "json"],
            &["runs"],
            &["runs", "--format", "json"],
            &["runs", "check"],
            &["runs", "check", "--quick"],
            &["report", run, "--out", "report"],
            &["report", run, "--tables", "--out", "report"],
            &["report", run, "--against", "macs"],
            &["report", run, "--against", "macs", "--format", "json"],
            &["compare", run, run],
            &["compare", run, run, "--format", "json"],
            &["claims"],
            &["claims", "--details"],
            &["claims", "--format", "json"],
            &["doctor", "--consistency"],
            &["analyze", "--run", run, "--cell", "hmac-*"],
            &["plan", "survey", "--provider", "macs", "--mac", "hmac-sha256"],
            &["runs", "export", run, "-o", "run.db"],
            &["cite", run],
            &["cite", run, "--format", "cff"],
        ];
        let others = report::export::FORMATS.iter().map(|it| it.name);
        let formats = OWN_FORMATS.into_iter().chain(NOT_OF_EVERY_RUN).chain(others);
        let reports: Vec<[&str; 6]> =
            formats.map(|it| ["report", run, "--format", it, "--out", it]).collect();
        let before = self.bytes();
        for verb in verbs.into_iter().chain(reports.iter().map(|it| &it[..])) {
            let output = self.output(verb);
            let said = String::from_utf8_lossy(&output.stderr);
            let expected = match verb {
                _ if verb.contains(&"check") => code,
                _ if NOT_OF_EVERY_RUN.iter().any(|it| verb.contains(it)) => 2,
                _ => 0,
            };
            assert_eq!(output.status.code(), Some(expected), "{verb:?}: {said}");
            assert_eq!(said.contains("write-ahead log can be read up to"), code == 1, "{verb:?}");
            assert!(self.bytes() == before, "{verb:?} changed the archive or its log");
        }
        std::fs::remove_file(self.path("run.db")).unwrap();
        // Those that are never written over.
        for folder in ["latex", "bundle"] {
            std::fs::remove_dir_all(self.path(folder)).unwrap();
        }
    }
}

fn open(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

#[test]
fn what_only_reads_changes_no_byte_of_an_archive_or_of_its_log() {
    let (bench, [first, _]) = Bench::measured();
    let budget = bench.longer_by(3.0);
    let log = bench.archive().with_file_name("archive.db-wal");
    bench.read(&first, 0);
    assert!(!log.exists() && !bench.archive().with_file_name("archive.db-shm").exists());
    bench.leave_log();
    assert!(bench.bytes()[1].len() > 4096);
    bench.read(&first, 0);
    // The first frame: everything in the log is gone then.
    let mut damaged = std::fs::read(&log).unwrap();
    damaged[1000] ^= 1;
    std::fs::write(&log, damaged).unwrap();
    bench.read(&first, 1);
    // Who writes keeps what is there, and says where.
    let before = bench.bytes();
    let resume = ["run", "--resume", &first, "--budget", &budget, "--cpu", "none"];
    let said = String::from_utf8(bench.output(&resume).stderr).unwrap();
    let (_, aside) = said.split_once("both are kept as they were in ").unwrap_or_else(|| {
        panic!("{said}");
    });
    let aside = aside.lines().next().unwrap();
    assert!(std::fs::read(aside).unwrap() == before[0], "{said}");
    assert!(std::fs::read(format!("{aside}-wal")).unwrap() == before[1]);
    bench.right(&["runs", "check"]);
}

#[test]
fn runs_are_listed_with_their_sizes_and_what_narrowed_them() {
    let (bench, ids) = Bench::measured();
    let all = bench.json(&["runs"]);
    let size = std::fs::metadata(bench.archive()).unwrap().len();
    assert_eq!((&all["size_bytes"], &all["schema"]), (&size.into(), &1.into()));
    for verb in [&["runs", "check"][..], &["claims"], &["compare", &ids[0], &ids[1]]] {
        assert_eq!(bench.json(verb)["schema"], 1, "{verb:?}");
    }
    let own = |at: usize| all["runs"][at]["size_bytes"].as_u64().unwrap();
    assert!(own(0) > 1000 && own(0) + own(1) <= size, "{all:#}");
    assert!(all["runs"][0]["report_bytes"].as_u64().unwrap() > 10_000);
    let text = bench.right(&["runs"]);
    for wanted in [&ids[0], &ids[1], "--mac cmac-aes-128", "2 runs in ", " kB"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // The option stands before the word or behind it.
    let archive = bench.archive();
    let archive = archive.to_str().unwrap();
    for arguments in [
        &["runs", "--archive", archive, "check", "--quick"][..],
        &["runs", "check", "--quick", "--archive", archive],
    ] {
        assert!(bench.right(arguments).contains("2 runs, 0 damaged"));
    }
    assert!(bench.wrong(&["runs", "--archive", "none.db"]).contains("no archive here yet"));
}

#[test]
fn a_run_is_removed_with_its_report_and_nothing_else_is() {
    let (bench, [first, second]) = Bench::measured();
    let reports = bench.path("macrometer/reports");
    std::fs::write(reports.join(&first).join("my notes.txt"), "mine").unwrap();
    // Only whole names, and all of them or none.
    for wrong in ["last", &first[..9], "20200101-000000-0000"] {
        assert!(bench.wrong(&["runs", "remove", &second, wrong]).contains("no run"), "{wrong}");
    }
    assert!(bench.wrong(&["runs", "remove", "../x"]).contains("letters, digits"));
    assert_eq!((bench.count("run"), bench.count("writer")), (2, 0));
    let before = std::fs::metadata(bench.archive()).unwrap().len();
    let told = bench.right(&["runs", "remove", &first, &second]);
    assert!(told.contains(&format!("run {first}: removed (")), "{told}");
    assert!(told.contains(" samples: ") && told.contains(" freed, "), "{told}");
    assert!(told.contains("the rest is not known to be of its report"), "{told}");
    assert!(!reports.join(&second).exists() && !reports.join(&first).join("report.html").exists());
    assert_eq!(std::fs::read_to_string(reports.join(&first).join("my notes.txt")).unwrap(), "mine");
    for table in ["run", "sample", "cell", "event", "single_calls", "writer", "launch"] {
        assert_eq!(bench.count(table), 0, "{table}");
    }
    assert_eq!(bench.count("seal"), 1, "that of the list of runs");
    assert!(std::fs::metadata(bench.archive()).unwrap().len() < before);
    bench.right(&["runs", "check"]);
}

/// Whatever they end in, and whether or not the run can be read.
#[test]
fn pictures_of_the_users_own_stay_where_a_report_was() {
    let (bench, [first, second]) = Bench::measured();
    let reports = bench.path("macrometer/reports");
    let pictures = |run: &str| {
        let entries = std::fs::read_dir(reports.join(run)).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let is_picture = |name: &String| name.ends_with(".svg") || name.ends_with(".png");
        names.filter(is_picture).collect::<Vec<_>>()
    };
    for run in [&first, &second] {
        bench.right(&["report", run, "--format", "files"]);
        assert!(!pictures(run).is_empty());
        for name in ["mine.svg", "mine.png"] {
            std::fs::write(reports.join(run).join(name), "mine").unwrap();
        }
    }
    let drawn = pictures(&second).len();
    bench.right(&["runs", "remove", &first]);
    let mut left = pictures(&first);
    left.sort();
    assert_eq!(left, ["mine.png", "mine.svg"]);
    let archive = bench.kept();
    assert!(archive.execute("UPDATE sample SET elapsed_ns = elapsed_ns * 2", []).unwrap() > 0);
    drop(archive);
    bench.right(&["runs", "remove", &second]);
    assert_eq!(pictures(&second).len(), drawn, "of a damaged run all of them");
    assert!(!reports.join(&second).join("report.html").exists());
}

#[test]
fn a_run_that_is_being_measured_is_neither_removed_nor_exported() {
    let bench = Bench::new();
    let run = ["run", "--provider", "macs", "--mac", "hmac-sha256", "--size", "64"];
    let (mut child, _) = bench.started(&[&run[..], &["--budget", "300", "--cpu", "none"]].concat());
    let id: String = bench.kept().query_row("SELECT id FROM run", [], |row| row.get(0)).unwrap();
    for verb in [&["runs", "remove", &id][..], &["runs", "export", &id, "-o", "run.db"]] {
        let line = bench.wrong(verb);
        assert!(line.contains(&format!("being measured by process {}", child.id())), "{line}");
    }
    assert!(!bench.path("run.db").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    bench.right(&["runs", "remove", &id]);
    assert_eq!(bench.count("run"), 0);
}

/// Where no descriptor is left the folder beside the file could not be removed, either.
#[test]
fn an_export_without_descriptors_leaves_nothing_behind() {
    let (bench, [first, _]) = Bench::measured();
    for most in 4..=16 {
        let export = bench.command(&["runs", "export", &first, "-o", "out.db"]);
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -n \"$0\"; exec \"$@\""]).arg(most.to_string());
        shell.arg(export.get_program()).args(export.get_args()).stdin(Stdio::null());
        shell.env("XDG_DATA_HOME", bench.folder()).current_dir(bench.folder());
        let ended = shell.output().unwrap();
        let error = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.success(), bench.path("out.db").exists(), "{most}: {error}");
        let names = std::fs::read_dir(bench.folder()).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name());
        let left = names.find(|name| name.to_string_lossy().starts_with(".macrometer-"));
        assert_eq!(left, None, "{most}: {error}");
        let _ = std::fs::remove_file(bench.path("out.db"));
    }
}

#[test]
fn a_run_goes_into_a_file_and_out_of_it_as_it_is_and_replaces_none() {
    let (bench, [first, second]) = Bench::measured();
    // As a process leaves it that is killed while it exports.
    let left = bench.path(".macrometer-abcdef.part");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("run.db"), "half").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    std::fs::File::open(&left).unwrap().set_modified(long_ago).unwrap();
    let told = bench.right(&["runs", "export", &first, "-o", "run.db"]);
    assert!(told.contains(&first) && told.contains("run.db"), "{told}");
    assert!(!left.exists());
    let line = bench.wrong(&["runs", "export", &first, "-o", "run.db"]);
    assert!(line.contains("run.db: already exists"), "{line}");
    // A file alone, and an archive like any other.
    let names = std::fs::read_dir(bench.folder()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_of_it = |name: &String| name.contains("run") || name.contains("part");
    let mut names: Vec<String> = names.filter(is_of_it).collect();
    names.sort();
    assert_eq!(names, ["run.db"]);
    let csv = ["report", &first, "--format", "csv"];
    let of_file = bench.right(&[&csv[..], &["--archive", "run.db"]].concat());
    assert_eq!(of_file, bench.right(&csv));
    bench.right(&["runs", "check", "--archive", "run.db"]);

    // Back: known; away and back: the same, and not the newest.
    assert!(bench.right(&["runs", "import", "run.db"]).contains("already in "));
    bench.right(&["runs", "remove", &first]);
    assert!(bench.right(&["runs", "import", "run.db"]).contains("imported into "));
    assert_eq!(bench.right(&csv), of_file);
    assert_eq!(bench.json(&["runs"])["runs"][0]["id"], second.as_str());
    bench.right(&["runs", "check"]);
    let line = bench.wrong(&["runs", "import", "none.db"]);
    assert!(line.contains("none.db: there is no such file"), "{line}");
    // Into an archive that is not there yet.
    bench.right(&["runs", "import", "run.db", "--archive", "new.db"]);
    bench.right(&["runs", "check", "--archive", "new.db"]);

    // Another of the same name, a damaged one, several, none: each is refused, and nothing changes.
    let copy = bench.path("other.db");
    let planted = |sql: &str| {
        std::fs::copy(bench.path("run.db"), &copy).unwrap();
        open(&copy).execute_batch(sql).unwrap();
        let before = bench.bytes();
        let line = bench.wrong(&["runs", "import", "other.db"]);
        assert!(bench.bytes() == before, "{line}");
        line
    };
    assert!(planted("UPDATE sample SET elapsed_ns = elapsed_ns + 1").contains("samples changed"));
    assert!(planted("DROP TABLE seal").contains("checksums"));
    assert!(planted("CREATE VIEW v AS SELECT 1").contains("no views"));
    assert!(planted("PRAGMA user_version = 9").contains("newer macrometer"));
    let line = bench.wrong(&["runs", "import", bench.archive().to_str().unwrap()]);
    assert!(line.contains("has 2 runs"), "{line}");
    let budget = bench.longer_by(3.0);
    bench.right(&["run", "--resume", &first, "--budget", &budget, "--cpu", "none"]);
    let line = bench.wrong(&["runs", "import", "run.db"]);
    assert!(line.contains("has another run ") && line.contains("nothing was imported"), "{line}");
}
