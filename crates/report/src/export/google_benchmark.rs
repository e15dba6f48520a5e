//! The JSON of Google Benchmark with repetitions, for its `compare.py` and for what reads it
//! (<https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats>). A launch is
//! a repetition. These are wall-clock times; CPU time is not measured, so `cpu_time` repeats
//! `real_time`.

use lab::record::Run;
use serde_json::{Value, json};

use super::{Format, Measured, measured};
use crate::Findings;

pub(super) const FORMAT: Format = Format {
    name: "google-benchmark",
    title: "Google Benchmark's JSON, one repetition per launch, for its compare.py",
    write,
};

fn write(run: &Run, findings: &Findings) -> String {
    let all = measured(run, findings);
    let benchmarks: Vec<Value> = all.iter().enumerate().flat_map(repetitions).collect();
    let context = json!({
        "date": crate::format::date_rfc3339(run.created_unix_s),
        "host_name": "",
        "executable": "macrometer",
        "num_cpus": run.machine.cpus,
        "macrometer_run": run.id,
        "macrometer_study": run.study.name,
        "cpu_model": crate::format::processor(&run.machine),
    });
    let all = json!({ "context": context, "benchmarks": benchmarks });
    crate::json(&all).unwrap_or_default() + "\n"
}

fn repetitions((family, own): (usize, &Measured<'_>)) -> Vec<Value> {
    let (name, count) = (own.name(), own.launches.len());
    let one = |(at, (ns, calls)): (usize, &(f64, u64))| {
        json!({
            "name": name,
            "family_index": family,
            "per_family_instance_index": 0,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": count,
            "repetition_index": at,
            "threads": 1,
            "iterations": calls,
            "real_time": ns,
            "cpu_time": ns,
            "time_unit": "ns",
            "bytes_per_second": own.cell().mean_len_bytes() * 1e9 / ns,
        })
    };
    own.launches.iter().enumerate().map(one).collect()
}
