//! What was measured while the server was away: kept in a file of this machine, and handed over
//! when the run is resumed. Every transaction has a number that the server keeps with it, so that
//! one of whose end nothing was heard is handed over if it was lost, and only then.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::changes::Change;
use super::seal::row;
use super::store::{Access, Fault, Result as Done, Within};
use super::{Archive, ArchiveError, Place, StoreError, UnsentError, json, names};
use crate::owner::Owner;

/// Generation of the file.
const VERSION: u32 = 1;

/// The folder for such files.
const FOLDER: &str = "unsent";

/// Files of it that are looked at when an archive is opened.
const FILES_MAX: usize = 100;

/// What is written is synchronised with the disk this often.
const EVERY: Duration = Duration::from_secs(1);

/// The first line: whose the others are.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    macrometer_unsent: u32,
    run: String,
    archive: String,
    token: String,
    owner: Owner,
}

/// Every other line: a transaction.
#[derive(Debug, Serialize, Deserialize)]
struct Step {
    step: i64,
    changes: Vec<Change>,
}

/// A file that is being written.
#[derive(Debug)]
pub(super) struct Unsent {
    run: String,
    path: PathBuf,
    file: File,
    synchronised: Instant,
}

impl Unsent {
    fn begin(place: &Place, run: &str, token: &str) -> io::Result<Self> {
        let path = path(place, run);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        let (synchronised, run) = (Instant::now(), run.to_owned());
        let mut unsent = Self { run, path, file, synchronised };
        let head = Head {
            macrometer_unsent: VERSION,
            run: unsent.run.clone(),
            archive: place.to_string(),
            token: token.to_owned(),
            owner: Owner::this_process(),
        };
        unsent.add(&head)?;
        unsent.file.sync_all()?;
        Ok(unsent)
    }

    fn add(&mut self, line: &impl Serialize) -> io::Result<()> {
        let line = json(line);
        let sum = &blake3::hash(line.as_bytes()).to_hex()[..16];
        self.file.write_all(format!("{sum} {line}\n").as_bytes())?;
        if self.synchronised.elapsed() >= EVERY {
            self.file.sync_data()?;
            self.synchronised = Instant::now();
        }
        Ok(())
    }
}

/// Where what could not be sent of a run is kept.
fn path(place: &Place, run: &str) -> PathBuf {
    place.folder().join(FOLDER).join(format!("{run}.jsonl"))
}

impl Archive {
    /// The file with what could not be sent to the server since the run was begun or resumed.
    #[must_use]
    pub fn unsent(&self) -> Option<&Path> {
        self.unsent.as_ref().map(|unsent| unsent.path.as_path())
    }

    /// Removes what could not be sent of a run that was removed: which file that was.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_unsent(&self, run: &str) -> Result<Option<PathBuf>, ArchiveError> {
        let path = path(&self.place, run);
        if matches!(self.place, Place::File(_)) || names::check(&self.place, run).is_err() {
            return Ok(None);
        }
        // Another database may have a run of this name.
        match head_of(&path).filter(|head| is_of(head, &self.place, run)) {
            None => Ok(None),
            Some(_) => match fs::remove_file(&path) {
                Ok(()) => Ok(Some(path)),
                Err(error) => Err(ArchiveError::Store { place: path.into(), error: error.into() }),
            },
        }
    }

    /// Keeps what follows of a run on this machine.
    pub(super) fn go_on_without(&mut self, run: &str, fault: &Fault) -> Result<(), ArchiveError> {
        let unsent = Unsent::begin(&self.place, run, &self.token).map_err(|error| {
            let file = path(&self.place, run).display().to_string();
            let (said, file) = (self.place.blanked(fault.to_string()), self.place.blanked(file));
            let error = StoreError::NotKeptHere { said, file, error };
            ArchiveError::Store { place: self.place.clone(), error }
        })?;
        let (place, path) = (&self.place, unsent.path.display());
        let fault = place.blanked(fault.to_string());
        (self.say)(&format!(
            "{place}: {fault}: run {run} goes on without the server, and is kept in {path}"
        ));
        self.unsent = Some(unsent);
        Ok(())
    }

    /// Keeps changes on this machine, as the transaction that they would have been: of the first
    /// ones the server may have kept that, and not said so.
    pub(super) fn keep_here(
        &mut self,
        run: &str,
        changes: Vec<Change>,
    ) -> Result<(), ArchiveError> {
        let step = self.steps.get() + 1;
        self.steps.set(step);
        let Some(unsent) = self.unsent.as_mut().filter(|unsent| unsent.run == run) else {
            let error = StoreError::AnotherWaits;
            return Err(ArchiveError::Store { place: self.place.clone(), error });
        };
        unsent.add(&Step { step, changes }).map_err(|error| ArchiveError::Store {
            place: unsent.path.clone().into(),
            error: StoreError::NotWritten(error),
        })
    }

    /// Hands over what could not be sent of a run, by its whole name, where there is anything: how
    /// many transactions.
    ///
    /// # Errors
    /// When it cannot be read or written, its process may still be there and `take_over` does not
    /// say that it is not, or the run was continued elsewhere since. Nothing is lost then.
    pub fn hand_over(&mut self, run: &str, take_over: bool) -> Result<Option<usize>, ArchiveError> {
        names::check(&self.place, run)?;
        let path = path(&self.place, run);
        if matches!(self.place, Place::File(_)) || !path.exists() {
            return Ok(None);
        }
        let wrong = |error| ArchiveError::Unsent { place: path.clone().into(), error };
        let (head, steps) = read(&path).map_err(wrong)?;
        if head.run != run {
            return Err(wrong(UnsentError::OtherRun));
        }
        if !take_over && head.owner.has_ended() != Some(true) {
            let (place, run, Owner { pid, host, .. }) = (self.place.clone(), head.run, head.owner);
            let way_out = "wait for it to end; if it has ended, add --take-over";
            return Err(ArchiveError::Taken { place, run, pid, host, way_out });
        }
        let handed = || -> Done<Option<usize>> {
            let store = self.store();
            let transaction = Within::begin(store, Access::Write)?;
            store.hold_writer(run)?;
            // A transaction of whose end nothing was heard may still be at it: it is waited for.
            let sql = "SELECT step FROM writer WHERE run = ?1 AND token = ?2 FOR UPDATE";
            let own = row![run.to_owned(), head.token.clone()];
            let Some(last) = store.row(sql, &own, |row| row.get::<i64>(0))? else {
                return Ok(None);
            };
            let mut count = 0;
            for Step { step, changes } in steps.iter().filter(|it| it.step > last) {
                store.is_writer(run, &head.token, *step)?;
                changes.iter().try_for_each(|change| change.write(store, run))?;
                count += 1;
            }
            transaction.commit()?;
            Ok(Some(count))
        };
        let Some(count) = handed().map_err(|error| self.explain(&error))? else {
            return Err(wrong(UnsentError::Overtaken { run: run.into() }));
        };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(wrong(UnsentError::NotRemoved(error)))
            }
            _ => Ok(Some(count)),
        }
    }
}

