//! What a disk does to an archive is seen when it is read: whatever is changed, lost or doubled, a
//! run is what was kept, or it is refused by name while the others are there.

use std::path::{Path, PathBuf};

use lab::archive::{Archive, ArchiveError};
use lab::cell::KeyLife;
use lab::record::{Event, EventKind, Offer, ProviderRecord, Run, RunState};
use lab::study::Study;
use rusqlite::Connection;

use crate::bed::{self, Bed};

const STUDY: &str = r#"
    name = "toy"
    title = "Toy"
    summary = "Toy workers."
    budget_s = 60
    launches = 2
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "warm"
    title = "Warm"
    sizes = [16, 64]
    key_lives = ["new-key", "prepared"]
    [[parts.cases]]
    name = "case"
    title = "Case"
    macs = ["toy-a"]
"#;

const WORKER: &str = r#"
    while read verb id rest; do
        case $verb in
            prove) echo 'ok {"tags":"aa"}';;
            single) echo "ok {\"ns\":[[100,$rest]]}";;
            run) echo "ok {\"elapsed_ns\":$((rest * 50))}";;
            *) echo 'ok {}';;
        esac
    done"#;

/// A measured run, in an archive that nobody has open.
fn measured() -> (Bed, PathBuf, Run) {
    let study: Study = toml::from_str(STUDY).unwrap();
    let offer = Offer {
        mac: "toy-a".into(),
        kernel: "toy".into(),
        key_lives: vec![KeyLife::Prepared, KeyLife::NewKey],
    };
    let provider = ProviderRecord {
        name: "toy".into(),
        version: "1".into(),
        path: "sh".into(),
        detail: String::new(),
        offers: vec![offer],
        regimes: vec![lab::cell::Regime::USUAL],
        different: vec![],
        offloads: false,
    };
    let mut bed = Bed::new(bed::begun(study, vec![provider]), vec![bed::worker("toy", WORKER)]);
    let state = bed.measure(120).unwrap();
    assert!(matches!(state, RunState::Complete | RunState::Interrupted));
    let event = Event { unix_s: 1, kind: EventKind::Note, text: "kept".into() };
    bed.archive.tell(&bed.run.id, &event).unwrap();
    let run = bed.kept();
    assert!(run.samples.len() >= 100, "{}", run.samples.len());
    let copy = bed.archive.place().file().unwrap().with_file_name("copy.db");
    let store = Connection::open(bed.archive.place().file().unwrap()).unwrap();
    store.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    (bed, copy, run)
}

fn refused(path: &Path, name: &str) -> String {
    let error = Archive::open(path).unwrap().load(name).unwrap_err();
    assert!(matches!(error, ArchiveError::Damaged { .. }), "{error}");
    error.to_string()
}

#[test]
fn a_cut_archive_is_an_error_and_no_panic() {
    let (_bed, path, run) = measured();
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(Archive::open(&path).unwrap().load("last").unwrap(), run, "the control");
    for share in (1..100).step_by(7) {
        std::fs::write(&path, &whole[..whole.len() * share / 100]).unwrap();
        let read = Archive::open(&path).and_then(|archive| archive.load("last"));
        assert!(read.is_err(), "{share} % of it is taken for a whole archive");
    }
}

#[test]
fn what_was_measured_and_kept_is_what_is_checked() {
    let (_bed, path, run) = measured();
    let archive = Archive::open(&path).unwrap();
    assert_eq!(archive.load("last").unwrap(), run);
    assert!(archive.is_sealed().unwrap());
    for quick in [true, false] {
        let checked = archive.check(quick).unwrap();
        assert!(checked.len() == 1 && checked[0].wrong.is_empty(), "{checked:?}");
        assert!(archive.check_file(quick).unwrap().is_empty());
    }
}

