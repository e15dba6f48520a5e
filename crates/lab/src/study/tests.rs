//! Studies that are none, and why.

use super::*;

const SMALL: &str = r#"
    name = "small"
    title = "Small"
    summary = "A study for tests."
    budget_s = 1.0
    launches = 2
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "one"
    title = "One"
    sizes = [64, 16]
    key_lives = ["prepared"]
    [[parts.cases]]
    name = "c"
    title = "C"
    macs = ["hmac-*"]
"#;

#[test]
fn a_small_study_is_read_with_its_defaults() {
    let study = Study::parse(SMALL).unwrap();
    assert_eq!(study.margin, 0.01);
    assert_eq!(study.parts[0].lengths(), [16, 64]);
    assert_eq!(study.parts[0].regimes, [Regime::USUAL]);
}

#[test]
fn the_empty_message_is_a_length_too() {
    let empty = Study::parse(&SMALL.replace("64, 16", "0")).unwrap();
    assert_eq!(empty.parts[0].lengths(), [0]);
    let range = "size_range = { from = 0, to = 64, step = 32 }";
    let range = Study::parse(&SMALL.replace("sizes = [64, 16]", range)).unwrap();
    assert_eq!(range.parts[0].lengths(), [0, 32, 64]);
}

#[test]
fn a_part_lists_a_thousand_lengths_and_a_range_has_ten_thousand_steps() {
    let with = |line: &str| Study::parse(&SMALL.replace("sizes = [64, 16]", line));
    let listed = |count: usize| with(&format!("sizes = {:?}", (0..count).collect::<Vec<_>>()));
    assert_eq!(listed(1000).unwrap().parts[0].lengths().len(), 1000);
    let error = listed(1001).unwrap_err().to_string();
    assert!(error.starts_with("part \"one\": 1001 sizes: must be at most 1000"), "{error}");
    let range = |from: u64, to: u64, step: u64| {
        with(&format!("size_range = {{ from = {from}, to = {to}, step = {step} }}"))
    };
    assert_eq!(range(16, 10_016, 1).unwrap().parts[0].lengths().len(), 10_001);
    // The last length of a range is not always one of its steps.
    assert_eq!(range(0, 20_001, 2).unwrap().parts[0].lengths().len(), 10_001);
    for (from, to, step) in [(16, 10_017, 1), (0, 20_002, 2), (0, u64::MAX >> 1, 1)] {
        let error = range(from, to, step).unwrap_err().to_string();
        assert!(error.starts_with("part \"one\": size_range needs"), "{error}");
        assert!(error.ends_with("at most 10000 steps"), "{error}");
    }
    let said = |from, to, step| range(from, to, step).unwrap_err().to_string();
    assert!(said(1, 0, 1).contains("from <= to") && said(0, 16, 0).contains("step >= 1"));
    assert_eq!(range(16, 16, 1).unwrap().parts[0].lengths(), [16]);
}

#[test]
fn mistakes_are_named_with_their_place() {
    let wrong =
        |from: &str, to: &str| Study::parse(&SMALL.replace(from, to)).unwrap_err().to_string();
    assert!(wrong("budget_s", "budget").contains("line 5: unknown field `budget`"));
    assert!(wrong("64, 16", "1000000000000").contains("must be 0 to 16777216"));
    assert!(wrong("[64, 16]", "[]").contains("either `sizes` or `size_range`"));
    assert!(wrong("launches = 2", "launches = 0").contains("1 to 1000"));
    assert!(wrong("\"prepared\"", "\"forever\"").contains("unknown variant `forever`"));
}

#[test]
fn segments_have_one_length_in_a_study() {
    let segments = |len: &str| {
        let lines = format!("regimes = [\"segments-memory-splitting\"]\nblock_len_bytes = {len}\n");
        format!("sizes = [64, 16]\n{lines}")
    };
    let with = |len: &str| SMALL.replace("sizes = [64, 16]", &segments(len));
    assert_eq!(Study::parse(&with("65535")).unwrap().parts[0].block_len_bytes, 65_535);
    for len in ["0", "65536"] {
        let error = Study::parse(&with(len)).unwrap_err().to_string();
        assert_eq!(error, format!("part \"one\": block_len_bytes = {len}: must be 1 to 65535"));
    }
    let second = SMALL[SMALL.find("[[parts]]").unwrap()..].replace("\"one\"", "\"two\"");
    let second = second.replace("sizes = [64, 16]", &segments("70"));
    assert!(Study::parse(&(with("70") + &second)).is_ok());
    assert!(Study::parse(&(SMALL.to_owned() + &second)).is_ok(), "the other has no segments");
    let error = Study::parse(&(with("71") + &second)).unwrap_err().to_string();
    assert!(error.contains("part \"two\": block_len_bytes = 70: must be the same"), "{error}");
    let files = SMALL.replace("sizes = [64, 16]", "sizes = [64]\nfiles = [\"a\"]");
    assert!(Study::parse(&files).unwrap_err().to_string().contains("by --file"));
}

#[test]
fn single_calls_are_so_many_that_one_is_their_median() {
    let with = |count: u32| {
        let line = format!("sizes = [64, 16]\nsingle_calls = {count}");
        Study::parse(&SMALL.replace("sizes = [64, 16]", &line))
    };
    assert_eq!(with(129).unwrap().parts[0].single_calls, Some(129));
    for count in [0, 128, SINGLE_CALLS_MAX + 1] {
        let error = with(count).unwrap_err().to_string();
        assert!(error.contains(&format!("single_calls = {count}: must be odd")), "{error}");
    }
}

#[test]
fn a_star_stands_for_any_characters() {
    assert!(fits("*", "x") && fits("*", "") && fits("hmac-*", "hmac-md5"));
    assert!(fits("*-128", "cmac-aes-128") && fits("c*s*8", "cmac-aes-128"));
    assert!(!fits("hmac", "hmac-md5") && !fits("c*z", "cmac"));
}
