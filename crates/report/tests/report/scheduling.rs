//! How sessions are scheduled, and whether more processors change the order of MACs: claims about
//! that, and its charts.

use lab::record::Run;
use lab::study::Claim;
use report::findings::ClaimVerdict::{self, Confirmed, Refuted, Undecided};
use report::findings::PanelVerdict;
use report::{Findings, charts, page, terminal};
use serde_json::{Value, json};

const ONE: &str = "sessions-100-on-1";
const ALL: &str = "sessions-100-on-all";

/// The windows are long enough for 16 turns of each session.
fn run() -> Run {
    let mut run = synthetic::apparent_processing();
    run.sessions.iter_mut().for_each(|it| it.measured.switches_involuntary = 1600);
    run
}

/// What becomes of a claim about the part `cores` at 1 KiB, in the panel without hardware.
fn verdict(run: &Run, says: &Value) -> PanelVerdict {
    let mut claim = json!({
        "id": "it", "text": "It is so.", "source": "nowhere", "part": "cores",
        "panels": ["software"], "sizes": { "from": 1024, "to": 1024 },
    });
    let own = says.as_object().unwrap().clone();
    claim.as_object_mut().unwrap().extend(own);
    let mut run = run.clone();
    run.study.claims = vec![serde_json::from_value::<Claim>(claim).unwrap()];
    let findings = Findings::of(&run);
    let text = terminal::render(&run, &findings, 80, false);
    assert!(!text.contains("NaN") && page::render(&run, &findings).contains("id=\"claim-it\""));
    findings.claims[0].panels[0].clone()
}

fn expect(run: &Run, says: &Value, wanted: ClaimVerdict, words: &str) -> PanelVerdict {
    let told = verdict(run, says);
    assert_eq!(told.verdict, wanted, "{}", told.reason);
    assert!(told.reason.contains(words), "{}", told.reason);
    told
}

/// Changes the windows, each with its launch, of the sessions in these regimes.
fn change(run: &mut Run, regime: &str, of: impl Fn(&mut lab::record::sessions::Measured, u32)) {
    let own = |id: u32, run: &Run| {
        let cell = run.cells.iter().find(|it| it.id == id).unwrap();
        cell.cell.regime.to_string().starts_with(regime)
    };
    for at in 0..run.sessions.len() {
        if own(run.sessions[at].cell, run) {
            let launch = run.sessions[at].launch;
            of(&mut run.sessions[at].measured, launch);
        }
    }
}

#[test]
fn uneven_is_a_ratio_of_single_sessions() {
    let says =
        |least: f64| json!({ "uneven": { "regime": format!("{ALL}-apparent"), "least": least } });
    // Planted: 1.3 times the messages of the middle session, and 0.8 times.
    let words = "apparent processing of the session that is scheduled least is 1.62";
    let told = expect(&run(), &says(1.15), Confirmed, words);
    assert_eq!((told.comparisons, told.hold), (9, 9));
    expect(&run(), &says(2.0), Refuted, "1.62");
    let mut few = run();
    few.samples.retain(|it| it.launch < 2);
    few.sessions.retain(|it| it.launch < 2);
    expect(&few, &says(1.6), Undecided, "6 launches");
    let mut even = run();
    change(&mut even, ALL, |it, _| {
        let own = &mut it.messages_of_session;
        (own.least, own.most) = (own.median, own.median);
    });
    expect(&even, &says(1.15), Refuted, "is 1.00");
    // A session without a message has no apparent processing.
    let mut starved = run();
    change(&mut starved, ALL, |it, _| it.messages_of_session.least = 0.0);
    assert_eq!(verdict(&starved, &says(1.15)).verdict, Undecided);
}

#[test]
fn preemptions_are_counted_in_a_second_of_processor_time() {
    let says = json!({ "contrast": {
        "of": "preemptions", "regime": format!("{ALL}-absolute"), "to": format!("{ONE}-absolute"),
        "least": 1.0,
    } });
    // As many in windows as long, with twice as much processor time.
    let words = "are preempted 0.4999";
    expect(&run(), &says, Refuted, words);
    let mut more = run();
    change(&mut more, ALL, |it, launch| it.switches_involuntary = 4000 + 10 * u64::from(launch));
    let told = expect(&more, &says, Confirmed, "as often on all processors as on one processor");
    assert!(!told.reason.contains("100 sessions"), "said in the heading: {}", told.reason);
}

