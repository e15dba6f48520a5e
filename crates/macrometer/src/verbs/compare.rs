//! `compare`: two runs side by side, or two files of another benchmark program.

mod machines;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use lab::archive::ArchiveError;
use lab::record::Run;
use report::compare::Compared;
use report::compare::files::{ComparedFiles, Results};
use stats::Margin;

use super::Format;
use super::plan::difference;
use crate::output;
use crate::paths::{self, ArchiveArg};
use crate::reading::{self, TABLE_BYTES_MAX};

/// The margin between files, which name none.
const MARGIN: f64 = 0.02;

/// Compare two runs, or two files of another benchmark program: what became slower or faster; or
/// the machines of a store.
///
/// Files may be in Go's benchmark format (for benchstat), JSON of Google Benchmark, sample.json of
/// criterion, Bencher Metric Format, or the output of `openssl speed -mr`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The first run: its name or the start of it, or `last`; or a file
    #[arg(required_unless_present = "fleet")]
    before: Option<String>,
    /// The second run, or file
    #[arg(required_unless_present = "fleet")]
    after: Option<String>,
    #[command(flatten)]
    pub archive: ArchiveArg,
    /// Archive of the second run, if it is in another one
    #[arg(long, value_name = "FILE")]
    other_archive: Option<PathBuf>,
    /// The difference that does not matter [default: that of the later run's study; of files, 2%]
    #[arg(long, value_name = "PERCENT", value_parser = difference)]
    margin: Option<f64>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    machines: machines::Fleet,
}

impl Compare {
    pub fn run(self) -> Result<u8> {
        if let Some(store) = self.machines.fleet.clone() {
            return self.machines.run(&store, self.format);
        }
        let names = [self.before.clone(), self.after.clone()].map(Option::unwrap_or_default);
        match names.each_ref().map(|it| is_file(it)) {
            [false, false] => self.runs(&names),
            [true, true] => self.files(&names),
            [is_file, _] => {
                let [before, after] = &names;
                let (file, run) = if is_file { (before, after) } else { (after, before) };
                bail!("{file} is a file and {run} is not: give two files or two runs")
            }
        }
    }

    fn runs(&self, names: &[String; 2]) -> Result<u8> {
        let [first, second] = names;
        let [before, after] = self.loaded(names).map_err(|error| no_file(error, names))?;
        if before.id == after.id {
            let same = format!("{first} and {second} are the same run, {}", before.id);
            output::say(&format!("{same}: nothing can differ"));
        }
        let compared = Compared::within(&before, &after, self.margin(after.study.margin)?);
        match self.format {
            Format::Json => output::print(&report::document(&compared)?)?,
            Format::Text => output::print(&compared.render(output::width(), output::colour()))?,
        }
        Ok(0)
    }

    fn loaded(&self, [first, second]: &[String; 2]) -> Result<[Run; 2]> {
        let archive = self.archive.open()?;
        let before = archive.load(first)?;
        let after = match &self.other_archive {
            Some(path) => paths::open_other("--other-archive", path)?.load(second)?,
            None => archive.load(second)?,
        };
        Ok([before, after])
    }

    fn files(&self, [first, second]: &[String; 2]) -> Result<u8> {
        for (option, is_given) in [
            ("--archive", self.archive.is_given()),
            ("--other-archive", self.other_archive.is_some()),
        ] {
            if is_given {
                bail!("{option}: {first} and {second} are files, and no runs of an archive");
            }
        }
        let (before, after) = (results(first)?, results(second)?);
        let compared = ComparedFiles::of(&before, &after, self.margin(MARGIN)?);
        match self.format {
            Format::Json => output::print(&report::document(&compared)?)?,
            Format::Text => output::print(&compared.render(output::width(), output::colour()))?,
        }
        Ok(0)
    }

    fn margin(&self, usual: f64) -> Result<Margin> {
        let margin = self.margin.unwrap_or(usual);
        Margin::new(margin).map_err(|error| anyhow!("--margin: {error}"))
    }
}

/// Whether there is something of this name that can be read, a pipe for instance.
fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() && !path.is_dir()
}

/// Why there is no such run, where one of the names was rather meant for a file.
fn no_file(error: anyhow::Error, names: &[String; 2]) -> anyhow::Error {
    let meant = names.iter().find(|name| name.contains(['/', '.']));
    match (error.downcast_ref::<ArchiveError>(), meant) {
        (Some(ArchiveError::NoRun { place, .. } | ArchiveError::Absent(place)), Some(name)) => {
            anyhow!("{name} is neither a file nor a run in {place}")
        }
        _ => error,
    }
}

/// What a benchmark program has written into a file.
fn results(name: &str) -> Result<Results> {
    let bytes = reading::whole(Path::new(name), TABLE_BYTES_MAX);
    let results = bytes.and_then(reading::text).and_then(|it| Ok(Results::read(&it)?));
    let named = results.map(|it| it.named(name));
    named.map_err(|error| anyhow!("{name}: {error:#}"))
}
