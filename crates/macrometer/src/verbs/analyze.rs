//! `analyze`: the paper's statistics on anybody's table.

mod columns;
mod printed;
mod units;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use report::compare::files::{FileError, Results};
use report::findings::Unit;
use report::table;
use serde::Serialize;
use stats::{Alpha, Analysis, Table};
use words::counted;

use self::columns::{Columns, check_names};
use self::printed::Printed;
use self::units::Values;
use crate::output;
use crate::paths::ArchiveArg;
use crate::reading::{self, TABLE_BYTES_MAX};

/// What of a file is left out is told, so much of it one by one.
const LEFT_OUT_MAX: usize = 5;

/// Run the papers' tests on a table of your own, or on cells of a stored run: normality, Friedman,
/// Wilcoxon, ordering.
///
/// Say by --times or --speeds which of the two a CSV file has, unless all column names end in the
/// same unit: `hmac_ns`, `hmac (µs)`, `hmac s/op`; `hmac_per_s`, `hmac MB/s`. Files of other
/// benchmark programs are read as `compare` reads them: a column per benchmark, a row per
/// repetition. What a paper prints without the values is tested by --counts and --t-plus.
#[derive(Debug, Args)]
pub struct Analyze {
    /// A CSV file, or - for standard input: a column per candidate, named in the first line, and a
    /// row per block; or results of another benchmark program
    #[arg(required_unless_present_any = ["run", "counts", "t_plus"])]
    file: Option<PathBuf>,
    /// The values are times: smaller is faster
    #[arg(long, conflicts_with_all = ["speeds", "run"])]
    times: bool,
    /// The values are speeds: larger is faster
    #[arg(long, conflicts_with = "run")]
    speeds: bool,
    /// Take cells of a stored run instead: its name or the start of it, or `last`
    #[arg(long, value_name = "RUN", conflicts_with = "file", requires = "cell")]
    run: Option<String>,
    /// Which cells, by path or pattern with *: 'hmac-*/openssl/*/prepared/64'
    #[arg(long, value_name = "PATH", requires = "run", conflicts_with = "file")]
    cell: Vec<String>,
    /// What a row is
    #[arg(long, value_enum, default_value = "blocks", requires = "run")]
    rows: Rows,
    #[command(flatten)]
    printed: Printed,
    #[command(flatten)]
    pub archive: ArchiveArg,
    /// Column separator of the file
    #[arg(long, value_name = "CHAR", default_value = ",")]
    delimiter: char,
    /// Significance level of the tests
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// How the analysis is written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The papers' tables as plain text
    Text,
    /// One JSON document
    Json,
    /// The papers' tables for LaTeX, to be read by `\input`
    Latex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Rows {
    /// One block, as the papers test
    Blocks,
    /// One launch, as verdicts use
    Launches,
}

impl Analyze {
    pub fn run(self) -> Result<u8> {
        let alpha = Alpha::new(self.alpha).map_err(|error| anyhow!("--alpha: {error}"))?;
        if self.printed.is_given() {
            return self.of_printed(alpha);
        }
        let (name, taken) = match (&self.run, &self.file) {
            (Some(run), _) => (format!("run {run}"), self.of_run(run)),
            (None, Some(file)) => (file.display().to_string(), self.of_file(file)),
            (None, None) => bail!("give a CSV file, or a run by --run"),
        };
        let told = taken.and_then(|it| Ok((it.values, it.run, Table::new(it.columns)?)));
        let (values, run, table) = told.map_err(|error| anyhow!("{name}: {error}"))?;
        let rows = run.is_some().then_some(self.rows);
        let analysis = stats::analyze(&table, alpha);
        self.print(Told { run, rows, alpha: alpha.value(), values, analysis })?;
        Ok(0)
    }

    fn print(&self, told: Told) -> Result<()> {
        let (analysis, values) = (&told.analysis, told.values.into());
        match self.format {
            Format::Json => output::print(&report::document(&told)?),
            Format::Latex => output::print(&report::latex::analysis(analysis, values)),
            Format::Text => {
                output::print_text(&report::terminal::analysis(analysis, values, output::width()))
            }
        }
    }

