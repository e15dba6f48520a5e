//! nanobench: a program in C++ that calls the operation from a static library. `compare` is what
//! nanobench has had for alternatives since 4.6; `relative` is what most programs use.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Bench, Paired, Tool, ToolName, ascending, different, finite, judged, output, printed};

pub struct Compare;

pub struct Relative;

/// What a run takes beside measuring.
const REST_S: f64 = 0.05;

impl Tool for Compare {
    fn name(&self) -> ToolName {
        ToolName::NanobenchCompare
    }

    fn find(&self, bench: &mut Bench) -> Result<String> {
        find(bench)
    }

    fn pair(&self, bench: &mut Bench, calls: [u32; 2]) -> Result<Paired> {
        let rows = measured(bench, "compare", &calls, bench.seconds)?;
        let ratio = rows[1].ratio;
        let verdict = different(rows[1].told != 0.0, ratio);
        Ok(Paired { ratio, verdicts: vec![judged("its interval excludes 1", verdict)] })
    }

    fn order(&self, bench: &mut Bench, calls: &[u32]) -> Result<Vec<usize>> {
        let rows = measured(bench, "compare", calls, bench.order_seconds)?;
        Ok(ascending(&rows.iter().map(|row| row.ratio).collect::<Vec<_>>()))
    }
}

impl Tool for Relative {
    fn name(&self) -> ToolName {
        ToolName::NanobenchRelative
    }

    fn find(&self, bench: &mut Bench) -> Result<String> {
        find(bench)
    }

    fn pair(&self, bench: &mut Bench, calls: [u32; 2]) -> Result<Paired> {
        let rows = measured(bench, "relative", &calls, bench.seconds)?;
        let ratio = rows[1].ratio;
        // It has no rule; its documentation calls err% how far results are to be trusted.
        let is_different = (ratio - 1.0).abs() > rows[0].told + rows[1].told;
        let verdict = different(is_different, ratio);
        Ok(Paired { ratio, verdicts: vec![judged("ours: more than both err%", verdict)] })
    }

    fn order(&self, bench: &mut Bench, calls: &[u32]) -> Result<Vec<usize>> {
        let rows = measured(bench, "relative", calls, bench.order_seconds)?;
        Ok(ascending(&rows.iter().map(|row| row.ratio).collect::<Vec<_>>()))
    }
}

/// Compiles the program, once for both.
fn find(bench: &mut Bench) -> Result<String> {
    let Some(folder) = &bench.nanobench else {
        bail!(
            "--nanobench is not given: the folder with nanobench.h, github.com/martinus/nanobench"
        );
    };
    let header = folder.join("nanobench.h");
    let header = std::fs::read_to_string(&header).with_context(|| header.display().to_string())?;
    let version = version(&header).context("nanobench.h names no version")?;
    let program = program(bench);
    if !program.exists() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/rivals/programs/nanobench.cpp");
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let mut command = Command::new(compiler);
        command.args(["-O3", "-DNDEBUG", "-std=c++17", "-I"]).arg(folder).arg(source);
        command.arg(bench.built("libcomparison_work.a")?);
        command.args(["-lpthread", "-ldl", "-lm", "-o"]).arg(program);
        output(&mut command, &[0]).context("nanobench.cpp does not compile (4.6 is needed)")?;
    }
    Ok(version)
}

fn program(bench: &Bench) -> PathBuf {
    bench.path("rival-nanobench")
}

fn version(header: &str) -> Option<String> {
    let number = |part: &str| {
        let name = format!("#define ANKERL_NANOBENCH_VERSION_{part} ");
        header.split_once(&name)?.1.split_whitespace().next()
    };
    Some(format!("{}.{}.{}", number("MAJOR")?, number("MINOR")?, number("PATCH")?))
}

#[derive(Debug, PartialEq)]
struct Row {
    ratio: f64,
    /// Whether it is told apart (`compare`), or err% as a fraction (`relative`).
    told: f64,
}

fn measured(bench: &Bench, how: &str, calls: &[u32], seconds: f64) -> Result<Vec<Row>> {
    let mut command = Command::new(program(bench));
    command.args([how, &format!("{:.3}", seconds - REST_S)]);
    command.args(calls.iter().map(u32::to_string));
    rows(&printed(&mut command, &[0])?, calls.len())
}

/// Lines of our program: place, ratio, what is told, median in nanoseconds.
fn rows(told: &str, count: usize) -> Result<Vec<Row>> {
    let row = |(place, line): (usize, &str)| {
        let numbers: Vec<f64> = line.split(' ').map(finite).collect::<Option<_>>()?;
        let [at, ratio, told, _] = numbers[..] else { return None };
        (at == place as f64).then_some(Row { ratio, told })
    };
    let rows: Option<Vec<_>> = told.lines().enumerate().map(row).collect();
    let rows = rows.filter(|rows| rows.len() == count);
    rows.with_context(|| format!("nanobench: not {count} lines of numbers, in order: {told:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let told = "0 1.000000000 0 125219.875\n1 1.004989751 1 125374.375\n";
        let second = Row { ratio: 1.004989751, told: 1.0 };
        assert_eq!(rows(told, 2).unwrap()[1], second);
        assert!(rows(told, 3).is_err());
        for (right, wrong) in [("\n1 ", "\n2 "), ("1.004989751", "nan"), ("125374.375", "")] {
            assert!(rows(&told.replace(right, wrong), 2).is_err(), "{right}");
        }
        let header = "#define ANKERL_NANOBENCH_VERSION_MAJOR 4 // incompatible API changes
#define ANKERL_NANOBENCH_VERSION_MINOR 6 // backwards-compatible changes
#define ANKERL_NANOBENCH_VERSION_PATCH 0 // backwards-compatible bug fixes
";
        assert_eq!(version(header).as_deref(), Some("4.6.0"));
    }
}
