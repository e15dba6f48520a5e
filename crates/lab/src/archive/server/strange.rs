//! What may be in the schema of an archive, and what not. The database may be somebody else's, and
//! its owner's functions would run with the rights of whoever reads or writes: so there are tables
//! of exactly our columns, and nothing that runs code.

use std::collections::BTreeMap;

use postgres::types::Type;
use rusqlite::types::Value;

use super::link::Link;
use crate::archive::store::Result;

/// Something that is not ours.
pub(super) struct Strange {
    /// The table that it belongs to, or its own name.
    pub(super) of: String,
    /// What it is.
    pub(super) what: String,
}

/// Most that is told of at once; the table with the generation comes first, which is read before
/// the others.
const FOUND_MAX: usize = 20;

/// Most columns that are looked at: ours are a few dozen.
const COLUMNS_MAX: usize = 1000;

/// Whatever runs something when a row is read or written, or when a name is looked up.
const RUNS_CODE: &str = "
    WITH ns AS (SELECT oid FROM pg_namespace WHERE nspname = 'macrometer'),
    rel AS (SELECT * FROM pg_class WHERE relnamespace IN (SELECT oid FROM ns)),
    kind AS (SELECT * FROM pg_type WHERE typnamespace IN (SELECT oid FROM ns)),
    own AS (SELECT oid FROM kind WHERE typtype = 'c' AND typrelid IN (SELECT oid FROM rel)),
    found (name, what) AS (
        SELECT relname, 'is no plain table' FROM rel
        WHERE relkind NOT IN ('r', 'i', 'S') OR relispartition OR reloftype <> 0
        UNION ALL SELECT relname, 'has row security' FROM rel WHERE relrowsecurity
        UNION ALL SELECT relname, 'has a rule' FROM rel
        WHERE oid IN (SELECT ev_class FROM pg_rewrite)
        UNION ALL SELECT relname, 'has a trigger' FROM rel
        WHERE oid IN (SELECT tgrelid FROM pg_trigger WHERE NOT tgisinternal)
        UNION ALL SELECT relname, 'inherits or is inherited' FROM rel
        WHERE oid IN (SELECT inhrelid FROM pg_inherits)
           OR oid IN (SELECT inhparent FROM pg_inherits)
        UNION ALL SELECT relname, 'has a default or a generated column' FROM rel
        WHERE oid IN (SELECT adrelid FROM pg_attrdef)
        UNION ALL SELECT rel.relname, 'has a constraint ' || k.conname FROM pg_constraint k
        JOIN rel ON rel.oid IN (k.conrelid, k.confrelid)
        WHERE k.contype NOT IN ('p', 'u', 'f', 'n')
           OR k.conrelid NOT IN (SELECT oid FROM rel)
           OR (k.contype = 'f' AND k.confrelid NOT IN (SELECT oid FROM rel))
        UNION ALL SELECT rel.relname, 'is an index of expressions, of a part, or of other classes'
        FROM pg_index i JOIN rel ON rel.oid = i.indexrelid
        WHERE i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
           OR EXISTS (SELECT 1 FROM pg_opclass o WHERE o.oid = ANY (i.indclass)
                      AND o.opcnamespace <> CAST('pg_catalog' AS regnamespace))
        UNION ALL SELECT proname, 'is a function' FROM pg_proc
        WHERE pronamespace IN (SELECT oid FROM ns)
        UNION ALL SELECT oprname, 'is an operator' FROM pg_operator
        WHERE oprnamespace IN (SELECT oid FROM ns)
        UNION ALL SELECT opcname, 'is a class of operators' FROM pg_opclass
        WHERE opcnamespace IN (SELECT oid FROM ns)
        UNION ALL SELECT collname, 'is a collation' FROM pg_collation
        WHERE collnamespace IN (SELECT oid FROM ns)
        UNION ALL SELECT conname, 'is a conversion' FROM pg_conversion
        WHERE connamespace IN (SELECT oid FROM ns)
        UNION ALL SELECT typname, 'is a type' FROM kind
        WHERE oid NOT IN (SELECT oid FROM own)
          AND NOT (typtype = 'b' AND typelem IN (SELECT oid FROM own))
        UNION ALL SELECT kind.typname, 'has a cast' FROM pg_cast c
        JOIN kind ON kind.oid IN (c.castsource, c.casttarget)
    )
    SELECT CAST(name AS TEXT), CAST(what AS TEXT) FROM found
    ORDER BY name <> 'archive'";

const COLUMNS: &str = "
    SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT), CAST(a.atttypid AS BIGINT),
           CAST(a.attidentity AS TEXT), a.attcollation = t.typcollation
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relnamespace = CAST('macrometer' AS regnamespace) AND c.relkind = 'r'
    ORDER BY c.relname <> 'archive', c.relname, a.attnum";

/// A column as it must be: its name, and the number of its type.
type Column = (String, i64);

/// The columns of every table, in their order.
pub(super) type Columns = BTreeMap<String, Vec<Column>>;

/// Whatever is in the schema and is not `own`, of whose columns those called `number` are numbered
/// by the server.
pub(super) fn all(link: &Link, own: &Columns, number: &str) -> Result<Vec<Strange>> {
    let mut all = Vec::new();
    link.each(&format!("{RUNS_CODE} LIMIT {FOUND_MAX}"), vec![], |row| {
        if let [Value::Text(of), Value::Text(what)] = row {
            all.push(Strange { of: of.clone(), what: what.clone() });
        }
        Ok(())
    })?;
    all.extend(other_tables(link, own, number)?);
    Ok(all)
}

fn other_tables(link: &Link, own: &Columns, number: &str) -> Result<Vec<Strange>> {
    let mut found = Columns::new();
    link.each(&format!("{COLUMNS} LIMIT {COLUMNS_MAX}"), vec![], |row| {
        let [Value::Text(table), Value::Text(column), Value::Integer(kind), identity, collation] =
            row
        else {
            return Ok(());
        };
        let is_numbered = *identity == Value::Text("d".into());
        let is_plain = is_numbered || *identity == Value::Text(String::new());
        let is_own = is_plain && *collation == Value::Integer(1);
        let is_own = is_own && is_numbered == (column == number);
        // No type has the number 0.
        let kind = if is_own { *kind } else { 0 };
        found.entry(table.clone()).or_default().push((column.clone(), kind));
        Ok(())
    })?;
    let strange = |of: &str, what: &str| Strange { of: of.to_owned(), what: what.to_owned() };
    let others = found.iter().filter_map(|(table, columns)| match own.get(table) {
        None => Some(strange(table, "is no table of an archive")),
        Some(own) if own != columns => Some(strange(table, "has other columns than it must have")),
        Some(_) => None,
    });
    let missing = own.keys().filter(|table| !found.contains_key(*table));
    Ok(others.chain(missing.map(|table| strange(table, "is missing"))).collect())
}

/// The number of a type, by its word in the statements that make the tables.
pub(super) fn type_of(word: &str) -> Option<i64> {
    let kind = match word {
        "TEXT" => Type::TEXT,
        "BIGINT" => Type::INT8,
        "DOUBLE" => Type::FLOAT8,
        "BYTEA" => Type::BYTEA,
        _ => return None,
    };
    Some(kind.oid().into())
}
