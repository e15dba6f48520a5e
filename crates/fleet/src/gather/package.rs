//! `datapackage.json` of a gathered store: its tables as a Data Package (version 2), for programs
//! that know nothing of macrometer.

use serde_json::{Value, json};

use super::tables::{Column, Kind, TABLES, Table};
use super::{Gathered, file, parquet};
use crate::bundle::licence_json;

/// Ends of names, and the unit that each says; the first that fits counts.
const UNITS: [(&str, &str); 6] = [
    ("mib_per_s", "MiB/s"),
    ("_ns", "ns"),
    ("_hz", "Hz"),
    ("_hz_estimated", "Hz"),
    ("_bytes", "B"),
    ("_s", "s"),
];

/// The column that leads from the other tables to the run.
const RUN_KEY: &str = "run_key";

fn resource(table: &Table, rows: u64, has_parquet: bool) -> Value {
    let (path, format, mediatype) = match has_parquet {
        true => (parquet(table.name), "parquet", "application/vnd.apache.parquet"),
        false => (file(table.name), "csv", "text/csv"),
    };
    let mut schema = json!({ "fields": table.columns.iter().map(field).collect::<Vec<_>>() });
    let has_key = table.columns.iter().any(|it| it.name == RUN_KEY);
    match table.name {
        "runs" => schema["primaryKey"] = json!([RUN_KEY]),
        _ if has_key => {
            let runs = json!({ "resource": "runs", "fields": [RUN_KEY] });
            schema["foreignKeys"] = json!([{ "fields": [RUN_KEY], "reference": runs }]);
        }
        _ => {}
    }
    json!({
        "name": table.name, "type": "table", "path": path, "format": format,
        "mediatype": mediatype, "description": format!("a row is {}", table.what),
        "rows": rows, "schema": schema,
    })
}

/// The description of a gathered store, of Parquet or of CSV files.
#[must_use]
pub fn package(gathered: &Gathered, has_parquet: bool, macrometer_version: &str) -> Value {
    let tables = TABLES.iter().zip(gathered.rows);
    let resources: Vec<Value> =
        tables.map(|(table, rows)| resource(table, rows, has_parquet)).collect();
    let licences = gathered.licences.iter().map(|it| licence_json(it)).collect::<Vec<_>>();
    let mut package = json!({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "macrometer-fleet",
        "title": "Message authentication codes measured on many machines",
        "description": "A store of macrometer's bundles as tables; docs/fleet.md describes them.",
        "resources": resources,
        "macrometer_version": macrometer_version,
    });
    // Of bundles under several licences each keeps its own.
    if !licences.is_empty() {
        package["licenses"] = json!(licences);
    }
    package
}

fn field(column: &Column) -> Value {
    let kind = match column.kind {
        Kind::Number => "number",
        Kind::Whole => "integer",
        Kind::Flag => "boolean",
        Kind::Text => "string",
    };
    let mut field = json!({ "name": column.name, "type": kind, "description": column.what });
    if let Some((_, unit)) = UNITS.iter().find(|(end, _)| column.name.ends_with(end)) {
        field["unit"] = json!(unit);
    }
    field
}
