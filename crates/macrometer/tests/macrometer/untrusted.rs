//! What comes from somebody else stays where it is put: names in an archive are no paths, a worker
//! deletes nothing that transactions did not write, and a run has one writer.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::bench::{Bench, Kept};

/// Racing pairs of processes: enough that each gets in the way of the other at several places.
const RACES: usize = 8;

impl Bench {
    /// With a short run in its archive.
    fn measured_once() -> Self {
        static KEPT: Kept = Kept::new();
        Self::like(&KEPT, |bench| {
            let run = ["run", "--provider", "macs", "--mac", "hmac-sha256", "--size", "64"];
            bench.right(&[&run[..], &["--budget", "6", "--cpu", "none"]].concat());
        })
    }

    fn number(&self, sql: &str) -> i64 {
        self.kept().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Every file of its folder but those of the archive.
    fn other_files(&self) -> Vec<PathBuf> {
        let mut files = self.files_below(self.folder());
        // Those of the archive come and go.
        files.retain(|path| !path.to_string_lossy().contains("archive.db"));
        files.sort();
        files
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// Exit code 2 and one line.
fn refused(output: &Output) -> String {
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{}", said(output));
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn a_name_in_an_archive_is_no_path() {
    let bench = Bench::measured_once();
    let before = bench.other_files();
    for name in ["../../x", "/tmp/macrometer-planted/x", "..", "a\u{1b}[2Jb"] {
        let change = |table: &str, column: &str| {
            format!("UPDATE {table} SET {column} = '{name}' WHERE {column} NOT LIKE '%{{%';")
        };
        let tables = ["cell", "sample", "single_calls", "event", "scheme", "load", "sessions"];
        let sql: String = tables.iter().map(|table| change(table, "run")).collect();
        let record = format!("UPDATE run SET record = json_set(record, '$.id', '{name}');");
        bench.plant(&format!("{sql}{}{record}", change("run", "id")));
        for command in [&["report", "last"][..], &["report", "last", "--format", "csv"]] {
            let line = refused(&bench.output(command));
            assert!(line.contains("archive.db") && line.contains("letters, digits"), "{line}");
            assert!(!line.contains('\u{1b}'), "{line:?}");
        }
        // The others are told, if there are any.
        for verb in [&["list", "runs"][..], &["claims"]] {
            let ended = bench.output(verb);
            let told = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert!(ended.status.success() && told.contains("letters, digits"), "{told}");
            assert!(!said(&ended).contains('\u{1b}'), "{told:?}");
        }
    }
    assert_eq!(bench.other_files(), before);
    assert!(!Path::new("/tmp/macrometer-planted").exists());
}

#[test]
fn the_record_of_a_run_has_the_name_of_the_run() {
    let bench = Bench::measured_once();
    let before = bench.other_files();
    bench.plant("UPDATE run SET record = json_set(record, '$.id', '../../x')");
    let line = refused(&bench.output(&["report", "last"]));
    assert!(line.contains("damaged") && line.contains("its record is that of"), "{line}");
    assert_eq!(bench.other_files(), before);
}

/// Charts and files of a report are called after parts, panels and macs.
#[test]
fn names_in_a_study_are_no_paths() {
    let bench = Bench::measured_once();
    for (place, name) in [("panels", "../../../x"), ("parts", "/x")] {
        let sql = format!("UPDATE run SET record = json_set(record, '$.study.{place}[0].name', ");
        bench.plant(&format!("{sql}'{name}')"));
    }
    bench.plant(
        "UPDATE run SET record = json_set(record, '$.study.parts[0].cases[0].name', '../c')",
    );
    let before = bench.other_files();
    let ended = bench.output(&["report", "last", "--format", "files", "--out", "out"]);
    assert!(ended.status.success(), "{}", said(&ended));
    let out = bench.path("out");
    let new: Vec<_> =
        bench.other_files().into_iter().filter(|path| !before.contains(path)).collect();
    assert!(new.len() > 4 && new.iter().all(|path| path.parent() == Some(&out)), "{new:?}");
}

#[test]
fn a_worker_deletes_nothing_that_it_was_only_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let planted = folder.path().join("macrometer-segments-0123456789abcdef");
    for path in [folder.path(), &planted] {
        std::fs::create_dir_all(path).unwrap();
        std::fs::write(path.join("thesis.tex"), "years").unwrap();
        std::fs::write(path.join("segment-0"), "mine").unwrap();
        let mut worker = Command::new(env!("CARGO_BIN_EXE_macrometer"))
            .args(["worker", "macs"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let keys = "00".repeat(31);
        let pool = "00".repeat(4096);
        // Its input ends without `close`.
        let requests = format!(
            "folder {}\npool {pool}\n\
             open 1 eax-aes-128-es prepared segments-disk-transaction 64 {keys}\nsegments 1 16\n",
            path.display()
        );
        worker.stdin.take().unwrap().write_all(requests.as_bytes()).unwrap();
        let ended = worker.wait_with_output().unwrap();
        let replies = String::from_utf8(ended.stdout).unwrap();
        assert!(ended.status.success() && replies.starts_with("err "), "{replies}");
        assert!(replies.contains("not a segments folder of a running macrometer"), "{replies}");
        assert_eq!(std::fs::read_to_string(path.join("thesis.tex")).unwrap(), "years");
        assert_eq!(std::fs::read_to_string(path.join("segment-0")).unwrap(), "mine");
    }
}

/// Whoever comes first measures; the other one is told so, or goes on behind it.
#[test]
fn a_run_that_two_resume_at_once_has_every_block_once() {
    let bench = Bench::measured_once();
    for race in 0..RACES {
        bench.plant("UPDATE run SET state = 'interrupted'");
        let kept = bench.count("sample");
        let budget = bench.longer_by(3.0);
        let resume = ["run", "--resume", "last", "--budget", &budget, "--cpu", "none"];
        let both = [(); 2].map(|()| {
            let mut command = bench.command(&resume);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        });
        let ended = both.map(|child| child.wait_with_output().unwrap());
        assert!(ended.iter().any(|it| it.status.success()), "{}", said(&ended[0]));
        for output in ended.iter().filter(|it| !it.status.success()) {
            let line = refused(output);
            let is_told = ["is being measured by process ", " is complete; "];
            assert!(is_told.iter().any(|told| line.contains(told)), "{line}");
        }
        assert!(bench.count("sample") > kept, "race {race}");
        let doubled = "SELECT count(*) FROM (SELECT 1 FROM sample GROUP BY run, cell, launch, block
                       HAVING count(*) > 1)";
        assert_eq!(bench.number(doubled), 0, "race {race}");
        assert_eq!(bench.count("writer"), 0, "both have ended");
    }
}

/// As archives have them from before a run had one writer.
#[test]
fn blocks_that_are_there_twice_are_told_and_not_used() {
    let bench = Bench::measured_once();
    let all = bench.count("sample");
    bench.plant(
        "DROP INDEX sample_once; DROP TABLE writer;
         INSERT INTO sample SELECT * FROM sample WHERE block = 1;",
    );
    let doubled = bench.number("SELECT count(*) FROM sample WHERE block = 1");
    assert!(doubled > 0);
    let ended = bench.output(&["report", "last"]);
    assert!(ended.status.success(), "{}", said(&ended));
    let told = said(&ended).split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("{doubled} of {} samples are left out", all + doubled / 2);
    assert!(told.contains(&line), "{line}: {told}");
    let rows = bench.output(&["report", "last", "--format", "samples"]);
    let rows = String::from_utf8(rows.stdout).unwrap().lines().count() as i64;
    assert_eq!(rows, 1 + all - doubled / 2);
}

/// A killed process cannot say that it has ended; that is seen.
#[test]
fn a_run_of_a_process_that_is_no_more_is_taken_over_and_of_an_unknown_one_where_told() {
    let bench = Bench::measured_once();
    let mut other = Command::new("true").spawn().unwrap();
    let pid = other.id();
    other.wait().unwrap();
    let own = serde_json::to_value(lab::owner::Owner::this_process()).unwrap();
    let plant = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut owner = own.clone();
        change(&mut owner);
        bench.plant(&format!(
            "UPDATE run SET state = 'interrupted';
             INSERT OR REPLACE INTO writer SELECT id, 'x', '{owner}' FROM run;"
        ));
    };
    let resumed = |more: &[&str]| {
        let budget = bench.longer_by(2.0);
        let resume = ["run", "--resume", "last", "--budget", &budget, "--cpu", "none"];
        bench.output(&[&resume, more].concat())
    };
    plant(&|_| ());
    let line = refused(&resumed(&[]));
    let process = format!("is being measured by process {}", std::process::id());
    assert!(line.contains(&process), "{line}");
    plant(&|owner| owner["pid"] = pid.into());
    let ended = resumed(&[]);
    assert!(ended.status.success(), "{}", said(&ended));
    plant(&|owner| {
        owner["boot"] = "another".into();
        owner["host"] = "elsewhere".into();
    });
    let line = refused(&resumed(&[]));
    assert!(line.contains("on elsewhere") && line.contains("--take-over"), "{line}");
    let ended = resumed(&["--take-over"]);
    assert!(ended.status.success(), "{}", said(&ended));
}

#[test]
fn a_damaged_run_is_named_and_the_others_are_told() {
    let bench = Bench::measured_once();
    let sound = bench.output(&["runs", "check"]);
    assert!(sound.status.success() && said(&sound).contains(": OK"), "{}", said(&sound));
    // As a disk does it, which makes no checksums anew.
    let archive = bench.kept();
    let changed = archive.execute("UPDATE sample SET elapsed_ns = elapsed_ns * 2", []).unwrap();
    assert!(changed > 0);
    let line = refused(&bench.output(&["report", "last"]));
    assert!(line.contains("is damaged: its samples changed, samples of block 0 of"), "{line}");
    let found = bench.output(&["runs", "check"]);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    assert!(said(&found).contains("DAMAGED") && said(&found).contains("1 run, 1 damaged"));
    let json = bench.output(&["runs", "check", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["has_checksums"], true);
    assert!(json["runs"][0]["wrong"].as_array().is_some_and(|wrong| !wrong.is_empty()), "{json}");
    for verb in [&["list", "runs"][..], &["claims"], &["plan", "survey", "--provider", "macs"]] {
        let ended = bench.output(verb);
        assert!(ended.status.success(), "{}", said(&ended));
    }
}

#[test]
fn a_run_that_was_killed_before_its_report_was_written_is_reported() {
    let bench = Bench::measured_once();
    let reports = bench.path("macrometer/reports");
    std::fs::remove_dir_all(&reports).unwrap();
    let ended = bench.output(&["run", "--resume", "last"]);
    assert!(ended.status.success(), "{}", said(&ended));
    assert!(said(&ended).contains("is complete and is re-rendered; continue it with a larger"));
    let run = std::fs::read_dir(&reports).unwrap().next().unwrap().unwrap().path();
    let page = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("Content-Security-Policy") && page.contains("default-src 'none'"));
    assert!(page.contains("script-src 'sha256-") && !page.contains("script-src 'unsafe"));
}

#[test]
fn reports_at_once_into_a_folder_that_others_write_are_whole_and_follow_no_links() {
    let bench = Bench::measured_once();
    let (out, victim) = (bench.path("out"), bench.path("victim"));
    std::fs::create_dir(&out).unwrap();
    std::fs::write(&victim, "years").unwrap();
    for name in ["report.part", "samples.part", "findings.part"] {
        std::os::unix::fs::symlink(&victim, out.join(name)).unwrap();
    }
    let report = ["report", "last", "--format", "files", "--out", "out"];
    let piped = |command: &mut Command| {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let all = [(); 6].map(|()| piped(&mut bench.command(&report)));
    for child in all {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", said(&ended));
    }
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "years");
    let names = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|it| it.to_string_lossy().starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whoever writes beside an archive can foresee the names of reports.
#[test]
fn the_folder_of_a_report_is_nobody_elses_unless_the_user_names_it() {
    let bench = Bench::measured_once();
    let reports = bench.path("macrometer/reports");
    let own = std::fs::read_dir(&reports).unwrap().next().unwrap().unwrap().path();
    let (page, victim) = (own.join("report.html"), bench.path("victim"));
    let nowhere = bench.path("nowhere");
    std::fs::create_dir(&victim).unwrap();
    let theirs = ["report.html", "samples.csv", "findings.csv"].map(|name| victim.join(name));
    theirs.iter().for_each(|file| std::fs::write(file, "years").unwrap());
    let report = ["report", "last"];
    let files = ["report", "last", "--format", "files"];
    let resume = ["run", "--resume", "last"];
    let all = [&report[..], &files, &resume];
    std::fs::remove_dir_all(&own).unwrap();
    for (target, is_file, told) in [
        (Some(&victim), false, "it is a symbolic link"),
        (Some(&nowhere), false, "it is a symbolic link"),
        (None, true, "it is not a folder"),
    ] {
        match target {
            Some(target) => std::os::unix::fs::symlink(target, &own).unwrap(),
            None => std::fs::write(&own, "").unwrap(),
        }
        for command in all {
            let ended = bench.output(command);
            let line = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert_eq!(ended.status.code(), Some(2), "{command:?}: {}", said(&ended));
            assert!(line.contains(told) && line.contains("--out"), "{command:?}: {line}");
        }
        assert!(is_file || own.symlink_metadata().unwrap().is_symlink());
        std::fs::remove_file(&own).unwrap();
    }
    assert!(!nowhere.exists());
    for file in &theirs {
        assert_eq!(std::fs::read_to_string(file).unwrap(), "years", "{}", file.display());
    }
    // It is made anew, and then taken again.
    for command in [&report[..], &report, &files] {
        bench.right(command);
        assert!(page.is_file());
    }
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&own, Some(12345), None).unwrap();
        let line = refused(&bench.output(&report));
        assert!(line.contains("it is a folder of user 12345"), "{line}");
    } else {
        println!("skipped: needs root");
    }
    // Who names a link means what it leads to.
    std::os::unix::fs::symlink(&victim, bench.path("link")).unwrap();
    bench.right(&[&report[..], &["--out", "link"]].concat());
    let written = std::fs::read_to_string(victim.join("report.html")).unwrap();
    assert!(written.contains("</html>"), "{written}");
}

#[test]
fn what_never_ends_or_is_too_much_is_refused_in_one_line_and_soon() {
    let bench = Bench::measured_once();
    let made = Command::new("mkfifo").arg(bench.path("fifo.toml")).status().unwrap();
    assert!(made.success());
    let study =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/survey.toml"));
    let study = study.unwrap();
    let (begin, rest) = study.split_once("sizes = [").unwrap();
    let (_, rest) = rest.split_once(']').unwrap();
    for (name, count) in [("large.toml", 200_000), ("most.toml", 1000), ("many.toml", 1001)] {
        let sizes: String = (0..count).map(|size| format!("{size},")).collect();
        std::fs::write(bench.path(name), format!("{begin}sizes = [{sizes}]{rest}")).unwrap();
    }
    let name = "x".repeat(65_536);
    std::fs::write(bench.path("long.csv"), format!("{name},b\n1,2\n2,3\n3,1\n")).unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["plan", "./fifo.toml"], "it did not end within"),
        (&["plan", "/dev/zero"], "the most that is accepted"),
        (&["plan", "./large.toml"], "more than 1048576 bytes, the most that is accepted"),
        (&["plan", "./many.toml"], "at most 1000"),
        (&["selftest", "--provider", "macs", "--vectors", "fifo.toml"], "it did not end"),
        (&["analyze", "long.csv"], "a name of 65536 characters; at most 200"),
    ];
    for (words, told) in cases {
        let begun = std::time::Instant::now();
        let line = refused(&bench.output(words));
        assert!(line.contains(told), "{words:?}: {line}");
        assert!(begun.elapsed().as_secs() < 60, "{words:?}: {:?}", begun.elapsed());
    }
    let narrow = ["--provider", "macs", "--mac", "hmac-sha256", "--size", "64"];
    bench.right(&[&["plan", "./most.toml"], &narrow[..]].concat());
}

#[test]
fn what_keeps_no_archive_is_refused() {
    let bench = Bench::measured_once();
    for place in [":memory:", "file:x?mode=memory", "", "/dev/null"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_macrometer"));
        let run = ["run", "--provider", "macs", "--mac", "hmac-sha256", "--size", "64"];
        command.args(run).args(["--archive", place]).current_dir(bench.folder());
        refused(&command.output().unwrap());
    }
    assert!(!bench.path("file:x").exists() && !bench.path(":memory:").exists());
}

/// A file that grows beyond the limit is told, and is no silent end.
#[test]
fn a_limit_on_the_size_of_files_is_told() {
    let bench = Bench::measured_once();
    let line = format!(
        "ulimit -f 1; exec {} report last --format files --out out --archive macrometer/archive.db",
        env!("CARGO_BIN_EXE_macrometer")
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &line]).current_dir(bench.folder());
    let line = refused(&shell.output().unwrap());
    assert!(line.contains("too large"), "{line}");
}
