//! The tables of an archive, and what older ones lack.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::seal;
use super::sqlite_words::has_any;
use super::store::Result;

/// Marks the file as ours ("mtr1"); an archive of another generation has another number.
pub(super) const APPLICATION_ID: i32 = 0x6d74_7231;

/// Generation of the tables: one more whenever an older macrometer would misread them. Archives of
/// before it was told have 0.
pub(super) const VERSION: i32 = 1;

/// From this generation on every archive has checksums.
pub(super) const SEALED: i32 = 1;

const SCHEMA: &str = "
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        record TEXT NOT NULL,       -- JSON of Run without what the other tables hold
        chosen TEXT NOT NULL,       -- JSON, set when the pilot has chosen
        state TEXT NOT NULL,        -- open, interrupted, complete
        spent_s REAL NOT NULL
    ) STRICT;
    CREATE TABLE cell (
        run TEXT NOT NULL REFERENCES run(id),
        id INTEGER NOT NULL,
        path TEXT NOT NULL,         -- mac/provider/kernel/regime/key-life/len
        record TEXT NOT NULL,       -- JSON of CellRecord
        PRIMARY KEY (run, id)
    ) STRICT;
    CREATE TABLE sample (
        run TEXT NOT NULL REFERENCES run(id),
        cell INTEGER NOT NULL,
        launch INTEGER NOT NULL,
        block INTEGER NOT NULL,
        position INTEGER NOT NULL,
        iterations INTEGER NOT NULL,
        elapsed_ns REAL NOT NULL,
        ticks INTEGER,
        core_hz REAL,
        unix_s INTEGER              -- when it was begun
    ) STRICT;
    CREATE INDEX sample_of_run ON sample (run);
    CREATE TABLE single_calls (
        run TEXT NOT NULL REFERENCES run(id),
        cell INTEGER NOT NULL,
        counts TEXT NOT NULL,       -- JSON: [[time_ns, count], …]
        ticks TEXT,                 -- likewise in ticks, of calls made in turn
        PRIMARY KEY (run, cell)
    ) STRICT;
    CREATE TABLE event (
        run TEXT NOT NULL REFERENCES run(id),
        unix_s INTEGER NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL
    ) STRICT;
    CREATE TABLE scheme (
        run TEXT NOT NULL REFERENCES run(id),
        record TEXT NOT NULL        -- JSON of SchemeRecord
    ) STRICT;
    CREATE TABLE load (
        run TEXT NOT NULL REFERENCES run(id),
        record TEXT NOT NULL        -- JSON of SettledLoad
    ) STRICT;
    CREATE TABLE sessions (
        run TEXT NOT NULL REFERENCES run(id),
        record TEXT NOT NULL        -- JSON of SessionsRecord
    ) STRICT;
    CREATE INDEX sessions_of_run ON sessions (run);
    CREATE TABLE writer (
        run TEXT PRIMARY KEY REFERENCES run(id),
        token TEXT NOT NULL,        -- of one that has opened the archive
        record TEXT NOT NULL        -- JSON of Owner
    ) STRICT;
    CREATE TABLE seal (
        run TEXT NOT NULL,          -- empty: of all runs
        of TEXT NOT NULL,           -- a table, columns of the run, a block
        rows INTEGER NOT NULL,
        sum BLOB NOT NULL,
        PRIMARY KEY (run, of)
    ) STRICT;
    CREATE TABLE processor (
        run TEXT NOT NULL REFERENCES run(id),
        record TEXT NOT NULL        -- JSON of ProcessorTime
    ) STRICT;
    CREATE TABLE launch (
        run TEXT NOT NULL REFERENCES run(id),
        record TEXT NOT NULL        -- JSON of LaunchRecord
    ) STRICT;
";

/// Tables that were added to the first ones, oldest first, each with a column that it has.
const ADDED: [(&str, &str); 7] = [
    ("scheme", "record"),
    ("load", "record"),
    ("sessions", "record"),
    ("writer", "record"),
    ("seal", "sum"),
    ("processor", "record"),
    ("launch", "record"),
];

/// What keeps a block from being there twice.
const ONCE: &str = "sample_once";

/// How it is made, and how runs are left out of it.
const MAKES_ONCE: &str = "CREATE UNIQUE INDEX sample_once ON sample (run, cell, launch, block)";
const BUT: &str = " WHERE run NOT IN (";

