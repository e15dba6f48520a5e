//! `fleet`: one pack on many machines. Nothing here watches: schedulers run the tasks, and bundles
//! in a store are what they leave.

mod check;
mod gather;
mod replacing;
mod run;
mod site;
mod status;
mod task;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

pub use task::{LICENCE, own_host_id};

/// Measure one pack on many machines, by Slurm, ssh or Kubernetes (docs/fleet.md).
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct Fleet {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(check::Check),
    Gather(gather::Gather),
    Run(run::Run),
    Site(site::Site),
    Status(status::Status),
    Task(task::Task),
}

impl Fleet {
    pub fn run(self) -> Result<u8> {
        match self.what {
            What::Check(verb) => verb.run(),
            What::Gather(verb) => verb.run(),
            What::Run(verb) => verb.run(),
            What::Site(verb) => verb.run(),
            What::Status(verb) => verb.run(),
            What::Task(verb) => verb.run(),
        }
    }
}

/// A scheduler's program, from an absolute folder of the PATH.
fn program(name: &str) -> Result<Command> {
    Ok(Command::new(on_path(name).with_context(|| format!("{name}: not on the PATH"))?))
}

/// A program in an absolute folder of the PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// What a program prints; what it complains of where it fails.
fn told_by(mut command: Command, name: &str) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| name.to_owned())?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        let last = error.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed");
        bail!("{name}: {}", last.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("{name}: no text"))
}
