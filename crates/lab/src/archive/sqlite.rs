//! An archive's tables in a file, by SQLite.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};

use super::schema;
use super::store::{Access, Result, Row, Store};

/// More columns than any table has.
const COLUMNS_MAX: usize = 16;

impl Store for Connection {
    fn execute(&self, sql: &str, values: &[Value]) -> Result<u64> {
        Ok(self.prepare_cached(sql)?.execute(params_from_iter(values))? as u64)
    }

    fn each(
        &self,
        sql: &str,
        values: &[Value],
        read: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut select = self.prepare_cached(sql)?;
        let width = select.column_count().min(COLUMNS_MAX);
        let mut rows = select.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let mut found = [ValueRef::Null; COLUMNS_MAX];
            for (at, value) in found[..width].iter_mut().enumerate() {
                *value = row.get_ref(at)?;
            }
            read(&Row(&found[..width]))?;
        }
        Ok(())
    }

    fn insert(&self, table: &str, columns: &str, run: &str, rows: &[Vec<Value>]) -> Result<()> {
        let width = columns.split(", ").count();
        let places: String = (0..width).map(|at| format!(", ?{}", at + 2)).collect();
        let sql = format!("INSERT INTO {table} (run, {columns}) VALUES (?1{places})");
        let mut insert = self.prepare_cached(&sql)?;
        let run = Value::from(run.to_owned());
        for row in rows {
            insert.execute(params_from_iter(std::iter::once(&run).chain(row)))?;
        }
        Ok(())
    }

    fn begin(&self, what: Access) -> Result<()> {
        // What is sealed is read before it is written: nobody may write in between.
        let sql = match what {
            Access::Read => "BEGIN",
            Access::Write => "BEGIN IMMEDIATE",
        };
        Ok(self.execute_batch(sql)?)
    }

    fn commit(&self) -> Result<()> {
        Ok(self.execute_batch("COMMIT")?)
    }

    fn roll_back(&self) {
        // SQLite has done so by itself after some errors.
        if !self.is_autocommit() {
            let _ = self.execute_batch("ROLLBACK");
        }
    }

    fn is_within(&self) -> bool {
        !self.is_autocommit()
    }

    fn has(&self, table: &str, column: &str) -> Result<bool> {
        Ok(schema::has(self, table, column)?)
    }

    /// A transaction that writes is the only one.
    fn hold_list_of_runs(&self) -> Result<()> {
        Ok(())
    }

    fn hold_writer(&self, _run: &str) -> Result<()> {
        Ok(())
    }

    fn keep_writer(&self, run: &str, token: &str, record: String) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO writer (run, token, record) VALUES (?1, ?2, ?3)";
        self.prepare_cached(sql)?.execute([run, token, &record])?;
        Ok(())
    }

    fn is_writer(&self, run: &str, token: &str, _step: i64) -> Result<bool> {
        let sql = "SELECT 1 FROM writer WHERE run = ?1 AND token = ?2";
        Ok(self.prepare_cached(sql)?.exists([run, token])?)
    }

    fn table_sizes(&self) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_master USING (name)
                   WHERE aggregate = TRUE GROUP BY tbl_name";
        (self as &dyn Store).rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
