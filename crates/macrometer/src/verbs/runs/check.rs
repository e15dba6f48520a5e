//! `runs check`: all that is kept is read, and nothing is changed.

use anyhow::Result;
use clap::Args;
use lab::archive::Checked;
use serde_json::json;

use crate::output;
use crate::paths::ArchiveArg;
use crate::verbs::Format;

/// Check the stored runs of an archive against their checksums.
///
/// Every run has checksums over its conditions, its samples block by block, and everything else
/// stored with it. They detect what a disk has changed or lost, but not deliberate changes: whoever
/// can write the archive can write them too.
#[derive(Debug, Args)]
#[command(after_help = "Exit code: 0 if everything is as it was stored, 1 if something is not, 2 \
                        if the archive cannot be read.")]
pub struct Check {
    /// Only count samples, without reading them
    #[arg(long)]
    quick: bool,
    /// Output format [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    archive: ArchiveArg,
}

impl Check {
    pub fn run(self, archive: &ArchiveArg, format: Option<Format>) -> Result<u8> {
        let archive = self.archive.or(archive).open()?;
        let runs = archive.check(self.quick)?;
        let file = archive.check_file(self.quick)?;
        let has_checksums = archive.is_sealed()?;
        match self.format.or(format).unwrap_or(Format::Text) {
            Format::Json => output::print(&report::document(&json!({
                "archive": archive.place().to_string(),
                "has_checksums": has_checksums,
                "wrong": file,
                "runs": runs,
            }))?)?,
            Format::Text => output::print_text(&text(&runs, &file, has_checksums))?,
        }
        let is_sound = file.is_empty() && runs.iter().all(|run| run.wrong.is_empty());
        Ok(u8::from(!is_sound))
    }
}

/// A line a run, and what is wrong below it.
fn text(runs: &[Checked], file: &[String], has_checksums: bool) -> String {
    let mut text = String::new();
    let mut damaged = 0;
    for Checked { id, wrong } in runs {
        // A name that is none may hold anything.
        let id = id.escape_debug();
        if wrong.is_empty() {
            text += &format!("{id}: OK\n");
            continue;
        }
        damaged += 1;
        text += &format!("{id}: DAMAGED\n");
        wrong.iter().for_each(|line| text += &format!("    {line}\n"));
    }
    file.iter().for_each(|line| text += &format!("the archive: {line}\n"));
    if !has_checksums {
        text += "This archive has no checksums yet, so only unreadable records were looked for. \
                 The next run stored in it adds them.\n";
    }
    text + &format!("{}, {damaged} damaged\n", words::counted(runs.len(), "run"))
}
