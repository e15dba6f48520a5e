//! A run of a pack.

use std::path::Path;

use anyhow::{Context, Result, bail};
use fleet::{Contents, Doctor, Selftest};
use lab::archive::Archive;
use lab::machine::Identity;
use lab::record::{Packed, Run as RunRecord};

use super::Run;
use crate::output;
use crate::packs::{self, PackedArgs};
use crate::paths::ArchiveArg;
use crate::studies;
use crate::verbs::fleet::{LICENCE, own_host_id};

impl Run {
    /// A run of a pack as part of something larger: without progress, into an archive of its own.
    pub fn of_pack(
        pack: &Path,
        archive: ArchiveArg,
        resume: Option<String>,
        cpu: Option<String>,
    ) -> Result<Self> {
        let defaults = Self::survey(archive);
        let name = pack.to_str().context("the name of the pack is not UTF-8")?.to_owned();
        let study = resume.is_none().then_some(name);
        Ok(Self { study, resume, cpu, quiet: true, ..defaults })
    }

    /// Takes study, options and seed from a pack, where the study is one.
    pub(super) fn unpack(&mut self) -> Result<()> {
        let Some(name) = &self.study else { return Ok(()) };
        let Some(pack) = packs::named(name)? else { return Ok(()) };
        let told = PackedArgs::of_words(&pack.options);
        let told = told.with_context(|| format!("{name}: not a valid pack"))?;
        let own = (self.budget, self.extent.clone(), self.without.clone(), self.selection.clone());
        let (budget, extent, without, selection) = own;
        let given = PackedArgs { budget, extent, without, selection };
        if !given.is_empty() || self.seed.is_some() || self.claims {
            bail!("{name}: a pack has its options and its seed: pack the study again with others");
        }
        self.budget = told.budget;
        self.extent = told.extent;
        self.without = told.without;
        self.selection = told.selection.with_patience_of(&self.selection);
        (self.seed, self.pack) = (Some(pack.seed), Some(Box::new(pack)));
        Ok(())
    }
}

/// What a run of a pack that begins here keeps of it.
pub(super) fn here(pack: &fleet::Pack) -> Packed {
    Packed { study_id: pack.id(), machine_id: Identity::read().id() }
}

/// Keeps, with a run in a team's database, what a store is told of its machine. The test vectors
/// were not put to the providers, as `fleet task` does it, and so it is not closed.
pub(super) fn keep_machine(archive: &Archive, run: &str, pack: &fleet::Pack) -> Result<()> {
    let contents = Contents {
        pack,
        machine: &Identity::read(),
        host_id: &own_host_id()?,
        host_name: None,
        selftest: &Selftest { vectors_id: String::new(), vectors: 0, providers: vec![] },
        doctor: &Doctor { doubts: vec![], a_a: None },
        authors: &[],
        licence: LICENCE,
        macrometer_version: env!("CARGO_PKG_VERSION"),
        simulated: false,
    };
    Ok(fleet::team::keep(archive, run, &contents)?)
}

/// What a command line names that measures the same again.
pub(super) enum Named {
    /// A study, which options follow.
    Study(String),
    /// A pack, which has its options.
    Pack(String),
}

pub(super) fn command(name: Option<&str>, pack: Option<&fleet::Pack>) -> Named {
    let name = name.unwrap_or("survey");
    let Some(pack) = pack else { return Named::Study(name.to_owned()) };
    // A study that everybody has is named; another one is in the pack alone.
    match studies::find(&pack.study.name) {
        Ok(known) if known == pack.study => Named::Study(pack.study.name.clone()),
        _ => Named::Pack(output::quoted(name).into_owned()),
    }
}

/// A run of a pack speaks for one machine: on another one it does not go on.
pub(super) fn check_machine(run: &RunRecord) -> Result<()> {
    let here = Identity::read().id();
    match &run.packed {
        Some(packed) if packed.machine_id != here => bail!(
            "run {} was begun on another machine ({}, and this is {here}): run the pack anew here",
            run.id,
            packed.machine_id
        ),
        _ => Ok(()),
    }
}
