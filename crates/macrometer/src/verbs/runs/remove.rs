//! `runs remove`: a run goes, with its report, and nothing else does.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use lab::archive::{Archive, Room};
use words::counted;

use super::{files, size};
use crate::output;
use crate::paths::{ArchiveArg, report_folder};
use crate::verbs::report::is_of_report;

/// Remove runs from the archive, with the reports that lie in `reports/RUN` beside it, and what
/// could not be sent of them to a server.
///
/// It does not ask. Only whole names are taken, and each run that goes is listed with what goes
/// with it. A run that is being measured is not removed, and neither is any other then.
#[derive(Debug, Args)]
pub struct Remove {
    /// Whole names of the runs
    #[arg(required = true)]
    run: Vec<String>,
    /// Remove a run that another process began to measure, if it cannot be seen whether that has
    /// ended
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
            let removed = archive.remove(run)?;
            let rows: Vec<String> = removed
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .map(|(what, count)| format!("{what}: {count}"))
                .collect();
            let rows =
                if rows.is_empty() { "nothing was measured yet".into() } else { rows.join(", ") };
            let report = report(&archive, run);
            output::print_text(&format!("run {run}: removed ({rows}){report}"))?;
            if let Some(file) = archive.remove_unsent(run)? {
                let file = shown(&file);
                output::print_text(&format!(
                    "run {run}: what could not be sent to the server, {file}: removed"
                ))?;
            }
        }
        output::print_text(&match archive.shrink() {
            Ok(Room::Freed) => {
                let (place, now) = (archive.place(), archive.len_bytes());
                let freed = size(before.saturating_sub(now));
                format!("{place}: {freed} freed, {} left", size(now))
            }
            Ok(Room::InUse) => {
                "Another run is being measured: the room is used by later runs, or freed \
                          by the next `runs remove`."
                    .into()
            }
            Ok(Room::OfServer) => "The server uses the room for later runs.".into(),
            Err(error) => format!("The room is used by later runs; it could not be freed: {error}"),
        })?;
        Ok(0)
    }
}

/// Removes what `report` and `run` have written for a run; what became of it, in words.
fn report(archive: &Archive, run: &str) -> String {
    let folder = report_folder(archive, run, None);
    let (mut gone, mut bytes) = (0, 0);
    for (path, len) in files(archive, run) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_of_report(&name) && std::fs::remove_file(&path).is_ok() {
            gone += 1;
            bytes += len;
        }
    }
    // Fails where anything else is there, as it is to.
    let is_gone = std::fs::remove_dir(&folder).is_ok();
    let files = format!("{} ({})", counted(gone, "file"), size(bytes));
    match (is_gone, folder.symlink_metadata().is_ok()) {
        (true, _) => format!("; its report {}: removed, {files}", shown(&folder)),
        (false, true) => {
            format!("; of {} removed: {files}; the rest is not of its report", shown(&folder))
        }
        (false, false) => String::new(),
    }
}

fn shown(folder: &Path) -> String {
    folder.display().to_string()
}
