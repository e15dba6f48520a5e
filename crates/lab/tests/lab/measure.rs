//! A whole run against toy workers whose times are known exactly: shell scripts that answer the
//! protocol, some of them with planted faults.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lab::cell::{KeyLife, Regime};
use lab::record::{LaunchKind, Offer, ProcessorTime, ProviderRecord, Run, RunState, Sample};
use lab::study::Study;
use lab::worker::client::Launch;

use crate::bed::{self, Bed};

pub const STUDY: &str = r#"
    name = "toy"
    title = "Toy"
    summary = "Toy workers."
    budget_s = 60
    launches = 3
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "one"
    title = "One"
    sizes = [16, 64]
    key_lives = ["prepared", "new-key"]
    blocks = 9
    fresh_keys = true
    [[parts.cases]]
    name = "toy"
    title = "Toy"
    macs = ["toy"]
"#;

/// A worker whose calls take `call_ns` each by its own word. `fault` is put before the answers;
/// `$n` counts the requests.
pub fn toy(name: &str, call_ns: u32, tag: &str, fault: &str) -> Launch {
    let script = format!(
        r#"n=0
        while read verb id count rest; do n=$((n+1))
            {fault}
            case $verb in
                prove) echo 'ok {{"tags":"{tag}"}}';;
                run) echo "ok {{\"elapsed_ns\":$((count * {call_ns})),\"core_hz\":3.0e9}}";;
                single) echo "ok {{\"ns\":[[{call_ns},$count]]}}";;
                *) echo 'ok {{}}';;
            esac
        done"#
    );
    bed::worker(name, &script)
}

fn provider(name: &str, mac: &str) -> ProviderRecord {
    let key_lives = vec![KeyLife::Prepared, KeyLife::NewKey];
    ProviderRecord {
        regimes: Regime::kinds().collect(),
        name: name.into(),
        version: "1".into(),
        path: "here".into(),
        detail: String::new(),
        offers: vec![Offer { mac: mac.into(), kernel: "soft".into(), key_lives }],
        different: vec![],
        offloads: false,
    }
}

/// A run of these workers in an archive of its own.
pub fn bed_of(study: &str, launches: Vec<Launch>) -> Bed {
    let mac = |name: &str| if name == "null" { "null" } else { "toy" };
    let providers = launches.iter().map(|it| provider(&it.name, mac(&it.name))).collect();
    Bed::new(bed::begun(Study::parse(study).unwrap(), providers), launches)
}

fn told(run: &Run, words: [&str; 2]) -> bool {
    run.events.iter().any(|event| words.iter().all(|word| event.text.contains(word)))
}

/// Samples by message length and block.
pub fn blocks(run: &Run) -> BTreeMap<(u64, u32), Vec<&Sample>> {
    let mut blocks: BTreeMap<_, Vec<&Sample>> = BTreeMap::new();
    for sample in &run.samples {
        let record = run.cells.iter().find(|record| record.id == sample.cell).unwrap();
        blocks.entry((record.cell.len_bytes, sample.block)).or_default().push(sample);
    }
    blocks
}

pub fn three() -> Vec<Launch> {
    vec![toy("a", 50, "aa", ""), toy("b", 70, "aa", ""), toy("null", 2, "00", "")]
}

#[test]
fn what_was_counted_is_told_before_the_first_launch_where_the_end_is_far() {
    let launches = || vec![toy("a", 2_000, "00", ""), toy("b", 1_000, "00", "")];
    let mut bed = bed_of(STUDY, launches());
    bed.measure(u64::MAX).unwrap();
    assert_eq!(bed.looks, [(0, 1_000.0)]);
    let soon = STUDY.replace("budget_s = 60", "budget_s = 14");
    let mut bed = bed_of(&soon, launches());
    bed.measure(u64::MAX).unwrap();
    assert_eq!(bed.looks, []);
}

