//! Cold starts against toy workers: a process that refuses a first call once it was asked anything
//! else, and takes a thousand times as long for the first one.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{KeyLife, Regime};
use lab::record::{Event, EventKind, Exclusion, Offer, ProviderRecord, Run, RunState};
use lab::study::Study;
use lab::worker::client::Launch;

use crate::bed::{self, Bed};

const STUDY: &str = r#"
    name = "toy"
    title = "Toy"
    summary = "Toy workers."
    budget_s = 60
    launches = 4
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "cold"
    title = "Cold"
    sizes = [16, 64]
    key_lives = ["new-key", "prepared"]
    regimes = ["cold-fixed", "cold-rotated"]
    [[parts.cases]]
    name = "case"
    title = "Case"
    macs = ["toy-b", "toy-a", "toy-c"]
"#;

/// Its first calls take 1000 ns, then 1 ns each; `fault` stands before its answer to them.
fn toy(name: &str, fault: &str) -> Launch {
    let script = format!(
        r#"n=0
        while read verb id rest; do n=$((n+1))
            case $verb in
                cold)
                    {fault}
                    [ $n = 1 ] && first=yes
                    [ "$first" ] || {{ echo 'err something else came first'; continue; }}
                    ns=1; [ $n = 1 ] && ns=1000
                    echo "ok {{\"elapsed_ns\":$ns,\"tag\":\"aa\"}}";;
                prove) echo 'ok {{"tags":"aa"}}';;
                run) echo "ok {{\"elapsed_ns\":$((rest * 50))}}";;
                *) echo 'ok {{}}';;
            esac
        done"#
    );
    bed::worker(name, &script)
}

fn bed_of(study: &str, launches: Vec<Launch>) -> Bed {
    let offer = |mac: &str| {
        let key_lives = vec![KeyLife::Prepared, KeyLife::NewKey];
        Offer { mac: mac.into(), kernel: "soft".into(), key_lives }
    };
    let provider = |launch: &Launch| ProviderRecord {
        name: launch.name.clone(),
        version: "1".into(),
        path: "here".into(),
        detail: String::new(),
        offers: ["toy-a", "toy-b", "toy-c"].map(offer).to_vec(),
        regimes: Regime::kinds().collect(),
        different: vec![],
        offloads: false,
    };
    let providers = launches.iter().map(provider).collect();
    Bed::new(bed::begun(Study::parse(study).unwrap(), providers), launches)
}

/// Who came first, by regime: a mac a launch.
fn first_macs(run: &Run, len_bytes: u64) -> BTreeMap<String, Vec<&str>> {
    let mut firsts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for sample in run.samples.iter().filter(|sample| sample.position == 0) {
        let cell = &run.cells.iter().find(|record| record.id == sample.cell).unwrap().cell;
        if cell.len_bytes == len_bytes {
            firsts.entry(cell.regime.to_string()).or_default().push(&cell.candidate.mac);
        }
    }
    firsts
}

#[test]
fn each_launch_has_one_first_call_of_each_in_a_process_that_did_nothing_before() {
    let mut bed = bed_of(STUDY, vec![toy("one", "")]);
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let run = &bed.run;
    let is_other = |event: &&Event| event.kind != EventKind::Time;
    assert_eq!(run.events.iter().find(is_other), None);
    // Three macs, two lengths, two orders; a prepared key has no cold start, and there is no floor.
    assert_eq!((run.cells.len(), run.samples.len()), (12, 4 * 12));
    assert!(run.cells.iter().all(|record| record.cell.key_life == KeyLife::NewKey));
    let launches: BTreeSet<u32> = run.samples.iter().map(|sample| sample.launch).collect();
    assert_eq!(launches.len(), 4);
    for sample in &run.samples {
        let expected_ns = if sample.position == 0 { 1000.0 } else { 1.0 };
        assert_eq!((sample.iterations, sample.elapsed_ns), (1, expected_ns), "{sample:?}");
    }
    for len_bytes in [16, 64] {
        let firsts = first_macs(run, len_bytes);
        assert_eq!(firsts["cold-fixed"], ["toy-b"; 4], "the order of the case");
        assert_eq!(firsts["cold-rotated"], ["toy-b", "toy-a", "toy-c", "toy-b"]);
    }
    assert_eq!(bed.kept(), *run);
}

#[test]
fn cold_starts_stand_beside_blocks_of_other_regimes() {
    let study = STUDY.replace("[\"cold-fixed\", \"cold-rotated\"]", "[\"cold-fixed\", \"single\"]");
    let study = study.replace("sizes = [16, 64]", "sizes = [16]\nblocks = 8");
    let mut bed = bed_of(&study, vec![toy("one", "")]);
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let of = |regime: Regime| {
        let own = |id: u32| bed.run.cells.iter().any(|it| it.id == id && it.cell.regime == regime);
        bed.run.samples.iter().filter(|sample| own(sample.cell)).count()
    };
    assert_eq!((of("cold-fixed".parse().unwrap()), of(Regime::USUAL)), (4 * 3, 8 * 6));
}

#[test]
fn a_run_stopped_between_cold_starts_goes_on_with_the_next_launch() {
    let mut bed = bed_of(STUDY, vec![toy("one", "")]);
    assert_eq!(bed.measure(12).unwrap(), RunState::Interrupted);
    bed.run = bed.kept();
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let launches: BTreeSet<u32> = bed.run.samples.iter().map(|sample| sample.launch).collect();
    assert_eq!(launches.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn a_wrong_tag_a_refusal_and_a_death_exclude_what_they_befall() {
    let wrong = r#"[ $id = toy-c ] && echo 'ok {"elapsed_ns":1,"tag":"bb"}' && continue"#;
    let refusal = "[ $id = toy-a ] && echo 'err not today' && continue";
    let faulty = vec![toy("wrong", wrong), toy("refusal", refusal), toy("death", "exit 1")];
    let mut bed = bed_of(STUDY, faulty);
    bed.measure(u64::MAX).unwrap();
    for record in &bed.run.cells {
        let (mac, provider) = (&record.cell.candidate.mac, &record.cell.candidate.provider);
        let expected = match (provider.as_str(), mac.as_str()) {
            ("wrong", "toy-c") => Some("tag of its first call"),
            ("refusal", "toy-a") => Some("not today"),
            ("death", _) => Some("died"),
            _ => None,
        };
        let reason = record.excluded.as_ref().map(Exclusion::text);
        let is_so = expected.map_or(reason.is_none(), |it| reason.unwrap_or("").contains(it));
        assert!(is_so, "{}: {reason:?}", record.cell);
        assert_eq!(
            record.has_wrong_tags(),
            (provider.as_str(), mac.as_str()) == ("wrong", "toy-c")
        );
    }
}
