//! Many processes at once.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::server::Server;
use super::{measured, runs};
use crate::bench::Bench;

#[test]
fn eight_writers_and_a_reader_lose_nothing_and_double_nothing() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    // All make the tables, since none are there.
    let start = |at: usize| {
        let seed = at.to_string();
        let options = ["--launches", "2", "--blocks", "20", "--seed", &seed, "--format", "json"];
        let mut run = measured(&bench, &archive, &options);
        run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut writers: Vec<Child> = (0..8).map(start).collect();
    let mut reports = 0;
    while writers.iter_mut().any(|it| it.try_wait().unwrap().is_none()) {
        let seen = bench.output(&["runs", "check", "--archive", &archive]);
        let told = String::from_utf8_lossy(&seen.stdout).into_owned();
        // Until the first writer has made the tables there is nothing to read.
        let is_made = !String::from_utf8_lossy(&seen.stderr).contains("no archive here yet");
        assert!(!is_made || seen.status.code() == Some(0), "{told}");
        let report = bench.output(&["report", "last", "--archive", &archive]);
        reports += usize::from(report.status.code() == Some(0));
    }
    assert!(reports > 0, "nothing was read while it was written");
    let mut told: BTreeSet<(String, u64)> = BTreeSet::new();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{error}");
        let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let cells = findings["cells"].as_array().unwrap();
        let samples = cells.iter().map(|cell| cell["samples"].as_u64().unwrap()).sum();
        told.insert((findings["run"].as_str().unwrap().to_owned(), samples));
    }
    assert_eq!(told.len(), 8);
    let kept = server.sql("bench", "SELECT run, count(*) FROM macrometer.sample GROUP BY run");
    let kept = kept.lines().map(|line| {
        let (run, count) = line.split_once('|').unwrap();
        (run.to_owned(), count.parse().unwrap())
    });
    let kept: BTreeSet<(String, u64)> = kept.collect();
    assert_eq!(kept.iter().map(|(run, _)| run).collect::<Vec<_>>().len(), 8);
    for (run, samples) in &told {
        let found = kept.iter().find(|(name, _)| name == run).unwrap();
        assert!(found.1 >= *samples && *samples > 0, "{found:?} {samples}");
    }
    let doubled = "SELECT count(*) FROM (SELECT 1 FROM macrometer.sample
                   GROUP BY run, cell, launch, block HAVING count(*) > 1) AS doubled";
    assert_eq!(server.sql("bench", doubled), "0");
    let holes = "SELECT count(*) FROM (SELECT run, launch FROM macrometer.sample
                 GROUP BY run, cell, launch
                 HAVING max(block) - min(block) + 1 <> count(*)) AS holes";
    assert_eq!(server.sql("bench", holes), "0");
    assert_eq!(runs(&bench, &archive).len(), 8);
    bench.right(&["runs", "check", "--archive", &archive]);
}

#[test]
fn a_run_has_one_writer_and_goes_on_where_that_was_killed() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    let options = ["--launches", "3", "--blocks", "300"];
    let mut first = measured(&bench, &archive, &options);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let count = "SELECT CASE WHEN to_regclass('macrometer.sample') IS NULL THEN 0
                 ELSE (xpath('/row/c/text()', query_to_xml('SELECT count(*) AS c FROM
                 macrometer.sample', false, true, '')))[1]::text::int END";
    while server.sql("bench", count).parse::<u32>().unwrap() < 50 {
        assert!(first.try_wait().unwrap().is_none(), "it ended before it could be disturbed");
        assert!(begun.elapsed() < Duration::from_secs(60), "no samples");
    }
    let [run] = &runs(&bench, &archive)[..] else { panic!("one run") };
    let told = bench.wrong(&["run", "--resume", run, "--archive", &archive]);
    assert!(told.contains("is being measured by process"), "{told}");
    let told = bench.wrong(&["runs", "remove", run, "--archive", &archive]);
    assert!(told.contains("is being measured by process"), "{told}");
    first.kill().unwrap();
    first.wait().unwrap();
    let places = "SELECT string_agg(concat_ws(' ', cell, launch, block, position), ',' ORDER BY
                  rowid) FROM macrometer.sample";
    let kept = server.sql("bench", places);
    bench.right(&["run", "--resume", run, "--archive", &archive, "--quiet"]);
    let whole = server.sql("bench", places);
    assert!(whole.starts_with(&kept) && whole.len() > kept.len());
    bench.right(&["runs", "check", "--archive", &archive]);
}