    fn of_printed(&self, alpha: Alpha) -> Result<u8> {
        let tested = self.printed.tested(alpha)?;
        match self.format {
            Format::Json => output::print(&report::document(&tested)?)?,
            Format::Latex => {
                bail!("--format latex: --counts and --t-plus are written as text or json")
            }
            Format::Text => output::print_text(&tested.render())?,
        }
        Ok(0)
    }

    /// What the values are said to be.
    fn asked(&self) -> Option<Values> {
        match (self.times, self.speeds) {
            (true, _) => Some(Values::Times),
            (false, true) => Some(Values::Speeds),
            (false, false) => None,
        }
    }

    /// Speeds in calls a second, so that `<` reads "slower than".
    fn of_run(&self, name: &str) -> Result<Taken> {
        let run = self.archive.open()?.load(name)?;
        let unit = match self.rows {
            Rows::Blocks => Unit::Block,
            Rows::Launches => Unit::Launch,
        };
        let fitting = table::Columns::of(&run).fitting(&self.cell, unit)?;
        for sentence in &fitting.left_out {
            output::say(&format!("macrometer: warning: run {}: {sentence}", run.id));
        }
        Ok(Taken { values: Values::Speeds, columns: fitting.columns, run: Some(run.id) })
    }

    fn delimiter(&self) -> Result<u8> {
        let delimiter = u8::try_from(self.delimiter).ok().filter(u8::is_ascii);
        delimiter.with_context(|| {
            format!("--delimiter {:?}: must be one ASCII character", self.delimiter)
        })
    }

    fn of_file(&self, file: &Path) -> Result<Taken> {
        let delimiter = self.delimiter()?;
        let text = text_of(file)?;
        let damaged = match Results::read(&text) {
            Ok(results) => return self.of_results(results),
            // No table begins as JSON does.
            Err(error) if is_json(&text) => return Err(error.into()),
            Err(FileError::Unknown) => None,
            Err(error) => Some(error),
        };
        // The names of columns may look like those of benchmarks.
        let read = Columns::read(&text, delimiter).map_err(|no_table| match damaged {
            Some(error) => error.into(),
            None => no_table,
        })?;
        let values = Values::of_columns(&read.names(), self.asked())?;
        read.check_above_zero(values.one())?;
        Ok(Taken { values, columns: read.columns, run: None })
    }

    fn of_results(&self, results: Results) -> Result<Taken> {
        if self.speeds {
            bail!("--speeds: results of a benchmark program are read as times");
        }
        let left_out = results.left_out().to_vec();
        let columns = results.into_columns();
        check_names(&columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
        if let Some(((first, own), others)) = columns.split_first() {
            if others.is_empty() {
                bail!("holds one benchmark, and analyze needs two or more: use compare");
            }
            if let Some((other, its)) = others.iter().find(|(_, its)| its.len() != own.len()) {
                let own = counted(own.len(), "repetition");
                let its = its.len();
                bail!("{first} has {own} and {other} {its}: analyze needs as many of each");
            }
        }
        say_left_out(&left_out);
        Ok(Taken { values: Values::Times, columns, run: None })
    }
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

/// What is to be analysed.
struct Taken {
    values: Values,
    columns: Vec<(String, Vec<f64>)>,
    /// The name of the run that it is of.
    run: Option<String>,
}

fn of_stdin() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock();
    input
        .take(TABLE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| anyhow!("cannot be read: {error}"))?;
    if bytes.len() as u64 > TABLE_BYTES_MAX {
        bail!("is larger than {TABLE_BYTES_MAX} bytes");
    }
    Ok(bytes)
}

/// An analysis, and what it is of.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Rows>,
    alpha: f64,
    values: Values,
    #[serde(flatten)]
    analysis: Analysis,
}

/// Says which benchmarks of a file are left out, or the first of them.
fn say_left_out(left_out: &[String]) {
    for what in left_out.iter().take(LEFT_OUT_MAX) {
        output::say(&format!("macrometer: warning: left out: {what}"));
    }
    if let Some(more) = left_out.len().checked_sub(LEFT_OUT_MAX).filter(|more| *more > 0) {
        output::say(&format!("macrometer: warning: left out: {more} more"));
    }
}

/// The text of a file, or of standard input.
fn text_of(file: &Path) -> Result<String> {
    let bytes = match file.as_os_str() == "-" {
        true => of_stdin()?,
        false => reading::whole(file, TABLE_BYTES_MAX)?,
    };
    reading::text(bytes)
}
