//! A stranger can cite a bundle and read its tables: the citation and the data package are valid by
//! the schemas that their formats publish.

mod made;

use std::fs;

use fleet::gather::{Gathered, package};
use made::Made;
use serde_json::Value;

const CFF: &str = include_str!("schemas/cff-1.2.0.json");

const PACKAGE: &str = include_str!("schemas/datapackage-2.0.json");

fn errors(schema: &str, value: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path)).collect()
}

fn written(authors: &[&str]) -> (Value, Value) {
    let mut made = Made::new();
    made.authors = authors.iter().map(ToString::to_string).collect();
    made.run.study.source = Some("An \"Author\": a title, 2021".into());
    let place = made.write();
    let read = |name: &str| fs::read_to_string(place.join(name)).unwrap();
    let citation = serde_saphyr::from_str(&read("CITATION.cff")).unwrap();
    (citation, serde_json::from_str(&read("datapackage.json")).unwrap())
}

#[test]
fn the_citation_is_valid_with_and_without_authors() {
    for authors in [&[][..], &["Doe, Jane", "The \"lab\": # 1"]] {
        let (citation, _) = written(authors);
        assert_eq!(errors(CFF, &citation), [""; 0]);
        let kind = if authors.is_empty() { "software" } else { "dataset" };
        assert_eq!(citation["type"], kind);
    }
    let (mut citation, _) = written(&["Doe, Jane"]);
    citation["type"] = "data".into();
    assert!(!errors(CFF, &citation).is_empty(), "the schema sees what is wrong");
}

#[test]
fn the_data_package_is_valid() {
    for authors in [&[][..], &["Doe, Jane"]] {
        let (_, package) = written(authors);
        assert_eq!(errors(PACKAGE, &package), [""; 0]);
        assert_eq!(package["licenses"][0]["name"], "CC-BY-4.0");
    }
    let (_, mut package) = written(&[]);
    package["resources"][0]["path"] = "/etc/passwd".into();
    assert!(!errors(PACKAGE, &package).is_empty(), "the schema sees what is wrong");
}

#[test]
fn the_data_package_of_a_gathered_store_is_valid() {
    let licences = ["CC-BY-4.0", "CC0-1.0"].map(str::to_owned).into();
    let gathered = Gathered { licences, ..Gathered::default() };
    for has_parquet in [true, false] {
        let package = package(&gathered, has_parquet, "0.1.0");
        assert_eq!(errors(PACKAGE, &package), [""; 0]);
        assert_eq!(package["licenses"][1]["name"], "CC0-1.0");
        let samples = package["resources"].as_array().unwrap();
        let samples = samples.iter().find(|it| it["name"] == "samples").unwrap();
        let path = if has_parquet { "samples.parquet" } else { "samples.csv" };
        assert_eq!(samples["path"], path);
        let fields = samples["schema"]["fields"].as_array().unwrap();
        let elapsed = fields.iter().find(|it| it["name"] == "elapsed_ns").unwrap();
        assert_eq!((&elapsed["type"], &elapsed["unit"]), (&"number".into(), &"ns".into()));
    }
    assert_eq!(errors(PACKAGE, &package(&Gathered::default(), true, "0.1.0")), [""; 0]);
}
