//! The test bed of segments: what is drawn, logged, warned of, and left out.

use lab::cell::Regime;
use lab::record::{Exclusion, Run, Sample};
use lab::regimes::segments::{Action, Medium};
use lab::study::{Claim, ClaimedContrast, Contrasted};
use report::findings::ClaimVerdict;
use report::findings::bills::bills;
use report::findings::schemes::what_follows;
use report::regimes::segments::log;
use report::{Findings, charts, page, terminal};

fn marks(svg: &str, class: &str) -> usize {
    svg.matches(&format!("class=\"{class}\"")).count()
}

fn log(run: &Run) -> String {
    let mut file = Vec::new();
    log::write(run, &mut file).unwrap();
    String::from_utf8(file).unwrap()
}

#[test]
fn each_action_has_a_box_a_scheme_and_size_and_the_whole_has_its_shares() {
    let run = synthetic::sms();
    let charts = charts::all(&run, &Findings::of(&run));
    let of = |kind: &str| charts.iter().filter(|it| it.kind.name() == kind).collect::<Vec<_>>();
    assert_eq!(of("transactions").len(), 2 * 5);
    for chart in of("transactions") {
        assert_eq!(marks(&chart.svg, "box"), 9 * 4, "{}", chart.name);
        assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"), "{}", chart.name);
    }
    for chart in of("transactions").into_iter().chain(of("where-time-goes")) {
        assert!(chart.svg.contains("repetitions at 1 KiB, "), "{}", chart.name);
    }
    assert_eq!(of("where-time-goes").len(), 2);
    let shares = &of("where-time-goes")[0].svg;
    assert_eq!((marks(shares, "share"), marks(shares, "whole")), (9 * 4 * 4, 9 * 4));
    // Other charts are of the whole alone.
    assert_eq!((of("ranking").len(), of("time-over-size").len()), (2 * 4, 2));
    assert_eq!((of("distributions").len(), of("cycles-per-byte").len()), (0, 0));
}

#[test]
fn a_box_far_beyond_the_others_leaves_a_mark_at_the_end_of_the_axis() {
    let mut run = synthetic::sms();
    let wanted =
        |regime: Regime| regime.segments().is_some_and(|it| it.action == Action::Splitting);
    let cell = run.cells.iter().find(|it| wanted(it.cell.regime)).unwrap().id;
    let draw = |run: &Run| {
        let charts = charts::all(run, &Findings::of(run));
        charts.into_iter().find(|it| it.name.ends_with("splitting-transactions")).unwrap().svg
    };
    let labels = |svg: &str| svg.matches("</text>").count();
    let before = draw(&run);
    run.samples.iter_mut().find(|it| it.cell == cell).unwrap().elapsed_ns *= 1000.0;
    let after = draw(&run);
    assert_ne!(before, after);
    assert_eq!(labels(&before), labels(&after), "the axis is as it was");
}

#[test]
fn schemes_without_all_actions_are_drawn_as_far_as_they_go() {
    let mut run = synthetic::sms();
    let gone = |regime: Regime| regime.segments().is_some_and(|it| it.action == Action::Decryption);
    run.cells.retain(|it| !gone(it.cell.regime));
    run.study.parts[0].regimes.retain(|it| !gone(*it));
    let findings = Findings::of(&run);
    let charts = charts::all(&run, &findings);
    assert_eq!(charts.iter().filter(|it| it.kind.name() == "transactions").count(), 2 * 4);
    assert!(charts.iter().all(|it| it.kind.name() != "where-time-goes"));
    assert!(page::render(&run, &findings).contains("whole"));
    run.samples.clear();
    let charts = charts::all(&run, &Findings::of(&run));
    assert!(charts.iter().all(|it| it.kind.name() != "transactions"));
}

#[test]
fn a_few_answers_are_headlines_not_each_action() {
    let run = synthetic::sms();
    let findings = Findings::of(&run);
    let contexts: Vec<&str> = findings.headlines.iter().map(|it| it.context.as_str()).collect();
    let wanted = [
        "Every library found",
        "1 KiB file, whole transaction, segments in memory",
        "1 MiB file, whole transaction, segments in memory",
        "1 KiB file, whole transaction, segments on disk",
        "1 MiB file, whole transaction, segments on disk",
    ];
    assert_eq!(contexts, wanted);
}

