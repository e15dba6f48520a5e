//! `compare --fleet`: the machines of a store.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use report::machines::{Asked, By, Machines};

use crate::verbs::Format;
use crate::{members, output};

/// What is said of two runs alone.
const OTHERS: [&str; 5] = ["before", "after", "other_archive", "archive", "margin"];

/// Options for the machines of a store.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many machines")]
pub struct Fleet {
    /// Compare the machines of a store of bundles instead (docs/fleet.md)
    #[arg(long, value_name = "STORE", conflicts_with_all = OTHERS)]
    pub fleet: Option<PathBuf>,
    /// Group the machines by this
    #[arg(long, value_enum, requires = "fleet")]
    by: Option<Told>,
    /// Reference to compare with, MAC or MAC/PROVIDER [default: the fastest over all machines]
    #[arg(long, value_name = "OFFER", requires = "fleet")]
    against: Option<String>,
    /// Only these MACs, patterns with *; fewer comparisons need fewer machines
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', requires = "fleet")]
    mac: Vec<String>,
    /// Only messages of these lengths in bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',', requires = "fleet")]
    size: Vec<u64>,
    /// The study, where the store has several: its study_id or the start of it
    #[arg(long, value_name = "ID", requires = "fleet")]
    study: Option<String>,
    /// All comparisons instead of a first screen
    #[arg(long, requires = "fleet")]
    details: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Told {
    /// Each machine by itself
    Machine,
    /// Vendor of the processor
    Vendor,
    /// Processor model
    Generation,
    /// Hypervisor, or none
    Hypervisor,
    /// Operating system and release of its Linux kernel
    System,
    /// Version of the offer's provider
    ProviderVersion,
    /// Code path of the offer
    Kernel,
}

impl From<Told> for By {
    fn from(told: Told) -> Self {
        match told {
            Told::Machine => By::Machine,
            Told::Vendor => By::Vendor,
            Told::Generation => By::Generation,
            Told::Hypervisor => By::Hypervisor,
            Told::System => By::System,
            Told::ProviderVersion => By::ProviderVersion,
            Told::Kernel => By::Kernel,
        }
    }
}

impl Fleet {
    pub fn run(self, store: &std::path::Path, format: Format) -> Result<u8> {
        let read = members::read(store, self.study.as_deref(), |_, _, _| Ok(()))?;
        members::tell(&read.refused);
        let asked = Asked {
            by: self.by.map(By::from),
            against: self.against,
            macs: self.mac,
            sizes: self.size,
        };
        let compared = Machines::of(&read.study_id, &read.members, &read.catalog, &asked);
        let compared = compared.map_err(|error| anyhow!("{}: {error}", read.store))?;
        match format {
            Format::Json => output::print(&report::document(&compared)?)?,
            Format::Text => {
                let (width, colour) = (output::width(), output::colour());
                output::print(&compared.render(width, colour, self.details))?;
            }
        }
        Ok(u8::from(!read.refused.is_empty()))
    }
}
