//! What each try says, and what is begun with.

use super::*;
use crate::record::sessions::Slice;
use crate::study::{Study, planted};

const FRAME: Frame = Frame { count: 100, from_ms: 150.0, to_ms: 450.0 };
const FREE: Bounds = Bounds { count_is_fixed: false, window_is_fixed: false, precision: 0.01 };

/// All 100 sessions served, in slices of these bytes.
fn measured(bytes: [u64; 8]) -> Measured {
    Measured {
        window_ns: 300e6,
        cpu_ns: 580e6,
        process_cpu_ns: Some(590e6),
        served: 100,
        slices: bytes.map(|bytes| Slice { ns: 37.5e6, bytes }).to_vec(),
        ..Measured::planted()
    }
}

const EVEN: [u64; 8] = [1000, 1001, 999, 1000, 1001, 1000, 999, 1000];

fn next(frame: Frame, measured: &Measured, bounds: Bounds) -> Option<(Frame, String)> {
    judge(frame, measured, bounds).next
}

#[test]
fn a_valid_window_stays_as_it_is() {
    assert_eq!(judge(FRAME, &measured(EVEN), FREE), Verdict { next: None, doubts: vec![] });
}

#[test]
fn sessions_without_a_turn_get_a_longer_window() {
    let served = Measured { served: 88, ..measured(EVEN) };
    let (frame, why) = next(FRAME, &served, FREE).unwrap();
    assert_eq!(frame, Frame { to_ms: 750.0, ..FRAME });
    let whole = "window lengthened from 300 to 600 ms: 12 of 100 sessions had no message done \
                 in the window";
    assert_eq!(why, whole);
    let near = Frame { to_ms: 3_900.0, ..FRAME };
    let unmoved = Bounds { count_is_fixed: true, ..FREE };
    assert_eq!(judge(near, &served, unmoved).next, None, "no room that is worth a try");
}

#[test]
fn at_the_longest_window_there_are_fewer_sessions_unless_their_number_is_fixed() {
    let served = Measured { served: 88, ..measured(EVEN) };
    let last = Frame { to_ms: TO_MS_MAX_FEW, ..FRAME };
    let (frame, why) = next(last, &served, FREE).unwrap();
    assert_eq!(frame.count, 50);
    assert!(why.starts_with("sessions lowered from 100 to 50: 12 of 100"), "{why}");
    let fixed = Bounds { count_is_fixed: true, ..FREE };
    let verdict = judge(last, &served, fixed);
    assert_eq!(verdict.next, None);
    assert!(verdict.doubts[0].starts_with("12 of 100 sessions"), "{verdict:?}");
    let one = Frame { count: 1, ..last };
    assert_eq!(next(one, &Measured { served: 0, ..served }, FREE), None);
}

#[test]
fn halves_that_differ_move_the_window() {
    let rising = measured([900, 901, 899, 900, 1000, 1001, 999, 1000]);
    let (frame, why) = next(FRAME, &rising, FREE).unwrap();
    assert_eq!(frame, Frame { from_ms: 300.0, to_ms: 600.0, ..FRAME });
    let whole = "t1 moved from 150 to 300 ms: the second half of the window was 11.1 % faster \
                 than the first";
    assert_eq!(why, whole);
}

#[test]
fn slices_that_scatter_get_a_longer_window_where_that_helps() {
    let some = measured([960, 1040, 980, 1000, 1040, 960, 1020, 1000]);
    let (frame, why) = next(FRAME, &some, FREE).unwrap();
    assert_eq!(frame, Frame { to_ms: 750.0, ..FRAME });
    assert!(why.ends_with("its slices leave a standard error of 1.1 %, above 1.0 %"), "{why}");
    let hopeless = measured([500, 1300, 700, 900, 1500, 600, 1200, 800]);
    let verdict = judge(FRAME, &hopeless, FREE);
    assert_eq!((verdict.next, verdict.doubts.len()), (None, 0), "and scatter is no drift");
}

#[test]
fn a_window_that_is_fixed_is_honoured_and_judged() {
    let fixed = Bounds { window_is_fixed: true, count_is_fixed: true, ..FREE };
    let all_wrong = Measured {
        served: 88,
        cpu_ns: 400e6,
        ..measured([800, 1000, 700, 900, 1900, 2300, 2100, 2000])
    };
    let verdict = judge(FRAME, &all_wrong, fixed);
    assert_eq!(verdict.next, None);
    let begins = ["12 of 100", "the second half", "its slices", "the threads' own clocks"];
    assert_eq!(verdict.doubts.len(), begins.len(), "{verdict:?}");
    let told = verdict.doubts.iter().zip(begins);
    told.for_each(|(doubt, begin)| assert!(doubt.starts_with(begin), "{doubt}"));
}

#[test]
fn the_clocks_of_threads_and_of_the_process_must_agree() {
    let apart = Measured { cpu_ns: 500e6, ..measured(EVEN) };
    let verdict = judge(FRAME, &apart, FREE);
    assert_eq!(verdict.next, None, "no window makes a clock right");
    let whole = "the threads' own clocks say 0.85 of what the system charged the process";
    assert_eq!(verdict.doubts, [whole]);
}

fn part(sessions: &str) -> Part {
    let lists = "sizes = [16]\nkey_lives = [\"prepared\"]\nregimes = [\"sessions-on-all\"]";
    let text = planted::text(&format!("{lists}\n{sessions}"), "[\"*\"]");
    Study::parse(&text).unwrap().parts.remove(0)
}

#[test]
fn the_usual_window_has_turns_for_all_and_an_end() {
    let of = |cpu| crate::record::Processor { cpu, core: cpu, package: 0 };
    let processors = Processors::new(&[of(0), of(1)]);
    let usual = |name: &str, message_ns: f64| {
        let sessions = Sessions::parse(name).unwrap()[0];
        let frame = usual(&part(""), sessions, &processors, message_ns);
        (frame.count, frame.from_ms, frame.to_ms)
    };
    assert_eq!(usual("sessions-on-all-apparent", 0.0), (100, 80.0, 301.0));
    assert_eq!(usual("sessions-on-1-apparent", 0.0), (100, 160.0, 601.0));
    assert_eq!(usual("sessions-2-free-apparent", 0.0), (2, 20.0, 120.0));
    assert_eq!(usual("pooled-1000-on-all-apparent", 1e3), (1000, 20.0, 120.0));
    assert_eq!(usual("pooled-1000-on-all-apparent", 1e6), (1000, 200.0, 750.0));
    assert_eq!(usual("sessions-10000-on-all-apparent", 0.0), (10_000, 3333.0, 10_000.0));
    let fixed = part("sessions = { window_ms = [1, 7] }");
    let usual = Sessions::parse("sessions-on-all-apparent").unwrap()[0];
    let frame = super::usual(&fixed, usual, &processors, 0.0);
    assert_eq!((frame.from_ms, frame.to_ms), (1.0, 7.0));
}
