//! Sessions are told together: absolute beside apparent processing, tails, capacities, keys.

use lab::cell::Regime;
use lab::record::Run;
use lab::regimes::sessions::{Binding, Quantity};
use report::findings::ClaimVerdict;
use report::findings::sessions::{LoadFinding, SessionsFinding, SessionsRow};
use report::{Findings, charts, csv, page, terminal};

fn part<'a>(run: &Run, findings: &'a Findings, name: &str) -> &'a SessionsFinding {
    let number = run.study.parts.iter().position(|part| part.name == name).unwrap();
    findings.sessions.iter().find(|it| it.part == number && it.panel == "hardware").unwrap()
}

fn on(load: &LoadFinding, processors: u32) -> bool {
    load.processors == processors
}

fn row<'a>(load: &'a LoadFinding, name: &str) -> &'a SessionsRow {
    load.rows.iter().find(|row| row.candidate.to_string() == name).unwrap()
}

#[test]
fn the_wall_clock_of_a_session_is_apparent_times_sessions() {
    let run = synthetic::apparent_processing_on(8);
    let findings = Findings::of(&run);
    let mut seen = 0;
    for load in findings.sessions.iter().flat_map(|it| &it.loads) {
        let sessions = f64::from(load.sessions.unwrap());
        for row in &load.rows {
            let (wall, apparent) = (row.wall_ns.unwrap(), row.apparent_ns.unwrap());
            assert!((wall.value / (apparent.value * sessions) - 1.0).abs() < 1e-12);
            let (low, high) = wall.ends().unwrap();
            assert!(low <= wall.value && wall.value <= high, "{}", row.candidate);
            let rate = row.messages_per_s.unwrap().value;
            assert!((rate * apparent.value / 1e9 - 1.0).abs() < 1e-12);
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen} rows");
}

#[test]
fn apparent_equals_absolute_on_one_processor_and_falls_with_more() {
    let run = synthetic::apparent_processing_on(8);
    let findings = Findings::of(&run);
    let cores = part(&run, &findings, "cores");
    assert_eq!(cores.lengths(), [64, 1024, 65_536]);
    let of = |processors| cores.at(65_536).find(|load| on(load, processors)).unwrap();
    let name = "cryptopp[aes-ni]/cmac-aes-128";
    let (one, two, all) = (row(of(1), name), row(of(2), name), row(of(8), name));
    assert!((one.to_absolute.unwrap().value - 1.02).abs() < 0.001);
    assert!((two.to_absolute.unwrap().value - 0.51).abs() < 0.001);
    assert!(one.speed_up.is_none() && one.cpu_cost_ratio.is_none());
    assert!((two.speed_up.unwrap().value - 2.0 / 1.01).abs() < 0.05);
    // Siblings share a core: twice the processors are not twice the work.
    assert!((all.speed_up.unwrap().value - 8.0 / 1.6 / 1.07).abs() < 0.1);
    assert!(all.cpu_cost_ratio.unwrap().interval.unwrap().low > 1.6);
    // AF_ALG works elsewhere: on one processor its absolute figure is a share of the apparent one.
    let elsewhere = row(of(1), "afalg[kernel]/hmac-sha256");
    assert!(elsewhere.offloads && elsewhere.to_absolute.unwrap().value > 2.5);
    assert!(
        findings.warnings.iter().any(|it| it.contains("only the processor time of those threads"))
    );
}

#[test]
fn a_byte_of_a_mix_is_counted_and_not_taken_from_the_name_of_the_cell() {
    let run = synthetic::apparent_processing();
    let findings = Findings::of(&run);
    let mix = &part(&run, &findings, "mix").loads[0];
    assert_eq!(mix.len_bytes, 354);
    let row = &mix.rows[0];
    let len = row.windows.unwrap().bytes_per_message;
    assert!((len - (7.0 * 64.0 + 4.0 * 576.0 + 1500.0) / 12.0).abs() < 0.01, "{len}");
    let cell = &findings.cells[row.apparent.unwrap()];
    let cycles = row.apparent_cycles_per_byte.unwrap().value;
    assert!((cycles * len / cell.cycles_estimated.unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(cell.cycles_per_byte_estimated, Some(cycles));
    assert!(findings.headlines.iter().any(|it| it.context.starts_with("mixed lengths, 354 B")));
}

#[test]
fn what_was_adjusted_is_told_and_doubts_are_warnings() {
    let run = synthetic::apparent_processing();
    let findings = Findings::of(&run);
    let text = terminal::render(&run, &findings, 100, false);
    assert!(text.contains("adjusted: t2 was put off from 110 to 220 ms"), "{text}");
    assert!(text.contains("1 package, 2 cores, 2 processors; none share a core"), "{text}");
    let warned = |what: &str| findings.warnings.iter().filter(|it| it.contains(what)).count();
    assert_eq!(warned("some of them were not served"), 1);
    assert_eq!(warned("differ by more than 5 %"), 1, "{:#?}", findings.warnings);
    let n = part(&run, &findings, "n");
    let most = n.loads.last().unwrap();
    assert!(most.sessions == Some(10_000) && most.rows[0].accounts_differ());
    assert!(most.rows[0].windows.unwrap().served < 1.0);
}

#[test]
fn capacities_and_keys_are_as_planted() {
    let run = synthetic::apparent_processing();
    let findings = Findings::of(&run);
    let table = &findings.capacities[0].tables[0];
    let best = &table.rows[0];
    assert_eq!(best.candidate.to_string(), "macs[vaes-512]/vmac128-aes-128");
    let (column, most) = best.most().unwrap();
    assert_eq!(table.regimes[column].to_string(), "batched-on-all-capacity");
    let (low, high) = most.sessions.ends().unwrap();
    assert!(low > 8000.0 && high < 9000.0 && most.tied_with_best, "{most:?}");
    // Three trials in each of twelve blocks; the largest that was carried has this tail.
    assert_eq!((most.trials, most.tail_ns), (36, Some(8e6)));
    let keys = &findings.working_sets[0];
    assert_eq!(keys.keys, [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]);
    assert!(keys.rows[0].growth.unwrap().interval.unwrap().low > 1.9);
}

/// Told in every form, without a panic and without what is no number.
fn told(run: &Run) -> Findings {
    let findings = Findings::of(run);
    let all = format!("{findings:?}");
    for wrong in ["NaN", ": inf", ": -inf", "(inf"] {
        assert!(!all.contains(wrong), "{wrong}");
    }
    for text in [terminal::render(run, &findings, 80, false), page::render(run, &findings)] {
        for wrong in ["NaN", "inf ", "Infinity"] {
            assert!(!text.contains(wrong), "{wrong}");
        }
    }
    for chart in charts::all(run, &findings) {
        assert!(!chart.svg.contains("NaN"), "{}", chart.name);
    }
    let mut file = Vec::new();
    csv::sessions::write(run, &mut file).unwrap();
    let text = String::from_utf8(file).unwrap();
    assert_eq!(text.lines().count(), 1 + run.sessions.len());
    assert!(!text.contains("NaN") && !text.contains("inf"));
    findings
}

#[test]
fn what_is_missing_is_left_out() {
    let whole = synthetic::apparent_processing();
    told(&whole);
    // Samples without what was seen beside them.
    let mut bare = whole.clone();
    bare.sessions.clear();
    bare.loads.clear();
    bare.machine.processors.clear();
    let findings = told(&bare);
    let row = &findings.sessions[0].loads[0].rows[0];
    assert!(row.windows.is_none() && row.to_absolute.is_some() && row.wall_ns.is_none());
    // Killed after some windows: one without a message, one candidate without its other quantity.
    let mut killed = whole.clone();
    killed.samples.retain(|it| it.launch == 0);
    killed.sessions.retain(|it| it.launch == 0);
    killed.sessions[0].measured.messages = 0;
    killed.sessions[0].measured.bytes = 0;
    killed.sessions[0].measured.process_cpu_ns = None;
    let absolute =
        |regime: Regime| regime.sessions().is_some_and(|it| it.quantity == Quantity::Absolute);
    let lost = killed.cells.iter().find(|it| absolute(it.cell.regime)).unwrap().id;
    killed.samples.retain(|it| it.cell != lost);
    let findings = told(&killed);
    assert!(findings.sessions[0].loads[0].rows.iter().all(|it| it.apparent_ns.is_some()));
    // Nothing measured at all.
    let mut none = whole.clone();
    none.samples.clear();
    none.sessions.clear();
    told(&none);
    // Without a core clock there are times, and no cycles.
    let mut clockless = whole.clone();
    clockless.samples.iter_mut().for_each(|it| it.core_hz = None);
    let findings = told(&clockless);
    assert!(findings.headlines.iter().any(|it| it.sentence.contains("per message apparent")));
}

#[test]
fn without_the_view_sessions_are_ranked_as_all_cells_are() {
    let mut run = synthetic::apparent_processing();
    run.study.parts.iter_mut().for_each(|part| part.views.clear());
    let findings = Findings::of(&run);
    assert!(findings.sessions.is_empty() && findings.capacities.is_empty());
    let text = terminal::render(&run, &findings, 100, false);
    assert!(text.contains("apparent processing"), "{text}");
    let kinds =
        charts::all(&run, &findings).iter().filter(|it| it.kind.name() == "ranking").count();
    assert!(kinds > 50, "{kinds}");
}

#[test]
fn each_bar_and_point_is_a_mark() {
    let run = synthetic::apparent_processing_on(8);
    let findings = Findings::of(&run);
    let charts = charts::all(&run, &findings);
    let of = |name: &str| {
        let found = charts.iter().find(|it| it.name == name);
        &found.unwrap_or_else(|| panic!("no {name}")).svg
    };
    let marks = |svg: &str, class: &str| svg.matches(&format!("class=\"{class}\"")).count();
    let own = |name: &str| format!("{name}-hardware-functions-prepared");
    let bars = of(&format!("{}-over-processors-1024", own("cores")));
    assert_eq!(marks(bars, "bar"), 9 * 3 * 4, "functions, quantities, numbers of processors");
    assert!(bars.contains("on all 8 processors"));
    let lines = of(&format!("{}-absolute-over-size", own("sizes")));
    assert_eq!((marks(lines, "line"), marks(lines, "point")), (9, 9 * 7));
    let many = of(&format!("{}-over-sessions-1024", own("n")));
    assert_eq!((marks(many, "line"), marks(many, "point")), (4 * 3, 4 * 3 * 5));
    let designs = of(&format!("{}-designs-256", own("designs")));
    assert_eq!(marks(designs, "bar"), 6 * 3);
    let keys = of(&format!("{}-working-set-64", own("keys")));
    assert_eq!(marks(keys, "point"), 6 * 7);
    let capacity = of(&format!("{}-capacity-1024", own("capacity")));
    assert_eq!(marks(capacity, "bar"), 6 * 3);
    let mut names: Vec<&str> = charts.iter().map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), charts.len());
}

#[test]
fn sessions_on_a_terminal() {
    let mut run = synthetic::apparent_processing();
    run.study.panels.truncate(1);
    let findings = Findings::of(&run);
    let text = terminal::render(&run, &findings, 100, false);
    insta::assert_snapshot!(text);
    for width in [80, 100] {
        let text = terminal::render(&run, &findings, width, false);
        assert_eq!(text.lines().find(|line| line.chars().count() > width), None);
    }
}

#[test]
fn a_window_is_a_row_of_a_file() {
    let run = synthetic::apparent_processing();
    let mut file = Vec::new();
    csv::sessions::write(&run, &mut file).unwrap();
    let text = String::from_utf8(file).unwrap();
    let first = text.lines().nth(1).unwrap();
    assert!(
        first.contains(
            ",hmac-md5/cryptopp/sse2/sessions-100-on-all-apparent/prepared/16,sizes,0,0,sessions,\
             100,0 1,false,,20,110,90000000,"
        ),
        "{first}"
    );
    let last = text.lines().last().unwrap();
    assert!(last.contains("batched-on-all-capacity") && last.contains(",100,20,520,"), "{last}");
    let columns = |line: &str| line.split(',').count();
    assert!(text.lines().all(|line| columns(line) == columns(first)));
}

/// A table read back: the names of its columns, and its rows.
fn table(file: &[u8]) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::str::from_utf8(file).unwrap();
    let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    (rows.next().unwrap(), rows.collect())
}

