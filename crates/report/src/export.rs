//! Formats that other tools read: continuous benchmarking, comparison of benchmarks, monitoring,
//! and the summary of a CI step. Each is a file and a row of [`FORMATS`]; docs/ci.md says what
//! reads which. They have no cells without a time of a call: capacities, and cells without samples.

mod bencher;
mod benchstat;
mod github_action_benchmark;
mod google_benchmark;
mod markdown;
mod open_metrics;

use std::collections::BTreeMap;

use lab::cell::Cell;
use lab::record::Run;

use crate::findings::series;
use crate::findings::{CellFinding, Findings};

/// A format by its name on the command line.
#[derive(Debug)]
pub struct Format {
    /// `benchstat`.
    pub name: &'static str,
    /// What it is for, for the help.
    pub title: &'static str,
    write: fn(&Run, &Findings) -> String,
}

/// All of them.
pub const FORMATS: [Format; 6] = [
    markdown::FORMAT,
    benchstat::FORMAT,
    google_benchmark::FORMAT,
    bencher::FORMAT,
    github_action_benchmark::FORMAT,
    open_metrics::FORMAT,
];

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl Format {
    /// The run in this format.
    #[must_use]
    pub fn write(&self, run: &Run, findings: &Findings) -> String {
        (self.write)(run, findings)
    }
}

/// A cell with a time, and what its figures are made of.
struct Measured<'a> {
    finding: &'a CellFinding,
    /// Name of its part.
    part: &'a str,
    median_ns: f64,
    /// Median time of a call and number of timed calls, a launch each.
    launches: Vec<(f64, u64)>,
}

impl Measured<'_> {
    fn cell(&self) -> &Cell {
        &self.finding.cell
    }

    /// A name that stays the same from run to run, of the part and the cell's path:
    /// `sizes/cmac-aes-128/macs/aes-ni/single/prepared/64`.
    fn name(&self) -> String {
        format!("{}/{}", self.part, self.finding.path)
    }

    /// What it was measured under, as names and values.
    fn labels(&self) -> Vec<(&'static str, String)> {
        let (cell, candidate) = (self.cell(), &self.cell().candidate);
        let mut labels = vec![
            ("part", self.part.to_owned()),
            ("mac", candidate.mac.clone()),
            ("provider", candidate.provider.clone()),
            ("path", candidate.kernel.clone()),
            ("regime", cell.regime.to_string()),
            ("life", cell.key_life.to_string()),
        ];
        if !cell.usual_key {
            labels.push(("key", cell.key_len_bytes.to_string()));
        }
        labels.push(("len", cell.len_bytes.to_string()));
        labels
    }
}

/// Every cell that has a time, in the run's order.
fn measured<'a>(run: &'a Run, findings: &'a Findings) -> Vec<Measured<'a>> {
    let series = series::all(run);
    let series = series::told(&series);
    let mut calls: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for sample in &run.samples {
        *calls.entry((sample.cell, sample.launch)).or_default() += sample.iterations;
    }
    let of = |(finding, series): (&'a CellFinding, &series::Series)| {
        let part = run.study.parts.get(finding.part).map_or("", |part| part.name.as_str());
        let calls = |launch: &u32| calls.get(&(finding.id, *launch)).copied().unwrap_or(0);
        let launches = series.launches.iter().map(|(at, &ns)| (ns, calls(at))).collect();
        let median_ns = finding.median_ns.filter(|_| finding.capacity.is_none())?;
        Some(Measured { finding, part, median_ns, launches })
    };
    findings.cells.iter().zip(series.iter()).filter_map(of).collect()
}
