//! The formats of other tools: every cell that has a time is in each, under a name of its own, with
//! the figures of the findings.

use std::collections::BTreeSet;

use lab::record::Run;
use report::Findings;
use report::export::FORMATS;
use report::findings::CellFinding;
use serde_json::Value;

fn runs() -> [Run; 4] {
    [
        synthetic::survey(),
        synthetic::hmac_vs_cmac(),
        synthetic::sms(),
        synthetic::apparent_processing(),
    ]
}

fn written(name: &str, run: &Run, findings: &Findings) -> String {
    FORMATS.iter().find(|it| it.name == name).expect("a format").write(run, findings)
}

fn json(name: &str, run: &Run, findings: &Findings) -> Value {
    serde_json::from_str(&written(name, run, findings)).expect("JSON")
}

/// Cells that have a time of a call.
fn timed(findings: &Findings) -> Vec<&CellFinding> {
    let is_timed = |it: &&CellFinding| it.median_ns.is_some() && it.capacity.is_none();
    findings.cells.iter().filter(is_timed).collect()
}

#[test]
fn benchstat_has_a_line_for_each_launch_of_a_cell() {
    for run in runs() {
        let findings = Findings::of(&run);
        let text = written("benchstat", &run, &findings);
        let lines: Vec<&str> = text.lines().filter(|it| it.starts_with("Benchmark")).collect();
        let launches: usize = timed(&findings).iter().map(|it| it.launches).sum();
        assert_eq!(lines.len(), launches, "{}", run.study.name);
        let names: BTreeSet<&str> = lines.iter().filter_map(|it| it.split(' ').next()).collect();
        assert_eq!(names.len(), timed(&findings).len(), "{}", run.study.name);
        for line in lines {
            let fields: Vec<&str> = line.split(' ').collect();
            assert!(fields[1].parse::<u64>().is_ok_and(|calls| calls > 0), "{line}");
            assert!(fields[2].parse::<f64>().is_ok_and(|ns| ns > 0.0), "{line}");
            assert_eq!(fields[3], "ns/op", "{line}");
        }
    }
}

#[test]
fn google_benchmark_has_a_repetition_for_each_launch() {
    for run in runs() {
        let findings = Findings::of(&run);
        let found = json("google-benchmark", &run, &findings);
        let all = found["benchmarks"].as_array().expect("an array");
        let launches: usize = timed(&findings).iter().map(|it| it.launches).sum();
        assert_eq!(all.len(), launches, "{}", run.study.name);
        for it in all {
            let (at, of) = (&it["repetition_index"], &it["repetitions"]);
            assert!(at.as_u64() < of.as_u64(), "{it}");
            assert!(it["real_time"].as_f64() > Some(0.0) && it["time_unit"] == "ns", "{it}");
        }
    }
}

/// The same number, but for the last digit, which reading JSON may lose.
#[track_caller]
fn assert_near(found: &Value, wanted: Option<f64>, name: &str) {
    let is_near = match (found.as_f64(), wanted) {
        (Some(found), Some(wanted)) => (found / wanted - 1.0).abs() < 1e-12,
        (found, wanted) => found.is_none() && wanted.is_none(),
    };
    assert!(is_near, "{name}: {found}, {wanted:?}");
}

#[test]
fn single_figures_are_those_of_the_findings() {
    for run in runs() {
        let findings = Findings::of(&run);
        let bencher = json("bencher", &run, &findings);
        let action = json("github-action-benchmark", &run, &findings);
        let (bencher, action) = (bencher.as_object().unwrap(), action.as_array().unwrap());
        let cells = timed(&findings);
        assert_eq!((bencher.len(), action.len()), (cells.len(), cells.len()));
        for (cell, entry) in cells.into_iter().zip(action) {
            let name = entry["name"].as_str().unwrap();
            let latency = &bencher[name]["latency"];
            assert!(name.ends_with(&cell.path), "{name}");
            assert_near(&latency["value"], cell.median_ns, name);
            assert_near(&entry["value"], cell.median_ns, name);
            let ends = cell.interval_ns;
            assert_near(&latency["lower_value"], ends.map(|it| it.low), name);
            assert_near(&latency["upper_value"], ends.map(|it| it.high), name);
            assert_eq!(entry["range"].is_null(), ends.is_none(), "{name}");
        }
    }
}

#[test]
fn open_metrics_has_each_sample_once_and_ends() {
    for run in runs() {
        let findings = Findings::of(&run);
        let text = written("openmetrics", &run, &findings);
        assert!(text.ends_with("\n# EOF\n"));
        let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let names: BTreeSet<&str> =
            samples.iter().filter_map(|it| it.rsplit_once(' ').map(|it| it.0)).collect();
        assert_eq!(names.len(), samples.len(), "{}", run.study.name);
        let calls = samples.iter().filter(|it| it.starts_with("macrometer_call_seconds{")).count();
        assert_eq!(calls, timed(&findings).len());
    }
}

#[test]
fn labels_and_cells_of_tables_cannot_break_out() {
    let mut run = synthetic::survey();
    let own = run.cells.iter_mut().map(|it| &mut it.cell.candidate.provider);
    own.filter(|it| *it == "macs").for_each(|it| *it = "a\"b|c d".into());
    let findings = Findings::of(&run);
    let written = |name| written(name, &run, &findings);
    assert!(written("openmetrics").contains("provider=\"a\\\"b|c d\""));
    assert!(written("benchstat").contains("/provider=a\"b|c_d/"));
    let markdown = written("markdown");
    assert!(markdown.contains("a\"b\\|c d"), "{markdown}");
}

#[test]
fn markdown_has_the_claims_what_is_in_wide_use_and_rankings() {
    let run = synthetic::hmac_vs_cmac();
    let text = written("markdown", &run, &Findings::of(&run));
    for claim in &run.study.claims {
        let begin = claim.text.split(['|', '*', '_', '<', '[', '#']).next().unwrap();
        assert!(text.contains(begin), "{begin}");
    }
    let mut run = synthetic::survey();
    run.study.named = vec!["hmac-sha256".into()];
    let text = written("markdown", &run, &Findings::of(&run));
    assert!(text.contains("### In wide use") && text.contains("without caveats"), "{text}");
    assert!(text.contains("| length | MAC | from | median | 95 % |"), "{text}");
}
