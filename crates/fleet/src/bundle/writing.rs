//! Writes a bundle: into a folder that nobody reads, which takes its name when all is on the disk.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab::archive::{Archive, ArchiveError};
use lab::machine::Identity;
use lab::owner::Owner;
use lab::record::Run;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use super::{
    ABOUT, ARCHIVE, About, Bundle, CITATION, DOCTOR, Doctor, PACK, PACKAGE, PROVENANCE, SCHEMA,
    SELFTEST, SUMS, Selftest, package, sums,
};
use crate::citation;
use crate::names;
use crate::pack::Pack;
use crate::store::Refused;

/// What a folder in which a bundle is written is called, before the random part.
const PART: &str = ".part-";

/// The file in it that says whose it is.
const OWNER: &str = "owner.json";

/// The longest that this file can be.
const OWNER_BYTES_MAX: u64 = 1 << 16;

/// A younger folder without a mark may just be made.
const MARKED_WITHIN: Duration = Duration::from_secs(60);

/// What goes into a bundle beside the run.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'a> {
    /// The pack that the run was begun from.
    pub pack: &'a Pack,
    /// The kind of machine that it was measured on.
    pub machine: &'a Identity,
    /// Which host it was.
    pub host_id: &'a str,
    /// What the host is called, where its owner wants it told.
    pub host_name: Option<&'a str>,
    /// Which vectors every provider passed.
    pub selftest: &'a Selftest,
    /// The machine's state.
    pub doctor: &'a Doctor,
    /// Who measured: `Family, Given`, or the name of a group.
    pub authors: &'a [String],
    /// Licence of the data, by its SPDX identifier.
    pub licence: &'a str,
    /// Version of the program that makes the bundle.
    pub macrometer_version: &'a str,
    /// Whether nobody measured it.
    pub simulated: bool,
}