#[test]
fn a_capacity_stands_in_no_column_of_times() {
    let run = synthetic::apparent_processing();
    let findings = Findings::of(&run);
    let (mut of_findings, mut of_samples) = (Vec::new(), Vec::new());
    csv::findings(&run, &findings, &mut of_findings).unwrap();
    csv::raw(&run, &mut of_samples).unwrap();
    let rate = run.study.parts.iter().find(|part| part.name == "capacity").unwrap();
    let rate = rate.sessions.rate_per_s;
    let mut seen = 0;
    for (file, times) in [
        (of_findings, &["mean_ns", "median_ns", "low_ns", "high_ns", "cycles_estimated"][..]),
        (of_samples, &["iterations", "elapsed_ns", "call_ns", "ticks"][..]),
    ] {
        let (names, rows) = table(&file);
        let of = |row: &[String], name: &str| {
            row[names.iter().position(|it| it == name).unwrap()].clone()
        };
        let own: Vec<&String> = names.iter().filter(|it| it.starts_with("capacity_s")).collect();
        for row in rows {
            let is_capacity = of(&row, "cell").contains("-capacity/");
            let is_empty = |name: &&str| of(&row, name).is_empty();
            assert!(!is_capacity || times.iter().all(is_empty), "{row:?}");
            assert_eq!(own.iter().all(|name| of(&row, name).is_empty()), !is_capacity, "{row:?}");
            seen += usize::from(is_capacity);
        }
    }
    assert!(seen > 100, "{seen} rows");
    // Against the windows themselves, which count sessions.
    for cell in findings.cells.iter().filter(|it| it.path.contains("-capacity/")) {
        let capacity = cell.capacity.unwrap();
        let counts = run.sessions.iter().filter(|it| it.cell == cell.id);
        let counts: Vec<f64> = counts.map(|it| f64::from(it.load.count)).collect();
        let (least, most) = counts
            .iter()
            .fold((f64::MAX, 0.0f64), |(least, most), it| (least.min(*it), most.max(*it)));
        let interval = capacity.interval_sessions.unwrap();
        for value in [capacity.mean_sessions, capacity.median_sessions, interval.low, interval.high]
        {
            assert!(least * 0.999 <= value && value <= most * 1.001, "{value}: {least} to {most}");
        }
        assert!((interval.low..=interval.high).contains(&capacity.median_sessions));
        assert!((capacity.rate_per_s - rate).abs() < 1e-9);
    }
    let json = serde_json::to_value(&findings).unwrap();
    let cells = json["cells"].as_array().unwrap();
    let capacities = cells.iter().filter(|cell| cell.get("capacity").is_some());
    assert!(capacities.map(|cell| assert!(cell["median_ns"].is_null())).count() > 0);
}

