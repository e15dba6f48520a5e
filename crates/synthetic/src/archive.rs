//! A run in an archive, as if it had been measured into it.

use std::path::Path;

use lab::archive::{Archive, ArchiveError};
use lab::record::Run;

/// Keeps a run in the archive at `path`, which is made where there is none; the archive, for
/// reading.
///
/// # Errors
/// When it cannot be kept.
pub fn keep(path: &Path, run: &Run) -> Result<Archive, ArchiveError> {
    let mut archive = Archive::create(path)?;
    archive.begin(run)?;
    archive.settle(&run.id, &run.cells, &run.chosen)?;
    run.launch_records.iter().try_for_each(|record| archive.keep_launch(&run.id, *record))?;
    let times = run.processor_times.iter();
    times.clone().try_for_each(|time| archive.keep_processor_time(&run.id, time))?;
    archive.keep_schemes(&run.id, &run.schemes)?;
    archive.keep_loads(&run.id, &run.loads)?;
    archive.append(&run.id, &run.samples, &run.sessions, run.spent_s)?;
    run.single_calls.iter().try_for_each(|calls| archive.keep_single_calls(&run.id, calls))?;
    run.events.iter().try_for_each(|event| archive.tell(&run.id, event))?;
    archive.set_state(&run.id, run.state, run.spent_s)?;
    // Whoever writes a run holds it until the archive is closed.
    drop(archive);
    Archive::open(path)
}
