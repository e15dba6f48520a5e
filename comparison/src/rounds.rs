//! Rounds: one pair of each tool for each figure, the tools in a new order each time.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::load::Load;
use crate::options::Options;
use crate::record::{Begin, Kept, Pair, Record};
use crate::tools::{self, Bench, Paired, Tool};

/// Calls of the base where both do the same work, and of the first of many candidates.
const CALLS: u32 = 200;

/// Candidates that are ordered: each does one in a hundred of the first's calls more.
const CANDIDATES: u32 = 20;

/// Measures what the options ask for, or as much as fits into the limit.
pub fn measured(options: &Options) -> Result<Vec<Record>> {
    let mut bench = Bench::new(options)?;
    let found = tools::found(options, &mut bench)?;
    for line in &found.left_out {
        eprintln!("left out: {line}");
    }
    if found.tools.is_empty() {
        bail!("no tool is left: see the lines above");
    }
    let begin = Begin {
        seconds: options.seconds,
        order_seconds: options.order_seconds(),
        margin_percent: options.margin,
        load: options.load,
        seed: options.seed,
        machine: tools::machine(),
        versions: found.versions,
        left_out: found.left_out,
    };
    let kept = Kept::begin(options.out.as_deref(), begin)?;
    let _load = options.load.then(Load::start).transpose()?;
    let mut rounds = Rounds {
        options,
        bench,
        tools: found.tools,
        random: fastrand::Rng::with_seed(options.seed),
        until: options.limit.map(|limit| Instant::now() + Duration::from_secs_f64(limit)),
        kept,
    };
    if !rounds.all()? {
        eprintln!("the limit is reached: not all of it is measured");
    }
    Ok(rounds.kept.records)
}

struct Rounds<'a> {
    options: &'a Options,
    bench: Bench,
    tools: Vec<&'static dyn Tool>,
    random: fastrand::Rng,
    until: Option<Instant>,
    kept: Kept,
}

impl Rounds<'_> {
    /// Whether there was time for all.
    fn all(&mut self) -> Result<bool> {
        let slowdowns: Vec<f64> = [0.0].iter().chain(&self.options.slow).copied().collect();
        for round in 0..self.options.pairs.max(self.options.order) {
            self.bench.calibrate();
            for &slow_percent in slowdowns.iter().filter(|_| round < self.options.pairs) {
                for tool in self.shuffled() {
                    let is_wanted = slow_percent == 0.0 || tool.times_the_operation();
                    if is_wanted && !self.pair(tool, round, slow_percent)? {
                        return Ok(false);
                    }
                }
            }
            for tool in self.shuffled().into_iter().filter(|_| round < self.options.order) {
                if tool.times_the_operation() && !self.order(tool, round)? {
                    return Ok(false);
                }
            }
            eprintln!("round {} done", round + 1);
        }
        Ok(true)
    }

    fn shuffled(&mut self) -> Vec<&'static dyn Tool> {
        let mut tools = self.tools.clone();
        self.random.shuffle(&mut tools);
        tools
    }

    fn has_time(&self, seconds: f64) -> bool {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        self.until.is_none_or(|until| end <= until)
    }

    fn pair(&mut self, tool: &'static dyn Tool, round: u32, slow_percent: f64) -> Result<bool> {
        if !self.has_time(self.options.seconds) {
            return Ok(false);
        }
        let calls = calls(slow_percent);
        let begin = Instant::now();
        let ended = tool.pair(&mut self.bench, calls).and_then(sound);
        let wall_s = begin.elapsed().as_secs_f64();
        let name = tool.name().to_string();
        self.kept.keep(match ended {
            Ok(paired) => Record::Pair(Pair {
                tool: name,
                round,
                slow_percent,
                calls,
                wall_s,
                ratio: paired.ratio,
                verdicts: paired.verdicts,
            }),
            Err(error) => failure(name, round, Some(slow_percent), &error),
        })?;
        Ok(true)
    }

    fn order(&mut self, tool: &'static dyn Tool, round: u32) -> Result<bool> {
        if !self.has_time(self.options.order_seconds()) {
            return Ok(false);
        }
        let calls: Vec<u32> = (0..CANDIDATES).map(|i| CALLS + i * CALLS / 100).collect();
        let begin = Instant::now();
        let ended = tool.order(&mut self.bench, &calls);
        let wall_s = begin.elapsed().as_secs_f64();
        let tool = tool.name().to_string();
        self.kept.keep(match ended {
            Ok(order) => Record::Order { tool, round, wall_s, order },
            Err(error) => failure(tool, round, None, &error),
        })?;
        Ok(true)
    }
}

/// What is recorded: a ratio of two times.
fn sound(paired: Paired) -> Result<Paired> {
    let ratio = paired.ratio;
    ensure!(ratio.is_finite() && ratio > 0.0, "{ratio} is no ratio of two times");
    Ok(paired)
}

fn failure(tool: String, round: u32, slow_percent: Option<f64>, error: &anyhow::Error) -> Record {
    let error = format!("{error:#}");
    eprintln!("{tool}: {error}");
    Record::Failure { tool, round, slow_percent, error }
}

/// The calls of the base and of the new version.
fn calls(slow_percent: f64) -> [u32; 2] {
    if slow_percent == 0.0 {
        return [CALLS, CALLS];
    }
    let base = (100.0 / slow_percent).round() as u32;
    [base, base + 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowdowns_are_those_of_the_calls() {
        assert_eq!([calls(0.0), calls(0.5), calls(0.2)], [[200, 200], [200, 201], [500, 501]]);
    }

    #[test]
    fn a_ratio_is_one_of_times() {
        let is_sound = |ratio| sound(Paired { ratio, verdicts: vec![] }).is_ok();
        assert!(is_sound(1.005));
        assert!(![0.0, -0.2, f64::NAN, f64::INFINITY].into_iter().any(is_sound));
    }
}
