//! `runs remove`: a run goes, with its report, and nothing else does.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use lab::archive::{Archive, Room};
use report::charts::Names;
use words::counted;

use super::{files, size};
use crate::output;
use crate::paths::{ArchiveArg, report_folder};
use crate::verbs::report::{PICTURES, is_of_report, is_picture};

/// Remove runs from the archive, their reports in `reports/RUN` beside it, and any of their data
/// not yet sent to a server.
///
/// There is no confirmation prompt. Names must be given in full; each run removed is listed with
/// what is removed with it. If any of the runs is still being measured, none is removed.
#[derive(Debug, Args)]
pub struct Remove {
    /// Full names of the runs
    #[arg(required = true)]
    run: Vec<String>,
    /// Remove a run that another process began to measure, if it cannot be determined whether that
    /// process has ended
    #[arg(long)]
    take_over: bool,
    #[command(flatten)]
    archive: ArchiveArg,
}

impl Remove {
    pub fn run(self, archive: &ArchiveArg) -> Result<u8> {
        let mut archive = self.archive.or(archive).open_to_write()?;
        let mut runs = self.run;
        runs.sort();
        runs.dedup();
        for run in &runs {
            archive.claim_to_remove(run, self.take_over)?;
        }
        let before = archive.len_bytes();
        for run in &runs {
            self::remove(&mut archive, run)?;
        }
        output::print_text(&shrunk(&mut archive, before))?;
        Ok(0)
    }
}

/// Removes a run and what is its own, and says so.
fn remove(archive: &mut Archive, run: &str) -> Result<()> {
    let charts = charts(archive, run);
    let removed = archive.remove(run)?;
    let rows: Vec<String> = removed
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{what}: {count}"))
        .collect();
    let rows = if rows.is_empty() { "nothing was measured yet".into() } else { rows.join(", ") };
    let report = remove_report(archive, run, charts.as_ref());
    output::print_text(&format!("run {run}: removed ({rows}){report}"))?;
    if let Some(file) = archive.remove_unsent(run)? {
        let file = shown(&file);
        output::print_text(&format!(
            "run {run}: what could not be sent to the server, {file}: removed"
        ))?;
    }
    Ok(())
}

/// Gives the room of what is removed back; what became of it, in words.
fn shrunk(archive: &mut Archive, before: u64) -> String {
    match archive.shrink() {
        Ok(Room::Freed) => {
            let (place, now) = (archive.place(), archive.len_bytes());
            let freed = size(before.saturating_sub(now));
            format!("{place}: {freed} freed, {} left", size(now))
        }
        Ok(Room::InUse) => "Another run is being measured: the room is used by later runs, or \
                            freed by the next `runs remove`."
            .into(),
        Ok(Room::OfServer) => "The server uses the room for later runs.".into(),
        Err(error) => format!("The room is used by later runs; it could not be freed: {error}"),
    }
}

/// Names of the charts that `report` writes for a run. None where the run cannot be read: pictures
/// may be the user's own.
fn charts(archive: &Archive, run: &str) -> Option<Names> {
    let is_any = |path: &Path| {
        let name = path.to_string_lossy();
        PICTURES.iter().any(|end| name.ends_with(end))
    };
    // Reading a long run takes a while, and most have a page only.
    let has_any = files(archive, run).iter().any(|(path, _)| is_any(path));
    has_any.then(|| archive.load(run).ok()).flatten().map(|run| Names::of(&run))
}

/// Removes what `report` and `run` have written for a run; what became of it, in words.
fn remove_report(archive: &Archive, run: &str, charts: Option<&Names>) -> String {
    let folder = report_folder(archive, run, None);
    let (gone, bytes) = remove_files(archive, run, charts);
    // Fails where anything else is there, as it is to.
    let is_gone = std::fs::remove_dir(&folder).is_ok();
    let files = format!("{} ({})", counted(gone, "file"), size(bytes));
    match (is_gone, folder.symlink_metadata().is_ok()) {
        (true, _) => format!("; its report {}: removed, {files}", shown(&folder)),
        (false, true) => format!(
            "; of {} removed: {files}; the rest is not known to be of its report",
            shown(&folder)
        ),
        (false, false) => String::new(),
    }
}

/// How many files of a report are removed, and how many bytes they had.
fn remove_files(archive: &Archive, run: &str, charts: Option<&Names>) -> (usize, u64) {
    let (mut gone, mut bytes) = (0, 0);
    for (path, len) in files(archive, run) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_its = is_of_report(&name) || charts.is_some_and(|charts| is_picture(charts, &name));
        if is_its && std::fs::remove_file(&path).is_ok() {
            gone += 1;
            bytes += len;
        }
    }
    (gone, bytes)
}

fn shown(folder: &Path) -> String {
    folder.display().to_string()
}
