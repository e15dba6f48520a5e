//! What goes to terminals and files, against what was read and approved once (`snapshots/`).

use report::findings::Background;
use report::paper::Values;
use report::{Findings, compare, csv, terminal};

/// Seven digits: what the last bits of `ln` and `exp` decide is not ours to hold.
fn rounded(text: &str) -> String {
    let field = |field: &str| match field.parse::<f64>() {
        Ok(value) if field.contains('.') => format!("{value:.7}"),
        _ => field.to_owned(),
    };
    let line = |line: &str| line.split(',').map(field).collect::<Vec<_>>().join(",");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_small_survey_on_a_terminal() {
    let run = synthetic::small();
    insta::assert_snapshot!(terminal::render(&run, &Findings::of(&run), 100, false));
}

#[test]
fn a_survey_ends_in_one_screen() {
    let mut run = synthetic::survey();
    run.study.claims.clear();
    run.study.source = None;
    run.study.named = ["hmac-sha256", "cmac-aes-128", "poly1305"].map(String::from).to_vec();
    let caution = |mac: &str| (mac == "gmac-aes-128").then(|| "no nonce twice".to_owned());
    let findings =
        Findings::with_background(&run, &Background { caution: &caution, ..Background::default() });
    let narrow = terminal::brief(&run, &findings, 80, false);
    for (width, text) in [(80, &narrow), (120, &terminal::brief(&run, &findings, 120, false))] {
        assert!(text.lines().count() + 3 <= 40, "{text}");
        assert_eq!(text.lines().find(|line| line.chars().count() > width), None);
    }
    assert!(terminal::render(&run, &findings, 80, false).lines().count() > 40);
    insta::assert_snapshot!(narrow);
}

#[test]
fn the_paper_on_a_terminal() {
    let run = synthetic::hmac_vs_cmac();
    insta::assert_snapshot!(terminal::render(&run, &Findings::of(&run), 120, false));
}

#[test]
fn the_variants_of_cbc_mac_on_a_terminal() {
    let mut run = synthetic::cbc_mac_variants();
    run.study.panels.truncate(1);
    let findings = Findings::of(&run);
    insta::assert_snapshot!(terminal::render(&run, &findings, 100, false));
    let narrow = terminal::render(&run, &findings, 80, false);
    assert_eq!(narrow.lines().find(|line| line.chars().count() > 80), None);
}

#[test]
fn a_small_survey_as_findings_csv() {
    let run = synthetic::small();
    let mut file = Vec::new();
    csv::findings(&run, &Findings::of(&run), &mut file).unwrap();
    insta::assert_snapshot!(rounded(&String::from_utf8(file).unwrap()));
}

#[test]
fn raw_samples_are_one_row_each_and_absent_is_empty() {
    let mut run = synthetic::small();
    run.samples[1].ticks = None;
    run.samples[1].core_hz = None;
    let mut file = Vec::new();
    csv::raw(&run, &mut file).unwrap();
    let text = String::from_utf8(file).unwrap();
    assert_eq!(text.lines().count(), 1 + run.samples.len());
    let second = text.lines().nth(2).unwrap();
    assert!(second.contains(",null/null/none/single/prepared/64,survey,0,1,0,"), "{second}");
    assert!(second.ends_with(",,,false,,"), "{second}");
    insta::assert_snapshot!(text.lines().take(4).collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_line_fits_the_width_and_colours_only_colour() {
    for (run, width) in [(synthetic::survey(), 100), (synthetic::survey_of(26, 5), 110)] {
        let findings = Findings::of(&run);
        let plain = terminal::render(&run, &findings, width, false);
        let long = plain.lines().find(|line| line.chars().count() > width);
        assert_eq!(long, None);
        let coloured = terminal::render(&run, &findings, width, true);
        let mut bare = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            bare.push_str(before);
            rest = after.split_once('m').map_or("", |(_, after)| after);
        }
        bare.push_str(rest);
        assert_eq!(bare, plain);
    }
}

/// What a stranger's study says acts on nobody, wherever it is read.
#[test]
fn titles_and_claims_colour_nothing() {
    let mut run = synthetic::survey();
    let evil = "\u{1b}[31mINK\u{1b}[0m\u{202e}";
    for text in [&mut run.study.title, &mut run.study.summary, &mut run.providers[0].version] {
        text.push_str(evil);
    }
    let findings = Findings::of(&run);
    let markdown = report::export::FORMATS.iter().find(|it| it.name == "markdown").unwrap();
    for text in [
        terminal::render(&run, &findings, 100, true),
        terminal::brief(&run, &findings, 100, true),
        markdown.write(&run, &findings),
        report::page::render(&run, &findings),
    ] {
        let at = text.find("INK").unwrap();
        let before: String = text[..at].chars().rev().take(8).collect();
        assert!(before.starts_with("m13") && before.contains('\u{fffd}'), "{before:?}");
        assert!(!text.contains("\u{1b}[31mINK") && !text.contains('\u{202e}'), "{text}");
    }
    // Our own pages have none of it: nothing is replaced there.
    let plain = synthetic::survey();
    let page = report::page::render(&plain, &Findings::of(&plain));
    assert!(!page.contains('\u{fffd}'));
}

#[test]
fn what_was_left_out_stands_beside_the_processor() {
    let whole = synthetic::small();
    let mut held = whole.clone();
    held.machine.without = words::Tier::ALL[2].without();
    let findings = Findings::of(&held);
    let sentence = "without AVX-512, VAES and SHA instructions";
    let text = terminal::render(&held, &findings, 200, false);
    assert!(text.lines().nth(1).unwrap().ends_with(&format!(" · {sentence}")), "{text}");
    assert!(report::page::render(&held, &findings).contains(sentence));
    assert!(report::latex::document(&held, &findings, &[]).contains(sentence));
    assert!(report::bundle::readme(&held, &[], &[]).contains(sentence));
    let json = serde_json::to_value(&findings).unwrap();
    assert_eq!(json["without"], serde_json::json!(["avx512", "vaes", "sha"]));
    assert!(serde_json::to_value(Findings::of(&whole)).unwrap()["without"].is_null());
    let compared = compare::Compared::of(&whole, &held);
    assert_eq!(compared.machines, compare::Machines::OtherInstructions);
    assert_eq!(compared.differences, [["instructions left out", "–", "avx512,vaes,sha"]]);
}

#[test]
fn two_runs_tell_what_differs_first() {
    let before = synthetic::small();
    let mut after = synthetic::small();
    after.id = "20261122-080000-77aa".into();
    after.machine.cpu_model = "Another CPU".into();
    let faster = after.cells[2].id;
    for sample in after.samples.iter_mut().filter(|sample| sample.cell == faster) {
        sample.elapsed_ns /= 2.0;
    }
    after.cells.pop();
    let compared = compare::Compared::of(&before, &after);
    insta::assert_snapshot!(compared.render(100, false));
    assert_eq!(compared.rows[0].verdict, stats::Verdict::Faster);
    assert!((compared.rows[0].ratio - 0.5).abs() < 1e-6);
    let equal = compare::Compared::of(&before, &before);
    assert!(equal.differences.is_empty());
    assert!(equal.rows.iter().all(|row| row.verdict != stats::Verdict::Faster));
}

#[test]
fn an_analysis_of_its_own_is_told_in_the_papers_form_at_its_own_level() {
    let columns = vec![
        ("slow", (0..40).map(|n| 10.0 + f64::from(n % 7)).collect::<Vec<f64>>()),
        ("fast", (0..40).map(|n| 20.0 + f64::from(n % 5)).collect()),
    ];
    let table = stats::Table::new(columns).unwrap();
    let at = |alpha: f64| {
        let analysis = stats::analyze(&table, stats::Alpha::new(alpha).unwrap());
        terminal::analysis(&analysis, Values::Speeds, 100)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    for wanted in ["the speed of slow < fast.", "one-tail 1.6449", "two-tail 1.96"] {
        assert!(at(0.05).contains(wanted), "{wanted} in {}", at(0.05));
    }
    for wanted in ["one-tail 2.3263", "two-tail 2.5758", "chi-squared Critical 9.2103"] {
        assert!(at(0.01).contains(wanted), "{wanted} in {}", at(0.01));
    }
}

#[test]
fn a_test_bed_of_segments_on_a_terminal() {
    let mut run = synthetic::sms();
    run.study.parts[0].sizes.truncate(2);
    let keep: Vec<u32> = run
        .cells
        .iter()
        .filter(|record| record.cell.len_bytes <= 10_240)
        .map(|record| record.id)
        .collect();
    run.cells.retain(|record| keep.contains(&record.id));
    run.samples.retain(|sample| keep.contains(&sample.cell));
    // One count that is not as promised.
    run.schemes[4].faults[0].refused = 199;
    let findings = Findings::of(&run);
    let text = terminal::render(&run, &findings, 100, false);
    assert_eq!(text.lines().find(|line| line.chars().count() > 100), None);
    insta::assert_snapshot!(text);
    let red = terminal::render(&run, &findings, 100, true);
    let red = red.lines().filter(|line| line.starts_with("\u{1b}[31m"));
    let red: Vec<&str> = red.filter(|line| line.contains("199/200")).collect();
    assert_eq!(red.len(), 1, "the row of the broken promise is red");
}

/// Studies that make a paper again.
fn papers() -> Vec<lab::record::Run> {
    vec![
        synthetic::hmac_vs_cmac(),
        synthetic::cbc_mac_variants(),
        synthetic::khc(),
        synthetic::sms(),
        synthetic::apparent_processing(),
    ]
}

#[test]
fn a_paper_in_brief_is_a_page_of_a_terminal() {
    for mut run in papers() {
        // As many claims as a study may come to have, in lines that are long.
        let claim = run.study.claims.first().cloned();
        for count in [0, 12] {
            run.study
                .claims
                .extend(claim.iter().flat_map(|it| std::iter::repeat_n(it, count)).cloned());
            let findings = Findings::of(&run);
            for width in [80, 120] {
                let text = terminal::brief(&run, &findings, width, false);
                // The command adds an empty line, where the page is, and the run's name.
                let (lines, name) = (text.lines().count() + 3, &run.study.name);
                assert!(lines <= 120, "{name} at {width}: {lines} lines\n{text}");
                let long = text.lines().find(|line| line.chars().count() > width);
                assert_eq!(long, None, "{name} at {width}");
                let figures = text.split("── Figures").nth(1).expect("figures");
                let first = figures.lines().skip(1).find(|line| !line.is_empty()).unwrap();
                assert!(
                    !first.starts_with("Further tables"),
                    "{name} at {width}: no table\n{text}"
                );
            }
        }
    }
}

#[test]
fn a_paper_in_brief_tells_claims_then_figures_then_where_the_rest_is() {
    let run = synthetic::hmac_vs_cmac();
    let findings = Findings::of(&run);
    let text = terminal::brief(&run, &findings, 100, false);
    let places = ["claims confirmed", "── Claims", "── Figures", "── Warnings", "prints every"];
    let places: Vec<usize> = places.iter().map(|it| text.find(it).expect(it)).collect();
    assert!(places.is_sorted(), "{places:?}\n{text}");
    for claim in &findings.claims {
        let begin: String = claim.text.chars().take(40).collect();
        assert!(text.contains(&begin), "{begin}");
    }
    for cell in findings.groups.iter().flat_map(|it| &it.sizes[0].ranking) {
        let mac = &findings.cell(cell).cell.candidate.mac;
        assert!(text.contains(&format!("\n{mac} ")), "{mac} has a row");
    }
    // What is left out stands among the tables.
    let whole = terminal::render(&run, &findings, 100, false);
    let said = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = said(&whole);
    for panel in findings.claims.iter().flat_map(|it| &it.panels) {
        let because = panel.verdict.because(&panel.reason);
        assert!(whole.contains(&said(&because)), "{because}");
    }
    for deviation in &run.study.deviations {
        assert!(whole.contains(&said(&deviation.text)), "{}", deviation.text);
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_survey_in_brief_is_no_longer_than_in_full() {
    let run = synthetic::survey_of(26, 5);
    let findings = Findings::of(&run);
    let lines = |text: String| text.lines().count();
    let brief = lines(terminal::brief(&run, &findings, 100, false));
    let whole = lines(terminal::render(&run, &findings, 100, false));
    assert!(brief < whole, "{brief} and {whole}");
}

#[test]
fn the_papers_tables_stand_two_abreast_at_80_columns_and_at_120() {
    let run = synthetic::hmac_vs_cmac();
    let findings = Findings::of(&run);
    for width in [80, 100, 120, 200] {
        let text = terminal::render(&run, &findings, width, false);
        let title = "Chi-Squared Test of Normality";
        let rows: Vec<usize> =
            text.lines().map(|line| line.matches(title).count()).filter(|&it| it > 0).collect();
        // Five macs: two, two and one.
        assert_eq!(rows[..3], [2, 2, 1], "at {width}");
        assert_eq!(text.lines().find(|line| line.chars().count() > width), None);
    }
}
