//! What is kept of every measurement: a line of JSON each.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Record {
    /// How everything after it was measured.
    Begin {
        seconds: f64,
        order_seconds: f64,
        margin_percent: f64,
        load: bool,
        seed: u64,
        machine: String,
        versions: Vec<String>,
        left_out: Vec<String>,
    },
    /// Two candidates.
    Pair(Pair),
    /// Candidates in order of their number of calls, and the order that the tool gives.
    Order { tool: String, round: u32, wall_s: f64, order: Vec<usize> },
    /// A tool that gave no result.
    Failure { tool: String, round: u32, slow_percent: Option<f64>, error: String },
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
    pub fn begin(path: Option<&Path>) -> Result<Self> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.with_context(|| format!("cannot write {}", path.display()))
        };
        Ok(Self { file: path.map(open).transpose()?, records: vec![] })
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

/// Reads a file of such lines.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let read = |(number, line): (usize, &str)| {
        let record = serde_json::from_str(line);
        record.with_context(|| format!("{}, line {}", path.display(), number + 1))
    };
    text.lines().enumerate().map(read).collect()
}