#[test]
fn a_row_that_changed_or_vanished_or_was_doubled_is_named() {
    let (_bed, path, run) = measured();
    let whole = std::fs::read(&path).unwrap();
    let Run { id, samples, .. } = &run;
    let last = samples.last().unwrap();
    let block = format!("samples of block {} of launch {} changed", last.block, last.launch);
    let count = samples.len();
    let fewer = format!("{} samples are there, but {count} were stored", count - 1);
    let one = "rowid = (SELECT max(rowid) FROM sample)";
    let cases: [(String, &str); 10] = [
        (format!("UPDATE sample SET elapsed_ns = elapsed_ns + 1 WHERE {one}"), &block),
        (format!("UPDATE sample SET core_hz = 1.0 WHERE {one}"), &block),
        (format!("DELETE FROM sample WHERE {one}"), &fewer),
        ("UPDATE run SET spent_s = spent_s + 1".into(), "its state changed"),
        ("UPDATE run SET record = replace(record, '42', '43')".into(), "its record changed"),
        ("UPDATE event SET text = 'kepT' WHERE text = 'kept'".into(), "its events changed"),
        ("UPDATE event SET rowid = -rowid WHERE text = 'kept'".into(), "its events changed"),
        ("UPDATE cell SET path = path || 'x'".into(), "its cells changed"),
        ("DELETE FROM seal WHERE of = 'record'".into(), "the checksum of its record is missing"),
        ("DELETE FROM seal WHERE of = 'sample'".into(), "samples are there, but 0 were stored"),
    ];
    for (sql, told) in &cases {
        std::fs::write(&path, &whole).unwrap();
        assert!(Connection::open(&path).unwrap().execute(sql, []).unwrap() > 0, "{sql}");
        let line = refused(&path, "last");
        assert!(line.contains(told) && line.contains(id) && !line.contains('\n'), "{sql}: {line}");
        let checked = Archive::open(&path).unwrap().check(false).unwrap();
        assert!(checked[0].wrong.iter().any(|line| line.contains(told)), "{sql}: {checked:?}");
    }
}

#[test]
fn a_damaged_run_is_told_and_the_others_are_there() {
    let (_bed, path, run) = measured();
    let archive = Archive::open_to_write(&path).unwrap();
    let other = Run { id: "20260102-000000-0000".into(), ..run.clone() };
    archive.begin(&other).unwrap();
    drop(archive);
    let store = Connection::open(&path).unwrap();
    let sql = "UPDATE run SET record = '{' || record WHERE id = ?1";
    store.execute(sql, [&run.id]).unwrap();
    let archive = Archive::open(&path).unwrap();
    let runs = archive.runs().unwrap();
    assert_eq!((runs.sound.len(), runs.damaged.len()), (1, 1));
    assert!(runs.damaged[0].to_string().contains(&run.id), "{}", runs.damaged[0]);
    assert_eq!(archive.outlines().unwrap().damaged.len(), 1);
    archive.load("last").unwrap();
    // The newest is gone without a trace: the one before it is not the last.
    let sql = "PRAGMA foreign_keys = OFF; DELETE FROM run WHERE id <> '20260101-000000-0000'";
    store.execute_batch(sql).unwrap();
    let line = refused(&path, "last");
    assert!(line.contains("1 run is there, but 2 were stored"), "{line}");
    // Lists have the others, and tell that one is missing.
    store.execute_batch("UPDATE run SET record = substr(record, 2)").unwrap();
    let archive = Archive::open(&path).unwrap();
    let (runs, outlines) = (archive.runs().unwrap(), archive.outlines().unwrap());
    assert_eq!((runs.sound[0].id.as_str(), runs.sound.len()), (run.id.as_str(), 1));
    assert_eq!((outlines.sound[0].id.as_str(), outlines.sound.len()), (run.id.as_str(), 1));
    for damaged in [runs.damaged, outlines.damaged] {
        let told: Vec<_> = damaged.iter().map(ToString::to_string).collect();
        let missing = "its list of runs is damaged: 1 run is there, but 2 were stored: the newest \
                       run may be missing";
        assert!(told.len() == 1 && told[0].ends_with(missing), "{told:?}");
    }
    archive.load(&run.id).unwrap();
}

/// Everywhere in the file, a bit at a time.
#[test]
fn no_flipped_bit_makes_another_run_of_it() {
    let (bed, path, run) = measured();
    let whole = std::fs::read(&path).unwrap();
    let damaged = bed.archive.place().file().unwrap().with_file_name("damaged.db");
    let (mut told, mut harmless) = (0, 0);
    // The step has no factor in common with what pages and records are made of.
    for at in (0..100).chain((100..whole.len()).step_by((whole.len() / 1500) | 1)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&damaged, &bytes).unwrap();
        let read = Archive::open(&damaged).and_then(|archive| archive.load("last"));
        match read {
            Err(_) => told += 1,
            Ok(read) => {
                assert!(read == run, "byte {at}: another run, and nothing was told");
                harmless += 1;
            }
        }
    }
    assert!(told > 150 && harmless > 0, "{told} told, {harmless} harmless");
}

