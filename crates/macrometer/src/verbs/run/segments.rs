//! Where a run's segments are written.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lab::archive::Archive;
use lab::cell::Cell;
use lab::plan::Planned;
use lab::record::Run;
use lab::segments::folder::{Folder, file_system, remove_all_left_over};
use lab::worker::client::Launch;

use crate::selection::Ready;

/// A place as it is kept with a run, which may go on from another folder. Whether it takes segments
/// is tried: the folder that they are written to is made when the run has begun.
pub fn place(dir: &Path) -> Result<PathBuf> {
    drop(made(dir)?);
    Ok(std::fs::canonicalize(dir)?)
}

/// Tries the same with a place beside the archive, where a run that is about to begin needs it.
pub fn check(archive: &Archive, ready: &Ready) -> Result<()> {
    let is_needed = ready.cells.iter().any(|planned| writes(&&planned.cell));
    if is_needed && ready.segments_dir.is_none() {
        drop(made(base(archive, None))?);
    }
    Ok(())
}

fn made(base: &Path) -> Result<Folder> {
    Folder::in_base(base)
        .with_context(|| format!("--segments-dir {}: no place for segments", base.display()))
}

/// Whether its segments are files.
fn writes(cell: &&Cell) -> bool {
    cell.regime.without_files().is_some()
}

/// Beside the archive, unless `dir` names another place.
fn base<'a>(archive: &'a Archive, dir: Option<&'a Path>) -> &'a Path {
    let beside = Some(archive.place().folder()).filter(|folder| !folder.as_os_str().is_empty());
    dir.or(beside).unwrap_or(Path::new("."))
}

/// Removes what a killed process has left of a run that needs no folder any more.
pub fn clear(archive: &Archive, run: &Run, dir: Option<&Path>) {
    if run.cells.iter().any(|record| writes(&&record.cell)) {
        // What cannot be removed was told of when it was made.
        let _ = remove_all_left_over(base(archive, dir));
    }
}

/// Makes the folder for the segments of a run that writes any, beside the archive unless `dir`
/// names another place, and tells the workers' launches. It is gone when it is dropped.
pub fn folder(
    archive: &mut Archive,
    run: &mut Run,
    cells: &[Planned],
    launches: &mut [Launch],
    dir: Option<&Path>,
) -> Result<Option<Folder>> {
    let planned = cells.iter().map(|planned| &planned.cell);
    let writing: Vec<&Cell> =
        planned.chain(run.cells.iter().map(|r| &r.cell)).filter(writes).collect();
    if writing.is_empty() {
        return Ok(None);
    }
    let base = base(archive, dir);
    let folder = made(base)?;
    // One for all workers, of which one writes at a time.
    for launch in launches.iter_mut() {
        if writing.iter().any(|cell| cell.candidate.provider == launch.name) {
            launch.folder = Some(folder.path().to_owned());
        }
    }
    let place = std::fs::canonicalize(base)?;
    super::note(archive, run, told_of(&place))?;
    Ok(Some(folder))
}

/// Where segments are, and on what.
fn told_of(place: &Path) -> String {
    let kind = file_system(place).map_or("an unknown file system".into(), |kind| {
        if kind == "tmpfs" { "tmpfs, which is memory".into() } else { kind }
    });
    format!("segments are files in {}, on {kind}", place.display())
}
