//! What lies beside an archive: its write-ahead log is read and left as it is, a damaged one is
//! told every time and copied before anything is written, and no file beside it leads elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use lab::archive::{Archive, ArchiveError};
use lab::record::{Event, EventKind, RunState};
use lab::study::Study;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::bed;

const STUDY: &str = r#"
    name = "toy"
    title = "Toy"
    summary = "Nothing is measured."
    budget_s = 60
    launches = 2
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "warm"
    title = "Warm"
    sizes = [16]
    key_lives = ["prepared"]
    [[parts.cases]]
    name = "case"
    title = "Case"
    macs = ["toy-a"]
"#;

/// Events of which the archive with a log has half in the log.
const EVENTS: usize = 40;

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// An archive as a killed process leaves it: with a log that is sound, and no index of it.
fn with_log() -> (TempDir, PathBuf) {
    let study: Study = toml::from_str(STUDY).unwrap();
    let run = bed::begun(study, vec![]);
    let folder = tempfile::tempdir().unwrap();
    let (open, path) = (folder.path().join("open.db"), folder.path().join("a.db"));
    drop(Archive::create(&open).unwrap());
    let mut archive = Archive::open_to_write(&open).unwrap();
    archive.begin(&run).unwrap();
    for unix_s in 0..EVENTS as u64 {
        let event = Event { unix_s, kind: EventKind::Note, text: "told".into() };
        archive.tell(&run.id, &event).unwrap();
    }
    for ending in ["", "-wal"] {
        fs::copy(beside(&open, ending), beside(&path, ending)).unwrap();
    }
    drop(archive);
    (folder, path)
}

fn bytes(path: &Path) -> [Vec<u8>; 2] {
    ["", "-wal"].map(|ending| fs::read(beside(path, ending)).unwrap_or_default())
}

/// Everything that is read of an archive.
fn read(path: &Path) -> Result<usize, ArchiveError> {
    let archive = Archive::open(path)?;
    archive.runs()?;
    archive.outlines()?;
    archive.check(true)?;
    archive.check(false)?;
    archive.check_file(false)?;
    archive.load("last").map(|run| run.events.len())
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 4;
    fs::write(path, bytes).unwrap();
}

#[test]
fn reading_leaves_a_sound_log_and_its_archive_as_they_are() {
    let (_folder, path) = with_log();
    let before = bytes(&path);
    assert!(before[1].len() > 50_000);
    for _ in 0..3 {
        assert_eq!(read(&path).unwrap(), EVENTS);
        assert!(bytes(&path) == before);
    }
    // And a link to it.
    let link = path.with_file_name("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(read(&link).unwrap(), EVENTS);
    assert!(bytes(&path) == before);
    drop(Archive::open_to_write(&path).unwrap());
    assert_eq!(read(&path).unwrap(), EVENTS);
    assert!(!beside(&path, "-wal").exists(), "who writes brings it into the archive");
}

#[test]
fn reading_leaves_nothing_beside_an_archive_without_a_log() {
    let (_folder, path) = with_log();
    drop(Archive::open_to_write(&path).unwrap());
    let before = fs::read(&path).unwrap();
    assert_eq!(read(&path).unwrap(), EVENTS);
    assert!(fs::read(&path).unwrap() == before);
    assert!(!beside(&path, "-wal").exists() && !beside(&path, "-shm").exists());
}

#[test]
fn a_damaged_log_is_told_every_time_and_copied_before_it_is_written_over() {
    let (_folder, path) = with_log();
    let whole = bytes(&path)[1].len();
    flip(&beside(&path, "-wal"), whole / 2);
    let before = bytes(&path);
    for _ in 0..3 {
        let archive = Archive::open(&path).unwrap();
        assert!(archive.told().len() == 1 && archive.told()[0].contains("frame"));
        assert!(archive.check_file(true).unwrap()[0].contains("write-ahead log"));
        assert!(archive.load("last").unwrap().events.len() < EVENTS);
        drop(archive);
        assert!(bytes(&path) == before, "reading loses nothing more");
    }
    let mut archive = Archive::open_to_write(&path).unwrap();
    let told = archive.told()[0].clone();
    let aside = PathBuf::from(told.rsplit(" kept as they were in ").next().unwrap());
    archive.claim("20260101-000000-0000", true).unwrap();
    archive.set_state("20260101-000000-0000", RunState::Interrupted, 1.0).unwrap();
    drop(archive);
    assert!(bytes(&aside) == before, "{told}");
    assert!(Archive::open(&path).unwrap().told().is_empty());
    assert_eq!(Archive::open(&aside).unwrap().told().len(), 1);
}

#[test]
fn a_damaged_log_that_cannot_be_copied_is_not_written_over() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = with_log();
    flip(&beside(&path, "-wal"), 9000);
    // The index must be there already where nothing can be added to the folder.
    let reader = Connection::open(&path).unwrap();
    reader.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, u32>(0)).unwrap();
    let before = bytes(&path);
    let mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let is_root = fs::write(folder.path().join("x"), "").is_ok();
    if is_root {
        mode(0o755);
        again_without_capabilities("a_damaged_log_that_cannot_be_copied_is_not_written_over");
        return;
    }
    let opened = Archive::open_to_write(&path);
    mode(0o755);
    let line = opened.unwrap_err().to_string();
    assert!(line.contains("nothing is stored here until"), "{line}");
    assert!(bytes(&path) == before);
}

