//! `fleet run`: writes the scripts of a job and hands them to who runs them.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use fleet::Pack;
use fleet::jobs::{self, By, Started};
use fleet::scripts::{self, Job, Kubernetes, Unquotable};
use lab::record::unix_s;
use providers::programs::command_of;

use super::task::Told;
use crate::stores::check_is_folder;
use crate::{output, packs, reading};

/// Who may run the tasks.
const BY: [&str; 4] = ["local", "ssh", "slurm", "kubernetes"];

/// The script in the folder of a job.
const SCRIPT: &str = "job.sh";

/// Most tasks of a job.
const TASKS_MAX: u32 = 100_000;

/// Longest list of hosts.
const HOSTS_BYTES_MAX: u64 = 1 << 20;

/// Measure a pack on many machines: write the scripts, and submit or start them.
///
/// Program, pack, script and logs are in a folder of STORE/.fleet; each task adds its bundle to the
/// store. `fleet status` shows the state of the tasks; running the same command again resumes those
/// that were cut off.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("by").required(true).args(BY)))]
pub struct Run {
    /// The pack
    pack: PathBuf,
    /// Folder of bundles; with --slurm on a disk that all nodes have
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// N tasks on this machine one after another, each with a data folder of its own
    #[arg(long, value_name = "N")]
    local: Option<u32>,
    /// A task on each of these hosts, by GNU parallel: a file with one host per line, or
    /// [user@]host[:port],…
    #[arg(long, value_name = "HOSTS")]
    ssh: Option<String>,
    /// A task on each node of this partition, as a Slurm job array [default: the cluster's default
    /// partition]
    #[arg(long, value_name = "PARTITION", num_args = 0..=1, default_missing_value = "")]
    slurm: Option<String>,
    /// With --print: a Kubernetes Indexed Job, from an image with macrometer on its PATH
    #[arg(long, value_name = "IMAGE", requires = "print", requires = "nodes")]
    kubernetes: Option<String>,
    /// Number of nodes, and so of tasks [default with --slurm: all nodes of the partition]
    #[arg(long, value_name = "N", conflicts_with_all = ["local", "ssh"])]
    nodes: Option<u32>,
    /// With --kubernetes: the PersistentVolumeClaim of the store
    #[arg(long, value_name = "NAME", default_value = "macrometer-store")]
    claim: String,
    /// Write everything and print the script, but start nothing
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    told: Told,
}

impl Run {
    pub fn run(self) -> Result<u8> {
        self.told.check()?;
        check_is_folder("--store", &self.store)?;
        let pack = packs::read(&self.pack)?;
        if let Some(image) = &self.kubernetes {
            output::print(&self.manifest(image, &pack)?)?;
            return Ok(0);
        }
        let (folder, script, mut started) = self.written(&pack)?;
        let path = folder.join(SCRIPT);
        if self.print {
            output::say(&format!("macrometer: nothing is started: {}", path.display()));
            output::print(&script)?;
            return Ok(0);
        }
        if self.slurm.is_some() {
            let number = submitted(&path)?;
            started.by = By::Slurm(Some(number));
            started.keep(&folder).context("job.json")?;
            let (tasks, folder) = (started.tasks, folder.display());
            output::print_text(&format!("Slurm job {number}: {tasks} tasks\n{folder}"))?;
            return Ok(0);
        }
        let status = command_of("/bin/sh").arg(&path).stdin(Stdio::null()).status();
        let status = status.context("/bin/sh cannot be started")?;
        output::print_text(&folder.display().to_string())?;
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
        Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
    }

    /// The job as Kubernetes takes it: with neither a folder nor a store here.
    fn manifest(&self, image: &str, pack: &Pack) -> Result<String> {
        let pods = check_tasks("--nodes", self.nodes.unwrap_or(0))?;
        let (study_id, options, nowhere) = (pack.id(), self.told.words(), Path::new(""));
        let job = Job { study_id: &study_id, folder: nowhere, store: nowhere, options: &options };
        Ok(Kubernetes { image, claim: &self.claim, pods }.manifest(&job, &pack.text()))
    }

