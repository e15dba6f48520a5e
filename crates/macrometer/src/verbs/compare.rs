//! `compare`: two runs side by side.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use report::compare::{Compared, render};

use super::Format;
use crate::output;
use crate::paths::{self, ArchiveArg};

/// Compare two runs side by side.
#[derive(Debug, Args)]
pub struct Compare {
    /// The first run: its name or the start of it, or `last`
    before: String,
    /// The second run
    after: String,
    #[command(flatten)]
    pub archive: ArchiveArg,
    /// Archive of the second run, if it is in another one
    #[arg(long, value_name = "FILE")]
    other_archive: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Compare {
    pub fn run(self) -> Result<u8> {
        let archive = self.archive.open()?;
        let before = archive.load(&self.before)?;
        let after = match &self.other_archive {
            Some(path) => paths::open_other("--other-archive", path)?.load(&self.after)?,
            None => archive.load(&self.after)?,
        };
        match self.format {
            Format::Json => {
                output::print(&report::document(&Compared::of(&before, &after))?)?;
            }
            Format::Text => {
                output::print_text(&render(&before, &after, super::width(), super::colour()))?;
            }
        }
        Ok(0)
    }
}
