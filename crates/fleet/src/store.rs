//! A store: a folder of bundles, `STORE/study_id/machine_id/run_id`. It may be on any disk, in a
//! repository or a bucket, and anybody's: what is not a sound bundle is named and left out.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use words::{legible, reason};

use crate::bundle::Bundle;
use crate::names;

/// What is not taken, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {what}", place = legible(&.place.to_string_lossy()).replace('\n', "\u{fffd}"))]
pub struct Refused {
    /// The folder or file.
    pub place: PathBuf,
    /// What is wrong with it, in one line.
    pub what: String,
}

impl Refused {
    /// What is wrong with a place; of several lines one is made, and of names what can be shown.
    #[must_use]
    pub fn new(place: &Path, what: impl Into<String>) -> Self {
        let what = legible(&what.into()).replace('\n', " ");
        Self { place: place.to_owned(), what }
    }
}

/// What a store holds.
#[derive(Debug, Default)]
pub struct Store {
    /// Sound bundles, ordered by study, machine and run.
    pub bundles: Vec<Bundle>,
    /// What is no valid bundle, one a line.
    pub refused: Vec<Refused>,
}

/// Reads all bundles of a store. Files beside the folders of studies (a README, a licence) are
/// passed over, and so is whatever begins with a dot.
///
/// # Errors
/// When the store itself cannot be read.
pub fn read(store: &Path) -> Result<Store, Refused> {
    let mut read = Store::default();
    for place in bundles(store, &mut read.refused)? {
        match Bundle::read(&place) {
            Ok(bundle) => read.bundles.push(bundle),
            Err(refused) => read.refused.push(refused),
        }
    }
    Ok(read)
}

/// The places where bundles should be, in order; those that cannot be any are refused.
///
/// # Errors
/// When the store itself cannot be read.
pub fn bundles(store: &Path, refused: &mut Vec<Refused>) -> Result<Vec<PathBuf>, Refused> {
    let is_beside = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
    let mut studies = entries(store)?;
    studies.retain(|path| !is_beside(path));
    let mut places = Vec::new();
    for study in of_kind(studies, "study_id", names::is_study_id, refused) {
        for machine in of_kind(below(&study, refused), "machine_id", names::is_machine_id, refused)
        {
            let runs = below(&machine, refused);
            places.extend(of_kind(runs, "run_id", names::is_run_id, refused));
        }
    }
    Ok(places)
}

fn below(folder: &Path, refused: &mut Vec<Refused>) -> Vec<PathBuf> {
    entries(folder).unwrap_or_else(|error| {
        refused.push(error);
        vec![]
    })
}

/// What is in a folder, in order, but for what begins with a dot: that is what is being written,
/// and what other programs keep there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Refused> {
    let cannot =
        |error: io::Error| Refused::new(folder, format!("cannot be read: {}", reason(&error)));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Folders, and no links to any, that are named as they must be.
fn of_kind(
    paths: Vec<PathBuf>,
    kind: &str,
    is_named: fn(&str) -> bool,
    refused: &mut Vec<Refused>,
) -> Vec<PathBuf> {
    let mut sound = Vec::new();
    for path in paths {
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
        let is_named = path.file_name().and_then(|it| it.to_str()).is_some_and(is_named);
        match (is_folder, is_named) {
            (true, true) => sound.push(path),
            (false, _) => refused.push(Refused::new(&path, "not a folder; links are not followed")),
            (true, false) => {
                refused.push(Refused::new(&path, format!("its name is not a {kind}")));
            }
        }
    }
    sound
}
