//! What lies beside an archive, under names that SQLite makes of its own: files that it opens, and
//! writes, without being asked. An archive may be somebody else's, and so may they.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{ArchiveError, StoreError};

/// Endings of the files: the write-ahead log, its index, and the journal of an archive that has no
/// such log yet.
pub(super) const WAL: &str = "-wal";
const INDEX: &str = "-shm";
pub(super) const JOURNAL: &str = "-journal";

/// A log is emptied after 4 MB unless somebody reads for long.
const LOG_BYTES_MAX: u64 = 1 << 30;

/// What a journal ends in that names a second one, which SQLite would remove.
const SECOND_JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The file with this ending.
pub(super) fn beside(archive: &Path, ending: &str) -> PathBuf {
    let mut name = archive.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether there is such a file, and it is not empty.
pub(super) fn has(archive: &Path, ending: &str) -> bool {
    fs::metadata(beside(archive, ending)).is_ok_and(|it| it.len() > 0)
}

/// Refuses files that SQLite must not be led to.
pub(super) fn check(archive: &Path) -> Result<(), ArchiveError> {
    for ending in [WAL, INDEX, JOURNAL] {
        let path = beside(archive, ending);
        let Ok(found) = path.symlink_metadata() else { continue };
        let wrong = if !found.is_file() {
            StoreError::NotRegular
        } else if ending == WAL && found.len() > LOG_BYTES_MAX {
            StoreError::LongLog { len_bytes: found.len(), len_max_bytes: LOG_BYTES_MAX }
        } else if ending == JOURNAL && names_a_second(&path) {
            StoreError::SecondJournal
        } else {
            continue;
        };
        return Err(ArchiveError::Store { place: path.into(), error: wrong });
    }
    // SQLite removes the log of an empty file.
    if has(archive, WAL) && fs::metadata(archive).is_ok_and(|it| it.len() == 0) {
        let (place, what) = (archive.into(), "the archive".to_owned());
        let error = "it is empty, but its write-ahead log is not".to_owned();
        return Err(ArchiveError::Damaged { place, what, error });
    }
    Ok(())
}

/// Refuses to write a file of several names: SQLite keeps a log beside each, and who writes by one
/// of them knows nothing of who does by another.
pub(super) fn check_has_one_name(archive: &Path) -> Result<(), ArchiveError> {
    match fs::metadata(archive).map(|it| it.nlink()) {
        Ok(names) if names > 1 => {
            let error = StoreError::SeveralNames { names };
            Err(ArchiveError::Store { place: archive.into(), error })
        }
        _ => Ok(()),
    }
}

fn names_a_second(journal: &Path) -> bool {
    let end = || -> io::Result<[u8; 8]> {
        let (mut file, mut end) = (File::open(journal)?, [0; 8]);
        file.seek(SeekFrom::End(-8))?;
        file.read_exact(&mut end)?;
        Ok(end)
    };
    end().is_ok_and(|end| end == SECOND_JOURNAL)
}

/// Whether the archive's first page says that it has a write-ahead log.
pub(super) fn says_wal(archive: &Path) -> bool {
    let begin = || -> io::Result<[u8; 20]> {
        let mut begin = [0; 20];
        File::open(archive)?.read_exact(&mut begin)?;
        Ok(begin)
    };
    begin().is_ok_and(|begin| begin[18..] == [2, 2])
}

/// Copies the archive and its log, as they are, to a new name, under which they are an archive too.
pub(super) fn copy_aside(archive: &Path) -> io::Result<PathBuf> {
    let mut name = OsString::from(archive);
    name.push(format!(".damaged-{:08x}", rand::random::<u32>()));
    let aside = PathBuf::from(name);
    for ending in ["", WAL] {
        let mut from = File::open(beside(archive, ending))?;
        let mut to = new_private(&beside(&aside, ending))?;
        io::copy(&mut from, &mut to)?;
        to.set_permissions(from.metadata()?.permissions())?;
        to.sync_all()?;
    }
    Ok(aside)
}

/// A new file that nobody else may open: whoever may not read what is copied to it may not read it
/// while that is done either.
fn new_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_copy_is_read_by_those_only_who_may_read_the_archive() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("a.db");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        new_private(&folder.path().join("new")).unwrap();
        assert_eq!(mode(&folder.path().join("new")) & 0o077, 0, "before anything is in it");
        fs::write(&archive, "the archive").unwrap();
        fs::write(beside(&archive, WAL), "its log").unwrap();
        for (of_archive, of_log) in [(0o600, 0o640), (0o644, 0o600), (0o440, 0o666)] {
            fs::set_permissions(&archive, fs::Permissions::from_mode(of_archive)).unwrap();
            fs::set_permissions(beside(&archive, WAL), fs::Permissions::from_mode(of_log)).unwrap();
            let aside = copy_aside(&archive).unwrap();
            assert_eq!([mode(&aside), mode(&beside(&aside, WAL))], [of_archive, of_log]);
            assert_eq!(fs::read(&aside).unwrap(), b"the archive");
            assert_eq!(fs::read(beside(&aside, WAL)).unwrap(), b"its log");
        }
    }
}
