//! Gates over runs with a planted truth: verdicts, exit codes, what is told in each format.

use std::collections::{BTreeMap, BTreeSet};

use lab::record::{CellRecord, Event, Run};
use lab::study::{Gate, Study};
use report::gate::{Accepted, GateFindings, Outcome, Undecided};
use synthetic::{Filling, Noise, Planted, planted};

/// Those of twelve cells: the first comes after ten launches.
fn looks() -> Vec<u32> {
    let looks = stats::looks(12, report::gate::ALPHA).into_iter().map(|look| look.launches);
    looks.collect()
}

/// Times as many of the base again and of both workers of the new version, of HMAC alone.
fn gate_of(again: f64, new: f64, filling: Filling) -> Run {
    let mut study = Study::parse(include_str!("../../../../studies/gate.toml")).unwrap();
    let names = ["lib-base", "lib-base-again", "lib-new", "lib-new-again"];
    study.panels[0].providers = names.map(String::from).to_vec();
    let [base, once_more, judged, judged_again] = names.map(String::from);
    let new_again = Some(judged_again);
    study.gate = Some(Gate { base, again: once_more, new: judged, new_again, looks: looks() });
    let version = |name: &'static str, times: f64| -> [Planted; 2] {
        let hmac = (name, "sha-ni", "hmac-sha256");
        let cmac = (name, "aes-ni", "cmac-aes-128");
        [
            planted(hmac, 200.0 * times, 0.5 * times, 90.0 * times, 32),
            planted(cmac, 60.0, 0.7, 100.0, 16),
        ]
    };
    let times = [1.0, again, new, new];
    let versions: Vec<Planted> =
        names.into_iter().zip(times).flat_map(|(name, times)| version(name, times)).collect();
    synthetic::run(study, &versions, filling)
}

fn told(run: &Run) -> GateFindings {
    GateFindings::of(run, &[], Undecided::CannotSay).unwrap()
}

fn accepted(cell: &str, expired: bool) -> Accepted {
    let [reason, author, expires] = ["masked", "J. Doe", "2027-03-31"].map(String::from);
    Accepted { cell: cell.into(), reason, author, expires, expired }
}

