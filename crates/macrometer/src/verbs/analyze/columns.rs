//! A table of numbers as CSV: a column per candidate, named in the first line, and a row per block.

use anyhow::{Result, anyhow, bail};
use report::compare::files::NAME_MAX;
use stats::MAGNITUDE_MAX;
use thiserror::Error;
use words::counted;

/// Most columns: each is tested against every other.
const NAMES_MAX: usize = 1000;

/// What separates the columns of tables.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// A table as it was read.
pub struct Columns {
    /// Values by name, in the order of the file.
    pub columns: Vec<(String, Vec<f64>)>,
    /// The line of each row.
    lines: Vec<u64>,
}

impl Columns {
    /// Of a file's text.
    pub fn read(text: &str, delimiter: u8) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        // A name may be of several lines.
        let name = |field: &str| field.replace(['\n', '\r'], " ");
        let names: Vec<String> = reader.headers().map_err(plain)?.iter().map(name).collect();
        if names.is_empty() {
            bail!("is empty: needs a line of names, then lines of numbers");
        }
        check_first_line(&names, delimiter).map_err(|error| anyhow!("line 1: {error}"))?;
        let columns = names.into_iter().map(|name| (name, vec![])).collect();
        let mut read = Self { columns, lines: vec![] };
        for record in reader.records() {
            read.add(&record.map_err(plain)?)?;
        }
        Ok(read)
    }

    fn add(&mut self, record: &csv::StringRecord) -> Result<()> {
        let line = record.position().map_or(0, csv::Position::line);
        for ((name, values), field) in self.columns.iter_mut().zip(record) {
            let number = number(field);
            let number = number.map_err(|error| anyhow!("line {line}, column {name:?}: {error}"));
            values.push(number?);
        }
        self.lines.push(line);
        Ok(())
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Refuses a value that is none of the kind that all are.
    pub fn check_above_zero(&self, one: &str) -> Result<()> {
        for (row, line) in self.lines.iter().enumerate() {
            for (name, values) in &self.columns {
                if let Some(value) = values.get(row).filter(|it| **it <= 0.0) {
                    bail!(
                        "line {line}, column {name:?}: {value} is not a valid {one}: must be above \
                         0"
                    );
                }
            }
        }
        Ok(())
    }
}

/// Refuses names that are too many or too long.
pub fn check_names(names: &[&str]) -> Result<()> {
    let count = names.len();
    if count > NAMES_MAX {
        bail!("{count} columns: at most {NAMES_MAX} can be compared");
    }
    if let Some(long) = names.iter().map(|it| it.chars().count()).find(|&n| n > NAME_MAX) {
        bail!("a name of {long} characters; at most {NAME_MAX} are allowed");
    }
    Ok(())
}

fn check_first_line(names: &[String], delimiter: u8) -> Result<()> {
    check_names(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let is_other = |it: &u8| *it != delimiter && names[0].as_bytes().contains(it);
    if let Some(other) = SEPARATORS.into_iter().find(is_other).filter(|_| names.len() == 1) {
        let (other, option) = match other {
            b'\t' => ("tabulators".to_owned(), r"$'\t'".to_owned()),
            sign => (char::from(sign).to_string(), format!("'{}'", char::from(sign))),
        };
        bail!("one column, {:?}: separated by {other}? Add --delimiter {option}", names[0]);
    }
    if let Some(number) = names.iter().find(|name| name.parse::<f64>().is_ok()) {
        bail!("{number:?} is a number; the first line must name the candidates");
    }
    if let Some(at) = names.iter().position(String::is_empty) {
        bail!(
            "column {} has no name; if it numbers the rows, leave it out (pandas: index=False)",
            at + 1
        );
    }
    Ok(())
}

/// Why a field is no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
enum NoValue {
    #[error("{0:?} is not a number")]
    NoNumber(String),
    #[error("{0:?} is too large: at most {MAGNITUDE_MAX:e}")]
    TooLarge(String),
}

fn number(field: &str) -> Result<f64, NoValue> {
    match field.parse::<f64>() {
        Ok(number) if number.abs() <= MAGNITUDE_MAX => Ok(number),
        // Not so the words `inf` and `NaN`.
        Ok(_) if field.contains(|it: char| it.is_ascii_digit()) => {
            Err(NoValue::TooLarge(field.into()))
        }
        _ => Err(NoValue::NoNumber(field.into())),
    }
}

/// The place of a record by its line alone.
fn plain(error: csv::Error) -> anyhow::Error {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            let (values, columns) = (counted(len, "value"), counted(expected_len, "column"));
            anyhow!("line {line}: {values} for {columns}")
        }
        _ => anyhow!("{}", error.to_string().trim_start_matches("CSV error: ")),
    }
}
