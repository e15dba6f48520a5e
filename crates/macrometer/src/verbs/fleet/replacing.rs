//! A folder that is made beside its place and takes it when it is whole.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use tempfile::Builder;

use crate::halves::{self, HalfFolder};

/// A folder beside a place, on the same disk.
pub(super) fn beside(place: &Path) -> Result<HalfFolder> {
    let shown = || format!("cannot write {}", place.display());
    let whole = std::path::absolute(place).with_context(shown)?;
    let parent = whole.parent().context("-o: the root folder cannot be replaced")?;
    halves::folder(parent).with_context(shown)
}

/// Moves a folder to its place, in one step with the older one that is there: a process that is
/// killed leaves one of the two whole. Where the file system knows no such step, the older one is
/// gone a moment before, by a name that nothing removes, and comes back if it fails.
pub(super) fn take_place(made: HalfFolder, place: &Path) -> Result<()> {
    let shown = || format!("cannot write {}", place.display());
    if fs::symlink_metadata(place).is_ok_and(|it| !it.is_dir()) {
        bail!("cannot write {}: it exists and is not a folder", place.display());
    }
    match renameat_with(CWD, made.path(), CWD, place, RenameFlags::EXCHANGE) {
        // What is deleted with it is the older one now.
        Ok(()) => return Ok(()),
        Err(Errno::NOENT) => {
            fs::rename(made.path(), place).with_context(shown)?;
            made.keep();
            return Ok(());
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        Err(error) => return Err(error).with_context(shown),
    }
    let parent = made.path().parent().context("a folder has a parent")?;
    let older = Builder::new().prefix(".macrometer-").suffix(".older").tempdir_in(parent)?;
    in_two_steps(made.path(), place, older.path()).with_context(shown)?;
    made.keep();
    Ok(())
}

fn in_two_steps(made: &Path, place: &Path, older: &Path) -> io::Result<()> {
    fs::rename(place, older)?;
    fs::rename(made, place).inspect_err(|_| _ = fs::rename(older, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_its_place_whether_one_is_there_or_not() {
        let parent = tempfile::tempdir().unwrap();
        let place = parent.path().join("site");
        for text in ["first", "second"] {
            let made = beside(&place).unwrap();
            fs::write(made.path().join("page"), text).unwrap();
            take_place(made, &place).unwrap();
            assert_eq!(fs::read_to_string(place.join("page")).unwrap(), text);
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
        }
        let file = parent.path().join("file");
        fs::write(&file, "mine").unwrap();
        assert!(take_place(beside(&file).unwrap(), &file).is_err());
        assert_eq!(fs::read_to_string(file).unwrap(), "mine");
    }
}
