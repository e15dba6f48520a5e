//! Where things are kept: the archive in the user's data folder, reports beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use lab::archive::{Archive, ArchiveError};

/// The option that every verb with an archive has.
#[derive(Debug, Clone, Args)]
pub struct ArchiveArg {
    /// The archive of runs [default: macrometer/archive.db in your data folder]
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
}

impl ArchiveArg {
    fn path(&self) -> Result<PathBuf> {
        if let Some(path) = &self.archive {
            return Ok(path.clone());
        }
        let data = dirs::data_dir().context("no data folder for this user: name --archive FILE")?;
        Ok(data.join("macrometer").join("archive.db"))
    }

    /// For measuring: made where there is none.
    pub fn create(&self) -> Result<Archive> {
        Ok(Archive::create(&self.path()?)?)
    }

    /// For reading.
    pub fn open(&self) -> Result<Archive> {
        Ok(Archive::open(&self.path()?)?)
    }

    /// For reading where there may be none yet.
    pub fn open_if_there(&self) -> Result<Option<Archive>> {
        match Archive::open(&self.path()?) {
            Err(ArchiveError::Absent(_)) => Ok(None),
            opened => Ok(Some(opened?)),
        }
    }
}

/// The folder of a run's report: beside the archive unless the user names one.
pub fn report_folder(archive: &Archive, run: &str, out: Option<&Path>) -> PathBuf {
    let beside = || archive.path().parent().unwrap_or(Path::new("")).join("reports").join(run);
    out.map_or_else(beside, Path::to_owned)
}
