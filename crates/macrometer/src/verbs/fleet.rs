//! `fleet`: one pack on many machines. Nothing here watches: schedulers run the tasks, and bundles
//! in a store are what they leave.

mod check;
mod gather;
mod replacing;
mod run;
mod site;
mod status;
mod task;

use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use providers::programs::command_of;

use crate::reading::Awaited;
pub use task::{LICENCE, own_host_id};

/// Longest answer of a program, and how long it may take.
const ANSWER_BYTES_MAX: u64 = 1 << 28;
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
    Ok(command_of(on_path(name).with_context(|| format!("{name}: not on the PATH"))?))
}

/// A program in an absolute folder of the PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
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
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let said = said(output, errors, within);
    if said.is_err() {
        let _ = child.kill();
    }
    // Its output has ended, and so has it but for a moment.
    let status = child.wait()?;
    let (output, errors) = said?;
    Ok(Said { status, output, errors })
}

/// Both outputs of a program, to their ends.
fn said(
    output: Option<impl Read + Send + 'static>,
    errors: Option<impl Read + Send + 'static>,
    within: Duration,
) -> Result<(String, String)> {
    let otherwise = format!("it did not end within {} s", within.as_secs());
    let none = || io::Error::from(io::ErrorKind::BrokenPipe);
    let output = Awaited::of(ANSWER_BYTES_MAX, move || output.ok_or_else(none))?;
    let errors = Awaited::of(ANSWER_BYTES_MAX, move || errors.ok_or_else(none))?;
    let output = output.by(within, &otherwise)?;
    if output.len() as u64 > ANSWER_BYTES_MAX {
        bail!("it printed more than {ANSWER_BYTES_MAX} bytes");
    }
    let errors = errors.by(within, &otherwise)?;
    let output = String::from_utf8(output).context("its output is not text")?;
    Ok((output, String::from_utf8_lossy(&errors).into_owned()))
}