#[test]
fn the_order_on_more_processors_is_held_against_that_on_one() {
    let says = |least: f64| {
        json!({
            "same_order": ["*"], "least_tau": least,
            "regimes": [format!("{ONE}-absolute"), format!("{ALL}-absolute")],
        })
    };
    let told = expect(&run(), &says(0.8), Confirmed, "is 1.00 (0.8 or more is claimed)");
    assert!(told.reason.contains("of 36 pairs 36 are in the same order"), "{}", told.reason);
    // Two that change places on all processors: one pair and those between them.
    let mut other = run();
    let of = |mac: &str, run: &Run| {
        let is_it = |it: &&lab::record::CellRecord| {
            let cell = &it.cell;
            (it.part, &cell.candidate.mac[..], cell.len_bytes) == (1, mac, 1024)
                && cell.candidate.provider == "cryptopp[soft]"
                && cell.regime.to_string() == format!("{ALL}-absolute")
        };
        run.cells.iter().find(is_it).unwrap().id
    };
    let pair = [of("hmac-sha512", &run()), of("vmac128-aes-128", &run())];
    for sample in &mut other.samples {
        if let Some(at) = pair.iter().position(|id| *id == sample.cell) {
            sample.cell = pair[1 - at];
        }
    }
    let told = expect(&other, &says(0.8), Refuted, "in opposite orders");
    assert!(told.effect.is_some(), "{told:?}");
    expect(&other, &says(0.1), Confirmed, "0.1 or more is claimed");
    let mut few = run();
    few.samples.retain(|it| it.launch < 1);
    few.sessions.retain(|it| it.launch < 1);
    assert_ne!(verdict(&few, &says(0.8)).verdict, Refuted);
    let findings = Findings::of(&run());
    let orders = findings.sessions.iter().flat_map(|it| &it.orders);
    assert!(orders.clone().count() >= 6 && orders.into_iter().all(|it| it.order.tau == 1.0));
    let text = terminal::render(&run(), &findings, 100, false);
    assert!(text.contains("of 36 pairs 0 are in opposite"), "{text}");
}

#[test]
fn a_brief_report_has_absolute_processing_where_a_verdict_rests_on_it() {
    let claim = |regime: &str| {
        let mut run = run();
        let claim = json!({
            "id": "it", "text": "It is so.", "source": "nowhere", "part": "cores",
            "panels": ["software"], "regimes": [regime],
            "faster": ["hmac-md5"], "than": ["hmac-sha512"],
        });
        run.study.claims = vec![serde_json::from_value::<Claim>(claim).unwrap()];
        let text = terminal::brief(&run, &Findings::of(&run), 120, false);
        let titles = text.lines().filter(|line| line.contains("From one processor to all"));
        titles.map(str::to_owned).collect::<Vec<String>>()
    };
    let told = claim(&format!("{ALL}-absolute"));
    let [hardware, software] = &told[..] else { panic!("{told:?}") };
    assert!(software.contains(": absolute → apparent, cycles per byte"), "{told:?}");
    assert!(hardware.contains(": apparent, cycles per byte"), "no verdict rests on it: {told:?}");
    let told = claim(&format!("{ALL}-apparent"));
    assert!(told.iter().all(|line| !line.contains("absolute")), "{told:?}");
}

#[test]
fn charts_of_processors_over_length_and_of_single_sessions() {
    let run = run();
    let findings = Findings::of(&run);
    let charts = charts::all(&run, &findings);
    let marks = |svg: &str, class: &str| svg.matches(&format!("class=\"{class}\"")).count();
    let of = |kind: &str, whose: &str| {
        charts.iter().find(|it| it.kind.name() == kind && it.name.starts_with(whose)).unwrap()
    };
    let lines = of("processing-over-size", "cores-hardware");
    // Four MACs on one processor and on two, three quantities, three lengths.
    assert_eq!((marks(&lines.svg, "line"), marks(&lines.svg, "point")), (4 * 2 * 3, 4 * 2 * 3 * 3));
    for words in ["wall clock", "on one processor", "on both processors", "5 more MACs"] {
        assert!(lines.svg.contains(words), "{words}");
    }
    let boxes = of("between-sessions", "cores-software");
    assert_eq!(marks(&boxes.svg, "box"), 9 * 2 * 2, "MACs, numbers of processors, quantities");
    assert!(boxes.svg.contains("apparent processing 0.769 × to 1.25 × that of the median session"));
    let bars = of("over-processors", "cores-hardware");
    assert!(bars.svg.contains("wall clock, cycles per byte"));
    for kind in ["processing-over-size", "between-sessions"] {
        let page = page::render(&run, &findings);
        assert!(page.contains(&format!("-{kind}")), "{kind} is on the page");
    }
    // Of windows with a turn or two nobody asks how evenly they were shared out.
    let mut short = synthetic::apparent_processing();
    short.sessions.iter_mut().for_each(|it| it.measured.switches_involuntary = 200);
    let charts = charts::all(&short, &Findings::of(&short));
    let of_threads =
        |it: &&charts::Chart| it.kind.name() == "between-sessions" && it.name.starts_with("cores");
    assert_eq!(charts.iter().filter(of_threads).count(), 0);
}

#[test]
fn a_row_of_the_page_is_a_card_on_a_narrow_screen() {
    let run = run();
    let page = page::render(&run, &Findings::of(&run));
    for head in
        ["wall clock, cycles per byte", "from session to session", "stability and accounting"]
    {
        let cells = page.matches(&format!("data-label=\"{head}\"")).count();
        assert!(cells > 50, "{head}: {cells}");
    }
    let heads = page.matches("<th scope=\"col\">wall clock, cycles per byte</th>").count();
    assert!(heads > 5, "{heads}");
}
