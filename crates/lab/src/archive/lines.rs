//! Runs as lines of a list: a damaged one is told by itself, and the others are there.

use serde::Serialize;
use serde_json::Value;

use super::seal::row;
use super::{Archive, ArchiveError, Kept};
use crate::record::{Invocation, RunState, lenient_invocation};

/// One line of `list runs`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunLine {
    /// The run's name.
    pub id: String,
    /// Name of its study.
    pub study: String,
    /// The command line that measures it again.
    pub command: String,
    /// The same in its parts.
    #[serde(skip)]
    pub invocation: Option<Invocation>,
    /// Whether it ended, and how.
    pub state: RunState,
    /// Cells, once they are settled.
    pub cells: u64,
    /// Samples of it that the archive has.
    pub samples: u64,
    /// Measuring time spent, in seconds.
    pub spent_s: f64,
    /// Measuring time that it was begun with, in seconds.
    pub budget_s: f64,
    /// Brand string of the processor.
    #[serde(skip)]
    pub cpu_model: String,
    /// Seconds since the Unix epoch.
    #[serde(skip)]
    pub created_unix_s: u64,
}

impl Archive {
    /// Every run, newest first.
    ///
    /// # Errors
    /// When the archive cannot be read; what is wrong with one run only is told beside the others.
    pub fn runs(&self) -> Result<Kept<RunLine>, ArchiveError> {
        self.of_each(|id| self.line(id).map(Some))
    }

    fn line(&self, id: &str) -> Result<RunLine, ArchiveError> {
        self.check_outline(id)?;
        let sql = "SELECT record, state, spent_s, (SELECT count(*) FROM sample WHERE run = ?1),
                   (SELECT count(*) FROM cell WHERE run = ?1) FROM run WHERE id = ?1";
        let row = self.store().one(sql, &row![id.to_owned()], |row| {
            let text = |at| row.get::<String>(at);
            let count = |at| row.get::<i64>(at);
            Ok((text(0)?, text(1)?, row.get::<f64>(2)?, count(3)?, count(4)?))
        });
        let (record, state, spent_s, samples, cells) =
            row.map_err(|error| self.explain_run(id, &error))?;
        let record: Value = self.parse(&record, id)?;
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        let command = text(&record["command"]);
        let kept = lenient_invocation(&record["invocation"]).unwrap_or_default();
        Ok(RunLine {
            id: id.to_owned(),
            study: text(&record["study"]["name"]),
            invocation: Invocation::kept(kept, &command),
            command,
            state: self.parse(&format!("\"{state}\""), id)?,
            cells: cells as u64,
            samples: samples as u64,
            spent_s,
            budget_s: record["budget_s"].as_f64().unwrap_or_default(),
            cpu_model: text(&record["machine"]["cpu_model"]),
            created_unix_s: record["created_unix_s"].as_u64().unwrap_or_default(),
        })
    }

    /// What `read` makes of each run, newest first.
    pub(super) fn of_each<T>(
        &self,
        read: impl Fn(&str) -> Result<Option<T>, ArchiveError>,
    ) -> Result<Kept<T>, ArchiveError> {
        let mut kept = Kept { sound: vec![], damaged: vec![] };
        match self.check_that_all_runs_are_there("the newest run may be missing") {
            Err(error) if error.is_of_store() => return Err(error),
            // Whoever takes the newest of them must know.
            checked => kept.damaged.extend(checked.err()),
        }
        for id in self.ids()? {
            let _snapshot = self.snapshot()?;
            match read(&id) {
                Ok(Some(one)) => kept.sound.push(one),
                Ok(None) => {}
                // Not of this run: the next would fail alike.
                Err(error) if error.is_of_store() => return Err(error),
                Err(error) => kept.damaged.push(error),
            }
        }
        Ok(kept)
    }

    /// The names of all runs, newest first, whatever they are.
    pub(super) fn ids(&self) -> Result<Vec<String>, ArchiveError> {
        self.rows("SELECT id FROM run ORDER BY rowid DESC", &[], |row| {
            let id = row.at(0).as_bytes().unwrap_or_default();
            Ok(String::from_utf8_lossy(id).into_owned())
        })
    }
}
