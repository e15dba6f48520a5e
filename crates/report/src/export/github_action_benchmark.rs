//! What `benchmark-action/github-action-benchmark` calls `customSmallerIsBetter`
//! (<https://github.com/benchmark-action/github-action-benchmark>).

use lab::record::Run;
use serde_json::{Value, json};

use super::{Format, Measured, measured};
use crate::Findings;

pub(super) const FORMAT: Format = Format {
    name: "github-action-benchmark",
    title: "JSON for github-action-benchmark's customSmallerIsBetter",
    write,
};

fn write(run: &Run, findings: &Findings) -> String {
    let of = |own: Measured<'_>| {
        let mut entry = json!({ "name": own.name(), "unit": "ns/call", "value": own.median_ns });
        if let Some(ends) = own.finding.interval_ns {
            let (above, below) = (ends.high - own.median_ns, own.median_ns - ends.low);
            entry["range"] = json!(format!("± {:.3}", above.max(below)));
        }
        let samples = words::counted(own.finding.samples, "sample");
        let launches = words::counted(own.finding.launches, "launch");
        let extra = format!("{samples} in {launches}, run {}", run.id);
        entry["extra"] = json!(extra);
        entry
    };
    let all: Vec<Value> = measured(run, findings).into_iter().map(of).collect();
    crate::json(&all).unwrap_or_default() + "\n"
}