#[test]
fn the_page_has_sections_of_sessions_and_every_evidence() {
    let run = synthetic::apparent_processing();
    let findings = Findings::of(&run);
    let page = page::render(&run, &findings);
    for wanted in ["id=\"sessions\"", "id=\"capacity\"", "id=\"working-set\"", "topology"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("id=\"ranking\""), "sessions are not ranked a second time");
    assert!(findings.headlines.len() >= 8);
    for headline in &findings.headlines {
        let anchor = format!("rank-{}-{}", headline.group, headline.len_bytes.unwrap());
        assert_eq!(page.matches(&format!("id=\"{anchor}\"")).count(), 1, "{anchor}");
    }
    let bindings = findings.sessions.iter().flat_map(|it| &it.loads).filter_map(|it| it.asked());
    assert!(bindings.into_iter().any(|it| it.binding == Binding::OnAll));
}

#[test]
fn answers_of_two_key_lives_are_told_apart() {
    let mut run = synthetic::apparent_processing();
    let part = &mut run.study.parts[0];
    part.key_lives.push(lab::cell::KeyLife::NewKey);
    let cells: Vec<_> = run.cells.iter().filter(|it| it.part == 0).cloned().collect();
    let shift = run.cells.len() as u32;
    for mut record in cells {
        let (own, new) = (record.id, record.id + shift);
        record.id = new;
        record.cell.key_life = lab::cell::KeyLife::NewKey;
        run.cells.push(record);
        let samples: Vec<_> = run.samples.iter().filter(|it| it.cell == own).copied().collect();
        run.samples.extend(samples.into_iter().map(|it| lab::record::Sample { cell: new, ..it }));
    }
    let findings = told(&run);
    for words in ["key prepared", "new key for each message"] {
        let own = findings.headlines.iter().filter(|it| it.context.contains(words)).count();
        assert_eq!(own, 2, "{words}, a panel each");
    }
    let mut contexts: Vec<&str> = findings.headlines.iter().map(|it| it.context.as_str()).collect();
    contexts.sort_unstable();
    contexts.dedup();
    assert_eq!(contexts.len(), findings.headlines.len());
}

