//! Claims about samples by themselves, on runs whose spread was planted; and what a claim leaves
//! out.

use lab::record::{Run, SingleCalls};
use report::findings::ClaimVerdict::{self, Confirmed, Refuted, Undecided};
use report::findings::{Findings, PanelVerdict};
use synthetic::Filling;

use crate::claimed::{mac, study};

/// At one length and key life, so that a case has one sample of each mac.
const ONE: &str = "\nsizes = { to = 16 }\nkey_lives = [\"prepared\"]";

fn run(claim: &str, filling: Filling) -> Run {
    let macs = [mac("a", 100.0, 1.0, 0.0), mac("b", 300.0, 1.0, 0.0)];
    let mut study = study(&format!("{claim}{ONE}"));
    study.parts[0].cases[0].tested = true;
    synthetic::run(study, &macs, filling)
}

fn judged(run: &Run) -> PanelVerdict {
    Findings::of(run).claims[0].panels[0].clone()
}

#[track_caller]
fn assert_said(said: &PanelVerdict, verdict: ClaimVerdict, reason: &str) {
    assert_eq!(said.verdict, verdict, "{}", said.reason);
    assert!(!said.reason.starts_with(verdict.name()), "it stands beside it: {}", said.reason);
    assert!(said.reason.contains(reason), "{}", said.reason);
    assert!(said.brief.starts_with(verdict.name()), "{}", said.brief);
}

/// The k-th of `count` values as a normal distribution has them.
fn normal(k: usize, count: usize) -> f64 {
    // Bisection of the logistic approximation, near enough for five classes.
    let share = (k as f64 + 0.5) / count as f64;
    (share / (1.0 - share)).ln() / 1.702
}

/// Gives each sample the speed that `shape` says, by its place among the samples of its cell.
fn shaped(run: &mut Run, shape: impl Fn(u32, usize, usize) -> f64) {
    let ids: Vec<u32> = run.cells.iter().map(|it| it.id).collect();
    for id in ids {
        let count = run.samples.iter().filter(|it| it.cell == id).count();
        let own = run.samples.iter_mut().filter(|it| it.cell == id);
        for (k, sample) in own.enumerate() {
            // Places are dealt so that neighbours in time are not neighbours in size.
            let speed = shape(id, (k * 37) % count, count);
            sample.elapsed_ns = 1e9 / speed * sample.iterations as f64;
        }
    }
}

const WIDE: Filling = Filling { launches: 10, blocks: 20, launch_sd: 0.01, block_sd: 0.01 };

#[test]
fn samples_that_the_test_rejects_are_not_normal_and_others_are_left_open() {
    let mut run = run("not_normal = [\"*\"]", WIDE);
    shaped(&mut run, |_, k, count| if k < count / 4 { 1e6 } else { 2e6 + k as f64 });
    assert_said(&judged(&run), Confirmed, "chi-squared test of normality p < 0.0001");
    shaped(&mut run, |_, k, count| 1e6 * (1.0 + 0.01 * normal(k, count)));
    let said = judged(&run);
    assert_said(&said, Undecided, "0 of 2 confirmed, 2 undecided");
    assert_eq!((said.hold, said.contradicted, said.open), (0, 0, 2));
}

#[test]
fn spreads_are_of_speeds_within_launches() {
    let claim = "same_spread = [\"*\"]\nmargin = 1.0";
    let mut run = run(claim, Filling { blocks: 20, ..WIDE });
    // As wide for the fast one as for the slow one.
    shaped(&mut run, |id, k, count| f64::from(id + 1) * 1e6 + 1e3 * normal(k, count));
    assert_said(&judged(&run), Confirmed, "this is of spreads, and shapes are not compared");
    // How launches differ is another question.
    let launch_of = |place: usize| (place % 3) as f64;
    for sample in &mut run.samples {
        sample.elapsed_ns *= 1.0 + 0.1 * launch_of(sample.launch as usize);
    }
    assert_said(&judged(&run), Confirmed, "spread");
    shaped(&mut run, |id, k, count| 1e6 + f64::from(4 * id + 1) * 1e3 * normal(k, count));
    assert_said(&judged(&run), Refuted, "1 of 1 contradict it");
    // Six blocks a launch are the fewest; a clock that sees no difference shows none.
    run.samples.retain(|it| it.block % 20 < 5);
    assert_said(&judged(&run), Undecided, "too few blocks");
    shaped(&mut run, |_, _, _| 1e6);
    assert_said(&judged(&run), Undecided, "");
}

#[test]
fn launches_differ_where_blocks_do_not_explain_it() {
    let claim = "launches_differ = [\"a\"]";
    let quiet = |launch_sd: f64| {
        let filling = Filling { launches: 8, blocks: 30, launch_sd, block_sd: 0.001 };
        judged(&run(claim, filling))
    };
    assert_said(&quiet(0.03), Confirmed, "the slowest of 8 launches takes 1.");
    assert_said(&quiet(0.0), Refuted, "contradict it");
    let few = Filling { launches: 8, blocks: 2, launch_sd: 0.03, block_sd: 0.001 };
    assert_said(&judged(&run(claim, few)), Undecided, "too few launches with enough blocks");
    // A launch that was cut off after a block says nothing, however long that block took.
    let filling = Filling { launches: 8, blocks: 30, launch_sd: 0.03, block_sd: 0.001 };
    let mut cut = run(claim, filling);
    cut.samples.retain(|it| it.launch != 0 || it.block == 0);
    cut.samples.iter_mut().filter(|it| it.launch == 0).for_each(|it| it.elapsed_ns *= 2.0);
    assert_said(&judged(&cut), Confirmed, "the slowest of 7 launches takes 1.");
}