/// Whoever wrote the archive could make its checksums right: these are refused for what they are.
#[test]
fn a_sample_without_a_time_a_call_is_refused_by_name() {
    let (_bed, path, run) = measured();
    let whole = std::fs::read(&path).unwrap();
    let one = "WHERE rowid = (SELECT max(rowid) FROM sample)";
    for (change, told) in [
        ("iterations = 0", "has 0 calls in"),
        ("iterations = -1", "has -1 calls in"),
        ("elapsed_ns = 0.0", "calls in 0 ns"),
        ("elapsed_ns = -5.0", "calls in -5 ns"),
        ("elapsed_ns = 9e999", "calls in inf ns"),
    ] {
        std::fs::write(&path, &whole).unwrap();
        let sql =
            format!("UPDATE sample SET {change} {one}; DROP TABLE seal; PRAGMA user_version = 0;");
        Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
        let line = refused(&path, "last");
        let last = run.samples.last().unwrap();
        let place = format!("cell {} in block {} of launch {}", last.cell, last.block, last.launch);
        assert!(line.contains(told) && line.contains(&place) && line.contains(&run.id), "{line}");
        let checked = Archive::open(&path).unwrap().check(false).unwrap();
        assert!(checked[0].wrong.iter().any(|line| line.contains(told)), "{checked:?}");
    }
}

