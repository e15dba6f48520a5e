//! The tables of an archive, and what older ones lack.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::seal;
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
        runs => format!(" WHERE run NOT IN ({})", runs.join(", ")),
    };
    let what = format!("{ONCE} ON sample (run, cell, launch, block)");
    store.execute_batch(&format!("CREATE UNIQUE INDEX {what}{but}"))
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
const STRANGE: [&str; 3] = [
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
];

/// The name of something that is neither a plain table nor an index of one.
pub(super) fn strange(store: &Connection) -> rusqlite::Result<Option<String>> {
    for sql in STRANGE {
        let found = store.query_row(sql, [], |row| row.get(0)).optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
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
