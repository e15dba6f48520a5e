//! What is written for other tools is what is described: the JSON of findings by its schema, every
//! column of every CSV file and every unit in the document.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lab::record::Run;
use report::csv;
use report::findings::{Findings, SCHEMA, UNITS};
use serde_json::{Value, json};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(path).unwrap()
}

/// A run of each kind of study.
fn runs() -> Vec<Run> {
    vec![
        synthetic::survey(),
        synthetic::small(),
        synthetic::hmac_vs_cmac(),
        synthetic::cbc_mac_variants(),
        synthetic::khc(),
        synthetic::sms(),
        synthetic::apparent_processing(),
    ]
}

/// Refuses keys that the schema has no word for: readers are to ignore them, for a later version
/// may add some, but this one must describe all that it writes.
fn without_others(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.contains_key("properties") && !map.contains_key("additionalProperties") {
                map.insert("additionalProperties".into(), false.into());
            }
            map.values_mut().for_each(without_others);
        }
        Value::Array(items) => items.iter_mut().for_each(without_others),
        _ => {}
    }
}

#[test]
fn the_findings_of_every_kind_of_study_are_as_their_schema_says() {
    let mut schema: Value = serde_json::from_str(&document("findings.schema.json")).unwrap();
    assert_eq!(schema["properties"]["schema"]["const"], SCHEMA);
    without_others(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for run in runs() {
        let findings = serde_json::to_value(Findings::of(&run)).unwrap();
        let wrong: BTreeSet<String> = validator
            .iter_errors(&findings)
            .map(|error| {
                let said: String = error.to_string().chars().take(300).collect();
                format!("{}: {said}", error.schema_path)
            })
            .collect();
        let some: Vec<_> = wrong.iter().take(12).collect();
        assert!(wrong.is_empty(), "{}: {some:#?}", run.study.name);
        // And the schema is one that can refuse.
        for (change, to) in [("run", json!(1)), ("seed", json!(1)), ("other", json!(1))] {
            let mut changed = findings.clone();
            changed[change] = to;
            assert!(!validator.is_valid(&changed), "{change}");
        }
        for gone in ["schema", "run", "machine", "study", "seed", "units", "cells"] {
            let mut without = findings.clone();
            without.as_object_mut().unwrap().remove(gone);
            assert!(!validator.is_valid(&without), "{gone}");
        }
    }
}

#[test]
fn json_begins_with_what_it_is_and_of_which_run() {
    let run = synthetic::hmac_vs_cmac();
    let text = serde_json::to_string(&Findings::of(&run)).unwrap();
    assert!(
        text.starts_with(&format!("{{\"schema\":{SCHEMA},\"run\":\"{}\"", run.id)),
        "{text:.99}"
    );
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told["seed"], run.seed.to_string());
    assert_eq!(told["machine"]["cpu_model"], run.machine.cpu_model.as_str());
}

/// Each file by its name in a report.
fn files(run: &Run) -> BTreeMap<&'static str, String> {
    let mut files = BTreeMap::new();
    let mut file = |name, write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        files.insert(name, String::from_utf8(bytes).unwrap());
    };
    file("samples.csv", &|out| csv::raw(run, out).unwrap());
    file("findings.csv", &|out| csv::findings(run, &Findings::of(run), out).unwrap());
    file("sessions.csv", &|out| csv::sessions::write(run, out).unwrap());
    files
}

#[test]
fn every_row_of_csv_says_of_which_run_it_is_and_every_column_is_described() {
    let text = document("formats.md");
    for run in [synthetic::hmac_vs_cmac(), synthetic::apparent_processing()] {
        for (name, file) in files(&run) {
            let from = text.find(&format!("### `{name}`")).expect(name);
            let section = &text[from..];
            let section = &section[..section[4..].find("\n##").map_or(section.len(), |at| at + 4)];
            let mut reader = ::csv::Reader::from_reader(file.as_bytes());
            let columns = reader.headers().unwrap().clone();
            let first = ["schema", "run", "study", "machine", "seed", "macrometer_version"];
            assert_eq!(columns.iter().take(6).collect::<Vec<_>>(), first);
            for column in columns.iter().skip(6) {
                assert!(section.contains(&format!("`{column}`")), "{name}: {column}");
            }
            for row in reader.records().take(100) {
                let row = row.unwrap();
                assert_eq!((&row[0], &row[1]), (&SCHEMA.to_string()[..], &run.id[..]));
                assert_eq!((&row[2], &row[4]), (&run.study.name[..], &run.seed.to_string()[..]));
                assert_eq!(row.len(), columns.len());
            }
        }
    }
    let described = text.lines().find(|it| it.starts_with("| `verdict` |")).unwrap();
    // Three blocks are too few for an interval, so that nothing can be concluded.
    let mut short = synthetic::hmac_vs_cmac();
    short.samples.retain(|it| it.launch == 0 && it.block < 3);
    let mut seen = BTreeSet::new();
    for run in runs().iter().chain([&short]) {
        let file = &files(run)["findings.csv"];
        let mut reader = ::csv::Reader::from_reader(file.as_bytes());
        let at = reader.headers().unwrap().iter().position(|it| it == "verdict").unwrap();
        seen.extend(reader.records().map(|row| row.unwrap()[at].to_owned()));
    }
    assert!(seen.contains("cannot-conclude"), "{seen:?}");
    for verdict in seen.iter().filter(|it| !it.is_empty()) {
        assert!(described.contains(&format!("`{verdict}`")), "{verdict}");
    }
    for (end, unit) in UNITS {
        assert!(text.contains(&format!("| `{end}` | {unit} |")), "{end}");
    }
}
