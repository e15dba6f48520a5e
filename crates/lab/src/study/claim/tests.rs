use super::*;
use crate::plan::{MacFacts, Selection, narrow};
use crate::study::{Study, StudyError, planted};

/// With a claim on part `part` of which `claim` has the statement.
fn of_part(part: &str, claim: &str) -> Result<Study, StudyError> {
    let lists = "sizes = [16, 64, 256]\nkey_lives = [\"prepared\", \"new-key\"]\n\
                 regimes = [\"single\", \"sessions-100-on-1\"]";
    let study = planted::text(lists, "[\"hmac-*\", \"cmac-*\"]");
    let begin = "[[claims]]\nid = \"it\"\ntext = \"It is so.\"\nsource = \"page 1\"";
    Study::parse(&format!("{study}{begin}\npart = {part:?}\n{claim}\n"))
}

fn with(claim: &str) -> Result<Study, StudyError> {
    of_part("a", claim)
}

/// Every kind, rightly written.
const RIGHT: [&str; 19] = [
    "ordering = \"a < b = c\"",
    "faster = [\"hmac-*\"]\nthan = [\"cmac-*\"]",
    "falling = [\"*\"]",
    "ratio = { slower = \"*-md5\", faster = \"*-sha1\", least = 5, most = 11.0 }",
    "proportional = [\"hmac-*\"]\nmargin = 0.25",
    "crossover = { below = \"x\", above = \"y\", from = 16, to = 64 }",
    "contrast = { regime = \"sessions-100-on-1-apparent\", to = \"sessions-100-on-1-absolute\", \
     least = 1.0, most = 1.1 }",
    "contrast = { regime = \"single\", to = \"sessions-100-on-1-absolute\", macs = [\"hmac-*\"], \
     most = 0.9 }\npanels = [\"p\"]",
    "reordered = [\"*\"]",
    "same_trend = [\"*\"]",
    "same_trend = [\"hmac-*\", \"cmac-*\"]\nleast_tau = 0.9",
    "contrast = { of = \"preemptions\", regime = \"sessions-100-on-1-apparent\", \
     to = \"sessions-100-on-1-absolute\", least = 1.0 }",
    "same_order = [\"*\"]\nleast_tau = 0.9\n\
     regimes = [\"single\", \"sessions-100-on-1-absolute\"]",
    "uneven = { regime = \"sessions-100-on-1-apparent\", least = 1.1 }",
    "argument = \"Proofs decide it.\"",
    "not_normal = [\"*\"]",
    "same_spread = [\"hmac-*\"]\nnot = [\"hmac-md5\"]",
    "launches_differ = [\"*\"]",
    "unsettled = { macs = [\"*\"], calls = 100 }",
];

#[test]
fn every_kind_is_read_and_kept_in_an_archive() {
    for text in RIGHT {
        let study = with(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(study.claims[0].statement().is_some());
        let kept = serde_json::to_string(&study).unwrap();
        assert_eq!(serde_json::from_str::<Study>(&kept).unwrap(), study, "{text}");
    }
    let old = r#"{"id": "i", "text": "t", "source": "s", "part": "p", "cases": [],
                  "ordering": null, "faster": ["a"], "than": ["b"]}"#;
    let old: Claim = serde_json::from_str(old).unwrap();
    assert!(matches!(old.statement(), Some(Statement::Faster(..))));
    assert!(old.concerns(0) && old.margin.is_none() && old.panels.is_empty());
    let contrast = with(RIGHT[7]).unwrap().claims[0].clone();
    assert!(contrast.is_about(Regime::USUAL) && !contrast.is_about("latency".parse().unwrap()));
    let panel =
        |name: &str| Panel { name: name.into(), ..with(RIGHT[7]).unwrap().panels[0].clone() };
    assert!(contrast.asks(&panel("p")) && !contrast.asks(&panel("q")));
    let elsewhere = Panel { parts: vec!["b".into()], ..panel("p") };
    assert!(!Claim { panels: vec![], ..contrast }.asks(&elsewhere));
}

