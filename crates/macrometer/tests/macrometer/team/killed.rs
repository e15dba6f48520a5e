//! A server that dies while a run is measured.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::server::Server;
use super::{measured, runs};
use crate::bench::Bench;

fn unsent(bench: &Bench) -> Option<PathBuf> {
    let files = std::fs::read_dir(bench.path("macrometer/unsent")).ok()?;
    let files: Vec<PathBuf> = files.map(|it| it.unwrap().path()).collect();
    assert!(files.len() < 2);
    files.into_iter().next()
}

/// Samples by cell, launch, block and the bits of their time, from a file with one run.
fn samples(file: &std::path::Path) -> Vec<(i64, i64, i64, u64)> {
    let store = rusqlite::Connection::open(file).unwrap();
    let sql = "SELECT cell, launch, block, elapsed_ns FROM sample ORDER BY rowid";
    let mut select = store.prepare(sql).unwrap();
    let rows = select.query_map([], |row| {
        let time: f64 = row.get(3)?;
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, time.to_bits()))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn wait_for_samples(server: &Server, run: &mut Child) {
    let begun = Instant::now();
    while server.sql("bench", "SELECT count(*) FROM macrometer.sample").parse::<u32>().unwrap() < 50
    {
        assert!(run.try_wait().unwrap().is_none(), "it ended before the server");
        assert!(begun.elapsed() < Duration::from_secs(60), "no samples");
    }
}

#[test]
fn what_is_measured_while_the_server_is_away_is_handed_over() {
    let Some(mut server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    // So that the tables are there.
    assert!(measured(&bench, &archive, &["--budget", "1"]).output().unwrap().status.success());
    server.sql("bench", "TRUNCATE macrometer.run, macrometer.seal CASCADE");
    let options = ["--launches", "3", "--blocks", "300", "--format", "json"];
    let mut run = measured(&bench, &archive, &options);
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_samples(&server, &mut run);
    server.kill();
    assert!(run.try_wait().unwrap().is_none(), "it ended before the server");
    let output = run.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("warning: ")).collect();
    let [gone, end] = lines[..] else { panic!("{told}") };
    assert!(gone.contains("goes on without the server"), "{gone}");
    assert!(end.contains("macrometer run --resume"), "{end}");
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = findings["run"].as_str().unwrap();
    let file = unsent(&bench).unwrap();
    assert_eq!(file.file_stem().unwrap().to_str(), Some(id));
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));

    let resume = ["run", "--resume", id, "--archive", &archive, "--quiet", "--format", "json"];
    let refused = bench.wrong(&resume);
    assert!(refused.contains("cannot be reached"), "{refused}");
    let kept = std::fs::read(&file).unwrap();
    server.run();
    let seen = bench.output(&["runs", "--archive", &archive]);
    let warned = String::from_utf8(seen.stderr).unwrap();
    assert!(warned.contains("is not whole") && warned.contains(id), "{warned}");
    // A file with a flipped bit is named, and nothing of it is taken.
    let mut flipped = kept.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    std::fs::write(&file, &flipped).unwrap();
    let refused = bench.output(&resume);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is damaged"));
    std::fs::write(&file, &kept).unwrap();

    let again: serde_json::Value = serde_json::from_str(&bench.right(&resume)).unwrap();
    assert!(unsent(&bench).is_none());
    assert_eq!(again, findings, "all that was measured is there, once and as it was");
    // Handed over once more, as when the process died before it removed the file: nothing changes.
    bench.right(&["runs", "export", id, "--archive", &archive, "-o", "before.db"]);
    std::fs::write(&file, &kept).unwrap();
    let told = bench.output(&resume);
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stderr));
    bench.right(&["runs", "export", id, "--archive", &archive, "-o", "after.db"]);
    assert_eq!(samples(&bench.path("before.db")), samples(&bench.path("after.db")));
    assert_eq!(runs(&bench, &archive), [id]);
    bench.right(&["runs", "check", "--archive", &archive]);
}

#[test]
fn what_was_continued_elsewhere_is_not_mixed_in() {
    let Some(mut server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    let options = ["--launches", "2", "--blocks", "150"];
    let mut run = measured(&bench, &archive, &options);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let is_begun = "SELECT to_regclass('macrometer.run') IS NOT NULL";
    let has_samples = "SELECT count(*) > 20 FROM macrometer.sample";
    while server.sql("bench", is_begun) != "t" || server.sql("bench", has_samples) != "t" {
        assert!(begun.elapsed() < Duration::from_secs(60), "no samples");
    }
    server.kill();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    server.run();
    let file = unsent(&bench).unwrap();
    let id = file.file_stem().unwrap().to_str().unwrap().to_owned();
    // Another machine has no such file.
    let aside = bench.path("aside");
    std::fs::rename(&file, &aside).unwrap();
    bench.right(&["run", "--resume", &id, "--archive", &archive, "--quiet"]);
    std::fs::rename(&aside, &file).unwrap();
    let told = bench.output(&["run", "--resume", &id, "--archive", &archive]);
    let error = String::from_utf8(told.stderr).unwrap();
    assert_eq!(told.status.code(), Some(2), "{error}");
    assert!(error.contains("was continued or removed by another process"), "{error}");
    bench.right(&["runs", "check", "--archive", &archive]);
    // It goes with its run.
    let told = bench.right(&["runs", "remove", &id, "--archive", &archive]);
    assert!(told.contains("what could not be sent") && !file.exists(), "{told}");
}

#[test]
fn a_server_that_hangs_is_left_behind() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    let mut run = measured(&bench, &archive, &["--launches", "2", "--blocks", "150"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    let is_begun = "SELECT to_regclass('macrometer.run') IS NOT NULL";
    let has_samples = "SELECT count(*) > 20 FROM macrometer.sample";
    while server.sql("bench", is_begun) != "t" || server.sql("bench", has_samples) != "t" {
        assert!(begun.elapsed() < Duration::from_secs(60), "no samples");
    }
    server.signal("-STOP");
    assert!(run.try_wait().unwrap().is_none(), "it ended before the server hung");
    let output = run.wait_with_output().unwrap();
    server.signal("-CONT");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("the server did not answer for 30 s"), "{told}");
    // What it was asked before it hung it may do now: that is not there twice.
    let id = unsent(&bench).unwrap().file_stem().unwrap().to_str().unwrap().to_owned();
    bench.right(&["run", "--resume", &id, "--archive", &archive, "--quiet"]);
    assert!(unsent(&bench).is_none());
    bench.right(&["runs", "check", "--archive", &archive]);
}

#[test]
fn a_transaction_that_was_kept_and_not_heard_of_is_there_once() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
    let cut = server.archive_not_heard(folder.path());
    let output = measured(&bench, &cut, &["--launches", "2", "--blocks", "20"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    let kept = server.sql("bench", "SELECT count(*) > 0 FROM macrometer.sample");
    assert_eq!(kept, "t", "the cut came too early: {told}");
    let id = unsent(&bench).unwrap().file_stem().unwrap().to_str().unwrap().to_owned();
    bench.right(&["run", "--resume", &id, "--archive", &archive, "--quiet"]);
    assert!(unsent(&bench).is_none());
    bench.right(&["runs", "check", "--archive", &archive]);
}
