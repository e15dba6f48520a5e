//! macrometer: `gate` for two versions, whose verdict is that of the cell, and `run` for many
//! candidates, whose order is that of the ranking. Both start a worker that makes the operation a
//! call.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Bench, Paired, Tool, ToolName, different, joined, judged, printed};
use crate::record::Verdict;

pub struct Macrometer;

/// What a gate takes beside its budget.
const REST_S: f64 = 0.1;

/// Exit codes of a gate: not slower, slower, undecided. 2 is misuse.
const VERDICTS: [i32; 3] = [0, 1, 3];

const STUDY: &str = include_str!("order.toml");

impl Tool for Macrometer {
    fn name(&self) -> ToolName {
        ToolName::Macrometer
    }

    fn find(&self, bench: &mut Bench) -> Result<String> {
        bench.built("rival-worker")?;
        let told = printed(command(bench)?.arg("--version"), &[0])?;
        Ok(told.trim().split(' ').next_back().unwrap_or_default().to_owned())
    }

    fn pair(&self, bench: &mut Bench, calls: [u32; 2]) -> Result<Paired> {
        let worker = bench.built("rival-worker")?;
        let version = |calls: u32| format!("worker:'{}' {calls}", worker.display());
        let mut gate = command(bench)?;
        gate.args(["gate", "--base", &version(calls[0]), "--new", &version(calls[1])]);
        gate.args(["--mac", "hmac-sha256", "--size", "1024", "--key-life", "prepared"]);
        gate.args(["--margin", &format!("{}%", bench.margin_percent), "--format", "json"]);
        gate.args(["--budget", &format!("{:.3}", bench.seconds - REST_S)]);
        let told = printed(with_archive(&mut gate, bench), &VERDICTS)?;
        paired(&serde_json::from_str(&told).context("macrometer gate: not JSON")?)
    }

    fn order(&self, bench: &mut Bench, calls: &[u32]) -> Result<Vec<usize>> {
        let worker = bench.built("rival-worker")?;
        let study = bench.path("order.toml");
        fs::write(&study, STUDY)?;
        // A program of one's own takes part in a run in the place of an interpreter; the worker
        // reads its number of calls from the name that it is given.
        let names: Vec<String> = calls.iter().map(|calls| format!("python-{calls}")).collect();
        let mut run = command(bench)?;
        run.arg("run").arg(&study).args(["--provider", &names.join(",")]);
        for name in &names {
            run.args(["--lib", &format!("{name}={}", worker.display())]);
        }
        run.args(["--budget", &bench.order_seconds.to_string(), "--format", "json", "--quiet"]);
        run.arg("--out").arg(bench.path("page"));
        let told = printed(with_archive(&mut run, bench), &[0])?;
        ranking(&serde_json::from_str(&told).context("macrometer run: not JSON")?, calls)
    }
}

fn command(bench: &Bench) -> Result<Command> {
    let program = bench.macrometer.as_ref();
    Ok(Command::new(program.context("--macrometer is not given: the program to measure")?))
}

/// A new archive each time, so that all pairs find the same.
fn with_archive<'a>(command: &'a mut Command, bench: &Bench) -> &'a mut Command {
    let folder = bench.path("archive");
    let _ = fs::remove_dir_all(&folder);
    let _ = fs::create_dir_all(&folder);
    command.arg("--archive").arg(folder.join("archive.db"))
}

fn paired(told: &Value) -> Result<Paired> {
    let cell = &told["cells"][0];
    let times = || Some(cell["new_ns"].as_f64()? / cell["base_ns"].as_f64()?);
    let ratio = cell["ratio"].as_f64().or_else(times);
    let Some(ratio) = ratio else {
        bail!("macrometer gate: no ratio: {}", told["verdict"].as_str().unwrap_or_default());
    };
    let is_alarm = told["outcome"] == "alarm";
    let beyond_margin = match cell["verdict"].as_str() {
        _ if is_alarm => Verdict::NoAnswer,
        Some("slower") => Verdict::Slower,
        _ if cell["is_faster"] == true => Verdict::Faster,
        Some("open") => Verdict::NoAnswer,
        _ => Verdict::NotDifferent,
    };
    let end = |name: &str| cell["interval"][name].as_f64();
    let is_different = match (end("low"), end("high")) {
        (Some(low), Some(high)) => low > 1.0 || high < 1.0,
        _ => false,
    };
    let by_interval = match is_alarm {
        true => Verdict::NoAnswer,
        false => different(is_different, ratio),
    };
    let verdicts = vec![
        judged("gate: beyond the margin", beyond_margin),
        judged("gate: interval excludes 1", by_interval),
    ];
    Ok(Paired { ratio, verdicts })
}

/// The candidates as they are ranked.
fn ranking(told: &Value, calls: &[u32]) -> Result<Vec<usize>> {
    let place = |ranked: &Value| {
        let cell = told["cells"].get(ranked["cell"].as_u64()? as usize)?;
        let name = cell["cell"]["provider"].as_str()?;
        let number: u32 = name.strip_prefix("python-")?.parse().ok()?;
        calls.iter().position(|&calls| calls == number)
    };
    let rows = told["groups"][0]["sizes"][0]["ranking"].as_array();
    let places: Option<Vec<usize>> = rows.and_then(|rows| rows.iter().map(place).collect());
    let places = places.filter(|places| places.len() == calls.len());
    places.with_context(|| format!("macrometer run: not a ranking of {}", joined(calls)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Of `macrometer gate --format json`, what is read.
    fn gate(outcome: &str, verdict: &str, low: f64) -> Value {
        json!({
            "schema": 1,
            "outcome": outcome,
            "verdict": "Slower: 1 of 1 cell takes more than 0.100 % longer than the base.",
            "alarms": [],
            "cells": [{
                "name": "hmac-sha256/prepared/1024",
                "verdict": verdict,
                "is_faster": false,
                "ratio": 1.0048323583254641,
                "interval": {"low": low, "high": 1.0065801453228425, "confidence": 0.9921875},
                "launches": 8,
                "base_ns": 124375.0,
                "new_ns": 125016.0,
            }],
        })
    }

    /// Both rules: what is beyond the margin, and what the interval leaves out.
    #[test]
    fn both_rules_are_read() {
        let rules = |told: &Value| {
            let paired = paired(told).unwrap();
            assert_eq!(paired.ratio, 1.0048323583254641);
            [paired.verdicts[0].verdict, paired.verdicts[1].verdict]
        };
        let slower = gate("slower", "slower", 1.0039750849508908);
        assert_eq!(rules(&slower), [Verdict::Slower, Verdict::Slower]);
        let open = gate("open", "open", 1.0001);
        assert_eq!(rules(&open), [Verdict::NoAnswer, Verdict::Slower]);
        let alarm = gate("alarm", "slower", 1.004);
        assert_eq!(rules(&alarm), [Verdict::NoAnswer, Verdict::NoAnswer]);
    }

    #[test]
    fn the_ranking_is_read() {
        let told = json!({
            "cells": [{"cell": {"provider": "python-200"}}, {"cell": {"provider": "python-202"}}],
            "groups": [{"sizes": [{"ranking": [{"cell": 1, "rank": 1}, {"cell": 0, "rank": 2}]}]}],
        });
        assert_eq!(ranking(&told, &[200, 202]).unwrap(), [1, 0]);
        assert!(ranking(&told, &[200, 202, 204]).is_err());
    }
}
