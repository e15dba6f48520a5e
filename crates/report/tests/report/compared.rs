//! Two runs or two files compared: code paths that changed, launches that are too few, and the
//! formats of other benchmark programs.

use report::compare::Compared;
use report::compare::files::{ComparedFiles, FileError, Results};
use stats::{Margin, Verdict};

#[test]
fn a_changed_code_path_is_the_same_cell_and_is_told() {
    let before = synthetic::small();
    let mut after = before.clone();
    let who = after.cells[2].cell.candidate.clone();
    for record in after.cells.iter_mut().filter(|it| it.cell.candidate == who) {
        record.cell.candidate.kernel = "avx512".into();
    }
    let compared = Compared::of(&before, &after);
    assert!(compared.only_before.is_empty() && compared.only_after.is_empty());
    let changed = compared.rows.iter().filter(|it| it.kernel_before.is_some()).count();
    assert_eq!(changed, 2, "at both lengths");
    let text = compared.render(200, false);
    let said = format!(
        "Code path of {} changed from {} to avx512: {}.",
        who.provider, who.kernel, who.mac
    );
    assert!(text.contains(&said), "{text}");
}

#[test]
fn launches_that_are_too_few_decide_nothing() {
    let mut before = synthetic::small();
    before.samples.retain(|sample| sample.launch < 5);
    let after = synthetic::small();
    let compared = Compared::of(&before, &after);
    assert!(compared.rows.iter().all(|it| it.verdict == Verdict::CannotConclude));
    let text = compared.verdict();
    assert!(text.starts_with("No cell can be judged: fewer than 6 launches"), "{text}");
}

/// The formats, each with eight repetitions of two benchmarks, the second at `ns`.
fn files(ns: f64) -> [String; 3] {
    let times = |middle: f64| (0..8).map(move |at| middle * (1.0 + f64::from(at - 4) * 0.0005));
    let mut go = "goos: linux\npkg: example.com/mac\n".to_owned();
    let mut speed = String::new();
    let mut google = Vec::new();
    for (one, two) in times(100.0).zip(times(ns)) {
        go += &format!(
            "BenchmarkOne-2 \t 1000\t{one} ns/op\t10 MB/s\nBenchmarkTwo-2 1000 {two} ns/op\n"
        );
        let speeds = [one, two].map(|ns| 64.0 * 1e9 / ns);
        speed += &format!("+H:64\n+F:6:sha256:{}\n+F:9:hmac(sha256):{}\n", speeds[0], speeds[1]);
        for (name, ns) in [("One", one), ("Two", two)] {
            google.push(serde_json::json!({
                "name": name, "run_name": name, "run_type": "iteration",
                "real_time": ns / 1e3, "time_unit": "us",
            }));
        }
    }
    google.push(serde_json::json!({ "name": "One_mean", "run_type": "aggregate", "real_time": 1 }));
    [go, speed, serde_json::json!({ "benchmarks": google }).to_string()]
}

