//! What a worker says of its provider.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Worker, WorkerError};
use crate::record::ProviderRecord;
use crate::worker::PROTOCOL;

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
        let mut record: ProviderRecord = self.told()?;
        record.name.clone_from(&self.name);
        Ok(record)
    }

    /// Asks which MACs it was tried for and does not give at all, and what it said of each. Workers
    /// in other languages may not tell.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn absent(&mut self) -> Result<BTreeMap<String, String>, WorkerError> {
        let Lacking { absent } = self.told()?;
        Ok(absent)
    }

    /// What it says of itself. The protocol comes first: the words of another one may differ.
    fn told<T: DeserializeOwned>(&mut self) -> Result<T, WorkerError> {
        let reply: Value = self.ask("info")?;
        let spoken = reply.get("protocol").and_then(Value::as_u64);
        if spoken != Some(PROTOCOL.into()) {
            let what = spoken.map_or_else(
                || "does not say which protocol it speaks".to_owned(),
                |spoken| format!("speaks protocol {spoken}"),
            );
            let told = format!("{what}; this macrometer speaks {PROTOCOL}");
            return Err(WorkerError::Protocol(told));
        }
        T::deserialize(&reply).map_err(|_| {
            let reply = reply.to_string().chars().take(80).collect();
            WorkerError::Garbled { request: "info".into(), reply }
        })
    }
}
