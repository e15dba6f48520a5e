//! An archive in a database of PostgreSQL: the tables of a file, in the schema `macrometer`, with
//! the same statements and the same checksums. Many processes write at once, each its own runs.

pub mod address;
mod driver_words;
mod link;
pub mod password;
mod qualified;
mod strange;
mod tables;
mod values;

use std::cell::Cell;

use rusqlite::types::{Value, ValueRef};

use super::seal::{TABLES, row};
use super::store::{Access, Fault, Result as Done, Row, Store};
use super::{Archive, ArchiveError, Held, Place, StoreError, unsent};
use address::Address;
use link::Link;
use tables::Found;

/// Rows that are added by one statement; each may have a dozen values, and a statement 65535.
const ROWS_AT_ONCE: usize = 500;

/// Columns with text of any length.
const TEXTS: [&str; 5] = ["path", "record", "counts", "kind", "text"];

/// Longest record: those of long runs have some megabytes.
const RECORD_BYTES_MAX: i64 = 1 << 28;

/// Why anything else in the schema is refused.
const STRANGE: &str = "the schema of an archive has its own plain tables only, and nothing that \
                       runs code when they are read or written (views and functions can be in \
                       another schema)";

/// An open database.
#[derive(Debug)]
pub(super) struct OnServer {
    address: Address,
    link: Link,
    is_within: Cell<bool>,
}

impl Archive {
    /// Opens the archive of a database for measuring, and makes it where there is none.
    pub(super) fn create_on_server(address: &Address) -> Result<Self, ArchiveError> {
        let server = OnServer::connect(address)?;
        tables::make(&server.link).map_err(|fault| server.explain(&fault))?;
        server.checked(Access::Write)
    }

    /// Opens one that must be there.
    pub(super) fn open_on_server(address: &Address, access: Access) -> Result<Self, ArchiveError> {
        OnServer::connect(address)?.checked(access)
    }
}

impl OnServer {
    fn connect(address: &Address) -> Result<Self, ArchiveError> {
        let failed = |error: StoreError| ArchiveError::Store {
            place: Place::Server(Box::new(address.clone())),
            error,
        };
        let link = Link::connect(address.config())
            .map_err(|fault| failed(StoreError::Said(address.blanked(&unreachable(&fault)))))?;
        let server = Self { address: address.clone(), link, is_within: Cell::new(false) };
        let session = server.link.batch(tables::SESSION).and_then(|()| {
            let sql = "SELECT CAST(current_setting('server_version_num') AS BIGINT)";
            (&server as &dyn Store).one(sql, &[], |row| row.get::<i64>(0))
        });
        match session.map_err(|fault| server.explain(&fault))? {
            version if version >= tables::SERVER_MIN => Ok(server),
            version => Err(failed(StoreError::OldServer {
                version: version / 10_000,
                version_min: tables::SERVER_MIN / 10_000,
            })),
        }
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    fn place(&self) -> Place {
        Place::Server(Box::new(self.address.clone()))
    }

    fn explain(&self, fault: &Fault) -> ArchiveError {
        super::explain(&self.place(), fault)
    }

    /// What is there is an archive that this version knows, and does nothing by itself.
    fn checked(self, access: Access) -> Result<Archive, ArchiveError> {
        let place = self.place();
        match tables::look(&self.link).map_err(|fault| self.explain(&fault))? {
            Found::Nothing { .. } => return Err(ArchiveError::Absent(place)),
            Found::Other => return Err(ArchiveError::Foreign(place)),
            Found::Version(version, _) if version > tables::VERSION => {
                let version = i32::try_from(version).unwrap_or(i32::MAX);
                return Err(ArchiveError::Newer { place, version });
            }
            Found::Version(_, strange) => {
                if let Some(first) = strange.first() {
                    let error = format!("{:?} {}: {STRANGE}", first.of, first.what);
                    return Err(ArchiveError::Damaged { place, what: "its schema".into(), error });
                }
            }
        }
        if access == Access::Read {
            let only = self.link.batch("SET default_transaction_read_only = on");
            only.map_err(|fault| self.explain(&fault))?;
        }
        let told = unsent::waiting(&place);
        Ok(Archive::of(Held::Server(Box::new(self)), told))
    }

    /// Whether it cannot be asked any more.
    pub(super) fn is_lost(&self) -> bool {
        self.link.is_lost()
    }

    /// Keeps a text beside a run, in the place of what was there.
    pub(super) fn keep_beside(&self, run: &str, text: &str) -> Done<()> {
        let sql = "INSERT INTO bundle (run, record) VALUES (?1, ?2)
                   ON CONFLICT (run) DO UPDATE SET record = excluded.record";
        self.link.execute(sql, row![run.to_owned(), text.to_owned()]).map(|_| ())
    }

    /// What is kept beside a run.
    pub(super) fn beside(&self, run: &str) -> Done<Option<String>> {
        let sql = "SELECT record FROM bundle WHERE run = ?1";
        (self as &dyn Store).row(sql, &row![run.to_owned()], |row| row.get::<String>(0))
    }

    /// Something of a run that is longer than anything that is kept of one, in words.
    pub(super) fn excess(&self, run: &str) -> Done<Option<String>> {
        let long = |table: &str, key: &str, column: &str| {
            format!(
                "SELECT '{column} of {table}' FROM {table}
                 WHERE {key} = ?1 AND octet_length({column}) > ?2"
            )
        };
        let texts = TABLES.iter().flat_map(|table| {
            let texts = table.columns().filter(|it| TEXTS.contains(it));
            texts.map(|column| long(table.name, "run", column))
        });
        let own = ["record", "chosen"].map(|column| long("run", "id", column));
        let own = own.into_iter().chain([long("bundle", "run", "record")]);
        let sql = texts.chain(own).collect::<Vec<_>>().join(" UNION ALL ") + " LIMIT 1";
        let values = row![run.to_owned(), RECORD_BYTES_MAX];
        let found = (self as &dyn Store).row(&sql, &values, |row| row.get::<String>(0))?;
        Ok(found.map(|what| format!("{what} has more than {RECORD_BYTES_MAX} bytes")))
    }
}

/// Why there is no connection, and what can be done.
fn unreachable(fault: &Fault) -> String {
    match fault {
        Fault::Server(error) if driver_words::asks_for_password(error) => {
            "the server asks for a password, and there is none in PGPASSWORD or ~/.pgpass".into()
        }
        // What is refused before there is a session: no such user, a wrong password, or none.
        _ if fault.class() == Some("28") => {
            format!("{fault} (passwords come from PGPASSWORD or ~/.pgpass)")
        }
        _ if fault.class().is_some() => fault.to_string(),
        _ => format!("cannot be reached: {fault}"),
    }
}

impl Store for OnServer {
    fn execute(&self, sql: &str, values: &[Value]) -> Done<u64> {
        self.link.execute(sql, values.to_vec())
    }

