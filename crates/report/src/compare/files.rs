//! Files of other benchmark programs, and two of them compared. One format is one file and one row
//! in `FORMATS`. Each says what it read: names with the times of their repetitions.

mod bencher;
mod benchstat;
mod criterion;
mod damage;
mod google_benchmark;
mod json;
mod openssl_speed;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use stats::{MAGNITUDE_MAX, Margin, Sample, Verdict};

use super::Counts;
use super::judged::{self, Repeated};
use super::text::one_line;
use crate::findings::Interval;
use crate::findings::series::LAUNCHES_MIN;
use crate::format::{self, Figure};
use crate::terminal::layout::{Style, legible, wrapped};
use crate::terminal::table;
pub use damage::{Damage, WrongBenchmark, WrongLine};

/// Times in nanoseconds by name, in the order of the file.
type Times = BTreeMap<String, Vec<f64>>;

/// What a file holds.
#[derive(Default)]
struct Held {
    times: Times,
    /// What is there and has no time, with why.
    left_out: BTreeSet<String>,
}

impl From<Times> for Held {
    fn from(times: Times) -> Self {
        Held { times, ..Held::default() }
    }
}

/// How a format is known, and how it is read.
struct Format {
    name: &'static str,
    is_of: fn(&str) -> bool,
    read: fn(&str) -> Result<Held, Damage>,
}

/// The first that knows a file reads it.
const FORMATS: [Format; 5] = [
    google_benchmark::FORMAT,
    criterion::FORMAT,
    bencher::FORMAT,
    openssl_speed::FORMAT,
    benchstat::FORMAT,
];

/// So many repetitions of one benchmark are read: each is held against each of the other file.
const REPETITIONS_MAX: usize = 2000;

/// Longest name of a benchmark, or of a column, in characters.
pub const NAME_MAX: usize = 200;

/// A file could not be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FileError {
    /// No format is known that it could be.
    #[error(
        "is in none of the formats known: Go's benchmark format (benchstat), JSON of Google \
         Benchmark, sample.json of criterion, Bencher Metric Format, `openssl speed -mr`"
    )]
    Unknown,
    /// It begins as JSON does.
    #[error("is not valid JSON at line {line}, column {column}")]
    NoJson {
        /// Line of what is wrong, from 1.
        line: usize,
        /// And its column.
        column: usize,
    },
    /// Of the format that it seems to have.
    #[error("{format}: {damage}")]
    Damaged {
        /// Name of the format.
        format: &'static str,
        /// What is wrong, and where.
        damage: Damage,
    },
}

/// Results of one benchmark program.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// Name of the format.
    pub format: &'static str,
    /// Name of the file; empty where it is not told.
    name: String,
    times: Times,
    left_out: Vec<String>,
}

impl Results {
    /// Reads a file's text, in whichever format it is.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read(text: &str) -> Result<Self, FileError> {
        let text = json::without_words(text.strip_prefix('\u{feff}').unwrap_or(text));
        let format = FORMATS.iter().find(|it| (it.is_of)(&text)).ok_or_else(|| unknown(&text))?;
        let damaged = |damage| FileError::Damaged { format: format.name, damage };
        let held = (format.read)(&text).map_err(damaged)?;
        let left_out: Vec<String> = held.left_out.iter().map(|it| one_line(it)).collect();
        if held.times.is_empty() {
            return Err(damaged(Damage::NoResult { left_out: left_out.first().cloned() }));
        }
        let mut times = Times::new();
        for (name, own) in held.times {
            times.entry(one_line(&name)).or_default().extend(own);
        }
        for (name, own) in &times {
            check(name, own).map_err(damaged)?;
        }
        Ok(Results { format: format.name, name: String::new(), times, left_out })
    }

    /// The same, of the file of this name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Results { name: one_line(name), ..self }
    }

    /// What is in the file and cannot be compared, each with why.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The times of each benchmark's repetitions, in nanoseconds.
    #[must_use]
    pub fn into_columns(self) -> Vec<(String, Vec<f64>)> {
        self.times.into_iter().collect()
    }
}

