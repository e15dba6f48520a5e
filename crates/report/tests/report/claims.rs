//! Claims of every kind on runs whose truth was planted: each is confirmed, refuted and left open.

use ClaimVerdict::{Confirmed, Elsewhere, Refuted, Undecided};
use lab::cell::Cell;
use lab::record::Run;
use lab::study::Study;
use report::findings::{Background, ClaimVerdict, Findings, PanelVerdict, Quantity, Work};
use report::verdicts::{ClaimLine, StudyVerdicts};
use synthetic::{Filling, Planted, planted};

use crate::claimed::{STUDY, mac, study};

fn run(claim: &str, truth: &[Planted]) -> Run {
    synthetic::run(study(claim), truth, Filling::QUIET)
}

/// A call of the primitive for every 16 bytes, but none known of `secret`.
fn work(cell: &Cell) -> Option<Work> {
    let calls = cell.len_bytes.div_ceil(16);
    (cell.candidate.mac != "secret").then_some(Work { calls, key_schedules: 0, key_material: None })
}

fn findings(run: &Run) -> Findings {
    Findings::with_background(run, &Background { work: &work, ..Background::default() })
}

fn judged(claim: &str, truth: &[Planted]) -> PanelVerdict {
    findings(&run(claim, truth)).claims[0].panels[0].clone()
}

#[track_caller]
fn assert_verdict(claim: &str, truth: &[Planted], verdict: ClaimVerdict, reason: &str) {
    let said = judged(claim, truth);
    assert_eq!(said.verdict, verdict, "{}", said.reason);
    assert!(!said.reason.starts_with(verdict.name()), "it stands beside it: {}", said.reason);
    assert!(said.reason.contains(reason), "{}", said.reason);
}

#[test]
fn only_the_cells_that_a_claim_names_decide() {
    // b pays more for a key; a pays more for a byte.
    let truth = [mac("a", 10.0, 1.0, 0.0), mac("b", 20.0, 0.5, 500.0)];
    let claim = "faster = [\"b\"]\nthan = [\"a\"]\n";
    let verdict = |cells: &str| judged(&format!("{claim}{cells}"), &truth).verdict;
    assert_eq!(verdict(""), Refuted);
    assert_eq!(verdict("key_lives = [\"prepared\"]"), Refuted, "at 16 B");
    assert_eq!(verdict("sizes = { from = 64 }"), Refuted, "with a new key");
    assert_eq!(verdict("key_lives = [\"prepared\"]\nsizes = { from = 64 }"), Confirmed);
}

#[test]
fn a_claim_has_its_own_margin() {
    let truth = [mac("a", 100.0, 1.0, 0.0), mac("b", 104.0, 1.04, 0.0)];
    let verdict = |margin: &str| judged(&format!("ordering = \"a = b\"\n{margin}"), &truth).verdict;
    assert_eq!((verdict(""), verdict("margin = 0.1")), (Refuted, Confirmed));
}

#[test]
fn the_time_of_a_byte_falls() {
    let claim = "falling = [\"a*\"]";
    let falls = [mac("a", 100.0, 1.0, 0.0)];
    assert_verdict(
        claim,
        &falls,
        Confirmed,
        "all 8 comparisons hold; of the 2 that must show a difference, the smallest: a byte of a",
    );
    let said = judged(claim, &falls);
    assert_eq!(said.effect.unwrap().quantity, Quantity::TimePerByte);
    // 116 / 16 over 1124 / 1024.
    let reason =
        "a byte of a costs 6.600 × as much in messages of 16 B as in messages of 1 KiB (95";
    assert_verdict(claim, &falls, Confirmed, reason);
    // A curve that has become flat still falls.
    assert_verdict(claim, &[mac("a", 2.0, 1.0, 0.0)], Confirmed, "all 8 comparisons hold");
    let rises = mac("ab", -10.0, 2.0, 0.0);
    let reason = "a byte of ab costs 1.4";
    assert_verdict(claim, &[falls[0].clone(), rises], Refuted, reason);
    // The same for every byte is no fall.
    let reason = "as much in messages of 1 KiB";
    assert_verdict(claim, &[mac("a", 0.0, 1.0, 0.0)], Refuted, reason);
    assert_verdict(claim, &[mac("b", 1.0, 1.0, 0.0)], Undecided, "no two lengths of a*");
}

