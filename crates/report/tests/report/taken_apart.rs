//! Call breakdown: the planted shares are found, floors are told and never ranked, and the
//! authors' CSV is theirs to the byte.

use lab::plan::is_floor;
use lab::record::{Exclusion, Run};
use report::findings::{Background, Group, Share};
use report::regimes::calls::crprf::{self, Program};
use report::{Findings, charts, page, terminal};

use crate::counted;

fn told(run: &Run) -> Findings {
    Findings::with_background(run, &Background { work: &counted::work, ..Background::default() })
}

fn apart(findings: &Findings) -> &Group {
    findings.groups.iter().find(|group| !group.taken_apart.is_empty()).unwrap()
}

/// Within 3 % of what was planted, by an interval no wider than that.
fn is_near(share: &Share, planted_ns: f64) -> bool {
    let near = |ns: f64| (ns - planted_ns).abs() < 0.03 * planted_ns;
    near(share.ns) && share.interval_ns.is_some_and(|it| near(it.low) && near(it.high))
}

#[test]
fn the_planted_shares_of_each_call_are_found() {
    let run = synthetic::khc();
    let findings = told(&run);
    let group = apart(&findings);
    assert_eq!(group.taken_apart.len(), 9 * 3);
    for it in &group.taken_apart {
        let cell = &findings.cells[it.cell];
        let frame_ns = if cell.cell.candidate.mac == "hmac-sha256" { 20.0 } else { 6.0 };
        let calls = cell.work.unwrap().calls;
        assert!(is_near(&it.measurement, 2.1), "{}: {:?}", cell.path, it.measurement);
        assert!(is_near(&it.frame, frame_ns), "{}: {:?}", cell.path, it.frame);
        assert!(is_near(&it.compressions, 24.0 * calls as f64), "{}", cell.path);
        assert!(is_near(it.compression_each.as_ref().unwrap(), 24.0), "{}", cell.path);
        let sum: f64 = it.shares().iter().map(|share| share.ns).sum();
        assert!((sum / cell.median_ns.unwrap() - 1.0).abs() < 0.01, "{}: {sum}", cell.path);
    }
    let macs = group.taken_apart.iter().take(3).map(|it| &findings.cells[it.cell]);
    let macs: Vec<&str> = macs.map(|cell| cell.cell.candidate.mac.as_str()).collect();
    assert_eq!(macs, ["hmac-sha256", "khc1-sha256", "khc2-sha256"], "as the case lists them");
}

#[test]
fn a_frame_is_that_of_the_same_code_path_and_without_one_nothing_is_taken_apart() {
    let mut run = synthetic::khc();
    let is_frame = |mac: &str| is_floor(mac) && mac != "null";
    for record in run.cells.iter_mut().filter(|it| is_frame(&it.cell.candidate.mac)) {
        record.excluded = Some(Exclusion::Failed("tag differs after timing".into()));
    }
    assert!(told(&run).groups.iter().all(|group| group.taken_apart.is_empty()));
    run.cells.retain(|it| !is_frame(&it.cell.candidate.mac));
    assert!(told(&run).groups.iter().all(|group| group.taken_apart.is_empty()));

    // A second code path, ten times as slow, under the numbers from 1000.
    let mut run = synthetic::khc();
    let mut soft: Vec<_> = run.cells.iter().filter(|it| it.part == 0).cloned().collect();
    soft.retain(|it| it.cell.candidate.mac != "null");
    for record in &mut soft {
        record.id += 1000;
        let candidate = &mut record.cell.candidate;
        candidate.kernel = "soft".into();
        if candidate.provider == "macs" {
            candidate.provider = "macs[soft]".into();
        }
    }
    let mut samples = run.samples.clone();
    samples
        .iter_mut()
        .for_each(|it| (it.cell, it.elapsed_ns) = (it.cell + 1000, 10.0 * it.elapsed_ns));
    samples.retain(|sample| soft.iter().any(|record| record.id == sample.cell));
    run.cells.extend(soft);
    run.samples.extend(samples);
    run.study.panels[0].providers.push("macs*".into());
    let findings = told(&run);
    let group = apart(&findings);
    assert_eq!(group.taken_apart.len(), 2 * 9 * 3);
    for it in &group.taken_apart {
        let cell = &findings.cells[it.cell];
        let times = if cell.cell.candidate.kernel == "soft" { 10.0 } else { 1.0 };
        let each = it.compression_each.as_ref().unwrap();
        assert!(is_near(each, 24.0 * times), "{}: {each:?}", cell.path);
    }
    let drawn = charts::all(&run, &findings);
    let chart = drawn.iter().find(|chart| chart.kind.name() == "taken-apart").unwrap();
    assert_eq!(chart.svg.matches("class=\"stack\"").count(), 54, "a row of bars for each");
}

