//! `runs`: what is kept of runs, and whole runs on their way out of the archive and into it.

mod check;
mod remove;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand};
use lab::archive::{Archive, ArchiveError, Imported, Place, RunLine};
use lab::record::{Invocation, Run};
use serde_json::{Value, json};
use tempfile::TempPath;
use trust::folder_of;
use words::counted;

use super::{Format, list};
use crate::paths::{ArchiveArg, open_other, report_folder, sound};
use crate::{halves, output};

/// List stored runs with their sizes; check, remove, export or import runs.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct Runs {
    #[command(subcommand)]
    what: Option<What>,
    /// Output format [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    pub archive: ArchiveArg,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(check::Check),
    Remove(remove::Remove),
    Export(Export),
    Import(Import),
}

/// Write one run to a file: an archive of this run alone, with its checksums.
#[derive(Debug, Args)]
struct Export {
    /// The run: its name or the start of it, or `last`
    run: String,
    /// The file, which must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    archive: ArchiveArg,
}

/// Add the run in a file written by `runs export`.
///
/// A run that is in the archive already is never replaced: if it is the same, nothing is done; if
/// it is a different run of the same name, the file is refused.
#[derive(Debug, Args)]
struct Import {
    /// The file
    file: PathBuf,
    #[command(flatten)]
    archive: ArchiveArg,
}

impl Runs {
    pub fn run(self) -> Result<u8> {
        match self.what {
            None => list(&self.archive.open()?, self.format.unwrap_or(Format::Text)),
            Some(What::Check(verb)) => verb.run(&self.archive, self.format),
            Some(_) if self.format.is_some() => {
                bail!("--format: only for the list of runs and for `macrometer runs check`")
            }
            Some(What::Remove(verb)) => verb.run(&self.archive),
            Some(What::Export(verb)) => verb.run(&self.archive),
            Some(What::Import(verb)) => verb.run(&self.archive),
        }
    }
}

impl Export {
    fn run(self, archive: &ArchiveArg) -> Result<u8> {
        let archive = self.archive.or(archive).open()?;
        let run = export(&archive, &self.run, &self.output)?;
        let (id, samples) = (&run.id, counted(run.samples.len(), "sample"));
        let size = size(std::fs::metadata(&self.output)?.len());
        output::print_text(&format!("run {id}: {samples} in {} ({size})", self.output.display()))?;
        Ok(0)
    }
}

/// The file is there whole or not at all. It is made in a folder beside it, which the next one that
/// writes there removes if this is killed.
fn export(archive: &Archive, run: &str, place: &Path) -> Result<Run> {
    let shown = place.display();
    let unwritten = |error: &io::Error| match error.kind() {
        ErrorKind::AlreadyExists => anyhow!("{shown}: already exists: choose another name"),
        _ => anyhow!("{shown}: cannot be written: {}", words::reason(error)),
    };
    if place.symlink_metadata().is_ok() {
        return Err(unwritten(&ErrorKind::AlreadyExists.into()));
    }
    let part = halves::folder(folder_of(place)).map_err(|error| unwritten(&error))?;
    let file = part.path().join("run.db");
    let run = archive.export(run, &file)?;
    let file = TempPath::try_from_path(file).map_err(|error| unwritten(&error))?;
    file.persist_noclobber(place).map_err(|error| unwritten(&error.error))?;
    Ok(run)
}

impl Import {
    fn run(self, archive: &ArchiveArg) -> Result<u8> {
        let absent = |error: anyhow::Error| match error.downcast_ref() {
            Some(ArchiveError::Absent(place)) if !Place::is_server(&self.file) => {
                anyhow!("{place}: there is no such file")
            }
            _ => error,
        };
        let from = open_other("FILE", &self.file).map_err(absent)?;
        let mut archive = self.archive.or(archive).create()?;
        let place = archive.place().to_string();
        output::print_text(&match archive.import(&from)? {
            Imported::Added(id) => format!("run {id}: imported into {place}"),
            Imported::Known(id) => {
                format!("run {id}: already in {place}, with the same content: nothing to do")
            }
        })?;
        Ok(0)
    }
}

fn row(archive: &Archive, run: &RunLine, size_bytes: Option<u64>) -> Value {
    let reports = files(archive, &run.id).iter().map(|(_, bytes)| bytes).sum::<u64>();
    let asked = run.invocation.as_ref().and_then(Invocation::asked);
    json!({
        "id": run.id, "study": run.study, "narrowed_by": asked,
        "state": run.state, "machine": run.cpu_model, "created_unix_s": run.created_unix_s,
        "cells": run.cells, "samples": run.samples, "spent_s": run.spent_s,
        "size_bytes": size_bytes, "report_bytes": reports,
    })
}

fn list(archive: &Archive, format: Format) -> Result<u8> {
    let lines = sound(archive.runs()?);
    // A damaged archive may not tell.
    let sizes = archive.sizes().ok();
    let size_of = |id: &str| Some(sizes.as_ref()?.get(id).copied().unwrap_or_default());
    let mut rows: Vec<Value> =
        lines.iter().map(|run| row(archive, run, size_of(&run.id))).collect();
    let (place, all) = (archive.place().to_string(), archive.len_bytes());
    if format == Format::Json {
        let all = json!({ "archive": place, "size_bytes": all, "runs": rows });
        output::print(&report::document(&all)?)?;
        return Ok(0);
    }
    let end = format!("{} in {place} ({})\n", counted(rows.len(), "run"), size(all));
    output::print_text(&(table(&mut rows) + &end))?;
    Ok(0)
}

fn table(rows: &mut [Value]) -> String {
    const COLUMNS: [&str; 8] =
        ["id", "study", "narrowed_by", "state", "samples", "size", "report", "machine"];
    if rows.is_empty() {
        return String::new();
    }
    for row in rows.iter_mut() {
        for (name, bytes) in [("size", "size_bytes"), ("report", "report_bytes")] {
            row[name] = json!(row[bytes].as_u64().map(size));
        }
    }
    list::table(rows, &COLUMNS) + "\n"
}

/// Files in the report folder of a run, with their sizes; nothing where it is no folder.
fn files(archive: &Archive, run: &str) -> Vec<(PathBuf, u64)> {
    let folder = report_folder(archive, run, None);
    if !folder.symlink_metadata().is_ok_and(|it| it.is_dir()) {
        return vec![];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
    files.filter(|(_, it)| it.is_file()).map(|(path, it)| (path, it.len())).collect()
}

/// `14.2 MB`.
fn size(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes < 1e3 => format!("{bytes} B"),
        bytes if bytes < 999.5e3 => format!("{:.0} kB", bytes / 1e3),
        bytes if bytes < 999.95e6 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.2} GB", bytes / 1e9),
    }
}
