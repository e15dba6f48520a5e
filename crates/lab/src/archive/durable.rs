//! How soon what was kept is on the disk. What a transaction has written outlives this process at
//! once; for a loss of power the log must be synchronised, and that takes some milliseconds, many
//! times what a short block takes.

use std::time::{Duration, Instant};

use super::changes::Change;
use super::{Archive, ArchiveError, Held, records, sample_row, seal};
use crate::record::{Sample, SessionsRecord};

/// Blocks are synchronised with the disk this often.
const EVERY: Duration = Duration::from_secs(1);

impl Archive {
    /// Keeps a block's samples, and the windows of sessions that they are made of. When this
    /// returns they outlive this process; a loss of power costs a second of them at most.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn append(
        &mut self,
        run: &str,
        samples: &[Sample],
        sessions: &[SessionsRecord],
        spent_s: f64,
    ) -> Result<(), ArchiveError> {
        let changes = vec![
            records::behind(seal::SESSIONS, sessions),
            Change::add(seal::SAMPLES, samples.iter().map(sample_row)),
            Change::spent(spent_s),
        ];
        self.now_and_then_to_disk(|archive| archive.keep(run, changes))
    }

    /// Does what keeps a block; once a second it is synchronised, and all before with it.
    fn now_and_then_to_disk(
        &mut self,
        keep: impl FnOnce(&mut Self) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        // A server does so every time: that it may be killed is to cost no block.
        let Held::File(file) = &self.held else { return keep(self) };
        if file.synchronised.is_some_and(|last| last.elapsed() < EVERY) {
            self.synchronous("NORMAL")?;
            let kept = keep(self);
            self.synchronous("FULL")?;
            return kept;
        }
        keep(self)?;
        if let Held::File(file) = &mut self.held {
            file.check_is_there()?;
            file.synchronised = Some(Instant::now());
        }
        Ok(())
    }

    fn synchronous(&self, word: &str) -> Result<(), ArchiveError> {
        let Held::File(file) = &self.held else { return Ok(()) };
        let done = file.store.pragma_update(None, "synchronous", word);
        done.map_err(|error| self.explain(&error.into()))
    }
}
