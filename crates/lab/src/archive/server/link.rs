//! A connection that is asked with patience: it has a thread of its own, and whoever asks waits for
//! an answer so long and no longer, whatever the network or the server do.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use postgres::fallible_iterator::FallibleIterator;
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Statement};
use rusqlite::types::Value;

use super::qualified::qualified;
use super::values::{Found, Given, len_bytes};
use crate::archive::lost::Lost;
use crate::archive::store::{Fault, Result};

/// How long it may take to be connected.
pub(super) const CONNECTING: Duration = Duration::from_secs(10);

/// How long an answer may take, and each part of a long one.
const ANSWERING: Duration = Duration::from_secs(30);

/// Statements that are kept prepared.
const PREPARED_MAX: usize = 64;

/// Rows, and bytes of them, that come at once.
const ROWS_AT_ONCE: usize = 1000;
const BYTES_AT_ONCE: usize = 1 << 22;

/// Most bytes that one question is answered with: the database may be somebody else's, and its
/// answers without an end.
const BYTES_MAX: usize = 1 << 31;

type Job = Box<dyn FnOnce(&mut Session) + Send>;

type Rows = Vec<Vec<Value>>;

/// A connection.
pub(super) struct Link {
    jobs: RefCell<Option<Sender<Job>>>,
    lost: RefCell<Option<Lost>>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Link")
    }
}

/// What its thread has.
pub(super) struct Session {
    client: Client,
    prepared: HashMap<String, Statement>,
}

impl Link {
    /// Connects.
    pub(super) fn connect(config: &Config) -> Result<Self> {
        let (jobs, todo) = channel::<Job>();
        let (told, connected) = channel();
        let mut config = config.clone();
        let patience = config.get_connect_timeout().copied().unwrap_or(CONNECTING);
        config.connect_timeout(patience);
        // It ends when nobody has jobs for it; one that waits for a silent server is left behind.
        let speak = move || {
            let client = match config.connect(NoTls) {
                Ok(client) => client,
                Err(error) => return drop(told.send(Err(Fault::Server(error)))),
            };
            if told.send(Ok(())).is_err() {
                return;
            }
            let mut session = Session { client, prepared: HashMap::new() };
            todo.iter().for_each(|job| job(&mut session));
        };
        let started = thread::Builder::new().spawn(speak);
        started.map_err(|error| Fault::Lost(Lost::NoThread(error.to_string())))?;
        let link = Self { jobs: RefCell::new(Some(jobs)), lost: RefCell::new(None) };
        link.wait(&connected, patience)??;
        Ok(link)
    }

    /// Has something done, once it is known that it was.
    fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (send, answer) = channel();
        // Whoever has lost patience is not there.
        self.begin(Box::new(move |session| drop(send.send(job(session)))))?;
        self.wait(&answer, ANSWERING)?
    }

    fn begin(&self, job: Job) -> Result<()> {
        if let Some(lost) = &*self.lost.borrow() {
            return Err(Fault::Lost(lost.clone()));
        }
        let sent = self.jobs.borrow().as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        if sent { Ok(()) } else { Err(self.lose(Lost::Ended)) }
    }

    /// Whether nobody is asked any more.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.borrow().is_some()
    }

    /// The thread ends once it has its answer, and the server forgets what was not committed.
    fn lose(&self, lost: Lost) -> Fault {
        *self.jobs.borrow_mut() = None;
        *self.lost.borrow_mut() = Some(lost.clone());
        Fault::Lost(lost)
    }

    fn wait<T>(&self, answer: &Receiver<T>, patience: Duration) -> Result<T> {
        answer.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => self.lose(Lost::Silent(patience)),
            RecvTimeoutError::Disconnected => self.lose(Lost::Ended),
        })
    }

    /// Does what a few statements without values say.
    pub(super) fn batch(&self, sql: &str) -> Result<()> {
        let sql = sql.to_owned();
        self.ask(move |session| session.client.batch_execute(&sql).map_err(Fault::Server))
    }

    /// Does what a statement says: how many rows it changed.
    pub(super) fn execute(&self, sql: &str, values: Vec<Value>) -> Result<u64> {
        let sql = sql.to_owned();
        self.ask(move |session| session.execute(&sql, values).map_err(Fault::Server))
    }

    /// Hands over what is found, as it comes.
    pub(super) fn each(
        &self,
        sql: &str,
        values: Vec<Value>,
        mut take: impl FnMut(&[Value]) -> Result<()>,
    ) -> Result<()> {
        let sql = sql.to_owned();
        let (send, parts) = sync_channel::<Result<Rows>>(2);
        self.begin(Box::new(move |session| {
            if let Err(fault) = session.stream(&sql, values, &send) {
                drop(send.send(Err(fault)));
            }
        }))?;
        loop {
            match parts.recv_timeout(ANSWERING) {
                Ok(part) => part?.iter().try_for_each(|row| take(row))?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => return Err(self.lose(Lost::Silent(ANSWERING))),
            }
        }
    }
}

impl Session {
    fn prepared(&mut self, sql: &str) -> std::result::Result<Statement, postgres::Error> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        if self.prepared.len() >= PREPARED_MAX {
            self.prepared.clear();
        }
        let statement = self.client.prepare(&qualified(sql).replace('?', "$"))?;
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn execute(
        &mut self,
        sql: &str,
        values: Vec<Value>,
    ) -> std::result::Result<u64, postgres::Error> {
        let statement = self.prepared(sql)?;
        let values: Vec<Given> = values.into_iter().map(Given).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|it| it as _).collect();
        self.client.execute(&statement, &values)
    }

    fn stream(
        &mut self,
        sql: &str,
        values: Vec<Value>,
        to: &SyncSender<Result<Rows>>,
    ) -> Result<()> {
        let statement = self.prepared(sql).map_err(Fault::Server)?;
        let values = values.into_iter().map(Given);
        let mut found = self.client.query_raw(&statement, values).map_err(Fault::Server)?;
        let (mut rows, mut bytes, mut all_bytes) = (Rows::new(), 0, 0);
        while let Some(row) = found.next().map_err(Fault::Server)? {
            let read = |at| row.try_get::<_, Found>(at).map(|found| found.0);
            let row: std::result::Result<Vec<Value>, _> = (0..row.len()).map(read).collect();
            let row = row.map_err(|error| Fault::Value(crate::archive::lost::said(&error)))?;
            bytes += row.iter().map(len_bytes).sum::<usize>();
            rows.push(row);
            if rows.len() >= ROWS_AT_ONCE || bytes >= BYTES_AT_ONCE {
                all_bytes += bytes;
                if all_bytes > BYTES_MAX {
                    return Err(Fault::Value(format!("more than {BYTES_MAX} bytes")));
                }
                bytes = 0;
                if to.send(Ok(std::mem::take(&mut rows))).is_err() {
                    return Ok(());
                }
            }
        }
        // Whoever has heard enough is not there.
        drop(to.send(Ok(rows)));
        Ok(())
    }
}
