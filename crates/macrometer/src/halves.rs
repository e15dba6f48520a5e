//! Files and folders that are written beside the place they take when they are whole. Whoever
//! writes one holds a lock on it, so that what a killed process left is known, and removed by the
//! next one that writes there.

use std::fs::{self, DirEntry, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use tempfile::{Builder, NamedTempFile, TempDir};

/// What their names begin with.
pub const PREFIX: &str = ".macrometer-";

/// What their names end with.
pub const SUFFIX: &str = ".part";

/// A younger one without a lock may just be made.
const LEFT_AFTER: Duration = Duration::from_secs(60);

/// A folder that is not whole yet.
#[derive(Debug)]
pub struct HalfFolder {
    /// Locked while this lives. It is closed first: a folder is removed by a descriptor, of which
    /// this process may have no other left.
    _held: File,
    made: TempDir,
}

/// A file in this folder by a name that nobody knows before, since others may write to it too; gone
/// when it is not persisted. The mode is cut by the umask.
pub fn file(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    remove_left(folder, LEFT_AFTER);
    let made = named(mode).tempfile_in(folder)?;
    // On a file system without locks it is as if nobody held it.
    let _ = made.as_file().try_lock();
    Ok(made)
}

/// A folder in this folder, likewise.
pub fn folder(folder: &Path) -> io::Result<HalfFolder> {
    remove_left(folder, LEFT_AFTER);
    let made = named(0o777).tempdir_in(folder)?;
    let held = File::open(made.path()).inspect_err(|_| {
        // Without a descriptor, of which there may be none left.
        let _ = fs::remove_dir(made.path());
    })?;
    let _ = held.try_lock();
    Ok(HalfFolder { _held: held, made })
}

fn named(mode: u32) -> Builder<'static, 'static> {
    let mut named = Builder::new();
    named.prefix(PREFIX).suffix(SUFFIX).permissions(Permissions::from_mode(mode));
    named
}

impl HalfFolder {
    pub fn path(&self) -> &Path {
        self.made.path()
    }

    /// To be called when it has another name, so that nobody deletes it.
    pub fn keep(self) {
        let _ = self.made.keep();
    }
}

/// Removes what our own killed processes left here; not where others can put something of ours by
/// such a name.
fn remove_left(folder: &Path, age: Duration) {
    let is_ours = fs::metadata(folder).is_ok_and(|it| trust::doubt_of_folder(&it).is_none());
    let Some(entries) = is_ours.then(|| fs::read_dir(folder).ok()).flatten() else { return };
    entries.flatten().filter(|entry| is_left(entry, age)).for_each(|entry| {
        let path = entry.path();
        // What cannot be removed stays: it is in nobody's way.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    });
}

fn is_left(entry: &DirEntry, age: Duration) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    // Of the other files of a large folder nothing but their names is asked for.
    if !(name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
        return false;
    }
    let Ok(about) = entry.metadata() else { return false };
    (about.is_file() || about.is_dir())
        && about.uid() == rustix::process::geteuid().as_raw()
        && about.modified().is_ok_and(|it| it.elapsed().is_ok_and(|it| it >= age))
        && File::open(entry.path()).is_ok_and(|it| it.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let names = || -> Vec<String> {
            let entries = fs::read_dir(place.path()).unwrap();
            let mut names: Vec<String> =
                entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let held = file(place.path(), 0o600).unwrap();
        let held_folder = folder(place.path()).unwrap();
        fs::write(held_folder.path().join("inside"), "x").unwrap();
        let left = named(0o600).tempfile_in(place.path()).unwrap().into_temp_path().keep().unwrap();
        let left_folder = named(0o700).tempdir_in(place.path()).unwrap().keep();
        fs::write(left_folder.join("inside"), "x").unwrap();
        fs::write(place.path().join(".macrometer-mine"), "x").unwrap();
        std::os::unix::fs::symlink("/", place.path().join(".macrometer-link.part")).unwrap();
        let before = names();
        remove_left(place.path(), LEFT_AFTER);
        assert_eq!(names(), before, "they may just be made");
        remove_left(place.path(), Duration::ZERO);
        assert!(!left.exists() && !left_folder.exists() && before.len() == names().len() + 2);
        assert!(held.path().exists() && held_folder.path().join("inside").exists());
        fs::set_permissions(place.path(), Permissions::from_mode(0o777)).unwrap();
        let planted = named(0o700).tempdir_in(place.path()).unwrap().keep();
        remove_left(place.path(), Duration::ZERO);
        assert!(planted.exists(), "others can write here");
    }
}
