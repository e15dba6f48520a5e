//! What an answer says and what it leaves out: sentences that do not contradict the table, name the
//! way of calling, and say once what there is to say.

use lab::cell::Regime;
use lab::record::{ProcessorTime, Run};
use lab::study::{Batch, Caller, ClassName, Workload};
use report::page;
use report::recommend::{Change, Load, Recommendation, ServerRow, Servers, Test, Value};
use synthetic::{Filling, Planted, planted};

use super::{MEAN, NOISY, answer, class, flat, imix, quiet, run, seen, truth};

fn told(workload: &Workload, truth: &[Planted], rate_per_s: Option<f64>) -> Recommendation {
    answer(&run(workload, truth, Filling::QUIET, 1), rate_per_s)
}

/// The paragraph of the recommendation: what stands before the first empty line.
fn above(found: &Recommendation) -> String {
    let text = found.text(80);
    let above = text.split("\n\n").next().unwrap();
    above.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn callers(all: &[(&str, &[&str])]) -> Vec<Caller> {
    let of = |(language, providers): &(&str, &[&str])| Caller {
        language: (*language).into(),
        providers: providers.iter().map(ToString::to_string).collect(),
    };
    all.iter().map(of).collect()
}

/// Whoever has the lowest median: two that are as fast are not put in an order.
#[test]
fn the_fastest_of_all_is_not_called_the_lowest_where_it_is_as_fast_as_the_answer() {
    let mut truth = truth();
    truth[4].call_ns = 60.0 - 0.5;
    truth[4].byte_ns = 0.50;
    let found = told(&imix(None, None), &truth, None);
    assert_eq!(found.class(&ClassName::All).unwrap().best.mac, "gmac-aes-128");
    let said = above(&found);
    assert!(
        said.contains("gmac-aes-128@lib, ") && said.contains("is as fast within 3 %"),
        "{said}"
    );
    assert!(!said.contains("lowest time") && !said.contains("beside cmac"), "{said}");
}

/// The same run with every message also in batches of 64, which take `factor` times as long.
fn with_batches(run: &Run, factor: f64) -> Run {
    let (mut both, regime) = (run.clone(), "batch-64".parse::<Regime>().unwrap());
    let next = run.cells.len() as u32;
    let own = run.cells.iter().filter(|it| it.cell.candidate.mac != "null");
    for record in own {
        let mut record = record.clone();
        let samples = run.samples.iter().filter(|it| it.cell == record.id);
        both.samples.extend(samples.map(|it| {
            let mut sample = *it;
            sample.cell += next;
            sample.elapsed_ns *= factor;
            sample
        }));
        record.id += next;
        record.cell.regime = regime;
        both.cells.push(record);
    }
    let workload = both.study.workload.as_mut().unwrap();
    workload.batch = Some(Batch { messages: 64, regime });
    both
}

#[test]
fn an_answer_is_not_compared_with_itself_but_batches_with_single_messages() {
    let measured = run(&imix(None, None), &truth(), Filling::QUIET, 1);
    for (factor, gains) in [(1.0, false), (0.5, true)] {
        let found = answer(&with_batches(&measured, factor), None);
        let best = &found.answer().best;
        let other = found.answer().batching.as_ref().unwrap();
        assert_eq!(best.name(), other.row.name());
        assert!(!gains || best.batch.is_some(), "{best:?}");
        assert_ne!(best.batch, other.row.batch);
        let said = above(&found);
        let batches = said.split(". ").find(|it| it.starts_with("Batches of 64 ")).unwrap();
        assert_eq!(batches.starts_with("Batches of 64 gain: "), gains, "{said}");
        // Wherever others are listed, they are told apart, and it is not among them.
        let close = said.split("s fast within 3 %: ").nth(1).map(|it| it.split(". ").next());
        assert!(!close.flatten().is_some_and(|it| it.contains(&best.name())), "{said}");
        assert!(said.contains(" one at a time") || said.contains(" in batches of 64"), "{said}");
    }
}

/// Our own library is said to be ours, and the best of another stands beside it.
#[test]
fn macrometers_own_library_is_said_to_be_its_own() {
    let mut truth = truth();
    for own in &mut truth {
        if own.candidate.provider == "lib" {
            own.candidate.provider = "macs".into();
        }
    }
    let said = above(&told(&imix(None, None), &truth, None));
    assert!(said.contains("macs is macrometer's own library ("), "{said}");
    assert!(said.contains("hmac-sha256@other") && said.contains("From another library"), "{said}");
    assert!(!above(&quiet(&imix(None, None))).contains("own library"));
    // Another way to the same library is no other library.
    truth[2].candidate.provider = "macs-c".into();
    let found = told(&imix(None, None), &truth, None);
    assert_eq!(found.answer().other_library, None);
}

#[test]
fn what_the_answer_takes_of_a_core_is_told_at_the_rate() {
    let ns = 60.0 + 0.50 * MEAN;
    let found = told(&imix(None, None), &truth(), Some(1e6));
    assert!((found.cores.unwrap() / (ns * 1e-3) - 1.0).abs() < 0.02, "{:?}", found.cores);
    let said = above(&found);
    assert!(said.contains("At 1,000,000 messages per second it takes "), "{said}");
    assert!(!said.contains("any will do"), "{said}");
    // Where none of them takes a hundredth of a core, there is nothing to choose.
    let said = above(&told(&imix(None, None), &truth(), Some(10_000.0)));
    assert!(said.contains("takes less than 1 %: any will do"), "{said}");
    assert_eq!(quiet(&imix(None, None)).cores, None);
}

/// One signs and another verifies: the one MAC for both comes first, judged by both.
#[test]
fn callers_that_share_no_library_get_one_mac_first() {
    let mut truth = truth();
    truth.push(planted(("other", "soft", "cmac-aes-128"), 4_000.0, 9.0, 0.0, 16));
    let mut workload = imix(None, None);
    workload.callers = callers(&[("Go", &["lib"]), ("Java", &["other"])]);
    for mac in ["hmac-sha256", "cmac-aes-128"] {
        workload.classes.push(class(ClassName::Together(mac.into()), &[mac]));
    }
    let found = told(&workload, &truth, Some(1000.0));
    // Alone, CMAC is the fastest from Go, and a class of one mac is no answer of its own.
    assert_eq!(found.answer().best.name(), "cmac-aes-128@lib");
    assert!(found.classes.iter().all(|it| !matches!(it.name, ClassName::Together(_))));
    let own = found.together.as_ref().unwrap();
    let each: Vec<_> = own.each.iter().map(|it| (&*it.language, it.row.name())).collect();
    assert_eq!(own.mac, "hmac-sha256");
    assert_eq!(each, [("Go", "hmac-sha256@lib".into()), ("Java", "hmac-sha256@other".into())]);
    let sum_ns = 250.0 + 2.0 * 0.60 * MEAN;
    assert!((own.sum_ns.value / sum_ns - 1.0).abs() < 0.02, "{own:?}");
    assert_eq!(own.others[0].mac, "cmac-aes-128");
    let said = above(&found);
    let (first, second) = said.split_once("Where each may have a MAC of its own").unwrap();
    assert!(first.contains("Use hmac-sha256 from Go and Java: "), "{said}");
    assert!(first.contains("from Go (hmac-sha256@lib)"), "{said}");
    assert!(first.contains("from Java (hmac-sha256@other)"), "{said}");
    assert!(second.contains("from Go, cmac-aes-128@lib") && second.contains("from Java, hmac"));
    assert!(found.text(100).contains("use from Java"), "{}", found.text(100));
    // Without a mac of both there is none to recommend first.
    workload.classes.retain(|it| !matches!(it.name, ClassName::Together(_)));
    let said = above(&told(&workload, &truth, None));
    assert!(said.contains("No eligible MAC was measured from each of Go and Java"), "{said}");
}

/// What a policy changes is told with its title, and by the verdict that the answer itself has.
#[test]
fn a_pair_has_one_verdict_and_a_policy_its_title() {
    let mut workload = imix(None, None);
    workload.classes.push(class(ClassName::Policy("strict".into()), &["hmac-sha256"]));
    let found = answer(&run(&workload, &truth(), NOISY, 3), None);
    let mut next = found.answer().close.iter().chain(&found.answer().runner_up);
    let next = next.find(|it| it.row.mac == "hmac-sha256").unwrap();
    let change = found.changes.iter().find_map(|it| match it {
        Change::Policy { policies, other } => Some((policies, other)),
        _ => None,
    });
    let (policies, other) = change.unwrap();
    assert_eq!((other.name(), other.to_answer), (next.row.name(), next.to_best));
    assert_eq!(other.to_answer.test, Test::AllPairs);
    assert_eq!(policies[0].title, "The Strict Standard");
    let line = "by strict (The Strict Standard), which calls cmac-aes-128 legacy: hmac-sha256@";
    assert!(seen(&page::answer(&found)).contains(line), "{}", flat(&found));
}

#[test]
fn the_same_thing_is_said_once() {
    let mut workload = imix(None, None);
    workload.classes[1].macs =
        ["hmac-sha256", "cmac-aes-128", "siphash-2-4-128"].map(ToString::to_string).to_vec();
    let own = planted(("lib", "soft", "siphash-2-4-128"), 10.0, 0.20, 20.0, 16);
    let found = told(&workload, &[&truth()[..4], &[own]].concat(), None);
    let said = above(&found);
    assert_eq!(
        found.unconditional.as_ref().unwrap().name(),
        found.class(&ClassName::All).unwrap().best.name()
    );
    assert_eq!(said.matches("siphash-2-4-128@lib").count(), 1, "{said}");
    assert!(said.contains("Fastest eligible MAC, but not widely used: siphash"), "{said}");
}

/// What the answer itself asks for stands beside it, not only in what is to be known.
#[test]
fn the_condition_of_the_answer_is_in_its_paragraph() {
    let mut workload = imix(None, None);
    workload.classes = vec![class(ClassName::All, &["gmac-aes-128", "cmac-aes-128"])];
    let found = told(&workload, &truth(), None);
    assert_eq!(found.condition.as_deref(), Some("it needs a nonce"));
    let paragraph = &found.text(80).split("\n\n").next().unwrap().to_owned();
    assert!(paragraph.contains("Use gmac-aes-128@lib") && paragraph.contains("It needs a nonce."));
    assert_eq!(quiet(&imix(None, None)).condition, None);
}

#[test]
fn what_is_undecided_names_the_time_that_decides_it_and_who_is_near() {
    let mut truth = truth();
    truth[1].call_ns = 61.0;
    truth[1].byte_ns = 0.50;
    let few = Filling { launches: 2, ..Filling::QUIET };
    let mut measured = run(&imix(None, None), &truth, few, 1);
    measured.budget_s = 10.0;
    let found = answer(&measured, None);
    let enough_s = found.budget_enough_s.unwrap();
    assert!(enough_s > 30.0 && enough_s < 60.0, "{enough_s}");
    let said = above(&found);
    assert!(said.contains(&format!("About --budget {enough_s:.0} would give the 6")), "{said}");
    assert!(said.contains("Within 3 % of it: "), "{said}");
    assert!(!said.contains("A larger --budget would decide"), "{said}");
    assert_eq!(quiet(&imix(None, None)).budget_enough_s, None);
    // One alone seems nothing.
    let mut workload = imix(None, None);
    workload.classes.iter_mut().for_each(|it| it.macs = vec!["cmac-aes-128".into()]);
    let found = answer(&run(&workload, &truth[..4], few, 1), None);
    let text = flat(&found);
    assert!(text.contains("cmac-aes-128@lib is the only one of what is widely used"), "{text}");
    assert!(!text.contains("seems fastest, seems fastest of all"), "{text}");
}

/// Where others had more than a tenth of the processor, that stands above the answer.
#[test]
fn a_busy_machine_is_told_above_the_answer() {
    let mut measured = run(&imix(None, None), &truth(), Filling::QUIET, 1);
    let with = |measured: &mut Run, others_s: f64| {
        let time =
            ProcessorTime { launch: 0, available_s: 10.0, own_s: 1.0, others_s, stolen_s: None };
        measured.processor_times = vec![time];
        answer(measured, None)
    };
    let found = with(&mut measured, 7.3);
    let said = above(&found);
    let (before, after) = said.split_once("Use ").unwrap();
    assert!(before.contains("other processes had 73 % of the processor"), "{said}");
    assert!(before.contains("do not rely on these figures") && !after.contains("73 %"), "{said}");
    assert!(found.doubts.is_empty() && seen(&page::answer(&found)).contains("do not rely on"));
    let found = with(&mut measured, 0.5);
    assert_eq!((&found.warning, found.doubts.len()), (&None, 1));
}

/// What a busy machine carried counts no servers; what the MACs alone take is told first.
#[test]
fn servers_are_not_counted_from_a_machine_that_others_had() {
    let mut found = told(&imix(None, None), &truth(), Some(1e7));
    let row = ServerRow {
        mac: "cmac-aes-128".into(),
        provider: "lib".into(),
        carried: Value { value: 10.0, interval: None },
        at_least: false,
        cores_needed: 1000.0,
        servers: 250,
        servers_least: 250,
    };
    let servers = |is_usable| Servers {
        run: "20261126-000000-0000".into(),
        load: Load { sessions: 1000, rate_per_s: 10_000.0, cores: 4 },
        tail_quantile: 0.99,
        tail_ms: 10.0,
        processors: 2,
        rows: vec![row.clone()],
        is_usable,
        not_measured: vec![],
        doubts: vec![],
    };
    found.servers = Some(servers(false));
    let text = flat(&found);
    assert!(text.contains("Counting the MAC alone, cmac-aes-128@lib takes "), "{text}");
    assert!(text.contains("is unusable") && !text.contains("cores needed"), "{text}");
    assert!(!seen(&page::answer(&found)).contains("cores needed"));
    found.servers = Some(servers(true));
    let text = flat(&found);
    let (before, after) = text.split_once("Counting the MAC alone").unwrap();
    assert!(after.contains("cores needed") && !before.contains("cores needed"), "{text}");
}

/// Labels say what they are of.
#[test]
fn labels_and_counts_are_right() {
    let mut workload = imix(None, None);
    workload.classes.iter_mut().for_each(|it| it.macs = vec!["cmac-aes-128".into()]);
    let one = [truth()[0].clone(), truth()[3].clone()];
    let text = flat(&told(&workload, &one, None));
    let alone = text.contains(" 1 candidate, ");
    assert!(alone && text.contains("It is the only one here that is widely used."), "{text}");
    let text = flat(&quiet(&imix(None, None)));
    assert!(!text.contains("runner-up") && text.contains(" next "), "{text}");
}
