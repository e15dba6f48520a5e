//! A run that goes on is the run that it was: on the same machine, with the same code.

use crate::bench::{Bench, Kept};

/// With a short run in its archive.
fn bench() -> Bench {
    static KEPT: Kept = Kept::new();
    Bench::like(&KEPT, |bench| {
        let run = ["run", "--provider", "macs", "--mac", "hmac-sha256", "--size", "64"];
        bench.right(&[&run[..], &["--budget", "3", "--cpu", "none"]].concat());
    })
}

/// Resumes with more time, which is refused in one line; nothing is measured.
fn refused(bench: &Bench) -> String {
    let (budget, kept) = (bench.longer_by(3.0), bench.count("sample"));
    let line = bench.wrong(&["run", "--resume", "last", "--budget", &budget, "--cpu", "none"]);
    assert_eq!(bench.count("sample"), kept, "{line}");
    line
}

#[test]
fn a_run_goes_on_only_on_the_machine_that_it_was_begun_on() {
    for (what, value, told) in [
        ("cpu_model", "'Another CPU'", "begun on another machine (Another CPU, "),
        ("cpus", "9999", ", 9999 processors; this one: "),
    ] {
        let bench = bench();
        bench.plant(&format!(
            "UPDATE run SET state = 'interrupted', \
             record = json_set(record, '$.machine.{what}', {value})"
        ));
        let line = refused(&bench);
        assert!(line.contains(told) && line.contains("resume it there"), "{line}");
        // One that is complete is only told again.
        bench.plant("UPDATE run SET state = 'complete'");
        assert!(bench.right(&["run", "--resume", "last"]).contains("page: "));
    }
}

#[test]
fn a_run_goes_on_only_with_the_code_paths_that_it_had() {
    let bench = bench();
    bench.plant("UPDATE run SET record = replace(record, '\"kernel\":\"', '\"kernel\":\"other-')");
    let line = refused(&bench);
    assert!(line.contains("has changed since run ") && line.contains(": other-"), "{line}");
}

#[test]
fn what_a_later_sitting_had_in_its_environment_is_kept_with_the_run() {
    let bench = bench();
    let notes = || -> Vec<String> {
        let store = bench.kept();
        let sql = "SELECT text FROM event WHERE kind = 'environment'
                   AND text LIKE '%OPENSSL_armcap=%'";
        let mut notes = store.prepare(sql).unwrap();
        let notes = notes.query_map([], |row| row.get(0)).unwrap();
        notes.map(Result::unwrap).collect()
    };
    assert!(notes().is_empty());
    // Twice the same: it is told once.
    for _ in 0..2 {
        let budget = bench.longer_by(2.0);
        let resume = ["run", "--resume", "last", "--budget", &budget, "--cpu", "none"];
        let mut command = bench.command(&resume);
        let ended = command.env("OPENSSL_armcap", "1").output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        assert_eq!(notes().len(), 1, "{:?}", notes());
    }
    assert!(notes()[0].starts_with("{\"variables\":\""), "{:?}", notes());
}
