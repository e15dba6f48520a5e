//! Who speaks for a mac where a panel wants the fastest: what is told of the choice.

use lab::cell::{KeyLife, Regime};
use lab::record::{Chosen, PilotCell, Rival, Run};
use report::{Findings, page, terminal};

/// A run whose first choice was made among these, at 256 B and 128 KiB; the first is the chosen.
fn run(rivals: &[(&str, [Option<f64>; 2])]) -> Run {
    let mut run = synthetic::hmac_vs_cmac();
    let cell = |len_bytes| PilotCell { regime: Regime::USUAL, len_bytes, key_len_bytes: 16 };
    let first = run.chosen[0].clone();
    let rival = |(at, (name, times_ns)): (usize, &(&str, [Option<f64>; 2]))| {
        let mut candidate = first.candidate.clone();
        if at > 0 {
            (candidate.provider, candidate.kernel) = ((*name).into(), "soft".into());
        }
        Rival { candidate, times_ns: times_ns.to_vec() }
    };
    let rivals = rivals.iter().enumerate().map(rival).collect();
    let (part, key_life) = (Some("fixed".into()), Some(KeyLife::NewKey));
    let cells = vec![cell(256), cell(131_072)];
    run.chosen[0] = Chosen { part, key_life, cells, rivals, ..first };
    run
}

#[test]
fn by_how_much_over_what_and_who_was_passed_over() {
    let run = run(&[
        ("", [Some(100.0), Some(1000.0)]),
        ("next", [Some(120.0), Some(1200.0)]),
        ("short", [Some(90.0), None]),
    ]);
    let findings = Findings::of(&run);
    let told = &findings.choices[0];
    assert_eq!((told.rivals, &told.lens_bytes[..]), (3, &[256, 131_072][..]));
    assert!((told.next.as_ref().unwrap().ratio - 1.2).abs() < 1e-9);
    let expected = "next next[soft], 1.20 × the time, of 3 compared at 256 B and 128 KiB; \
                    short[soft] was passed over because it could not do 128 KiB; not the fastest \
                    everywhere: short[soft] at 256 B (1.11 × faster)";
    assert!(told.sentence.ends_with(expected), "{}", told.sentence);
    assert!(page::render(&run, &findings).contains("short[soft] was passed over"));
    let text = terminal::render(&run, &findings, 2000, false);
    assert!(text.contains("Implementation used for each MAC"));
    assert!(text.contains("but is not the fastest everywhere: short[soft] at 256 B"), "{text}");
}

#[test]
fn a_choice_within_five_percent_needs_no_doubt_and_an_incomplete_one_does() {
    let near =
        Findings::of(&run(&[("", [Some(104.0), Some(9.0)]), ("b", [Some(100.0), Some(10.0)])]));
    assert_eq!(near.choices[0].doubt(), None);
    let lone = Findings::of(&run(&[("", [Some(104.0), None])]));
    let doubt = lone.choices[0].doubt().unwrap();
    assert_eq!(doubt, "no candidate could do all lengths, and it could not do 128 KiB");
}

#[test]
fn an_older_archive_says_that_its_choices_may_be_wrong() {
    let findings = Findings::of(&synthetic::hmac_vs_cmac());
    assert!(findings.warnings.iter().any(|it| it.contains("doctor --consistency")));
    let whole = Findings::of(&synthetic::survey());
    assert!(!whole.warnings.iter().any(|it| it.contains("doctor --consistency")));
}

#[test]
fn what_the_run_itself_measured_is_held_against_a_choice() {
    let mut run = run(&[("", [Some(100.0), Some(1000.0)])]);
    assert!(Findings::of(&run).choices[0].behind_in_run.is_empty(), "nobody else was measured");
    let chosen = run.chosen[0].candidate.clone();
    let part = run.study.parts.iter().position(|part| part.name == "fixed").unwrap() as u32;
    let is_own = |it: &&lab::record::CellRecord| it.part == part && it.cell.candidate == chosen;
    let (own, life) =
        run.cells.iter().find(is_own).map(|it| (it.clone(), it.cell.key_life)).unwrap();
    run.chosen[0].key_life = Some(life);
    let mut other = own.clone();
    other.id = run.cells.iter().map(|it| it.id).max().unwrap() + 1;
    other.cell.candidate.kernel = "another".into();
    let samples = run.samples.iter().filter(|it| it.cell == own.id);
    let faster = samples.map(|it| {
        let elapsed_ns = it.elapsed_ns / 1.2;
        lab::record::Sample { cell: other.id, elapsed_ns, ..*it }
    });
    let faster: Vec<_> = faster.collect();
    run.samples.extend(faster);
    run.cells.push(other);
    let findings = Findings::of(&run);
    let doubt = findings.choices[0].doubt().unwrap();
    assert!(
        doubt.contains("behind in the run itself: ") && doubt.contains("1.20 × faster"),
        "{doubt}"
    );
}