    /// Writes the folder of a job, with program, pack and script, and tells what the script says.
    fn written(&self, pack: &Pack) -> Result<(PathBuf, String, Started)> {
        // Before anything is made.
        let hosts = self.ssh.as_deref().map(hosts).transpose()?;
        let tasks = self.tasks(hosts.as_deref())?;
        let made = fs::create_dir_all(&self.store).and_then(|()| fs::canonicalize(&self.store));
        let store = made.with_context(|| format!("--store {}", self.store.display()))?;
        let (study_id, options, now) = (pack.id(), self.told.words(), unix_s());
        let folder = jobs::new_folder(&store, &study_id, now)
            .context("cannot create a folder for the job")?;
        let job = Job { study_id: &study_id, folder: &folder, store: &store, options: &options };
        let (by, script) = self.script(&job, tasks, hosts.as_deref());
        let script = script.map_err(|error| {
            // Nothing is in it yet, and `fleet status` would tell of a job.
            let _ = fs::remove_dir(&folder);
            anyhow!(error)
        })?;
        fill(&folder, pack, &script)?;
        let started = Started { study_id, created_unix_s: now, by, tasks };
        started.keep(&folder).context("job.json")?;
        Ok((folder, script, started))
    }

    /// Who runs the tasks, and by which script.
    fn script(
        &self,
        job: &Job<'_>,
        tasks: u32,
        hosts: Option<&[String]>,
    ) -> (By, Result<String, Unquotable>) {
        let partition = self.slurm.as_deref().filter(|name| !name.is_empty());
        match hosts {
            Some(hosts) => (By::Ssh, scripts::ssh(job, hosts)),
            None if self.slurm.is_some() => {
                (By::Slurm(None), scripts::slurm(job, tasks, partition))
            }
            None => (By::Local, scripts::local(job, tasks)),
        }
    }

    fn tasks(&self, hosts: Option<&[String]>) -> Result<u32> {
        match (hosts, self.local, self.nodes) {
            (Some(hosts), ..) => Ok(hosts.len() as u32),
            (_, Some(tasks), _) => check_tasks("--local", tasks),
            (.., Some(nodes)) => check_tasks("--nodes", nodes),
            _ => nodes_of(self.slurm.as_deref().unwrap_or_default()),
        }
    }
}

/// Writes what a job is made of into its folder.
fn fill(folder: &Path, pack: &Pack, script: &str) -> Result<()> {
    let program = std::env::current_exe().context("cannot locate this program")?;
    fs::copy(program, folder.join(scripts::PROGRAM))
        .context("cannot copy the program for the job")?;
    output::write_file(&folder.join(scripts::PACK), pack.text().as_bytes())?;
    output::write_file(&folder.join(SCRIPT), script.as_bytes())
}

fn check_tasks(option: &str, tasks: u32) -> Result<u32> {
    if !(1..=TASKS_MAX).contains(&tasks) {
        bail!("{option} {tasks}: must be 1 to {TASKS_MAX}");
    }
    Ok(tasks)
}

/// Hosts of a list, or of a file with one a line.
fn hosts(given: &str) -> Result<Vec<String>> {
    let text = match Path::new(given).is_file() {
        true => text_of(given)?,
        false => given.replace(',', "\n"),
    };
    let lines = text.lines().map(str::trim);
    let hosts: Vec<String> =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into).collect();
    for (at, host) in hosts.iter().enumerate() {
        if scripts::check_host(host).is_err() {
            bail!("--ssh: {host:?}: must be [user@]host[:port]");
        }
        if hosts[..at].contains(host) {
            bail!("--ssh: {host} is named twice");
        }
    }
    if hosts.is_empty() {
        bail!("--ssh {given}: names no host");
    }
    Ok(hosts)
}

fn text_of(file: &str) -> Result<String> {
    let bytes = reading::whole(Path::new(file), HOSTS_BYTES_MAX);
    let bytes = bytes.map_err(|error| anyhow!("--ssh {file}: {error}"))?;
    String::from_utf8(bytes).map_err(|_| anyhow!("--ssh {file}: not text"))
}

/// Nodes of a partition, as Slurm counts them.
fn nodes_of(partition: &str) -> Result<u32> {
    let mut sinfo = super::program("sinfo")?;
    sinfo.args(["--noheader", "--format=%D"]);
    if !partition.is_empty() {
        sinfo.arg(format!("--partition={partition}"));
    }
    let told = super::told_by(sinfo, "sinfo")?;
    let nodes = told.lines().filter_map(|line| line.trim().parse::<u32>().ok()).sum();
    if nodes == 0 {
        bail!("--slurm {partition}: sinfo lists no nodes; set their number with --nodes N");
    }
    check_tasks("--slurm: nodes", nodes)
}

/// The number of the job.
fn submitted(script: &Path) -> Result<u64> {
    let mut sbatch = super::program("sbatch")?;
    sbatch.arg("--parsable").arg(script);
    let told = super::told_by(sbatch, "sbatch")?;
    // With the cluster behind a semicolon, where there are several.
    let number = told.trim().split(';').next().and_then(|number| number.parse().ok());
    number.with_context(|| format!("sbatch said {:?} instead of a number", told.trim()))
}
