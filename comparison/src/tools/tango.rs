//! tango-bench: `compare` of two executables, which it runs side by side; its mark of significance.
//! Many candidates are ordered by their difference from one base.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::{
    Bench, Paired, Tool, ToolName, ascending, different, finite, joined, judged, locked, printed,
};

pub struct Tango;

/// What a run takes beside measuring.
const REST_S: f64 = 0.05;

impl Tool for Tango {
    fn name(&self) -> ToolName {
        ToolName::Tango
    }

    fn find(&self, bench: &mut Bench) -> Result<String> {
        bench.built("rival-tango")?;
        Ok(locked("tango-bench"))
    }

    fn pair(&self, bench: &mut Bench, calls: [u32; 2]) -> Result<Paired> {
        let compared = compared(bench, &calls[..1], &calls[1..], bench.seconds)?;
        let (percent, is_significant) = compared[0];
        let ratio = 1.0 + percent / 100.0;
        let verdict = different(is_significant, ratio);
        Ok(Paired { ratio, verdicts: vec![judged("its mark *", verdict)] })
    }

    fn order(&self, bench: &mut Bench, calls: &[u32]) -> Result<Vec<usize>> {
        let base = vec![calls[0]; calls.len()];
        let compared = compared(bench, &base, calls, bench.order_seconds)?;
        Ok(ascending(&compared.iter().map(|it| it.0).collect::<Vec<_>>()))
    }
}

/// For each candidate the difference in percent, and whether it is marked.
fn compared(bench: &Bench, base: &[u32], new: &[u32], seconds: f64) -> Result<Vec<(f64, bool)>> {
    let (base, program) = (executable(bench, "base", base)?, executable(bench, "new", new)?);
    let each = (seconds - REST_S) / new.len() as f64;
    let mut command = Command::new(program);
    command.args(["--color", "never", "compare"]).arg(base);
    command.args(["--time", &format!("{each:.3}")]);
    command.args(["--noise-threshold", &bench.margin_percent.to_string()]);
    // It ends with 1 if something is significantly slower.
    differences(&printed(&mut command, &[0, 1])?, new.len())
}

/// A copy of the program; how many calls it makes stands in its name.
fn executable(bench: &Bench, role: &str, calls: &[u32]) -> Result<PathBuf> {
    let path = bench.path(&format!("tango-{role}-{}", joined(calls)));
    if !path.exists() {
        fs::copy(bench.built("rival-tango")?, &path).context("cannot copy rival-tango")?;
    }
    Ok(path)
}

fn differences(told: &str, count: usize) -> Result<Vec<(f64, bool)>> {
    let difference = |place: usize| {
        let name = format!("candidate-{place} ");
        let line = told.lines().find(|line| line.contains(&name))?;
        let last = line.split_whitespace().next_back()?;
        let percent = finite(last.trim_end_matches('*').strip_suffix('%')?)?;
        Some((percent, last.ends_with('*')))
    };
    let differences: Option<Vec<_>> = (0..count).map(difference).collect();
    differences.with_context(|| format!("tango: not a list of {count} candidates: {told:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_read_with_their_marks() {
        let name = "candidate-0                                        ";
        let line = format!("{name}[ 446.7 us ... 493.4 us ]     +10.44%\n");
        assert_eq!(differences(&line, 1).unwrap(), [(10.44, false)]);
        let line = line.replace("+10.44%", "-0.52%*");
        assert_eq!(differences(&line, 1).unwrap(), [(-0.52, true)]);
        assert!(differences(&line, 2).is_err());
        assert!(differences(&line.replace("-0.52", "+inf"), 1).is_err());
    }
}