    /// `read` must not ask the same server: it would wait for itself.
    fn each(
        &self,
        sql: &str,
        values: &[Value],
        read: &mut dyn FnMut(&Row<'_>) -> Done<()>,
    ) -> Done<()> {
        self.link.each(sql, values.to_vec(), |row| {
            let row: Vec<ValueRef<'_>> = row.iter().map(ValueRef::from).collect();
            read(&Row(&row))
        })
    }

    fn insert(&self, table: &str, columns: &str, run: &str, rows: &[Vec<Value>]) -> Done<()> {
        let width = columns.split(", ").count();
        for rows in rows.chunks(ROWS_AT_ONCE) {
            let mut values = row![run.to_owned()];
            let mut places = Vec::new();
            for row in rows {
                let first = values.len() + 1;
                let own: String = (first..first + width).map(|at| format!(", ?{at}")).collect();
                places.push(format!("(?1{own})"));
                values.extend(row.iter().cloned());
            }
            let places = places.join(", ");
            let sql = format!("INSERT INTO {table} (run, {columns}) VALUES {places}");
            self.link.execute(&sql, values)?;
        }
        Ok(())
    }

    fn begin(&self, what: Access) -> Done<()> {
        self.link.batch(match what {
            Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Access::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        })?;
        self.is_within.set(true);
        Ok(())
    }

    fn commit(&self) -> Done<()> {
        self.link.batch("COMMIT")?;
        self.is_within.set(false);
        Ok(())
    }

    fn roll_back(&self) {
        let _ = self.link.batch("ROLLBACK");
        self.is_within.set(false);
    }

    fn is_within(&self) -> bool {
        self.is_within.get()
    }

    /// There are no older ones.
    fn has(&self, _table: &str, _column: &str) -> Done<bool> {
        Ok(true)
    }

    fn hold_list_of_runs(&self) -> Done<()> {
        let values = vec![Value::Integer(tables::LIST_OF_RUNS)];
        self.link.execute("SELECT pg_advisory_xact_lock(?1)", values).map(|_| ())
    }

    fn hold_writer(&self, run: &str) -> Done<()> {
        let sql = "SELECT pg_advisory_xact_lock(hashtextextended(?1, ?2))";
        self.link.execute(sql, row![run.to_owned(), tables::LIST_OF_RUNS]).map(|_| ())
    }

    fn keep_writer(&self, run: &str, token: &str, record: String) -> Done<()> {
        let sql = "INSERT INTO writer (run, token, record, step) VALUES (?1, ?2, ?3, 0)
                   ON CONFLICT (run) DO UPDATE
                   SET token = excluded.token, record = excluded.record, step = 0";
        self.link.execute(sql, row![run.to_owned(), token.to_owned(), record]).map(|_| ())
    }

    /// The row is held until the transaction ends: nobody takes the run over in between. By the
    /// step it is known later whether a transaction was kept of whose end nothing was heard.
    fn is_writer(&self, run: &str, token: &str, step: i64) -> Done<bool> {
        let sql = "UPDATE writer SET step = ?3 WHERE run = ?1 AND token = ?2";
        let values = row![run.to_owned(), token.to_owned(), step];
        Ok(self.link.execute(sql, values)? > 0)
    }

    fn table_sizes(&self) -> Done<Vec<(String, i64)>> {
        let sql = "SELECT CAST(c.relname AS TEXT), pg_total_relation_size(c.oid) FROM pg_class c
                   JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname = 'macrometer' AND c.relkind = 'r'";
        (self as &dyn Store).rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
