//! Opening an archive: what it may be, who else may be making it, and what is told of it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::beside::{self, JOURNAL, WAL};
use super::error::explain;
use super::log::Trouble;
use super::schema::{self, APPLICATION_ID, SEALED, VERSION};
use super::store::{Access, Fault, Result as Done};
use super::{Archive, ArchiveError, Held, Place, StoreError};

/// How long another process may take that makes or changes the tables.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// No file is of such a name: SQLite would keep what it is given in memory, or nowhere.
const NO_FILES: [&str; 2] = ["", ":memory:"];

/// An archive that is a file.
#[derive(Debug)]
pub(super) struct OfFile {
    path: PathBuf,
    pub(super) store: Connection,
    /// Which file it was when it was opened, by device and number.
    file: Option<(u64, u64)>,
    /// What whoever opened it is to be told.
    told: Vec<String>,
    /// What was wrong with its log when it was opened.
    pub(super) trouble: Option<Trouble>,
    /// When a block was last synchronised with the disk.
    pub(super) synchronised: Option<Instant>,
}

impl Archive {
    /// Opens an archive for measuring, and makes it where there is none.
    ///
    /// # Errors
    /// When the place cannot be written or holds something else.
    pub fn create(path: &Path) -> Result<Self, ArchiveError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|error| ArchiveError::Store {
                place: folder.into(),
                error: error.into(),
            })?;
        }
        let flags = writing() | OpenFlags::SQLITE_OPEN_CREATE;
        OfFile::connect_to_write(path, flags).map(Self::of_file)
    }

    /// Opens an archive for measuring that must be there.
    ///
    /// # Errors
    /// As [`create`](Self::create), and when there is none.
    pub fn open_to_write(path: &Path) -> Result<Self, ArchiveError> {
        check_is_there(path)?;
        OfFile::connect_to_write(path, writing()).map(Self::of_file)
    }

    /// Opens an archive for reading, which changes neither it nor its log. One that may not be
    /// written is read as it lies.
    ///
    /// # Errors
    /// When there is none, it may not be read, or the file is something else.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        OfFile::open(path).map(Self::of_file)
    }

    fn of_file(mut file: OfFile) -> Self {
        let told = std::mem::take(&mut file.told);
        Self::of(Held::File(file.into()), told)
    }
}

impl Place {
    /// Opens the archive for measuring, and makes it where there is none.
    ///
    /// # Errors
    /// When it cannot be written or is something else; likewise below.
    pub fn create(&self) -> Result<Archive, ArchiveError> {
        match self {
            Self::File(path) => Archive::create(path),
            Self::Server(address) => Archive::create_on_server(address),
        }
    }

    /// The same of one that must be there.
    #[expect(clippy::missing_errors_doc, reason = "as `create`")]
    pub fn open_to_write(&self) -> Result<Archive, ArchiveError> {
        match self {
            Self::File(path) => Archive::open_to_write(path),
            Self::Server(address) => Archive::open_on_server(address, Access::Write),
        }
    }

    /// Opens it for reading.
    #[expect(clippy::missing_errors_doc, reason = "as `create`")]
    pub fn open(&self) -> Result<Archive, ArchiveError> {
        match self {
            Self::File(path) => Archive::open(path),
            Self::Server(address) => Archive::open_on_server(address, Access::Read),
        }
    }
}

impl OfFile {
    fn open(path: &Path) -> Result<Self, ArchiveError> {
        check_is_there(path)?;
        let own = resolved(path);
        beside::check(&own)?;
        // SQLite would roll a journal back.
        let has_log_only = beside::says_wal(&own) && !beside::has(&own, JOURNAL);
        let readable = Self::connect(path, if has_log_only { writing() } else { reading() });
        let mut archive = match readable.and_then(|it| it.application_id().map(|_| it)) {
            Err(error) if error.is_of_store() && has_log_only && !beside::has(&own, WAL) => {
                Self::connect_read_only(path)?
            }
            Err(ArchiveError::NotOpened { place, error, .. }) if beside::has(&own, WAL) => {
                let way_out = "its write-ahead log can only be read in a folder that you may \
                               write: copy both to another";
                return Err(ArchiveError::NotOpened { place, error, way_out: Some(way_out) });
            }
            opened => opened?,
        };
        archive.check_is_ours()?;
        let only = archive.store.pragma_update(None, "query_only", true);
        only.map_err(|error| archive.explain(error))?;
        if let Some(trouble) = archive.trouble {
            archive.told.push(format!("{}: {}", path.display(), trouble.told()));
        }
        Ok(archive)
    }

