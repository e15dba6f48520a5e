//! Slurm and ssh as they are: two nodes and two hosts, all on this one.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{bundles, has, packed, places};
use crate::bench::Bench;

const SLURM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/macrometer/fleet/slurm");

/// How long a job may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// Ports that nobody listens at.
fn ports<const N: usize>() -> [u16; N] {
    let listeners: [TcpListener; N] =
        std::array::from_fn(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

/// A cluster, which ends with it.
struct Slurm(PathBuf);

impl Slurm {
    fn start(folder: PathBuf) -> Self {
        let ports = ports::<3>().map(|port| port.to_string());
        let mut start = Command::new(SLURM);
        let started = start.arg("start").arg(&folder).args(ports).output().unwrap();
        let slurm = Self(folder);
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        slurm
    }

    fn configuration(&self) -> PathBuf {
        self.0.join("slurm.conf")
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let _ = Command::new(SLURM).arg("stop").arg(&self.0).status();
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The process that does a task with this data folder.
fn task_in(data: &Path) -> Option<String> {
    let data = data.to_str().unwrap().as_bytes();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let of = |entry: std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        let is_task = words.get(1..3) == Some(&[&b"fleet"[..], b"task"]) && words.contains(&data);
        is_task.then(|| entry.file_name().to_string_lossy().into_owned())
    };
    processes.filter_map(of).next()
}

#[test]
fn an_array_of_slurm_measures_on_both_nodes_and_a_killed_task_goes_on_when_queued_again() {
    if !has(&["munged", "slurmctld", "slurmd", "sbatch"], "slurmctld slurmd slurm-client munge") {
        return;
    }
    let bench = Bench::new();
    packed(&bench, 2, 400);
    let slurm = Slurm::start(bench.path("slurm"));
    let right = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        let output = command.env("SLURM_CONF", slurm.configuration()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let told =
        right(&["fleet", "run", "small.pack", "--store", "st ore", "--slurm", "--pairs", "0"]);
    assert!(told.contains(": 2 tasks"), "both nodes: {told}");
    let data = bench.path("macrometer/fleet/n1");
    let archive = data.join("archive.db");
    wait_until("n1 has samples", || places(&archive).is_some_and(|kept| kept.len() > 100));
    let process = task_in(&data).expect("the task is at work");
    assert!(Command::new("kill").args(["-KILL", &process]).status().unwrap().success());
    let kept = places(&archive).unwrap();

    let status = || -> Value {
        let told = right(&["fleet", "status", "st ore", "--format", "json"]);
        serde_json::from_str(&told).unwrap()
    };
    let store = bench.path("st ore");
    wait_until("both bundles are there", || bundles(&store).len() == 2);
    wait_until("no task is left", || {
        let status = status();
        let tasks = status["jobs"][0]["tasks"].as_array().unwrap();
        tasks.iter().all(|task| task["state"] == "COMPLETED")
    });
    let tasks = status()["jobs"][0]["tasks"].to_string();
    assert!(tasks.contains("queued again: 1"), "{tasks}");
    assert!(tasks.contains("\"n1\"") && tasks.contains("\"n2\""), "{tasks}");
    let whole: Vec<_> = bundles(&store)
        .iter()
        .map(|bundle| places(&bundle.join("archive.sqlite")).unwrap())
        .collect();
    assert!(whole.iter().any(|whole| whole.starts_with(&kept)), "every acknowledged sample");
    right(&["fleet", "check", "st ore"]);
}

#[test]
fn a_scheduler_finds_programs_in_absolute_folders_only() {
    let bench = Bench::new();
    packed(&bench, 2, 400);
    bench.script("bin/sinfo", "#!/bin/sh\nprintf %s \"$PATH\" >told\necho 0\n");
    let bin = bench.path("bin").display().to_string();
    let run = ["fleet", "run", "small.pack", "--store", "store", "--slurm"];
    let mut command = bench.command(&run);
    let output = command.env("PATH", format!(".::{bin}:bin")).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("sinfo lists no nodes"), "{error}");
    assert_eq!(std::fs::read_to_string(bench.path("told")).unwrap(), bin);
}

/// Two servers of ssh on loopback, which end with it, and the configuration of who calls them.
struct Hosts {
    folder: PathBuf,
}

impl Hosts {
    fn start(bench: &Bench) -> Self {
        let folder = bench.path("ssh");
        std::fs::create_dir(&folder).unwrap();
        std::fs::create_dir_all("/run/sshd").unwrap();
        for key in ["host", "user"] {
            let mut make = Command::new("ssh-keygen");
            make.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(key));
            assert!(make.status().unwrap().success());
        }
        let (own, data) = (folder.display(), bench.folder().display());
        let mut configuration = String::new();
        for (name, port) in ["n1", "n2"].into_iter().zip(ports::<2>()) {
            let server = format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {own}/host\nUsePAM no\n\
                 AuthorizedKeysFile {own}/user.pub\nPidFile {own}/{name}.pid\nStrictModes no\n\
                 PermitRootLogin prohibit-password\nSetEnv XDG_DATA_HOME={data}\n"
            );
            bench.write(format!("ssh/{name}.conf"), server);
            let mut sshd = Command::new("/usr/sbin/sshd");
            let sshd = sshd.arg("-f").arg(folder.join(format!("{name}.conf")));
            assert!(sshd.arg("-E").arg(folder.join("log")).status().unwrap().success());
            configuration += &format!(
                "Host {name}\n HostName 127.0.0.1\n Port {port}\n IdentityFile {own}/user\n \
                 IdentitiesOnly yes\n UserKnownHostsFile /dev/null\n StrictHostKeyChecking no\n \
                 LogLevel ERROR\n"
            );
        }
        bench.write("ssh/config", configuration);
        Self { folder }
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in ["n1", "n2"] {
            if let Ok(process) = std::fs::read_to_string(self.folder.join(format!("{name}.pid"))) {
                let _ = Command::new("kill").arg(process.trim()).status();
            }
        }
    }
}

#[test]
fn hosts_by_ssh_measure_with_a_program_that_is_brought_along_and_one_that_was_cut_off_goes_on() {
    let programs = ["parallel", "rsync", "ssh", "ssh-keygen", "sshd"];
    if !has(&programs, "parallel rsync openssh-client openssh-server") {
        return;
    }
    let bench = Bench::new();
    packed(&bench, 2, 400);
    let hosts = Hosts::start(&bench);
    let run = ["fleet", "run", "small.pack", "--store", "store", "--ssh", "n1,n2", "--pairs", "0"];
    let command = || {
        let mut command = bench.command(&run);
        command.env("PARALLEL_SSH", format!("ssh -F {}", hosts.folder.join("config").display()));
        command.env("PARALLEL_HOME", bench.path("parallel"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut first = command().spawn().unwrap();
    let data = bench.path("macrometer/fleet/n1");
    let archive = data.join("archive.db");
    wait_until("n1 has samples", || places(&archive).is_some_and(|kept| kept.len() > 100));
    // Started there by its relative name, in a folder of its own.
    let process = task_in(&data).expect("the task is at work");
    assert!(Command::new("kill").args(["-KILL", &process]).status().unwrap().success());
    let kept = places(&archive).unwrap();
    assert_ne!(first.wait().unwrap().code(), Some(0), "a host failed, and that is told");
    let store = bench.path("store");
    assert_eq!(bundles(&store).len(), 1, "what the other has is there");

    assert!(command().status().unwrap().success());
    let whole: Vec<_> = bundles(&store)
        .iter()
        .map(|bundle| places(&bundle.join("archive.sqlite")).unwrap())
        .collect();
    assert_eq!(whole.len(), 2);
    assert!(whole.iter().any(|whole| whole.starts_with(&kept)), "every acknowledged sample");
    let status = bench.right(&["fleet", "status", "store"]);
    assert_eq!(status.matches("COMPLETED").count(), 3, "{status}");
    assert_eq!(status.matches("FAILED").count(), 1, "{status}");
    bench.right(&["fleet", "check", "store"]);
}
