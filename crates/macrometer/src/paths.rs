//! Where things are kept: the archive in the user's data folder, reports beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use lab::archive::{Archive, ArchiveError, Kept, Place};
use lab::record::Run;

use crate::output;

/// The option that every verb with an archive has.
#[derive(Debug, Clone, Args)]
pub struct ArchiveArg {
    /// The archive of runs: a file, or a team's database as postgres://USER@HOST/DATABASE
    /// [default: macrometer/archive.db in your data folder]
    #[arg(long, value_name = "FILE|URL")]
    archive: Option<PathBuf>,
}

impl ArchiveArg {
    /// Of this file.
    pub fn of(path: PathBuf) -> Self {
        Self { archive: Some(path) }
    }

    fn place(&self) -> Result<Place> {
        if let Some(name) = &self.archive {
            return named("--archive", name);
        }
        let data = dirs::data_dir().context("this user has no data folder: use --archive FILE")?;
        Ok(data.join("macrometer").join("archive.db").into())
    }

    /// Whether it is a database on a server.
    pub fn is_on_server(&self) -> bool {
        self.archive.as_deref().is_some_and(Place::is_server)
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
        let place = self.place()?;
        let Some(path) = place.file() else {
            return match place.open() {
                Err(ArchiveError::Absent(_)) => Ok(()),
                opened => Ok(opened.map(drop)?),
            };
        };
        if let Err(error @ ArchiveError::Foreign(_)) = Archive::open(path) {
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
        Ok(told(self.place()?.create()?))
    }

    /// For going on with a run.
    pub fn open_to_write(&self) -> Result<Archive> {
        Ok(told(self.place()?.open_to_write()?))
    }

    /// For reading.
    pub fn open(&self) -> Result<Archive> {
        Ok(told(self.place()?.open()?))
    }

    /// For reading where there may be none yet.
    pub fn open_if_there(&self) -> Result<Option<Archive>> {
        match self.place()?.open() {
            Err(ArchiveError::Absent(_)) => Ok(None),
            Err(error @ ArchiveError::Empty(_)) => {
                output::say(&format!("macrometer: warning: {error}"));
                Ok(None)
            }
            opened => Ok(Some(told(opened?))),
        }
    }

    /// Hands over to a server what could not be sent of a run while it was measured, where there
    /// is anything; told again is nothing.
    pub fn hand_over(&self, name: &str, take_over: bool) -> Result<()> {
        if !self.is_on_server() {
            return Ok(());
        }
        let mut archive = self.place()?.open_to_write()?;
        let id = archive.find(name)?;
        if let Some(parts) = archive.hand_over(&id, take_over)? {
            let place = archive.place();
            output::say(&format!(
                "run {id}: what was kept on this machine while {place} was away is handed over \
                 ({parts} parts)"
            ));
        }
        Ok(())
    }
}

/// Another archive than that of `--archive`, for reading.
pub fn open_other(option: &str, path: &Path) -> Result<Archive> {
    Ok(told(named(option, path)?.open()?))
}

/// What a user has named: never told with a password in it.
pub fn named(option: &str, name: &Path) -> Result<Place> {
    if Place::is_server(name) {
        let data =
            dirs::data_dir().context("this user has no data folder, which a database needs")?;
        let place = Place::named(name, &data.join("macrometer"));
        return place.map_err(|error| anyhow::anyhow!("{option}: {error}"));
    }
    if name.to_string_lossy().starts_with("file:") {
        let path = name.display();
        bail!("{option} {path}: must be a file name, not a URI (./{path} would be a file name)");
    }
    Ok(name.into())
}

/// What is to be done about what could not be sent of a run that has ended.
pub fn tell_unsent(archive: &Archive, run: &str) {
    let Some(path) = archive.unsent() else { return };
    let (place, path) = (archive.place(), path.display());
    output::say(&format!(
        "macrometer: warning: run {run} is not whole in {place}: the rest of it is in {path}; once \
         the server is back, `macrometer run --resume {run} --archive {place}` hands it over"
    ));
}

/// Says what is to be told of an archive.
fn told(mut archive: Archive) -> Archive {
    archive.say_trouble_by(|line| output::say(&format!("macrometer: warning: {line}")));
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

/// The folder of a run's report: beside the archive, or in the data folder where that is a
/// database, unless the user names one.
pub fn report_folder(archive: &Archive, run: &str, out: Option<&Path>) -> PathBuf {
    let beside = || archive.place().folder().join("reports").join(run);
    out.map_or_else(beside, Path::to_owned)
}