#[test]
fn a_run_has_every_block_whole_and_the_archive_has_the_run() {
    let mut bed = bed_of(STUDY, three());
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let (run, kept) = (&bed.run, bed.kept());
    assert_eq!(kept, *run);
    let blocks = blocks(run);
    assert_eq!(blocks.len(), 2 * 9);
    for samples in blocks.values() {
        let cells: BTreeSet<u32> = samples.iter().map(|sample| sample.cell).collect();
        let positions: BTreeSet<u32> = samples.iter().map(|sample| sample.position).collect();
        assert_eq!((samples.len(), cells.len(), positions.len()), (5, 5, 5));
    }
    let launched: BTreeSet<u32> = run.samples.iter().map(|sample| sample.launch).collect();
    assert_eq!(launched.len(), 3);
    assert_eq!(run.single_calls.len(), run.cells.len());
    let launches = run.launch_records.iter().map(|it| (it.launch, it.kind));
    assert!(launches.eq((0..3).map(|launch| (launch, LaunchKind::Whole))));
    // Who had the processors, in each launch.
    let times = run.processor_times.iter();
    assert_eq!(times.map(|it| it.launch).collect::<Vec<_>>(), [0, 1, 2]);
    let is_right =
        |it: &ProcessorTime| it.available_s > 0.0 && it.own_s > 0.0 && it.others_s >= 0.0;
    assert!(run.processor_times.iter().all(is_right), "{:?}", run.processor_times);
}

#[test]
fn iterations_are_the_same_for_all_of_a_size_but_bounded_for_the_slow_and_the_floor() {
    let slow = [toy("b", 9000, "aa", ""), toy("c", 12_000, "aa", ""), toy("d", 20_000, "aa", "")];
    let others = [toy("a", 50, "aa", ""), toy("null", 1, "00", "")];
    let mut bed = bed_of(STUDY, others.into_iter().chain(slow).collect());
    bed.measure(1).unwrap();
    for record in &bed.run.cells {
        let expected = match record.cell.candidate.provider.as_str() {
            "a" => (2000, false),
            // About as slow: as many calls.
            "b" | "c" => (33, true),
            "d" => (15, true),
            _ => (20_000, true),
        };
        assert_eq!((record.iterations, record.own_count), expected, "{}", record.cell);
    }
}

#[test]
fn a_liar_a_crasher_and_a_hanger_are_dropped_and_told_and_the_others_go_on() {
    let crash = "[ $verb = run ] && [ $n -gt 40 ] && kill -SEGV $$";
    let hang = "[ $verb = run ] && [ $n -gt 50 ] && exec sleep 600";
    // Whether it is slow once before it hangs makes no difference.
    let hanger = Launch { patience: Duration::from_millis(500), ..toy("hanger", 50, "aa", hang) };
    let mut bed = bed_of(
        STUDY,
        vec![
            toy("a", 50, "aa", ""),
            toy("b", 60, "aa", ""),
            toy("crasher", 50, "aa", crash),
            hanger,
            toy("liar", 50, "bb", ""),
            toy("missing", 50, "aa", "exit 1"),
        ],
    );
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    assert!(told(&bed.run, ["crasher", "signal: 11"]), "{:?}", bed.run.events);
    assert!(told(&bed.run, ["hanger", "no answer"]), "{:?}", bed.run.events);
    assert!(told(&bed.run, ["liar", "tags differ"]), "{:?}", bed.run.events);
    assert!(told(&bed.run, ["missing", "died"]), "{:?}", bed.run.events);
    let lines = bed.run.events.iter().filter(|event| event.text.contains("missing"));
    assert_eq!(lines.count(), 1, "one line for a provider that failed whole");
    let by = |name: &str| {
        let cells = bed.run.cells.iter().filter(|r| r.cell.candidate.provider == name);
        cells.map(|record| record.id).collect::<Vec<_>>()
    };
    for id in by("a").into_iter().chain(by("b")) {
        assert_eq!(bed.run.samples.iter().filter(|sample| sample.cell == id).count(), 9);
    }
    assert!(by("liar").is_empty());
}

#[test]
fn a_worker_that_does_not_take_the_users_files_is_dropped_and_no_content_is_told() {
    let refuse = "[ $verb = file ] && echo 'err no such request' && continue";
    let files = |launch: Launch| Launch { files: [b"letter".to_vec()].into(), ..launch };
    let workers = vec![files(toy("a", 50, "aa", "")), files(toy("old", 60, "aa", refuse))];
    let mut bed = bed_of(STUDY, workers);
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    assert!(told(&bed.run, ["old", "no such request"]), "{:?}", bed.run.events);
    assert!(bed.run.cells.iter().all(|record| record.cell.candidate.provider == "a"));
    assert!(bed.run.events.iter().all(|event| !event.text.contains("6c6574746572")));
}

