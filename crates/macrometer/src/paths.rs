//! Where things are kept: the archive in the user's data folder, reports beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use lab::archive::{Archive, ArchiveError, Kept};
use lab::record::Run;

use crate::output;

/// The option that every verb with an archive has.
#[derive(Debug, Clone, Args)]
pub struct ArchiveArg {
    /// The archive of runs [default: macrometer/archive.db in your data folder]
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
}

impl ArchiveArg {
    /// Of this file.
    pub fn of(path: PathBuf) -> Self {
        Self { archive: Some(path) }
    }

    fn path(&self) -> Result<PathBuf> {
        if let Some(path) = &self.archive {
            check_is_name("--archive", path)?;
            return Ok(path.clone());
        }
        let data = dirs::data_dir().context("this user has no data folder: use --archive FILE")?;
        Ok(data.join("macrometer").join("archive.db"))
    }

    pub fn is_given(&self) -> bool {
        self.archive.is_some()
    }

    /// This one, or the other where it was not given.
    pub fn or(self, other: &Self) -> Self {
        Self { archive: self.archive.or_else(|| other.archive.clone()) }
    }

    /// Whether an archive is there or can be made, before a run is prepared and without making it.
    pub fn check(&self) -> Result<()> {
        let path = self.path()?;
        if let Err(error @ ArchiveError::Foreign(_)) = Archive::open(&path) {
            return Err(error.into());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let above = folder.and_then(Path::parent).filter(|above| !above.as_os_str().is_empty());
        // Folders above the one that a user names are more likely mistyped than wanted.
        if let Some(above) = above.filter(|above| self.is_given() && !above.is_dir()) {
            bail!("--archive {}: there is no folder {}", path.display(), above.display());
        }
        Ok(())
    }

    /// For measuring: made where there is none.
    pub fn create(&self) -> Result<Archive> {
        self.check()?;
        Ok(told(Archive::create(&self.path()?)?))
    }

    /// For going on with a run.
    pub fn open_to_write(&self) -> Result<Archive> {
        Ok(told(Archive::open_to_write(&self.path()?)?))
    }

    /// For reading.
    pub fn open(&self) -> Result<Archive> {
        Ok(told(Archive::open(&self.path()?)?))
    }

    /// For reading where there may be none yet.
    pub fn open_if_there(&self) -> Result<Option<Archive>> {
        match Archive::open(&self.path()?) {
            Err(ArchiveError::Absent(_)) => Ok(None),
            Err(error @ ArchiveError::Empty(_)) => {
                output::say(&format!("macrometer: warning: {error}"));
                Ok(None)
            }
            opened => Ok(Some(told(opened?))),
        }
    }
}

/// Another archive than that of `--archive`, for reading.
pub fn open_other(option: &str, path: &Path) -> Result<Archive> {
    check_is_name(option, path)?;
    Ok(told(Archive::open(path)?))
}

fn check_is_name(option: &str, path: &Path) -> Result<()> {
    if path.to_string_lossy().starts_with("file:") {
        let path = path.display();
        bail!("{option} {path}: must be a file name, not a URI (./{path} would be a file name)");
    }
    Ok(())
}

/// Says what is to be told of an archive.
fn told(archive: Archive) -> Archive {
    archive.told().iter().for_each(|line| output::say(&format!("macrometer: warning: {line}")));
    archive
}

/// The sound ones of what was read of every run; why the others are left out is told.
pub fn sound<T>(kept: Kept<T>) -> Vec<T> {
    for error in kept.damaged {
        output::say(&format!("macrometer: warning: {error}"));
    }
    kept.sound
}

/// A run that is one of several; a damaged one is told and left out.
pub fn if_sound(archive: &Archive, id: &str) -> Result<Option<Run>> {
    match archive.load(id) {
        Err(error @ ArchiveError::Damaged { .. }) => {
            output::say(&format!("macrometer: warning: {error}"));
            Ok(None)
        }
        run => Ok(Some(run?)),
    }
}

/// The folder of a run's report: beside the archive unless the user names one.
pub fn report_folder(archive: &Archive, run: &str, out: Option<&Path>) -> PathBuf {
    let beside = || archive.path().parent().unwrap_or(Path::new("")).join("reports").join(run);
    out.map_or_else(beside, Path::to_owned)
}