/// A third of the windows of CMAC over Twofish had so little of their processors.
fn disturbed() -> Run {
    let mut run = synthetic::apparent_processing();
    let is_its = |id: u32, run: &Run| {
        let cell = &run.cells.iter().find(|it| it.id == id).unwrap().cell;
        cell.candidate.to_string() == "cryptopp[soft]/cmac-twofish-128" && cell.len_bytes == 1024
    };
    for at in 0..run.sessions.len() {
        let (id, block) = (run.sessions[at].cell, run.sessions[at].block);
        if is_its(id, &run) && block % 3 == 0 {
            let own = &mut run.sessions[at];
            own.measured.cpu_ns = 0.53 * own.measured.available_ns().unwrap();
            own.measured.received.as_mut().unwrap().others_ns =
                Some(0.46 * own.measured.available_ns().unwrap());
            own.thrown_away = 2;
        }
    }
    run
}

#[test]
fn windows_that_others_disturbed_are_marked_wherever_they_are_told() {
    let calm = synthetic::apparent_processing();
    let findings = Findings::of(&calm);
    assert!(findings.cells.iter().all(|it| it.disturbed.is_none()), "AF_ALG works elsewhere");
    assert!(!findings.warnings.iter().any(|it| it.contains("to themselves")));
    let run = disturbed();
    let findings = told(&run);
    let marked: Vec<_> = findings.cells.iter().filter(|it| it.disturbed.is_some()).collect();
    // Both quantities of a window of two candidates (its usual path is its software path), in
    // `sizes` and on one and all processors of `cores`.
    assert_eq!(marked.len(), 2 * 2 * 3, "{marked:#?}");
    let own = marked[0].disturbed.unwrap();
    assert_eq!((own.windows, own.of), (4, 12));
    let words = "in 4 of 12 windows the sessions had as little as 53.0 % of the processor time \
                 that they were ready to use; other programs had 46.0 %, the hypervisor 0.200 %";
    assert_eq!(own.words(), words);
    assert!(marked[0].notes.iter().any(|&at| findings.notes[at].starts_with("disturbed: ")));
    let warning = findings.warnings.iter().find(|it| it.contains("to themselves")).unwrap();
    assert!(warning.contains("48 windows were measured again"), "{warning}");
    assert!(warning.contains("The sessions ran at nice 4"), "{warning}");
    let text = terminal::render(&run, &findings, 100, false);
    assert!(text.contains("The sessions did not have this machine to themselves"), "{text}");
    let page = page::render(&run, &findings);
    assert!(page.contains("4 of 12 disturbed") && page.contains("the sessions ran at nice 4"));
    let mut file = Vec::new();
    csv::sessions::write(&run, &mut file).unwrap();
    let mut reader = ::csv::Reader::from_reader(&file[..]);
    let column = |name: &str, reader: &mut ::csv::Reader<&[u8]>| {
        reader.headers().unwrap().iter().position(|it| it == name).unwrap()
    };
    let [share, mark] = ["received_share", "disturbed"].map(|it| column(it, &mut reader));
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let hit: Vec<_> = rows.iter().filter(|row| &row[mark] == "true").collect();
    assert_eq!(hit.len(), 2 * 3 * 4);
    assert!(hit.iter().all(|row| row[share].starts_with("0.53")), "{hit:?}");
}