#[test]
fn without_launches_to_pair_blocks_are_compared_unpaired() {
    let mut run = run("falling = [\"*\"]", &[mac("a", 100.0, 1.0, 0.0)]);
    run.samples.retain(|sample| sample.launch < 3);
    let said = findings(&run).claims[0].panels[0].clone();
    assert_eq!(said.verdict, Confirmed);
    assert!(said.reason.contains("95 % interval over unpaired blocks"), "{}", said.reason);
    assert!(said.effect.unwrap().ratio.interval.unwrap().confidence >= 0.95);
    run.samples.retain(|sample| sample.launch < 2);
    let said = findings(&run).claims[0].panels[0].clone();
    assert_eq!(said.verdict, Undecided, "6 blocks give no interval of 97.5 %");
    assert!(said.reason.contains("too few launches for an interval"), "{}", said.reason);
    assert!(said.reason.contains("6 launches would show"), "{}", said.reason);
    assert_eq!((said.open, said.launches_needed), (8, Some(6)));
}

#[test]
fn a_ratio_may_go_over_cases_and_be_of_all_others_to_one() {
    let cases =
        "[[parts.cases]]\nname = \"d\"\ntitle = \"D\"\nmacs = [\"*-aes\"]\ntested = false\n";
    let study = STUDY.replace("macs = [\"*\"]", "macs = [\"*-tdes\"]");
    let study = study.replace("[[claims]]", &format!("{cases}[[claims]]"));
    let truth = [
        mac("x-tdes", 800.0, 0.0, 0.0),
        mac("y-tdes", 600.0, 0.0, 0.0),
        mac("x-aes", 100.0, 0.0, 0.0),
        mac("y-aes", 100.0, 0.0, 0.0),
    ];
    let verdict = |slower: &str, faster: &str, least: f64, most: f64| {
        let claim = format!(
            "ratio = {{ slower = \"{slower}\", faster = \"{faster}\", least = {least:?}, \
             most = {most:?} }}"
        );
        let study = Study::parse(&format!("{study}{claim}")).unwrap();
        let said =
            findings(&synthetic::run(study, &truth, Filling::QUIET)).claims[0].panels[0].clone();
        (said.verdict, said.comparisons)
    };
    // Two pairs at four lengths and two key lives, each within one case or across.
    assert_eq!(verdict("*-tdes", "*-aes", 5.0, 9.0), (Confirmed, 16));
    assert_eq!(verdict("*-tdes", "*-aes", 7.0, 9.0), (Refuted, 16));
    assert_eq!(verdict("*-tdes", "x-aes", 5.0, 9.0), (Confirmed, 16));
    assert_eq!(verdict("*-tdes", "y-tdes", 1.2, 1.5), (Confirmed, 8), "not against itself");
}

#[test]
fn a_ratio_is_of_macs_whose_keys_differ_in_length_too() {
    let claim = "ratio = { slower = \"*-c\", faster = \"b-c\", least = 1.5, most = 5 }";
    let keyed = |name: &str, cost: f64, key_len: u32| {
        planted(("p", "x", name), 10.0 * cost, cost, 0.0, key_len)
    };
    let truth = [keyed("a-c", 2.0, 16), keyed("b-c", 1.0, 32), keyed("d-c", 3.0, 48)];
    let said = judged(claim, &truth);
    assert_eq!((said.verdict, said.comparisons), (Confirmed, 16), "{}", said.reason);
}