/// What is wrong with a text in no known format.
fn unknown(text: &str) -> FileError {
    let is_json = text.trim_start().starts_with('{');
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Err(error) if is_json => FileError::NoJson { line: error.line(), column: error.column() },
        _ => FileError::Unknown,
    }
}

/// Refuses a name that is too long, and times that are none or too many.
fn check(name: &str, times: &[f64]) -> Result<(), Damage> {
    let letters = name.chars().count();
    if letters > NAME_MAX {
        return Err(Damage::Name { letters });
    }
    let wrong = |wrong| Err(Damage::of(name, wrong));
    if times.is_empty() {
        return wrong(WrongBenchmark::NoResult);
    }
    if let Some(&value) = times.iter().find(|it| it.is_nan() || **it <= 0.0) {
        return wrong(WrongBenchmark::NotPositive { value });
    }
    if let Some(&value) = times.iter().find(|it| **it > MAGNITUDE_MAX) {
        return wrong(WrongBenchmark::TooLong { value });
    }
    if times.len() > REPETITIONS_MAX {
        return wrong(WrongBenchmark::Repetitions { count: times.len() });
    }
    Ok(())
}

/// Two files compared, as two runs are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedFiles {
    /// Name of the earlier file.
    pub before: String,
    /// Name of the later file.
    pub after: String,
    /// Format of the earlier file.
    pub format_before: &'static str,
    /// Format of the later file.
    pub format_after: &'static str,
    /// The difference that does not matter.
    pub margin: f64,
    /// How many benchmarks are slower, faster and so on.
    pub counts: Counts,
    /// Benchmarks that both have, the largest change first.
    pub rows: Vec<ComparedBenchmark>,
    /// Names that only the earlier file has.
    pub only_before: Vec<String>,
    /// Names that only the later file has.
    pub only_after: Vec<String>,
    /// What the earlier file has without times, each with why.
    pub left_out_before: Vec<String>,
    /// What the later file has without times.
    pub left_out_after: Vec<String>,
}

/// A benchmark that both files have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedBenchmark {
    /// Its name.
    pub name: String,
    /// Repetitions before and after.
    pub repetitions: [usize; 2],
    /// Median time before.
    pub before_ns: f64,
    /// Median time after.
    pub after_ns: f64,
    /// Time after over time before, the median over all pairs of a repetition of each.
    pub ratio: f64,
    /// Its interval; absent where there are too few repetitions.
    pub interval: Option<Interval>,
    /// Chance of a difference so far beyond the margin if there were none, adjusted for the number
    /// of benchmarks; absent where a file has fewer than six repetitions.
    pub p_adjusted: Option<f64>,
    /// What it amounts to, said of the later file.
    pub verdict: Verdict,
}

impl ComparedFiles {
    /// Compares two files, the earlier one first.
    #[must_use]
    pub fn of(before: &Results, after: &Results, margin: Margin) -> Self {
        let (old, new) = (&before.times, &after.times);
        let shared: Vec<_> =
            new.iter().filter_map(|(name, own)| Some((name, old.get(name)?, own))).collect();
        let is_judged = |own: &[f64]| own.len() >= LAUNCHES_MIN;
        let numbered = |own: &[f64]| (0..).zip(own.iter().copied()).collect::<Repeated>();
        let repeated = |(_, was, is): &(&String, &Vec<f64>, &Vec<f64>)| {
            (is_judged(was) && is_judged(is)).then(|| [numbered(was), numbered(is)])
        };
        let repeated: Vec<Option<[Repeated; 2]>> = shared.iter().map(repeated).collect();
        let pairs: Vec<Option<[&Repeated; 2]>> =
            repeated.iter().map(|pair| pair.as_ref().map(|it| it.each_ref())).collect();
        let judged = judged::judged(&pairs, margin);
        let mut rows = Vec::new();
        for ((name, was, is), own) in shared.into_iter().zip(judged) {
            let median =
                |times: &Vec<f64>| Sample::new(times.clone()).ok().map(|it| stats::median(&it));
            let Some((before_ns, after_ns)) = median(was).zip(median(is)) else { continue };
            rows.push(ComparedBenchmark {
                name: name.clone(),
                repetitions: [was.len(), is.len()],
                before_ns,
                after_ns,
                ratio: own.map_or(after_ns / before_ns, |it| it.0.ratio),
                interval: own.and_then(|it| it.0.interval),
                p_adjusted: own.map(|it| it.1),
                verdict: own.map_or(Verdict::CannotConclude, |it| it.2),
            });
        }
        let change = |row: &ComparedBenchmark| row.ratio.ln().abs();
        rows.sort_by(|x, y| change(y).total_cmp(&change(x)));
        let missing = |from: &Times, other: &Times| {
            from.keys().filter(|name| !other.contains_key(*name)).cloned().collect()
        };
        ComparedFiles {
            before: before.name.clone(),
            after: after.name.clone(),
            format_before: before.format,
            format_after: after.format,
            margin: margin.value(),
            counts: Counts::of(rows.iter().map(|it| it.verdict)),
            only_before: missing(old, new),
            only_after: missing(new, old),
            left_out_before: before.left_out.clone(),
            left_out_after: after.left_out.clone(),
            rows,
        }
    }

