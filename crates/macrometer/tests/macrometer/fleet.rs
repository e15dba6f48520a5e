//! One pack on many machines: packs, tasks that are killed and go on, and real schedulers. Those
//! that are not installed are skipped with a line; `MACROMETER_TEST_FLEET` makes that a failure.

mod packs;
mod schedulers;
mod tasks;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::bench::Bench;

/// A small study: two MACs of one provider at one length.
const SMALL: [&str; 9] = [
    "survey",
    "--mac",
    "hmac-sha256,cmac-aes-128",
    "--provider",
    "macs",
    "--size",
    "64",
    "--key-life",
    "prepared",
];

/// Packs the small study, so large.
fn packed(bench: &Bench, launches: u32, blocks: u32) -> PathBuf {
    let (launches, blocks) = (launches.to_string(), blocks.to_string());
    let extent = ["--launches", &launches, "--blocks", &blocks, "-o", "small.pack"];
    bench.right(&[&["pack"][..], &SMALL, &extent].concat());
    bench.path("small.pack")
}

/// A path below another, whose folders' names are made up.
fn only_below(folder: &Path, levels: usize) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for _ in 0..levels {
        let below = found.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        let below = below.map(|entry| entry.unwrap().path());
        let is_hidden = |path: &PathBuf| path.file_name().unwrap().as_encoded_bytes()[0] == b'.';
        found = below.filter(|path| path.is_dir() && !is_hidden(path)).collect();
    }
    found.sort();
    found
}

/// The bundles of a store.
fn bundles(store: &Path) -> Vec<PathBuf> {
    only_below(store, 3)
}

/// What samples of a run are told by: cell, launch, block, position, in order of measuring.
type Place = (i64, i64, i64, i64);

fn places(archive: &Path) -> Option<Vec<Place>> {
    let store = Connection::open_with_flags(archive, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    let sql = "SELECT cell, launch, block, position FROM sample
               WHERE run IN (SELECT id FROM run WHERE record LIKE '%study_id%') ORDER BY rowid";
    let mut rows = store.prepare(sql).ok()?;
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    rows.query_map([], row).ok()?.collect::<Result<_, _>>().ok()
}

/// Whether programs are there; says which is not.
fn has(programs: &[&str], package: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_missing = |name: &&&str| !folders.iter().any(|folder| folder.join(name).is_file());
    let missing = programs.iter().find(is_missing);
    let why = match missing {
        Some(name) => format!("no {name} (packages {package})"),
        None if !rustix::process::getuid().is_root() => "needs root".to_owned(),
        None => return true,
    };
    assert!(std::env::var_os("MACROMETER_TEST_FLEET").is_none(), "not to be skipped: {why}");
    eprintln!("skipped: {why}");
    false
}
