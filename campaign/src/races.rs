//! Processes that want the same at once: each gets it, or is told in one line why not.

use std::fs;

use crate::Tried;
use crate::bed::{Bed, Ended, PATIENCE, ended};

const SMALL: &str = "run --provider macs --mac hmac-sha256 --size 64 --budget 1 --cpu none";

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "races", tried.seed);
    let mut writers = 0;
    while tried.has_time() {
        bed.remove_archive("a.db");
        // A new archive.
        let mut arguments: Vec<&str> = SMALL.split_whitespace().collect();
        arguments.extend(["--archive", "a.db"]);
        let made = at_once(&bed, 2, &arguments);
        tried.one(made.iter().find_map(all_right).map(|it| format!("a new archive: {it}")));
        // One run: one measures it, and the other is told so.
        let resume =
            ["run", "--resume", "last", "--budget", "4", "--cpu", "none", "--archive", "a.db"];
        let resumed = at_once(&bed, 2, &resume);
        writers += 1;
        tried.one(one_of(&resumed).map(|it| format!("one run: {it}")));
        // One folder.
        let report = ["report", "last", "--format", "files", "--out", "out", "--archive", "a.db"];
        let reports = at_once(&bed, 4, &report);
        tried.one(reports.iter().find_map(all_right).map(|it| format!("one folder: {it}")));
        let left = fs::read_dir(bed.path("out")).into_iter().flatten().flatten();
        let left = left.filter(|it| it.file_name().to_string_lossy().ends_with(".part")).count();
        let check = bed.run(&["runs", "check", "--archive", "a.db"]);
        let damaged = String::from_utf8_lossy(&check.stdout).into_owned();
        let damaged = (check.code() != Some(0)).then_some(damaged);
        // What is seen after all three is no race of its own.
        tried.failures.extend(damaged);
        tried.failures.extend((left > 0).then(|| format!("{left} halves of files are left")));
    }
    tried.figure(format!("{writers} of two writers on one run"));
    tried.look_around(&bed);
}

/// One went on for seconds, so that the other came while it did.
fn one_of(both: &[Ended]) -> Option<String> {
    let (done, refused): (Vec<_>, Vec<_>) = both.iter().partition(|it| it.code() == Some(0));
    if done.len() != 1 {
        let said: Vec<&str> = both.iter().map(|it| it.stderr.trim()).collect();
        return Some(format!("{} of 2 measured: {}", done.len(), said.join(" | ")));
    }
    let wrong = refused.iter().find_map(|it| it.is_broken().or_else(|| it.is_no_refusal()));
    let is_told = |it: &&Ended| it.stderr.contains("is being measured by process");
    wrong.or_else(|| (!refused.iter().all(is_told)).then(|| refused[0].stderr.trim().to_owned()))
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
