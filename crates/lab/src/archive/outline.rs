//! Runs without what was measured: enough to know which of them to load.

use super::{Archive, ArchiveError, names};
use crate::record::RunState;
use crate::study::Study;

/// A run without its cells and samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The run's name.
    pub id: String,
    /// Seconds since the Unix epoch.
    pub created_unix_s: u64,
    /// The command line that measures it again.
    pub command: String,
    /// Whether it ended, and how.
    pub state: RunState,
    /// Brand string of the processor.
    pub cpu_model: String,
    /// Logical processors online.
    pub cpus: u32,
    /// The study as it was narrowed by the user's selection.
    pub study: Study,
}

impl Archive {
    /// Every run that has a sample, newest first.
    ///
    /// # Errors
    /// When the archive cannot be read, or holds a run that cannot be understood.
    pub fn outlines(&self) -> Result<Vec<Outline>, ArchiveError> {
        let sql = "SELECT id, state, record ->> '$.created_unix_s', record ->> '$.command',
                   record ->> '$.machine.cpu_model', record ->> '$.machine.cpus',
                   record -> '$.study' FROM run
                   WHERE EXISTS (SELECT 1 FROM sample WHERE run = run.id) ORDER BY rowid DESC";
        let rows = self.rows(sql, [], |row| {
            let text = |at| row.get::<_, String>(at);
            let (id, state, study) = (text(0)?, text(1)?, text(6)?);
            let (created, command, cpu_model) = (row.get::<_, i64>(2)?, text(3)?, text(4)?);
            let cpus = row.get(5)?;
            let parsed = || {
                names::check(&self.path, &id)?;
                let state: RunState = self.parse(&format!("\"{state}\""), &id)?;
                let study: Study = self.parse(&study, &id)?;
                let (id, created_unix_s) = (id.clone(), created as u64);
                Ok(Outline { id, created_unix_s, command, state, cpu_model, cpus, study })
            };
            Ok(parsed())
        })?;
        rows.into_iter().collect()
    }
}
