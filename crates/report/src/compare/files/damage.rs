//! What is wrong in a file of a known format.

use stats::MAGNITUDE_MAX;
use thiserror::Error;

use super::{NAME_MAX, REPETITIONS_MAX};

/// What is wrong in a file, and where.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Damage {
    /// What the parser of JSON says.
    #[error("{0}")]
    Json(String),
    /// In a line.
    #[error("line {line}: {wrong}")]
    Line {
        /// The line, from 1 on.
        line: usize,
        /// What is wrong.
        wrong: WrongLine,
    },
    /// In what is said of a benchmark.
    #[error("{name}: {wrong}")]
    Benchmark {
        /// Name of the benchmark.
        name: String,
        /// What is wrong.
        wrong: WrongBenchmark,
    },
    /// A name is too long.
    #[error("a name of {letters} characters; at most {NAME_MAX} are allowed")]
    Name {
        /// Characters that it has.
        letters: usize,
    },
    /// There is no time of anything.
    #[error("has no result{}", .left_out.as_ref().map_or(String::new(), |it| format!(": {it}")))]
    NoResult {
        /// The first that is there without a time, with why.
        left_out: Option<String>,
    },
    /// There are no times of repetitions.
    #[error("has only means and medians: run without --benchmark_report_aggregates_only")]
    OnlyAggregates,
    /// Samples do not all have a count of calls and a time.
    #[error("{iters} iters and {times} times")]
    Unpaired {
        /// How many counts there are.
        iters: usize,
        /// How many times.
        times: usize,
    },
    /// A sample has no calls, or no time.
    #[error("iters and times must be above 0 (entry {entry})")]
    EmptySample {
        /// The sample, from 1 on.
        entry: usize,
    },
}

/// What is wrong in a line.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WrongLine {
    /// A text where a number should be.
    #[error("{text:?} is not a number")]
    NoNumber {
        /// What stands in the number's place.
        text: String,
    },
    /// A number that is not above 0, or without end.
    #[error("{value} is not a valid {what}: must be above 0")]
    NotPositive {
        /// The number that stands there.
        value: f64,
        /// What it should be.
        what: &'static str,
    },
    /// A line of speeds without any.
    #[error("has no name and speeds")]
    NoSpeeds,
    /// A line of speeds that are not one for each length.
    #[error("{speeds} speeds for {lens} lengths (+H)")]
    Unpaired {
        /// How many speeds there are.
        speeds: usize,
        /// How many lengths.
        lens: usize,
    },
}

/// What is wrong in what is said of a benchmark.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WrongBenchmark {
    /// Nothing was measured.
    #[error("has no result")]
    NoResult,
    /// The time is missing.
    #[error("has no real_time")]
    NoTime,
    /// The value of a measure is missing.
    #[error("{measure} has no value")]
    NoValue {
        /// Name of the measure.
        measure: &'static str,
    },
    /// An unknown unit of time.
    #[error("time_unit {unit:?} is not known")]
    Unit {
        /// The unit that stands there.
        unit: String,
    },
    /// A time that is not above 0.
    #[error("{value} is not a valid time: must be above 0")]
    NotPositive {
        /// The time in nanoseconds.
        value: f64,
    },
    /// A time with which nothing can be computed.
    #[error("{value:e} ns is not a valid time: must be at most {MAGNITUDE_MAX:e}")]
    TooLong {
        /// The time in nanoseconds.
        value: f64,
    },
    /// There are too many repetitions.
    #[error("{count} repetitions: at most {REPETITIONS_MAX} are read")]
    Repetitions {
        /// How many there are.
        count: usize,
    },
}

impl Damage {
    /// What is wrong with a benchmark.
    pub(super) fn of(name: impl Into<String>, wrong: WrongBenchmark) -> Self {
        Self::Benchmark { name: name.into(), wrong }
    }

    /// What a parser says of a text that is no JSON, or none of the form that it should have.
    pub(super) fn json(error: &serde_json::Error) -> Self {
        Self::Json(error.to_string())
    }
}