/// Makes a new archive of an empty file, or brings an older one to these tables; one that has them
/// is left as it is. Of two processes that want it at once one does it, and the other waits.
pub(super) fn make_or_upgrade(store: &mut Connection) -> Result<()> {
    if is_made(store)? && is_whole(store)? {
        return Ok(());
    }
    let transaction = store.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let is_sealed = has(&transaction, "seal", "sum")?;
    if is_made(&transaction)? {
        upgrade(&transaction)?;
    } else {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    keep_blocks_once(&transaction)?;
    if !is_sealed {
        seal::all(&*transaction)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(transaction.commit()?)
}

fn is_made(store: &Connection) -> rusqlite::Result<bool> {
    store.query_row("SELECT count(*) > 0 FROM sqlite_master", [], |row| row.get(0))
}

fn is_whole(store: &Connection) -> rusqlite::Result<bool> {
    let mut tables = ADDED.iter().map(|(table, column)| has(store, table, column));
    let has_tables = tables.try_fold(true, |all, one| one.map(|one| all && one))?;
    let has_columns = has(store, "sample", "unix_s")? && has(store, "single_calls", "ticks")?;
    Ok(has_tables && has_columns && has_blocks_once(store)? && version(store)? == VERSION)
}

fn upgrade(store: &Connection) -> rusqlite::Result<()> {
    if !has(store, "sample", "unix_s")? {
        store.execute_batch("ALTER TABLE sample ADD COLUMN unix_s INTEGER")?;
    }
    if !has(store, "single_calls", "ticks")? {
        store.execute_batch("ALTER TABLE single_calls ADD COLUMN ticks TEXT")?;
    }
    for (table, column) in ADDED {
        if !has(store, table, column)? {
            store.execute_batch(making(table))?;
        }
    }
    Ok(())
}

/// What makes a table, and the indices that stand behind it.
fn making(table: &str) -> &'static str {
    let begins = format!("CREATE TABLE {table} (");
    let from = &SCHEMA[SCHEMA.find(&begins).unwrap_or(SCHEMA.len())..];
    let next = from.match_indices("CREATE TABLE").nth(1);
    &from[..next.map_or(from.len(), |(at, _)| at)]
}

/// An index that refuses a second sample of the same cell in the same block. Runs that have some
/// already are left out of it, by name, so that an older archive can still be written.
fn keep_blocks_once(store: &Connection) -> rusqlite::Result<()> {
    if has_blocks_once(store)? {
        return Ok(());
    }
    let doubled = "SELECT DISTINCT quote(run) FROM
                   (SELECT run FROM sample GROUP BY run, cell, launch, block HAVING count(*) > 1)";
    let doubled: rusqlite::Result<Vec<String>> =
        store.prepare(doubled)?.query_map([], |row| row.get(0))?.collect();
    let but = match &doubled?[..] {
        [] => String::new(),
        runs => format!("{BUT}{})", runs.join(", ")),
    };
    store.execute_batch(&format!("{MAKES_ONCE}{but}"))
}

/// Whether it is what [`keep_blocks_once`] makes where it leaves out runs.
fn leaves_out_runs(sql: &str) -> bool {
    let but = sql.strip_prefix(MAKES_ONCE).and_then(|it| it.strip_prefix(BUT));
    but.and_then(|it| it.strip_suffix(')')).is_some_and(are_texts)
}

/// Whether it is a list of texts and nothing else. A quote within one is doubled, as if one text
/// ended and the next began.
fn are_texts(list: &str) -> bool {
    let pieces: Vec<&str> = list.split('\'').collect();
    let mut outside = pieces.iter().step_by(2);
    !pieces.len().is_multiple_of(2) && outside.all(|it| it.is_empty() || *it == ", ")
}

fn has_blocks_once(store: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'index' AND name = ?1";
    store.query_row(sql, [ONCE], |row| row.get(0))
}

/// The generation of an archive's tables.
pub(super) fn version(store: &Connection) -> rusqlite::Result<i32> {
    store.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// What finds the names of other things than plain tables and their indices, each where those
/// before it found nothing. The first goes by how SQLite itself begins what it keeps, since whoever
/// writes a schema by hand may put a tab for a space; so the others, which ask SQLite what it made
/// of it, meet no module of a virtual table.
const STRANGE: [&str; 4] = [
    "SELECT name FROM sqlite_master WHERE NOT CASE type
         WHEN 'table' THEN coalesce(sql GLOB 'CREATE TABLE *', 0)
         WHEN 'index' THEN
             coalesce(sql GLOB 'CREATE INDEX *' OR sql GLOB 'CREATE UNIQUE INDEX *', 1)
         ELSE 0 END LIMIT 1",
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'table' LIMIT 1",
    // Columns that are hidden, or computed when they are read.
    "SELECT own.name FROM pragma_table_list AS own
     JOIN pragma_table_xinfo(own.name, 'main') AS columns
     WHERE own.schema = 'main' AND columns.hidden <> 0 LIMIT 1",
    // Indices of expressions, or of another order than that of bytes.
    "SELECT its.name FROM pragma_table_list AS own
     JOIN pragma_index_list(own.name, 'main') AS its
     JOIN pragma_index_xinfo(its.name, 'main') AS parts
     WHERE own.schema = 'main' AND parts.key AND (parts.cid = -2 OR parts.coll <> 'BINARY')
     LIMIT 1",
];

/// What is computed when a row is written, or when the file is checked: it can take for ever, and
/// macrometer makes nothing of the kind.
const COMPUTES: [&str; 4] = ["CHECK", "DEFAULT", "COLLATE", "WHERE"];

/// The name of a table or an index by whose own words something is computed.
fn computing(store: &Connection) -> rusqlite::Result<Option<String>> {
    let mut all = store.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        let sql: String = row.get(1)?;
        if has_any(&COMPUTES, &sql) && !leaves_out_runs(&sql) {
            return row.get::<_, String>(0).map(Some);
        }
    }
    Ok(None)
}

/// The name of something that is neither a plain table nor a plain index of one.
pub(super) fn strange(store: &Connection) -> rusqlite::Result<Option<String>> {
    for sql in STRANGE {
        let found = store.query_row(sql, [], |row| row.get(0)).optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    computing(store)
}

/// Whether there is such a column in such a table.
pub(super) fn has(store: &Connection, table: &str, column: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
    store.query_row(sql, [table, column], |row| row.get::<_, u32>(0)).map(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found strange after this was done to the tables of an archive.
    fn found(sql: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let mut store = Connection::open(&path).unwrap();
        make_or_upgrade(&mut store).unwrap();
        store.execute_batch(sql).unwrap();
        drop(store);
        strange(&Connection::open(&path).unwrap()).unwrap()
    }

    /// Those of a database are held to the same list, and what bundles say of them to these.
    #[test]
    fn the_columns_are_those_that_are_written_and_sealed() {
        let mut store = Connection::open_in_memory().unwrap();
        make_or_upgrade(&mut store).unwrap();
        for table in seal::TABLES {
            let mut columns = store.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
            let columns = columns.query_map([table.name], |row| row.get(0)).unwrap();
            let columns = columns.collect::<rusqlite::Result<Vec<String>>>().unwrap();
            let sealed: Vec<&str> = ["run"].into_iter().chain(table.columns()).collect();
            assert_eq!(columns, sealed, "{}", table.name);
        }
    }

    #[test]
    fn what_computes_is_found_in_tables_and_indices() {
        for sql in [
            "CREATE TABLE x (a CHECK (length(hex(zeroblob(150000000))) > 0))",
            "CREATE TABLE x (a, cHeCk(a > 0))",
            "CREATE TABLE x (a DEFAULT (1 + 1))",
            "CREATE TABLE x (a TEXT COLLATE NOCASE)",
            "CREATE TABLE x (a TEXT COLLATE/**/NOCASE)",
            "CREATE INDEX x ON sample (run) WHERE length(hex(zeroblob(15))) > 0",
            "CREATE INDEX x ON sample (length(run))",
            "CREATE INDEX x ON sample (run COLLATE NOCASE)",
        ] {
            assert_eq!(found(sql).as_deref(), Some("x"), "{sql}");
        }
        let once = |list: &str| found(&format!("DROP INDEX {ONCE}; {MAKES_ONCE}{BUT}{list})"));
        for list in ["'a'", "'a', 'it''s', ''''", "'check (x)'"] {
            assert_eq!(once(list), None, "{list}");
        }
        for list in ["'a', hex(zeroblob(9))", "'a' || 'b'", "'a') OR (run > ''"] {
            assert_eq!(once(list).as_deref(), Some(ONCE), "{list}");
        }
        let quoted = "CREATE TABLE x (\"check\" TEXT, [where] TEXT, `default` TEXT /* COLLATE */)";
        assert_eq!(found(quoted), None);
    }

    #[test]
    fn whatever_is_no_plain_table_is_found_however_it_is_written() {
        assert_eq!(found("ANALYZE; CREATE INDEX more ON run (state)"), None);
        let by_hand = |kind: &str, sql: &str| {
            found(&format!(
                "PRAGMA writable_schema = ON;
                 INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
                 VALUES ('{kind}', 'x', 'x', 0, '{sql}')"
            ))
        };
        let x = Some("x".to_owned());
        for sql in [
            "CREATE VIRTUAL TABLE x USING fts5(a)",
            "CREATE\tVIRTUAL TABLE x USING fts5(a)",
            "CREATE/**/VIRTUAL TABLE x USING no_such_module(a)",
            "create virtual table x using fts5(a)",
        ] {
            assert_eq!(by_hand("table", sql), x, "{sql}");
        }
        for sql in [
            "CREATE VIEW x AS SELECT 1",
            "CREATE TRIGGER x AFTER INSERT ON run BEGIN DELETE FROM run; END",
            "CREATE TABLE x (a, b AS (a + 1))",
            "CREATE TABLE x (a, b AS (a + 1) STORED)",
            "CREATE VIRTUAL TABLE x USING fts5(a)",
        ] {
            assert!(found(sql).is_some_and(|name| name.starts_with('x')), "{sql}");
        }
    }
}
