//! Claims of every kind on runs whose truth was planted: each is confirmed, refuted and left open.

use ClaimVerdict::{Confirmed, Refuted, Undecided};
use lab::cell::Cell;
use lab::record::Run;
use lab::study::Study;
use report::findings::{ClaimVerdict, Findings, Known, PanelVerdict, Quantity, Work};
use report::synthetic::{self, Filling, Planted, planted};
use report::verdicts::{ClaimLine, StudyVerdicts};

const STUDY: &str = r#"
    name = "s"
    title = "S"
    summary = "s"
    budget_s = 1.0
    launches = 12
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "sizes"
    title = "Sizes"
    sizes = [16, 64, 256, 1024]
    key_lives = ["prepared", "new-key"]
    [[parts.cases]]
    name = "c"
    title = "C"
    macs = ["*"]
    tested = false
    [[claims]]
    id = "it"
    text = "It is so."
    source = "page 1"
    part = "sizes"
"#;

/// A mac of the provider `macs` that takes `call_ns + byte_ns · length`, `key_ns` for a new key.
fn mac(name: &str, call_ns: f64, byte_ns: f64, key_ns: f64) -> Planted {
    planted(("macs", "soft", name), call_ns, byte_ns, key_ns, 16)
}

fn run(claim: &str, truth: &[Planted]) -> Run {
    let study = Study::parse(&format!("{STUDY}{claim}")).unwrap();
    synthetic::run(study, truth, Filling::QUIET)
}

/// A call of the primitive for every 16 bytes, but none known of `secret`.
fn work(cell: &Cell) -> Option<Work> {
    let calls = cell.len_bytes.div_ceil(16);
    (cell.candidate.mac != "secret").then_some(Work { calls, key_schedules: 0 })
}

fn findings(run: &Run) -> Findings {
    Findings::knowing(run, &Known { work: &work, ..Known::default() })
}

fn judged(claim: &str, truth: &[Planted]) -> PanelVerdict {
    findings(&run(claim, truth)).claims[0].panels[0].clone()
}

#[track_caller]
fn assert_verdict(claim: &str, truth: &[Planted], verdict: ClaimVerdict, reason: &str) {
    let said = judged(claim, truth);
    assert_eq!(said.verdict, verdict, "{}", said.reason);
    assert!(said.reason.starts_with(verdict.name()), "{}", said.reason);
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
    assert_verdict(claim, &falls, Confirmed, "all 6 comparisons hold; the narrowest: a");
    let said = judged(claim, &falls);
    assert_eq!(said.effect.unwrap().quantity, Quantity::TimePerByte);
    // 356 / 256 over 1124 / 1024.
    let reason =
        "a takes 1.27 × the time a byte at 256 B that it takes at 1 KiB (95 % interval 1.2";
    assert_verdict(claim, &falls, Confirmed, reason);
    let rises = mac("ab", -10.0, 2.0, 0.0);
    let reason = "ab takes 1.35 × the time a byte at 64 B that it takes at 16 B";
    assert_verdict(claim, &[falls[0].clone(), rises], Refuted, reason);
    // The same for every byte: neither shown to fall nor to rise.
    assert_verdict(claim, &[mac("a", 0.0, 1.0, 0.0)], Undecided, "6 of 6 comparisons show neither");
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
fn a_ratio_lies_within_its_ends() {
    let claim = "ratio = { slower = \"*-tdes\", faster = \"*-aes\", least = 5, most = 11 }";
    let macs = |cost: f64| {
        let row = |name: &str, cost: f64| mac(name, 10.0 * cost, cost, 5.0 * cost);
        [row("omac-tdes", cost), row("omac-aes", 1.0), row("xcbc-aes", 0.001)]
    };
    let reason = "all 8 comparisons hold; the narrowest: omac-tdes takes 8.0";
    assert_verdict(claim, &macs(8.0), Confirmed, reason);
    assert_verdict(claim, &macs(20.0), Refuted, "omac-tdes takes 20.");
    assert_verdict(claim, &macs(11.0), Undecided, "show neither; omac-tdes takes 1");
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
    assert_verdict(claim, &of(0.1), Confirmed, "all 3 comparisons hold; the widest: a takes 1.01");
    let said = judged(claim, &of(0.1));
    assert_eq!(said.effect.unwrap().quantity, Quantity::TimePerPrimitiveCall);
    assert!(
        said.reason.contains("by least squares 16.0 ns (95 % interval 15.9"),
        "{}",
        said.reason
    );
    // Call by call it grows by 16 ns exactly, yet 100 ns are paid apart.
    let reason = "× the time a call of its primitive at 16 B that it takes at 1 KiB (95 % interval";
    assert_verdict(claim, &of(100.0), Refuted, reason);
    let said = judged(claim, &of(100.0)).reason;
    let apart = said.split(" a call and ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((apart.parse::<f64>().unwrap() - 100.0).abs() < 1.0, "{said}");
    // Time that does not grow at all is as far from it as can be.
    assert_verdict(claim, &[mac("a", 500.0, 0.0, 0.0)], Refuted, "3 of 3 comparisons");
    // 16 + c over 16 + c / 64 is 1.25.
    let edge = format!("{claim}\nsizes = {{ to = 1024 }}");
    assert_verdict(&edge, &of(4.0 / (1.0 - 1.25 / 64.0)), Undecided, "1 of 3 comparisons shows");
    let secret = [mac("secret", 0.0, 1.0, 0.0)];
    assert_verdict(claim, &secret, Undecided, "not known: the calls of the primitive that secret");
}

#[test]
fn one_overtakes_the_other() {
    let claim = |from: u64, to: u64| {
        format!("crossover = {{ below = \"s\", above = \"l\", from = {from}, to = {to} }}")
    };
    // Equal at 80 B.
    let truth = [mac("s", 10.0, 1.0, 0.0), mac("l", 50.0, 0.5, 0.0)];
    assert_verdict(&claim(64, 256), &truth, Confirmed, "all 8 comparisons hold; the narrowest: l");
    assert_verdict(&claim(16, 1024), &truth, Confirmed, "all 4 comparisons hold");
    assert_verdict(&claim(256, 1024), &truth, Refuted, "s takes 1.49 × the time of l");
    let twins = [mac("s", 10.0, 1.0, 0.0), mac("l", 10.0, 1.0, 0.0)];
    assert_verdict(&claim(64, 256), &twins, Undecided, "4 of 8 comparisons show neither");
    let mut broken = run(&claim(64, 256), &truth);
    let long = |id: u32| broken.cells.iter().any(|it| it.id == id && it.cell.len_bytes >= 256);
    let long: Vec<u32> = broken.cells.iter().map(|it| it.id).filter(|&id| long(id)).collect();
    broken.samples.retain(|sample| !long.contains(&sample.cell));
    let said = &findings(&broken).claims[0].panels[0];
    assert_eq!(said.verdict, Undecided);
    assert!(said.reason.contains("not measured in this panel: s and l at 256 B and more"));
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
         key each message: the 95 % interval of the ratio of their times must lie above 1 and not \
         wholly within 5 % of it"
    );
    let ratio = "ratio = { slower = \"*-t\", faster = \"*-a\", least = 5, most = 11 }\n\
                 sizes = { to = 16 }\nkey_lives = [\"new-key\"]";
    assert_eq!(
        decided(ratio),
        "*-t against *-a, * the same in both, at 16 B, new key each message: the 95 % interval of \
         the ratio of their times must lie within 5 to 11; one that lies wholly outside contradicts"
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
    assert_eq!(path, "a/macs/soft/single/new-key/256");
}
