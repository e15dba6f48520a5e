//! When a bundle is closed, and each reason why it is open.

mod made;

use fleet::{Bundle, Division, Reason, Verdict};
use lab::record::{Event, EventKind, RunState};
use made::Made;

/// A provider that computes something: the first is `null`.
const AT: usize = 1;

fn verdict(change: impl FnOnce(&mut Made)) -> Verdict {
    let mut made = Made::new();
    change(&mut made);
    let bundle = Bundle::read(&made.write()).unwrap();
    Verdict::of(&bundle, &bundle.run().unwrap())
}

#[track_caller]
fn only(change: impl FnOnce(&mut Made)) -> Reason {
    let verdict = verdict(change);
    assert_eq!(verdict.division, Division::Open);
    let [reason] = &verdict.reasons[..] else { panic!("{:?}", verdict.reasons) };
    reason.clone()
}

#[test]
fn a_bundle_is_closed_if_nothing_speaks_against_it() {
    let verdict = verdict(|_| ());
    assert_eq!((verdict.division, verdict.reasons), (Division::Closed, vec![]));
}

#[test]
fn every_reason_opens_it_alone() {
    let loud = only(|made| made.doctor.a_a.as_mut().unwrap().called_different = 4);
    assert_eq!(loud, Reason::AaOutside { called_different: 4, pairs: 20, band: [0, 3] });
    let few = only(|made| made.doctor.a_a.as_mut().unwrap().launches = 11);
    assert_eq!(few, Reason::AaFewLaunches { launches: 11, needed: 12 });
    let few = only(|made| made.doctor.a_a.as_mut().unwrap().pairs = 19);
    assert_eq!(few, Reason::AaFewPairs { pairs: 19, needed: 20 });
    assert_eq!(only(|made| made.doctor.a_a = None), Reason::AaMissing);
    let none = only(|made| {
        let a_a = made.doctor.a_a.as_mut().unwrap();
        (a_a.pairs, a_a.called_different) = (0, 0);
    });
    assert_eq!(none, Reason::AaMissing);
    let short = only(|made| made.run.samples.retain(|sample| sample.launch < 11));
    assert_eq!(short, Reason::FewLaunches { launches: 11, needed: 12 });
    let state = RunState::Interrupted;
    assert_eq!(only(|made| made.run.state = state), Reason::NotComplete { state });
    // As it is kept now, and as a sentence, as in an older archive.
    let text = "the workers' environment has LD_PRELOAD=x.so".into();
    for event in [
        Event::environment(1, Some("LD_PRELOAD=x.so".into())),
        Event { unix_s: 1, kind: EventKind::Note, text },
    ] {
        let preloaded = only(|made| made.run.events.push(event));
        assert_eq!(preloaded, Reason::Environment { variables: "LD_PRELOAD=x.so".into() });
    }
}

#[test]
fn what_was_measured_must_be_what_passed() {
    let first = Made::new().selftest.providers[AT].name.clone();
    let failed = only(|made| made.selftest.providers[AT].failed = 2);
    let ended_by = None;
    assert_eq!(failed, Reason::VectorsFailed { provider: first.clone(), failed: 2, ended_by });
    let missing = only(|made| drop(made.selftest.providers.remove(AT)));
    assert_eq!(missing, Reason::NotTested { provider: first.clone() });
    let untried = only(|made| made.selftest.providers[AT].passed = 0);
    assert_eq!(untried, Reason::NotTested { provider: first.clone() });
    let other = only(|made| made.selftest.providers[AT].path = "/elsewhere".into());
    assert!(matches!(&other, Reason::TestedAnother { provider, .. } if *provider == first));
    assert!(other.to_string().contains("/elsewhere"));
}

#[test]
fn reasons_are_typed_in_json() {
    let reason = Reason::FewLaunches { launches: 3, needed: 12 };
    let json = serde_json::to_value(&reason).unwrap();
    assert_eq!(json, serde_json::json!({"kind": "few-launches", "launches": 3, "needed": 12}));
}
