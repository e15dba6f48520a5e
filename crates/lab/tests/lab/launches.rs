//! Launches of the toy workers of [`measure`](crate::measure): blocks that are given up, keys that
//! blocks change, what a launch of a run that goes on opens.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::KeyLife;
use lab::measure::Open;
use lab::record::{Exclusion, Run, RunState};

use crate::measure::{STUDY, bed_of, blocks, three, toy};

/// Tags that are the last keys which a cell was given.
const BY_KEYS: &str = r#"case $verb in
        open) eval "keys_$id=${rest##* }";;
        rekey) eval "keys_$id=$count";;
        prove) eval "keys=\$keys_$id"; echo "ok {\"tags\":\"$keys\"}"; continue;;
    esac"#;

/// With a second part of the same lengths, whose blocks have fresh keys or not.
fn two_parts(fresh_keys: bool) -> String {
    let study = STUDY.replace("blocks = 9", "blocks = 3");
    let second = study[study.find("[[parts]]").unwrap()..].replace("\"one\"", "\"two\"");
    let fresh = format!("fresh_keys = {fresh_keys}");
    study + &second.replace("fresh_keys = true", &fresh)
}

#[test]
fn tags_are_compared_under_common_keys_whatever_keys_the_last_blocks_had() {
    for fresh_keys in [false, true] {
        let workers = vec![
            toy("a", 50, "aa", BY_KEYS),
            toy("b", 70, "aa", BY_KEYS),
            toy("null", 2, "00", ""),
        ];
        let mut bed = bed_of(&two_parts(fresh_keys), workers);
        assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
        let is_measured =
            |part: u32| bed.run.cells.iter().filter(|it| it.part == part).count() == 10;
        assert!(is_measured(0) && is_measured(1), "{:?}", bed.run.events);
        let excluded = bed.run.cells.iter().filter_map(|it| it.excluded.as_ref());
        let excluded: Vec<&str> = excluded.map(Exclusion::text).collect();
        assert!(excluded.is_empty(), "{excluded:?}");
    }
}

#[test]
fn a_block_that_was_given_up_is_made_again_in_its_launch() {
    // Keys are changed in blocks, and not before.
    let refuse = "[ $verb = rekey ] && echo 'err no other keys' && continue";
    let workers =
        vec![toy("a", 50, "aa", ""), toy("b", 70, "aa", refuse), toy("null", 2, "00", "")];
    let mut bed = bed_of(&STUDY.replace("blocks = 9", "blocks = 3"), workers);
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let excluded = bed.run.cells.iter().filter(|it| it.excluded.is_some());
    let excluded: Vec<&str> = excluded.map(|it| it.cell.candidate.provider.as_str()).collect();
    assert_eq!(excluded, ["b"; 4]);
    let mut launches: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for ((len_bytes, _), samples) in blocks(&bed.run) {
        assert_eq!(samples.len(), 3);
        launches.entry(len_bytes).or_default().push(samples[0].launch);
    }
    assert_eq!(launches, BTreeMap::from([(16, vec![0, 1, 2]), (64, vec![0, 1, 2])]));
}

/// At one length and key life it is not decided who is faster, and more launches would tell.
fn short_ones(run: &Run) -> Vec<Open> {
    let compared = run.cells.iter().map(|record| (record.id, &record.cell)).filter(|(_, cell)| {
        let is_rival = cell.candidate.provider != "null";
        is_rival && cell.len_bytes == 16 && cell.key_life == KeyLife::Prepared
    });
    let cells = compared.map(|(id, _)| id).collect();
    vec![Open { cells, launches: 3, launches_needed: Some(9) }]
}

#[test]
fn single_calls_that_a_stop_left_out_are_made_of_all_cells_when_only_some_are_still_open() {
    let mut bed = bed_of(&STUDY.replace("blocks = 9", "blocks = 3"), three());
    bed.open = Some(short_ones);
    let single = "timing single calls";
    assert_eq!(bed.measure_until_doing(single, 1).unwrap(), RunState::Interrupted);
    bed.run = bed.kept();
    assert_eq!((bed.run.launches(), bed.run.single_calls.len()), (3, 0));
    // Launches for what is open would go on until the budget is spent.
    assert_eq!(bed.measure_until_doing("warming up", 2).unwrap(), RunState::Interrupted);
    let run = bed.kept();
    let timed: BTreeSet<u32> = run.single_calls.iter().map(|calls| calls.cell).collect();
    let all: BTreeSet<u32> = run.cells.iter().map(|record| record.id).collect();
    assert_eq!(all.len(), 10);
    assert_eq!(timed, all);
    let is_open = |id: u32| run.cells.iter().any(|it| it.id == id && it.cell.len_bytes == 16);
    let mut later = run.samples.iter().filter(|it| it.launch > 2).peekable();
    assert!(later.peek().is_some() && later.all(|it| is_open(it.cell)));
}