#[test]
fn floors_are_cells_and_never_ranked() {
    let run = synthetic::khc();
    let findings = told(&run);
    let is_floor = |at: usize| is_floor(&findings.cells[at].cell.candidate.mac);
    assert!((0..findings.cells.len()).filter(|&at| is_floor(at)).count() > 9 * 3);
    for size in findings.groups.iter().flat_map(|group| &group.sizes) {
        assert!(size.ranking.iter().all(|row| !is_floor(row.cell)));
        let tests = size.tests.iter().flat_map(|tests| &tests.columns);
        assert!(tests.into_iter().all(|(_, cell)| !is_floor(*cell)));
    }
    assert!(findings.headlines.iter().all(|it| !it.sentence.contains("null")));
    let mut file = Vec::new();
    report::csv::findings(&run, &findings, &mut file).unwrap();
    assert!(String::from_utf8(file).unwrap().contains("null-khc1-sha256/null/sha-ni/latency/"));
}

#[test]
fn a_share_below_nothing_is_kept_and_shown_as_nothing_with_a_note() {
    let mut run = synthetic::khc();
    let frames: Vec<u32> = run
        .cells
        .iter()
        .filter(|it| it.cell.candidate.mac == "null-khc1-sha256")
        .map(|it| it.id)
        .collect();
    // As if the frame took less than nothing: 1.1 ns instead of 8.1.
    let low = |sample: &&mut lab::record::Sample| frames.contains(&sample.cell);
    run.samples.iter_mut().filter(low).for_each(|sample| sample.elapsed_ns *= 1.1 / 8.1);
    let findings = told(&run);
    let shares = apart(&findings).taken_apart.iter().filter(|it| it.frame.ns < 0.0).count();
    assert_eq!(shares, 9, "data keep what came out");
    let page = page::render(&run, &findings);
    assert!(page.contains("came out below 0") && page.contains(">0*<"));
    let text = terminal::render(&run, &findings, 100, false);
    let table = text.lines().skip_while(|line| !line.starts_with("Where the cycles go"));
    let table: Vec<&str> = table.take_while(|line| !line.is_empty()).collect();
    assert_eq!(table.iter().filter(|line| line.contains("0* (0–0)")).count(), 9, "{table:?}");
    assert!(table.iter().all(|line| !line.contains(" -") && !line.contains("(-")), "{table:?}");
    for chart in charts::all(&run, &findings).iter().filter(|it| it.kind.name() == "taken-apart") {
        assert!(!chart.svg.contains("height=\"-"), "{}", chart.svg);
    }
}

#[test]
fn a_brief_report_has_every_length_of_calls_taken_apart() {
    let run = synthetic::khc();
    let findings = told(&run);
    let text = terminal::brief(&run, &findings, 100, false);
    let table = text.lines().skip_while(|line| !line.starts_with("Where the cycles go"));
    let table: Vec<&str> = table.skip(1).take(1 + 3 * 4).collect();
    let head: Vec<&str> = table[0].split_whitespace().collect();
    assert_eq!(head[..3], ["MAC", "0", "B"], "{table:?}");
    assert_eq!(head.len(), 1 + 2 * 9, "a column a length: {table:?}");
    for (mac, rows) in
        ["hmac-sha256", "khc1-sha256", "khc2-sha256"].iter().zip(table[1..].chunks(4))
    {
        assert!(rows[0].starts_with(mac) && rows[0].contains("whole"), "{table:?}");
        let of = |row: usize| -> Vec<f64> {
            rows[row].split_whitespace().rev().take(9).map(|it| it.parse().unwrap()).collect()
        };
        let (whole, frame, compressions) = (of(0), of(1), of(2));
        for ((whole, frame), compressions) in whole.iter().zip(frame).zip(compressions) {
            assert!(frame + compressions < 1.02 * whole, "{rows:?}");
        }
    }
    // Narrow terminals have some of the lengths, and say so.
    let text = terminal::brief(&run, &findings, 60, false);
    assert!(text.contains("lengths more."), "{text}");
}

#[test]
fn a_message_of_no_bytes_has_a_time_and_no_cost_of_a_byte() {
    let run = synthetic::khc();
    let findings = told(&run);
    let empty = || findings.cells.iter().filter(|cell| cell.cell.len_bytes == 0);
    assert!(empty().all(|cell| cell.median_ns.is_some() && cell.cycles_estimated.is_some()));
    assert!(empty().all(|cell| cell.mib_per_s.is_none()));
    assert!(empty().all(|cell| cell.cycles_per_byte_estimated.is_none()));
    let drawn = charts::all(&run, &findings);
    let chart = |kind: &str| &drawn.iter().find(|chart| chart.kind.name() == kind).unwrap().svg;
    let points = |kind: &str| chart(kind).matches("class=\"point\"").count();
    assert_eq!(points("time-over-size"), 27);
    assert_eq!(points("cycles-per-byte"), 24);
    assert!(chart("time-over-size").contains(">0 B<"));
}