/// Why a bundle was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The run cannot be read or exported.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The run is not one of this pack on this machine.
    #[error("run {run}: {what}")]
    Other {
        /// Name of the run.
        run: String,
        /// What it is instead.
        what: String,
    },
    /// There is one already, of other content.
    #[error("{place}: {what}; a bundle never changes")]
    There {
        /// The folder of the bundle.
        place: PathBuf,
        /// What is there.
        what: String,
    },
    /// The file system refused.
    #[error("{place}: cannot be written: {error}")]
    Store {
        /// The folder of the bundle.
        place: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// What was written is no valid bundle.
    #[error(transparent)]
    Unsound(#[from] Refused),
}

/// Writes the bundle of a run into a store, and returns its folder. Where it is already, nothing is
/// done.
///
/// # Errors
/// When the run is not one of the pack on this machine, or it cannot be written; nothing is left
/// behind then.
pub fn write(
    store: &Path,
    archive: &Archive,
    run: &str,
    contents: &Contents<'_>,
) -> Result<PathBuf, WriteError> {
    let run = archive.load(run)?;
    let (study_id, machine_id) = (contents.pack.id(), contents.machine.id());
    check(&run, &study_id, &machine_id)?;
    let folder = store.join(&study_id).join(&machine_id);
    let place = folder.join(&run.id);
    if place.symlink_metadata().is_ok() {
        return is_same(&place, &run).map(|()| place);
    }
    let failed = |error: io::Error| WriteError::Store { place: place.clone(), error };
    fs::create_dir_all(&folder).map_err(failed)?;
    // Read back where it is written: it must lie in folders of these names.
    let part = store.join(format!("{PART}{:016x}", rand::random::<u64>()));
    let inner = part.join(&study_id).join(&machine_id).join(&run.id);
    let begun = || {
        fs::create_dir(&part)?;
        write_file(&part.join(OWNER), &json_of(&Owner::this_process()))?;
        remove_left_over(store, &part.metadata()?);
        fs::create_dir_all(&inner)
    };
    let written = begun()
        .map_err(failed)
        .and_then(|()| fill(&inner, archive, &run, contents))
        .and_then(|()| Ok(Bundle::read(&inner).map(drop)?))
        .and_then(|()| fs::rename(&inner, &place).map_err(failed))
        .and_then(|()| synchronise(&folder).map_err(failed));
    // It was made above.
    let _ = fs::remove_dir_all(&part);
    match written {
        Ok(()) => Ok(place),
        // Another process may have been faster.
        Err(WriteError::Store { .. }) if place.symlink_metadata().is_ok() => {
            is_same(&place, &run).map(|()| place)
        }
        Err(error) => Err(error),
    }
}

/// Removes what this user's processes have left that have provably ended: one on another host of a
/// shared store may be writing still. `ours` is about the folder that was just made: its time is
/// the store's, whatever this host's clock says.
fn remove_left_over(store: &Path, ours: &fs::Metadata) {
    let own = |path: &Path| fs::symlink_metadata(path).ok().filter(|it| it.uid() == ours.uid());
    let is_left = |part: &Path| {
        let Some(about) = own(part).filter(fs::Metadata::is_dir) else { return false };
        let mark = part.join(OWNER);
        let owner = own(&mark).filter(fs::Metadata::is_file).and_then(|_| owner(&mark));
        match owner {
            Some(owner) => owner.has_ended() == Some(true),
            None => is_older(&about, ours) && was_never_marked(part, &own),
        }
    };
    for entry in fs::read_dir(store).into_iter().flatten().flatten() {
        let is_part = entry.file_name().to_str().is_some_and(|name| name.starts_with(PART));
        if is_part && is_left(&entry.path()) {
            // What cannot be removed stays: it is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a folder has been there so much longer than ours that it would be marked.
fn is_older(about: &fs::Metadata, ours: &fs::Metadata) -> bool {
    let age = || ours.modified().ok()?.duration_since(about.modified().ok()?).ok();
    age().is_some_and(|age| age >= MARKED_WITHIN)
}

/// Whether a process was killed between making this folder and marking it: there is nothing in it
/// but the beginning of a mark.
fn was_never_marked(part: &Path, own: &dyn Fn(&Path) -> Option<fs::Metadata>) -> bool {
    let is_empty_mark = |entry: &fs::DirEntry| {
        let is_empty = |it: fs::Metadata| it.is_file() && it.len() == 0;
        entry.file_name() == OWNER && own(&entry.path()).is_some_and(is_empty)
    };
    let Ok(mut entries) = fs::read_dir(part) else { return false };
    entries.all(|entry| entry.is_ok_and(|entry| is_empty_mark(&entry)))
}

fn owner(mark: &Path) -> Option<Owner> {
    let mut content = Vec::new();
    File::open(mark).ok()?.take(OWNER_BYTES_MAX).read_to_end(&mut content).ok()?;
    serde_json::from_slice(&content).ok()
}

fn check(run: &Run, study_id: &str, machine_id: &str) -> Result<(), WriteError> {
    let other = |what: &str| WriteError::Other { run: run.id.clone(), what: what.into() };
    let packed = run.packed.as_ref().ok_or_else(|| other("was run from no pack"))?;
    if packed.study_id != study_id {
        return Err(other("was run from another pack"));
    }
    if packed.machine_id != machine_id {
        return Err(other("was run on another machine"));
    }
    if !names::is_run_id(&run.id) {
        return Err(other("invalid name"));
    }
    Ok(())
}

/// What is there already must be this run, whole.
fn is_same(place: &Path, run: &Run) -> Result<(), WriteError> {
    let there = |what: String| WriteError::There { place: place.to_owned(), what };
    let bundle = Bundle::read(place).map_err(|error| there(error.what))?;
    match bundle.run()? == *run {
        true => Ok(()),
        false => Err(there("already there, with another content".into())),
    }
}

fn about(run: &Run, contents: &Contents<'_>) -> About {
    About {
        schema: SCHEMA,
        study_id: contents.pack.id(),
        machine_id: contents.machine.id(),
        run_id: run.id.clone(),
        host_id: contents.host_id.into(),
        host_name: contents.host_name.map(str::to_owned),
        macrometer_version: contents.macrometer_version.into(),
        machine: contents.machine.clone(),
        simulated: contents.simulated,
    }
}

/// That of a report, and of which pack the run is.
fn provenance(run: &Run) -> String {
    let provenance = report::bundle::provenance(run);
    match serde_json::from_str::<serde_json::Value>(&provenance) {
        Ok(mut told) => {
            told["packed"] = json!(run.packed);
            json_of(&told)
        }
        Err(_) => provenance,
    }
}

fn fill(
    folder: &Path,
    archive: &Archive,
    run: &Run,
    contents: &Contents<'_>,
) -> Result<(), WriteError> {
    archive.export(&run.id, &folder.join(ARCHIVE))?;
    let about = about(run, contents);
    let files = [
        (CITATION, citation::of(run, contents.authors, &about.study_id, &about.machine_id)),
        (ABOUT, json_of(&about)),
        (PACKAGE, json_of(&package::of(run, &about, contents.licence, contents.authors))),
        (DOCTOR, json_of(contents.doctor)),
        (PACK, contents.pack.text()),
        (PROVENANCE, provenance(run)),
        (SELFTEST, json_of(contents.selftest)),
    ];
    let failed = |error: io::Error| WriteError::Store { place: folder.to_owned(), error };
    for (name, text) in files {
        write_file(&folder.join(name), &text).map_err(failed)?;
    }
    let sums = sums::of(folder).map_err(failed)?;
    write_file(&folder.join(SUMS), &sums).map_err(failed)?;
    synchronise(folder).map_err(failed)
}

fn json_of(value: &impl Serialize) -> String {
    report::json(value).unwrap_or_default() + "\n"
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// What a folder holds is durable only when the folder is.
fn synchronise(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
