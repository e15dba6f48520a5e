//! The order of the same implementations on two machines: told by `compare`, and claims about it
//! decided there.

use lab::record::Run;
use lab::study::Study;
use report::compare::{Compared, Machines};
use report::findings::ClaimVerdict::{self, Confirmed, Refuted, Undecided};
use synthetic::{Filling, Planted, planted};

const STUDY: &str = r#"
    name = "s"
    title = "S"
    summary = "s"
    budget_s = 1.0
    launches = 12
    [[panels]]
    name = "hardware"
    title = "Hardware-assisted"
    providers = ["macs"]
    [[panels]]
    name = "software"
    title = "Software only"
    providers = ["macs-soft"]
    [[parts]]
    name = "functions"
    title = "Functions"
    sizes = [16, 256, 4096, 65536]
    key_lives = ["prepared"]
    regimes = ["sessions-100-on-all-absolute"]
    [[parts.cases]]
    name = "c"
    title = "C"
    macs = ["*"]
    tested = false
    [[claims]]
    id = "same-trend"
    text = "The trend is the same."
    source = "page 1"
    part = "functions"
    panels = ["hardware"]
    same_trend = ["*"]
"#;

/// What `macs` takes of six functions: who is fastest changes with the length.
fn truth(clock: f64, far: f64) -> Vec<Planted> {
    let costs = [
        ("vmac64-aes-128", 210.0, 0.11),
        ("cmac-aes-128", 60.0, 0.62),
        ("hmac-md5", 150.0, 1.1 * far),
        ("hmac-sha1", 140.0, 0.7),
        ("hmac-sha512", 330.0, 1.4),
        ("cmac-serpent-128", 260.0, 5.2 / far),
    ];
    let of = |provider: &str, share: f64| -> Vec<Planted> {
        let row = |&(mac, call, byte): &(&str, f64, f64)| {
            planted((provider, "soft", mac), call * clock, byte * clock * share, 0.0, 16)
        };
        costs.iter().map(row).collect()
    };
    [vec![planted(("null", "none", "null"), 2.0, 0.0, 0.0, 0)], of("macs", 1.0)].concat()
}

fn run(truth: &[Planted], cpu_model: &str, cpus: u32) -> Run {
    let mut run = synthetic::run(Study::parse(STUDY).unwrap(), truth, Filling::QUIET);
    run.machine.cpu_model = cpu_model.into();
    run.machine.cpus = cpus;
    if cpus == 8 {
        run.id = "20261122-080000-77aa".into();
    }
    run
}

fn here() -> Run {
    run(&truth(1.0, 1.0), "Some CPU", 2)
}

/// Half as fast, more processors, and HMAC-MD5 as slow for a byte as CMAC-Serpent is fast.
fn there(far: f64) -> Run {
    run(&truth(2.0, far), "Another CPU", 8)
}

fn verdict(compared: &Compared) -> (ClaimVerdict, String) {
    let [claim] = &compared.claims[..] else { panic!("{:?}", compared.claims) };
    let [panel] = &claim.panels[..] else { panic!("only one panel is asked: {:?}", claim.panels) };
    assert_eq!(panel.panel, "hardware");
    assert!(!panel.reason.starts_with(panel.verdict.name()), "{}", panel.reason);
    (panel.verdict, panel.reason.clone())
}

#[test]
fn two_machines_side_by_side() {
    insta::assert_snapshot!(Compared::of(&here(), &there(1.6)).render(100, false));
}

#[test]
fn a_clock_changes_no_order() {
    let compared = Compared::of(&here(), &there(1.0));
    let [trend] = &compared.trends[..] else { panic!("{:?}", compared.trends) };
    assert_eq!((trend.lengths.len(), trend.curves.len(), trend.tau_median), (4, 6, 1.0));
    for length in &trend.lengths {
        assert_eq!((length.order.n, length.macs, length.order.discordant), (6, 6, 0));
        assert!((length.order.p_two_tailed - 2.0 / 720.0).abs() < 1e-12);
    }
    assert!(trend.curves.iter().all(|it| it.correlation.unwrap() > 0.9999 && it.apart < 1.02));
    let (said, reason) = verdict(&compared);
    assert_eq!(said, Confirmed, "{reason}");
    assert!(reason.contains("1.00 to 1.00 over 4 orders of 6 implementations or more"), "{reason}");
}