#[test]
fn what_was_measured_again_in_time_is_told_and_marks_nothing() {
    let mut run = synthetic::apparent_processing();
    run.sessions[0].thrown_away = 1;
    let findings = Findings::of(&run);
    assert!(findings.cells.iter().all(|it| it.disturbed.is_none()));
    let said = "One window was measured again, since others disturbed them; no window remains in \
                which the sessions had less than 95 % of the processor time";
    assert!(findings.warnings.iter().any(|it| it == said), "{:#?}", findings.warnings);
}

#[test]
fn older_archives_tell_of_no_share() {
    let mut run = synthetic::apparent_processing();
    let text = serde_json::to_string(&run.sessions[0]).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["measured"].as_object_mut().unwrap().remove("received").unwrap();
    let old: lab::record::SessionsRecord = serde_json::from_value(value).unwrap();
    assert_eq!((old.measured.received, old.thrown_away), (None, 0));
    run.sessions.iter_mut().for_each(|it| it.measured.received = None);
    let findings = told(&run);
    let row = &findings.sessions[0].loads[0].rows[0];
    assert!(row.windows.unwrap().received.is_none() && row.windows.unwrap().steal.is_some());
    assert!(findings.cells.iter().all(|it| it.disturbed.is_none()));
}

#[test]
fn what_rests_on_disturbed_windows_stays_undecided_and_says_why() {
    let claim = serde_json::json!({
        "id": "falls", "text": "more processors cost less", "source": "nowhere", "part": "cores",
        "panels": ["software"], "sizes": { "from": 1024, "to": 1024 },
        "contrast": {
            "regime": "sessions-100-on-all-apparent", "to": "sessions-100-on-1-apparent",
            "macs": ["*"], "most": 0.9,
        },
    });
    let verdict = |mut run: Run| {
        run.study.claims = vec![serde_json::from_value(claim.clone()).unwrap()];
        Findings::of(&run).claims[0].panels[0].clone()
    };
    let calm = verdict(synthetic::apparent_processing());
    assert_eq!(calm.verdict, ClaimVerdict::Confirmed, "{}", calm.reason);
    let own = verdict(disturbed());
    assert_eq!((own.verdict, own.open), (ClaimVerdict::Undecided, 1), "{}", own.reason);
    assert_eq!((own.hold, own.launches_needed), (calm.hold - 1, None));
    let why = "it rests on windows that others disturbed (in 8 of 24 windows the sessions had as \
               little as 53.0 % of the processor time that they were ready to use";
    assert!(own.reason.contains(why), "{}", own.reason);
    assert!(own.reason.contains("on an otherwise idle machine"), "{}", own.reason);
}