#[test]
fn mistakes_are_told_with_the_name_of_the_claim() {
    let falling = "falling = [\"*\"]\n";
    let ratio = "ratio = { slower = \"S\", faster = \"F\", least = L, most = M }";
    let ratio = |slower: &str, faster: &str, least: &str, most: &str| {
        let text = ratio.replace('S', slower).replace('F', faster);
        text.replace('L', least).replace('M', most)
    };
    let crossover = |below: &str, from: u64, to: u64| {
        format!("crossover = {{ below = \"{below}\", above = \"y\", from = {from}, to = {to} }}")
    };
    let contrast = |to: &str, ends: &str| {
        format!("contrast = {{ regime = \"sessions-100-on-1-apparent\", to = \"{to}\"{ends} }}")
    };
    let uneven =
        |regime: &str, least: f64| format!("uneven = {{ regime = \"{regime}\", least = {least} }}");
    let to_self = contrast("sessions-100-on-1-apparent", ", least = 1");
    let wrong: [(String, &str); 38] = [
        (String::new(), "exactly one of `ordering`, `faster` with `than`"),
        (RIGHT[0].to_owned() + "\n" + falling, "it has ordering and falling"),
        ("faster = [\"a\"]".into(), "`faster` and `than` belong together"),
        ("ordering = \"a b\"".into(), "MACs with < or = between them"),
        ("ordering = \"a < b <\"".into(), "MACs with < or = between them"),
        (falling.to_owned() + "cases = [\"d\"]", "part \"a\" has no case \"d\""),
        (falling.to_owned() + "key_lives = [\"one-shot\"]", "has no key life one-shot"),
        (falling.to_owned() + "regimes = [\"latency\"]", "has no regime latency"),
        (falling.to_owned() + "sizes = { from = 64, to = 16 }", "from must not be above to"),
        (falling.to_owned() + "sizes = { from = 300 }", "no length of part \"a\" lies within"),
        (falling.to_owned() + "sizes = { to = 16 }", "at least two lengths"),
        (falling.to_owned() + "margin = 1.5", "margin = 1.5: must be above 0 and at most 1"),
        (ratio("a", "b", "11", "5"), "needs 0 < least <= most"),
        (ratio("a", "b", "1", "inf"), "needs 0 < least <= most"),
        (ratio("a", "*-b", "5", "11"), "one `*` in each, in `slower` only, or in none"),
        (ratio("*-*", "*", "5", "11"), "one `*` in each, in `slower` only, or in none"),
        (crossover("x", 64, 64), "from must be below to"),
        (crossover("y", 16, 64), "cannot overtake itself"),
        (falling.to_owned() + "panels = [\"q\"]", "no panel \"q\""),
        (contrast("latency", ", least = 1"), "part \"a\" has no regime latency"),
        (contrast("single", ""), "least none and most none: needs one of them"),
        (contrast("single", ", least = 2, most = 1"), "and least <= most"),
        (contrast("single", ", least = 0"), "least 0 and most none: needs one of them, above 0"),
        (contrast("single", ", most = inf"), "above 0"),
        (to_self, "to itself: must be two regimes"),
        (contrast("single", ", most = 1") + "\nregimes = [\"single\"]", "leave `regimes` out"),
        ("reordered = [\"*\"]\nsizes = { to = 16 }".into(), "at least two lengths"),
        ("same_trend = [\"*\"]\nleast_tau = 1.5".into(), "must be above 0 and at most 1"),
        (falling.to_owned() + "least_tau = 0.9", "`least_tau` belongs to `same_trend`"),
        ("unsettled = { macs = [\"a\"], calls = 5 }".into(), "6 calls at least"),
        ("argument = \" \"".into(), "must say why no measurement decides it"),
        ("argument = \"a\"\ndecided_by = \"means\"".into(), "`decided_by` is done again on data"),
        (contrast("single", ", of = \"preemptions\", least = 1"), "both must be of sessions"),
        ("same_order = [\"*\"]\nregimes = [\"single\"]".into(), "needs two `regimes` at least"),
        (RIGHT[12].to_owned().replace("0.9", "0"), "must be above 0 and at most 1"),
        (uneven("latency", 1.1), "part \"a\" has no regime latency"),
        (uneven("sessions-100-on-1-absolute", 1.1), "sessions by their apparent processing"),
        (uneven("sessions-100-on-1-apparent", 0.5), "uneven with least 0.5: must be 1 or more"),
    ];
    for (text, error) in wrong {
        let said = with(&text).unwrap_err().to_string();
        assert!(said.starts_with("claim \"it\": ") && said.contains(error), "{text}: {said}");
        assert_eq!(said.lines().count(), 1);
    }
}

