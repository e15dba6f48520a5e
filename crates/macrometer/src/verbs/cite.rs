//! `cite`: how a run is cited.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use report::bundle;

use crate::output;
use crate::paths::ArchiveArg;

/// Print how to cite a run: BibTeX, or the Citation File Format.
#[derive(Debug, Args)]
pub struct Cite {
    /// The run: its name or the start of it, or `last`
    #[arg(default_value = "last")]
    run: String,
    /// What to print
    #[arg(long, value_enum, default_value = "bibtex")]
    format: CiteFormat,
    /// Who measured: 'Family, Given' or the name of a group; may be repeated
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    #[command(flatten)]
    pub archive: ArchiveArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CiteFormat {
    /// Two entries for BibTeX or biblatex: the data, and the program
    Bibtex,
    /// The file CITATION.cff, in the Citation File Format 1.2.0
    Cff,
}

impl Cite {
    pub fn run(self) -> Result<u8> {
        check_authors(&self.author)?;
        let run = self.archive.open()?.load(&self.run)?;
        let text = match self.format {
            CiteFormat::Bibtex => bundle::bibtex(&run, &self.author),
            CiteFormat::Cff => bundle::citation(&run, &self.author),
        };
        output::print_text(text.trim_end())?;
        if self.author.is_empty() && self.format == CiteFormat::Bibtex {
            output::say("macrometer: the data have no author yet: add --author 'Family, Given'");
        }
        Ok(0)
    }
}

/// Whether each has a name: an empty one would be cited.
pub fn check_authors(authors: &[String]) -> Result<()> {
    let is_name = |author: &String| author.chars().any(char::is_alphanumeric);
    match authors.iter().find(|author| !is_name(author)) {
        Some(author) => bail!("--author {author:?}: must be a name, such as 'Family, Given'"),
        None => Ok(()),
    }
}
