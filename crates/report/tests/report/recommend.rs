//! What to use, over runs with a planted truth: who is fastest for a mix, how often that is right,
//! what is too close to call, what changing saves, what would change the answer, how it is told: on
//! a terminal, as JSON, and on a page.

mod sentences;

use lab::cell::KeyLife;
use lab::record::Run;
use lab::study::{Caller, Class, ClassName, Length, Now, Study, Workload};
use report::page;
use report::recommend::{Asked, Behind, ByPolicy, Change, Recommendation, Worth};
use synthetic::{Filling, Planted, planted};

use crate::browser;

const NOISY: Filling = Filling { launches: 8, blocks: 3, launch_sd: 0.04, block_sd: 0.02 };

fn class(name: ClassName, macs: &[&str]) -> Class {
    Class { name, macs: macs.iter().map(ToString::to_string).collect() }
}

/// IMIX: 7, 4 and 1 of 12 messages.
fn imix(messages_per_key: Option<u64>, now: Option<Now>) -> Workload {
    let length = |len_bytes, of_12: f64| Length { len_bytes, share: of_12 / 12.0 };
    let wide = ["hmac-sha256", "cmac-aes-128", "blake3-keyed"];
    let mut classes = vec![
        class(ClassName::Wide, &wide),
        class(ClassName::All, &[&wide[..], &["gmac-aes-128"]].concat()),
    ];
    classes.extend(now.iter().map(|now| class(ClassName::SameMac, &[&now.mac])));
    let lengths = vec![length(64, 7.0), length(576, 4.0), length(1500, 1.0)];
    Workload { lengths, messages_per_key, batch: None, callers: vec![], classes, now }
}

fn now(mac: &str, provider: &str, call: Option<KeyLife>) -> Option<Now> {
    Some(Now { mac: mac.into(), provider: provider.into(), call })
}

/// Mean length of IMIX.
const MEAN: f64 = (7.0 * 64.0 + 4.0 * 576.0 + 1500.0) / 12.0;

/// HMAC is cheap to call and dear by the byte; CMAC the other way round, with a dear key; GMAC is
/// faster than both.
fn truth() -> Vec<Planted> {
    vec![
        planted(("null", "none", "null"), 2.1, 0.0, 0.0, 0),
        planted(("lib", "sha-ni", "hmac-sha256"), 100.0, 0.60, 90.0, 32),
        planted(("other", "sha-ni", "hmac-sha256"), 150.0, 0.60, 90.0, 32),
        planted(("lib", "aes-ni", "cmac-aes-128"), 60.0, 0.50, 400.0, 16),
        planted(("lib", "vaes", "gmac-aes-128"), 40.0, 0.05, 500.0, 16),
    ]
}

fn study(workload: &Workload) -> Study {
    let mut study = Study::parse(include_str!("../../../../studies/recommend.toml")).unwrap();
    study.parts[0].sizes = workload.lengths.iter().map(|it| it.len_bytes).collect();
    study.parts[0].cases.truncate(1);
    study.parts[0].key_lives = KeyLife::ALL.to_vec();
    study.workload = Some(workload.clone());
    study.check().unwrap();
    study
}

fn run(workload: &Workload, truth: &[Planted], filling: Filling, seed: u64) -> Run {
    synthetic::run_seeded(study(workload), truth, filling, seed)
}

fn policy(name: &str, mac: &str) -> Option<ByPolicy> {
    let (title, says) = ("The Strict Standard".into(), format!("calls {mac} legacy"));
    Some(ByPolicy { name: name.into(), title, says })
}

/// Asks for nothing, and knows of nothing.
fn plain() -> Asked<'static> {
    Asked {
        command: String::new(),
        words: "Messages of IMIX, called from C".into(),
        rate_per_s: None,
        budget_share: 1.0,
        caveats: vec![],
        policy: &policy,
        to_know: &|_| vec![],
        asks: &|_| None,
        may: &|_, _| true,
        written: &|_, _, _| None,
        can_call: &|_| true,
        why_not: &|_, _| None,
    }
}

