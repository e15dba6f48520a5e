//! Go's benchmark format, which `go test -bench` and others write and benchstat reads
//! (<https://go.dev/design/14313-benchmark-format>): a line for each repetition.

use super::{Format, Times};

pub(super) const FORMAT: Format = Format { name: "Go's benchmark format", is_of, read };

/// Names of benchmarks begin so.
const BENCHMARK: &str = "Benchmark";

fn is_of(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(BENCHMARK))
}

fn read(text: &str) -> Result<Times, String> {
    let mut times = Times::new();
    let mut package = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(name) = line.strip_prefix("pkg:") {
            package = format!("{}.", name.trim());
        }
        let mut fields = line.split_whitespace();
        let Some(name) = fields.next().and_then(|it| it.strip_prefix(BENCHMARK)) else { continue };
        // A line of a name alone is what `go test -v` says when it begins.
        let Some(Ok(_)) = fields.next().map(str::parse::<u64>) else { continue };
        let rest: Vec<&str> = fields.collect();
        let value = rest.chunks_exact(2).find(|pair| pair[1] == "ns/op").map(|pair| pair[0]);
        let value = value.ok_or_else(|| format!("line {number}: has no value in ns/op"))?;
        let ns = value.parse().map_err(|_| format!("line {number}: {value:?} is not a number"))?;
        times.entry(format!("{package}{name}")).or_default().push(ns);
    }
    Ok(times)
}
