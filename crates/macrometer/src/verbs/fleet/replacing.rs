//! A folder that is made beside its place and takes it when it is whole.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;

/// A folder beside a place, on the same disk.
pub(super) fn beside(place: &Path) -> Result<TempDir> {
    let shown = || format!("cannot write {}", place.display());
    let whole = std::path::absolute(place).with_context(shown)?;
    let parent = whole.parent().context("-o: the root is no folder to write")?;
    let mut made = tempfile::Builder::new();
    made.prefix(".macrometer-").suffix(".part").permissions(Permissions::from_mode(0o777));
    made.tempdir_in(parent).with_context(shown)
}

/// Moves a folder to its place. The older one is gone a moment before, and comes back if it fails.
pub(super) fn take_place(made: TempDir, place: &Path) -> Result<()> {
    let shown = || format!("cannot write {}", place.display());
    let older = beside(place)?;
    match fs::rename(place, older.path()) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        moved => moved.with_context(shown)?,
    }
    if let Err(error) = fs::rename(made.path(), place) {
        let _ = fs::rename(older.path(), place);
        return Err(error).with_context(shown);
    }
    // It has another name now, by which nobody deletes it.
    let _ = made.keep();
    Ok(())
}
