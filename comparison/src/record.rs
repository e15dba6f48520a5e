//! What is kept of every measurement: a line of JSON each.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Record {
    /// How everything after it was measured.
    Begin(Begin),
    /// Two candidates.
    Pair(Pair),
    /// Candidates in order of their number of calls, and the order that the tool gives.
    Order { tool: String, round: u32, wall_s: f64, order: Vec<usize> },
    /// A tool that gave no result.
    Failure { tool: String, round: u32, slow_percent: Option<f64>, error: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    pub seconds: f64,
    pub order_seconds: f64,
    pub margin_percent: f64,
    pub load: bool,
    pub seed: u64,
    pub machine: String,
    /// Of each tool: its name and its version.
    pub versions: Vec<String>,
    pub left_out: Vec<String>,
}

impl Begin {
    /// What results in one table have in common, by name. Not every run has every tool.
    fn conditions(&self) -> Vec<(&str, String)> {
        let mut conditions = vec![
            ("seconds of a pair", self.seconds.to_string()),
            ("seconds of an order", self.order_seconds.to_string()),
            ("margin in percent", self.margin_percent.to_string()),
            ("load", self.load.to_string()),
            ("machine", self.machine.clone()),
        ];
        let versions = self.versions.iter().filter_map(|version| version.split_once(' '));
        conditions.extend(versions.map(|(tool, version)| (tool, version.to_owned())));
        conditions
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    pub tool: String,
    pub round: u32,
    /// 0 for the same work.
    pub slow_percent: f64,
    pub calls: [u32; 2],
    pub wall_s: f64,
    /// Time of the second relative to the first, as the tool reports it.
    pub ratio: f64,
    pub verdicts: Vec<Judged>,
}

/// What a tool says by one of its rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub rule: String,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Slower,
    Faster,
    /// Neither is shown.
    NotDifferent,
    /// The tool says that it cannot be told here.
    NoAnswer,
}

/// The file that lines are appended to, if one is wanted.
pub struct Kept {
    file: Option<File>,
    pub records: Vec<Record>,
}

impl Kept {
    /// Appends to what is there only if that was measured in the same way.
    pub fn begin(path: Option<&Path>, begin: Begin) -> Result<Self> {
        let begin = Record::Begin(begin);
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            let file = file.with_context(|| format!("cannot write {}", path.display()))?;
            let mut records = read(path)?;
            records.push(begin.clone());
            alike(&records).with_context(|| format!("cannot append to {}", path.display()))?;
            Ok::<_, anyhow::Error>(file)
        };
        let mut kept = Self { file: path.map(open).transpose()?, records: vec![] };
        kept.keep(begin)?;
        Ok(kept)
    }

    pub fn keep(&mut self, record: Record) -> Result<()> {
        if let Some(file) = &mut self.file {
            let line = serde_json::to_string(&record)? + "\n";
            file.write_all(line.as_bytes()).context("cannot write the file of --out")?;
        }
        self.records.push(record);
        Ok(())
    }
}

/// Refuses results of different conditions: a table would mix them.
fn alike(records: &[Record]) -> Result<()> {
    let mut known = BTreeMap::new();
    for record in records {
        let Record::Begin(begin) = record else { continue };
        for (name, value) in begin.conditions() {
            let before = known.entry(name).or_insert_with(|| value.clone());
            if *before != value {
                bail!("it would mix results of different conditions: {name}: {before} and {value}");
            }
        }
    }
    Ok(())
}

/// Reads a file of such lines, all measured under the same conditions.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let read = |(number, line): (usize, &str)| {
        let record = serde_json::from_str(line);
        record.with_context(|| format!("{}, line {}", path.display(), number + 1))
    };
    let records: Vec<Record> = text.lines().enumerate().map(read).collect::<Result<_>>()?;
    alike(&records).with_context(|| path.display().to_string())?;
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_different_conditions_are_not_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let begin = Begin {
            seconds: 5.0,
            order_seconds: 20.0,
            margin_percent: 0.1,
            load: false,
            seed: 1,
            machine: "a machine".to_owned(),
            versions: vec!["criterion 0.8.2".to_owned(), "divan 0.1.21".to_owned()],
            left_out: vec![],
        };
        let append = |begin: &Begin| {
            let kept = Kept::begin(Some(&path), begin.clone());
            kept.map(|_| ()).map_err(|error| format!("{error:#}"))
        };
        let versions =
            |version: &str| Begin { versions: vec![version.to_owned()], ..begin.clone() };
        append(&begin).unwrap();
        append(&Begin { seed: 2, ..begin.clone() }).unwrap();
        append(&versions("divan 0.1.21")).unwrap();
        for (unlike, expected) in [
            (Begin { seconds: 2.0, ..begin.clone() }, "seconds of a pair: 5 and 2"),
            (Begin { margin_percent: 1.0, ..begin.clone() }, "margin in percent: 0.1 and 1"),
            (Begin { load: true, ..begin.clone() }, "load: false and true"),
            (versions("divan 0.1.22"), "divan: 0.1.21 and 0.1.22"),
        ] {
            let told = append(&unlike).unwrap_err();
            assert!(told.starts_with("cannot append to ") && told.contains(expected), "{told}");
            assert!(!told.contains('\n'), "{told}");
        }
        assert_eq!(read(&path).unwrap().len(), 3);

        let other = Record::Begin(Begin { load: true, ..begin });
        let text = fs::read_to_string(&path).unwrap() + &serde_json::to_string(&other).unwrap();
        fs::write(&path, text).unwrap();
        assert!(read(&path).is_err());
    }
}
