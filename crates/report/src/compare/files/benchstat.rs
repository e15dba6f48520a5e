//! Go's benchmark format, which `go test -bench` and others write and benchstat reads
//! (<https://go.dev/design/14313-benchmark-format>): a line for each repetition.

use words::counted;

use super::{Damage, Format, Held, WrongLine};

pub(super) const FORMAT: Format = Format { name: "Go's benchmark format", is_of, read };

/// Names of benchmarks begin so.
const BENCHMARK: &str = "Benchmark";

fn is_of(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(BENCHMARK))
}

fn read(text: &str) -> Result<Held, Damage> {
    let mut held = Held::default();
    let mut package = String::new();
    let (mut untimed, mut uncounted) = (Lines::default(), Lines::default());
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(name) = line.strip_prefix("pkg:") {
            package = format!("{}.", name.trim());
        }
        let mut fields = line.split_whitespace();
        let Some(name) = fields.next().and_then(|it| it.strip_prefix(BENCHMARK)) else { continue };
        // A line of a name alone is what `go test -v` says when it begins.
        let Some(count) = fields.next() else { continue };
        let rest: Vec<&str> = fields.collect();
        let time = rest.chunks_exact(2).find_map(|pair| Some((pair[0], ns_of(pair[1])?)));
        match (count.parse::<u64>(), time) {
            (Ok(_), Some((value, unit_ns))) => {
                let wrong = WrongLine::NoNumber { text: value.into() };
                let time = value.parse::<f64>();
                let time = time.map_err(|_| Damage::Line { line: number, wrong })?;
                held.times.entry(format!("{package}{name}")).or_default().push(time * unit_ns);
            }
            (Ok(_), None) => untimed.add(number),
            (Err(_), Some(_)) => uncounted.add(number),
            // What a benchmark has printed.
            (Err(_), None) => {}
        }
    }
    held.left_out.extend(untimed.told("a time (ns/op, sec/op)"));
    held.left_out.extend(uncounted.told("a whole number of iterations"));
    Ok(held)
}

/// Nanoseconds of a unit of time.
fn ns_of(unit: &str) -> Option<f64> {
    match unit {
        "ns/op" => Some(1.0),
        "sec/op" => Some(1e9),
        _ => None,
    }
}

/// Lines of benchmarks that are left out.
#[derive(Default)]
struct Lines {
    count: usize,
    first: usize,
}

impl Lines {
    fn add(&mut self, number: usize) {
        self.count += 1;
        if self.count == 1 {
            self.first = number;
        }
    }

    fn told(&self, what: &str) -> Option<String> {
        let lines = counted(self.count, "line");
        (self.count > 0).then(|| format!("{lines} without {what}, first line {}", self.first))
    }
}
