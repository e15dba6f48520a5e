//! One writer a run. Who measures a run stands beside it in the archive; another process that wants
//! to go on with it takes it over only when the first has provably ended.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{Archive, ArchiveError, json, schema};
use crate::owner::Owner;

impl Archive {
    /// Makes this the only one that writes the run, until it is dropped.
    ///
    /// # Errors
    /// When another process writes it, or nobody can tell whether it still does; `take_over` says
    /// that it does not.
    pub fn claim(&mut self, run: &str, take_over: bool) -> Result<(), ArchiveError> {
        let (path, token) = (self.path.clone(), self.token.clone());
        let behavior = TransactionBehavior::Immediate;
        let mut claimed = || -> rusqlite::Result<Option<Owner>> {
            let transaction = self.store.transaction_with_behavior(behavior)?;
            if let Some(other) = other(&transaction, run, &token)?
                && !take_over
                && other.has_ended() != Some(true)
            {
                return Ok(Some(other));
            }
            keep(&transaction, run, &token)?;
            transaction.commit()?;
            Ok(None)
        };
        let outcome: rusqlite::Result<_> = claimed();
        match outcome.map_err(|error| self.explain(&error))? {
            None => {
                self.has_claims.set(true);
                Ok(())
            }
            Some(owner) => {
                let way_out = match owner.has_ended() {
                    Some(_) => "wait for it to end, or stop it",
                    None => "which cannot be checked from here; if it has ended, add --take-over",
                };
                let (run, Owner { pid, host, .. }) = (run.to_owned(), owner);
                Err(ArchiveError::Taken { path, run, pid, host, way_out })
            }
        }
    }

    /// Gives up what was claimed; that it cannot be done is no reason to fail, for whoever comes
    /// next sees that this process has ended.
    pub(super) fn release(&self) {
        if !self.has_claims.get() {
            return;
        }
        let _ = self.store.execute("DELETE FROM writer WHERE token = ?1", [&self.token]);
    }
}

/// Another for each time that an archive is opened.
pub(super) fn token() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Makes this process, by its token, the writer of a run.
pub(super) fn keep(store: &Connection, run: &str, token: &str) -> rusqlite::Result<()> {
    let values = params![run, token, json(&Owner::this_process())];
    store.execute("INSERT OR REPLACE INTO writer VALUES (?1, ?2, ?3)", values).map(|_| ())
}

/// Whether the holder of this token writes the run.
pub(super) fn is_own(store: &Connection, run: &str, token: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM writer WHERE run = ?1 AND token = ?2";
    store.query_row(sql, [run, token], |_| Ok(())).optional().map(|found| found.is_some())
}

/// A process of this machine that writes the run and has not ended.
pub(super) fn living(store: &Connection, run: &str) -> rusqlite::Result<Option<Owner>> {
    if !schema::has(store, "writer", "record")? {
        return Ok(None);
    }
    let owner = other(store, run, "")?;
    Ok(owner.filter(|owner| owner.has_ended() == Some(false)))
}

/// Whether somebody else writes any run, as far as that can be known from here.
pub(super) fn is_another_living(store: &Connection, token: &str) -> rusqlite::Result<bool> {
    let mut select = store.prepare("SELECT record FROM writer WHERE token <> ?1")?;
    let records = select.query_map([token], |row| row.get::<_, String>(0))?;
    let records = records.collect::<rusqlite::Result<Vec<_>>>()?;
    let owners = records.iter().filter_map(|record| serde_json::from_str::<Owner>(record).ok());
    Ok(owners.into_iter().any(|owner| owner.has_ended() != Some(true)))
}

/// Who else writes a run.
fn other(store: &Connection, run: &str, token: &str) -> rusqlite::Result<Option<Owner>> {
    let sql = "SELECT record FROM writer WHERE run = ?1 AND token <> ?2";
    let record: Option<String> = store.query_row(sql, [run, token], |row| row.get(0)).optional()?;
    // One that cannot be understood says nothing of a process that runs here.
    Ok(record.and_then(|record| serde_json::from_str(&record).ok()))
}
