//! Runs that write segments, stopped in the middle: what was measured is kept, and of the files
//! nothing is left.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::bench::Bench;

/// As a user writes it: two schemes, two file sizes, on disk.
const STUDY: &str = r#"
name = "cut"
title = "Files in segments"
summary = "Two schemes on disk."
budget_s = 600
launches = 2

[[panels]]
name = "macs"
title = "Ours"
providers = ["macs"]

[[parts]]
name = "disk"
title = "On disk"
sizes = [1024, 10240]
key_lives = ["prepared"]
regimes = ["segments-disk-encryption", "segments-disk-transaction"]

[[parts.cases]]
name = "cut"
title = "Cut"
macs = ["eax-aes-128-es", "eax-aes-128-se"]
"#;

/// What the folder of a run is called, before the random part.
const PREFIX: &str = "macrometer-segments-";

/// Far longer than a worker takes to notice that nobody is there any more.
const DEADLINE: Duration = Duration::from_secs(60);

impl Bench {
    fn for_segments() -> Self {
        let bench = Self::with(&[("cut.toml", STUDY)]);
        std::fs::create_dir(bench.path("segments")).unwrap();
        bench
    }

    /// Starts a long run, and waits until samples are kept and its worker has files.
    fn started_with_segments(&self) -> Child {
        let (child, _) = self.started(&run(&["--provider", "macs", "--budget", "600"]));
        let left = self.left();
        assert!(left.len() == 1 && left[0].starts_with(PREFIX), "{left:?}");
        child
    }

    /// What lies where the segments are.
    fn left(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("segments")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Waits until nothing is left there, and none of these is there that could write again.
    fn emptied(&self, workers: &[u32]) {
        let began = Instant::now();
        while !(workers.iter().copied().all(has_ended) && self.left().is_empty()) {
            assert!(began.elapsed() < DEADLINE, "left: {:?}", self.left());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The run goes on where it was, with segments in the same place, and leaves nothing.
    fn resumes_segments(&self) {
        let kept = self.count("sample");
        let resumed = self.output(&["run", "--resume", "last", "--budget", "15"]);
        assert_eq!(resumed.status.code(), Some(0), "{}", said(&resumed));
        assert!(said(&resumed).contains("eax-aes-128-es"), "{}", said(&resumed));
        assert!(self.count("sample") > kept);
        assert_eq!(self.state(), "complete");
        // One line a scheme, however often faults were planted.
        assert_eq!(self.count("scheme"), 2);
        assert_eq!(self.left(), [""; 0]);
        let of_place = |place: &str| {
            let like = format!("segments are files in %{place}, on %");
            self.count(&format!("event WHERE text LIKE '{like}'"))
        };
        assert_eq!([of_place(""), of_place("/segments")], [2, 2]);
    }

    /// What a process that is gone has left.
    fn leave(&self) -> PathBuf {
        // Larger than any process number of Linux.
        let mut owner = lab::owner::Owner::this_process();
        owner.pid = 4_194_999;
        let left = self.path("segments").join(format!("{PREFIX}0123456789abcdef"));
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("segment-0"), [0; 140]).unwrap();
        std::fs::write(left.join("owner.json"), serde_json::to_string(&owner).unwrap()).unwrap();
        left
    }
}

/// A run of the study, with these options.
fn run<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["run", "cut.toml", "--segments-dir", "segments"], options].concat()
}

/// Both streams, unfolded.
fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("sh").args(["-c", &format!("kill {name} {process}")]).status().unwrap();
    assert!(sent.success(), "kill {name} {process}");
}

/// The processes that this one has started and not yet buried.
fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let read = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children"));
    let lists: String = tasks.filter_map(|task| read(task.unwrap()).ok()).collect();
    lists.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// Whether a process is dead, be it not yet buried.
fn has_ended(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state comes after the name in brackets.
    let state = stat.rsplit_once(") ").and_then(|it| it.1.chars().next());
    matches!(state, None | Some('Z' | 'X'))
}

#[test]
fn an_interrupted_run_leaves_no_segments_and_goes_on_later() {
    let bench = Bench::for_segments();
    let child = bench.started_with_segments();
    signal("-INT", child.id());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(bench.left(), [""; 0]);
    assert_eq!(bench.state(), "interrupted");
    bench.resumes_segments();
    // Killed when everything was measured: the run is only told again.
    bench.leave();
    bench.right(&["run", "--resume", "last"]);
    assert_eq!(bench.left(), [""; 0]);
}

