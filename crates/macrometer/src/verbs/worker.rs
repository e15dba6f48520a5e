//! `worker`: one provider, served to the lab over standard input and output.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use lab::worker::memory_limit::MemoryLimit;
use lab::worker::serve::{refuse, serve_within};
use providers::{Kind, Place};
use words::Extension;

/// Serve one provider.
#[derive(Debug, Args)]
pub struct Worker {
    /// The provider, or an alias of it
    name: String,
    /// Where its library is
    path: Option<PathBuf>,
    /// Instruction-set extensions to disable
    #[arg(long, value_name = "INSTRUCTIONS", value_delimiter = ',')]
    without: Vec<Extension>,
}

impl Worker {
    pub fn run(self) -> Result<u8> {
        // Before anything else asks the processor what it has.
        providers::restriction::restrict(self.without.into()).map_err(anyhow::Error::msg)?;
        let row =
            providers::row(&self.name).with_context(|| format!("no provider {:?}", self.name))?;
        if matches!(row.kind, Kind::Program(_)) {
            bail!("{} runs as a separate program", row.name);
        }
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        match row.open(&Place { name: Some(self.name), path: self.path }) {
            Ok(provider) => match MemoryLimit::of_environment() {
                Ok(limit) => serve_within(limit, provider.as_ref(), input, output)?,
                Err(error) => refuse(&error.to_string().into(), input, output)?,
            },
            Err(unavailable) => refuse(&unavailable, input, output)?,
        }
        Ok(0)
    }
}
