//! A folder that is made beside its place and takes it when it is whole.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};

use crate::halves::{self, HalfFolder};

/// A folder beside a place, on the same disk.
pub(super) fn beside(place: &Path) -> Result<HalfFolder> {
    let shown = || format!("cannot write {}", place.display());
    let whole = std::path::absolute(place).with_context(shown)?;
    let parent = whole.parent().context("-o: the root is no folder to write")?;
    halves::folder(parent).with_context(shown)
}

/// Moves a folder to its place. The older one is gone a moment before, and comes back if it fails.
pub(super) fn take_place(made: HalfFolder, place: &Path) -> Result<()> {
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
    made.keep();
    Ok(())
}