#[test]
fn a_tag_that_changes_after_timing_excludes_its_cell() {
    let late = "[ $verb = prove ] && [ $n -gt 40 ] && echo 'ok {\"tags\":\"ff\"}' && continue";
    let mut bed = bed_of(STUDY, vec![toy("a", 50, "aa", ""), toy("b", 60, "aa", late)]);
    bed.measure(u64::MAX).unwrap();
    let excluded = |run: &Run| {
        let cells = run.cells.iter().filter(|record| record.excluded.is_some());
        cells.map(|record| record.cell.to_string()).collect::<Vec<_>>()
    };
    assert!(!excluded(&bed.run).is_empty(), "{:?}", bed.run.events);
    assert!(excluded(&bed.run).iter().all(|path| path.contains("/b/")));
    assert_eq!(excluded(&bed.run), excluded(&bed.kept()));
    assert!(told(&bed.run, ["after timing", "differ from those of a"]));
}

#[test]
fn a_stopped_run_keeps_what_it_has_and_goes_on_when_resumed() {
    let mut bed = bed_of(STUDY, three());
    assert_eq!(bed.measure(20).unwrap(), RunState::Interrupted);
    let before = bed.kept().samples;
    assert!(before.len() >= 20 && before.len() < 90, "{}", before.len());
    bed.run = bed.kept();
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let after = bed.kept();
    assert_eq!(after.samples[..before.len()], before);
    assert_eq!(blocks(&after).len(), 2 * 9);
    assert!(blocks(&after).values().all(|samples| samples.len() == 5));
}

#[test]
fn a_run_stopped_before_its_first_block_keeps_no_part_of_its_cells() {
    let mut bed = bed_of(STUDY, three());
    assert_eq!(bed.measure(0).unwrap(), RunState::Interrupted);
    let kept = bed.kept();
    assert_eq!((kept.state, kept.cells.len(), kept.events.len()), (RunState::Interrupted, 0, 0));
    bed.run = kept;
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    assert_eq!(blocks(&bed.kept()).len(), 2 * 9);
}

#[test]
fn a_panel_that_wants_the_fastest_keeps_only_it() {
    let study = STUDY.replace("title = \"All\"", "title = \"All\"\nchoose = \"fastest\"");
    let rivals =
        vec![toy("slow", 90, "aa", ""), toy("quick", 50, "aa", ""), toy("null", 2, "", "")];
    let mut bed = bed_of(&study, rivals);
    bed.measure(u64::MAX).unwrap();
    let chosen: Vec<&str> =
        bed.run.chosen.iter().map(|choice| choice.candidate.provider.as_str()).collect();
    assert_eq!(chosen, ["quick", "quick"], "one for each key life");
    assert!(bed.kept().chosen.iter().all(|it| it.cells.len() == 2 && it.rivals.len() == 2));
    let providers: BTreeSet<&str> =
        bed.run.cells.iter().map(|record| record.cell.candidate.provider.as_str()).collect();
    assert_eq!(providers.into_iter().collect::<Vec<_>>(), ["null", "quick"]);
}

#[test]
fn a_provider_that_refuses_long_messages_does_not_win_by_its_short_ones() {
    let fastest = STUDY.replace("title = \"All\"", "title = \"All\"\nchoose = \"fastest\"");
    let more = &fastest[fastest.find("[[parts]]").unwrap()..];
    let study = fastest.replace("[16, 64]", "[16]")
        + &more.replace("\"one\"", "\"two\"").replace("[16, 64]", "[16, 48, 64]");
    let refuses = "case \"$verb $rest\" in \"open \"*\" single 64 \"*) \
                   echo 'err messages of at most 48 bytes'; continue;; esac";
    let rivals = vec![
        toy("whole", 50, "aa", ""),
        // Slow where it is alone to be compared by short messages.
        toy("short", 90, "aa", refuses),
        toy("null", 2, "", ""),
    ];
    let mut bed = bed_of(&study, rivals);
    bed.measure(u64::MAX).unwrap();
    let chosen: Vec<&str> =
        bed.run.chosen.iter().map(|choice| choice.candidate.provider.as_str()).collect();
    assert_eq!(chosen, ["whole"; 4]);
    // Faster wherever it is: it wins the part that it can do, and not the other.
    let rivals =
        vec![toy("whole", 50, "aa", ""), toy("short", 10, "aa", refuses), toy("null", 2, "", "")];
    let mut bed = bed_of(&study, rivals);
    bed.measure(u64::MAX).unwrap();
    let chosen = |part: &str| {
        let of = bed.run.chosen.iter().filter(|it| it.part.as_deref() == Some(part));
        of.map(|it| it.candidate.provider.clone()).collect::<Vec<_>>()
    };
    assert_eq!((chosen("one"), chosen("two")), (vec!["short".into(); 2], vec!["whole".into(); 2]));
    let lens: BTreeSet<u64> = bed.run.cells.iter().map(|it| it.cell.len_bytes).collect();
    assert_eq!(lens.into_iter().collect::<Vec<_>>(), [16, 48, 64]);
}

