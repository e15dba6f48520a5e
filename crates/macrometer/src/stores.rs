//! Stores that users name: folders of bundles, or a team's database, of whose runs bundles are made
//! for as long as they are read.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fleet::{Refused, team};
use lab::archive::Place;
use tempfile::TempDir;

use crate::{output, paths};

/// A store that can be read.
pub struct Store {
    name: String,
    folder: PathBuf,
    /// Removed when the bundles of a database have been read.
    made: Option<TempDir>,
    /// Runs of a database that are no valid bundles.
    pub refused: Vec<Refused>,
}

impl Store {
    /// What a user has named.
    pub fn named(store: &Path) -> Result<Self> {
        if !Place::is_server(store) {
            let (name, folder) = (store.display().to_string(), store.to_owned());
            return Ok(Self { name, folder, made: None, refused: vec![] });
        }
        let archive = paths::open_other("STORE", store)?;
        let made = tempfile::tempdir().context("no folder for the bundles of a database")?;
        let team::Made { runs_alone, refused, .. } = team::bundles(&archive, made.path())?;
        let name = archive.place().to_string();
        if runs_alone > 0 {
            output::say(&format!(
                "macrometer: warning: {name}: {}: the machine data that a bundle needs were not \
                 kept",
                match runs_alone {
                    1 => "1 run was not made from a pack and is left out".to_owned(),
                    many => format!("{many} runs were not made from a pack and are left out"),
                }
            ));
        }
        Ok(Self { name, folder: made.path().to_owned(), made: Some(made), refused })
    }

    /// A place in it, as the user can find it: what is made of a database lies nowhere for long.
    pub fn shown(&self, place: &Path) -> PathBuf {
        match (&self.made, place.strip_prefix(&self.folder)) {
            (Some(_), Ok(below)) => {
                Path::new(&self.name).join(below.iter().skip(2).collect::<PathBuf>())
            }
            _ => place.to_owned(),
        }
    }

    /// The folder of its bundles.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

/// As the user named it, without a password.
impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Refuses a database where only a folder will do.
pub fn check_is_folder(option: &str, store: &Path) -> Result<()> {
    if Place::is_server(store) {
        let place = paths::named(option, store)?;
        bail!("{option} {place}: must be a folder here; a database is for `fleet task --store`");
    }
    Ok(())
}