/// Runs of which something waits to be handed over to a server, a line each.
pub(super) fn waiting(place: &Place) -> Vec<String> {
    let found = fs::read_dir(place.folder().join(FOLDER)).into_iter().flatten().flatten();
    let heads = found.take(FILES_MAX).filter_map(|file| {
        let head = head_of(&file.path())?;
        let is_ours = is_of(&head, place, &head.run) && path(place, &head.run) == file.path();
        (is_ours && head.owner.has_ended() != Some(false)).then_some(head)
    });
    heads
        .map(|Head { run, .. }| {
            let file = path(place, &run);
            let file = file.display();
            format!(
                "run {run} is not whole in {place}: `macrometer run --resume {run} --archive \
                 {place}` hands over what waits in {file}"
            )
        })
        .collect()
}

/// The first line of a file, where it can be read.
fn head_of(path: &Path) -> Option<Head> {
    let mut first = String::new();
    BufReader::new(File::open(path).ok()?).read_line(&mut first).ok()?;
    serde_json::from_str(first.split_once(' ')?.1).ok()
}

fn is_of(head: &Head, place: &Place, run: &str) -> bool {
    head.archive == place.to_string() && head.run == run
}

/// The lines of a file. The last one may be cut off, where its process or the machine was killed:
/// then nobody was told that it was kept.
fn read(path: &Path) -> Result<(Head, Vec<Step>), UnsentError> {
    let cannot = UnsentError::Unreadable;
    let mut lines = Vec::new();
    let mut from = BufReader::new(File::open(path).map_err(cannot)?);
    loop {
        let mut line = Vec::new();
        from.read_until(b'\n', &mut line).map_err(cannot)?;
        if line.pop() != Some(b'\n') {
            break;
        }
        lines.push(line);
    }
    let damaged = |at: usize| UnsentError::Damaged { line: at + 1 };
    let sound = |at: usize, line: &[u8]| -> Result<String, UnsentError> {
        let text = std::str::from_utf8(line).ok().and_then(|line| line.split_once(' '));
        let (sum, text) = text.ok_or_else(|| damaged(at))?;
        let is_sound = blake3::hash(text.as_bytes()).to_hex()[..16] == *sum;
        if is_sound { Ok(text.to_owned()) } else { Err(damaged(at)) }
    };
    let Some((first, rest)) = lines.split_first() else { return Err(UnsentError::Empty) };
    let head: Head = serde_json::from_str(&sound(0, first)?).map_err(UnsentError::Head)?;
    if head.macrometer_unsent > VERSION {
        return Err(UnsentError::Newer);
    }
    let step = |(at, line): (usize, &Vec<u8>)| {
        serde_json::from_str(&sound(at, line)?).map_err(|_| damaged(at))
    };
    let steps = (1..).zip(rest).map(step).collect::<Result<_, UnsentError>>()?;
    Ok((head, steps))
}
