//! Too few launches and blocks for an interval: medians in order, and nothing is called tied.

use lab::record::Run;
use report::{Findings, page, terminal};

/// The first blocks of the first launch, from which no 95 % interval can be had.
fn short(mut run: Run) -> Run {
    let first = run.samples.iter().map(|it| it.block).min().unwrap_or(0);
    run.samples.retain(|it| it.launch == 0 && it.block < first + 3);
    run.sessions.retain(|it| it.launch == 0 && it.block < first + 3);
    run
}

fn runs() -> [Run; 5] {
    [
        synthetic::survey(),
        synthetic::hmac_vs_cmac(),
        synthetic::cbc_mac_variants(),
        synthetic::sms(),
        synthetic::apparent_processing(),
    ]
    .map(short)
}

#[test]
fn nothing_is_tied_in_the_findings() {
    for run in runs() {
        let findings = Findings::of(&run);
        for row in findings.groups.iter().flat_map(|it| &it.sizes).flat_map(|it| &it.ranking) {
            assert!(findings.cell(row).interval_ns.is_none());
            let alone = row.to_best.is_none();
            assert_eq!(row.tied_with_best, row.rank == Some(1), "{}", run.study.name);
            assert!(row.tie_group.is_none() || alone, "{}", run.study.name);
        }
        for headline in &findings.headlines {
            assert!(!headline.sentence.contains("tied"), "{}", headline.sentence);
        }
        for size in findings.groups.iter().flat_map(|it| &it.sizes) {
            assert!(findings.best_sources(size).values().all(|it| !it.contains(" = ")));
        }
    }
}

#[test]
fn no_sign_of_equality_is_printed() {
    for run in runs() {
        let findings = Findings::of(&run);
        let text = terminal::render(&run, &findings, 200, false);
        // Legends and claims quote the sign; a place in a table is the first word of its line.
        let tied: Vec<&str> =
            text.lines().filter(|line| line.trim_start().starts_with("= ")).collect();
        assert!(tied.is_empty(), "{}: {tied:#?}", run.study.name);
        assert!(!text.contains("tied with"), "{}", run.study.name);
        let page = page::render(&run, &findings);
        for sign in [">=<", "> =<", "tied with"] {
            assert!(!page.contains(sign), "{}: {sign}", run.study.name);
        }
    }
}