#[test]
fn very_long_messages_leave_the_empty_one_to_the_tables() {
    let mut run = synthetic::khc();
    for record in &mut run.cells {
        record.cell.len_bytes *= 1000;
    }
    let drawn = charts::all(&run, &told(&run));
    let chart = drawn.iter().find(|chart| chart.kind.name() == "time-over-size").unwrap();
    // 32,000 and 256,000 bytes read well on a line from 0.
    assert_eq!(chart.svg.matches("class=\"point\"").count(), 27);
    let last = run.cells.iter_mut().filter(|it| it.cell.len_bytes == 256_000);
    last.for_each(|it| it.cell.len_bytes = 8_000_000);
    let drawn = charts::all(&run, &told(&run));
    let chart = drawn.iter().find(|chart| chart.kind.name() == "time-over-size").unwrap();
    assert_eq!(chart.svg.matches("class=\"point\"").count(), 24);
    assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"));
}

#[test]
fn theory_stands_beside_measurement() {
    let run = synthetic::khc();
    let findings = told(&run);
    let page = page::render(&run, &findings);
    assert!(page.contains("Theory versus measurement") && page.contains("Call breakdown"));
    let text = terminal::render(&run, &findings, 80, false);
    let line = text.lines().find(|line| line.starts_with("khc1-sha256  1 × 1")).unwrap();
    assert!(line.contains("5 × "), "{line}");
    assert_eq!(text.lines().find(|line| line.chars().count() > 80), None);
    // Without a theory there is no table of it, and a bar has no number.
    let without = Findings::of(&run);
    assert!(!page::render(&run, &without).contains("Theory versus measurement"));
    assert!(without.groups[0].taken_apart.iter().all(|it| it.compression_each.is_none()));
}

#[test]
fn the_authors_csv_is_theirs() {
    let mut run = synthetic::khc();
    run.clock.ticks_hz = 2.5e9;
    run.clock.bracket_ns = 30.0;
    let table = |run: &Run, program| crprf::table(run, &told(run), program);
    // HMAC of nothing: 2.1 + 20 + 4 · 24 = 118.1 ns; single calls are planted as 118 + 20 ns; with
    // the bracket 168 ns at 2.5 GHz.
    let whole = table(&run, Program::Whole).unwrap();
    assert_eq!(
        whole,
        "Bytes , OpenSSL-HMAC , HMAC , KHC1 , KHC2\n\
         0 , 2620 , 420 , 205 , 265\n\
         32 , 2620 , 420 , 205 , 265\n\
         64 , 2680 , 480 , 265 , 265\n\
         96 , 2680 , 480 , 265 , 265\n\
         128 , 2740 , 540 , 325 , 265\n\
         160 , 2740 , 540 , 325 , 325\n\
         192 , 2800 , 600 , 385 , 325\n\
         224 , 2800 , 600 , 385 , 385\n\
         256 , 2860 , 660 , 445 , 385\n"
    );
    let measurement = table(&run, Program::Measurement).unwrap();
    assert_eq!(measurement.lines().nth(1), Some("0 , 2620 , 130 , 130 , 130"));
    let frame = table(&run, Program::Frame).unwrap();
    assert_eq!(frame.lines().nth(9), Some("256 , 2860 , 180 , 145 , 145"));
}

#[test]
fn what_the_authors_csv_lacks_is_empty_and_never_0() {
    let mut run = synthetic::khc();
    let id_of = |run: &Run, path: &str| {
        run.cells.iter().find(|it| it.cell.to_string() == path).map(|it| it.id).unwrap()
    };
    let gone = id_of(&run, "khc1-sha256/macs/sha-ni/latency/new-key/0");
    run.single_calls.retain(|calls| calls.cell != gone);
    let whole = |run: &Run| crprf::table(run, &told(run), Program::Whole);
    let second = |text: String| text.lines().nth(1).unwrap().to_owned();
    let fields = |line: String| line.split(',').map(|it| it.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(fields(second(whole(&run).unwrap()))[3], "");
    run.cells.retain(|it| it.cell.candidate.provider != "openssl");
    assert!(second(whole(&run).unwrap()).starts_with("0 ,, "), "{:?}", whole(&run));
    run.single_calls.clear();
    assert_eq!(whole(&run), None);
    assert_eq!(whole(&synthetic::survey()), None, "no part asks for it");
}
