//! `datapackage.json`: the tables of the archive as a Data Package (version 2), so that programs
//! that know nothing of macrometer find columns, types, units and licence.

use lab::record::Run;
use serde_json::{Value, json};

use super::{ABOUT, ARCHIVE, About, DOCTOR, PACK, PROVENANCE, SELFTEST};

/// A table of the archive: name, what it holds, columns.
type Table = (&'static str, &'static str, &'static [Column]);

/// A column: name, type of Table Schema, unit (empty: none), what it holds.
type Column = (&'static str, &'static str, &'static str, &'static str);

const RUN: Column = ("run", "string", "", "name of the run");

const RECORD: Column = ("record", "string", "", "JSON, described in docs/formats.md");

const TABLES: &[Table] = &[
    (
        "run",
        "the run: its conditions, one row",
        &[
            ("id", "string", "", "name of the run"),
            ("record", "string", "", "JSON: study, machine, clock, seed, providers, command"),
            ("chosen", "string", "", "JSON: which provider speaks for a MAC"),
            ("state", "string", "", "open, interrupted or complete"),
            ("spent_s", "number", "s", "time spent on measuring"),
        ],
    ),
    (
        "cell",
        "what was measured: a MAC of a provider, by one code path, key life, regime and length",
        &[
            RUN,
            ("id", "integer", "", "number of the cell; samples refer to it"),
            ("path", "string", "", "mac/provider/kernel/regime/key-life/len"),
            ("record", "string", "", "JSON: the cell, its calls per sample, why it is excluded"),
        ],
    ),
    (
        "sample",
        "every raw sample, in the order of measuring",
        &[
            RUN,
            ("cell", "integer", "", "number of the cell"),
            ("launch", "integer", "", "number of the launch of the workers, from 0"),
            ("block", "integer", "", "number of the block: one sample of each cell compared"),
            ("position", "integer", "", "position within the block"),
            ("iterations", "integer", "", "calls timed together"),
            ("elapsed_ns", "number", "ns", "time of all these calls"),
            ("ticks", "integer", "", "the same time in ticks of the time-stamp counter"),
            ("core_hz", "number", "Hz", "core clock estimated next to the sample"),
            ("unix_s", "integer", "s", "when it began, since 1970-01-01T00:00:00Z"),
        ],
    ),
    (
        "single_calls",
        "calls timed one by one, as histograms",
        &[
            RUN,
            ("cell", "integer", "", "number of the cell"),
            ("counts", "string", "", "JSON: pairs of nanoseconds and how often"),
            ("ticks", "string", "", "JSON: the same in ticks"),
        ],
    ),
    (
        "event",
        "what happened to the run",
        &[
            RUN,
            ("unix_s", "integer", "s", "when, since 1970-01-01T00:00:00Z"),
            ("kind", "string", "", "what it is about"),
            ("text", "string", "", "one line"),
        ],
    ),
    ("scheme", "schemes of the test bed of segments", &[RUN, RECORD]),
    ("load", "numbers of sessions and windows that were settled", &[RUN, RECORD]),
    ("sessions", "windows of sessions", &[RUN, RECORD]),
    ("processor", "who had the processor, launch by launch", &[RUN, RECORD]),
    ("launch", "what each launch was for", &[RUN, RECORD]),
    (
        "seal",
        "checksums of the other tables",
        &[
            ("run", "string", "", "name of the run; empty: the list of runs"),
            ("of", "string", "", "a table, columns of the run, or one block of samples"),
            ("rows", "integer", "", "rows that are summed"),
            ("sum", "any", "", "16 bytes"),
        ],
    ),
];

/// The small files beside the archive.
const DOCUMENTS: [(&str, &str); 5] = [
    (ABOUT, "what the bundle is: study, machine, host, run"),
    (DOCTOR, "the state of the machine, and what two identical candidates were found to be"),
    (PACK, "the study with its options and seed: `macrometer run pack.json` measures it"),
    (PROVENANCE, "program, command, machine, clock and providers"),
    (SELFTEST, "the test vectors that every provider passed"),
];

fn document(path: &str, what: &str) -> Value {
    json!({
        "name": path.trim_end_matches(".json"), "path": path, "format": "json",
        "mediatype": "application/json", "encoding": "utf-8", "description": what,
    })
}

/// The description of a bundle.
pub(super) fn of(run: &Run, about: &About, licence: &str, authors: &[String]) -> Value {
    let tables = TABLES.iter().map(resource);
    let documents = DOCUMENTS.iter().map(|(path, what)| document(path, what));
    let mut package = json!({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": format!("macrometer-{}", run.id.to_lowercase()),
        "title": format!("{}: run {}", run.study.title, run.id),
        "description": run.study.summary,
        "created": report::format::date_rfc3339(run.created_unix_s),
        "version": run.macrometer_version,
        "licenses": [licence_json(licence)],
        "resources": tables.chain(documents).collect::<Vec<_>>(),
        "study_id": about.study_id,
        "machine_id": about.machine_id,
    });
    if let Some(source) = &run.study.source {
        package["sources"] = json!([{ "title": source }]);
    }
    if !authors.is_empty() {
        let contributor = |author: &String| json!({ "title": author, "roles": ["creator"] });
        package["contributors"] = authors.iter().map(contributor).collect();
    }
    package
}

fn resource((table, what, columns): &Table) -> Value {
    let field = |(name, kind, unit, what): &Column| {
        let mut field = json!({ "name": name, "type": kind, "description": what });
        if !unit.is_empty() {
            field["unit"] = json!(unit);
        }
        field
    };
    json!({
        "name": table,
        "type": "table",
        "path": ARCHIVE,
        "format": "sqlite",
        "mediatype": "application/vnd.sqlite3",
        "description": what,
        "dialect": { "table": table },
        "schema": { "fields": columns.iter().map(field).collect::<Vec<_>>() },
    })
}

/// A licence as a description has it.
pub fn licence_json(spdx: &str) -> Value {
    json!({ "name": spdx, "path": format!("https://spdx.org/licenses/{spdx}.html") })
}

/// Whether it may be the identifier of a licence: `CC-BY-4.0`.
#[must_use]
pub fn is_licence(spdx: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '+');
    !spdx.is_empty() && spdx.len() <= 64 && spdx.chars().all(is_plain)
}

