//! A revision of a crate below MACs (`sha2@0.11.0`, a checkout, a commit), made into a worker that
//! is compared with another one: built by the user's cargo, with all else equal.

mod cargo;
mod config;
mod crates;
mod error;
mod package;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use semver::Version;
use toml::Table;

use crate::NotBuilt;
use crate::built::{Compiling, built, kept, lent, lent_again, tell};
use cargo::{BUILD, Cargo};
use crates::{Crate, Generation};
pub use error::{Doubt, Failure, NotARevision, RevisionError};
use package::Packages;

/// A revision as it is written: `sha2@0.11.0`.
#[derive(Debug, Clone)]
pub struct Revision {
    of: &'static Crate,
    source: Source,
    written: String,
}

/// Where the crate is from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// A version on crates.io.
    Release(Version),
    /// A commit, tag or branch of a git repository.
    Git { url: String, reference: String },
    /// A folder with its manifest.
    Folder(PathBuf),
}

/// The same, with a commit in the place of what may move.
enum Fixed {
    Release(Version),
    Commit { url: String, commit: String },
    Folder(PathBuf),
}

/// A worker that was built.
#[derive(Debug, Clone)]
pub struct Built {
    /// How it is started.
    pub command: Vec<String>,
    /// Versions of what else it was built with: crates by name, and the compiler.
    pub others: BTreeMap<String, String>,
}

impl FromStr for Revision {
    type Err = NotARevision;

    fn from_str(text: &str) -> Result<Self, NotARevision> {
        if let Some(reason) = secret(text) {
            return Err(NotARevision::Secret(reason));
        }
        let (name, revision) = text.split_once('@').unwrap_or((text, ""));
        let of = Crate::find(name)?;
        if revision.is_empty() {
            let (name, repository) = (name.to_owned(), of.repository);
            return Err(NotARevision::Missing { name, repository });
        }
        let source = match revision.split_once('=') {
            Some(("path", folder)) => Source::Folder(checked_folder(folder)?),
            Some(("git", place)) => {
                let (url, reference) = place.rsplit_once('#').unwrap_or((place, ""));
                check_url(url)?;
                check_reference(reference)?;
                Source::Git { url: url.into(), reference: reference.into() }
            }
            Some((word, _)) => return Err(NotARevision::Word(word.to_owned())),
            None => named(of, revision)?,
        };
        Ok(Self { of, source, written: text.into() })
    }
}

/// A release, or a commit, tag or branch of the crate's own repository.
fn named(of: &Crate, revision: &str) -> Result<Source, NotARevision> {
    check_reference(revision)?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    if let Ok(version) = revision.parse() {
        return of.generation(&version).map(|_| Source::Release(version));
    }
    if revision.contains('.') && revision.split('.').all(is_number) {
        return Err(NotARevision::Release(revision.to_owned()));
    }
    Ok(Source::Git { url: of.repository.into(), reference: revision.into() })
}

fn checked_folder(folder: &str) -> Result<PathBuf, NotARevision> {
    if folder.is_empty() {
        return Err(NotARevision::NoPath);
    }
    if !Path::new(folder).is_dir() {
        return Err(NotARevision::NoFolder(folder.to_owned()));
    }
    if !Path::new(folder).join("Cargo.toml").is_file() {
        return Err(NotARevision::NoManifest(folder.to_owned()));
    }
    Ok(folder.into())
}

/// A commit, tag or branch, in the characters that git commonly has for them.
fn check_reference(reference: &str) -> Result<(), NotARevision> {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "._/+-".contains(c);
    if reference.is_empty() {
        return Err(NotARevision::NoReference);
    }
    if reference.starts_with('-') || !reference.chars().all(is_usual) {
        return Err(NotARevision::Reference(reference.to_owned()));
    }
    Ok(())
}

