//! The tools: how each is used is in its file.

mod criterion;
mod divan;
mod macrometer;
mod nanobench;
mod openssl;
mod tango;

use std::fmt;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use comparison_work::work;
use tempfile::TempDir;

use crate::options::Options;
use crate::record::{Judged, Verdict};

/// A tool, as `--only` takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ToolName {
    Macrometer,
    Criterion,
    Divan,
    Tango,
    NanobenchCompare,
    NanobenchRelative,
    Openssl,
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("?", |value| value.get_name()))
    }
}

/// What a tool reports of a pair.
#[derive(Debug, PartialEq)]
pub struct Paired {
    /// Time of the second relative to the first.
    pub ratio: f64,
    pub verdicts: Vec<Judged>,
}

/// A benchmark program, used as its users would.
pub trait Tool {
    fn name(&self) -> ToolName;

    /// Whether it is here: its version, or what would bring it.
    fn find(&self, bench: &mut Bench) -> Result<String>;

    /// Whether it times our operation, not one of its own.
    fn times_the_operation(&self) -> bool {
        true
    }

    fn pair(&self, bench: &mut Bench, calls: [u32; 2]) -> Result<Paired>;

    /// The places of these candidates, the fastest first.
    fn order(&self, bench: &mut Bench, calls: &[u32]) -> Result<Vec<usize>>;
}

const TOOLS: [&dyn Tool; 7] = [
    &macrometer::Macrometer,
    &criterion::Criterion,
    &divan::Divan,
    &tango::Tango,
    &nanobench::Compare,
    &nanobench::Relative,
    &openssl::Openssl,
];

/// What the tools are given.
pub struct Bench {
    pub seconds: f64,
    pub order_seconds: f64,
    pub margin_percent: f64,
    pub macrometer: Option<PathBuf>,
    pub nanobench: Option<PathBuf>,
    /// Time of one of the operation's calls in seconds, roughly.
    pub call_s: f64,
    built: PathBuf,
    folder: TempDir,
}

impl Bench {
    pub fn new(options: &Options) -> Result<Self> {
        let own = env::current_exe().context("cannot tell where this program is")?;
        let absolute = |option: &str, path: &Option<PathBuf>| {
            let named = |path: &PathBuf| format!("{option} {}", path.display());
            let found = path.as_ref().map(|path| path.canonicalize().with_context(|| named(path)));
            found.transpose()
        };
        Ok(Self {
            seconds: options.seconds,
            order_seconds: options.order_seconds(),
            margin_percent: options.margin,
            macrometer: absolute("--macrometer", &options.macrometer)?,
            nanobench: absolute("--nanobench", &options.nanobench)?,
            call_s: call_s(),
            built: own.parent().unwrap_or(Path::new(".")).to_owned(),
            folder: TempDir::new().context("cannot create a temporary folder")?,
        })
    }

    /// Finds the time of a call again.
    pub fn calibrate(&mut self) {
        self.call_s = call_s();
    }

    /// A path in the temporary folder.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What was built beside this program.
    fn built(&self, name: &str) -> Result<PathBuf> {
        let path = self.built.join(name);
        if !path.exists() {
            bail!(
                "{} is not built: cargo build --release --manifest-path comparison/Cargo.toml",
                path.display()
            );
        }
        Ok(path)
    }
}

/// On average over a moment: with a load, this is what programs see.
fn call_s() -> f64 {
    let (begin, mut calls) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_millis(500) {
        black_box(work(100));
        calls += 100;
    }
    begin.elapsed().as_secs_f64() / f64::from(calls)
}

/// The tools that are here, and those that are not.
pub struct Found {
    pub tools: Vec<&'static dyn Tool>,
    pub versions: Vec<String>,
    pub left_out: Vec<String>,
}

/// Looks for the tools that are wanted.
pub fn found(options: &Options, bench: &mut Bench) -> Result<Found> {
    let mut found = Found { tools: vec![], versions: vec![], left_out: vec![] };
    let is_wanted =
        |tool: &&&dyn Tool| options.only.is_empty() || options.only.contains(&tool.name());
    for tool in TOOLS.iter().filter(is_wanted) {
        match tool.find(bench) {
            Ok(version) => {
                found.versions.push(format!("{} {version}", tool.name()));
                found.tools.push(*tool);
            }
            Err(error) => found.left_out.push(format!("{}: {error:#}", tool.name())),
        }
    }
    Ok(found)
}

/// The processor and how many there are.
pub fn machine() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let count = thread::available_parallelism().map_or(0, usize::from);
    format!("{} ({count} processors)", model.map_or("unknown processor", |(_, model)| model))
}

/// Runs a program to its end; `right` are the exit codes that are results.
fn output(command: &mut Command, right: &[i32]) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| name.clone())?;
    if !output.status.code().is_some_and(|code| right.contains(&code)) {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        bail!("{name}: {}: {last}", output.status);
    }
    Ok(output)
}

/// What a program prints.
fn printed(command: &mut Command, right: &[i32]) -> Result<String> {
    Ok(String::from_utf8_lossy(&output(command, right)?.stdout).into_owned())
}

/// The version of a crate that was built in.
fn locked(name: &str) -> String {
    let lock = include_str!("../Cargo.lock");
    let begin = format!("name = \"{name}\"\nversion = \"");
    let rest = lock.split_once(&begin).map_or("", |(_, rest)| rest);
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// A number as tools print it: no tool measures `nan` or `inf`. (JSON has neither.)
fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

fn judged(rule: &str, verdict: Verdict) -> Judged {
    Judged { rule: rule.to_owned(), verdict }
}

/// What a difference that a tool takes for one is called.
fn different(is_different: bool, ratio: f64) -> Verdict {
    match is_different {
        true if ratio > 1.0 => Verdict::Slower,
        true => Verdict::Faster,
        false => Verdict::NotDifferent,
    }
}

/// Places by value, the least first.
fn ascending(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    places
}

/// Numbers as one word.
fn joined(calls: &[u32]) -> String {
    calls.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_name_of_its_own() {
        let names: Vec<ToolName> = TOOLS.iter().map(|tool| tool.name()).collect();
        assert_eq!(names, ToolName::value_variants());
        assert!(locked("criterion").starts_with("0."));
    }

    #[test]
    fn only_finite_numbers_are_numbers() {
        let words = ["+10.44", "-0.5", "1e3", "nan", "NaN", "inf", "-infinity", "1e999", "", "x"];
        let numbers: Vec<f64> = words.iter().filter_map(|word| finite(word)).collect();
        assert_eq!(numbers, [10.44, -0.5, 1000.0]);
    }
}
