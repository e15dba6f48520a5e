//! `analyze`: the paper's statistics on anybody's table.

mod printed;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use report::compare::files::{FileError, Results};
use report::findings::Unit;
use report::table::Columns;
use serde::Serialize;
use stats::{Alpha, Analysis, Table};

use self::printed::Printed;
use crate::output;
use crate::paths::ArchiveArg;
use crate::reading::{self, TABLE_BYTES_MAX};

/// Longest name of a column.
const NAME_MAX: usize = 200;

/// Most columns: each is tested against every other.
const NAMES_MAX: usize = 1000;

/// Run the papers' tests on a table of your own, or on cells of a stored run: normality, Friedman,
/// Wilcoxon, ordering.
///
/// Say by --times or --speeds which of the two a CSV file has, unless all column names end in a
/// unit: `hmac_ns`, `hmac (µs)`; `hmac_per_s`, `hmac MB/s`. Files of other benchmark programs are
/// read as `compare` reads them: a column per benchmark, a row per repetition. What a paper prints
/// without the values is tested by --counts and --t-plus.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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
        let (name, columns) = match (&self.run, &self.file) {
            (Some(run), _) => (format!("run {run}"), self.of_run(run)),
            (None, Some(file)) => (file.display().to_string(), self.of_file(file)),
            (None, None) => bail!("give a CSV file, or a run by --run"),
        };
        let told = columns.and_then(|(values, columns)| Ok((values, Table::new(columns)?)));
        let (values, table) = told.map_err(|error| anyhow!("{name}: {error}"))?;
        let analysis = stats::analyze(&table, alpha);
        match self.format {
            Format::Json => {
                output::print(&report::document(&Told { values, analysis })?)?;
            }
            Format::Latex => output::print(&report::latex::analysis(&analysis, values.into()))?,
            Format::Text => {
                let width = output::width();
                output::print_text(&report::terminal::analysis(&analysis, values.into(), width))?;
            }
        }
        Ok(0)
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

    /// What the values are: as asked, or by the columns' names.
    fn values(&self, columns: &[(String, Vec<f64>)]) -> Result<Values> {
        if self.times {
            return Ok(Values::Times);
        }
        if self.speeds {
            return Ok(Values::Speeds);
        }
        let by_name: Option<Vec<Values>> = columns.iter().map(|(name, _)| by_unit(name)).collect();
        match by_name.as_deref() {
            Some([first, others @ ..]) if others.iter().all(|it| it == first) => Ok(*first),
            _ => bail!(
                "times or speeds? Add --times or --speeds, or end all column names in a unit, such \
                 as hmac_ns or hmac_per_s"
            ),
        }
    }

    /// Speeds in calls a second, so that `<` reads "slower than".
    fn of_run(&self, name: &str) -> Result<Taken> {
        let run = self.archive.open()?.load(name)?;
        let unit = match self.rows {
            Rows::Blocks => Unit::Block,
            Rows::Launches => Unit::Launch,
        };
        let columns = Columns::of(&run).fitting(&self.cell, unit);
        Ok((Values::Speeds, columns.map_err(|error| anyhow!(error))?))
    }

    fn of_file(&self, file: &Path) -> Result<Taken> {
        let delimiter = u8::try_from(self.delimiter).ok().filter(u8::is_ascii);
        let delimiter = delimiter.with_context(|| {
            format!("--delimiter {:?}: must be one ASCII character", self.delimiter)
        })?;
        let bytes = match file.as_os_str() == "-" {
            true => of_stdin()?,
            false => reading::whole(file, TABLE_BYTES_MAX)?,
        };
        let results = std::str::from_utf8(&bytes).ok().map(Results::read);
        let damaged = match results {
            Some(Ok(_)) if self.speeds => {
                bail!("--speeds: results of a benchmark program are read as times")
            }
            Some(Ok(results)) => {
                let columns = results.into_columns();
                check_names(columns.iter().map(|(name, _)| name.as_str()))?;
                return Ok((Values::Times, columns));
            }
            Some(Err(error @ FileError::Damaged { .. })) => Some(error),
            Some(Err(FileError::Unknown)) | None => None,
        };
        // The names of columns may look like those of benchmarks.
        let columns = read(&bytes, delimiter).map_err(|no_table| match damaged {
            Some(error) => error.into(),
            None => no_table,
        })?;
        Ok((self.values(&columns)?, columns))
    }
}

/// Columns by name, and what their values are.
type Taken = (Values, Vec<(String, Vec<f64>)>);

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

/// What the values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Values {
    Times,
    Speeds,
}

impl From<Values> for report::paper::Values {
    fn from(values: Values) -> Self {
        match values {
            Values::Times => Self::Times,
            Values::Speeds => Self::Speeds,
        }
    }
}

/// An analysis, and what it is of.
#[derive(Debug, Serialize)]
struct Told {
    values: Values,
    #[serde(flatten)]
    analysis: Analysis,
}

/// What a name's unit says.
fn by_unit(name: &str) -> Option<Values> {
    let name = name.trim_end_matches([')', ']']).to_lowercase();
    let is_rate = ["/s", "/sec", "/second", "per_s", "per s", "per_second", "per second"];
    if is_rate.iter().any(|end| name.ends_with(end)) {
        return Some(Values::Speeds);
    }
    let unit = name.rsplit([' ', '_', '(', '[', '.', '-']).next().filter(|unit| *unit != name)?;
    if unit == "ops" {
        return Some(Values::Speeds);
    }
    let times = ["ns", "us", "µs", "μs", "ms", "s", "seconds", "cycles", "ticks"];
    times.contains(&unit).then_some(Values::Times)
}

fn read(text: &[u8], delimiter: u8) -> Result<Vec<(String, Vec<f64>)>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text));
    let names: Vec<String> = reader.headers().map_err(plain)?.iter().map(Into::into).collect();
    if names.is_empty() {
        bail!("is empty: needs a line of names, then lines of numbers");
    }
    check_names(names.iter().map(String::as_str)).map_err(|error| anyhow!("line 1: {error}"))?;
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

fn check_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> Result<()> {
    let count = names.len();
    if count > NAMES_MAX {
        bail!("{count} columns: at most {NAMES_MAX} can be compared");
    }
    if let Some(long) = names.map(|name| name.chars().count()).find(|&n| n > NAME_MAX) {
        bail!("a name of {long} characters; at most {NAME_MAX} are allowed");
    }
    Ok(())
}

/// The parser's message names the line already.
fn plain(error: csv::Error) -> anyhow::Error {
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => anyhow!("is not text"),
        _ => anyhow!("{}", error.to_string().trim_start_matches("CSV error: ")),
    }
}
