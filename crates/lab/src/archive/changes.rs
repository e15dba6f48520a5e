//! What is written of a run that is being measured, change by change: at once into the archive, or,
//! where that is on a server that is gone, into a file of this machine.

use rusqlite::types::Value;
use serde::{Deserialize, Serialize};

use super::seal::{self, TABLES, row};
use super::store::{Fault, Result, Store};

/// Something that is written of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Change {
    /// The choices of the pilot.
    Chosen(String),
    /// Rows behind those of a table.
    Add(String, #[serde(with = "exact")] Vec<Vec<Value>>),
    /// A row in the place of the one that has its first column.
    Replace(String, #[serde(with = "exact")] Vec<Vec<Value>>),
    /// Records of cells that are there.
    Cells(Vec<(u32, String)>),
    /// Seconds spent, as the bits of a number.
    Spent(u64),
    /// The word for how the run stands.
    State(String),
}

impl Change {
    pub(super) fn add(table: &seal::Table, rows: impl IntoIterator<Item = Vec<Value>>) -> Self {
        Self::Add(table.name.to_owned(), rows.into_iter().collect())
    }

    pub(super) fn spent(spent_s: f64) -> Self {
        Self::Spent(spent_s.to_bits())
    }

    /// Writes it into the tables, with its checksums.
    pub(super) fn write(&self, store: &dyn Store, run: &str) -> Result<()> {
        let id = run.to_owned();
        match self {
            Self::Chosen(text) => {
                store
                    .execute("UPDATE run SET chosen = ?2 WHERE id = ?1", &row![id, text.clone()])?;
                seal::column(store, run, seal::CHOSEN)
            }
            Self::Add(table, rows) => seal::insert(store, run, of_name(table)?, rows),
            Self::Replace(table, rows) => {
                let table = of_name(table)?;
                rows.iter().try_for_each(|row| seal::replace(store, run, table, row))
            }
            Self::Cells(records) => {
                for (cell, record) in records {
                    let values = row![id.clone(), *cell, record.clone()];
                    let sql = "UPDATE cell SET record = ?3 WHERE run = ?1 AND id = ?2";
                    store.execute(sql, &values)?;
                }
                seal::again(store, run, seal::CELLS)
            }
            Self::Spent(bits) => {
                let values = row![id, f64::from_bits(*bits)];
                store.execute("UPDATE run SET spent_s = ?2 WHERE id = ?1", &values)?;
                seal::column(store, run, seal::STATE)
            }
            Self::State(word) => {
                store
                    .execute("UPDATE run SET state = ?2 WHERE id = ?1", &row![id, word.clone()])?;
                seal::column(store, run, seal::STATE)
            }
        }
    }
}

fn of_name(name: &str) -> Result<&'static seal::Table> {
    let found = TABLES.iter().find(|table| table.name == name);
    found.copied().ok_or_else(|| Fault::Value(format!("there is no table {name:?}")))
}

/// Values of SQL as JSON that gives the same values back, bit by bit.
mod exact {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    use super::{Deserialize, Serialize, Value};

    #[derive(Serialize, Deserialize)]
    enum Exact {
        #[serde(rename = "n")]
        Null,
        #[serde(rename = "i")]
        Integer(i64),
        #[serde(rename = "r")]
        Real(u64),
        #[serde(rename = "t")]
        Text(String),
    }

    pub(super) fn serialize<S: Serializer>(rows: &[Vec<Value>], to: S) -> Result<S::Ok, S::Error> {
        let exact = |value: &Value| match value {
            Value::Integer(number) => Exact::Integer(*number),
            Value::Real(number) => Exact::Real(number.to_bits()),
            Value::Text(text) => Exact::Text(text.clone()),
            // No table of a run has bytes.
            Value::Null | Value::Blob(_) => Exact::Null,
        };
        let rows: Vec<Vec<Exact>> =
            rows.iter().map(|row| row.iter().map(exact).collect()).collect();
        rows.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Vec<Value>>, D::Error> {
        let rows: Vec<Vec<Exact>> = Vec::deserialize(from).map_err(D::Error::custom)?;
        let value = |exact| match exact {
            Exact::Null => Value::Null,
            Exact::Integer(number) => Value::Integer(number),
            Exact::Real(bits) => Value::Real(f64::from_bits(bits)),
            Exact::Text(text) => Value::Text(text),
        };
        Ok(rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect())
    }
}
