//! What a worker is started with.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::PATIENCE;

/// How a provider's worker is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Name of the provider.
    pub name: String,
    /// Program and arguments; never a key.
    pub command: Vec<OsString>,
    /// Variables that are set for it beside those of our own environment.
    pub variables: Vec<(OsString, OsString)>,
    /// Further ones where it is started for its first calls only.
    pub cold_variables: Vec<(OsString, OsString)>,
    /// How long it may take for an answer.
    pub patience: Duration,
    /// Where its segments are to be, if it may write any.
    pub folder: Option<PathBuf>,
    /// The user's own files, of different lengths, for its transactions.
    pub files: Arc<[Vec<u8>]>,
}

impl Launch {
    /// The same for a process that is started for its first calls.
    #[must_use]
    pub(crate) fn cold(&self) -> Self {
        let variables = self.variables.iter().chain(&self.cold_variables).cloned().collect();
        Self { variables, ..self.clone() }
    }

    /// A worker with the usual patience.
    #[must_use]
    pub fn new(name: impl Into<String>, command: Vec<OsString>) -> Self {
        Self {
            name: name.into(),
            command,
            variables: Vec::new(),
            cold_variables: Vec::new(),
            patience: PATIENCE,
            folder: None,
            files: Arc::default(),
        }
    }
}
