//! SQL for DuckDB: the tables with what their columns mean, read from the CSV files beside it, the
//! views, and Parquet files. It names files of its own folder only, and loads no extension.

use std::fmt::Write;

use super::file;
use super::tables::{Column, TABLES, Table};

/// The views, in an order in which each knows those it needs.
pub const VIEWS: &str = include_str!("views.sql");

/// Folder of what DuckDB has no memory for.
pub const SPILT: &str = "spilt";

/// The name of a table's Parquet file.
#[must_use]
pub fn parquet(table: &str) -> String {
    format!("{table}.parquet")
}

/// What DuckDB is told, in the folder of the CSV files. In the end it prints how many rows every
/// table has, one a line.
#[must_use]
pub fn script(has_parquet: bool) -> String {
    // Memory beyond this goes into the folder too; extensions would come from a network.
    let mut sql = "SET autoinstall_known_extensions = false;\n\
                   SET autoload_known_extensions = false;\n\
                   SET memory_limit = '1GB';\n"
        .to_owned();
    let _ = writeln!(sql, "SET temp_directory = '{SPILT}';");
    for table in &TABLES {
        sql += &filled(table);
    }
    sql += VIEWS;
    for table in TABLES.iter().filter(|_| has_parquet) {
        let (name, file) = (table.name, parquet(table.name));
        let _ = writeln!(sql, "COPY {name} TO '{file}' (FORMAT parquet, COMPRESSION zstd);");
    }
    sql += "CHECKPOINT;\n";
    for table in &TABLES {
        let _ = writeln!(sql, "SELECT count(*) FROM {};", table.name);
    }
    sql
}

/// A table with the rows of its file, and what it and its columns are.
fn filled(table: &Table) -> String {
    let name = table.name;
    let column = |it: &Column| format!("\"{}\" {}", it.name, it.kind.sql());
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    let mut sql = format!("CREATE TABLE {name} ({});\n", columns.join(", "));
    let _ = writeln!(
        sql,
        "COPY {name} FROM '{}' (FORMAT csv, HEADER true, AUTO_DETECT false, DELIMITER ',', QUOTE \
         '\"', ESCAPE '\"', NULLSTR '');",
        file(name)
    );
    let _ = writeln!(sql, "COMMENT ON TABLE {name} IS {};", quoted(table.what));
    for column in table.columns {
        let (own, what) = (column.name, quoted(column.what));
        let _ = writeln!(sql, "COMMENT ON COLUMN {name}.\"{own}\" IS {what};");
    }
    sql
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
