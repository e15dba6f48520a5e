//! What can be wrong with a revision as it is written, and why one cannot be built.

use std::path::PathBuf;

use semver::Version;
use thiserror::Error;

use crate::NotBuilt;

/// What is wrong with a revision as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotARevision {
    /// It has a password or a token in it, which is not repeated here.
    #[error("{0}")]
    Secret(&'static str),
    /// No such crate.
    #[error("crate {name:?} cannot be compared here; available: {known}")]
    Crate {
        /// As it is written.
        name: String,
        /// All that there are.
        known: String,
    },
    /// A crate alone.
    #[error(
        "{name} needs a revision: {name}@VERSION (a release), {name}@path=FOLDER, \
         {name}@git=URL#REV, or {name}@REV (a commit, tag or branch of {repository})"
    )]
    Missing {
        /// Name of the crate.
        name: String,
        /// Its own repository.
        repository: &'static str,
    },
    /// Something else than a path or a URL is given by its word.
    #[error("no {0}=: path=FOLDER or git=URL#REV")]
    Word(String),
    /// Numbers that are no version.
    #[error("{0}: a release has three numbers, such as 0.11.0")]
    Release(String),
    /// A version with traits that no worker here is written for.
    #[error("{name} {version}: its traits are not supported; {name} {major}.{minor} is")]
    Traits {
        /// Name of the crate.
        name: &'static str,
        /// The version that was asked for.
        version: Version,
        /// The first that is supported.
        major: u64,
        /// Of that too.
        minor: u64,
    },
    /// `path=` without a path behind it.
    #[error("path= needs the folder of the crate")]
    NoPath,
    /// No such folder.
    #[error("{0}: no such folder")]
    NoFolder(String),
    /// A folder that is not a crate's.
    #[error("{0}: has no Cargo.toml; the crate's own folder has one")]
    NoManifest(String),
    /// A URL alone.
    #[error("needs a commit, tag or branch behind #: git=URL#REV")]
    NoReference,
    /// Characters that the name of a commit does not have.
    #[error(
        "{0:?}: a version, commit, tag or branch has letters, digits and . _ / + -, and no - at \
         the beginning"
    )]
    Reference(String),
    /// Not a URL of these schemes.
    #[error("{url:?}: a URL begins with {known}")]
    Scheme {
        /// As it is written.
        url: String,
        /// How one begins.
        known: String,
    },
    /// Not a URL.
    #[error("{0:?}: not a URL")]
    Url(String),
}

/// Why a revision cannot be built.
#[derive(Debug, Error)]
pub enum RevisionError {
    /// It turns out to be none that can be compared.
    #[error(transparent)]
    Revision(#[from] NotARevision),
    /// A folder or a program is not as it should be.
    #[error(transparent)]
    NotBuilt(#[from] NotBuilt),
    /// What cargo or the compiler said.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// There is no cargo, or no compiler.
    #[error("{0} is not on PATH; rustup (https://rustup.rs) installs it")]
    NoProgram(String),
    /// The compiler does not tell what it compiles for.
    #[error("rustc -vV names no host")]
    NoHost,
    /// A file that cargo would follow is, or could be, somebody else's.
    #[error(
        "{} {doubt}, and cargo would execute what it names: remove it, or set XDG_CACHE_HOME to a \
         folder elsewhere",
        file.display()
    )]
    Untrusted {
        /// Path of the file.
        file: PathBuf,
        /// Why it is not trusted.
        doubt: Doubt,
    },
    /// Nothing has this name.
    #[error("{reference}: no commit, tag or branch of {url}")]
    NoSuch {
        /// As it is written.
        reference: String,
        /// Where it was looked for.
        url: String,
    },
    /// Something has this name, and cargo does not say what.
    #[error("cargo names no commit of {0}")]
    NoCommit(String),
    /// Cargo left the crate out.
    #[error("cargo chose no version of {0}")]
    NotChosen(&'static str),
    /// Cargo chose several versions of the crate.
    #[error(
        "the crates that use {name} do not take this version of it (with it there would be \
         {versions}), so it would not be measured"
    )]
    Several {
        /// Name of the crate.
        name: &'static str,
        /// The versions of it that cargo chose.
        versions: String,
    },
    /// The manifest that is compiled in lacks something.
    #[error("the worker's manifest has no {0}")]
    Manifest(&'static str),
    /// A manifest cannot be read.
    #[error("{0}")]
    ManifestText(toml::de::Error),
    /// A manifest cannot be written.
    #[error("{0}")]
    ManifestWritten(toml::ser::Error),
    /// What cargo chose cannot be read.
    #[error("{}: {error}", file.display())]
    Lock {
        /// Path of the file.
        file: PathBuf,
        /// Where and why.
        error: toml::de::Error,
    },
    /// What cargo chose has a version that is none.
    #[error("{0}")]
    Version(semver::Error),
    /// The program's path is no word of a command line.
    #[error("{}: not UTF-8", .0.display())]
    NotText(PathBuf),
}

/// Why a file is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Doubt {
    /// It belongs to this user.
    #[error("belongs to user {0}")]
    Owner(u32),
    /// Others can write to it.
    #[error("can be written by others (mode {:04o})", .0 & 0o7777)]
    Mode(u32),
}

/// Why cargo or the compiler failed.
#[derive(Debug, Error)]
#[error("{line}")]
pub struct Failure {
    /// The first error.
    pub(super) line: String,
    /// All that it said.
    pub(super) whole: String,
}

impl Failure {
    /// Whether it said one of these anywhere.
    pub(super) fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.whole.contains(word))
    }
}