fn check_url(url: &str) -> Result<(), NotARevision> {
    let known = ["https://", "ssh://", "file://"];
    let Some(rest) = known.iter().find_map(|scheme| url.strip_prefix(scheme)) else {
        let (url, known) = (url.to_owned(), known.join(", "));
        return Err(NotARevision::Scheme { url, known });
    };
    if rest.is_empty() || url.chars().any(|c| c.is_whitespace() || c.is_control() || c == '#') {
        return Err(NotARevision::Url(url.to_owned()));
    }
    Ok(())
}

/// Says what of a revision as it was written must not be in it, and neither be printed nor kept:
/// whoever has a token for `https` writes it in the place of the user.
#[must_use]
pub fn secret(text: &str) -> Option<&'static str> {
    let (before, rest) = match text.split_once("://") {
        Some((before, rest)) => (Some(before.to_ascii_lowercase()), rest),
        None => (None, text.split_once("git=")?.1),
    };
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let (user, _) = host.rsplit_once('@')?;
    let is_only_a_user = match before {
        Some(before) => before.ends_with("ssh") && !user.contains(':'),
        None => !user.contains(':'),
    };
    (!is_only_a_user).then_some(
        "a URL must have no password in it, and with https no user or token: git's credential \
         helpers keep them",
    )
}

