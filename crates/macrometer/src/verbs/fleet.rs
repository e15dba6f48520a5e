//! `fleet`: one pack on many machines. Nothing here watches: schedulers run the tasks, and bundles
//! in a store are what they leave.

mod check;
mod gather;
mod replacing;
mod run;
mod site;
mod status;
mod task;

use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use providers::limited::{NoAnswer, SAID_BYTES_MAX, output_of};
use providers::programs::{command_of, on_path};

pub use task::{LICENCE, own_host_id};

/// How long a program may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

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

/// A scheduler's program, from an absolute folder of the PATH, where it finds others, too.
fn program(name: &str) -> Result<Command> {
    Ok(command_of(on_path(&[name]).with_context(|| format!("{name}: not on the PATH"))?))
}

/// What a program prints; what it complains of where it fails.
fn told_by(mut command: Command, name: &str) -> Result<String> {
    command.stdin(Stdio::null());
    let Said { status, output, errors } =
        said_by(command, ANSWERS_WITHIN).context(name.to_owned())?;
    if !status.success() {
        let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed");
        bail!("{name}: {}", last.trim());
    }
    Ok(output)
}

/// How a program ended, and what it printed.
struct Said {
    status: ExitStatus,
    output: String,
    errors: String,
}

/// Runs a program to its end. One that goes on printing, or does not end within a time, is ended.
fn said_by(mut command: Command, within: Duration) -> Result<Said> {
    let said = output_of(&mut command, within).map_err(|why| match why {
        NoAnswer::Failed(error) => error.into(),
        NoAnswer::Late => anyhow!("it did not end within {} s", within.as_secs()),
        NoAnswer::Endless => anyhow!("it printed more than {SAID_BYTES_MAX} bytes"),
    })?;
    let output = String::from_utf8(said.stdout).context("its output is not text")?;
    let errors = String::from_utf8_lossy(&said.stderr).into_owned();
    Ok(Said { status: said.status, output, errors })
}