#[test]
fn what_is_not_as_promised_is_a_warning_and_red() {
    let mut run = synthetic::sms();
    let findings = Findings::of(&run);
    assert!(findings.warnings.iter().all(|it| !it.contains("refused")), "{:?}", findings.warnings);
    assert!(!page::render(&run, &findings).contains("\"broken\""));
    let told = what_follows(&findings.schemes).join("\n");
    assert!(
        told.contains("SE (each piece sealed by itself) did not detect a lost segment, a doubl")
    );
    run.schemes[0].faults[0].refused = 199;
    run.schemes[1].faults[1].refused = 200;
    let findings = Findings::of(&run);
    let wanted = [
        "ctr+cmac-aes-128-es from macs rejected 199 of 200 faults of the kind flip, where it \
         promises to reject every one",
        "ctr+cmac-aes-128-se from macs rejected 200 of 200 faults of the kind drop, where it \
         promises to reject none",
    ];
    assert_eq!(findings.warnings[..2], wanted);
    let page = page::render(&run, &findings);
    assert_eq!(page.matches("class=\"broken\"").count(), 2);
    assert!(page.contains("199 of 200"));
}

#[test]
fn compositions_that_pay_the_same_share_a_line() {
    let findings = Findings::of(&synthetic::sms());
    let bills = bills(&findings.schemes);
    assert_eq!(bills.len(), 2 + 3 + 3);
    let names = ["ctr+cmac-aes-128", "eax-aes-128"];
    assert_eq!(bills[1].compositions, names);
    let paid = bills[3].at(1024).unwrap();
    assert_eq!((paid.parts, paid.segments, paid.sent_bytes), (8, 15, 1024 + 8 * 32));
    // Encrypt-and-MAC has no associated data to bind by.
    assert_eq!(bills[4].compositions, ["ctr+cmac-aes-128, bound"]);
    assert_eq!(bills[4].at(1024).unwrap().sent_bytes, 1024 + 8 * 48);
}

#[test]
fn the_log_has_the_papers_columns() {
    let mut run = synthetic::sms();
    let es = run.cells[0].id;
    let se = run.cells.iter().find(|it| it.cell.candidate.mac.ends_with("-se")).unwrap().id;
    run.samples.retain(|it| (it.cell == es || it.cell == se) && it.block < 2);
    for sample in &mut run.samples {
        sample.elapsed_ns = 21_861_791.0;
        sample.unix_s = Some(1_286_169_243);
    }
    run.samples[1].unix_s = None;
    let wanted = "\
Action,File Name,Creation Time,File Size (bytes),Block Size (bytes),Part,Repeat Number,Time (ms),\
Scheme,Medium,Provider,Transactions
Splitting,test1kb,2010-10-04 05:14:03,1024,140,8,1,21.861791,ctr+cmac-aes-128-es,memory,\
macs[vaes-512],1
Splitting,test1kb,,1024,140,8,2,21.861791,ctr+cmac-aes-128-es,memory,macs[vaes-512],1
Splitting,test1kb,2010-10-04 05:14:03,1024,140,8,1,21.861791,ctr+cmac-aes-128-se,memory,\
macs[vaes-512],1
Splitting,test1kb,2010-10-04 05:14:03,1024,140,8,2,21.861791,ctr+cmac-aes-128-se,memory,\
macs[vaes-512],1
";
    assert_eq!(log(&run), wanted);
    // Another part that measures the same goes on counting.
    let mut again = run.clone();
    let mut record = again.cells[0].clone();
    record.id = 1 + again.cells.iter().map(|it| it.id).max().unwrap();
    let samples = again.samples.iter().filter(|it| it.cell == es);
    let samples: Vec<_> = samples.map(|it| Sample { cell: record.id, ..*it }).collect();
    again.samples.extend(samples);
    again.cells.push(record);
    let numbers = |log: &str| -> Vec<String> {
        let rows = log.lines().filter(|line| line.contains("ctr+cmac-aes-128-es"));
        rows.map(|line| line.split(',').nth(6).unwrap().to_owned()).collect()
    };
    assert_eq!(numbers(&log(&again)), ["1", "2", "3", "4"]);
    run.study.parts[0].files = vec!["letter.txt".into()];
    run.cells.iter_mut().find(|it| it.id == se).unwrap().excluded =
        Some(Exclusion::Failed("differs".into()));
    let own = log(&run);
    assert_eq!(own.lines().count(), 3, "what is excluded is not logged");
    assert!(own.lines().nth(1).unwrap().starts_with("Splitting,letter.txt,2010"));
    assert!(log::has_rows(&run) && !log::has_rows(&synthetic::survey()));
}

#[test]
fn the_papers_example_has_its_number_of_parts() {
    let mut run = synthetic::sms();
    run.samples.retain(|it| it.block == 0);
    let log = log(&run);
    let row = "Encryption,test10kb,2026-11-21 10:30:00,10240,140,74,1,";
    assert!(log.contains(row));
    assert!(log.contains("Combination,test1mb,"));
}

