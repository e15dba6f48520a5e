//! The JSON of Google Benchmark, with or without repetitions
//! (<https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats>).

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{Damage, Format, Held, WrongBenchmark};

pub(super) const FORMAT: Format = Format { name: "JSON of Google Benchmark", is_of, read };

/// What the names of aggregates end in, where nothing else tells them apart.
const AGGREGATES: [&str; 4] = ["_mean", "_median", "_stddev", "_cv"];

#[derive(Deserialize)]
struct Document {
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    name: String,
    /// The name without what a repetition adds.
    run_name: Option<String>,
    /// Means and medians of repetitions are `aggregate`. Older versions do not write it.
    run_type: Option<String>,
    real_time: Option<f64>,
    time_unit: Option<String>,
    error_occurred: Option<bool>,
    error_message: Option<String>,
    skipped: Option<bool>,
    skip_message: Option<String>,
}

impl Benchmark {
    /// Whether it is made of others, which have these `names`.
    fn is_aggregate(&self, names: &BTreeSet<String>) -> bool {
        match self.run_type.as_deref() {
            Some(kind) => kind == "aggregate",
            None => AGGREGATES
                .iter()
                .any(|end| self.name.strip_suffix(*end).is_some_and(|it| names.contains(it))),
        }
    }

    /// Why it has no time, if it has none.
    fn left_out(&self) -> Option<String> {
        let told = |what: &str, why: &Option<String>| match why.as_deref() {
            None | Some("") => what.to_owned(),
            Some(why) => format!("{what}: {why}"),
        };
        if self.error_occurred == Some(true) || self.error_message.is_some() {
            return Some(told("failed", &self.error_message));
        }
        (self.skipped == Some(true)).then(|| told("skipped", &self.skip_message))
    }
}

fn is_of(text: &str) -> bool {
    let document: Option<serde_json::Value> = serde_json::from_str(text).ok();
    document.is_some_and(|it| it.get("benchmarks").is_some_and(serde_json::Value::is_array))
}

fn read(text: &str) -> Result<Held, Damage> {
    let document: Document = serde_json::from_str(text).map_err(|error| Damage::json(&error))?;
    let names: BTreeSet<String> = document.benchmarks.iter().map(|it| it.name.clone()).collect();
    let (mut held, mut has_aggregates) = (Held::default(), false);
    for own in document.benchmarks {
        if own.is_aggregate(&names) {
            has_aggregates = true;
            continue;
        }
        let left_out = own.left_out();
        let name = own.run_name.unwrap_or(own.name);
        if let Some(why) = left_out {
            held.left_out.insert(format!("{name}: {why}"));
            continue;
        }
        let ns = match own.time_unit.as_deref() {
            None | Some("ns") => 1.0,
            Some("us") => 1e3,
            Some("ms") => 1e6,
            Some("s") => 1e9,
            Some(other) => {
                return Err(Damage::of(name, WrongBenchmark::Unit { unit: other.into() }));
            }
        };
        let Some(time) = own.real_time else {
            return Err(Damage::of(name, WrongBenchmark::NoTime));
        };
        held.times.entry(name).or_default().push(time * ns);
    }
    if has_aggregates && held.times.is_empty() && held.left_out.is_empty() {
        return Err(Damage::OnlyAggregates);
    }
    Ok(held)
}
