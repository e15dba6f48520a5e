//! Bencher Metric Format: one value of each measure for each benchmark, without repetitions
//! (<https://bencher.dev/docs/reference/bencher-metric-format/>).

use serde_json::{Map, Value};

use super::{Damage, Format, Held, Times, WrongBenchmark};

pub(super) const FORMAT: Format = Format { name: "Bencher Metric Format", is_of, read };

/// In nanoseconds, by its documentation.
const MEASURE: &str = "latency";

fn is_of(text: &str) -> bool {
    let all: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    all.is_some_and(|all| !all.is_empty() && all.values().all(|it| it.get(MEASURE).is_some()))
}

fn read(text: &str) -> Result<Held, Damage> {
    let all: Map<String, Value> = serde_json::from_str(text).map_err(|it| Damage::json(&it))?;
    let one = |(name, own): (&String, &Value)| {
        let value = own[MEASURE]["value"].as_f64();
        let value =
            value.ok_or_else(|| Damage::of(name, WrongBenchmark::NoValue { measure: MEASURE }))?;
        Ok((name.clone(), vec![value]))
    };
    all.iter().map(one).collect::<Result<Times, Damage>>().map(Held::from)
}
