//! A bundle of a simulated run, in a store of its own.
#![allow(dead_code, reason = "no test binary needs all of it")]

use std::path::{Path, PathBuf};

use fleet::{AaTest, Contents, Doctor, Pack, ProviderTest, Selftest, names};
use lab::machine::Identity;
use lab::record::{Packed, Run};
use tempfile::TempDir;

pub struct Made {
    folder: TempDir,
    pub run: Run,
    pub pack: Pack,
    pub machine: Identity,
    pub selftest: Selftest,
    pub doctor: Doctor,
    pub authors: Vec<String>,
    pub host_id: String,
}

impl Made {
    /// A sound run with a machine, all of whose providers passed.
    pub fn new() -> Self {
        let mut run = synthetic::survey_over(1, 2, &[64, 1024]);
        let pack = Pack::new(run.study.clone(), vec![], Some(run.seed), "0.1.0");
        let machine = Identity { model: Some("17".into()), ..Identity::read() };
        run.packed = Some(Packed { study_id: pack.id(), machine_id: machine.id() });
        let tested = |it: &lab::record::ProviderRecord| ProviderTest {
            name: it.name.clone(),
            version: it.version.clone(),
            path: it.path.clone(),
            passed: 7,
            failed: 0,
            refused: 1,
            ended_by: None,
        };
        let providers = run.providers.iter().map(tested).collect();
        let selftest = Selftest { vectors_id: "00".repeat(16), vectors: 7, providers };
        let a_a = AaTest {
            pairs: 20,
            launches: 12,
            called_different: 1,
            band: [0, 3],
            intervals_apart: 1,
        };
        let doctor = Doctor { doubts: vec![], a_a: Some(a_a) };
        let (folder, host_id) = (tempfile::tempdir().unwrap(), names::new_host_id());
        Self { folder, run, pack, machine, selftest, doctor, authors: vec![], host_id }
    }

    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    pub fn contents(&self) -> Contents<'_> {
        Contents {
            pack: &self.pack,
            machine: &self.machine,
            host_id: &self.host_id,
            host_name: None,
            selftest: &self.selftest,
            doctor: &self.doctor,
            authors: &self.authors,
            licence: "CC-BY-4.0",
            macrometer_version: "0.1.0",
            simulated: false,
        }
    }

    /// Writes the bundle, and returns its folder.
    pub fn write(&self) -> PathBuf {
        self.try_write().unwrap()
    }

    pub fn try_write(&self) -> Result<PathBuf, fleet::bundle::WriteError> {
        let path = self.folder.path().join(format!("{:016x}.db", rand_of(&self.run.id)));
        let _ = std::fs::remove_file(&path);
        let archive = synthetic::keep(&path, &self.run).unwrap();
        fleet::bundle::write(&self.store(), &archive, &self.run.id, &self.contents())
    }
}

fn rand_of(name: &str) -> u64 {
    name.bytes().fold(7, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte))
}

/// What is in a folder, by its names.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
