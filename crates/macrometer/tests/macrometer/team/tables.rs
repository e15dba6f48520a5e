//! The same runs in a database and in bundles are the same tables.

use std::path::Path;

use lab::archive::{Archive, Place};

use super::server::Server;
use super::{SMALL, measured};
use crate::bench::Bench;
use crate::stores;

const TABLES: [&str; 6] = ["machines", "runs", "providers", "cells", "samples", "claims"];

/// A table, but for the places of files, line by line.
fn table(bench: &Bench, folder: &str, name: &str) -> String {
    std::fs::read_to_string(bench.path(folder).join(format!("{name}.csv"))).unwrap()
}

#[test]
fn a_store_in_a_database_gathers_as_the_folder_it_was_made_of() {
    let Some(server) = Server::start("trust") else { return };
    let bench = Bench::new();
    let url = server.archive();
    let mut team = Place::named(Path::new(&url), bench.folder()).unwrap().create().unwrap();
    stores::write_to(&bench.path("store"), 3, [30, 12, 2], |archive: &Archive, run, contents| {
        fleet::team::put(archive, run, contents, &mut team, bench.folder()).unwrap();
        // Once more, told otherwise: nothing changes.
        let other = fleet::Contents { licence: "MIT", host_name: Some("mine"), ..*contents };
        fleet::team::put(archive, run, &other, &mut team, bench.folder()).unwrap();
    });
    bench.right(&["fleet", "gather", "store", "--csv", "-o", "of-folder"]);
    bench.right(&["fleet", "gather", &url, "--csv", "-o", "of-database"]);
    for name in TABLES {
        let (folder, database) =
            (table(&bench, "of-folder", name), table(&bench, "of-database", name));
        assert!(folder.lines().count() > 1 || name == "claims", "{name}");
        assert_eq!(folder, database, "{name}");
    }
    let of_folder = bench.right(&["compare", "--fleet", "store"]);
    assert_eq!(of_folder, bench.right(&["compare", "--fleet", &url]));
    let judged = bench.right(&["fleet", "check", &url]);
    assert_eq!(judged.matches("open    postgres://").count(), 3, "{judged}");
    bench.right(&["runs", "check", "--archive", &url]);
    // One whose record is damaged is named, and the others are gathered.
    server.sql(
        "bench",
        "UPDATE macrometer.bundle SET record = replace(record, 'licence', 'x')
                         WHERE run = (SELECT min(run) FROM macrometer.bundle)",
    );
    let told = bench.output(&["fleet", "gather", &url, "--csv", "-o", "of-rest"]);
    assert_eq!(told.status.code(), Some(1));
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("refused: ") && told.contains("is damaged"), "{told}");
    assert_eq!(table(&bench, "of-rest", "runs").lines().count(), 3);
    for arguments in [
        &["runs", "check", "--archive", &url][..],
        &["runs", "check", "--quick", "--archive", &url],
        &["fleet", "check", &url],
        &["compare", "--fleet", &url],
    ] {
        assert_eq!(bench.output(arguments).status.code(), Some(1), "{arguments:?}");
    }
    // Where all are refused, each is named.
    server.sql("bench", "DELETE FROM macrometer.seal WHERE of = 'bundle'");
    for arguments in [&["compare", "--fleet", &url][..], &["fleet", "site", &url, "-o", "site"]] {
        let told = bench.output(arguments);
        let error = String::from_utf8(told.stderr).unwrap();
        assert_eq!((told.status.code(), error.lines().count()), (Some(2), 4), "{error}");
        assert!(error.contains("checksum of what is kept beside it"), "{error}");
        assert!(error.trim_end().ends_with("no valid bundle"), "{error}");
    }
}

#[test]
fn a_task_and_a_run_of_a_pack_are_gathered_and_another_run_is_told() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, url) = (Bench::new(), server.archive());
    assert!(measured(&bench, &url, &["--budget", "1"]).output().unwrap().status.success());
    let told = bench.output(&["fleet", "gather", &url, "--csv", "-o", "none"]);
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(
        told.contains("1 run was not made from a pack") && told.contains("no valid bundle"),
        "{told}"
    );
    let extent = ["--launches", "2", "--blocks", "6", "-o", "small.pack"];
    bench.right(&[&["pack"][..], &SMALL[1..SMALL.len() - 1], &extent].concat());
    bench.right(&["fleet", "task", "small.pack", "--store", &url, "--pairs", "0"]);
    let again = bench.right(&["fleet", "task", "small.pack", "--store", &url, "--pairs", "0"]);
    assert!(again.contains("bundle of run"), "{again}");
    bench.right(&["run", "small.pack", "--quiet", "--archive", &url]);
    let told = bench.output(&["fleet", "gather", &url, "--csv", "-o", "out"]);
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stderr));
    let runs = table(&bench, "out", "runs");
    assert_eq!(runs.lines().count(), 3, "{runs}");
    assert_eq!(table(&bench, "out", "machines").lines().count(), 2, "one host");
}

#[test]
fn verbs_that_read_and_move_runs_do_so_on_a_server() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, url) = (Bench::new(), server.archive());
    let options = ["--launches", "2", "--blocks", "6"];
    assert!(measured(&bench, &url, &options).output().unwrap().status.success());
    let id = &super::runs(&bench, &url)[0];
    bench.right(&["runs", "export", id, "--archive", &url, "-o", "one.db"]);
    let same = bench.right(&["runs", "import", "one.db", "--archive", &url]);
    assert!(same.contains("with the same content"), "{same}");
    let json =
        |archive: &str| bench.right(&["report", id, "--archive", archive, "--format", "json"]);
    assert_eq!(json("one.db"), json(&url));
    for arguments in [
        vec!["report", id, "--format", "csv"],
        vec!["compare", id, id],
        vec!["analyze", "--run", id, "--cell", "*"],
        vec!["cite", id],
        vec!["claims"],
        vec!["list", "runs"],
        vec!["plan"],
        vec!["runs", "check", "--quick"],
    ] {
        let told = |archive: &str| {
            let output = bench.output(&[&arguments[..], &["--archive", archive]].concat());
            (output.status.code(), String::from_utf8(output.stderr).unwrap())
        };
        assert_eq!(told(&url).0, told("one.db").0, "{arguments:?}: {}", told(&url).1);
        assert!(matches!(told(&url).0, Some(0 | 1)), "{arguments:?}: {}", told(&url).1);
    }
    let told = bench.right(&["runs", "remove", id, "--archive", &url]);
    assert!(told.contains("The server uses the room"), "{told}");
    for table in ["run", "cell", "sample", "event", "writer", "bundle"] {
        assert_eq!(server.sql("bench", &format!("SELECT count(*) FROM macrometer.{table}")), "0");
    }
    let told = bench.right(&["runs", "import", "one.db", "--archive", &url]);
    assert!(told.contains("imported into"), "{told}");
    assert_eq!(json("one.db"), json(&url));
    bench.right(&["runs", "check", "--archive", &url]);
}