#[test]
fn a_claim_of_one_order_is_decided_by_how_many_orders_agree() {
    let claimed = |least: f64, far: f64| {
        let [mut here, mut there] = [here(), there(far)];
        for run in [&mut here, &mut there] {
            run.study.claims[0].least_tau = Some(least);
        }
        verdict(&Compared::of(&here, &there))
    };
    // 1.1 · 3 and 5.2 / 3: the two change places at three of four lengths, with one between them.
    assert_eq!(claimed(0.8, 3.0).0, Refuted, "{}", claimed(0.8, 3.0).1);
    assert_eq!(claimed(0.7, 3.0).0, Confirmed);
    // 1.1 · 1.6 is above HMAC-SHA-512 at two of four lengths: as many agree as do not.
    assert_eq!(claimed(0.9, 1.6).0, Undecided, "{}", claimed(0.9, 1.6).1);
    assert_eq!(claimed(0.8, 1.0).0, Confirmed);
}

#[test]
fn the_same_model_says_nothing_of_others() {
    let compared = Compared::of(&here(), &here());
    assert_eq!(compared.machines, Machines::Same);
    let (said, reason) = verdict(&compared);
    assert_eq!(said, Undecided);
    assert!(reason.contains("the same processor model") && reason.contains("1.00 to 1.00"));
    let text = Compared::of(&here(), &here()).render(80, false);
    assert!(text.contains("Both runs are of the same machine, as far as is recorded"), "{text}");
    let mut more = here();
    more.machine.cpus = 8;
    let compared = Compared::of(&here(), &more);
    assert_eq!(compared.machines, Machines::SameModel);
    assert!(compared.render(100, false).contains("with another number of logical processors."));
    assert_eq!(Compared::of(&here(), &there(1.0)).machines, Machines::DifferentModels);
}

#[test]
fn what_the_two_do_not_share_decides_nothing() {
    // Four functions in common are too few.
    let few = run(&truth(2.0, 1.0)[..5], "Another CPU", 8);
    let (said, reason) = verdict(&Compared::of(&here(), &few));
    assert_eq!(said, Undecided);
    assert!(
        reason.contains("need at least 5 implementations in common") && reason.ends_with("have 4")
    );
    // The same mac by another kernel is another implementation.
    let mut other = truth(1.0, 1.0);
    other[1].candidate.kernel = "avx2".into();
    let compared = Compared::of(&here(), &run(&other, "Another CPU", 8));
    assert!(compared.trends[0].lengths.iter().all(|it| it.order.n == 5));
    // A claim that only one study makes is nobody's.
    let mut alone = there(1.0);
    alone.study.claims[0].text = "Something else.".into();
    assert!(Compared::of(&here(), &alone).claims.is_empty());
    // One length is no trend.
    let mut short = there(1.0);
    short.cells.retain(|record| record.cell.len_bytes == 16);
    assert!(Compared::of(&here(), &short).trends.is_empty());
    let nothing = Compared::of(&here(), &{
        let mut nothing = there(1.0);
        nothing.samples.clear();
        nothing
    });
    assert!(nothing.trends.is_empty() && nothing.rows.is_empty());
    assert_eq!(verdict(&nothing).0, Undecided);
}

#[test]
fn programs_read_the_same() {
    let value = serde_json::to_value(Compared::of(&here(), &there(1.6))).unwrap();
    assert_eq!(value["machines"], "different-models");
    assert_eq!(value["trends"][0]["regime"], "sessions-100-on-all-absolute");
    assert_eq!(value["trends"][0]["lengths"][0]["order"]["n"], 6);
    assert_eq!(value["claims"][0]["panels"][0]["orders"].as_array().unwrap().len(), 4);
}