#[test]
fn a_newer_archive_and_one_with_views_or_triggers_are_refused_and_left_alone() {
    let (_bed, path, _) = measured();
    let whole = std::fs::read(&path).unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n";
    let cases = [
        ("PRAGMA user_version = 9".to_owned(), "made by a newer macrometer"),
        (format!("ALTER TABLE event RENAME TO e; CREATE VIEW event AS {endless}"), "view"),
        ("CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM sample; END".into(), "trigger"),
        // What keeps a check of the file busy without end.
        (
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_master SET sql = replace(sql, 'spent_s REAL NOT NULL',
                 'spent_s REAL NOT NULL CHECK (length(hex(zeroblob(150000000))) > 0)')
             WHERE name = 'run'"
                .into(),
            "its schema: \"run\"",
        ),
        (
            "CREATE INDEX evil ON sample (run) WHERE length(hex(zeroblob(15))) > 0".into(),
            "its schema: \"evil\"",
        ),
    ];
    for (sql, told) in &cases {
        std::fs::write(&path, &whole).unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = std::fs::read(&path).unwrap();
        for opened in [Archive::open(&path), Archive::create(&path), Archive::open_to_write(&path)]
        {
            let line = opened.unwrap_err().to_string();
            assert!(line.contains(told), "{line}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

/// SQLite keeps a log beside each name: what is written by one is damaged by what is by another.
#[test]
fn an_archive_of_two_names_is_read_and_not_written() {
    let (_bed, path, _) = measured();
    let before = std::fs::read(&path).unwrap();
    let [other, own] = ["other.db", "own.db"].map(|name| path.with_file_name(name));
    std::fs::hard_link(&path, &other).unwrap();
    for name in [&path, &other] {
        for opened in [Archive::create(name), Archive::open_to_write(name)] {
            let line = opened.unwrap_err().to_string();
            let is_told = line.contains("2 names (hard links)") && line.contains("copy it");
            assert!(is_told && !line.contains('\n'), "{line}");
        }
        assert_eq!(Archive::open(name).unwrap().runs().unwrap().sound.len(), 1);
    }
    assert!(std::fs::read(&path).unwrap() == before);
    std::fs::copy(&path, &own).unwrap();
    drop(Archive::open_to_write(&own).unwrap());
    std::fs::remove_file(&other).unwrap();
    drop(Archive::open_to_write(&path).unwrap());
}

#[test]
fn a_sealed_archive_of_before_a_table_was_added_is_sound() {
    let (_bed, path, _) = measured();
    let store = Connection::open(&path).unwrap();
    for table in ["processor", "launch"] {
        let sql = format!("DELETE FROM seal WHERE of = '{table}'; DROP TABLE {table}");
        store.execute_batch(&sql).unwrap();
    }
    drop(store);
    let run = Archive::open(&path).unwrap().load("last").unwrap();
    assert!(run.processor_times.is_empty() && run.launch_records.is_empty());
    assert_eq!(Archive::open(&path).unwrap().runs().unwrap().sound.len(), 1);
}

#[test]
fn checksums_that_are_gone_are_missed_for_reading_and_for_writing() {
    let (_bed, path, _) = measured();
    Connection::open(&path).unwrap().execute_batch("DROP TABLE seal").unwrap();
    let before = std::fs::read(&path).unwrap();
    let lines = [
        refused(&path, "last"),
        Archive::open(&path).unwrap().check(true).unwrap_err().to_string(),
        Archive::open_to_write(&path).unwrap_err().to_string(),
        Archive::create(&path).unwrap_err().to_string(),
    ];
    for line in lines {
        assert!(line.contains("its table of checksums is damaged: it is missing"), "{line}");
    }
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn a_run_begins_with_its_writer_or_not_at_all() {
    let (_bed, path, run) = measured();
    let archive = Archive::open_to_write(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("DROP TABLE writer").unwrap();
    assert!(archive.begin(&Run { id: "other".into(), ..run }).is_err());
    assert_eq!(archive.runs().unwrap().sound.len(), 1);
}

#[test]
fn what_a_newer_macrometer_tells_is_kept_under_its_name() {
    let (_bed, path, run) = measured();
    let mut archive = Archive::open_to_write(&path).unwrap();
    archive.claim(&run.id, true).unwrap();
    let event =
        Event { unix_s: 2, kind: EventKind::Other("a later kind".into()), text: "x".into() };
    archive.tell(&run.id, &event).unwrap();
    assert_eq!(Archive::open(&path).unwrap().load("last").unwrap().events.last(), Some(&event));
}

#[test]
fn an_archive_that_is_taken_away_or_replaced_is_told_while_it_is_written() {
    let (bed, path, run) = measured();
    for is_replaced in [false, true] {
        let place = bed.archive.place().file().unwrap().with_file_name("mine.db");
        let mut archive = Archive::create(&place).unwrap();
        archive.begin(&run).unwrap();
        archive.set_state(&run.id, RunState::Open, 1.0).unwrap();
        std::fs::remove_file(&place).unwrap();
        if is_replaced {
            std::fs::copy(&path, &place).unwrap();
        }
        let told = archive.set_state(&run.id, RunState::Complete, 2.0).unwrap_err().to_string();
        assert!(told.contains("was removed or replaced"), "{told}");
        drop(archive);
        let _ = std::fs::remove_file(&place);
    }
}

/// Long before its end is told: samples that are appended would be lost.
#[test]
fn an_archive_that_is_taken_away_or_replaced_is_told_with_the_next_block() {
    let (bed, path, run) = measured();
    for is_replaced in [false, true] {
        let place = bed.archive.place().file().unwrap().with_file_name("mine.db");
        let mut archive = Archive::create(&place).unwrap();
        archive.begin(&run).unwrap();
        std::fs::remove_file(&place).unwrap();
        if is_replaced {
            std::fs::copy(&path, &place).unwrap();
        }
        // The first block is synchronised with the disk, and the file looked for.
        let told = archive.append(&run.id, &run.samples[..1], &[], 1.0).unwrap_err().to_string();
        assert!(told.contains("was removed or replaced"), "{told}");
        drop(archive);
        let _ = std::fs::remove_file(&place);
    }
}

#[test]
fn many_that_make_one_archive_at_once_make_it_once() {
    for _ in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        std::thread::scope(|scope| {
            let made = [(); 8].map(|()| scope.spawn(|| Archive::create(&path).map(drop)));
            made.into_iter().for_each(|made| made.join().unwrap().unwrap());
        });
    }
}

#[test]
fn an_archive_that_is_being_made_is_no_foreign_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    std::fs::write(&path, "").unwrap();
    assert!(matches!(Archive::open(&path), Err(ArchiveError::Empty(_))));
    Archive::create(&path).unwrap();
    Archive::open(&path).unwrap();
    for _ in 0..30 {
        std::fs::remove_file(&path).unwrap();
        let is_told = |read: Result<Archive, ArchiveError>| match read {
            Ok(_) | Err(ArchiveError::Absent(_) | ArchiveError::Empty(_)) => {}
            Err(other) => panic!("{other}"),
        };
        std::thread::scope(|scope| {
            let made = scope.spawn(|| Archive::create(&path).map(drop));
            while !made.is_finished() {
                is_told(Archive::open(&path));
            }
            made.join().unwrap().unwrap();
        });
    }
}

#[test]
fn what_keeps_nothing_is_no_archive() {
    for name in ["", ":memory:", "/dev/null", "/dev/zero"] {
        let told = Archive::create(Path::new(name)).unwrap_err();
        assert!(matches!(told, ArchiveError::Foreign(_)), "{name}: {told}");
    }
}
