//! A store of machines that never were, which says so: what docs/fleet.md asks its questions of,
//! and what machines are compared in.

use std::path::{Path, PathBuf};

use fleet::{AaTest, Contents, Doctor, Pack, ProviderTest, Selftest};
use lab::archive::Archive;
use lab::record::{Packed, ProviderRecord};
use synthetic::{Filling, Fleet};

/// Writes a store of so many machines, with so many cells, launches and blocks in each; returns
/// its bundles.
#[allow(dead_code, reason = "no test binary needs all of it")]
pub fn write(store: &Path, machines: usize, extent: [u32; 3]) -> Vec<PathBuf> {
    write_to(store, machines, extent, |_, _, _| ())
}

/// The same, and hands each run with what its bundle has to somebody else.
#[allow(dead_code, reason = "no test binary needs all of it")]
pub fn write_to(
    store: &Path,
    machines: usize,
    [cells, launches, blocks]: [u32; 3],
    mut also: impl FnMut(&Archive, &str, &Contents<'_>),
) -> Vec<PathBuf> {
    let filling = Filling { launches, blocks, launch_sd: 0.004, block_sd: 0.004 };
    let fleet = Fleet::synthetic(cells as usize, filling, 1);
    let pack = Pack::new(fleet.study().clone(), vec![], Some(1), "0.1.0");
    let mut write = |at: usize| {
        let machine = fleet.machine(at);
        let (mut run, identity) = (machine.run, machine.identity);
        run.packed = Some(Packed { study_id: pack.id(), machine_id: identity.id() });
        let tested = |it: &ProviderRecord| ProviderTest {
            name: it.name.clone(),
            version: it.version.clone(),
            path: it.path.clone(),
            passed: 7,
            failed: 0,
            refused: 0,
            ended_by: None,
        };
        let providers = run.providers.iter().map(tested).collect();
        let selftest = Selftest { vectors_id: "00".repeat(16), vectors: 7, providers };
        let (pairs, launches, called_different) = (20, 12, 1);
        let a_a = AaTest { pairs, launches, called_different, band: [0, 3], intervals_apart: 1 };
        let doctor = Doctor { doubts: vec![], a_a: Some(a_a) };
        let contents = Contents {
            pack: &pack,
            machine: &identity,
            host_id: &format!("{at:032x}"),
            host_name: None,
            selftest: &selftest,
            doctor: &doctor,
            authors: &[],
            licence: "CC0-1.0",
            macrometer_version: "0.1.0",
            simulated: true,
        };
        let folder = tempfile::tempdir().unwrap();
        let archive = synthetic::keep(&folder.path().join("a.db"), &run).unwrap();
        also(&archive, &run.id, &contents);
        fleet::bundle::write(store, &archive, &run.id, &contents).unwrap()
    };
    (0..machines).map(&mut write).collect()
}
