//! One writer a run. Who measures a run stands beside it in the archive; another process that wants
//! to go on with it takes it over only when the first has provably ended.

use super::seal::row;
use super::store::{Access, Result as Done, Store, Within};
use super::{Archive, ArchiveError, json};
use crate::owner::Owner;

impl Archive {
    /// Makes this the only one that writes the run, until it is dropped.
    ///
    /// # Errors
    /// When another process writes it, or nobody can tell whether it still does; `take_over` says
    /// that it does not.
    pub fn claim(&mut self, run: &str, take_over: bool) -> Result<(), ArchiveError> {
        let claimed = || -> Done<Option<Owner>> {
            let transaction = Within::begin(self.store(), Access::Write)?;
            self.store().hold_writer(run)?;
            if let Some(other) = other(self.store(), run, &self.token)?
                && !take_over
                && other.has_ended() != Some(true)
            {
                return Ok(Some(other));
            }
            keep(self.store(), run, &self.token)?;
            transaction.commit()?;
            Ok(None)
        };
        match claimed().map_err(|error| self.explain(&error))? {
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
                let place = self.place.clone();
                Err(ArchiveError::Taken { place, run, pid, host, way_out })
            }
        }
    }

    /// Gives up what was claimed; that it cannot be done is no reason to fail, for whoever comes
    /// next sees that this process has ended.
    pub(super) fn release(&self) {
        // Of what could not be sent this one is the writer until it is handed over.
        if !self.has_claims.get() || self.unsent.is_some() {
            return;
        }
        let _ =
            self.store().execute("DELETE FROM writer WHERE token = ?1", &row![self.token.clone()]);
    }
}

/// Another for each time that an archive is opened.
pub(super) fn token() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Makes this process, by its token, the writer of a run.
pub(super) fn keep(store: &dyn Store, run: &str, token: &str) -> Done<()> {
    store.keep_writer(run, token, json(&Owner::this_process()))
}

/// A process of this machine that writes the run and has not ended.
pub(super) fn living(store: &dyn Store, run: &str) -> Done<Option<Owner>> {
    if !store.has("writer", "record")? {
        return Ok(None);
    }
    let owner = other(store, run, "")?;
    Ok(owner.filter(|owner| owner.has_ended() == Some(false)))
}

/// Whether somebody else writes any run, as far as that can be known from here.
pub(super) fn is_another_living(store: &dyn Store, token: &str) -> Done<bool> {
    let sql = "SELECT record FROM writer WHERE token <> ?1";
    let records = store.rows(sql, &row![token.to_owned()], |row| row.get::<String>(0))?;
    let owners = records.iter().filter_map(|record| serde_json::from_str::<Owner>(record).ok());
    Ok(owners.into_iter().any(|owner| owner.has_ended() != Some(true)))
}

/// Who else writes a run.
fn other(store: &dyn Store, run: &str, token: &str) -> Done<Option<Owner>> {
    let sql = "SELECT record FROM writer WHERE run = ?1 AND token <> ?2";
    let values = row![run.to_owned(), token.to_owned()];
    let record = store.row(sql, &values, |row| row.get::<String>(0))?;
    // One that cannot be understood says nothing of a process that runs here.
    Ok(record.and_then(|record| serde_json::from_str(&record).ok()))
}
