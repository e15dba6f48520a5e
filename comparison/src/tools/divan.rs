//! divan: two candidates in a process, one after the other; the medians that it prints. It does not
//! compare, so there is no verdict.

use std::process::Command;

use anyhow::{Context, Result};
use comparison_work::CALLS;

use super::{Bench, Paired, Tool, ToolName, ascending, finite, joined, locked, printed};

pub struct Divan;

/// What a run takes beside measuring.
const REST_S: f64 = 0.05;

impl Tool for Divan {
    fn name(&self) -> ToolName {
        ToolName::Divan
    }

    fn find(&self, bench: &mut Bench) -> Result<String> {
        bench.built("rival-divan")?;
        Ok(locked("divan"))
    }

    fn pair(&self, bench: &mut Bench, calls: [u32; 2]) -> Result<Paired> {
        let medians = measured(bench, &calls, bench.seconds)?;
        Ok(Paired { ratio: medians[1] / medians[0], verdicts: vec![] })
    }

    fn order(&self, bench: &mut Bench, calls: &[u32]) -> Result<Vec<usize>> {
        Ok(ascending(&measured(bench, calls, bench.order_seconds)?))
    }
}

fn measured(bench: &Bench, calls: &[u32], seconds: f64) -> Result<Vec<f64>> {
    let each = format!("{:.3}", (seconds - REST_S) / calls.len() as f64);
    let mut command = Command::new(bench.built("rival-divan")?);
    command.env(CALLS, joined(calls)).args(["--bench", "--color", "never"]);
    command.args(["--min-time", &each, "--max-time", &each]);
    medians(&printed(&mut command, &[0])?, calls.len())
}

/// The medians of the candidates, in nanoseconds.
fn medians(told: &str, count: usize) -> Result<Vec<f64>> {
    let median = |place: usize| {
        let name = format!(" candidate-{place} ");
        let line = told.lines().find(|line| line.contains(&name))?;
        // Fastest, slowest, median, mean, samples, iterations; the first stands beside the name.
        let mut words = line.split('│').rev().nth(3)?.split_whitespace();
        let value = finite(words.next()?)?;
        let unit = match words.next()? {
            "ns" => 1.0,
            "µs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            _ => return None,
        };
        Some(value * unit)
    };
    let medians: Option<Vec<f64>> = (0..count).map(median).collect();
    medians.with_context(|| format!("divan: not a table of {count} candidates: {told:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "\
Timer precision: 20 ns
rival_divan        fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ operation                     │               │               │               │         │
   ├─ candidate-0  124.1 µs      │ 9.979 ms      │ 124.3 µs      │ 297.2 µs      │ 8023    │ 8023
   ╰─ candidate-1  124 µs        │ 24.2 ms       │ 125 µs        │ 271.4 µs      │ 8837    │ 8837
";

    #[test]
    fn medians_are_read_with_their_units() {
        assert_eq!(medians(TOLD, 2).unwrap(), [124_300.0, 125_000.0]);
        assert!(medians(TOLD, 3).is_err());
        assert!(medians(&TOLD.replace("125 µs", "nan µs"), 2).is_err());
    }
}