#[test]
fn what_is_equal_is_not_slower() {
    let findings = told(&gate_of(1.0, 1.0, Filling::QUIET));
    assert_eq!((findings.outcome, findings.exit_code), (Outcome::NotSlower, 0));
    assert_eq!((findings.cells.len(), &findings.looks[..]), (12, &[10][..]));
    let text = findings.text(80, false);
    assert!(text.starts_with("Not slower: none of 12 cells takes more than 2 % longer"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(findings.open().count(), 0);
}

/// Gates of the archive had three workers once.
#[test]
fn a_gate_with_one_worker_of_the_new_version_is_judged_by_that_one() {
    for (times, code) in [(1.0, 0), (1.05, 1)] {
        let mut run = gate_of(1.0, times, Filling::QUIET);
        let gate = run.study.gate.as_mut().unwrap();
        let name = gate.new_again.take().unwrap();
        let without = serde_json::to_string(gate).unwrap();
        assert_eq!(serde_json::from_str::<Gate>(&without).unwrap(), *gate);
        run.cells.retain(|it| it.cell.candidate.provider != name);
        let findings = told(&run);
        assert_eq!((findings.exit_code, findings.cells.len()), (code, 12));
        assert!(findings.cells.iter().all(|it| it.base_ns.is_some() && it.new_ns.is_some()));
    }
}

#[test]
fn what_is_slower_is_told_first_and_fails() {
    let findings = told(&gate_of(1.0, 1.05, Filling::QUIET));
    assert_eq!((findings.outcome, findings.exit_code), (Outcome::Slower, 1));
    assert_eq!(findings.slower().count(), 6);
    assert!(findings.slower().all(|it| it.mac == "hmac-sha256" && it.launches == 10));
    let begins = "Slower: 6 of 12 cells take more than 2 % longer than the base, the most, \
                  hmac-sha256/";
    assert!(findings.verdict.starts_with(begins), "{}", findings.verdict);
    let markdown = findings.markdown();
    assert!(markdown.contains("### ❌") && markdown.contains("#### Slower by more than 2 %"));
    assert!(markdown.contains("| hmac-sha256/prepared/64 | "), "{markdown}");
    let junit = findings.junit().unwrap();
    let counts = "tests=\"15\" disabled=\"0\" errors=\"0\" failures=\"6\"";
    let has_counts = counts.split(' ').all(|count| junit.contains(count));
    assert!(has_counts && junit.contains("<failure message=\"slower: 1.05"), "{junit}");
    let json: serde_json::Value = serde_json::from_str(&findings.json().unwrap()).unwrap();
    assert_eq!((&json["outcome"], &json["exit_code"]), (&"slower".into(), &1.into()));
}

/// What disturbs a process, or a sample, makes it longer, whichever version it is of.
#[test]
fn disturbances_make_no_version_faster() {
    let mut noise = Noise(18);
    let (mut logs, mut apart) = (Vec::new(), 0);
    for _ in 0..30 {
        let mut run =
            gate_of(1.0, 1.0, Filling { launch_sd: 0.0, block_sd: 0.0, ..Filling::QUIET });
        let mut processes = BTreeMap::new();
        for sample in &mut run.samples {
            let cell = (sample.cell, sample.launch);
            let process = *processes.entry(cell).or_insert_with(|| 0.01 * noise.exponential());
            sample.elapsed_ns *= 1.0 + process + 0.05 * noise.exponential();
        }
        for row in told(&run).cells {
            logs.push(row.ratio.unwrap().ln());
            apart += u32::from(row.interval.is_some_and(|it| it.low > 1.0 || it.high < 1.0));
        }
    }
    let cells = logs.len() as f64;
    let below = logs.iter().filter(|log| **log < 0.0).count() as f64;
    // Half of them but for three standard deviations, and at most one interval in twenty likewise.
    assert!((below / cells - 0.5).abs() < 1.5 / cells.sqrt(), "{below} of {cells} below 1");
    let most = 0.05 * cells + 3.0 * (0.05 * 0.95 * cells).sqrt();
    assert!(f64::from(apart) <= most, "{apart} of {cells} intervals without 1");
}

#[test]
fn what_is_faster_passes_and_is_told() {
    let findings = told(&gate_of(1.0, 0.9, Filling::QUIET));
    assert_eq!((findings.exit_code, findings.faster().count()), (0, 6));
    assert!(findings.text(80, false).contains("Faster by more than 2 %:"));
}

#[test]
fn a_base_that_differs_from_itself_ends_in_no_verdict() {
    let findings = told(&gate_of(1.05, 1.2, Filling::QUIET));
    assert_eq!((findings.outcome, findings.exit_code), (Outcome::Alarm, 3));
    assert!(findings.verdict.starts_with("Undecided: the base differs from itself by more than"));
    assert!(findings.alarms.iter().all(|it| it.starts_with("hmac-sha256/")), "{findings:?}");
    // Whatever open cells do.
    let run = gate_of(1.05, 1.0, Filling::QUIET);
    let passing = GateFindings::of(&run, &[], Undecided::Pass).unwrap();
    assert_eq!(passing.exit_code, 3);
    assert!(report::gate::open(&run).is_empty(), "nothing more will change it");
}

#[test]
fn what_one_version_refused_is_not_decided() {
    let mut run = gate_of(1.0, 1.0, Filling::QUIET);
    let is_refused =
        |it: &CellRecord| it.cell.candidate.provider == "lib-new" && it.cell.len_bytes == 16384;
    run.cells.retain(|it| !is_refused(it));
    let left: BTreeSet<u32> = run.cells.iter().map(|it| it.id).collect();
    run.samples.retain(|it| left.contains(&it.cell));
    let findings = told(&run);
    assert_eq!((findings.outcome, findings.exit_code), (Outcome::Open, 3), "{}", findings.verdict);
    assert_eq!((findings.cells.len(), findings.open().count()), (12, 4));
    assert!(report::gate::open(&run).is_empty(), "nothing of it can be measured");
}

#[test]
fn what_is_open_does_what_the_user_says_and_goes_on_being_measured() {
    let run = gate_of(1.0, 1.02, Filling::QUIET);
    let of = |undecided| GateFindings::of(&run, &[], undecided).unwrap();
    let open = of(Undecided::CannotSay);
    assert_eq!((open.outcome, open.exit_code), (Outcome::Open, 3), "{}", open.verdict);
    assert!(open.verdict.starts_with("Undecided: ") && open.open().count() > 0);
    let codes = [Undecided::Pass, Undecided::Fail].map(|it| of(it).exit_code);
    assert_eq!(codes, [0, 1]);
    assert_eq!(report::gate::open(&run).len(), open.open().count());
    let early = gate_of(1.0, 1.5, Filling { launches: 7, ..Filling::QUIET });
    let early = told(&early);
    assert_eq!((early.exit_code, early.looks.len(), early.open().count()), (3, 0, 12));
    assert!(early.budget_to_decide_s.is_some());
}

#[test]
fn known_slowdowns_do_not_count_while_they_last() {
    let run = gate_of(1.0, 1.05, Filling::QUIET);
    let of = |known: &[Accepted]| GateFindings::of(&run, known, Undecided::CannotSay).unwrap();
    let all = of(&[accepted("hmac-*/*/*", false)]);
    assert_eq!((all.exit_code, all.excused().count()), (0, 6));
    assert!(all.verdict.contains("but for 6 accepted cells"), "{}", all.verdict);
    let some = of(&[accepted("hmac-*/prepared/*", false)]);
    assert_eq!((some.exit_code, some.slower().count()), (1, 3));
    let late = of(&[accepted("hmac-*/*/*", true), accepted("kmac128/*/*", false)]);
    assert_eq!(late.exit_code, 1);
    let text = late.text(200, false);
    assert!(text.contains(
        "No longer accepted: hmac-*/*/* (masked, J. Doe), which expired after 2027-03-31"
    ));
    assert!(text.contains("Accepted, but not a cell of this gate: kmac128/*/*."), "{text}");
}

#[test]
fn code_paths_and_offers_that_change_are_told_at_equal_speed() {
    let mut run = gate_of(1.0, 1.0, Filling::QUIET);
    let new = run.providers.iter_mut().find(|it| it.name == "lib-new").unwrap();
    new.offers.retain(|it| it.mac != "cmac-aes-128");
    new.offers[0].kernel = "soft".into();
    let findings = told(&run);
    let changes: Vec<String> = findings.changes.iter().map(report::gate::Change::told).collect();
    let gone = "cmac-aes-128 (prepared, new-key): offered only by the base";
    assert_eq!(changes, [gone, "hmac-sha256: code path sha-ni → soft"]);
    // What is gone cannot be compared.
    assert_eq!((findings.outcome, findings.exit_code), (Outcome::Open, 3));
    run.providers.iter_mut().find(|it| it.name == "lib-new").unwrap().different = [
        "cmac-aes-128/prepared",
        "cmac-aes-128, message by message",
        "poly1305-of-no-gate/prepared",
    ]
    .map(|it| it.to_owned().into())
    .into();
    let wrong = told(&run);
    assert_eq!(
        (wrong.outcome, wrong.exit_code, wrong.wrong_tags.len()),
        (Outcome::WrongTags, 1, 2)
    );
    assert!(wrong.verdict.contains("cmac-aes-128/prepared of lib-new"), "{}", wrong.verdict);
}

#[test]
fn what_both_versions_refuse_is_undecided() {
    let mut run = gate_of(1.0, 1.0, Filling::QUIET);
    let (cells, gone) = (told(&run).cells.len(), run.cells[0].cell.clone());
    let is_gone = |it: &CellRecord| {
        let (cell, gone) = (&it.cell, &gone);
        cell.candidate.mac == gone.candidate.mac
            && (cell.key_life, cell.len_bytes) == (gone.key_life, gone.len_bytes)
    };
    run.cells.retain(|it| !is_gone(it));
    let findings = told(&run);
    assert_eq!(findings.cells.len(), cells);
    assert_eq!((findings.outcome, findings.exit_code), (Outcome::Open, 3));
}

#[test]
fn a_worker_that_ends_leaves_no_verdict() {
    let mut run = gate_of(1.0, 1.0, Filling::QUIET);
    run.events.push(Event::dropped(0, "lib-new", "died at `run`: signal 11"));
    let findings = GateFindings::of(&run, &[], Undecided::Pass).unwrap();
    assert_eq!((findings.outcome, findings.exit_code), (Outcome::Lost, 3));
    assert!(findings.verdict.contains("signal 11"));
    assert!(report::gate::open(&run).is_empty());
}

#[test]
fn another_run_is_no_gate() {
    assert!(GateFindings::of(&synthetic::survey(), &[], Undecided::Pass).is_none());
}
