//! `fleet status`: how the tasks of a store's jobs stand, as their schedulers tell it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use fleet::jobs::{self, By, Started};
use fleet::scripts::JOB_LOG;
use fleet::status::{self, Task};
use fleet::store;
use serde_json::{Value, json};

use crate::stores::check_is_folder;
use crate::verbs::Format;
use crate::{output, reading};

/// Longest log of a job.
const LOG_BYTES_MAX: u64 = 1 << 26;

/// Show the state of a store's tasks
///
/// Slurm is queried with `squeue` and `sacct`; for hosts and local tasks, the job's log shows which
/// have ended.
#[derive(Debug, Args)]
pub struct Status {
    /// Folder of bundles
    store: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A job as it stands.
struct Stands {
    folder: PathBuf,
    started: Started,
    tasks: Vec<Task>,
    /// Why the scheduler did not tell.
    trouble: Option<String>,
}

impl Status {
    pub fn run(self) -> Result<u8> {
        check_is_folder("STORE", &self.store)?;
        let mut refused = Vec::new();
        let places = store::bundles(&self.store, &mut refused)?;
        let mut bundles: BTreeMap<String, usize> = BTreeMap::new();
        for place in places {
            let study = place.ancestors().nth(2).and_then(Path::file_name);
            let study = study.unwrap_or_default().to_string_lossy().into_owned();
            *bundles.entry(study).or_default() += 1;
        }
        let jobs: Vec<Stands> = jobs::of(&self.store)?.into_iter().map(stands).collect();
        match self.format {
            Format::Json => output::print(&report::document(&told(&jobs, &bundles))?)?,
            Format::Text => output::print_text(&text(&jobs, &bundles))?,
        }
        Ok(0)
    }
}

fn stands((folder, started): (PathBuf, Started)) -> Stands {
    let tasks = match started.by {
        By::Slurm(Some(number)) => of_slurm(number),
        By::Slurm(None) => {
            Err(anyhow!("not submitted: sbatch {}", folder.join("job.sh").display()))
        }
        By::Local | By::Ssh => of_log(&folder.join(JOB_LOG)),
    };
    let (tasks, trouble) = match tasks {
        Ok(tasks) => (tasks, None),
        Err(error) => (vec![], Some(format!("{error:#}"))),
    };
    Stands { folder, started, tasks, trouble }
}

/// Those that it still has in its queue, and what it kept of the others, if it keeps any.
fn of_slurm(number: u64) -> Result<Vec<Task>> {
    let mut squeue = super::program("squeue")?;
    squeue.arg("--json");
    let told = super::told_by(squeue, "squeue")?;
    let mut tasks = status::of_squeue(&told, number).map_err(|error| anyhow!("squeue: {error}"))?;
    for more in [&["--allocations"][..], &["--completion"]] {
        let mut sacct = super::program("sacct")?;
        let job = format!("--jobs={number}");
        sacct.args(["--parsable2", "--noheader", "--format=JobID,State,NodeList", &job]).args(more);
        // Many clusters keep no account: then the queue is all there is.
        let Ok(told) = super::told_by(sacct, "sacct") else { continue };
        for ended in status::of_sacct(&told, number) {
            if tasks.iter().all(|task| task.task != ended.task) {
                tasks.push(ended);
            }
        }
        break;
    }
    Ok(tasks)
}

fn of_log(path: &Path) -> Result<Vec<Task>> {
    if path.symlink_metadata().is_err() {
        return Ok(vec![]);
    }
    let bytes = reading::whole(path, LOG_BYTES_MAX);
    let bytes = bytes.map_err(|error| anyhow!("{}: {error}", path.display()))?;
    Ok(status::of_job_log(&String::from_utf8(bytes).context("the log is not text")?))
}

fn by_words(by: By) -> String {
    match by {
        By::Local => "local".into(),
        By::Slurm(None) => "Slurm".into(),
        By::Slurm(Some(number)) => format!("Slurm job {number}"),
        By::Ssh => "ssh".into(),
    }
}

fn line(task: &Task) -> String {
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let (host, detail) = (word(&task.host), word(&task.detail));
    let line = format!("  {:<8} {:<12} {host:<16} {detail}", task.task, task.state);
    format!("{}\n", line.trim_end())
}

fn text(jobs: &[Stands], bundles: &BTreeMap<String, usize>) -> String {
    let mut text = String::new();
    for Stands { folder, started, tasks, trouble } in jobs {
        let Started { study_id, created_unix_s, by, tasks: asked } = started;
        let (by, date) = (by_words(*by), report::format::date(*created_unix_s));
        text += &format!("{by}, {date}: {asked} tasks of {study_id}\n  {}\n", folder.display());
        if let Some(trouble) = trouble {
            text += &format!("  not told: {trouble}\n");
        }
        text.extend(tasks.iter().map(line));
    }
    for (study, count) in bundles {
        text += &format!("{} of {study}\n", words::counted(count, "bundle"));
    }
    if text.is_empty() {
        text = "no jobs and no bundles\n".into();
    }
    text
}

fn told(jobs: &[Stands], bundles: &BTreeMap<String, usize>) -> Value {
    let job = |it: &Stands| {
        json!({
            "folder": it.folder, "study_id": it.started.study_id, "by": it.started.by,
            "created_unix_s": it.started.created_unix_s, "asked": it.started.tasks,
            "tasks": it.tasks, "trouble": it.trouble,
        })
    };
    json!({ "jobs": jobs.iter().map(job).collect::<Vec<_>>(), "bundles": bundles })
}
