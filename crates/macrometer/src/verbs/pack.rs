//! `pack`: a study with its options as one file, for many machines.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use fleet::check::CLOSED_LAUNCHES_MIN;

use crate::packs::{self, PackedArgs};
use crate::{output, studies};

/// Pack a study with its options and seed into one file that gives the same plan on every machine.
///
/// `run`, `plan` and `fleet run` take the file in place of a study. Packing the same input twice
/// gives byte-identical files, whenever it is done (docs/fleet.md).
#[derive(Debug, Args)]
pub struct Pack {
    /// A study by name, or a .toml file
    study: String,
    /// The file; an existing one is replaced only if it is a pack
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Seed [default: follows from study, options and version]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    packed: PackedArgs,
}

impl Pack {
    pub fn run(self) -> Result<u8> {
        let mut study = studies::find(&self.study)?;
        let words = self.packed.words()?;
        let pack = fleet::Pack::new(study.clone(), words, self.seed, env!("CARGO_PKG_VERSION"));
        // What no machine could measure is told now.
        self.packed.extent.apply(&mut study, self.packed.budget)?;
        self.packed.selection.sought(&study)?;
        self.packed.selection.narrowed(&study)?;
        let is_other = self.output.symlink_metadata().is_ok() && packs::read(&self.output).is_err();
        if is_other {
            bail!(
                "{}: already exists and is not a pack: choose another name",
                self.output.display()
            );
        }
        output::write_file(&self.output, pack.text().as_bytes())?;
        say_if_open(study.launches);
        output::print_text(&format!("study_id {}\nseed     {}", pack.id(), pack.seed))?;
        Ok(0)
    }
}

/// Not refused: a few launches are enough to try it out.
fn say_if_open(launches: u32) {
    if launches < CLOSED_LAUNCHES_MIN {
        output::say(&format!(
            "macrometer: {launches} launches: bundles of it will be open, closed ones need \
             {CLOSED_LAUNCHES_MIN} (`--launches {CLOSED_LAUNCHES_MIN}`)"
        ));
    }
}