#[test]
fn a_ratio_lies_within_its_ends() {
    let claim = "ratio = { slower = \"*-tdes\", faster = \"*-aes\", least = 5, most = 11 }";
    let macs = |cost: f64| {
        let row = |name: &str, cost: f64| mac(name, 10.0 * cost, cost, 5.0 * cost);
        [row("omac-tdes", cost), row("omac-aes", 1.0), row("xcbc-aes", 0.001)]
    };
    let reason = "all 8 comparisons hold; the nearest to a claimed limit: omac-tdes takes 8.0";
    assert_verdict(claim, &macs(8.0), Confirmed, reason);
    assert_verdict(claim, &macs(20.0), Refuted, "omac-tdes takes 20.");
    // The ends have no margin beside them.
    assert_verdict(claim, &macs(11.11), Refuted, "omac-tdes takes 11.");
    assert_verdict(claim, &macs(11.0), Undecided, "omac-tdes takes 1");
    assert_verdict(claim, &macs(8.0)[..1], Undecided, "no pair of *-tdes and *-aes");
}

#[test]
fn offers_of_one_provider_are_compared_where_it_has_both() {
    let claim = "ratio = { slower = \"t\", faster = \"a\", least = 5, most = 11 }";
    let other = |name: &str, cost: f64| planted(("slow", "x", name), cost, cost, 0.0, 16);
    let truth =
        [mac("t", 80.0, 8.0, 0.0), mac("a", 10.0, 1.0, 0.0), other("t", 800.0), other("a", 100.0)];
    let said = judged(claim, &truth);
    assert_eq!((said.verdict, said.comparisons), (Confirmed, 16), "{}", said.reason);
    let said = judged(claim, &truth[1..3]);
    assert_eq!((said.verdict, said.comparisons), (Refuted, 8), "nobody has both");
}

