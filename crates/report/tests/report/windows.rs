//! Windows whose accounts are wrong, sessions that had no turn in theirs, and which of several
//! parts with the same load answers.

use lab::record::Run;
use report::{Findings, terminal};

#[test]
fn windows_with_more_than_there_was_are_marked_and_decide_nothing() {
    let mut run = synthetic::apparent_processing();
    let own = |id: u32, run: &Run| run.cells.iter().find(|it| it.id == id).unwrap().clone();
    for at in 0..run.sessions.len() {
        let cell = own(run.sessions[at].cell, &run);
        let is_long = cell.cell.len_bytes == 65_536 && cell.part == 0;
        if is_long && cell.cell.candidate.mac == "cmac-serpent-128" {
            let measured = &mut run.sessions[at].measured;
            measured.cpu_ns = 1.06 * measured.available_ns().unwrap();
        }
    }
    let findings = Findings::of(&run);
    let off: Vec<_> = findings.cells.iter().filter(|it| it.disturbed.is_some()).collect();
    assert!(off.len() >= 2 && off.iter().all(|it| it.cell.len_bytes == 65_536));
    let words = "the sessions are charged with up to 106 % of the available processor time";
    assert!(off[0].disturbed.unwrap().words().contains(words));
    let warned = findings.warnings.iter().find(|it| it.contains(words)).unwrap();
    assert!(
        warned.starts_with("Some windows report more processor time than was available"),
        "{warned}"
    );
    // With the clocks read at its edges there is no such window.
    for it in &mut run.sessions {
        let available_ns = it.measured.available_ns().unwrap();
        it.measured.window_cpu_ns = Some(it.measured.cpu_ns.min(0.999 * available_ns));
    }
    assert!(Findings::of(&run).cells.iter().all(|it| it.disturbed.is_none()));
}

#[test]
fn of_two_parts_with_the_same_load_the_one_with_intervals_answers() {
    let run = synthetic::apparent_processing();
    // The parts `sizes` and `cores` both end at 64 KiB on both processors.
    for once in [0, 1] {
        let mut run = run.clone();
        let mine: Vec<u32> =
            run.cells.iter().filter(|it| it.part == once).map(|it| it.id).collect();
        run.samples.retain(|it| !mine.contains(&it.cell) || (it.launch, it.block) == (0, 0));
        let findings = Findings::of(&run);
        let context = "64 KiB, 100 sessions on both processors · With hardware assistance";
        let own = findings.headlines.iter().filter(|it| it.context == context);
        let own: Vec<&str> = own.map(|it| it.sentence.as_str()).collect();
        let [only] = own[..] else { panic!("{own:?}") };
        assert!(only.contains("apparent (95 % ") && !only.contains("too few"), "{only}");
    }
}

#[test]
fn sessions_without_a_message_are_told_beside_their_figures() {
    let run = synthetic::apparent_processing();
    let findings = Findings::of(&run);
    // Planted: 37 of 10,000.
    let words =
        "37 sessions of vmac128-aes-128 from macs[vaes-512] completed no message in a window";
    let own = findings.headlines.iter().find(|it| it.sentence.contains(words)).unwrap();
    assert!(own.context.contains("10,000 sessions"), "{}", own.context);
    let text = terminal::brief(&run, &findings, 240, false);
    assert!(text.contains(&format!("10,000: {words}.")), "{text}");
}
