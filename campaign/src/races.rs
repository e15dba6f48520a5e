//! Processes that want the same at once: each gets it, or is told in one line why not.

use std::fs;

use crate::Tried;
use crate::bed::{Bed, Ended, PATIENCE, ended};

const SMALL: [&str; 13] = [
    "run",
    "--provider",
    "macs",
    "--mac",
    "hmac-sha256",
    "--size",
    "64",
    "--launches",
    "1",
    "--blocks",
    "2",
    "--cpu",
    "none",
];

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "races", tried.seed);
    while tried.has_time() {
        for name in ["a.db", "a.db-wal", "a.db-shm"] {
            bed.remove(name);
        }
        // A new archive.
        let mut arguments = SMALL.to_vec();
        arguments.extend(["--archive", "a.db"]);
        let made = at_once(&bed, 2, &arguments);
        tried.one(made.iter().find_map(all_right).map(|it| format!("a new archive: {it}")));
        // One run: somebody measures it, and the others are told so.
        let resume =
            ["run", "--resume", "last", "--budget", "3", "--cpu", "none", "--archive", "a.db"];
        let resumed = at_once(&bed, 2, &resume);
        let refused = |it: &Ended| it.is_broken().or_else(|| it.is_no_refusal());
        let wrong = resumed.iter().filter(|it| it.code() != Some(0)).find_map(refused);
        let is_done = resumed.iter().any(|it| it.code() == Some(0));
        let none = (!is_done).then(|| format!("nobody measured: {}", resumed[0].stderr.trim()));
        tried.one(wrong.or(none).map(|it| format!("one run: {it}")));
        // One folder.
        let report = ["report", "last", "--format", "files", "--out", "out", "--archive", "a.db"];
        let reports = at_once(&bed, 4, &report);
        tried.one(reports.iter().find_map(all_right).map(|it| format!("one folder: {it}")));
        let left = fs::read_dir(bed.path("out")).into_iter().flatten().flatten();
        let left = left.filter(|it| it.file_name().to_string_lossy().ends_with(".part")).count();
        let check = bed.run(&["runs", "check", "--archive", "a.db"]);
        let damaged = String::from_utf8_lossy(&check.stdout).into_owned();
        let damaged = (check.code() != Some(0)).then_some(damaged);
        tried.one(damaged.or((left > 0).then(|| format!("{left} halves of files are left"))));
    }
}

fn at_once(bed: &Bed, count: usize, arguments: &[&str]) -> Vec<Ended> {
    let spawn = |_| bed.command(arguments).spawn().expect("the program to start");
    let children: Vec<_> = (0..count).map(spawn).collect();
    children.into_iter().map(|child| ended(child, PATIENCE)).collect()
}

fn all_right(ended: &Ended) -> Option<String> {
    let wrong = || format!("exit code {:?}: {}", ended.code(), ended.stderr.trim());
    ended.is_broken().or_else(|| (ended.code() != Some(0)).then(wrong))
}
