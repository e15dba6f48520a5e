//! Runs of sessions against toy workers that answer `sessions` with windows known exactly.

use lab::cell::{KeyLife, Regime};
use lab::measure::needs;
use lab::record::{Adjustment, Offer, ProviderRecord, Run, RunState, SessionsRecord};
use lab::regimes::sessions::Quantity;
use lab::study::Study;
use lab::worker::client::Launch;

use crate::bed::{self, Bed, planned};

/// A study whose only part has these regimes.
fn study(regimes: &str, more: &str) -> Study {
    let text = format!(
        r#"
        name = "toy"
        title = "Toy"
        summary = "Toy workers."
        budget_s = 60
        launches = 2
        [[panels]]
        name = "all"
        title = "All"
        [[parts]]
        name = "one"
        title = "One"
        sizes = [16]
        key_lives = ["prepared"]
        regimes = {regimes}
        blocks = 4
        {more}
        [[parts.cases]]
        name = "toy"
        title = "Toy"
        macs = ["toy"]
        "#
    );
    Study::parse(&text).unwrap()
}

/// A worker that gives a window of 100 ms to whatever is put on: 1000 `$messages`, 190 ms of two
/// processors. `$sessions` were put on until `$to` ms; `model` may say how many of them are
/// `$served`, what the `$tail` of messages at a rate is, in ns, and `$more` of the reply.
fn toy(name: &str, model: &str) -> Launch {
    let script = format!(
        r#"while read verb id load rest; do
            case $verb in
                prove) echo 'ok {{"tags":"aa"}}';;
                run) echo "ok {{\"elapsed_ns\":$((load * 50))}}";;
                single) echo "ok {{\"ns\":[[50,$load]]}}";;
                sessions)
                    sessions=${{load#*\"count\":}}; sessions=${{sessions%%,*}}
                    to=${{load#*\"to_ms\":}}; to=${{to%%.*}}
                    served=$sessions; tail=1000; messages=1000; more=
                    {model}
                    spread='{{"least":1,"lower_quartile":1,"median":1,"upper_quartile":1,"most":1}}'
                    echo "ok {{\"window_ns\":1e8,\"messages\":$messages,\"bytes\":16000,\
                        \"cpu_ns\":1.9e8,\"process_cpu_ns\":1.9e8,\"core_hz\":3e9,\"threads\":2,\
                        \"served\":$served,\"slices\":[],\"messages_of_session\":$spread,\
                        \"cpu_ns_of_session\":$spread,\"fairness\":1,\"switches_voluntary\":0,\
                        \"switches_involuntary\":0,\"migrations\":0,\"times\":[[$tail,1000]],\
                        \"behind\":0$more}}";;
                *) echo 'ok {{}}';;
            esac
        done"#
    );
    bed::worker(name, &script)
}

fn provider(name: &str) -> ProviderRecord {
    let mac = if name == "null" { "null" } else { "toy" };
    let offer =
        Offer { mac: mac.into(), kernel: "soft".into(), key_lives: vec![KeyLife::Prepared] };
    ProviderRecord {
        name: name.into(),
        version: "1".into(),
        path: "here".into(),
        detail: String::new(),
        offers: vec![offer],
        regimes: if name == "old" { vec![Regime::USUAL] } else { Regime::kinds().collect() },
        different: vec![],
        offloads: false,
    }
}

fn begun(study: Study, launches: &[Launch]) -> Run {
    bed::begun(study, launches.iter().map(|launch| provider(&launch.name)).collect())
}

/// A run of these workers in an archive of its own.
fn bed_of(study: Study, launches: Vec<Launch>) -> Bed {
    Bed::new(begun(study, &launches), launches)
}

fn quantity(run: &Run, cell: u32) -> Option<Quantity> {
    let record = run.cells.iter().find(|record| record.id == cell).unwrap();
    record.cell.regime.sessions().map(|it| it.quantity)
}

#[test]
fn a_window_gives_two_samples_and_one_record_in_the_block() {
    let study = study(r#"["single", "sessions-8-on-1", "pooled-8-on-all"]"#, "");
    let mut bed = bed_of(study, ["a", "b", "old", "null"].map(|name| toy(name, "")).to_vec());
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let (run, kept) = (&bed.run, bed.kept());
    assert_eq!(kept, *run);
    // Two candidates by two regimes by four blocks.
    assert_eq!(run.sessions.len(), 2 * 2 * 4, "{:?}", run.events);
    for window in &run.sessions {
        let of_block = run.samples.iter().filter(|it| it.block == window.block);
        let regime = |cell: u32| run.cells.iter().find(|it| it.id == cell).unwrap();
        let unit = regime(window.cell).cell.measured_as();
        let samples: Vec<_> =
            of_block.filter(|it| regime(it.cell).cell.measured_as() == unit).collect();
        assert_eq!(samples.len(), 2);
        for sample in samples {
            let expected = match quantity(run, sample.cell).unwrap() {
                Quantity::Absolute => 190_000.0,
                _ => 100_000.0,
            };
            assert_eq!((sample.call_ns(), sample.core_hz), (expected, Some(3e9)));
            assert_eq!(sample.launch, window.launch);
        }
    }
    let old = run.cells.iter().find(|it| it.cell.candidate.provider == "old").unwrap();
    assert_eq!(old.cell.regime, Regime::USUAL, "it does not know sessions");
    let is_of_sessions = |cell: u32| quantity(run, cell).is_some();
    assert!(!run.single_calls.iter().any(|calls| is_of_sessions(calls.cell)));
    assert!(run.single_calls.iter().any(|calls| !is_of_sessions(calls.cell)));
    let loads: Vec<_> = run.loads.iter().map(|it| (it.count, it.from_ms, it.to_ms)).collect();
    assert_eq!(loads, [(8, 20.0, 120.0), (8, 20.0, 120.0)]);
    assert!(run.loads.iter().all(|it| it.adjusted.is_empty() && it.doubts.is_empty()));
}

#[test]
fn sessions_alone_need_no_floor() {
    let study = study(r#"["sessions-8-on-1"]"#, "");
    let run = begun(study, &[toy("a", ""), toy("null", "")]);
    let macs = planned(&run).into_iter().map(|it| it.cell.candidate.mac);
    assert_eq!(macs.collect::<Vec<_>>(), ["toy", "toy"]);
}

const ALL_FROM_500_MS: &str = "[ $to -lt 500 ] && served=$((sessions - 12))";

#[test]
fn the_window_is_settled_once_for_all_candidates_and_kept() {
    let study = study(r#"["sessions-on-all"]"#, "");
    let launches = ["a", "b"].map(|name| toy(name, ALL_FROM_500_MS)).to_vec();
    let mut bed = bed_of(study, launches);
    assert_eq!(bed.measure(3).unwrap(), RunState::Interrupted);
    let before = bed.kept();
    let [load] = &before.loads[..] else { panic!("{:?}", before.loads) };
    assert_eq!((load.count, load.from_ms, load.to_ms), (100, 80.0, 522.0));
    let why = "window lengthened from 221 to 442 ms: 12 of 100 sessions had no message done in \
               the window";
    assert_eq!(
        (&load.adjusted[..], load.doubts.len()),
        (&[Adjustment::own(why.to_owned())][..], 0)
    );
    assert!(!before.sessions.is_empty());
    bed.run = before.clone();
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let after = bed.kept();
    assert_eq!(after.loads, before.loads, "a resumed run goes on with what was settled");
    assert_eq!(after.sessions[..before.sessions.len()], before.sessions);
    assert_eq!(after.sessions.len(), 2 * 4);
    let put_on = |it: &SessionsRecord| (it.load.count, it.load.from_ms, it.load.to_ms);
    assert!(after.sessions.iter().all(|it| put_on(it) == (100, 80.0, 522.0)));
    assert_eq!(after.sessions[0].load.cpus, [0, 1]);
}

#[test]
fn a_run_killed_between_loads_and_cells_does_not_settle_twice() {
    let study = study(r#"["sessions-on-all"]"#, "");
    let mut bed = bed_of(study, vec![toy("a", ALL_FROM_500_MS)]);
    let mut settled = bed.run.clone();
    settled.loads = vec![lab::record::SettledLoad {
        part: 0,
        regime: "sessions-on-all-apparent".parse().unwrap(),
        len_bytes: 16,
        count: 7,
        from_ms: 1.0,
        to_ms: 900.0,
        adjusted: vec![],
        doubts: vec![],
    }];
    bed.archive.keep_loads(&settled.id, &settled.loads).unwrap();
    bed.run = bed.kept();
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    assert_eq!(bed.kept().loads, settled.loads);
    assert!(bed.run.sessions.iter().all(|it| it.load.count == 7));
}

#[test]
fn too_many_for_a_steady_state_are_fewer_unless_the_number_is_fixed() {
    let most_30 = "[ $sessions -gt 30 ] && served=30";
    let mut bed = bed_of(study(r#"["sessions-on-all"]"#, ""), vec![toy("a", most_30)]);
    bed.measure(1).unwrap();
    let load = &bed.run.loads[0];
    assert_eq!(load.count, 30, "{load:?}");
    let lowered = load.adjusted.iter().filter(|it| it.why.starts_with("sessions lowered")).count();
    assert_eq!((lowered, load.doubts.len()), (1, 0), "{load:?}");

    let fixed = study(r#"["sessions-100-on-all"]"#, "sessions = { window_ms = [10, 60] }");
    let mut bed = bed_of(fixed, vec![toy("a", most_30)]);
    bed.measure(1).unwrap();
    let load = &bed.run.loads[0];
    assert_eq!((load.count, load.from_ms, load.to_ms), (100, 10.0, 60.0));
    assert!(load.adjusted.is_empty() && load.doubts[0].starts_with("70 of 100"), "{load:?}");
}

#[test]
fn a_window_that_cannot_be_kept_costs_its_candidate_and_not_the_run() {
    let garbled = "answers `sessions";
    for (model, told) in [
        ("messages=9223372036854775808", garbled),
        ("tail='1,9223372036854775808],[2,9223372036854775808],[3'", garbled),
        (r#"more=',"window_cpu_ns":1e-300'"#, "has 1000 calls in inf ns"),
    ] {
        let study = study(r#"["sessions-8-on-1"]"#, "");
        let mut bed = bed_of(study, vec![toy("a", ""), toy("b", model)]);
        assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
        let run = bed.kept();
        assert!(run.events.iter().any(|it| it.text.contains(told)), "{:?}", run.events);
        let provider = |cell: u32| {
            let record = run.cells.iter().find(|it| it.id == cell).unwrap();
            record.cell.candidate.provider.as_str()
        };
        assert!(run.samples.iter().all(|it| provider(it.cell) == "a"), "{model}");
        assert!(!run.samples.is_empty(), "{model}: {:?}", run.events);
    }
}

#[test]
fn a_capacity_is_where_the_tail_explodes() {
    // Where nobody waits 600,000 messages a second; at a rate 5000 sessions keep their tail.
    let model = "case $load in *rate_per_s\\\":null*) messages=60000;; *)
        [ $sessions -gt 5000 ] && tail=50000000;; esac";
    let regimes = r#"["pooled-on-all-capacity", "sessions-on-all-capacity"]"#;
    let mut bed = bed_of(study(regimes, ""), vec![toy("a", model)]);
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let run = bed.kept();
    assert_eq!(run.sessions.len(), 2 * 4, "{:?}", run.events);
    for window in &run.sessions {
        let carried = window.load.count;
        assert!((4_700..=5_000).contains(&carried), "{:?}", window.trials);
        assert_eq!(window.load.rate_per_s, Some(100.0));
        let sample =
            run.samples.iter().find(|it| (it.cell, it.block) == (window.cell, window.block));
        assert_eq!(sample.unwrap().call_ns(), 1e9 / f64::from(100 * carried));
        let most = if window.block == 0 { 9 } else { 4 };
        assert!(window.trials.len() <= most, "block {}: {:?}", window.block, window.trials);
    }
}

#[test]
fn where_not_even_one_session_is_carried_the_cell_is_left_out() {
    let model = "tail=50000000";
    let never = study(r#"["pooled-on-all-capacity", "pooled-8-on-all"]"#, "");
    let mut bed = bed_of(never, vec![toy("a", model), toy("b", "")]);
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let excluded: Vec<_> = bed.run.cells.iter().filter(|it| it.excluded.is_some()).collect();
    assert_eq!(excluded.len(), 1);
    let why = excluded[0].excluded.as_ref().unwrap().text();
    let whole = "in two searches not even one session of 100 messages per second was sustained \
                 with 99 % of them within 10 ms";
    assert_eq!(why, whole);
}

#[test]
fn what_a_machine_does_not_have_is_refused_before_anything_starts() {
    let needed = |regimes: &str| {
        let run = begun(study(regimes, ""), &[toy("a", "")]);
        needs(&run.study, &planned(&run), &run.machine.processors)
    };
    assert_eq!(needed(r#"["single"]"#), Ok(None));
    let few = needed(r#"["sessions-300-on-all", "pooled-400-on-all", "sessions-20-on-1"]"#);
    assert_eq!(few.unwrap().unwrap().threads, 300);
    let keys = needed(r#"["keys-1000", "keys-10"]"#).unwrap().unwrap();
    assert!(keys.threads == 1 && keys.memory_bytes > 1000 * 1024);
    // A machine that is set up for so many threads may have them; the usual one has not.
    let said = needed(r#"["sessions-1000000-on-all"]"#);
    if let Err(said) = said {
        let begin = "part \"one\": sessions-1000000-on-all-absolute: 1000000 threads are more than";
        assert!(said.to_string().starts_with(begin), "{said}");
    }
    let capacity = needed(r#"["sessions-on-all-capacity"]"#).unwrap().unwrap();
    assert!((1..=20_000).contains(&capacity.threads));
}
