//! `new`: a study to begin with.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;

use crate::output;

/// What is written: it runs as it is.
const STUDY: &str = include_str!("new/study.toml");

/// Write a starter study: a commented TOML file that runs as it is
///
/// An existing file is never overwritten. `macrometer run FILE` runs the study.
#[derive(Debug, Args)]
pub struct New {
    /// The file to create; its name ends in .toml
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl New {
    pub fn run(self) -> Result<u8> {
        let place = self.file.display();
        if self.file.extension().is_none_or(|ending| ending != "toml") {
            bail!("{place}: the name of a study's file ends in .toml");
        }
        let written = File::create_new(&self.file)
            .and_then(|mut file| file.write_all(named(&self.file).as_bytes()));
        written.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => anyhow!("{place}: already exists"),
            _ => anyhow!("cannot write the study to {place}: {}", words::reason(&error)),
        })?;
        let file = place.to_string();
        let file = output::quoted(&file);
        output::print_text(&format!("{place}: `macrometer run {file}` runs it"))?;
        Ok(0)
    }
}

/// The study, which has the name of its file where a study may have it.
fn named(file: &Path) -> String {
    let is_plain =
        |name: &&str| name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_'));
    let stem = file.file_stem().and_then(|stem| stem.to_str()).filter(is_plain);
    STUDY.replacen("name = \"mine\"", &format!("name = {:?}", stem.unwrap_or("mine")), 1)
}
