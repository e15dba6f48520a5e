//! What stands between quotation marks is word for word in its publication. Publications are no
//! part of the sources: where they are not at hand, nothing is held against them.

use std::fs;
use std::path::PathBuf;

use lab::study::Study;

const PAPERS: [(&str, &str); 5] = [
    ("hmac-vs-cmac", "hmac-vs-cmac"),
    ("cbc-mac-variants", "cbc-mac-variants"),
    ("khc", "khc-readme"),
    ("sms", "sms-eax-vs-cmac-ctr"),
    ("apparent-processing", "apparent-processing"),
];

/// White space, the dollars of TeX and typographic quotation marks are no words.
fn plain(text: &str) -> String {
    let text = text.replace('$', "").replace(['“', '”'], "\"").replace(['‘', '’'], "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_quotation_is_in_its_publication() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut wrong = Vec::new();
    for (study, paper) in PAPERS {
        let file = root.join("../shared/papers").join(format!("{paper}.txt"));
        let Ok(paper) = fs::read_to_string(&file) else {
            println!("skipped: {} is not here", file.display());
            continue;
        };
        let paper = plain(&paper);
        let text = fs::read_to_string(root.join(format!("studies/{study}.toml"))).unwrap();
        for claim in Study::parse(&text).unwrap().claims {
            if paper.contains(&plain(&claim.text)) == claim.paraphrase {
                wrong.push(format!("{study}, {}: {}", claim.id, claim.text));
            }
        }
    }
    assert!(wrong.is_empty(), "not word for word:\n{}", wrong.join("\n"));
}

#[test]
fn a_paraphrase_is_told_without_quotation_marks() {
    let text = include_str!("../../../../studies/khc.toml");
    let study = Study::parse(text).unwrap();
    let marks = study.claims.iter().map(|claim| claim.quoted().starts_with('“'));
    assert!(marks.eq(study.claims.iter().map(|claim| !claim.paraphrase)));
    assert_eq!(study.claims.iter().filter(|claim| claim.paraphrase).count(), 1);
}
