//! What a worker says of its provider.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Worker, WorkerError};
use crate::record::ProviderRecord;

/// The part of the reply to `info` that no run needs.
#[derive(Deserialize)]
struct Lacking {
    #[serde(default)]
    absent: BTreeMap<String, String>,
}

impl Worker {
    /// Asks who it is. Its name is the one it was launched under.
    ///
    /// # Errors
    /// What the worker did instead of answering; likewise with its other requests.
    pub fn info(&mut self) -> Result<ProviderRecord, WorkerError> {
        let mut record: ProviderRecord = self.ask("info")?;
        record.name.clone_from(&self.name);
        Ok(record)
    }

    /// Asks which MACs it was tried for and does not give at all, and what it said of each. Workers
    /// in other languages may not tell.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn absent(&mut self) -> Result<BTreeMap<String, String>, WorkerError> {
        let Lacking { absent } = self.ask("info")?;
        Ok(absent)
    }
}
