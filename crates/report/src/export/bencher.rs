//! Bencher Metric Format (<https://bencher.dev/docs/reference/bencher-metric-format/>): latency in
//! nanoseconds with the ends of its interval.

use lab::record::Run;
use serde_json::{Map, json};

use super::{Format, measured};
use crate::Findings;

pub(super) const FORMAT: Format =
    Format { name: "bencher", title: "Bencher Metric Format, for bencher.dev", write };

fn write(run: &Run, findings: &Findings) -> String {
    let mut all = Map::new();
    for own in measured(run, findings) {
        let mut latency = json!({ "value": own.median_ns });
        if let Some(ends) = own.finding.interval_ns {
            latency["lower_value"] = json!(ends.low);
            latency["upper_value"] = json!(ends.high);
        }
        all.insert(own.name(), json!({ "latency": latency }));
    }
    crate::json(&all).unwrap_or_default() + "\n"
}
