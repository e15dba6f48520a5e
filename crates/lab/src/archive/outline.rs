//! Runs without what was measured: enough to know which of them to load.

use serde::Deserialize;

use super::seal::row;
use super::{Archive, ArchiveError, Kept, StoreError};
use crate::record::{self, Invocation, Packed, RunState, Without, lenient_invocation};
use crate::study::Study;

/// A run without its cells and samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The run's name.
    pub id: String,
    /// Seconds since the Unix epoch.
    pub created_unix_s: u64,
    /// The command line that measures it again, in its parts.
    pub invocation: Option<Invocation>,
    /// Whether it ended, and how.
    pub state: RunState,
    /// Brand string of the processor.
    pub cpu_model: String,
    /// Logical processors online.
    pub cpus: u32,
    /// Instructions that were left out.
    pub without: Without,
    /// The study as it was narrowed by the user's selection.
    pub study: Study,
    /// The pack that it was run from, where it was one.
    pub packed: Option<Packed>,
}

impl Outline {
    /// Whether it was measured on a machine like this one.
    #[must_use]
    pub fn is_of(&self, machine: &record::Machine) -> bool {
        let Self { cpu_model, cpus, without, .. } = self;
        (cpu_model, *cpus, without) == (&machine.cpu_model, machine.cpus, &machine.without)
    }
}

/// What of a run's record is in its outline.
#[derive(Deserialize)]
struct Record {
    created_unix_s: u64,
    command: String,
    #[serde(default, deserialize_with = "lenient_invocation")]
    invocation: Option<Invocation>,
    machine: Machine,
    study: Study,
    #[serde(default)]
    packed: Option<Packed>,
}

#[derive(Deserialize)]
struct Machine {
    cpu_model: String,
    cpus: u32,
    #[serde(default)]
    without: Without,
}

impl Archive {
    /// Every run that has a sample, newest first.
    ///
    /// # Errors
    /// When the archive cannot be read; what is wrong with one run only is told beside the others.
    pub fn outlines(&self) -> Result<Kept<Outline>, ArchiveError> {
        self.of_each(|id| self.outline(id))
    }

    /// The only run of an archive, as `macrometer runs export` writes it.
    ///
    /// # Errors
    /// When it has none, several, or one without samples; when it cannot be read.
    pub fn only(&self) -> Result<Outline, ArchiveError> {
        let place = || self.place.clone();
        let of_archive = |error: StoreError| ArchiveError::Store { place: place(), error };
        let _snapshot = self.snapshot()?;
        let ids = self.ids()?;
        let [id] = &ids[..] else {
            return Err(of_archive(StoreError::NotOne { count: ids.len() }));
        };
        super::names::check(&self.place, id)?;
        self.outline(id)?.ok_or_else(|| of_archive(StoreError::NoSamples { run: id.clone() }))
    }

    fn outline(&self, id: &str) -> Result<Option<Outline>, ArchiveError> {
        self.check_outline(id)?;
        let sql = "SELECT record, state, EXISTS (SELECT 1 FROM sample WHERE run = ?1)
                   FROM run WHERE id = ?1";
        let row = self.store().one(sql, &row![id.to_owned()], |row| {
            Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<bool>(2)?))
        });
        let (record, state, has_samples) = row.map_err(|error| self.explain_run(id, &error))?;
        if !has_samples {
            return Ok(None);
        }
        let state = self.state(state, id)?;
        let record: Record = self.parse(&record, id)?;
        let Machine { cpu_model, cpus, without } = record.machine;
        Ok(Some(Outline {
            id: id.to_owned(),
            created_unix_s: record.created_unix_s,
            invocation: Invocation::kept(record.invocation, &record.command),
            state,
            cpu_model,
            cpus,
            without,
            study: record.study,
            packed: record.packed,
        }))
    }
}
