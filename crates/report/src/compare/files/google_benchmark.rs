//! The JSON of Google Benchmark, with or without repetitions
//! (<https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats>).

use serde::Deserialize;

use super::{Format, Times};

pub(super) const FORMAT: Format = Format { name: "JSON of Google Benchmark", is_of, read };

#[derive(Deserialize)]
struct Document {
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    name: String,
    /// The name without what a repetition adds.
    run_name: Option<String>,
    /// Means and medians of repetitions are `aggregate`.
    run_type: Option<String>,
    real_time: Option<f64>,
    time_unit: Option<String>,
    error_message: Option<String>,
}

fn is_of(text: &str) -> bool {
    let document: Option<serde_json::Value> = serde_json::from_str(text).ok();
    document.is_some_and(|it| it.get("benchmarks").is_some_and(serde_json::Value::is_array))
}

fn read(text: &str) -> Result<Times, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut times = Times::new();
    for own in document.benchmarks {
        if own.run_type.as_deref() == Some("aggregate") {
            continue;
        }
        let name = own.run_name.unwrap_or(own.name);
        if let Some(error) = own.error_message {
            return Err(format!("{name}: failed: {error}"));
        }
        let ns = match own.time_unit.as_deref() {
            None | Some("ns") => 1.0,
            Some("us") => 1e3,
            Some("ms") => 1e6,
            Some("s") => 1e9,
            Some(other) => return Err(format!("{name}: time_unit {other:?} is not known")),
        };
        let time = own.real_time.ok_or_else(|| format!("{name}: has no real_time"))?;
        times.entry(name).or_default().push(time * ns);
    }
    Ok(times)
}
