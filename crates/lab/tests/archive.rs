//! The archive as a file: what is refused, what is found, what is told when it is damaged.

use std::path::PathBuf;

use lab::archive::{Archive, ArchiveError};
use rusqlite::Connection;
use tempfile::TempDir;

fn archive_with(ids: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/archive.db");
    drop(Archive::create(&path).unwrap());
    let store = Connection::open(&path).unwrap();
    for id in ids {
        let record = "{\"study\":{\"name\":\"s\"}}";
        let sql = "INSERT INTO run VALUES (?1, ?2, '[]', 'open', 0.5)";
        store.execute(sql, [id, record]).unwrap();
    }
    (folder, path)
}

#[test]
fn runs_are_listed_newest_first_with_their_state() {
    let (_folder, path) = archive_with(&["20260101-a", "20260102-b"]);
    let runs = Archive::open(&path).unwrap().runs().unwrap();
    let lines: Vec<_> = runs.iter().map(|run| (run.id.as_str(), run.study.as_str())).collect();
    assert_eq!(lines, [("20260102-b", "s"), ("20260101-a", "s")]);
    assert_eq!((runs[0].samples, runs[0].spent_s), (0, 0.5));
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_name_where_only_one_fits() {
    let (_folder, path) = archive_with(&["20260101-a", "20260102-b"]);
    let archive = Archive::open(&path).unwrap();
    let error = |name: &str| archive.load(name).unwrap_err();
    assert!(matches!(error("2026"), ArchiveError::NoRun { .. }));
    assert!(matches!(error(""), ArchiveError::NoRun { .. }));
    assert!(matches!(error("20260103"), ArchiveError::NoRun { .. }));
    // Found, but its record holds less than a run: told with its name.
    for name in ["20260102", "20260102-b", "last"] {
        assert!(error(name).to_string().contains("run 20260102-b is damaged"), "{}", error(name));
    }
}

#[test]
fn other_files_are_refused_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    assert!(matches!(Archive::open(&path), Err(ArchiveError::Absent(_))));
    assert!(!path.exists());
    std::fs::write(&path, "some other file that is no database at all").unwrap();
    assert!(matches!(Archive::open(&path), Err(ArchiveError::Foreign(_))));
    assert!(matches!(Archive::create(&path), Err(ArchiveError::Foreign(_))));
    assert!(matches!(Archive::create(folder.path()), Err(ArchiveError::Foreign(_))));
}

#[test]
fn a_cut_archive_is_an_error_and_no_panic() {
    let (_folder, path) = archive_with(&["a"]);
    let whole = std::fs::read(&path).unwrap();
    for share in [1, 2, 5, 9] {
        std::fs::write(&path, &whole[..whole.len() * share / 10]).unwrap();
        if let Ok(archive) = Archive::open(&path) {
            assert!(archive.load("last").is_err());
        }
    }
}