#[test]
fn the_workers_of_a_killed_run_remove_its_segments() {
    let bench = Bench::for_segments();
    let mut child = bench.started_with_segments();
    let workers = children(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    bench.emptied(&workers);
    assert_eq!(bench.state(), "open");
    assert!(bench.count("sample") > 0);
    bench.resumes_segments();
}

#[test]
fn a_run_whose_worker_is_killed_ends_and_names_it() {
    let bench = Bench::for_segments();
    let mut command = bench.command(&run(&["--provider", "macs", "--budget", "600"]));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    let worker = loop {
        // It has written a segment of the longer file, so it is in the middle of transactions.
        let folder = bench.left().into_iter().find(|name| name.starts_with(PREFIX));
        let file = bench.path("segments").join(folder.unwrap_or_default()).join("segment-70");
        let is_written = std::fs::metadata(file).is_ok_and(|file| file.len() > 0);
        if let (true, [worker]) = (is_written, &children(child.id())[..]) {
            break *worker;
        }
        assert!(began.elapsed() < DEADLINE, "no worker with segments");
        std::thread::sleep(Duration::from_millis(20));
    };
    signal("-KILL", worker);
    let output = child.wait_with_output().unwrap();
    let told = said(&output);
    assert!(told.contains("macs"), "{told}");
    assert!(told.contains("signal: 9"), "{told}");
    assert_eq!(bench.left(), [""; 0]);
}

#[test]
fn what_a_process_that_is_gone_has_left_is_removed_at_the_next_start() {
    let bench = Bench::for_segments();
    let left = bench.leave();
    let child = bench.started_with_segments();
    assert!(!left.exists());
    signal("-INT", child.id());
    child.wait_with_output().unwrap();
    assert_eq!(bench.left(), [""; 0]);
}

/// They could lead what is written and removed there to anybody's files.
#[test]
fn a_place_where_others_could_replace_the_folder_is_refused_before_a_run_begins() {
    let bench = Bench::for_segments();
    let shared = |name: &str| {
        let mode = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(bench.path(name), mode).unwrap();
    };
    let options = ["--provider", "macs", "--budget", "5"];
    shared("segments");
    let told = bench.wrong(&run(&options));
    assert!(told.contains("--segments-dir segments") && told.contains("0777"), "{told}");
    assert!(!bench.archive().exists());
    // Beside the archive, where nothing else is said.
    std::fs::create_dir(bench.path("macrometer")).unwrap();
    shared("macrometer");
    let told = bench.wrong(&[&["run", "cut.toml"], &options[..]].concat());
    assert!(told.contains("--segments-dir can name") && told.contains("0777"), "{told}");
    assert_eq!(bench.count("run"), 0);
}

#[test]
fn what_is_no_folder_is_no_place_for_segments_and_no_run_begins() {
    let bench = Bench::for_segments();
    bench.write("file", "mine");
    assert!(Command::new("mkfifo").arg(bench.path("fifo")).status().unwrap().success());
    for name in ["file", "fifo", "absent"] {
        let options = ["--segments-dir", name, "--provider", "macs", "--budget", "5"];
        let told = bench.wrong(&[&["run", "cut.toml"], &options[..]].concat());
        assert!(told.contains(&format!("--segments-dir {name}: no place")), "{told}");
        assert!(!bench.archive().exists(), "{name}");
    }
}

/// Another worker may write into the folder while it is removed.
#[test]
fn python_removes_the_mark_with_the_folder_and_not_before_it() {
    let bench = Bench::for_segments();
    let worker = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workers/python");
    let code = "import os, sys\n\
        sys.path.insert(0, sys.argv[1])\n\
        import macrometer_worker as worker\n\
        folder = sys.argv[2]\n\
        has = lambda name: os.path.exists(os.path.join(folder, name))\n\
        worker.remove_marked(folder)\n\
        assert has('owner.json') and has('segment-0'), 'written meanwhile'\n\
        os.mkdir(os.path.join(folder, 'part-1'))\n\
        worker.clear(folder)\n\
        assert has('owner.json') and not has('segment-0'), 'not all can be removed'\n\
        os.rmdir(os.path.join(folder, 'part-1'))\n\
        worker.clear(folder)\n\
        assert not os.path.exists(folder)\n";
    let mut python = Command::new("python3");
    let ended = python.args(["-B", "-c", code, worker]).arg(bench.leave()).output();
    let Ok(ended) = ended else { return println!("skipped: python: not found") };
    assert!(ended.status.success(), "{}", said(&ended));
}

#[test]
fn a_full_disk_is_told_in_one_line_and_nothing_is_left() {
    let bench = Bench::for_segments();
    // Room for the segments of 1 KiB, and not for those of 10 KiB.
    const MOUNT: &str = "mount -t tmpfs -o size=256k tmpfs segments";
    let in_a_namespace = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]);
        command.current_dir(bench.folder()).stdin(Stdio::null());
        command
    };
    let probe = in_a_namespace(MOUNT).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|it| it.success()) {
        return println!("skipped: no small disk can be made here");
    }
    let script = format!("{MOUNT}; \"$@\"; code=$?; ls segments | sed 's/^/LEFT /'; exit $code");
    let run = bench.command(&run(&["--provider", "macs", "--budget", "5"]));
    let mut command = in_a_namespace(&script);
    command.arg(run.get_program()).args(run.get_args());
    command.env("XDG_DATA_HOME", bench.folder());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let told = said(&output);
    // While it runs, and among the warnings of its report, once for each moment at which it was
    // met.
    let times = told.matches("the disk is full").count();
    assert!(times > 0 && times.is_multiple_of(2), "{told}");
    assert!(told.contains("--segments-dir"), "{told}");
    assert!(!told.contains("LEFT") && !told.contains("panicked"), "{told}");
}