#[test]
fn a_panel_may_leave_out_speak_at_some_lengths_and_take_single_calls() {
    let both = "title = \"All\"\nnot = [\"*[*\"]\n[[panels]]\nname = \"b\"\ntitle = \"B\"\n\
                providers = [\"b[x]\"]\nsizes = [64, 100]\nsample_calls = 1";
    let study = STUDY.replace("title = \"All\"", both);
    let workers =
        || vec![toy("a", 50, "aa", ""), toy("b[x]", 70, "aa", ""), toy("null", 2, "", "")];
    let mut bed = bed_of(&study, workers());
    bed.measure(1).unwrap();
    let mut calls: Vec<(&str, u64, u64)> = Vec::new();
    for record in bed.run.cells.iter().filter(|it| it.cell.key_life == KeyLife::NewKey) {
        let provider = record.cell.candidate.provider.as_str();
        calls.push((provider, record.cell.len_bytes, record.iterations));
    }
    assert_eq!(calls, [("a", 16, 2000), ("a", 64, 2000), ("b[x]", 64, 1)]);
    // Where another panel shows it too, its samples are as those of all others.
    let study = study.replace("not = [\"*[*\"]", "");
    let mut bed = bed_of(&study, workers());
    bed.measure(1).unwrap();
    let counts = bed.run.cells.iter().filter(|it| it.cell.candidate.provider != "null");
    assert_eq!(counts.map(|it| it.iterations).collect::<BTreeSet<_>>(), [2000].into());
    let wrong = STUDY.replace("title = \"All\"", "title = \"All\"\nsample_calls = 0");
    assert!(Study::parse(&wrong).unwrap_err().to_string().contains("nonzero"));
}

#[test]
fn when_everybody_fails_the_run_says_so() {
    let mut bed = bed_of(STUDY, vec![toy("a", 50, "aa", "exit 1")]);
    let error = bed.measure(u64::MAX).unwrap_err();
    assert!(error.to_string().contains("every candidate failed"), "{error}");
    assert!(told(&bed.run, ["a is dropped", "died"]));
    assert_eq!(bed.kept().state, RunState::Interrupted);
}

#[test]
fn after_a_first_look_those_far_behind_leave_and_the_others_are_told_by_later_launches() {
    let raced = STUDY.replace("budget_s = 60", "budget_s = 20\n    race = 2.0");
    // So many launches need more time than there is.
    let raced = raced.replace("launches = 3", "launches = 1000").replace("    blocks = 9\n", "");
    // And no interval is ever as narrow as asked: calls take up to 60 % longer.
    let slow = "[ $verb = run ] && sleep 0.01 && count=$((count + count * (n % 7) / 10))";
    let of = |name: &str, call_ns| toy(name, call_ns, "aa", slow);
    let workers = || vec![of("a", 50), of("b", 70), of("far", 500)];
    let mut bed = bed_of(&raced, workers());
    bed.measure(80).unwrap();
    let behind = |run: &Run| -> BTreeSet<u32> {
        let own = run.cells.iter().filter(|it| it.cell.candidate.provider == "far");
        own.map(|it| it.id).collect()
    };
    let run = bed.kept();
    let far_cells = behind(&run);
    assert_eq!(lab::race::left(&run), far_cells);
    assert!(
        told(&run, ["4 of 12 cells are not measured further", "more than 2 ×"]),
        "{:?}",
        run.events
    );
    let counted = lab::race::told(&run, &far_cells);
    let is_right = |it: &Sample| (it.launch == 0) == far_cells.contains(&it.cell);
    assert!(counted.copied().all(|it| is_right(&it)));
    // A run that goes on keeps to it.
    bed.measure(140).unwrap();
    let run = bed.kept();
    assert!(run.samples.len() >= 140);
    assert_eq!(lab::race::left(&run), far_cells);
    // Where there is time for all launches of everything, nobody leaves.
    let few = raced.replace("launches = 1000", "launches = 2");
    let mut bed = bed_of(&few, workers());
    bed.measure(60).unwrap();
    assert!(lab::race::left(&bed.kept()).is_empty());
}