#[test]
fn mistakes_of_other_kinds_are_told_too() {
    let said = |claim: &str| with(claim).unwrap_err().to_string();
    let contrast = "contrast = { regime = \"sessions-100-on-1-apparent\", \
                    to = \"sessions-100-on-1\", least = 1 }";
    let names = "one of sessions-100-on-1-absolute, sessions-100-on-1-apparent here";
    assert!(said(contrast).contains(names), "{}", said(contrast));
    let crossover = "crossover = { below = \"x\", above = \"y\", from = 8, to = 64 }";
    assert!(said(crossover).contains("a length of 8 B or less"));
    assert!(said("falling = [\"*\"]\nsizes = { form = 1 }").contains("`form`"));
    let said = of_part("b", "falling = [\"*\"]").unwrap_err().to_string();
    assert_eq!(said, "claim \"it\": no part \"b\"");
}

#[test]
fn a_star_stands_for_the_same_in_both() {
    let star = |pattern: &str, name| ClaimedRatio::star(pattern, name);
    assert_eq!(star("*-tdes-3", "omac1-tdes-3"), Some("omac1"));
    assert_eq!(star("c*-128", "cmac-aes-128"), Some("mac-aes"));
    assert_eq!((star("a", "a"), star("a", "b"), star("ab*ba", "aba")), (Some(""), None, None));
}

#[test]
fn a_claim_of_which_nothing_is_left_is_dropped() {
    let text = "faster = [\"hmac-*\"]\nthan = [\"cmac-*\"]\nsizes = { from = 64 }\n\
                key_lives = [\"new-key\"]";
    let study = with(text).unwrap();
    let fact = |name: &str| MacFacts { name: name.into(), key_len_bytes: 16, any_key_len: false };
    let facts = ["hmac-md5", "cmac-aes"].map(fact);
    let left = |wanted: Selection| narrow(&study, &wanted, &facts).unwrap().claims.len();
    let named = |name: &str| Selection { macs: vec![name.into()], ..Selection::default() };
    assert_eq!(left(Selection::default()), 1);
    assert_eq!((left(named("*mac-*")), left(named("hmac-*"))), (1, 0), "a side is missing");
    let sizes = |sizes: &[u64]| Selection { sizes: sizes.to_vec(), ..Selection::default() };
    assert_eq!((left(sizes(&[16, 64])), left(sizes(&[16]))), (1, 0));
    let life = |life| Selection { key_lives: vec![life], ..Selection::default() };
    assert_eq!((left(life(KeyLife::NewKey)), left(life(KeyLife::Prepared))), (1, 0));
    let contrast = RIGHT[7];
    let of = |claim: &str, wanted: Selection| {
        narrow(&with(claim).unwrap(), &wanted, &facts).unwrap().claims.len()
    };
    let regimes = |names: &[&str]| {
        let regimes = names.iter().map(|name| name.parse().unwrap()).collect();
        Selection { regimes, ..Selection::default() }
    };
    let both = ["single", "sessions-100-on-1-absolute"];
    assert_eq!((of(contrast, regimes(&both)), of(contrast, regimes(&both[..1]))), (1, 0));
    assert_eq!((of(contrast, named("hmac-*")), of(contrast, named("cmac-*"))), (1, 0));
    assert_eq!((of(RIGHT[8], sizes(&[16, 64])), of(RIGHT[8], sizes(&[16]))), (1, 0));
    assert_eq!((of(RIGHT[9], named("*mac-*")), of(RIGHT[9], named("hmac-*"))), (1, 0), "no order");
    assert_eq!((of(RIGHT[12], regimes(&both)), of(RIGHT[12], regimes(&both[..1]))), (1, 0));
    let apparent = ["single", "sessions-100-on-1-apparent"];
    assert_eq!((of(RIGHT[13], regimes(&apparent)), of(RIGHT[13], regimes(&both))), (1, 0));
    let provider = Selection { providers: vec!["other".into()], ..Selection::default() };
    assert_eq!(of("falling = [\"*\"]\npanels = [\"p\"]", provider), 1, "the panel is still there");
    // Without a selection a misspelt mac stays, to be told as missing.
    let study = with("faster = [\"hmca-*\"]\nthan = [\"cmac-*\"]").unwrap();
    assert_eq!(narrow(&study, &Selection::default(), &facts).unwrap().claims.len(), 1);
}
