//! The LaTeX of a run compiles; skipped, with a line that says so, where there is no `pdflatex`.

use std::process::Command;

use report::findings::Background;
use report::{Findings, charts, latex};

use crate::counted;

const PAPER: &str = r"\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{textcomp,amsmath,booktabs,longtable,array,graphicx}
\extrafloats{500}
\begin{document}
\input{report}
\end{document}
";

#[test]
fn every_claim_and_every_mac_is_in_it_escaped() {
    let mut run = synthetic::hmac_vs_cmac();
    run.study.claims[0].text = "50 % of a_b & c".into();
    let findings = Findings::of(&run);
    let text = latex::document(&run, &findings, &charts::all(&run, &findings));
    assert!(text.contains(r"50 \% of a\_b \& c"), "{text}");
    for group in &findings.groups {
        for row in group.sizes.iter().flat_map(|size| &size.ranking) {
            let mac = &findings.cell(row).cell.candidate.mac;
            assert!(text.contains(&format!("{mac} & ")), "{mac}");
        }
    }
    for begun in ["longtable", "figure", "minipage", "tabular", "itemize"] {
        let count = |word: &str| text.matches(&format!("\\{word}{{{begun}}}")).count();
        assert!(count("begin") > 0 && count("begin") == count("end"), "{begun}");
    }
}

#[test]
fn the_tables_of_all_views_are_in_it() {
    let has = |run: lab::record::Run, captions: &[&str]| {
        let background = Background { work: &counted::work, ..Background::default() };
        let text = latex::document(&run, &Findings::with_background(&run, &background), &[]);
        for caption in captions {
            assert!(
                text.contains(&format!("\\caption{{{caption}")),
                "{}: {caption}",
                run.study.name
            );
        }
    };
    let better = ["Cycles per byte", "Relative improvement"];
    has(synthetic::cbc_mac_variants(), &better);
    has(synthetic::survey(), &["Crossover lengths"]);
    has(synthetic::khc(), &["Where the cycles go", "Theory versus measurement"]);
    has(synthetic::sms(), &["Segments of a file", "What each scheme detects"]);
    has(
        synthetic::apparent_processing(),
        &["100 sessions", "Time of a message of", "Sessions sustained"],
    );
}

#[test]
fn it_compiles() {
    if Command::new("pdflatex").arg("--version").output().is_err() {
        println!("skipped: no pdflatex");
        return;
    }
    if !cfg!(feature = "png") {
        println!("skipped: built without the feature png");
        return;
    }
    let runs = [
        synthetic::survey(),
        synthetic::hmac_vs_cmac(),
        synthetic::cbc_mac_variants(),
        synthetic::khc(),
        synthetic::sms(),
        synthetic::apparent_processing(),
    ];
    for run in runs {
        let findings = Findings::of(&run);
        let mut drawn = charts::all(&run, &findings);
        drawn.truncate(2);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("figures")).unwrap();
        for chart in &drawn {
            let file = folder.path().join("figures").join(format!("{}.png", chart.name));
            std::fs::write(file, chart.png().unwrap().unwrap()).unwrap();
        }
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
        write("report.tex", &latex::document(&run, &findings, &drawn)).unwrap();
        write("paper.tex", PAPER).unwrap();
        let arguments = ["-interaction=nonstopmode", "-halt-on-error", "paper"];
        let ran = Command::new("pdflatex").args(arguments).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{}: {said}", run.study.name);
        assert!(folder.path().join("paper.pdf").exists());
        let log = std::fs::read(folder.path().join("paper.log")).unwrap();
        let log = String::from_utf8_lossy(&log).into_owned();
        // Less than the width of a letter is not seen.
        let points = |line: &str| {
            let rest = line.strip_prefix("Overfull \\hbox (")?;
            rest.split_once("pt")?.0.parse::<f64>().ok()
        };
        let is_seen = |line: &&str| points(line).is_some_and(|points| points >= 5.0);
        let overfull: Vec<&str> = log.lines().filter(is_seen).collect();
        assert!(overfull.is_empty(), "{}: {overfull:#?}", run.study.name);
    }
}
