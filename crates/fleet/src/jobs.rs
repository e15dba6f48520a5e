//! Jobs that were started for a store, each a folder of `STORE/.fleet`: program, pack, script, and
//! what `fleet status` asks the scheduler by.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::store::Refused;

/// The folder of jobs in a store.
const FOLDER: &str = ".fleet";

/// The file that says what a job is.
const ABOUT: &str = "job.json";

/// Longest such file.
const BYTES_MAX: u64 = 1 << 20;

/// What was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Hash of the pack.
    pub study_id: String,
    /// When, in seconds since the Unix epoch.
    pub created_unix_s: u64,
    /// Who was to run the tasks.
    pub by: By,
    /// Tasks that were asked for.
    pub tasks: u32,
}

/// Who runs the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// A script on this machine.
    Local,
    /// An array of Slurm, by its number; absent where it was not submitted.
    Slurm(Option<u64>),
    /// GNU parallel, on other hosts by ssh.
    Ssh,
}

/// Makes the folder of a new job, by a name that sorts by time.
///
/// # Errors
/// When it cannot be made.
pub fn new_folder(store: &Path, study_id: &str, created_unix_s: u64) -> io::Result<PathBuf> {
    let random = rand::random::<u16>();
    let name = format!("{created_unix_s}-{study_id:.12}-{random:04x}");
    let jobs = store.join(FOLDER);
    fs::create_dir_all(&jobs)?;
    if !fs::symlink_metadata(&jobs)?.is_dir() {
        let no_link = format!("{} is a link: it must be a folder", jobs.display());
        return Err(io::Error::other(no_link));
    }
    // Anew: what another may have put there by that name is not taken.
    let folder = jobs.join(name);
    fs::create_dir(&folder)?;
    Ok(folder)
}

impl Started {
    /// Keeps it in its folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        // By a name that nobody knows before: others may write to that folder, too.
        let mut part = tempfile::Builder::new();
        part.prefix(".job-").suffix(".part").permissions(Permissions::from_mode(0o666));
        let mut part = part.tempfile_in(folder)?;
        part.write_all(text.as_bytes())?;
        part.persist(folder.join(ABOUT)).map(drop).map_err(|error| error.error)
    }
}

/// All jobs of a store, the oldest first.
///
/// # Errors
/// In one line, when the folder or one of them cannot be read.
pub fn of(store: &Path) -> Result<Vec<(PathBuf, Started)>, Refused> {
    let folder = store.join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        entries => entries.map_err(|error| Refused::new(&folder, error.to_string()))?,
    };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let mut jobs = Vec::new();
    for folder in folders {
        let path = folder.join(ABOUT);
        let is_file =
            fs::symlink_metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= BYTES_MAX);
        if is_file {
            let text =
                fs::read_to_string(&path).map_err(|it| Refused::new(&path, it.to_string()))?;
            let job = serde_json::from_str(&text);
            jobs.push((folder, job.map_err(|it| Refused::new(&path, it.to_string()))?));
        }
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_kept_in_the_order_of_their_time_and_read_back() {
        let store = tempfile::tempdir().unwrap();
        assert_eq!(of(store.path()).unwrap(), []);
        let job = |created_unix_s, by| {
            let started = Started { study_id: "0".repeat(40), created_unix_s, by, tasks: 2 };
            let folder = new_folder(store.path(), &started.study_id, created_unix_s).unwrap();
            started.keep(&folder).unwrap();
            (folder, started)
        };
        let newer = job(1_795_257_003, By::Slurm(Some(7)));
        let older = job(1_795_257_000, By::Ssh);
        assert_eq!(of(store.path()).unwrap(), [older.clone(), newer]);
        // A link that somebody put there is replaced, not followed.
        let other = store.path().join("other");
        fs::write(&other, "other").unwrap();
        fs::remove_file(older.0.join(ABOUT)).unwrap();
        std::os::unix::fs::symlink(&other, older.0.join(ABOUT)).unwrap();
        older.1.keep(&older.0).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
        fs::write(older.0.join(ABOUT), "{").unwrap();
        assert!(of(store.path()).unwrap_err().to_string().contains("job.json: "));
    }
}