    /// For a terminal `width` columns wide.
    #[must_use]
    pub fn render(&self, width: usize, colour: bool) -> String {
        let (width, style) = (width.max(40), Style { colour });
        let of = |it: &ComparedBenchmark| (it.verdict, it.ratio, self.named(it));
        let told = super::text::Told {
            what: ["benchmark", "benchmarks"],
            unit: "repetitions in one of the files",
            more: "",
            rows: self.rows.iter().map(of).collect(),
        };
        let verdict = told.verdict(self.counts, self.margin);
        let mut text = format!("{}\n\n", style.bold(&wrapped(&verdict, width, "")));
        text.push_str(&format!("{}\n", style.quiet(&wrapped(&self.files(), width, ""))));
        let margin = format::percent(self.margin);
        let how = format!(
            "Ratio: time after divided by time before, the median over all pairs of a \
             repetition before and a repetition after (Hodges-Lehmann estimate), with its 95 % \
             confidence interval. Slower and faster: by more than {margin}, by Mann-Whitney \
             tests over repetitions, at 5 % for all benchmarks together (Holm). Repetitions of \
             one process do not include how processes differ."
        );
        text.push_str(&format!("{}\n", style.quiet(&wrapped(&how, width, ""))));
        let head = ["benchmark", "n", "before", "after", "ratio", "95 %", "verdict"];
        let rows = self.rows.iter().map(|row| self.line(row)).collect();
        text.push_str(&table(&head, rows, &[0, 6], width));
        text.push_str(&super::text::alone(&self.only_before, &self.only_after));
        let left_out = [
            ("What cannot be compared, before", &self.left_out_before),
            ("What cannot be compared, after", &self.left_out_after),
        ];
        for (what, names) in left_out {
            text.push_str(&super::text::listed(what, names));
        }
        legible(&text, colour)
    }

    /// `old.txt → new.txt (Go's benchmark format)`.
    fn files(&self) -> String {
        let ComparedFiles { before, after, format_before, format_after, .. } = self;
        match format_before == format_after {
            true => format!("{before} → {after} ({format_after})"),
            false => format!("{before} ({format_before}) → {after} ({format_after})"),
        }
    }

    fn named(&self, row: &ComparedBenchmark) -> String {
        let figure = self.figure(row);
        format!("{}: {} × ({})", row.name, figure.value(), figure.ends())
    }

    fn figure(&self, row: &ComparedBenchmark) -> Figure {
        Figure::ratio(row.ratio, row.interval.map(Interval::ends), self.margin)
    }

    fn line(&self, row: &ComparedBenchmark) -> Vec<String> {
        let figure = self.figure(row);
        let [was, is] = row.repetitions;
        vec![
            row.name.clone(),
            if was == is { was.to_string() } else { format!("{was}, {is}") },
            format::time(row.before_ns),
            format::time(row.after_ns),
            figure.value(),
            figure.ends(),
            row.verdict.to_string(),
        ]
    }
}
