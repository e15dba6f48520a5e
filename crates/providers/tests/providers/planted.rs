//! What is started, and what that starts, is found in absolute folders of `PATH`, whatever lies in
//! the current folder under such a name. Those who compile tell so, where they can.

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use providers::revision::Revision;
use providers::{Kind, Place, ROWS};
use tempfile::TempDir;

/// Set in a process that is this test again, and starts what it finds.
const IS_STARTING: &str = "MACROMETER_TEST_PLANTED";

/// Asked what they are, or had something compiled by.
const STARTED: [&str; 7] = ["c++", "go", "java", "javac", "node", "python3", "rustc"];

/// Notes its `PATH` beside itself, and says what each is asked for.
const HONEST: &str = r#"#!/bin/sh
printf '%s\n' "$PATH" >>"$0.path"
case "$0" in
*/go) printf 'go1.22\n\n' ;;
*/java) echo 'version "17"' >&2 ;;
*) echo 'host: none' ;;
esac
"#;

/// Such programs in the folder `bin`, and in the folder `here` others that note that they ran.
fn planted() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let here = root.path().join("here");
    let note = format!("#!/bin/sh\necho \"$0\" >>'{}/ran'\n", here.display());
    for (folder, text) in [("bin", HONEST), ("here", note.as_str())] {
        fs::create_dir(root.path().join(folder)).unwrap();
        for name in STARTED.iter().chain(&["cargo"]) {
            // Another process writes it: what a test beside this one starts could inherit our open
            // file, and nothing executes a file that somebody can still write to (ETXTBSY).
            let mut sh = Command::new("sh");
            sh.args(["-c", r#"printf %s "$1" >"$0" && chmod 755 "$0""#]);
            sh.arg(root.path().join(folder).join(name)).arg(text);
            assert!(sh.status().unwrap().success());
        }
    }
    root
}

/// Finds and starts everything in the folder `here`, with this `PATH`; whether nothing panicked.
fn start(root: &Path, path: &str, stderr: Stdio) -> bool {
    let test = "planted::programs_are_found_in_absolute_folders_only";
    let mut again = Command::new(env::current_exe().unwrap());
    again.args(["--exact", "--nocapture", test]).current_dir(root.join("here"));
    again.env(IS_STARTING, "").env("PATH", path).env_remove("CLASSPATH");
    again.env("HOME", root).env("XDG_CACHE_HOME", root.join("cache"));
    again.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    again.status().unwrap().success()
}

/// Which of them can be had does not matter.
fn start_all() {
    for row in ROWS {
        let place = Place::default();
        let _ = (row.prepare)(&place);
        if let Kind::Program(command) = row.kind {
            let _ = command(&place);
        }
    }
    let _ = "sha2@0.11.0".parse::<Revision>().unwrap().built();
}

#[test]
fn programs_are_found_in_absolute_folders_only() {
    if env::var_os(IS_STARTING).is_some() {
        return start_all();
    }
    let root = planted();
    let bin = root.path().join("bin");
    let absolute = bin.to_str().unwrap();
    assert!(start(root.path(), &format!(".::{absolute}:"), Stdio::null()));
    for name in STARTED {
        let told = fs::read_to_string(bin.join(format!("{name}.path"))).unwrap_or_default();
        assert!(!told.is_empty(), "{name} was not started");
        assert!(told.lines().all(|path| path == absolute), "{name}: {told}");
    }
    // Nothing is left of these; an empty one would be the current folder.
    for path in [".", ":", ""] {
        assert!(start(root.path(), path, Stdio::null()));
    }
    let ran = fs::read_to_string(root.path().join("here/ran")).unwrap_or_default();
    assert_eq!(ran, "");
}

#[test]
fn what_cannot_be_told_is_compiled_none_the_less() {
    let root = planted();
    let full = File::options().write(true).open("/dev/full").unwrap();
    assert!(start(root.path(), root.path().join("bin").to_str().unwrap(), full.into()));
    for name in ["c++", "go", "javac"] {
        assert!(root.path().join("bin").join(format!("{name}.path")).exists(), "{name}");
    }
}