#[test]
fn a_page_of_21_schemes_stays_below_three_megabytes_and_is_picked_by_medium() {
    let run = synthetic::sms_of(7);
    let page = page::render(&run, &Findings::of(&run));
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let topics = page.split("data-topics=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(topics.split(' ').count(), 2, "{topics}");
}

#[test]
fn what_was_measured_once_is_told_so_and_no_interval_is_doubted_that_is_not_there() {
    let mut run = synthetic::sms();
    let long = |run: &Run, id: u32| run.cells[id as usize].cell.len_bytes == 1 << 20;
    let mut samples = std::mem::take(&mut run.samples);
    samples.retain(|it| !long(&run, it.cell) || it.block == 0);
    run.samples = samples;
    let findings = Findings::of(&run);
    let whole = "Too few repetitions for intervals: Segments of 140 bytes, 1 MiB (1 repetition in \
                 1 launch)";
    assert!(findings.warnings.iter().any(|it| it == whole), "{:?}", findings.warnings);
    assert!(findings.warnings.iter().all(|it| !it.contains("over blocks")));
    assert!(findings.headlines[2].sentence.contains("(measured once)"));
    let all = terminal::render(&run, &findings, 200, false);
    assert!(all.contains("1 MiB file, in ms, 1 repetition in 1 launch\n"), "{all}");
    let brief = terminal::brief(&run, &findings, 100, false);
    assert!(brief.contains("\nscheme ") && !brief.contains("\nMAC "), "{brief}");
    let told = "100 in 10 launches at 100 KiB; 1 in 1 launch at 1 MiB, too few for an interval.";
    let words: Vec<&str> = brief.split_whitespace().collect();
    assert!(words.join(" ").contains(told), "{brief}");
    assert!(!all.contains("interval yet") && !brief.contains("interval yet"));
}

/// The synthetic run with its transactions in memory as a part of their own, which blocks do not
/// pair with the other.
fn in_two_parts(contrast: ClaimedContrast) -> Run {
    let mut run = synthetic::sms();
    let is_memory =
        |regime: Regime| regime.segments().is_some_and(|it| it.medium == Medium::Memory);
    let mut memory = run.study.parts[0].clone();
    memory.name = "memory".into();
    memory.regimes.retain(|it| is_memory(*it));
    run.study.parts[0].regimes.retain(|it| !is_memory(*it));
    run.study.parts.push(memory);
    for record in run.cells.iter_mut().filter(|it| is_memory(it.cell.regime)) {
        record.part = 1;
    }
    for sample in &mut run.samples {
        let moved = run.cells[sample.cell as usize].part * 1000;
        sample.block += moved;
    }
    let (id, source, part) = ("bottleneck".into(), "page 1".into(), "segments".into());
    let contrast = Some(contrast);
    run.study.claims =
        vec![Claim { id, source, part, text: "Slow.".into(), contrast, ..Claim::default() }];
    run.study.check().unwrap();
    run
}

fn contrast(least: f64) -> ClaimedContrast {
    ClaimedContrast {
        of: Contrasted::Time,
        regime: "segments-disk-transaction".parse().unwrap(),
        to: "segments-memory-transaction".parse().unwrap(),
        to_part: Some("memory".into()),
        macs: vec!["*-es".into(), "*-se".into()],
        least: Some(least),
        most: None,
    }
}

#[test]
fn a_contrast_may_be_of_two_parts_which_launches_pair() {
    let verdict = |run: &Run| Findings::of(run).claims[0].panels[0].clone();
    let run = in_two_parts(contrast(2.0));
    let said = verdict(&run);
    assert_eq!((said.verdict, said.comparisons), (ClaimVerdict::Confirmed, 3 * 2 * 4));
    let told = " as long with segments on disk as with segments in memory (95 % interval ";
    assert!(said.reason.contains("a whole transaction with "), "{}", said.reason);
    assert!(said.reason.contains(told), "{}", said.reason);
    assert_eq!(verdict(&in_two_parts(contrast(1e6))).verdict, ClaimVerdict::Refuted);
    // Fewer launches leave blocks, which do not pair.
    let mut few = run;
    few.samples.retain(|it| it.launch < 5);
    assert!(verdict(&few).reason.contains("interval over unpaired blocks"));
}

#[test]
fn a_contrast_of_two_parts_names_one_that_is_there() {
    let check = |change: fn(&mut ClaimedContrast)| {
        let mut run = in_two_parts(contrast(2.0));
        change(run.study.claims[0].contrast.as_mut().unwrap());
        run.study.check().unwrap_err().to_string()
    };
    let error = check(|it| it.to_part = Some("disc".into()));
    assert!(error.contains("claim \"bottleneck\": no part \"disc\""), "{error}");
    let error = check(|it| it.to_part = None);
    assert!(error.contains("has no regime segments-memory-transaction"), "{error}");
}
