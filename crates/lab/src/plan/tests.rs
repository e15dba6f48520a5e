//! Which cells a study becomes, and which none.

use super::*;
use crate::record::Offer;
use crate::study::planted;

fn study() -> Study {
    let macs = "[\"hmac-*\"]\non_request = [\"cbc-*\", \"hmac-md5\"]";
    Study::parse(&planted::text("sizes = [16]\nkey_lives = [\"prepared\"]", macs)).unwrap()
}

fn facts() -> Vec<MacFacts> {
    let fact = |name: &str| MacFacts { name: name.into(), key_len_bytes: 16, any_key_len: false };
    ["cbc-aes", "cbc-tdes", "hmac-md5", "hmac-sha1", "other"].map(fact).to_vec()
}

/// The macs left by `--mac` with these patterns.
fn left_by(patterns: &[&str]) -> Result<Vec<String>, PlanError> {
    let macs = patterns.iter().map(ToString::to_string).collect();
    let wanted = Selection { macs, ..Selection::default() };
    Ok(narrow(&study(), &wanted, &facts())?.parts[0].cases[0].macs.clone())
}

#[test]
fn macs_on_request_are_measured_only_where_they_are_named() {
    assert_eq!(left_by(&[]).unwrap(), ["hmac-md5", "hmac-sha1"]);
    assert_eq!(left_by(&["cbc-aes"]).unwrap(), ["cbc-aes"]);
    assert_eq!(left_by(&["*"]).unwrap(), ["hmac-md5", "hmac-sha1", "cbc-aes", "cbc-tdes"]);
    assert!(left_by(&["other"]).is_err(), "neither listed nor on request");
}

#[test]
fn parts_are_taken_by_name_with_the_panels_that_speak_in_them() {
    let mut study = study();
    study.parts.push(Part { name: "b".into(), ..study.parts[0].clone() });
    study.panels.push(Panel {
        name: "q".into(),
        parts: vec!["b".into()],
        ..study.panels[0].clone()
    });
    let left = |parts: &[&str]| {
        let parts = parts.iter().map(ToString::to_string).collect();
        let wanted = Selection { parts, ..Selection::default() };
        let left = narrow(&study, &wanted, &facts())?;
        let (parts, panels) = (left.parts.iter(), left.panels.iter());
        let parts: String = parts.map(|it| it.name.as_str()).collect();
        Ok::<_, PlanError>(parts + "/" + &panels.map(|it| it.name.as_str()).collect::<String>())
    };
    assert_eq!(left(&[]), Ok("ab/pq".to_owned()));
    assert_eq!(left(&["a"]), Ok("a/p".to_owned()));
    assert_eq!(left(&["b"]), Ok("b/pq".to_owned()));
    let said = left(&["c"]).unwrap_err().to_string();
    assert_eq!(said, "unknown part \"c\" in the study \"s\"; available: a, b");
}

fn offering(name: &str, macs: &[&str]) -> ProviderRecord {
    let offer = |mac: &&str| Offer {
        mac: mac.to_string(),
        kernel: "k".into(),
        key_lives: vec![KeyLife::Prepared],
    };
    ProviderRecord {
        name: name.into(),
        version: String::new(),
        path: String::new(),
        detail: String::new(),
        offers: macs.iter().map(offer).collect(),
        regimes: vec![Regime::USUAL],
        different: vec![],
        offloads: false,
    }
}

/// The cells of a study whose case names these macs, of `all` and `null`.
fn planned(macs: &[&str], panel: &str, part: &str) -> Result<Vec<String>, PlanError> {
    let mut study = study();
    study.panels[0].providers = vec![panel.into()];
    study.parts[0].cases[0].macs = macs.iter().map(ToString::to_string).collect();
    let others = Part { name: "b".into(), ..study.parts[0].clone() };
    study.parts[0].providers = vec![part.into()];
    study.parts.push(others);
    let mut facts = facts();
    facts.push(MacFacts { name: "null-hmac-md5".into(), ..facts[0].clone() });
    let study = narrow(&study, &Selection::default(), &facts)?;
    let all = ["hmac-md5", "hmac-sha1", "cbc-aes"];
    let providers = [offering("all", &all), offering("null", &[NULL, "null-hmac-md5"])];
    let cells = cells(&study, &providers, &facts, &[])?;
    let name = |it: &Planned| format!("{}:{}", it.part, it.cell.candidate.mac);
    Ok(cells.iter().map(name).collect())
}