/// Runs a test of this file once more, as root without what makes permissions stop nobody.
fn again_without_capabilities(test: &str) {
    const AGAIN: &str = "MACROMETER_TEST_AGAIN";
    assert!(std::env::var_os(AGAIN).is_none(), "permissions stop nobody here");
    let without = "-dac_override,-dac_read_search";
    let mut again = std::process::Command::new("setpriv");
    again.args(["--inh-caps", without, "--bounding-set", without]);
    again.arg(std::env::current_exe().unwrap()).args(["--exact", &format!("logs::{test}")]);
    let again = again.env(AGAIN, "1").output().expect("setpriv (util-linux)");
    // Who asks for a test that is not there gets success, too.
    let told = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && told.contains("1 passed"), "{again:?}");
}

#[test]
fn files_beside_an_archive_that_are_none_or_endless_are_refused_at_once() {
    for ending in ["-wal", "-shm", "-journal"] {
        let (folder, path) = with_log();
        drop(Archive::open_to_write(&path).unwrap());
        let own = beside(&path, ending);
        let target = folder.path().join("target");
        fs::write(&target, "not to be touched").unwrap();
        let mut wrong = vec!["fifo", "link"];
        if ending == "-wal" {
            wrong.push("endless");
        }
        for what in wrong {
            match what {
                "fifo" => {
                    let made = std::process::Command::new("mkfifo").arg(&own).status().unwrap();
                    assert!(made.success());
                }
                "link" => std::os::unix::fs::symlink(&target, &own).unwrap(),
                _ => fs::File::create(&own).unwrap().set_len(1 << 40).unwrap(),
            }
            for opened in [Archive::open(&path), Archive::open_to_write(&path)] {
                let line = opened.unwrap_err().to_string();
                assert!(line.contains(ending), "{what}: {line}");
            }
            fs::remove_file(&own).unwrap();
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "not to be touched");
        assert_eq!(read(&path).unwrap(), EVENTS);
    }
}

#[test]
fn the_log_of_an_archive_that_is_refused_is_left_as_it_is() {
    for sql in ["PRAGMA user_version = 9", "CREATE VIEW v AS SELECT 1", "DROP TABLE seal"] {
        let (_folder, path) = with_log();
        let store = Connection::open(&path).unwrap();
        let keep = rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        store.set_db_config(keep, true).unwrap();
        store.execute_batch(sql).unwrap();
        drop(store);
        let before = bytes(&path);
        assert!(!before[1].is_empty());
        assert!(read(&path).is_err(), "{sql}");
        assert!(Archive::open_to_write(&path).is_err() && Archive::create(&path).is_err());
        assert!(bytes(&path) == before, "{sql}");
    }
}

#[test]
fn an_emptied_archive_does_not_cost_its_log() {
    let (_folder, path) = with_log();
    let log = bytes(&path)[1].clone();
    fs::write(&path, "").unwrap();
    for opened in [Archive::open(&path), Archive::open_to_write(&path), Archive::create(&path)] {
        let line = opened.unwrap_err().to_string();
        assert!(line.contains("it is empty, but its write-ahead log is not"), "{line}");
    }
    assert!(bytes(&path)[1] == log);
}

/// SQLite removes a second journal that a journal names, whatever file that is.
#[test]
fn a_journal_beside_an_archive_removes_no_other_file() {
    let (folder, path) = with_log();
    drop(Archive::open_to_write(&path).unwrap());
    let before = fs::read(&path).unwrap();
    let target = folder.path().join("target");
    fs::write(&target, "").unwrap();
    let name = target.to_str().unwrap().as_bytes();
    let magic = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let mut journal = vec![0; 512];
    journal[..8].copy_from_slice(&magic);
    journal[16..20].copy_from_slice(&1u32.to_be_bytes());
    journal[20..24].copy_from_slice(&512u32.to_be_bytes());
    journal[24..28].copy_from_slice(&4096u32.to_be_bytes());
    let sum = name.iter().map(|&byte| u32::from(byte)).sum::<u32>();
    journal.extend([0; 4]);
    journal.extend(name);
    journal.extend((name.len() as u32).to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend(magic);
    fs::write(beside(&path, "-journal"), journal).unwrap();
    for opened in [Archive::open(&path), Archive::open_to_write(&path)] {
        let line = opened.unwrap_err().to_string();
        assert!(line.contains("names another journal"), "{line}");
    }
    assert!(target.exists() && fs::read(&path).unwrap() == before);
}
