//! A team's database as a store: runs that are kept there with what a bundle has beside its run,
//! and bundles made of them again. What the database says is believed no more than a bundle is:
//! what is made of it is checked as one.

use std::path::Path;

use lab::archive::{Archive, ArchiveError};
use lab::machine::Identity;
use serde::Deserialize;
use serde_json::json;

use crate::bundle::{self, Contents, Doctor, Selftest, WriteError};
use crate::pack::Pack;
use crate::store::Refused;

/// What a bundle has beside its run.
#[derive(Deserialize)]
struct Beside {
    pack: String,
    machine: Identity,
    host_id: String,
    #[serde(default)]
    host_name: Option<String>,
    selftest: Selftest,
    doctor: Doctor,
    authors: Vec<String>,
    licence: String,
    macrometer_version: String,
    simulated: bool,
}

/// What was made of a database.
#[derive(Debug, Default)]
pub struct Made {
    /// Bundles that were written.
    pub bundles: u64,
    /// Runs that have nothing but what was measured: what a bundle tells of its machine is not
    /// there.
    pub runs_alone: u64,
    /// What was not taken, one a line.
    pub refused: Vec<Refused>,
}

/// Keeps what a bundle has beside a run that is in the database.
///
/// # Errors
/// When it cannot be written, or the archive is no database.
pub fn keep(archive: &Archive, run: &str, contents: &Contents<'_>) -> Result<(), ArchiveError> {
    let beside = json!({
        "pack": contents.pack.text(),
        "machine": contents.machine,
        "host_id": contents.host_id,
        "host_name": contents.host_name,
        "selftest": contents.selftest,
        "doctor": contents.doctor,
        "authors": contents.authors,
        "licence": contents.licence,
        "macrometer_version": contents.macrometer_version,
        "simulated": contents.simulated,
    });
    archive.keep_beside(run, &beside.to_string())
}

/// Puts a run of a file into the database, with what a bundle has beside it. What is there already
/// stays as it is.
///
/// # Errors
/// When it cannot be read or written, or another run of that name is there.
pub fn put(
    from: &Archive,
    run: &str,
    contents: &Contents<'_>,
    into: &mut Archive,
    folder: &Path,
) -> Result<(), ArchiveError> {
    let alone = folder.join(format!(".sent-{:016x}.sqlite", rand::random::<u64>()));
    let sent = from.export(run, &alone).and_then(|_| into.import(&Archive::open(&alone)?));
    // It was made above, if at all.
    let _ = std::fs::remove_file(&alone);
    sent?;
    // A task that is repeated may be told less than the first one was.
    match into.beside(run)? {
        Some(_) => Ok(()),
        None => keep(into, run, contents),
    }
}

/// Makes the bundles of a database in a store.
///
/// # Errors
/// When the database cannot be read; what is wrong with a run is told in what is returned.
pub fn bundles(archive: &Archive, store: &Path) -> Result<Made, ArchiveError> {
    let mut made = Made::default();
    let place = archive.place().to_string();
    let place = Path::new(&place);
    let outlines = archive.outlines()?;
    for error in outlines.damaged {
        made.refused.push(Refused::new(place, error.without_place()));
    }
    for outline in outlines.sound {
        let bundle = match archive.beside(&outline.id) {
            Ok(Some(text)) => bundle_of(archive, &outline.id, &text, store),
            Ok(None) => {
                made.runs_alone += 1;
                continue;
            }
            Err(ArchiveError::Damaged { error, .. }) => {
                Err(Why::Run(format!("is damaged: {error}")))
            }
            Err(error) => return Err(error),
        };
        match bundle {
            Ok(()) => made.bundles += 1,
            Err(Why::Database(error)) => return Err(error),
            Err(Why::Run(what)) => made.refused.push(Refused::new(&place.join(&outline.id), what)),
        }
    }
    Ok(made)
}

enum Why {
    Database(ArchiveError),
    Run(String),
}

/// That a run is damaged. What is told names the place, as the line does.
fn bundle_of(archive: &Archive, run: &str, text: &str, store: &Path) -> Result<(), Why> {
    let wrong = |error: String| Why::Run(format!("what is kept beside it is damaged: {error}"));
    let beside: Beside = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let pack = Pack::parse(beside.pack.as_bytes()).map_err(|error| wrong(error.to_string()))?;
    let contents = Contents {
        pack: &pack,
        machine: &beside.machine,
        host_id: &beside.host_id,
        host_name: beside.host_name.as_deref(),
        selftest: &beside.selftest,
        doctor: &beside.doctor,
        authors: &beside.authors,
        licence: &beside.licence,
        macrometer_version: &beside.macrometer_version,
        simulated: beside.simulated,
    };
    match bundle::write(store, archive, run, &contents) {
        Ok(_) => Ok(()),
        Err(WriteError::Archive(error @ ArchiveError::Store { .. })) if archive.is_lost() => {
            Err(Why::Database(error))
        }
        Err(WriteError::Unsound(refused)) => Err(Why::Run(refused.what)),
        Err(error) => Err(Why::Run(error.to_string())),
    }
}