#[test]
fn floors_are_measured_where_a_case_names_them() {
    let one = planned(&["hmac-*", "null-hmac-md5"], "all", "*").unwrap();
    let expected = ["hmac-md5", "hmac-sha1", "null", "null-hmac-md5"];
    assert_eq!(one[..4], expected.map(|mac| format!("0:{mac}")), "whatever the panel says");
    let star = planned(&["*"], "*", "*").unwrap();
    assert!(!star.iter().any(|name| name.ends_with("null-hmac-md5")), "{star:?}");
    assert!(planned(&["null-*"], "all", "*").is_err(), "floors alone are no plan");
}

#[test]
fn a_part_of_providers_that_are_not_here_is_left_out() {
    let cells = planned(&["hmac-md5", "null-hmac-md5"], "all", "openssl*").unwrap();
    assert_eq!(cells, ["1:hmac-md5", "1:null", "1:null-hmac-md5"]);
    assert!(planned(&["hmac-md5"], "openssl*", "openssl*").is_err());
}

#[test]
fn a_runtime_that_takes_part_has_a_floor_of_its_own() {
    let study = narrow(&study(), &Selection::default(), &facts()).unwrap();
    let providers = [
        offering("go", &[NULL]),
        offering("null", &[NULL]),
        offering("python", &["hmac-md5", NULL]),
    ];
    let cells = cells(&study, &providers, &facts(), &[]).unwrap();
    let floors = cells.iter().map(|it| &it.cell.candidate).filter(|it| it.mac == NULL);
    let floors: BTreeSet<&str> = floors.map(|it| it.provider.as_str()).collect();
    assert_eq!(floors, ["null", "python"].into());
    assert!(cells.iter().any(|it| is_own_floor(&it.cell.candidate)));
}

#[test]
fn floors_count_among_the_cells_that_a_run_may_have() {
    let mut long = study();
    long.parts[0].sizes = vec![16, 32, 48];
    let narrowed = narrow(&long, &Selection::default(), &facts()).unwrap();
    let providers = [offering("all", &["hmac-md5", "hmac-sha1"]), offering("null", &[NULL])];
    let at_most = |most| cells_at_most(most, &narrowed, &providers, &facts(), &[]);
    // Two macs and the floor, at three lengths.
    assert_eq!(at_most(9).unwrap().len(), 9);
    for most in [8, 6, 5] {
        let expected = format!("part \"a\": more than {most} cells: ask for fewer sizes or MACs");
        assert_eq!(at_most(most).unwrap_err().to_string(), expected);
    }
    assert_eq!(CELLS_MAX, 200_000, "as docs/reliability.md has it");
    assert_eq!(cells(&narrowed, &providers, &facts(), &[]).unwrap().len(), 9);
}

#[test]
fn no_more_lengths_are_selected_than_a_part_may_list() {
    let left = |count: u64| {
        let wanted = Selection { sizes: (0..count).collect(), ..Selection::default() };
        narrow(&study(), &wanted, &facts()).map(|study| study.parts[0].lengths().len())
    };
    assert_eq!(left(1000), Ok(1000));
    let said = left(1001).unwrap_err().to_string();
    assert!(said.starts_with("1001 sizes: must be at most 1000"), "{said}");
}

#[test]
fn floors_go_with_their_macs() {
    let mut with_floors = study();
    with_floors.parts[0].cases[0].macs.push("null-hmac-md5".into());
    let mut facts = facts();
    facts.push(MacFacts { name: "null-hmac-md5".into(), ..facts[0].clone() });
    let left = |mac: &str| {
        let wanted = Selection { macs: vec![mac.into()], ..Selection::default() };
        narrow(&with_floors, &wanted, &facts).unwrap().parts[0].cases[0].macs.clone()
    };
    assert_eq!(left("hmac-md5"), ["hmac-md5", "null-hmac-md5"]);
    assert_eq!(left("hmac-sha1"), ["hmac-sha1"]);
    assert!(is_floor("null") && is_floor("null-hmac-md5"));
    assert!(!is_floor("nullary") && !is_floor("hmac-null"));
}

#[test]
fn what_is_kept_of_a_narrowed_study_is_narrowed_alike_again() {
    let wanted = Selection { macs: vec!["cbc-*".into()], ..Selection::default() };
    let once = narrow(&study(), &wanted, &facts()).unwrap();
    assert_eq!(narrow(&once, &Selection::default(), &facts()).unwrap(), once);
}
