//! Standard streams whose other end is gone or full: results that nobody waits for are no error,
//! and what cannot be said stops nothing.

use std::fs::File;
use std::process::Stdio;

use crate::bench::Bench;

/// As `| head -1` leaves it, and before the first byte.
#[test]
fn a_reader_that_has_gone_has_seen_enough() {
    let bench = Bench::new();
    bench.right(&["keygen", "--mac", "hmac-sha256", "key"]);
    for command in [
        &["list", "macs"][..],
        &["list", "macs", "--format", "json"],
        &["list", "studies"],
        &["claims"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = bench.command(command).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), &*told), (Some(0), ""), "{command:?}");
    }
    // A tag that nobody got is another matter.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut tag = bench.command(&["tag", "--key-file", "key", "key"]);
    assert_eq!(tag.stdout(writer).output().unwrap().status.code(), Some(2));
}

#[test]
fn what_cannot_be_said_stops_nothing() {
    let bench = Bench::with(&[("empty.db", ""), ("study.toml", "name = 1")]);
    let narrow = ["plan", "--provider", "macs", "--mac", "hmac-sha256", "--size", "64"];
    let cases: [(&[&str], i32); 6] = [
        (&["list", "macs"], 0),
        (&["list", "studies"], 0),
        (&narrow, 0),
        // This one warns.
        (&["claims", "--archive", "empty.db"], 0),
        (&["plan", "./study.toml"], 2),
        (&["list", "nothing"], 2),
    ];
    for (command, code) in cases {
        let said = bench.output(command);
        assert_eq!(said.status.code(), Some(code), "{command:?}: {said:?}");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let unsaid = bench.command(command).stderr(full).output().unwrap();
        assert_eq!(unsaid.status.code(), Some(code), "{command:?}");
        assert_eq!(unsaid.stdout.is_empty(), said.stdout.is_empty(), "{command:?}");
    }
    assert!(!bench.output(&["claims", "--archive", "empty.db"]).stderr.is_empty());
}
