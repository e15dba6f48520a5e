//! Where a gathered store goes: made beside, and moved when it is whole. Only what an earlier
//! gathering wrote is ever replaced.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use fleet::bundle::PACKAGE;
use fleet::gather::{self, tables::TABLES};

use super::super::replacing;
use super::DATABASE;
use crate::halves::HalfFolder;

/// The file by which a gathered store is known.
pub(super) const MARK: &str = "gathered.json";

/// A folder, or the file of a database.
pub(super) struct Place {
    path: PathBuf,
    is_file: bool,
}

impl Place {
    /// Refuses what would be lost there.
    pub(super) fn new(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path).with_context(|| path.display().to_string())?;
        let is_file = path.extension().is_some_and(|it| it == "duckdb");
        let place = Self { path, is_file };
        place.check()?;
        Ok(place)
    }

    pub(super) fn is_file(&self) -> bool {
        self.is_file
    }

    /// Refuses a place in the store, where only bundles are.
    pub(super) fn check_is_outside(&self, store: &Path) -> Result<()> {
        let parent = self.path.parent().and_then(|it| fs::canonicalize(it).ok());
        let store = fs::canonicalize(store)
            .map_err(|error| anyhow!("{}: {}", store.display(), words::reason(&error)))?;
        if parent.is_some_and(|it| it.starts_with(&store)) {
            bail!("{} lies in the store: name another place with -o", self.path.display());
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let shown = self.path.display();
        let found = match fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            found => found.with_context(|| shown.to_string())?,
        };
        if self.is_file {
            // Whose database it is cannot be seen.
            bail!("{shown} is there already: remove it, or name another with -o");
        }
        if !found.is_dir() {
            bail!("{shown} exists and is not a folder: name another with -o");
        }
        self.check_content()
    }

    /// That a folder is empty, or holds what was gathered and nothing else.
    fn check_content(&self) -> Result<()> {
        let shown = self.path.display();
        let (mut names, mut other) = (Vec::new(), None);
        for entry in fs::read_dir(&self.path).with_context(|| shown.to_string())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_ours(&name) || !entry.file_type()?.is_file() {
                other = Some(name.clone());
            }
            names.push(name);
        }
        match other {
            Some(name) => bail!("{shown} holds another file, {name}: name another folder with -o"),
            None if names.is_empty() || names.iter().any(|name| name == MARK) => Ok(()),
            None => bail!("{shown} holds no {MARK}, so it is not replaced: name another with -o"),
        }
    }

    /// A folder beside it.
    pub(super) fn begin(&self) -> Result<HalfFolder> {
        replacing::beside(&self.path)
    }

    /// Moves a file of the folder there.
    pub(super) fn keep_file(&self, made: &HalfFolder, name: &str) -> Result<()> {
        let file = made.path().join(name);
        let kept = File::open(&file).and_then(|it| it.sync_all());
        // Something may have come there meanwhile.
        self.check()?;
        let kept = kept.and_then(|()| fs::rename(&file, &self.path));
        kept.with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Moves the folder there. The older one is gone a moment before.
    pub(super) fn keep_folder(&self, made: HalfFolder) -> Result<()> {
        let shown = || format!("cannot write {}", self.path.display());
        for entry in fs::read_dir(made.path())? {
            File::open(entry?.path()).and_then(|it| it.sync_all()).with_context(shown)?;
        }
        // Something else may have come there meanwhile.
        self.check()?;
        replacing::take_place(made, &self.path)
    }
}

/// Whether a name is that of a file which gathering writes.
fn is_ours(name: &str) -> bool {
    let of_table = |table: &gather::tables::Table| {
        [gather::file(table.name), gather::parquet(table.name)].contains(&name.to_owned())
    };
    [MARK, DATABASE, PACKAGE].contains(&name) || TABLES.iter().any(of_table)
}
