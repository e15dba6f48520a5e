//! Why a database or a file system did not do what was asked of it.

use std::io;

use thiserror::Error;

use super::Place;

/// Why a database or a file system did not do what was asked of it, or why it was not asked.
#[derive(Debug, Error)]
pub enum StoreError {
    /// What SQLite or a server said, in a line without a password.
    #[error("{0}")]
    Said(String),
    /// What the system said.
    #[error(transparent)]
    System(#[from] io::Error),
    /// There is no room.
    #[error("the disk is full; stored data is intact")]
    DiskFull,
    /// Memory was refused.
    #[error("this process has too little memory to read it (is it limited, as by `ulimit -d`?)")]
    Memory,
    /// The archive was never whole.
    #[error(
        "a process ended while it was creating this archive: `macrometer run` creates it again"
    )]
    HalfMade,
    /// What was to be added is there.
    #[error("that already exists: another process wrote it ({said})")]
    IsThere {
        /// What SQLite said.
        said: String,
    },
    /// A server of an old generation.
    #[error("the server is PostgreSQL {version}; {version_min} or newer is needed")]
    OldServer {
        /// Its generation.
        version: i64,
        /// The first that will do.
        version_min: i64,
    },
    /// Somebody else writes a run now.
    #[error("run {run} was taken over by another process: nothing was written")]
    TakenOver {
        /// The run.
        run: String,
    },
    /// A log or journal is something else.
    #[error("not a regular file, as what lies beside an archive by this name must be")]
    NotRegular,
    /// A log is longer than any that SQLite writes for us.
    #[error("{len_bytes} bytes; a write-ahead log has at most {len_max_bytes}")]
    LongLog {
        /// Its length.
        len_bytes: u64,
        /// The longest.
        len_max_bytes: u64,
    },
    /// A journal of several files.
    #[error("names another journal, as no journal of a macrometer archive does")]
    SecondJournal,
    /// The file can be reached by several names.
    #[error(
        "cannot be written: the file has {names} names (hard links), and each would have a log of \
         its own; copy it to a new file, and use that"
    )]
    SeveralNames {
        /// How many.
        names: u64,
    },
    /// A damaged log has no copy.
    #[error(
        "{trouble}; nothing is stored here until both can be copied to another name beside it \
         ({error})"
    )]
    NotCopied {
        /// What is wrong with the log.
        trouble: String,
        /// Why there is no copy.
        error: io::Error,
    },
    /// The file system has no shared memory, or no locks.
    #[error("its file system does not support a write-ahead log: use a file elsewhere")]
    NoLog,
    /// Another file has the name now, or none.
    #[error("was removed or replaced while a run was being stored in it: that run is lost")]
    Removed,
    /// Only databases keep something beside a run.
    #[error("is a file: beside its runs lie bundles")]
    IsFile,
    /// A run to be exported is not at its end.
    #[error("run {run} is being measured by process {pid}: wait for it to end")]
    BeingMeasured {
        /// The run.
        run: String,
        /// Who measures it.
        pid: u32,
    },
    /// A run to be exported is not sound.
    #[error("run {run} has blocks that two processes wrote: it cannot be exported")]
    Doubled {
        /// The run.
        run: String,
    },
    /// The name for a new file is taken.
    #[error("already exists: choose another name")]
    NameTaken,
    /// A new file cannot be made.
    #[error("cannot be written ({0})")]
    NotMade(io::Error),
    /// A new file holds something else than was written.
    #[error("what was read back is not what was to be written")]
    ReadBack,
    /// A file to be imported has not one run.
    #[error(
        "has {count} runs; a file that is imported has one, as `macrometer runs export` writes it"
    )]
    NotOneToImport {
        /// How many it has.
        count: usize,
    },
    /// A file to be imported cannot be checked.
    #[error("has no checksums, as what `macrometer runs export` writes has")]
    NoChecksums,
    /// A run of that name is there, with something else in it.
    #[error("has another run {run} than {from}: nothing was imported")]
    OtherRun {
        /// The run.
        run: String,
        /// Where it was to come from.
        from: Place,
    },
    /// A bundle's archive has not one run.
    #[error("has {count} runs instead of one")]
    NotOne {
        /// How many it has.
        count: usize,
    },
    /// The run of a bundle's archive measured nothing.
    #[error("run {run} has no samples")]
    NoSamples {
        /// The run.
        run: String,
    },
    /// What the server did not take cannot be kept here either.
    #[error("{said}, and {file} cannot be written: {error}")]
    NotKeptHere {
        /// Why the server did not take it.
        said: String,
        /// Where it was to wait.
        file: String,
        /// Why it cannot.
        error: io::Error,
    },
    /// One run waits already, and this is another.
    #[error("another run could not be sent to the server either")]
    AnotherWaits,
    /// A file cannot be written on.
    #[error("cannot be written: {0}")]
    NotWritten(io::Error),
}
