//! The archive as a file: what is refused, what is found, what is told when it is damaged.

use std::path::PathBuf;

use lab::archive::{Archive, ArchiveError};
use lab::record::{
    Event, EventKind, LaunchKind, LaunchRecord, ProcessorTime, RunState, SingleCalls,
};
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
    // As before checksums.
    store.execute_batch("DROP TABLE seal; PRAGMA user_version = 0").unwrap();
    (folder, path)
}

#[test]
fn runs_are_listed_newest_first_with_their_state() {
    let (_folder, path) = archive_with(&["20260101-a", "20260102-b"]);
    let runs = Archive::open(&path).unwrap().runs().unwrap().sound;
    let lines: Vec<_> = runs.iter().map(|run| (run.id.as_str(), run.study.as_str())).collect();
    assert_eq!(lines, [("20260102-b", "s"), ("20260101-a", "s")]);
    assert_eq!((runs[0].samples, runs[0].spent_s), (0, 0.5));
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_name_where_only_one_fits() {
    let (_folder, path) = archive_with(&["20260101-a", "20260102-b"]);
    let archive = Archive::open(&path).unwrap();
    let error = |name: &str| archive.load(name).unwrap_err();
    assert!(matches!(error("2026"), ArchiveError::SeveralRuns { count: 2, .. }));
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

/// An archive of before blocks were kept once, with a healthy run and one that two processes wrote.
fn doubled() -> (TempDir, PathBuf) {
    let (folder, path) = archive_with(&["healthy", "doubled", "it's"]);
    let store = Connection::open(&path).unwrap();
    store.execute_batch("DROP INDEX sample_once; DROP TABLE writer;").unwrap();
    for (run, block) in
        [("healthy", 0), ("healthy", 1), ("doubled", 0), ("doubled", 0), ("it's", 0)]
    {
        let sql = "INSERT INTO sample VALUES (?1, 1, 0, ?2, 0, 1, 1.0, NULL, NULL, NULL)";
        store.execute(sql, rusqlite::params![run, block]).unwrap();
    }
    store.execute("INSERT INTO sample SELECT * FROM sample WHERE run = 'it''s'", []).unwrap();
    (folder, path)
}

#[test]
fn no_block_is_written_twice_in_an_older_archive_either() {
    let (_folder, path) = doubled();
    for _ in 0..2 {
        drop(Archive::open(&path).unwrap());
        drop(Archive::create(&path).unwrap());
    }
    let store = Connection::open(&path).unwrap();
    let insert = |run: &str, block: u32| {
        let sql = "INSERT INTO sample VALUES (?1, 1, 0, ?2, 0, 1, 1.0, NULL, NULL, NULL)";
        store.execute(sql, rusqlite::params![run, block])
    };
    assert!(insert("healthy", 0).is_err() && insert("healthy", 2).is_ok());
    // What was doubled already is left as it is.
    assert!(insert("doubled", 0).is_ok());
    drop(store);
    let runs = Archive::open(&path).unwrap().runs().unwrap();
    let told: Vec<_> = runs.damaged.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|line| line.contains(r#""it's""#)), "{told:?}");
}

#[test]
fn many_that_claim_a_run_at_once_are_one_writer() {
    let (_folder, path) = archive_with(&["a"]);
    for _ in 0..50 {
        let claimed: Vec<bool> = std::thread::scope(|scope| {
            let claims = [(); 8].map(|()| {
                scope.spawn(|| {
                    let mut archive = Archive::open_to_write(&path).unwrap();
                    let claimed = archive.claim("a", false);
                    (claimed.is_ok(), archive)
                })
            });
            // All are open until the last has tried.
            let tried: Vec<_> = claims.into_iter().map(|it| it.join().unwrap()).collect();
            tried.iter().map(|(is_writer, _)| *is_writer).collect()
        });
        assert_eq!(claimed.iter().filter(|is_writer| **is_writer).count(), 1);
    }
}

#[test]
fn a_writer_that_was_taken_over_writes_no_more() {
    let (_folder, path) = archive_with(&["a"]);
    let [mut first, mut second] = [(); 2].map(|()| Archive::open_to_write(&path).unwrap());
    first.claim("a", false).unwrap();
    first.claim("a", false).unwrap();
    assert!(matches!(second.claim("a", false), Err(ArchiveError::Taken { .. })));
    first.append("a", &[], &[], 1.0).unwrap();
    second.claim("a", true).unwrap();
    second.append("a", &[], &[], 2.0).unwrap();
    let before = std::fs::read(path.with_file_name("archive.db-wal")).unwrap();
    let event = Event { unix_s: 1, kind: EventKind::Note, text: "late".into() };
    let calls = SingleCalls { cell: 0, counts: vec![], ticks: vec![] };
    let time =
        ProcessorTime { launch: 0, available_s: 1.0, own_s: 1.0, others_s: 0.0, stolen_s: None };
    let launch = LaunchRecord { launch: 0, kind: LaunchKind::Whole };
    let refused = [
        first.append("a", &[], &[], 3.0),
        first.settle("a", &[], &[]),
        first.change_cells("a", &[]),
        first.keep_single_calls("a", &calls),
        first.tell("a", &event),
        first.set_state("a", RunState::Complete, 3.0),
        first.keep_schemes("a", &[]),
        first.keep_loads("a", &[]),
        first.keep_processor_time("a", &time),
        first.keep_launch("a", launch),
    ];
    for (at, outcome) in refused.into_iter().enumerate() {
        let error = outcome.expect_err(&at.to_string()).to_string();
        assert!(error.contains("taken over") && !error.contains('\n'), "{at}: {error}");
    }
    assert!(std::fs::read(path.with_file_name("archive.db-wal")).unwrap() == before);
    drop(first);
    second.append("a", &[], &[], 4.0).unwrap();
}