fn answer(run: &Run, rate_per_s: Option<f64>) -> Recommendation {
    let asked = Asked {
        command: "macrometer recommend --size imix --seed 7".into(),
        rate_per_s,
        to_know: &|mac| match mac {
            "gmac-aes-128" => vec!["a nonce, never twice under one key".into()],
            _ => vec![],
        },
        asks: &|mac| (mac == "gmac-aes-128").then(|| "it needs a nonce".into()),
        ..plain()
    };
    Recommendation::of(run, &asked).unwrap()
}

/// What is told, whatever its lines.
fn flat(found: &Recommendation) -> String {
    found.text(80).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quiet(workload: &Workload) -> Recommendation {
    answer(&run(workload, &truth(), Filling::QUIET, 1), None)
}

#[test]
fn the_fastest_of_a_mix_is_found_with_its_time() {
    let found = quiet(&imix(None, None));
    let best = &found.answer().best;
    assert_eq!((best.name().as_str(), best.call), ("cmac-aes-128@lib", KeyLife::Prepared));
    let ns = 60.0 + 0.50 * MEAN;
    assert!((best.message_ns.value / ns - 1.0).abs() < 0.01, "{best:?} {ns}");
    assert!((best.per_core_second.value * ns / 1e9 - 1.0).abs() < 0.01);
    let second = found.answer().runner_up.as_ref().unwrap();
    assert_eq!(second.row.name(), "hmac-sha256@lib");
    let ratio = (100.0 + 0.60 * MEAN) / ns;
    assert!((second.to_best.ratio.value / ratio - 1.0).abs() < 0.01, "{second:?}");
    assert_eq!(found.class(&ClassName::All).unwrap().best.mac, "gmac-aes-128");
    assert_eq!(found.asks.as_deref(), Some("it needs a nonce"));
    // With a new key for each the cheap key wins.
    let found = quiet(&imix(Some(1), None));
    let best = &found.answer().best;
    assert_eq!((best.name().as_str(), best.call), ("hmac-sha256@lib", KeyLife::NewKey));
    assert!((best.message_ns.value / (190.0 + 0.60 * MEAN) - 1.0).abs() < 0.01, "{best:?}");
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let workload = imix(None, None);
    let (message_ns, ratio) = (60.0 + 0.50 * MEAN, (100.0 + 0.60 * MEAN) / (60.0 + 0.50 * MEAN));
    // A spike in fifty blocks moves no median of three by much.
    let is_in = |low: f64, high: f64, truth: f64| low <= truth && truth <= high;
    let (mut time, mut against, runs) = (0, 0, 100);
    for seed in 0..runs {
        let found = answer(&run(&workload, &truth(), NOISY, seed), None);
        let class = found.answer();
        let second = class.close.iter().chain(&class.runner_up);
        let row = second.clone().map(|it| &it.row).chain([&class.best]);
        let cmac = row.clone().find(|it| it.mac == "cmac-aes-128").unwrap();
        let interval = cmac.message_ns.interval.unwrap();
        time += u32::from(is_in(interval.low, interval.high, message_ns));
        let own = second.clone().find(|it| it.row.name() == "hmac-sha256@lib");
        if let Some(interval) = own.and_then(|it| it.to_best.ratio.interval) {
            against += u32::from(is_in(interval.low, interval.high, ratio));
        }
    }
    assert!(time >= 90 && against >= 90, "{time} and {against} of {runs}");
}

/// The fastest is `lib`'s, which the second caller cannot call.
#[test]
fn each_caller_that_cannot_use_the_best_is_told_what_to_use() {
    let caller = |language: &str, providers: &[&str]| Caller {
        language: language.into(),
        providers: providers.iter().map(ToString::to_string).collect(),
    };
    let callers = vec![caller("Java", &["other"])];
    let found = quiet(&Workload { callers, ..imix(None, None) });
    let [java] = &found.answer().for_callers[..] else { panic!("{:?}", found.answer()) };
    let rival = java.rival.as_ref().unwrap();
    assert_eq!((&*java.language, &*rival.row.name()), ("Java", "hmac-sha256@other"));
    let told = flat(&found);
    assert!(told.contains("From Java, use hmac-sha256@other"), "{told}");
    assert!(told.contains("from Java"), "{told}");
    let document = serde_json::to_value(found.answer()).unwrap();
    assert_eq!(document["for_callers"][0]["provider"], "other");
    let callers = vec![caller("Node.js", &["node"])];
    let found = quiet(&Workload { callers, ..imix(None, None) });
    assert!(flat(&found).contains("From Node.js, nothing was measured."), "{}", flat(&found));
}

/// Where two are equal, one is hardly ever called slower, whoever happened to be the first.
#[test]
fn equals_are_seldom_told_apart_and_never_without_an_interval() {
    let mut truth = truth();
    truth[2].call_ns = truth[3].call_ns + 0.50 * MEAN - 0.60 * MEAN;
    let workload = imix(None, None);
    let slower = |filling: Filling, seed: u64| {
        let found = answer(&run(&workload, &truth, filling, seed), None);
        let class = found.answer();
        let names = ["hmac-sha256@other", "cmac-aes-128@lib"];
        assert!(names.contains(&class.best.name().as_str()), "{}", class.best.name());
        let other = class.close.iter().find(|it| names.contains(&it.row.name().as_str()));
        other.is_none()
    };
    let runs = 120;
    let told = (0..runs).filter(|&seed| slower(NOISY, seed)).count();
    assert!(told * 100 <= 8 * runs as usize, "{told} of {runs}");
    let quiet = answer(&run(&workload, &truth, Filling::QUIET, 3), None);
    assert_eq!(quiet.answer().close[0].to_best.verdict, Behind::AsFast);
    assert!(flat(&quiet).contains("As fast within 3 %: "), "{}", quiet.text(80));
    let noisy = (0..20).map(|seed| answer(&run(&workload, &truth, NOISY, seed), None));
    let open =
        noisy.filter(|it| flat(it).to_lowercase().contains("too close to call against")).count();
    assert!(open >= 15, "{open}");
}

#[test]
fn few_launches_say_nothing() {
    let few = Filling { launches: 5, ..Filling::QUIET };
    let found = answer(&run(&imix(None, now("hmac-sha256", "lib", None)), &truth(), few, 1), None);
    assert!(found.answer().best.message_ns.interval.is_none());
    assert!(found.answer().close.iter().all(|it| it.to_best.verdict == Behind::CannotSay));
    assert_eq!(found.today.as_ref().unwrap().verdict, Worth::CannotSay);
    let text = flat(&found);
    assert!(text.contains("Undecided: 5 launches are too few for an interval"), "{text}");
    assert!(!text.contains("Use ") && !text.contains("The fastest"), "{text}");
    assert!(text.contains("cmac-aes-128@lib seems fastest of what is widely used"), "{text}");
    assert!(text.contains("as it seems: gmac-aes-128@lib"), "{text}");
    assert!(text.contains("it needs a nonce"), "{text}");
    assert!(!text.contains("as fast") && !text.contains("too close"), "{text}");
    let told = found.text(200);
    let row = |name: &str| told.lines().rfind(|line| line.trim().starts_with(name)).unwrap();
    assert!(row("gmac-aes-128@lib").trim_end().ends_with(" seems fastest of all"), "{told}");
    assert!(row("cmac-aes-128@lib").trim_end().ends_with(" seems fastest"), "{told}");
}

#[test]
fn who_left_after_the_look_and_the_look_itself_tell_nothing() {
    let workload = imix(None, None);
    let mut raced = run(&workload, &truth(), Filling::QUIET, 1);
    let before = answer(&raced, None);
    for record in &mut raced.cells {
        record.has_left = record.cell.candidate.provider == "other";
    }
    for sample in raced.samples.iter_mut().filter(|it| it.launch == 0) {
        sample.elapsed_ns *= 10.0;
    }
    let found = answer(&raced, None);
    assert_eq!((found.launches, before.launches), (11, 12));
    assert_eq!((found.looked_at, found.measured), (4, 3));
    let [own, earlier] = [&found, &before].map(|it| it.answer().best.message_ns.value);
    assert!((own / earlier - 1.0).abs() < 0.005, "{own} {earlier}");
    // Nothing came after the look: it is told, and decides nothing.
    raced.samples.retain(|it| it.launch == 0);
    let found = answer(&raced, None);
    assert_eq!((found.launches, found.answer().best.message_ns.interval), (1, None));
}

#[test]
fn what_changing_saves_is_told_at_the_rate() {
    let workload = imix(None, now("hmac-sha256", "other", None));
    let measured = run(&workload, &truth(), Filling::QUIET, 1);
    let saved_ns = 90.0 + 0.10 * MEAN;
    let worth = |rate| answer(&measured, rate).today.unwrap();
    let today = worth(None);
    assert_eq!(today.verdict, Worth::DependsOnRate);
    assert!((today.saved_ns.unwrap().value / saved_ns - 1.0).abs() < 0.05);
    let from = today.worth_from_per_s.unwrap();
    assert!((from * saved_ns * 1e-9 / 0.01 - 1.0).abs() < 0.05, "{from}");
    assert_eq!(worth(Some(from * 0.9)).verdict, Worth::NotWorthChanging);
    let today = worth(Some(from * 1.1));
    assert_eq!(today.verdict, Worth::WorthChanging);
    assert!((today.cores_saved.unwrap() / 0.011 - 1.0).abs() < 0.05);
    let text = flat(&answer(&measured, Some(1000.0)));
    assert!(text.contains("Stay with hmac-sha256@other: changing would save only"), "{text}");
    assert!(text.contains("at 1,000 messages per second"), "{text}");
    let text = flat(&answer(&measured, Some(1e6)));
    assert!(text.contains("Worth changing from hmac-sha256@other"), "{text}");
    assert!(
        text.contains(
            "cmac-aes-128 is a different MAC from hmac-sha256: senders and verifiers must"
        )
    );
    // Numbers are rounded to where what is said of them holds.
    let text = flat(&answer(&measured, Some(from * 0.999)));
    assert!(!text.contains("save 1.0 %"), "{text}");
    let text = flat(&answer(&measured, None));
    let told = text.split("Worth changing from hmac-sha256@other where it is ").nth(1).unwrap();
    let told: f64 = told.split(' ').next().unwrap().replace(',', "").parse().unwrap();
    assert!(told >= from && told < 1.1 * from, "{told} {from}");
    // The same MAC of the other library is faster too.
    assert_eq!(answer(&measured, None).class(&ClassName::SameMac).unwrap().best.provider, "lib");
    // What is the answer itself is kept.
    let own = imix(None, now("cmac-aes-128", "lib", None));
    let found = answer(&run(&own, &truth(), Filling::QUIET, 1), Some(1e6));
    assert_eq!(found.today.as_ref().unwrap().verdict, Worth::IsTheAnswer);
    assert!(flat(&found).contains("Stay with cmac-aes-128@lib: it is the answer"));
}

#[test]
fn what_is_not_widely_used_and_asks_for_nothing_is_named() {
    let mut workload = imix(None, None);
    workload.classes[1].macs.push("siphash-2-4-128".into());
    let with = |call_ns| {
        let own = planted(("lib", "soft", "siphash-2-4-128"), call_ns, 0.20, 20.0, 16);
        let truth = [&truth()[..], &[own]].concat();
        answer(&run(&workload, &truth, Filling::QUIET, 1), None)
    };
    let found = with(10.0);
    assert_eq!(found.unconditional.as_ref().unwrap().name(), "siphash-2-4-128@lib");
    let text = flat(&found);
    assert!(text.contains("Fastest without caveats, but not widely used: siphash"), "{text}");
    // Not where it is slower.
    assert_eq!(with(500.0).unconditional, None);
}

#[test]
fn what_may_not_be_used_is_changed_however_fast_it_is() {
    let own = imix(None, now("gmac-aes-128", "lib", None));
    let may = |mac: &str, _: Option<u64>| mac != "gmac-aes-128";
    let asked = Asked { rate_per_s: Some(1.0), may: &may, ..plain() };
    let found = Recommendation::of(&run(&own, &truth(), Filling::QUIET, 1), &asked).unwrap();
    assert_eq!(found.today.as_ref().unwrap().verdict, Worth::DoesNotFit);
    let text = flat(&found);
    assert!(text.contains("Change from gmac-aes-128@lib, however fast it is"), "{text}");
    assert!(!text.contains("Stay"), "{text}");
}

#[test]
fn a_slow_call_is_told_apart_from_a_slow_mac() {
    let used = |call| {
        let own = imix(None, now("cmac-aes-128", "lib", call));
        answer(&run(&own, &truth(), Filling::QUIET, 1), Some(1e6))
    };
    // It is used by a call that sets the key up each time: 400 ns more.
    let found = used(Some(KeyLife::OneShot));
    let today = found.today.as_ref().unwrap();
    let advice = today.call_advice.as_ref().unwrap();
    assert_eq!((advice.slow, advice.better), (KeyLife::OneShot, KeyLife::Prepared));
    assert!((advice.slow_ns.value - advice.better_ns.value - 400.0).abs() < 8.0, "{advice:?}");
    assert!(advice.is_used && today.verdict == Worth::WorthChanging);
    assert_eq!(today.row.call, KeyLife::OneShot);
    assert!(flat(&found).contains("The call is slow, whatever the MAC"), "{}", found.text(80));
    // The call is not known: what people commonly call is slow.
    let found = used(None);
    assert_eq!(found.today.as_ref().unwrap().verdict, Worth::IsTheAnswer);
    assert!(!found.today.as_ref().unwrap().call_advice.as_ref().unwrap().is_used);
    // The best call is used.
    assert!(used(Some(KeyLife::Prepared)).today.unwrap().call_advice.is_none());
}

#[test]
fn what_would_change_the_answer_is_where_it_was_planted() {
    // HMAC's key is cheaper by 310 ns, its message dearer by 40 + 0.10 · mean.
    let crossing = 310.0 / (40.0 + 0.10 * MEAN);
    let found = quiet(&imix(None, None));
    let below = found.changes.iter().find_map(|it| match it {
        Change::MessagesPerKey { below: Some(below), other, .. } => Some((*below, other.name())),
        _ => None,
    });
    let (below, name) = below.unwrap();
    assert_eq!(name, "hmac-sha256@lib");
    let interval = below.interval.unwrap();
    assert!(interval.low <= crossing && crossing <= interval.high, "{below:?} {crossing}");
    let found = quiet(&imix(Some(1), None));
    let from = found.changes.iter().find_map(|it| match it {
        Change::MessagesPerKey { from: Some(from), other, .. } => Some((from.value, other.name())),
        _ => None,
    });
    let (from, name) = from.unwrap();
    assert_eq!(name, "cmac-aes-128@lib");
    assert!((from / crossing - 1.0).abs() < 0.1, "{from} {crossing}");
    // Short messages alone are HMAC's where its call is cheap.
    let mut truth = truth();
    truth[1].call_ns = 40.0;
    let found = answer(&run(&imix(None, None), &truth, Filling::QUIET, 1), None);
    assert_eq!(found.answer().best.name(), "cmac-aes-128@lib");
    let lengths = found.changes.iter().find_map(|it| match it {
        Change::Length { lengths_bytes, other } => Some((lengths_bytes.clone(), other.name())),
        _ => None,
    });
    assert_eq!(lengths, Some((vec![64], "hmac-sha256@lib".into())));
}

#[test]
fn the_answer_is_one_screen_and_its_document_has_all_of_it() {
    let workload = imix(Some(5), now("hmac-sha256", "other", Some(KeyLife::OneShot)));
    for filling in [Filling::QUIET, NOISY] {
        let found = answer(&run(&workload, &truth(), filling, 1), Some(1000.0));
        let text = found.text(80);
        assert!(text.lines().count() <= 40, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains("\n%") && !text.contains("\n  % "), "{text}");
        let told: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
        assert_eq!((&told["schema"], &told["rate_per_s"]), (&1.into(), &1000.0.into()));
        assert_eq!(told["workload"]["messages_per_key"], 5);
        assert_eq!(told["workload"]["lengths"].as_array().unwrap().len(), 3);
        let classes = told["classes"].as_array().unwrap();
        let names: Vec<&str> = classes.iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["widely-used", "all", "same-mac"]);
        for class in classes {
            let best = &class["best"];
            assert!(best["message_ns"]["interval"]["low"].as_f64().unwrap() > 0.0, "{best}");
            assert!(best["per_core_second"]["value"].as_f64().unwrap() > 1e6, "{best}");
        }
        assert_eq!(told["today"]["mac"], "hmac-sha256");
        assert_eq!(told["today"]["call"], "one-shot");
        assert!(told["today"]["cores"].as_f64().unwrap() > 0.0);
    }
    let mut without = run(&workload, &truth(), Filling::QUIET, 1);
    without.samples.clear();
    assert!(Recommendation::of(&without, &plain()).is_none(), "nothing was measured");
    assert!(Recommendation::of(&synthetic::survey(), &plain()).is_none(), "it has no workload");
}