#[test]
fn the_session_that_is_scheduled_least_has_the_highest_apparent_processing() {
    let mut run = synthetic::apparent_processing();
    run.sessions.iter_mut().for_each(|it| it.measured.switches_involuntary = 100);
    let findings = Findings::of(&run);
    let windows = |run: &Run, findings: &Findings| {
        part(run, findings, "cores").loads[0].rows[0].windows.unwrap()
    };
    let short = windows(&run, &findings);
    assert!(short.turns.unwrap() < 4.0, "{short:?}");
    assert!(short.apparent_between.is_none() && short.fairness.is_none());
    assert!((short.absolute_between.unwrap().most - 1.3).abs() < 1e-9, "{short:?}");
    run.sessions.iter_mut().for_each(|it| it.measured.switches_involuntary = 800);
    let findings = Findings::of(&run);
    let own = windows(&run, &findings).apparent_between.unwrap();
    assert!((windows(&run, &findings).turns.unwrap() - 8.0).abs() < 1e-9);
    let row = &part(&run, &findings, "cores").loads[0].rows[0];
    // Planted: 0.8, 0.96, 1.04 and 1.3 times the messages of the middle session.
    assert!((own.most - 1.25).abs() < 1e-9 && (own.least - 1.0 / 1.3).abs() < 1e-9, "{own:?}");
    assert!((own.upper_quartile - 1.0 / 0.96).abs() < 1e-9, "{own:?}");
    let wall = row.wall_cycles_per_byte.unwrap().value;
    assert!((wall / row.apparent_cycles_per_byte.unwrap().value - 100.0).abs() < 1e-9);
    run.sessions.iter_mut().for_each(|it| it.measured.messages_of_session.least = 0.0);
    let findings = told(&run);
    assert!(windows(&run, &findings).apparent_between.is_none());
}
