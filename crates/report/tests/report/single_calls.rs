//! Histograms of older programs, whose workers counted single calls above 2,047 ns as 2 ns.

use lab::record::Run;
use report::regimes::calls::crprf;
use report::{Findings, page, terminal};

/// A run with these single calls of its first cell, and ordinary ones of the others.
fn run(counts: &[(u64, u64)], are_whole: bool) -> Run {
    let mut run = synthetic::khc();
    run.single_calls[0].counts = counts.to_vec();
    run.single_calls.iter_mut().skip(1).for_each(|it| it.counts = vec![(300, 990), (5000, 10)]);
    run.single_calls_are_whole = are_whole;
    run
}

#[test]
fn what_most_calls_were_lost_of_is_absent_and_told_once() {
    let cut = run(&[(2, 991), (2040, 9)], false);
    let findings = Findings::of(&cut);
    let of_first = findings.cells.iter().find(|it| it.id == cut.single_calls[0].cell).unwrap();
    assert_eq!(of_first.single, None);
    assert!(findings.cells.iter().any(|it| it.single.is_some()), "the others are as they were");
    let told = "counted calls above 2,047 ns as 2 ns, in 1 of ";
    assert_eq!(findings.warnings.iter().filter(|it| it.contains(told)).count(), 1);
    let text = terminal::render(&cut, &findings, 1000, false);
    assert_eq!(text.matches("counted calls above 2,047 ns").count(), 1);
    let page = page::render(&cut, &findings);
    assert_eq!(page.matches("counted calls above 2,047").count(), 1);
    for program in crprf::Program::ALL {
        let table = crprf::table(&cut, &findings, program).unwrap_or_default();
        // 2 ns and the empty bracket.
        assert!(!table.contains(" 78 "), "{table}");
    }
}

#[test]
fn a_few_lost_calls_cost_only_the_tail_that_they_are() {
    let single = |counts: &[(u64, u64)]| {
        let cut = run(counts, false);
        let findings = Findings::of(&cut);
        let of_first = findings.cells.iter().find(|it| it.id == cut.single_calls[0].cell).unwrap();
        of_first.single
    };
    let few = single(&[(2, 9), (400, 500), (500, 491)]).unwrap();
    assert_eq!((few.p50_ns, few.p99_ns, few.p99_9_ns), (400, 500, None));
    let one = single(&[(2, 1), (400, 600), (500, 399)]).unwrap();
    assert_eq!((one.p50_ns, one.p99_9_ns), (400, Some(500)));
    // A longer time shows that nothing was cut: 2 ns is what was seen.
    assert_eq!(single(&[(2, 991), (2060, 9)]).unwrap().p50_ns, 2);
}

#[test]
fn runs_of_this_program_are_believed() {
    let findings = Findings::of(&run(&[(2, 991), (2040, 9)], true));
    assert!(!findings.warnings.iter().any(|it| it.contains("2,047")));
}
