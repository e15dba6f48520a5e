//! `analyze`: the paper's statistics on anybody's table.

use std::io::Read;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use stats::{Alpha, Table};

use super::Format;
use crate::output;

/// Test a table of your own: normality, Friedman, Wilcoxon, the ordering sentence.
#[derive(Debug, Args)]
pub struct Analyze {
    /// A CSV file, or - for standard input: a column per candidate with its name in the first
    /// line, a row per block
    file: PathBuf,
    /// What separates the columns
    #[arg(long, value_name = "CHAR", default_value = ",")]
    delimiter: char,
    /// Level of the tests
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// How to write it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Analyze {
    pub fn run(self) -> Result<u8> {
        let alpha = Alpha::new(self.alpha).map_err(|error| anyhow!("--alpha: {error}"))?;
        let name = self.file.display().to_string();
        let text = self.text().with_context(|| format!("{name}: cannot be read"))?;
        let delimiter = u8::try_from(self.delimiter).map_err(|_| {
            anyhow!("--delimiter {:?}: must be one ASCII character", self.delimiter)
        })?;
        let columns = read(&text, delimiter).map_err(|error| anyhow!("{name}: {error}"))?;
        let table = Table::new(columns).map_err(|error| anyhow!("{name}: {error}"))?;
        let analysis = stats::analyze(&table, alpha);
        output::print(&match self.format {
            Format::Json => serde_json::to_string_pretty(&analysis)?,
            Format::Text => report::terminal::analysis(&analysis, super::width()),
        })?;
        Ok(0)
    }

    fn text(&self) -> std::io::Result<Vec<u8>> {
        if self.file.as_os_str() == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
        std::fs::read(&self.file)
    }
}

fn read(text: &[u8], delimiter: u8) -> Result<Vec<(String, Vec<f64>)>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text));
    let names: Vec<String> = reader.headers().map_err(plain)?.iter().map(Into::into).collect();
    if names.is_empty() {
        bail!("is empty: a line of names and lines of numbers were expected");
    }
    if let Some(number) = names.iter().find(|name| name.parse::<f64>().is_ok()) {
        bail!("line 1: {number:?} is a number; the first line must name the candidates");
    }
    let mut columns: Vec<(String, Vec<f64>)> =
        names.into_iter().map(|name| (name, vec![])).collect();
    for record in reader.records() {
        let record = record.map_err(plain)?;
        let line = record.position().map_or(0, csv::Position::line);
        for ((name, values), field) in columns.iter_mut().zip(&record) {
            let number = field.parse::<f64>().ok().filter(|number| number.is_finite());
            values.push(number.with_context(|| {
                format!("line {line}, column {name:?}: {field:?} is not a number")
            })?);
        }
    }
    Ok(columns)
}

/// The parser's message names the line already.
fn plain(error: csv::Error) -> anyhow::Error {
    anyhow!("{}", error.to_string().trim_start_matches("CSV error: "))
}