#[test]
fn time_is_proportional_to_calls() {
    let claim = "proportional = [\"*\"]\nmargin = 0.25\nkey_lives = [\"prepared\"]";
    // 16 ns a call.
    let of = |call_ns: f64| [mac("a", call_ns, 1.0, 0.0)];
    assert_verdict(
        claim,
        &of(0.1),
        Confirmed,
        "all 3 comparisons hold; the largest difference: a call",
    );
    let said = judged(claim, &of(0.1));
    assert_eq!(said.effect.unwrap().quantity, Quantity::TimePerPrimitiveCall);
    assert!(
        said.reason.contains("by least squares over the whole times 15.98 ns (95 % interval 15.9"),
        "{}",
        said.reason
    );
    // Call by call it grows by 16 ns exactly, yet 100 ns are paid apart.
    let reason = "× as much in messages of 16 B as in messages of 1 KiB (95 % interval";
    assert_verdict(claim, &of(100.0), Refuted, reason);
    let said = judged(claim, &of(100.0)).reason;
    let apart =
        said.split(" per call and ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((apart.parse::<f64>().unwrap() - 100.0).abs() < 1.0, "{said}");
    // Time that does not grow at all is as far from it as can be.
    assert_verdict(
        claim,
        &[mac("a", 500.0, 0.0, 0.0)],
        Refuted,
        "3 of 3 comparisons contradict it, this one most",
    );
    // 16 + c over 16 + c / 64 is 1.25.
    let edge = format!("{claim}\nsizes = {{ to = 1024 }}");
    let reason = "2 of 3 comparisons hold, 1 is undecided";
    assert_verdict(&edge, &of(4.0 / (1.0 - 1.25 / 64.0)), Undecided, reason);
    let secret = [mac("secret", 0.0, 1.0, 0.0)];
    assert_verdict(
        claim,
        &secret,
        Undecided,
        "unknown: how many calls of the primitive secret makes",
    );
}

#[test]
fn one_overtakes_the_other() {
    let claim = |from: u64, to: u64| {
        format!("crossover = {{ below = \"s\", above = \"l\", from = {from}, to = {to} }}")
    };
    // Equal at 80 B.
    let truth = [mac("s", 10.0, 1.0, 0.0), mac("l", 50.0, 0.5, 0.0)];
    let reason = "all 8 comparisons hold; of the 4 that must show a difference, the smallest: s";
    assert_verdict(&claim(70, 200), &truth, Confirmed, reason);
    assert_verdict(&claim(70, 200), &truth, Confirmed, "the other 4 need only not show");
    assert_verdict(&claim(64, 256), &truth, Confirmed, "all 8 comparisons hold; the smallest");
    assert_verdict(&claim(16, 1024), &truth, Confirmed, "all 4 comparisons hold");
    assert_verdict(&claim(256, 1024), &truth, Refuted, "s takes 1.493 × the time of l");
    let twins = [mac("s", 10.0, 1.0, 0.0), mac("l", 10.0, 1.0, 0.0)];
    assert_verdict(&claim(64, 256), &twins, Refuted, "the same within 1 %");
    let mut broken = run(&claim(64, 256), &truth);
    let long = |id: u32| broken.cells.iter().any(|it| it.id == id && it.cell.len_bytes >= 256);
    let long: Vec<u32> = broken.cells.iter().map(|it| it.id).filter(|&id| long(id)).collect();
    broken.samples.retain(|sample| !long.contains(&sample.cell));
    let said = &findings(&broken).claims[0].panels[0];
    assert_eq!(said.verdict, Undecided);
    assert!(
        said.reason.contains("4 of 8 comparisons hold, 4 are undecided; 4 are not measured yet")
    );
}

/// A run in two regimes: what a message takes in the second is what it takes in the first, times
/// `factor` of its block.
fn in_two_regimes(claim: &str, truth: &[Planted], factor: impl Fn(u32) -> f64) -> Run {
    let [first, second] = ["sessions-100-on-1-absolute", "sessions-100-on-all-absolute"];
    let regimes = format!("regimes = [\"{first}\", \"{second}\"]\n[[parts.cases]]");
    let study = STUDY.replacen("[[parts.cases]]", &regimes, 1);
    let study = Study::parse(&format!("{study}{claim}")).unwrap();
    let mut run = synthetic::run(study, truth, Filling::QUIET);
    let known = run.cells.len() as u32;
    for id in 0..known {
        let mut record = run.cells[id as usize].clone();
        record.id += known;
        record.cell.regime = second.parse().unwrap();
        run.cells.push(record);
    }
    for at in 0..run.samples.len() {
        let mut sample = run.samples[at];
        sample.cell += known;
        sample.elapsed_ns *= factor(sample.block);
        run.samples.push(sample);
    }
    run
}

#[test]
fn a_regime_takes_so_many_times_as_long_as_another() {
    let truth = [mac("a", 100.0, 1.0, 0.0), mac("b", 10.0, 2.0, 0.0)];
    let contrast = |ends: &str, factor: f64, noise: f64| {
        let claim = format!(
            "contrast = {{ regime = \"sessions-100-on-all-absolute\", \
             to = \"sessions-100-on-1-absolute\", {ends} }}"
        );
        // Of the three blocks of a launch the median is in the middle.
        let of = |block: u32| factor * (1.0 + noise * (f64::from(block / 3 % 5) - 2.0));
        findings(&in_two_regimes(&claim, &truth, of)).claims[0].panels[0].clone()
    };
    let verdict = |ends: &str, factor: f64| contrast(ends, factor, 0.0005).verdict;
    // A direction: it must be beyond the end by more than the margin.
    let rises = "least = 1.0";
    assert_eq!((verdict(rises, 1.2), verdict(rises, 0.9)), (Confirmed, Refuted));
    assert_eq!((verdict(rises, 1.004), verdict(rises, 0.996)), (Refuted, Refuted));
    assert_eq!((verdict("most = 0.9", 0.5), verdict("most = 0.9", 1.0)), (Confirmed, Refuted));
    assert_eq!(verdict("most = 0.9", 0.9), Refuted, "no less than nine tenths");
    // A range, which the margin of 1 % widens.
    let near = "least = 1.0, most = 1.1";
    assert_eq!((verdict(near, 1.05), verdict(near, 0.996)), (Confirmed, Confirmed));
    assert_eq!((verdict(near, 1.106), verdict(near, 1.2)), (Confirmed, Refuted));
    assert_eq!(verdict(near, 0.5), Refuted);
    assert_eq!(contrast(near, 1.1, 0.02).verdict, Undecided, "the interval reaches beyond");
    // It is told the way round that was claimed, and all macs at all lengths and key lives decide.
    let said = contrast("most = 0.9", 0.5, 0.0005);
    assert_eq!((said.comparisons, said.hold), (16, 16));
    assert!(
        said.reason.contains(
            " takes 0.4999 × as long on all processors as on one processor (95 % interval 0.49"
        ),
        "{}",
        said.reason
    );
    let effect = said.effect.unwrap();
    assert!(effect.ratio.value > 1.9, "the data have the one that takes longer first");
    let of_one = contrast("macs = [\"a\"], most = 0.9", 0.5, 0.0005);
    assert_eq!(of_one.comparisons, 8);
    let nobody = contrast("macs = [\"c\"], most = 0.9", 0.5, 0.0005);
    assert_eq!(nobody.verdict, Undecided);
    assert!(nobody.reason.contains("not measured in this panel: c as sessions-100-on-all-abs"));
}

#[test]
fn the_order_changes_with_the_length() {
    let claim = "reordered = [\"*\"]\nkey_lives = [\"prepared\"]";
    let (a, b) = (mac("a", 10.0, 1.0, 0.0), mac("b", 500.0, 0.1, 0.0));
    let beside = mac("c", 9000.0, 9.0, 0.0);
    let reason = "b takes 19.30 × the time of a (95 % interval 19.";
    assert_verdict(claim, &[a.clone(), b.clone(), beside.clone()], Confirmed, reason);
    let reason = "16 B, key prepared); but a takes 1.716 × the time of b (95 % interval";
    assert_verdict(claim, &[a.clone(), b.clone()], Confirmed, reason);
    let reason = "1 KiB, key prepared); 1 of 3 pairs changes places";
    assert_verdict(claim, &[a.clone(), b.clone(), beside.clone()], Confirmed, reason);
    // Of six launches the joint test of many pairs shows nothing, but the first may choose.
    let many: Vec<Planted> =
        (0..7).map(|at| mac(&format!("m{at}"), 9e3 + 1e3 * f64::from(at), 9.0, 0.0)).collect();
    let all = [&[a.clone(), b], &many[..]].concat();
    let mut six = run(claim, &all);
    six.samples.retain(|sample| sample.launch < 6);
    for sample in &mut six.samples {
        // As on a machine whose speed changes.
        sample.elapsed_ns *= 1.0 + 0.05 * f64::from((sample.cell * 7 + sample.launch * 13) % 10);
    }
    let said = &findings(&six).claims[0].panels[0];
    assert_eq!(said.verdict, Confirmed, "{}", said.reason);
    let chosen = "chosen of 36 pairs by the first launch, and shown by the 5 others";
    assert!(said.reason.contains(chosen), "{}", said.reason);
    let reason = "the pair does not change places over 4 lengths";
    assert_verdict(claim, &[a.clone(), beside.clone()], Refuted, reason);
    // Equivalent at every length is a tie, which is no change of places either.
    let twin = mac("t", 10.001, 1.0001, 0.0);
    assert_verdict(claim, &[a.clone(), twin.clone(), beside], Refuted, "none of 3 pairs changes");
    assert_verdict(claim, &[a.clone(), twin], Undecided, "the pair is not told apart");
    assert_verdict(claim, std::slice::from_ref(&a), Undecided, "no two MACs of * at two lengths");
    // Two libraries' offers of one mac are no two functions.
    let other = planted(("slow", "x", "a"), 500.0, 0.1, 0.0, 16);
    assert_verdict(claim, &[a, other], Undecided, "no two MACs of * at two lengths");
    // Too few blocks for an interval: nothing is shown.
    let mut few = run(claim, &[mac("a", 10.0, 1.0, 0.0), mac("b", 20.0, 2.0, 0.0)]);
    few.samples.retain(|sample| sample.launch < 1);
    let said = &findings(&few).claims[0].panels[0];
    assert_eq!(said.verdict, Undecided);
    assert!(said.reason.contains("the pair is not shown to change places"), "{}", said.reason);
}

#[test]
fn one_run_does_not_tell_whether_the_order_is_the_same_elsewhere() {
    let truth = [mac("a", 10.0, 1.0, 0.0), mac("b", 500.0, 0.1, 0.0)];
    let reason = "it is decided between runs of two machines, by `macrometer compare`";
    assert_verdict("same_trend = [\"*\"]", &truth, Elsewhere, reason);
}

#[test]
fn what_is_a_matter_of_argument_says_so_once() {
    let claim = "argument = \"Proofs decide it, not clocks.\"";
    let truth = [mac("a", 10.0, 1.0, 0.0)];
    assert_verdict(claim, &truth, Elsewhere, "Proofs decide it, not clocks");
    let panels = "[[panels]]\nname = \"other\"\ntitle = \"Other\"\n[[parts]]";
    let study = Study::parse(&format!("{}{claim}", STUDY.replacen("[[parts]]", panels, 1)));
    let run = synthetic::run(study.unwrap(), &truth, Filling::QUIET);
    let found = findings(&run);
    assert_eq!(found.claims[0].decided, "argument, not by measurement");
    assert_eq!(found.claims[0].panels.len(), 2);
    let told = report::terminal::render(&run, &found, 80, false);
    assert_eq!(told.matches("Proofs decide it, not clocks.").count(), 1, "{told}");
    assert!(!told.contains("clocks.."), "{told}");
    assert_eq!(report::findings::open(&run, &Background::default()), []);
}

#[test]
fn a_claim_may_be_limited_to_panels() {
    let other = "[[panels]]\nname = \"other\"\ntitle = \"Other\"\n[[parts]]";
    let study = STUDY.replacen("[[parts]]", other, 1);
    let claim = "falling = [\"*\"]\npanels = [\"other\"]";
    let study = Study::parse(&format!("{study}{claim}")).unwrap();
    let run = synthetic::run(study, &[mac("a", 100.0, 1.0, 0.0)], Filling::QUIET);
    let found = findings(&run);
    let panels: Vec<&str> = found.claims[0].panels.iter().map(|it| it.panel.as_str()).collect();
    assert_eq!(panels, ["other"]);
    assert!(found.claims[0].decided.contains("new key for each message, panel other: the 95 %"));
    let mut line = ClaimLine::new(&run.study, &run.study.claims[0]);
    line.add(&run, &found, "all");
    assert!(line.panels.is_empty());
    let mut everywhere = run.study.claims[0].clone();
    everywhere.panels.clear();
    let mut whole = run.clone();
    whole.study.claims[0] = everywhere.clone();
    let mut both = ClaimLine::new(&whole.study, &everywhere);
    for panel in ["all", "other"] {
        both.add(&whole, &findings(&whole), panel);
    }
    line.add(&run, &found, "other");
    let (study, title, command) = ("s".into(), "S".into(), "macrometer run s".into());
    let told = StudyVerdicts { study, title, source: None, command, claims: vec![both, line] };
    let text = told.table(80, false);
    assert!(text.contains("–          confirmed") && !text.contains("not run yet"), "{text}");
}

#[test]
fn how_a_claim_is_decided_is_told_from_the_data() {
    let decided = |claim: &str| {
        let run = run(claim, &[mac("a", 1.0, 1.0, 0.0)]);
        findings(&run).claims[0].decided.clone()
    };
    assert_eq!(
        decided("faster = [\"x\"]\nthan = [\"*-3\"]\nsizes = { from = 64 }\nmargin = 0.05"),
        "each of x against each other of *-3 at 3 lengths from 64 B to 1 KiB, key prepared and new \
         key for each message: the 95 % interval of the ratio of their times must lie above 1; an \
         interval that shows no difference of 5 %, or the contrary, refutes it; of several \
         comparisons one refutes it only where the joint test of all does too"
    );
    let ratio = "ratio = { slower = \"*-t\", faster = \"*-a\", least = 5, most = 11 }\n\
                 sizes = { to = 16 }\nkey_lives = [\"new-key\"]";
    assert_eq!(
        decided(ratio),
        "*-t against *-a, * the same in both, at 16 B, new key for each message: the 95 % interval \
         of the ratio of their times must lie within 5 to 11; an interval entirely outside \
         refutes it; of several comparisons one refutes it only where the joint test of all does \
         too"
    );
    assert_eq!(
        decided("same_trend = [\"*\"]\nkey_lives = [\"new-key\"]"),
        "the order of all MACs at 4 lengths from 16 B to 1 KiB, new key for each message: in two \
         runs on different models of processor, set side by side by `macrometer compare`, \
         Kendall's tau of the times that both have must be at least 0.8 at every length; less at \
         most lengths refutes it"
    );
    let contrast = |ends: &str| {
        let claim = format!(
            "contrast = {{ regime = \"sessions-100-on-all-absolute\", \
             to = \"sessions-100-on-1-absolute\", {ends} }}"
        );
        let run = in_two_regimes(&claim, &[mac("a", 1.0, 1.0, 0.0)], |_| 1.0);
        let decided = findings(&run).claims[0].decided.clone();
        let must = decided.split(" the ratio of the two times must ").nth(1).unwrap();
        must.split("; of several").next().unwrap().to_owned()
    };
    assert_eq!(
        contrast("least = 1"),
        "lie above 1; an interval entirely below 1 × (1 + 1 %) refutes it"
    );
    assert_eq!(
        contrast("most = 0.9"),
        "lie below 0.9; an interval entirely above 0.9 ÷ (1 + 1 %) refutes it"
    );
    assert_eq!(
        contrast("least = 1, most = 1.1"),
        "lie within 1 to 1.1, or not further outside than 1 %; an interval entirely outside \
         refutes it"
    );
}

#[test]
fn last_verdicts_are_listed_with_their_runs() {
    let truth = [mac("a", 100.0, 1.0, 0.0)];
    let first = run("falling = [\"a\"]", &truth);
    let mut second = first.clone();
    second.id = "20261122-000000-0000".into();
    second.study.panels[0].name = "other".into();
    let mut told = StudyVerdicts {
        study: "s".into(),
        title: "S".into(),
        source: None,
        command: "macrometer run s".into(),
        claims: vec![ClaimLine::new(&first.study, &first.study.claims[0])],
    };
    let text = told.table(80, false);
    assert!(text.contains("not run yet\n") && text.contains("not run yet: `macrometer run s`"));
    told.claims[0].add(&first, &findings(&first), "all");
    assert!(told.table(80, false).contains("confirmed\nrun 20261121-103045-1f3a, 2026-11-21"));
    told.claims[0].add(&second, &findings(&second), "other");
    let text = told.table(80, false);
    assert!(text.contains("confirmed [1]  confirmed [2]") && text.contains("[2] run 20261122-"));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let narrow = told.table(44, false);
    assert!(narrow.contains("\n  other: confirmed [2]\n"), "{narrow}");
    let details = told.details(80, false);
    assert!(details.contains("decided by each of a, each length against the next"), "{details}");
    let path = &told.claims[0].panels[0].effect.as_ref().unwrap().slower;
    assert_eq!(path, "a/macs/soft/single/prepared/16");
}