    /// Whether SQLite is to leave the log as it is when this is closed, instead of writing what it
    /// holds into the archive and removing it.
    fn keep_log(&self, is_kept: bool) -> Result<(), ArchiveError> {
        let option = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        let done = self.store.set_db_config(option, is_kept);
        done.map(|_| ()).map_err(|error| self.explain(error))
    }

    /// A log without content goes, and its index: reading makes them.
    pub(super) fn clean_up(&self) {
        if !beside::has(&resolved(&self.path), WAL) {
            // Two empty files that stay are no reason to fail.
            let _ = self.keep_log(false);
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file, with its log.
    pub(super) fn len_bytes(&self) -> u64 {
        let own = resolved(&self.path);
        let len =
            |ending: &str| fs::metadata(beside::beside(&own, ending)).map_or(0, |it| it.len());
        len("") + len(WAL)
    }

    fn explain(&self, error: impl Into<Fault>) -> ArchiveError {
        explain(&self.path.as_path().into(), &error.into())
    }

    fn damaged(&self, what: &str, error: String) -> ArchiveError {
        let (place, what) = (self.path.as_path().into(), what.to_owned());
        ArchiveError::Damaged { place, what, error }
    }

    /// Whether there are checksums.
    pub(super) fn is_sealed(&self) -> Result<bool, ArchiveError> {
        let has_seals = schema::has(&self.store, "seal", "sum");
        let has_seals = has_seals.map_err(|error| self.explain(error))?;
        let version = schema::version(&self.store).map_err(|error| self.explain(error))?;
        if !has_seals && version >= SEALED {
            return Err(self.damaged("its table of checksums", "it is missing".into()));
        }
        Ok(has_seals)
    }

    /// What a damaged log holds is overwritten by the next that is written: it is copied first.
    fn connect_to_write(path: &Path, flags: OpenFlags) -> Result<Self, ArchiveError> {
        let mut archive = Self::connect(path, flags)?;
        beside::check_has_one_name(&resolved(path))?;
        if let Some(trouble) = archive.trouble {
            let (what, own) = (trouble.told(), resolved(path));
            let aside = beside::copy_aside(&own).map_err(|error| {
                let error = StoreError::NotCopied { trouble: what.clone(), error };
                ArchiveError::Store { place: own.as_path().into(), error }
            })?;
            let (path, aside) = (path.display(), aside.display());
            archive.told.push(format!("{path}: {what}; both are kept as they were in {aside}"));
        }
        archive.ready_to_write()
    }

    fn ready_to_write(mut self) -> Result<Self, ArchiveError> {
        let made = patiently(|| self.check_or_make());
        made.map_err(|error| self.explain(error))?;
        self.check_is_ours()?;
        self.is_sealed()?;
        let mode = patiently(|| {
            let wal = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
            Ok(self.store.pragma_update_and_check(None, "journal_mode", "WAL", wal)?)
        });
        if mode.map_err(|error| self.explain(error))? != "wal" {
            let place = self.path.clone().into();
            return Err(ArchiveError::Store { place, error: StoreError::NoLog });
        }
        let full = self.store.pragma_update(None, "synchronous", "FULL");
        full.map_err(|error| self.explain(error))?;
        self.keep_log(false)?;
        self.file = identity(&self.path);
        Ok(self)
    }

    /// A write-ahead log needs files beside it even for reading, unless the file is said not to
    /// change; which is so where we may not write and no log is there.
    fn connect_read_only(path: &Path) -> Result<Self, ArchiveError> {
        let name = path.to_string_lossy();
        let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let uri = format!("file:{name}?immutable=1");
        let store = Connection::open_with_flags(uri, flags)
            .map_err(|e| explain(&path.into(), &e.into()))?;
        Ok(Self::of(path, store))
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, ArchiveError> {
        let explain = |error: rusqlite::Error| explain(&path.into(), &error.into());
        if is_other(path) || NO_FILES.iter().any(|name| path.as_os_str() == *name) {
            return Err(ArchiveError::Foreign(path.into()));
        }
        let own = resolved(path);
        beside::check(&own)?;
        let trouble = Trouble::of(&own);
        let store = Connection::open_with_flags(path, flags).map_err(explain)?;
        store.busy_timeout(PATIENCE).map_err(explain)?;
        let mut archive = Self::of(path, store);
        archive.trouble = trouble;
        // Until it is known to be ours, and to be written.
        archive.keep_log(true)?;
        Ok(archive)
    }

    fn of(path: &Path, store: Connection) -> Self {
        let (path, told) = (path.to_owned(), vec![]);
        Self { path, store, file: None, told, trouble: None, synchronised: None }
    }

    fn application_id(&self) -> Result<i32, ArchiveError> {
        let id = self.store.pragma_query_value(None, "application_id", |row| row.get(0));
        id.map_err(|error| self.explain(error))
    }

    /// A newer generation may keep other things in the same tables. A view can be endless, and so
    /// can what a table or an index computes, and a trigger writes what nobody asked for:
    /// macrometer makes none of them.
    fn check_is_ours(&self) -> Result<(), ArchiveError> {
        // Asked first: another process may be about to make the tables.
        let is_empty = fs::metadata(&self.path).is_ok_and(|file| file.len() == 0);
        if self.application_id()? != APPLICATION_ID {
            let kind = if is_empty { ArchiveError::Empty } else { ArchiveError::Foreign };
            return Err(kind(self.path.clone().into()));
        }
        let version = schema::version(&self.store).map_err(|error| self.explain(error))?;
        if version > VERSION {
            return Err(ArchiveError::Newer { place: self.path.clone().into(), version });
        }
        let strange = schema::strange(&self.store).map_err(|error| self.explain(error))?;
        match strange {
            Some(what) => Err(self.damaged(&format!("its schema: {what:?}"), FOREIGN.into())),
            None => Ok(()),
        }
    }

    /// An empty file becomes an archive in one transaction; a filled one is left as it is.
    fn check_or_make(&mut self) -> Done<()> {
        let is_empty =
            self.store.query_row("SELECT count(*) = 0 FROM sqlite_master", [], |row| {
                row.get::<_, bool>(0)
            })?;
        let id: i32 = self.store.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let may_be_made = is_empty && id == 0;
        let version = schema::version(&self.store)?;
        let lacks_seals = version >= SEALED && !schema::has(&self.store, "seal", "sum")?;
        let is_known = id == APPLICATION_ID && version <= VERSION && !lacks_seals;
        if may_be_made || (is_known && schema::strange(&self.store)?.is_none()) {
            schema::make_or_upgrade(&mut self.store)?;
        }
        Ok(())
    }

    /// That the file by this name is still the one that is written: what goes into one that was
    /// removed or replaced is lost when this process ends.
    pub(super) fn check_is_there(&self) -> Result<(), ArchiveError> {
        if self.file.is_none() || identity(&self.path) == self.file {
            return Ok(());
        }
        Err(ArchiveError::Store { place: self.path.clone().into(), error: StoreError::Removed })
    }
}

/// Tries again for as long as another process is busy with the file: where waiting could be a
/// deadlock, as when a lock for reading becomes one for writing or the journal's mode changes,
/// SQLite returns at once in spite of its timeout.
fn patiently<T>(mut attempt: impl FnMut() -> Done<T>) -> Done<T> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(Fault::File(error))
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < PATIENCE =>
            {
                thread::sleep(PAUSE);
            }
            tried => return tried,
        }
    }
}

