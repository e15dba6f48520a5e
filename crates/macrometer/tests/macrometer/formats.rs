//! What is described for other programs is what a run leaves: the tables of its archive, and its
//! findings as the command writes them.

use serde_json::Value;

use crate::bench::Bench;

fn document(name: &str) -> String {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    std::fs::read_to_string(format!("{docs}{name}")).unwrap()
}

#[test]
fn every_column_of_every_table_of_an_archive_is_described() {
    let bench = Bench::new();
    drop(lab::archive::Archive::create(&bench.path("a.db")).unwrap());
    let store = rusqlite::Connection::open(bench.path("a.db")).unwrap();
    let text = document("formats.md");
    let (_, text) = text.split_once("\n## The archive\n").unwrap();
    let version: i32 = store.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert!(text.contains(&format!("`user_version` {version}")));
    let id: i32 = store.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
    assert!(text.contains(&format!("`{id:#x}`")));
    let sql = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
               WHERE m.type = 'table'";
    let mut select = store.prepare(sql).unwrap();
    let columns = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let columns: Vec<(String, String)> = columns.map(Result::unwrap).collect();
    assert!(columns.len() > 40);
    for (table, column) in columns {
        let is_its = |line: &&str| {
            line.split('|').nth(1).is_some_and(|tables| tables.contains(&format!("`{table}`")))
        };
        let row = text.lines().find(is_its).unwrap_or_else(|| panic!("{table}"));
        assert!(row.contains(&format!("`{column}`")), "{table}.{column}: {row}");
    }
}

#[test]
fn a_run_leaves_its_page_alone_and_its_findings_are_as_their_schema_says() {
    let bench = Bench::new();
    let run = ["run", "--provider", "macs", "--mac", "hmac-sha256,cmac-aes-128", "--size", "64,1k"];
    bench.right(&[&run[..], &["--budget", "2", "--cpu", "none"]].concat());
    let schema: Value = serde_json::from_str(&document("findings.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let told: Value = serde_json::from_str(&bench.right(&["report", "--format", "json"])).unwrap();
    let wrong: Vec<String> = validator.iter_errors(&told).map(|it| it.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let folder = bench.path("macrometer/reports").join(told["run"].as_str().unwrap());
    let names = || {
        let entries = std::fs::read_dir(&folder).unwrap();
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["report.html"]);
    bench.right(&["report", "--format", "files"]);
    for ending in [".svg", "samples.csv", "findings.csv", "findings.json"] {
        assert!(names().iter().any(|name| name.ends_with(ending)), "{ending}");
    }
    assert_eq!(names().iter().any(|name| name.ends_with(".png")), cfg!(feature = "png"));
}