#[test]
fn files_of_other_programs_are_compared() {
    let margin = Margin::new(0.02).unwrap();
    for (before, after) in files(200.0).iter().zip(files(220.0)) {
        let (before, after) = (Results::read(before).unwrap(), Results::read(&after).unwrap());
        let compared = ComparedFiles::of(&before, &after, margin);
        let text = compared.render(100, false);
        let verdicts: Vec<Verdict> = compared.rows.iter().map(|it| it.verdict).collect();
        assert_eq!(verdicts, [Verdict::Slower, Verdict::Equivalent], "{text}");
        assert!((compared.rows[0].before_ns - 200.0).abs() < 0.2, "{text}");
        assert!((compared.rows[0].ratio - 1.1).abs() < 1e-3, "{text}");
        assert!(text.starts_with("1 of 2 benchmarks is slower by more than 2 %; most: "), "{text}");
        let same = ComparedFiles::of(&before, &before, margin);
        assert_eq!((same.counts.slower, same.counts.faster), (0, 0));
    }
    // Ten samples of one benchmark, and one value without repetitions.
    let sample = |ns: f64| {
        let times: Vec<f64> = (1..=10).map(|calls| ns * f64::from(calls)).collect();
        let calls: Vec<u32> = (1..=10).collect();
        serde_json::json!({ "sampling_mode": "Linear", "iters": calls, "times": times }).to_string()
    };
    let [before, after] = [100.0, 150.0].map(|ns| Results::read(&sample(ns)).unwrap());
    assert_eq!(before.format, "criterion's sample.json");
    assert_eq!(ComparedFiles::of(&before, &after, margin).counts.slower, 1);
    let one = Results::read(r#"{"mac": {"latency": {"value": 61.5}}}"#).unwrap();
    let text = ComparedFiles::of(&one, &one, margin).render(80, false);
    assert!(text.starts_with("No benchmark can be judged: fewer than 6 repetitions"), "{text}");
}

#[test]
fn what_cannot_be_read_says_where() {
    let error = |text: &str| Results::read(text).unwrap_err().to_string();
    assert_eq!(Results::read("hmac,cmac\n1,2\n"), Err(FileError::Unknown));
    assert!(error("BenchmarkOne 1 fast ns/op").ends_with("line 1: \"fast\" is not a number"));
    assert!(error("BenchmarkOne 1 5 B/op").contains("has no result: 1 line without a time "));
    assert!(error("+H:16:64\n+F:6:sha256:1").contains("line 2: 1 speeds for 2 lengths (+H)"));
    assert!(error("+H:16\n+F:6").contains("line 2: has no name and speeds"));
    assert!(
        error("BenchmarkOne 1 0 ns/op").contains("One: 0 is not a valid time: must be above 0")
    );
    assert!(error(r#"{"benchmarks": []}"#).contains("has no result"));
    let unit = r#"{"benchmarks": [{"name": "A", "real_time": 1, "time_unit": "h"}]}"#;
    assert!(error(unit).contains("A: time_unit \"h\" is not known"));
    assert!(error(r#"{"iters": [1], "times": []}"#).contains("1 iters and 0 times"));
    let many = "BenchmarkOne 1 5 ns/op\n".repeat(2001);
    assert!(error(&many).contains("One: 2001 repetitions: at most 2000 are read"));
    let long = format!("Benchmark{} 1 5 ns/op", "x".repeat(201));
    assert!(error(&long).contains("a name of 201 characters; at most 200 are allowed"));
    let means = r#"{"benchmarks": [{"name": "A_mean", "run_type": "aggregate", "real_time": 1}]}"#;
    for (text, said) in [
        (r#"{"iters": [], "times": []}"#, "benchmark: has no result"),
        (r#"{"iters": [1, -1], "times": [5, -100]}"#, "must be above 0 (entry 2)"),
        ("+H:16\n+F:6:hmac:0.00", "line 2: 0 is not a valid speed: must be above 0"),
        ("+H:0\n+F:6:hmac:1", "line 1: 0 is not a valid length: must be above 0"),
        ("BenchmarkOne 1 1e70 ns/op", "One: 1e70 ns is not a valid time: must be at most 1e60"),
        (r#"{"benchmarks": [}"#, "is not valid JSON at line 1, column 1"),
        (means, "run without --benchmark_report_aggregates_only"),
    ] {
        assert!(error(text).contains(said), "{text}: {}", error(text));
    }
}

/// A benchmark that failed or was skipped, a counter that is no number, a mean of an older version,
/// and a name that looks like two lines.
#[test]
fn what_cannot_be_compared_is_named_and_the_rest_is_compared() {
    let text = r#"{"benchmarks": [
        {"name": "A", "run_type": "iteration", "real_time": 5, "counter": NaN},
        {"name": "B\nOnly", "run_type": "iteration", "error_occurred": true,
         "error_message": "no AES"},
        {"name": "C", "run_type": "iteration", "skipped": true, "skip_message": "not here"},
        {"name": "A_mean", "real_time": 5}
    ]}"#;
    let results = Results::read(text).unwrap();
    let left_out = ["B\u{fffd}Only: failed: no AES", "C: skipped: not here"];
    assert_eq!(results.left_out(), left_out);
    let [before, after] = ["old.json", "new\n.json"].map(|name| results.clone().named(name));
    let compared = ComparedFiles::of(&before, &after, Margin::new(0.02).unwrap());
    assert_eq!(compared.rows.len(), 1);
    let text = compared.render(100, false);
    assert!(text.contains("old.json → new\u{fffd}.json (JSON of Google Benchmark)\n"), "{text}");
    let listed = format!("\nWhat cannot be compared, after (2)\n  {}\n", left_out[0]);
    assert!(text.contains(&listed), "{text}");
    let value = serde_json::to_value(&compared).unwrap();
    assert_eq!(value["before"], "old.json");
    assert_eq!(value["format_after"], "JSON of Google Benchmark");
    assert_eq!(value["left_out_before"][1], left_out[1]);
    // Lines without a time, as of ReportMetric(0, "ns/op"), and seconds of benchstat's own.
    let go = "BenchmarkOne 9 5 ns/op\nBenchmarkOne 9 7 B/op\nBenchmarkOne 1_000 5 ns/op\n\
              BenchmarkOne 9 6e-9 sec/op\nBenchmarkOne says 5\n";
    let results = Results::read(go).unwrap();
    assert_eq!(
        results.left_out(),
        [
            "1 line without a time (ns/op, sec/op), first line 2",
            "1 line without a whole number of iterations, first line 3"
        ]
    );
    let columns = results.into_columns();
    let [(name, times)] = &columns[..] else { panic!("{columns:?}") };
    assert_eq!((name.as_str(), times.len()), ("One", 2));
    assert!((times[0] - 5.0).abs() < 1e-9 && (times[1] - 6.0).abs() < 1e-9, "{times:?}");
}

/// Less runs beside a cell in a launch for an open claim: tables do without those that not all it
/// is compared with share.
#[test]
fn launches_for_open_claims_are_not_compared() {
    let before = synthetic::survey();
    let mut after = before.clone();
    let one = after.cells.iter().find(|it| it.cell.candidate.mac == "poly1305").unwrap().clone();
    let example = *after.samples.iter().find(|it| it.cell == one.id).unwrap();
    let last = after.samples.iter().map(|it| it.block).max().unwrap();
    for more in 1..=30 {
        let mut sample = example;
        (sample.launch, sample.block) = (1000 + more, last + more);
        sample.elapsed_ns *= 2.0;
        after.samples.push(sample);
    }
    let compared = Compared::of(&before, &after);
    let row = compared.rows.iter().find(|it| it.cell == one.cell).unwrap();
    assert_eq!((row.before_ns, row.verdict), (row.after_ns, Verdict::Equivalent));
    assert!(!compared.trends.is_empty());
    let lengths = compared.trends.iter().flat_map(|it| &it.lengths);
    assert_eq!(lengths.map(|it| it.order.discordant).max(), Some(0));
}