impl Revision {
    /// The crate.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.of.name
    }

    /// As it was written.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Builds the worker, or takes the one that was built before.
    ///
    /// # Errors
    /// What is not there, or the first error of cargo or the compiler.
    pub fn built(&self) -> Result<Built, RevisionError> {
        let cargo = Cargo::find()?;
        let fixed = match &self.source {
            Source::Release(version) => Fixed::Release(version.clone()),
            Source::Git { url, reference } => {
                let commit = self.commit(&cargo, url, reference)?;
                Fixed::Commit { url: url.clone(), commit }
            }
            Source::Folder(folder) => {
                let whole = folder.canonicalize();
                let whole = whole.map_err(|error| NotBuilt::file(folder, error))?;
                Fixed::Folder(whole)
            }
        };
        let folder = match fixed {
            Fixed::Folder(ref folder) => self.program_of_folder(&cargo, folder)?,
            Fixed::Release(_) | Fixed::Commit { .. } => {
                built(&self.title(), &self.inputs(&cargo, &fixed)?, |folder| {
                    self.make(&cargo, folder, &fixed)
                })?
            }
        };
        self.in_folder(&folder, &cargo, &fixed)
    }

    /// Fills a folder with the worker, and what cargo chose for it.
    fn make(&self, cargo: &Cargo, folder: &Path, fixed: &Fixed) -> Result<(), RevisionError> {
        package::prepare(cargo, folder, self.of, fixed)?;
        take(&cargo.build(folder)?, folder)?;
        let target = folder.join("target");
        Ok(fs::remove_dir_all(&target).map_err(|error| NotBuilt::file(&target, error))?)
    }

    /// All that decides what comes out.
    fn inputs(&self, cargo: &Cargo, fixed: &Fixed) -> Result<Vec<String>, RevisionError> {
        let own = [self.of.name, env!("CARGO_PKG_VERSION"), cargo.compiler()].map(str::to_owned);
        let texts = package::texts(self.of, &fixed.dependency())?;
        let build = BUILD.map(str::to_owned);
        let settings = cargo.settings().iter().cloned();
        Ok(own.into_iter().chain(build).chain(texts).chain(settings).collect())
    }

    fn title(&self) -> String {
        format!("crate-{}", self.of.name)
    }

    /// Of a folder whose files may have changed: cargo sees what has, and whether its flags or the
    /// compiler have, in a folder that it keeps for this. The program is copied to a place of its
    /// own, so that a gate that is under way goes on with what it began with.
    fn program_of_folder(&self, cargo: &Cargo, folder: &Path) -> Result<PathBuf, RevisionError> {
        let fixed = Fixed::Folder(folder.to_owned());
        let place = [folder.display().to_string()];
        lent_again("checkout", self.of.name, &place, |work| {
            tell(&format!("compiling {}", self.written));
            let program = Compiling::while_doing(|| {
                package::prepare(cargo, work, self.of, &fixed)?;
                cargo.build(work)
            })?;
            let content = fs::read(&program).map_err(|error| NotBuilt::file(&program, error))?;
            let lock = work.join("Cargo.lock");
            let chosen = fs::read_to_string(&lock);
            let chosen = chosen.map_err(|error| NotBuilt::file(&lock, error))?;
            let digest = blake3::hash(&content).to_hex();
            kept(&self.title(), &[digest.as_str(), &chosen], |folder| {
                take(&program, folder)?;
                Ok(take(&lock, folder)?)
            })
        })
    }

    /// What the worker is told to say of itself: version, place, and what else is in it.
    fn in_folder(
        &self,
        folder: &Path,
        cargo: &Cargo,
        fixed: &Fixed,
    ) -> Result<Built, RevisionError> {
        let packages = Packages::read(folder)?;
        let mut others = packages.others(self.of);
        let list: Vec<_> =
            others.iter().map(|(name, version)| format!("{name} {version}")).collect();
        let detail = format!("{}, with {}", cargo.compiler_version(), list.join(", "));
        others.insert("rustc".into(), cargo.compiler_version().into());
        let version = format!("{} {}", self.of.name, packages.version(self.of)?);
        let program = folder.join(WORKER).into_os_string().into_string();
        let program = program.map_err(|path| RevisionError::NotText(path.into()))?;
        let command = vec![program, self.of.name.into(), version, fixed.told(), detail];
        Ok(Built { command, others })
    }

    /// The commit that a name stands for now.
    fn commit(&self, cargo: &Cargo, url: &str, reference: &str) -> Result<String, RevisionError> {
        let is_hex = reference.bytes().all(|c| c.is_ascii_hexdigit());
        if is_hex && reference.len() == COMMIT_LEN {
            return Ok(reference.to_ascii_lowercase());
        }
        let mut kinds = vec!["tag", "branch", "rev"];
        if is_hex && (7..COMMIT_LEN).contains(&reference.len()) {
            kinds.rotate_right(1);
        }
        for kind in kinds {
            let git = Table::from_iter(
                [("git", url), (kind, reference)].map(|(word, value)| (word.into(), value.into())),
            );
            let found = lent("look-up", |folder| self.looked_up(cargo, folder, &git))?;
            if let Some(packages) = found {
                let commit = packages.commit(self.of).map(str::to_owned);
                return commit.ok_or_else(|| RevisionError::NoCommit(reference.to_owned()));
            }
        }
        let (reference, url) = (reference.to_owned(), url.to_owned());
        Err(RevisionError::NoSuch { reference, url })
    }

    /// What cargo chooses with this dependency; `None` where the repository has nothing of this
    /// kind and name.
    fn looked_up(
        &self,
        cargo: &Cargo,
        folder: &Path,
        git: &Table,
    ) -> Result<Option<Packages>, RevisionError> {
        package::write_sources(folder)?;
        package::write_choice(folder, self.of, git, Generation::Present)?;
        match cargo.fetch(folder) {
            Ok(()) => Packages::read(folder).map(Some),
            Err(RevisionError::Failure(failure)) if failure.says(MISSING) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// How git, by itself or by its program, says that there is nothing of a name.
const MISSING: &[&str] = &["class=Reference", "cannot locate", "couldn't find remote ref"];

/// Digits of a whole commit.
const COMMIT_LEN: usize = 40;

/// The program that cargo builds.
const WORKER: &str = "worker";

/// Copies a file into a folder.
fn take(file: &Path, folder: &Path) -> Result<(), NotBuilt> {
    let name = file.file_name().unwrap_or_default();
    fs::copy(file, folder.join(name)).map_err(|error| NotBuilt::file(file, error))?;
    Ok(())
}

impl Fixed {
    /// Where it is from, in words.
    fn told(&self) -> String {
        match self {
            Self::Release(_) => "crates.io".into(),
            Self::Commit { url, commit } => format!("{url}, commit {commit}"),
            Self::Folder(folder) => folder.display().to_string(),
        }
    }

    /// As a manifest has it.
    fn dependency(&self) -> Table {
        let words = match self {
            Self::Release(version) => vec![("version", format!("={version}"))],
            Self::Commit { url, commit } => vec![("git", url.clone()), ("rev", commit.clone())],
            Self::Folder(folder) => vec![("path", folder.display().to_string())],
        };
        words.into_iter().map(|(word, value)| (word.to_owned(), value.into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Result<Source, NotARevision> {
        text.parse().map(|revision: Revision| revision.source)
    }

    #[test]
    fn a_revision_is_a_release_a_folder_or_a_commit() {
        let release = |version: &str| Ok(Source::Release(version.parse().unwrap()));
        assert_eq!(source("sha2@0.11.0"), release("0.11.0"));
        assert_eq!(source("sha2@0.11.0-rc.3"), release("0.11.0-rc.3"));
        let git = |url: &str, reference: &str| {
            Ok(Source::Git { url: url.into(), reference: reference.into() })
        };
        assert_eq!(source("sha2@git=file:///a/b#main"), git("file:///a/b", "main"));
        let own = "https://github.com/RustCrypto/hashes";
        assert_eq!(source("sha2@sha2-v0.11.0"), git(own, "sha2-v0.11.0"));
        assert_eq!(source("sha2@1a2b3c4"), git(own, "1a2b3c4"));
        let own = env!("CARGO_MANIFEST_DIR");
        assert_eq!(source(&format!("sha2@path={own}")), Ok(Source::Folder(own.into())));
    }

    #[test]
    fn what_is_no_revision_is_told() {
        for (text, said) in [
            ("sha5@0.11.0", "crate \"sha5\" cannot be compared here; available: aes, "),
            ("sha2", "sha2 needs a revision: sha2@VERSION (a release), "),
            ("sha2@", "sha2 needs a revision"),
            ("sha2@0.9.9", "sha2 0.9.9: its traits are not supported"),
            ("sha2@0.11", "0.11: a release has three numbers"),
            ("sha2@a b", "\"a b\": a version, commit, tag or branch has letters"),
            ("sha2@-x", "\"-x\": a version"),
            ("sha2@path=", "path= needs the folder"),
            ("sha2@path=/no/such", "/no/such: no such folder"),
            ("sha2@path=/", "/: has no Cargo.toml"),
            ("sha2@paht=/", "no paht=: path=FOLDER or git=URL#REV"),
            ("sha2@git=https://a/b", "needs a commit, tag or branch behind #"),
            ("sha2@git=https://a/b#-x", "\"-x\": a version"),
            ("sha2@git=/a/b#main", "\"/a/b\": a URL begins with https://, ssh://, file://"),
            ("sha2@git=https://a b#main", "\"https://a b\": not a URL"),
        ] {
            let told = source(text).unwrap_err().to_string();
            assert!(told.contains(said), "{text}: {told}");
        }
    }

    #[test]
    fn secrets_in_urls_are_refused_and_not_printed() {
        for text in [
            "sha2@git=https://me:hidden@a/b#main",
            "sha2@git=https://hidden@a/b#main",
            "sha2@git=https://hidden@a#main",
            "sha2@git=https://hidden@a/b",
            "sha2@git=https://hid#den@a/b#main",
            "sha2@git=HTTPS://hidden@a/b#main",
            "sha2@https://hidden@a/b",
            "git=https://hidden@a/b#main",
            "sha2@git=ssh://me:hidden@a/b#main",
            "sha2@git=me:hidden@a/b#main",
        ] {
            let told = source(text).unwrap_err().to_string();
            assert!(told.starts_with("a URL must have no password in it"), "{text}: {told}");
            assert!(!told.contains("hidden") && secret(text).is_some(), "{text}: {told}");
        }
        for text in ["sha2@git=ssh://git@a/b#main", "sha2@git=https://a/b@c#main"] {
            assert!(source(text).is_ok(), "{text}");
        }
        for text in ["sha2@0.11.0", "sha2@git=git@a:b#main", "sha2@path=a:b@c", "sha2@a:b@c"] {
            assert_eq!(secret(text), None, "{text}");
        }
    }
}