/// An answer that has everything to tell.
fn rich() -> Recommendation {
    let mut truth = truth();
    truth[1].call_ns = 40.0;
    let workload = imix(Some(5), now("hmac-sha256", "other", Some(KeyLife::OneShot)));
    answer(&run(&workload, &truth, Filling::QUIET, 1), Some(1e6))
}

/// What a reader sees of a page, a space between any two pieces.
fn seen(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1;
    let body = body.split_once("<script>").map_or(body, |(body, _)| body);
    let pieces = body.split('<').map(|it| it.split_once('>').map_or(it, |(_, text)| text));
    let text = pieces.collect::<Vec<_>>().join(" ");
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&amp;", "&").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn text_document_and_page_say_the_same() {
    let found = rich();
    let (text, page) = (found.text(100), seen(&page::answer(&found)));
    let mut blocks = text.split("\n\n");
    for block in blocks.by_ref() {
        let is_table = block.starts_with("MAC@library");
        let flat = block.split_whitespace().collect::<Vec<_>>().join(" ");
        let pieces: Vec<&str> = match is_table {
            true => block.lines().skip(1).flat_map(|line| line.split("  ")).collect(),
            false => {
                let said = flat.split(". ").flat_map(|it| it.split(':'));
                said.flat_map(|it| it.split(", against ")).collect()
            }
        };
        for piece in pieces.iter().map(|it| it.trim().trim_end_matches('.')) {
            assert!(page.contains(piece), "{piece:?} of {block}\n{page}");
        }
    }
    let told: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
    let candidates = told["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), found.measured);
    for (row, own) in found.candidates.iter().zip(candidates) {
        let time = row.message_ns.time();
        let value = own["message_ns"]["value"].as_f64().unwrap();
        assert!((value / row.message_ns.value - 1.0).abs() < 1e-12, "{own}");
        for piece in [row.name(), time.value(), time.ends()] {
            assert!(page.contains(&piece), "{piece}");
        }
    }
    for change in ["What would change the answer", "messages under a key"] {
        assert!(text.contains(change) && page.contains(change), "{change}: {page}");
    }
    assert!(page.contains("macrometer recommend --size imix --seed 7"), "{page}");
    assert_eq!(told["command"], "macrometer recommend --size imix --seed 7");
}

#[test]
fn the_page_is_one_file_that_loads_nothing_and_escapes_what_others_wrote() {
    let mut found = rich();
    let bad = "<script>alert('x')</script>\"&";
    found.cpu_model = bad.into();
    found.asked = bad.into();
    found.command = bad.into();
    found.doubts = vec![bad.into()];
    found.versions[0].version = bad.into();
    found.candidates[0].provider = bad.into();
    let page = page::answer(&found);
    assert_eq!((page.matches("<script>").count(), page.matches("alert(").count() > 4), (1, true));
    assert!(page.contains("script-src 'sha256-") && page.contains("default-src 'none'"));
    for loaded in ["http:", "https:", "@import", "url(", " src="] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    assert_eq!((page.matches("<h1").count(), page.matches("<main").count()), (1, 1));
    for anchor in page.split("href=\"#").skip(1).map(|it| it.split('"').next().unwrap()) {
        assert_eq!(page.matches(&format!(" id=\"{anchor}\"")).count(), 1, "#{anchor}");
    }
}

#[test]
fn an_answer_without_intervals_has_a_page() {
    let few = Filling { launches: 2, ..Filling::QUIET };
    let page = page::answer(&answer(&run(&imix(None, None), &truth(), few, 1), None));
    assert!(seen(&page).contains("Undecided: 2 launches are too few for an interval"));
}

/// Skipped, with a line that says so, where there is no `chromium`.
#[test]
fn the_page_in_a_browser_fits_a_phone_and_axe_finds_no_violation() {
    let page = page::answer(&rich());
    let folder = tempfile::tempdir().unwrap();
    let more = ["--dump-dom"];
    let Some((dom, log)) = browser::chromium(folder.path(), &page, &more) else { return };
    assert!(browser::errors(&log).is_empty(), "{:?}", browser::errors(&log));
    assert!(!dom.contains("data-error=") && dom.contains("Dark colours"), "{dom}");
    assert_eq!(browser::widths_on_a_phone(&page), Some([360, 360]));
    browser::axe_is_content(&page);
}