/// The licences of a description that are identifiers.
pub(super) fn licences(package: &Value) -> Vec<String> {
    let all = package["licenses"].as_array().into_iter().flatten();
    let named = all.filter_map(|it| it["name"].as_str()).filter(|it| is_licence(it));
    named.map(str::to_owned).collect()
}

/// The paths of all resources of a description.
pub(super) fn paths(package: &Value) -> Vec<String> {
    let resources = package["resources"].as_array();
    let paths = resources.into_iter().flatten().flat_map(|resource| match &resource["path"] {
        Value::Array(several) => several.clone(),
        one => vec![one.clone()],
    });
    // Whatever is no text is no file either.
    paths.map(|path| path.as_str().map_or_else(|| path.to_string(), str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use lab::archive::Archive;

    use super::*;

    #[test]
    fn every_column_of_an_archive_is_described_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        drop(Archive::create(&path).unwrap());
        let store = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'writer'";
        let mut tables = store.prepare(sql).unwrap();
        let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let mut tables: Vec<String> = tables.map(Result::unwrap).collect();
        tables.sort();
        let mut described: Vec<&str> = TABLES.iter().map(|table| table.0).collect();
        described.sort_unstable();
        assert_eq!(tables, described);
        for (table, _, columns) in TABLES {
            let sql = format!("SELECT name FROM pragma_table_info('{table}')");
            let mut own = store.prepare(&sql).unwrap();
            let own = own.query_map([], |row| row.get::<_, String>(0)).unwrap();
            let own: Vec<String> = own.map(Result::unwrap).collect();
            assert_eq!(own, columns.iter().map(|column| column.0).collect::<Vec<_>>(), "{table}");
        }
    }

    #[test]
    fn paths_are_those_of_all_resources_whatever_they_are() {
        let told =
            json!({ "resources": [{ "path": "a" }, { "path": ["b", "../c"] }, { "path": 7 }, {}] });
        assert_eq!(paths(&told), ["a", "b", "../c", "7", "null"]);
        assert!(paths(&json!({})).is_empty());
    }
}
