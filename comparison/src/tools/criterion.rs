//! criterion: two runs of the benchmark program, the first kept as a baseline, the second compared
//! with it. The verdict is the sentence that it prints.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use comparison_work::CALLS;
use serde_json::Value;

use super::{Bench, Paired, Tool, ToolName, ascending, joined, judged, locked, printed};
use crate::record::Verdict;

pub struct Criterion;

/// What a run takes beside warming up and measuring: the analysis, and starting.
const REST_S: f64 = 0.15;

impl Tool for Criterion {
    fn name(&self) -> ToolName {
        ToolName::Criterion
    }

    fn find(&self, bench: &mut Bench) -> Result<String> {
        bench.built("rival-criterion")?;
        Ok(locked("criterion"))
    }

    fn pair(&self, bench: &mut Bench, calls: [u32; 2]) -> Result<Paired> {
        let seconds = bench.seconds / 2.0;
        // From nothing each time: a baseline is not that of another pair.
        let _ = fs::remove_dir_all(bench.path("criterion"));
        printed(run(bench, &calls[..1], seconds)?.args(["--save-baseline", "base"]), &[0])?;
        let told = printed(run(bench, &calls[1..], seconds)?.args(["--baseline", "base"]), &[0])?;
        let change = estimates(bench, "candidate-0/change")?;
        paired(&told, &change)
    }

    fn order(&self, bench: &mut Bench, calls: &[u32]) -> Result<Vec<usize>> {
        let _ = fs::remove_dir_all(bench.path("criterion"));
        printed(&mut run(bench, calls, bench.order_seconds / calls.len() as f64)?, &[0])?;
        let times = (0..calls.len()).map(|place| {
            let estimates = estimates(bench, &format!("candidate-{place}/new"))?;
            typical(&estimates).context("criterion: no estimate of the time")
        });
        Ok(ascending(&times.collect::<Result<Vec<_>>>()?))
    }
}

/// A run of benchmarks of so many seconds each.
fn run(bench: &Bench, calls: &[u32], seconds: f64) -> Result<Command> {
    let operation_s = bench.call_s * f64::from(calls[0]);
    let Plan { samples, target_s, warm_up_s } = plan(seconds - REST_S, operation_s);
    let mut command = Command::new(bench.built("rival-criterion")?);
    command.env(CALLS, joined(calls)).env("CRITERION_HOME", bench.path("criterion"));
    command.args(["--bench", "--noplot", "--color", "never"]);
    command.args(["--sample-size", &samples.to_string()]);
    command.args(["--warm-up-time", &format!("{warm_up_s:.3}")]);
    command.args(["--measurement-time", &format!("{target_s:.3}")]);
    command.args(["--noise-threshold", &(bench.margin_percent / 100.0).to_string()]);
    Ok(command)
}

struct Plan {
    samples: u32,
    target_s: f64,
    warm_up_s: f64,
}

/// Sample i of n has i times as many iterations as the first, so criterion measures a multiple of
/// n (n + 1) / 2 iterations, and rounds it up. It is told to measure the greatest that fits, with
/// fewer samples than its 100 only where none does, and to warm up for the rest.
fn plan(seconds: f64, operation_s: f64) -> Plan {
    let most = seconds * 0.85;
    let once_s = |samples: u32| f64::from(samples * (samples + 1) / 2) * operation_s;
    let fits = (1..=10).rev().map(|tens| 10 * tens).find(|&samples| once_s(samples) <= most);
    let samples = fits.unwrap_or(10);
    let count = (most / once_s(samples)).floor().max(1.0);
    // Half of one less: the next multiple is the right one though its own estimate is another.
    let target_s = (count - 0.5) * once_s(samples);
    Plan { samples, target_s, warm_up_s: (seconds - count * once_s(samples)).max(0.1) }
}

fn estimates(bench: &Bench, folder: &str) -> Result<Value> {
    let path = bench.path("criterion").join(folder).join("estimates.json");
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// The figure that criterion prints as the time: the slope where it has one, else the mean.
fn typical(estimates: &Value) -> Option<f64> {
    let slope = estimates["slope"]["point_estimate"].as_f64();
    slope.or_else(|| estimates["mean"]["point_estimate"].as_f64())
}

fn paired(told: &str, change: &Value) -> Result<Paired> {
    let mean = change["mean"]["point_estimate"].as_f64();
    let ratio = 1.0 + mean.context("criterion: no change of the mean")?;
    let sentences = [
        ("Performance has regressed.", Verdict::Slower),
        ("Performance has improved.", Verdict::Faster),
        ("Change within noise threshold.", Verdict::NotDifferent),
        ("No change in performance detected.", Verdict::NotDifferent),
    ];
    let Some((_, verdict)) = sentences.iter().find(|(sentence, _)| told.contains(sentence)) else {
        bail!("criterion: no verdict in {told:?}");
    };
    Ok(Paired { ratio, verdicts: vec![judged("its sentence", *verdict)] })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOLD: &str = "
candidate-0             time:   [299.52 µs 326.62 µs 354.61 µs]
                        change: [−22.043% −9.9798% +3.2961%] (p = 0.17 > 0.05)
                        No change in performance detected.
Found 5 outliers among 100 measurements (5.00%)
  5 (5.00%) high mild
";

    #[test]
    fn what_it_measures_fits_into_the_time() {
        let planned = |seconds, operation_s| {
            let Plan { samples, target_s, warm_up_s } = plan(seconds, operation_s);
            let once_s = f64::from(samples * (samples + 1) / 2) * operation_s;
            let measured = (target_s / once_s).ceil() * once_s;
            assert!((measured + warm_up_s - seconds).abs() < 1e-9, "{measured} {warm_up_s}");
            samples
        };
        let samples = [planned(2.35, 125e-6), planned(2.35, 310e-6), planned(0.85, 250e-6)];
        assert_eq!(samples, [100, 100, 70]);
    }

    #[test]
    fn the_sentence_is_the_verdict() {
        let change = json!({"mean": {"point_estimate": -0.09979774490329074}});
        let paired = paired(TOLD, &change).unwrap();
        assert_eq!(paired.ratio, 0.9002022550967093);
        assert_eq!(paired.verdicts[0].verdict, Verdict::NotDifferent);
        let slower = TOLD.replace("No change in performance detected", "Performance has regressed");
        let slower = super::paired(&slower, &change).unwrap();
        assert_eq!(slower.verdicts[0].verdict, Verdict::Slower);
        assert!(super::paired("", &change).is_err());
    }
}
