//! Where a run's segments are written.

use std::path::Path;

use anyhow::{Context, Result};
use lab::archive::Archive;
use lab::cell::{Cell, Medium, Regime};
use lab::plan::Planned;
use lab::record::Run;
use lab::segments::folder::{Folder, file_system};
use lab::worker::client::Launch;

/// Makes the folder for the segments of a run that writes any, beside the archive unless `dir`
/// names another place, and tells the workers' launches. It is gone when it is dropped.
pub fn folder(
    archive: &mut Archive,
    run: &mut Run,
    cells: &[Planned],
    launches: &mut [Launch],
    dir: Option<&Path>,
) -> Result<Option<Folder>> {
    let writes = |cell: &Cell| match cell.regime {
        Regime::Segments(medium, _) => medium != Medium::Memory,
        _ => false,
    };
    let planned = cells.iter().map(|planned| &planned.cell);
    let writing: Vec<&Cell> =
        planned.chain(run.cells.iter().map(|r| &r.cell)).filter(|cell| writes(cell)).collect();
    if writing.is_empty() {
        return Ok(None);
    }
    let beside = archive.place().folder();
    let beside = Some(beside).filter(|folder| !folder.as_os_str().is_empty());
    let base = dir.or(beside).unwrap_or(Path::new("."));
    let folder = Folder::in_base(base)
        .with_context(|| format!("--segments-dir {}: no place for segments", base.display()))?;
    // One for all workers, of which one writes at a time.
    for launch in launches.iter_mut() {
        if writing.iter().any(|cell| cell.candidate.provider == launch.name) {
            launch.folder = Some(folder.path().to_owned());
        }
    }
    let place = std::fs::canonicalize(base)?;
    let kind = file_system(&place).map_or("an unknown file system".into(), |kind| {
        if kind == "tmpfs" { "tmpfs, which is memory".into() } else { kind }
    });
    super::note(archive, run, format!("segments are files in {}, on {kind}", place.display()))?;
    Ok(Some(folder))
}
