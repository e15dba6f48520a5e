//! A bundle: one run of a pack on one machine, with all that is needed to believe it, as a folder
//! that never changes. `docs/fleet.md` describes its files.

mod package;
mod reading;
mod records;
mod sums;
mod writing;

use std::path::PathBuf;

use lab::archive::{Archive, ArchiveError, Outline};
use lab::record::Run;

pub use package::{is_licence, licence_json};
pub use records::{AaTest, About, Doctor, ProviderTest, Selftest};
pub use writing::{Contents, WriteError, write};

use crate::pack::Pack;

/// Generation of the format.
pub const SCHEMA: u32 = 1;

/// The file that says what the bundle is; read first.
pub const ABOUT: &str = "bundle.json";

/// The run: an archive of it alone.
pub const ARCHIVE: &str = "archive.sqlite";

/// How it is cited.
pub const CITATION: &str = "CITATION.cff";

/// What the machine's state was, and what two identical candidates were found to be.
pub const DOCTOR: &str = "doctor.json";

/// The pack that was measured.
pub const PACK: &str = "pack.json";

/// The tables of the archive, for other programs.
pub const PACKAGE: &str = "datapackage.json";

/// Program, command, machine, clock and providers.
pub const PROVENANCE: &str = "provenance.json";

/// Which vectors every provider passed.
pub const SELFTEST: &str = "selftest.json";

/// Checksums of all the others.
pub const SUMS: &str = "SHA256SUMS";

/// All files of a bundle but the checksums, in the order of these; nothing else is in it.
pub const FILES: [&str; 8] =
    [CITATION, ARCHIVE, ABOUT, PACKAGE, DOCTOR, PACK, PROVENANCE, SELFTEST];

/// A sound bundle: every file is there and is what its checksum says, and they agree about what was
/// measured where.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// The folder that it was read from.
    pub place: PathBuf,
    /// What it is.
    pub about: About,
    /// What was measured.
    pub pack: Pack,
    /// The run without its samples.
    pub outline: Outline,
    /// Which vectors every provider passed.
    pub selftest: Selftest,
    /// The machine's state.
    pub doctor: Doctor,
    /// Licences of the data, by their SPDX identifiers.
    pub licences: Vec<String>,
}

impl Bundle {
    /// The archive of its run, which any SQLite client can read.
    #[must_use]
    pub fn archive(&self) -> PathBuf {
        self.place.join(ARCHIVE)
    }

    /// The run, with every sample.
    ///
    /// # Errors
    /// When it cannot be read, or what is in it is damaged.
    pub fn run(&self) -> Result<Run, ArchiveError> {
        Archive::open(&self.archive())?.load(&self.about.run_id)
    }
}