const FOREIGN: &str = "a macrometer archive has no views, triggers or virtual tables, and nothing \
                       in its tables and indices is computed (by CHECK, DEFAULT, COLLATE, WHERE or \
                       another expression)";

/// Names are names: no URI, by which SQLite would keep a database in memory.
fn writing() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn reading() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// The file itself, beside which its log lies, where the path is a link to it.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn check_is_there(path: &Path) -> Result<(), ArchiveError> {
    match path.try_exists() {
        Ok(true) if is_other(path) => Err(ArchiveError::Foreign(path.into())),
        Ok(true) => Ok(()),
        Ok(false) => Err(ArchiveError::Absent(path.into())),
        Err(error) => Err(ArchiveError::Store { place: path.into(), error: error.into() }),
    }
}

/// Whether it is no file: a FIFO would be waited for.
fn is_other(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| !file.is_file())
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Archive {
        fn connection(&self) -> &Connection {
            let Held::File(file) = &self.held else { panic!("on a server") };
            &file.store
        }
    }
    use crate::record::{RunState, SchemeRecord};

    #[test]
    fn an_older_archive_is_read_as_it_is_and_gets_what_it_lacks_for_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let older = "ALTER TABLE sample DROP COLUMN unix_s; DROP TABLE scheme; DROP TABLE load;
                     DROP TABLE sessions; DROP TABLE writer; DROP TABLE seal;
                     DROP TABLE processor; DROP TABLE launch;
                     DROP INDEX sample_once; PRAGMA user_version = 0;
                     PRAGMA wal_checkpoint(TRUNCATE);";
        Archive::create(&path).unwrap().connection().execute_batch(older).unwrap();
        let before = fs::read(&path).unwrap();
        let as_it_lies = OfFile::connect_read_only(&path).map(Archive::of_file);
        for read in [as_it_lies.unwrap(), Archive::open(&path).unwrap()] {
            let schemes: Vec<SchemeRecord> = read.records("scheme", "x").unwrap();
            assert!(read.samples("x").unwrap().is_empty() && schemes.is_empty());
            assert!(!read.is_sealed().unwrap() && read.runs().unwrap().sound.is_empty());
        }
        assert_eq!(fs::read(&path).unwrap(), before, "reading changes nothing");
        let archive = Archive::open_to_write(&path).unwrap();
        assert!(schema::has(archive.connection(), "sample", "unix_s").unwrap());
        for table in ["scheme", "load", "sessions", "writer", "processor", "launch"] {
            assert!(schema::has(archive.connection(), table, "record").unwrap(), "{table}");
        }
        assert!(archive.is_sealed().unwrap());
        assert_eq!(schema::version(archive.connection()).unwrap(), VERSION);
    }

    #[test]
    fn a_file_system_without_a_write_ahead_log_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let flags = writing() | OpenFlags::SQLITE_OPEN_CREATE;
        // As SQLite sees a file system on which processes cannot share memory.
        let store = Connection::open_with_flags_and_vfs(&path, flags, "unix-none").unwrap();
        let told = OfFile::of(&path, store).ready_to_write().unwrap_err().to_string();
        let expected = "does not support a write-ahead log: use a file elsewhere";
        assert!(told.contains(expected) && told.contains("a.db"), "{told}");
        // The control: elsewhere it is supported.
        drop(Archive::open_to_write(&path).unwrap());
    }

    #[test]
    fn what_is_no_file_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        for path in [fifo.as_path(), folder.path()] {
            for opened in [Archive::open(path), Archive::open_to_write(path), Archive::create(path)]
            {
                assert!(matches!(opened, Err(ArchiveError::Foreign(_))), "{}", path.display());
            }
        }
    }

    #[test]
    fn an_archive_that_may_not_be_written_is_read_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a#b?c%20.db");
        drop(Archive::create(&path).unwrap());
        let file = OfFile::connect_read_only(&path).unwrap();
        assert_eq!(file.application_id().unwrap(), APPLICATION_ID);
        let mut archive = Archive::of_file(file);
        assert!(archive.runs().unwrap().sound.is_empty());
        assert!(archive.set_state("x", RunState::Complete, 1.0).is_err());
    }
}