#[test]
fn a_median_of_few_calls_is_settled_by_how_its_calls_spread() {
    let claim = "unsettled = { macs = [\"a\"], calls = 100 }";
    let of = |counts: &[(u64, u64)]| {
        let mut run = run(claim, Filling::QUIET);
        let cell = run.cells.iter().find(|it| it.cell.candidate.mac == "a").unwrap().id;
        run.single_calls = vec![SingleCalls { cell, counts: counts.to_vec(), ticks: vec![] }];
        run.single_calls_are_whole = true;
        judged(&run)
    };
    assert_said(&of(&[(100, 500), (120, 500)]), Confirmed, "lie within ±10 %");
    assert_said(&of(&[(100, 999), (900, 1)]), Refuted, "lie within ±0 %");
    assert_said(&of(&[(100, 50), (120, 40)]), Undecided, "by 90 calls");
    assert_said(&of(&[]), Undecided, "none of its calls was timed");
    // Calls agree within each launch, and launches do not agree with each other.
    let between = |launches: u32| {
        let filling = Filling { launches: 12, launch_sd: 0.0, ..Filling::QUIET };
        let mut run = run(claim, filling);
        let cell = run.cells.iter().find(|it| it.cell.candidate.mac == "a").unwrap().id;
        run.single_calls = vec![SingleCalls { cell, counts: vec![(100, 2000)], ticks: vec![] }];
        run.single_calls_are_whole = true;
        let slow = run.samples.iter_mut().filter(|it| it.launch < launches);
        slow.for_each(|it| it.elapsed_ns *= 1.1);
        judged(&run)
    };
    assert_said(&between(5), Confirmed, "5 of 12 launches lie further than 1 %");
    assert_said(&between(1), Undecided, "1 of 12 launches");
}

#[test]
fn a_claim_says_nothing_of_what_it_leaves_out() {
    let verdict = |not: &str| {
        let claim = format!("faster = [\"a\"]\nthan = [\"*\"]\n{not}");
        let macs = [mac("a", 100.0, 1.0, 0.0), mac("b", 300.0, 1.0, 0.0), mac("c", 50.0, 1.0, 0.0)];
        judged(&synthetic::run(study(&format!("{claim}{ONE}")), &macs, Filling::QUIET)).verdict
    };
    assert_eq!((verdict(""), verdict("not = [\"c\"]")), (Refuted, Confirmed));
}

/// Two macs that are measured on in so many launches more than a third, in which the second takes
/// `ratio` times as long as the first.
fn measured_on(ratio: f64) -> Run {
    let claim = format!("faster = [\"a\"]\nthan = [\"b\"]{ONE}");
    let macs = [mac("a", 100.0, 1.0, 0.0), mac("b", 102.0, 1.02, 0.0), mac("c", 500.0, 1.0, 0.0)];
    let noisy = Filling { launches: 8, blocks: 4, launch_sd: 0.03, block_sd: 0.001 };
    let mut run = synthetic::run(study(&claim), &macs, noisy);
    let last = run.samples.iter().map(|it| it.block).max().unwrap();
    let ids = ["a", "b"].map(|name| {
        let is_it = |it: &&lab::record::CellRecord| {
            it.cell.candidate.mac == name && it.cell.len_bytes == 16 && it.cell.usual_key
        };
        let own = run.cells.iter().filter(is_it);
        own.map(|it| it.id).collect::<Vec<u32>>()
    });
    for (place, id) in
        ids.iter().enumerate().flat_map(|(at, own)| own.iter().map(move |id| (at, *id)))
    {
        let example = *run.samples.iter().find(|it| it.cell == id).unwrap();
        for more in 1..=40 {
            let mut sample = example;
            (sample.launch, sample.block) = (1000 + more, last + more);
            let time = if place == 0 { 100.0 } else { 100.0 * ratio };
            sample.elapsed_ns =
                time * (1.0 + 1e-4 * f64::from(more % 5)) * sample.iterations as f64;
            run.samples.push(sample);
        }
    }
    run
}

#[test]
fn a_rank_rests_on_all_launches_that_a_pair_shares() {
    let findings = Findings::of(&measured_on(1.04));
    let size = findings.groups.iter().flat_map(|it| &it.sizes).find(|it| it.len_bytes == 16);
    let rows = &size.unwrap().ranking;
    let macs = rows.iter().map(|row| findings.cell(row).cell.candidate.mac.as_str());
    assert_eq!(macs.collect::<Vec<_>>(), ["a", "b", "c"]);
    let ratio = rows[1].to_best.unwrap();
    let interval = ratio.interval.unwrap();
    // Eight launches of all, which differ by 3 %, and forty of these two.
    assert!((ratio.value - 1.04).abs() < 1e-3, "{ratio:?}");
    assert!(interval.low > 1.03 && interval.high < 1.05, "{interval:?}");
}

#[test]
fn what_two_kinds_of_launches_deny_each_other_is_not_decided() {
    assert_said(&judged(&measured_on(1.04)), Confirmed, "a");
    let said = judged(&measured_on(0.7));
    assert_said(&said, Undecided, "it depends on what else runs, or when");
    assert_eq!(said.launches_needed, None);
}
