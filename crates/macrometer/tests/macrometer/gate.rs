//! `gate` as a CI job calls it: exit codes, what is told in which format, and what is refused.
//! Slowdowns are of counted work, hundreds of times what it is added to, so that no timing decides.

mod crates;

use std::process::Output;

use serde_json::Value;

use crate::bench::Bench;

/// Small, quick, and with a margin that no noise reaches.
const SMALL: [&str; 6] = ["--size", "64", "--key-life", "prepared", "--margin", "80%"];

/// Three cells of our own library in eight launches.
const OWN: [&str; 4] = ["--mac", "siphash-2-4,hmac-sha256,cmac-aes-128", "--budget", "60"];

impl Bench {
    fn gate(&self, arguments: &[&str]) -> Output {
        self.output(&[&["gate"], arguments, &SMALL].concat())
    }

    /// As [`Bench::changed_libcrypto`], as `--lib` takes it.
    fn shim(&self, name: &str, source: &str, defines: &[&str]) -> Option<String> {
        let library = self.changed_libcrypto(name, source, defines)?;
        Some(format!("openssl={}", library.display()))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The findings, and the exit code, which they name too.
fn json(output: &Output) -> (i32, Value) {
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    let code = output.status.code().unwrap();
    assert_eq!(told["exit_code"], code);
    (code, told)
}

#[test]
fn a_version_is_not_slower_than_itself() {
    let bench = Bench::new();
    std::os::unix::fs::symlink("/dev/null", bench.path("null")).unwrap();
    let files =
        ["--write", "junit=gate.xml", "--write", "markdown=gate.md", "--write", "text=null"];
    let same = ["--base", "macs", "--new", "macs", "--format", "json"];
    let (code, told) = json(&bench.gate(&[&same[..], &files, &OWN].concat()));
    assert_eq!((code, &told["outcome"]), (0, &"not-slower".into()), "{told}");
    let cells = told["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 3);
    assert!(cells.iter().all(|it| it["verdict"] == "not-slower" && it["launches"] == 8), "{told}");
    assert_eq!(told["looks"], serde_json::json!([8]));
    assert!(told["changes"].as_array().unwrap().is_empty());
    let null = bench.path("null").symlink_metadata().unwrap();
    assert!(null.is_symlink(), "nothing takes the place of a device");
    let xml = std::fs::read_to_string(bench.path("gate.xml")).unwrap();
    let counts = ["tests=\"6\"", "failures=\"0\"", "errors=\"0\""];
    assert!(counts.iter().all(|count| xml.contains(count)), "{xml}");
    let summary = std::fs::read_to_string(bench.path("gate.md")).unwrap();
    assert!(
        summary.starts_with("### ✅ macrometer gate\n\n**Not slower: none of 3 cells"),
        "{summary}"
    );
    // It is a run as any other.
    let (id, runs) = (told["run"].as_str().unwrap(), bench.right(&["list", "runs"]));
    assert!(runs.contains(id), "{runs}");
    // Told again, it ends as it did.
    assert!(bench.right(&["report", "last"]).starts_with("Not slower: none of 3 cells"));
    assert!(bench.right(&["report", "last", "--tables"]).contains("siphash-2-4"));
    assert!(bench.right(&["report", "last", "--format", "html"]).contains(">Not slower</p>"));
    bench.right(&["report", "last", "--format", "bundle", "--out", "bundle"]);
    let file = std::fs::read_to_string(bench.path("bundle/tables/report.txt")).unwrap();
    assert!(file.starts_with("Not slower: none of 3 cells"), "{file}");
    // In an archive of somebody else, what is said of a version does nothing to a terminal, and the
    // number of a launch takes no memory.
    bench.plant(
        "UPDATE run SET record = json_set(record, '$.providers[0].path', char(27) || '[2J'); \
         UPDATE sample SET launch = 4000000000 WHERE rowid = (SELECT max(rowid) FROM sample)",
    );
    let told = bench.right(&["report", "last"]);
    assert!(told.contains("3 cells") && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_measured() {
    let bench = Bench::with(&[("file", "")]);
    std::fs::create_dir(bench.path("folder")).unwrap();
    for (file, said) in [
        ("nowhere/gate.xml", "cannot write nowhere/gate.xml: its folder does not exist"),
        ("folder", "cannot write folder: is a directory"),
        ("file/gate.xml", "cannot write file/gate.xml: not a directory"),
    ] {
        let write = format!("junit={file}");
        let own = ["gate", "--base", "macs", "--new", "macs", "--write", &write];
        let line = bench.wrong(&own);
        assert!(line.contains(said), "{line}");
        assert!(!bench.archive().exists(), "{line}");
    }
}

/// What was decided is told and counts, though the folder of a file has gone meanwhile.
#[test]
fn a_file_that_fails_later_does_not_cost_the_verdict() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    let write = ["--write", "junit=folder/gate.xml", "--format", "json"];
    let own = [&["gate", "--base", "macs", "--new", "macs"], &write[..], &SMALL, &OWN].concat();
    let mut command = bench.command(&own);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    while !bench.archive().exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::fs::remove_dir(bench.path("folder")).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(json(&ended).0, 0);
    let said = text(&ended.stderr);
    assert!(said.contains("--write: cannot write folder/gate.xml"), "{said}");
}

#[test]
fn a_changed_code_path_is_told_and_a_slower_one_fails() {
    let bench = Bench::new();
    let (fast, soft) = ("macs", "macs[soft]");
    let arguments = ["--mac", "cmac-aes-128", "--budget", "60", "--format", "json"];
    let slower = bench.gate(&[&["--base", fast, "--new", soft], &arguments[..]].concat());
    let (code, told) = json(&slower);
    if macs::find("cmac-aes-128").unwrap().kernels().len() < 2 {
        return println!("skipped: this processor has no other code path for AES");
    }
    let change = told["changes"].get(0).unwrap_or_else(|| panic!("no change is told: {told}"));
    assert_eq!((&change["change"], &change["mac"]), (&"code-path".into(), &"cmac-aes-128".into()));
    assert_eq!((code, &told["outcome"]), (1, &"slower".into()), "{told}");
    let faster = bench.gate(&[&["--base", soft, "--new", fast], &arguments[..]].concat());
    let (code, told) = json(&faster);
    assert_eq!((code, &told["cells"][0]["is_faster"]), (0, &true.into()), "{told}");
}

#[test]
fn a_slowed_function_fails_unless_it_is_accepted() {
    let bench = Bench::new();
    let Some(new) = bench.shim("slow", "slow_library.c", &["-DBURN=100000"]) else { return };
    let base = format!("openssl={}", bench.libcrypto().unwrap());
    let own = ["--base", &base, "--new", &new, "--mac", "hmac-sha256", "--budget", "60"];
    let failed = bench.gate(&own);
    let told = text(&failed.stdout);
    assert_eq!(failed.status.code(), Some(1), "{told}{}", text(&failed.stderr));
    let verdict = "Slower: 1 of 1 cell takes more than 80 % longer than the base, \
                   hmac-sha256/prepared/64: ";
    assert!(
        told.replace('\n', " ").replace("   ", " ").replace("  ", " ").starts_with(verdict),
        "{told}"
    );
    let entry = |expires: &str| {
        format!(
            "[[accept]]\ncell = \"hmac-*/prepared/*\"\nreason = \"masked against leakage\"\n\
             author = \"J. Doe\"\nexpires = \"{expires}\"\n"
        )
    };
    bench.write("known.toml", entry("9999-12-31"));
    let accept = ["--accept", "known.toml", "--format", "json"];
    let (code, told) = json(&bench.gate(&[&own[..], &accept].concat()));
    assert_eq!((code, &told["outcome"]), (0, &"not-slower".into()), "{told}");
    assert_eq!(told["cells"][0]["accepted"], "masked against leakage");
    bench.write("known.toml", entry("2020-01-01"));
    let late = bench.gate(&[&own[..], &["--accept", "known.toml"]].concat());
    assert_eq!(late.status.code(), Some(1), "{}", text(&late.stdout));
    let told = text(&late.stdout);
    assert!(told.contains("No longer accepted: hmac-*/prepared/* (masked against"), "{told}");
}

#[test]
fn a_wrong_tag_fails_before_anything_is_timed() {
    let bench = Bench::new();
    let defines = ["-DFAULT=lie", "-DAFTER=0"];
    let Some(new) = bench.shim("lie", "bad_library.c", &defines) else { return };
    let base = format!("openssl={}", bench.libcrypto().unwrap());
    let own = ["--base", &base, "--new", &new, "--mac", "hmac-sha256", "--budget", "60"];
    let (code, told) = json(&bench.gate(&[&own[..], &["--format", "json"]].concat()));
    assert_eq!((code, &told["outcome"]), (1, &"wrong-tags".into()), "{told}");
    let verdict = told["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("Wrong tag: hmac-sha256/"), "{told}");
    assert!(bench.right(&["report", "last"]).starts_with("Wrong tag: hmac-sha256/"));
    assert_eq!(bench.count("sample"), 0);
}

/// A program that speaks the worker protocol: our own worker, of which every tag of one mac is
/// another.
#[test]
fn programs_that_speak_the_protocol_are_compared() {
    let bench = Bench::new();
    let own = format!("worker:'{}' worker macs", env!("CARGO_BIN_EXE_macrometer"));
    let json_of = |new: &str| {
        let own = ["--base", &own, "--new", new, "--format", "json"];
        json(&bench.gate(&[&own[..], &OWN].concat()))
    };
    let (code, told) = json_of(&own);
    assert_eq!((code, &told["cells"][2]["verdict"]), (0, &"not-slower".into()), "{told}");
    let script = format!(
        "#!/bin/sh\n'{}' worker macs | sed -u '/\"tags\"/s/[0-9a-f]\\(\"}}\\)/x\\1/; \
         s/x\"}}/0\"}}/'\n",
        env!("CARGO_BIN_EXE_macrometer")
    );
    bench.write("lies.sh", script);
    let lies = format!("worker:sh '{}'", bench.path("lies.sh").display());
    let (code, told) = json_of(&lies);
    assert_eq!((code, &told["outcome"]), (1, &"wrong-tags".into()), "{told}");
    assert!(told["wrong_tags"][0].as_str().unwrap().contains("worker-new"), "{told}");
}

#[test]
fn a_budget_without_a_look_cannot_say() {
    let bench = Bench::new();
    let same = ["--base", "macs", "--new", "macs", "--mac", "hmac-sha256"];
    let short = |more: &[&str]| {
        let short = [&same[..], &["--budget", "0.5"], more].concat();
        bench.gate(&short)
    };
    let open = short(&[]);
    let told = text(&open.stdout);
    assert_eq!(open.status.code(), Some(3), "{told}{}", text(&open.stderr));
    assert!(told.starts_with("Undecided: 1 of 1 cell is not decided;"), "{told}");
    assert!(told.contains("--budget ") && told.contains("is expected to decide"), "{told}");
    assert_eq!(short(&["--undecided", "pass"]).status.code(), Some(0));
    let failed = short(&["--undecided", "fail", "--format", "junit"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(text(&failed.stdout).contains("<failure message=\"not decided"), "{failed:?}");
}

#[test]
fn misuse_is_one_line() {
    let bench = Bench::with(&[
        ("wrong.toml", "[[accept]]\ncell = \"hmac-sha256/prepared/64\"\nreason = \"r\"\n"),
        ("not.so", "no library"),
    ]);
    let not = format!("openssl={}", bench.path("not.so").display());
    for (arguments, told) in [
        (&["--base", "macs"][..], "--new"),
        (&["--base", "macs", "--new", "opensll=/x"], "did you mean openssl"),
        (&["--base", "macs", "--new", "openssl="], "NAME=PATH"),
        (&["--base", "macs", "--new", &not], "--new: openssl: "),
        (&["--base", "macs", "--new", "worker:/no/such"], "--new: /no/such"),
        (&["--base", "macs", "--new", "worker:true"], "--new: true"),
        (&["--base", "macs", "--new", "macs", "--mac", "hmac-sha265"], "hmac-sha256"),
        (&["--base", "macs", "--new", "macs", "--margin", "0"], "--margin"),
        (&["--base", "macs", "--new", "macs", "--budget", "0"], "--budget"),
        (&["--base", "macs", "--new", "macs", "--undecided", "maybe"], "pass, fail"),
        (&["--base", "macs", "--new", "macs", "--write", "xml=x"], "formats are"),
        (&["--base", "macs", "--new", "macs", "--accept", "wrong.toml"], "missing field `author`"),
        (&["--base", "macs", "--new", "macs", "--accept", "none.toml"], "none.toml"),
        (&["--base", "macs", "--new", "null"], "share none of the requested MACs"),
        (
            &["--base", "rustcrypto", "--new", "rustcrypto", "--mac", "hmac-sha256,chaskey"],
            "--mac chaskey: neither --base nor --new has it",
        ),
        (&["--base", "macs", "--new", "macs", "--cpu", "9999"], "--cpu"),
    ] {
        let error = bench.wrong(&[&["gate"], arguments].concat());
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
}
