//! `gate --base crate:NAME@REV` as a crate's maintainer calls it. The crate is mostly a toy that
//! goes by the name of `blake3`, whose worker needs nothing else but two small crates; where these
//! cannot be had from crates.io, tests are skipped, and say so.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;

use super::{SMALL, text};
use crate::bench::Bench;

const MANIFEST: &str = "[package]\nname = \"blake3\"\nversion = \"1.99.0\"\nedition = \"2024\"\n\
                        [features]\nstd = []\n";

/// A function with the name and type of BLAKE3's: rounds of nothing in particular.
fn toy(rounds: u32) -> String {
    format!(
        "pub const KEY_LEN: usize = 32;\n\
         pub struct Hash([u8; 32]);\n\
         impl Hash {{ pub fn as_bytes(&self) -> &[u8; 32] {{ &self.0 }} }}\n\
         pub fn keyed_hash(key: &[u8; 32], message: &[u8]) -> Hash {{\n\
             let mut state = *key;\n\
             for round in 0..{rounds} {{\n\
                 if std::hint::black_box(round) == 0 {{ state = *key; }}\n\
                 for (i, byte) in message.iter().enumerate() {{\n\
                     state[i % 32] = if round == 0 {{ state[i % 32].rotate_left(3) ^ byte }}\n\
                         else {{ std::hint::black_box(state[i % 32]) }};\n\
                 }}\n\
             }}\n\
             Hash(state)\n\
         }}\n"
    )
}

/// Where cargo keeps what it compiles for all of these tests, so that the crates which every worker
/// needs are compiled once. Releases of cargo before 1.91 take no notice.
static COMPILED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gate-crates");
    let _ = std::fs::remove_dir_all(&folder);
    folder
});

impl Bench {
    /// With a cache of its own.
    fn gate_crates(&self, arguments: &[&str]) -> Output {
        self.gate_with(&[], arguments)
    }

    fn gate_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut command = self.command(&[&["gate"], arguments, &SMALL].concat());
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command.env("CARGO_BUILD_BUILD_DIR", &*COMPILED).envs(variables.iter().copied());
        command.output().unwrap()
    }

    /// A folder with a toy crate; how a gate names it.
    fn toy(&self, folder: &str, source: &str) -> String {
        std::fs::create_dir_all(self.path(folder).join("src")).unwrap();
        self.write(format!("{folder}/Cargo.toml"), MANIFEST);
        self.write(format!("{folder}/src/lib.rs"), source);
        format!("crate:blake3@path={}", self.path(folder).display())
    }

    fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=e", "-C"]).arg(self.path(folder));
        let ended = git.args(arguments).output().unwrap();
        assert!(ended.status.success(), "{arguments:?}: {}", text(&ended.stderr));
        text(&ended.stdout).trim().to_owned()
    }
}

/// Whether crates.io could not be reached, which is said.
fn is_skipped(output: &Output) -> bool {
    let said = text(&output.stderr);
    let signs = ["index.crates.io", "static.crates.io", "offline"];
    let is_skipped = output.status.code() == Some(2) && signs.iter().any(|it| said.contains(it));
    if is_skipped {
        println!("skipped: crates.io cannot be reached: {said}");
        assert!(std::env::var_os("CHECK_STRICT").is_none(), "CHECK_STRICT is set");
    }
    is_skipped
}

/// The findings, and the exit code, which they name too.
#[track_caller]
fn json(output: &Output) -> (i32, Value) {
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    let code = output.status.code().unwrap();
    assert_eq!(told["exit_code"], code);
    (code, told)
}

/// Exit code 2, and in the last line of standard error, of which all others tell of compiling.
#[track_caller]
fn refused(output: &Output) -> String {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let is_progress = |line: &str| line.starts_with("compiling ");
    let lines: Vec<_> = said.lines().filter(|line| !is_progress(line)).collect();
    let [line] = lines[..] else { panic!("not one line: {said}") };
    line.to_owned()
}

#[test]
fn a_slower_checkout_fails_and_is_built_again_once_it_is_mended() {
    let bench = Bench::new();
    let base = bench.toy("base", &toy(2));
    let new = bench.toy("a checkout", &toy(200));
    let own = ["--base", &base, "--new", &new, "--budget", "60", "--format", "json"];
    let slower = bench.gate_crates(&own);
    if is_skipped(&slower) {
        return;
    }
    let (code, told) = json(&slower);
    assert_eq!((code, &told["outcome"]), (1, &"slower".into()), "{told}");
    // None of the usual MACs is among those of this crate: what there is, is gated.
    let cells = told["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 1, "{told}");
    assert_eq!(cells[0]["name"], "blake3-keyed/prepared/64");
    let version = &told["versions"][1];
    assert_eq!(version["name"], "blake3-new");
    assert_eq!(version["version"], "blake3 1.99.0");
    assert!(version["path"].as_str().unwrap().ends_with("/a checkout"), "{version}");
    assert!(!text(&slower.stderr).contains("also differ"), "{}", text(&slower.stderr));
    bench.toy("a checkout", &toy(2));
    let (code, told) = json(&bench.gate_crates(&own));
    assert_eq!((code, &told["outcome"]), (0, &"not-slower".into()), "{told}");
    // Another tag is told before anything is timed.
    bench.toy("a checkout", &toy(2).replace("rotate_left(3)", "rotate_left(5)"));
    let (code, told) = json(&bench.gate_crates(&own));
    assert_eq!((code, &told["outcome"]), (1, &"wrong-tags".into()), "{told}");
    // The compiler's first error is the line.
    bench.toy("a checkout", &toy(2).replace("Hash(state)", "Hash(stale)"));
    let line = refused(&bench.gate_crates(&own));
    let said = "lib.rs:13:6: error[E0425]: cannot find value `stale` in this scope";
    assert!(line.contains("--new: blake3@path=") && line.contains(said), "{line}");
    // What does not fit is not measured.
    bench.write("a checkout/Cargo.toml", MANIFEST.replace("blake3", "blake4"));
    let line = refused(&bench.gate_crates(&own));
    assert!(line.contains("does not contain packages matching `blake3`"), "{line}");
    bench.write("a checkout/Cargo.toml", MANIFEST.replace("1.99.0", "0.3.8"));
    let line = refused(&bench.gate_crates(&own));
    assert!(line.contains("blake3 0.3.8: its traits are not supported; blake3 1.0 is"), "{line}");
}

#[test]
fn commits_tags_and_branches_are_built_from_git() {
    let bench = Bench::new();
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: no git here");
        return;
    }
    bench.toy("repository", &toy(2));
    bench.git("repository", &["init", "--quiet", "--initial-branch", "main"]);
    let commit = |message: &str| {
        bench.git("repository", &["add", "."]);
        bench.git("repository", &["commit", "--quiet", "-m", message]);
        bench.git("repository", &["rev-parse", "HEAD"])
    };
    let first = commit("first");
    bench.git("repository", &["tag", "v1"]);
    bench.toy("repository", &toy(200));
    let second = commit("second");
    let url = format!("file://{}", bench.path("repository").display());
    let of = |reference: &str| format!("crate:blake3@git={url}#{reference}");
    let (tag, branch, short) = (of("v1"), of("main"), of(&first[..10]));
    let gate = |base: &str, new: &str| {
        bench.gate_crates(&["--base", base, "--new", new, "--budget", "60", "--format", "json"])
    };
    let slower = gate(&tag, &branch);
    if is_skipped(&slower) {
        return;
    }
    let (code, told) = json(&slower);
    assert_eq!((code, &told["outcome"]), (1, &"slower".into()), "{told}");
    for (version, commit) in told["versions"].as_array().unwrap().iter().zip([&first, &second]) {
        assert_eq!(version["path"], format!("{url}, commit {commit}"));
    }
    // What was built is not built again: the tag's commit.
    let same = gate(&tag, &short);
    assert_eq!(json(&same).0, 0, "{}", text(&same.stderr));
    assert!(!text(&same.stderr).contains("compiling"), "{}", text(&same.stderr));
    // A branch that has moved is another commit.
    bench.toy("repository", &toy(2));
    commit("third");
    assert_eq!(json(&gate(&tag, &branch)).0, 0);
    // By cargo itself and by the program git, whatever language that speaks.
    for by_git in ["false", "true"] {
        let variables = [("CARGO_NET_GIT_FETCH_WITH_CLI", by_git), ("LC_ALL", "de_DE.UTF-8")];
        let gate = |new: &str| {
            let own = ["--base", &tag, "--new", new, "--budget", "60", "--format", "json"];
            bench.gate_with(&variables, &own)
        };
        let line = refused(&gate(&of("v2")));
        let said = format!("v2: no commit, tag or branch of {url}");
        assert!(line.contains("--new: blake3@git=") && line.contains(&said), "{line}");
        assert_eq!(json(&gate(&branch)).0, 0, "by git: {by_git}");
    }
}

#[test]
fn a_variable_changes_neither_the_compiler_nor_one_side_alone() {
    let bench = Bench::new();
    let toy = bench.toy("toy", &toy(2));
    let compiled = bench.path("cache/compiled");
    let variables = [
        ("CARGO_BUILD_BUILD_DIR", compiled.to_str().unwrap()),
        ("RUSTC", "/bin/false"),
        ("CARGO_BUILD_RUSTC", "/bin/false"),
        ("RUSTC_WRAPPER", "/bin/false"),
        ("CARGO_BUILD_RUSTC_WRAPPER", "/bin/false"),
        ("RUSTC_WORKSPACE_WRAPPER", "/bin/false"),
        ("CARGO_INCREMENTAL", "1"),
    ];
    let own = ["--base", &toy, "--new", &toy, "--budget", "60", "--format", "json"];
    let same = bench.gate_with(&variables, &own);
    if is_skipped(&same) {
        return;
    }
    assert_eq!(json(&same).0, 0, "{}", text(&same.stderr));
    // What cargo keeps from one incremental build to the next.
    let built = bench.files_below(&bench.path("cache"));
    let is_kept = |file: &&PathBuf| file.iter().any(|part| part == "incremental");
    assert_eq!(built.iter().find(is_kept), None);
}

#[test]
fn configuration_that_others_can_write_is_refused_before_anything_is_run() {
    use std::os::unix::fs::PermissionsExt;

    let bench = Bench::new();
    std::fs::create_dir(bench.path(".cargo")).unwrap();
    let ran = bench.path("ran");
    let script = format!("#!/bin/sh\ntouch '{}'\nexec \"$@\"\n", ran.display());
    let wrapper = bench.script("wrapper", &script);
    let text = format!("[build]\nrustc-wrapper = \"{}\"\n", wrapper.display());
    bench.write(".cargo/config.toml", text);
    let file = bench.path(".cargo/config.toml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    for new in ["crate:sha2@0.11.1", "crate:sha2@git=file:///no/such#main"] {
        let line = refused(&bench.gate_crates(&["--base", new, "--new", new]));
        let said = "/.cargo/config.toml can be written by others (mode 0666), and cargo would";
        assert!(
            line.contains(&format!("--base: {}: ", &new[6..])) && line.contains(said),
            "{line}"
        );
        assert!(!ran.exists());
    }
}

#[test]
fn releases_of_both_generations_are_compared() {
    let bench = Bench::new();
    let gate = |base: &str, new: &str| {
        let own = ["--mac", "hmac-sha256", "--budget", "60", "--format", "json"];
        bench.gate_crates(&[&["--base", base, "--new", new], &own[..]].concat())
    };
    let (former, present) = ("crate:sha2@0.10.9", "crate:sha2@0.11.1");
    let compared = gate(former, present);
    if is_skipped(&compared) {
        return;
    }
    let (code, told) = json(&compared);
    assert!([0, 1].contains(&code) && told["wrong_tags"][0].is_null(), "{told}");
    assert_eq!(told["versions"][0]["version"], "sha2 0.10.9");
    assert_eq!(told["versions"][1]["version"], "sha2 0.11.1");
    let said = text(&compared.stderr);
    assert!(said.contains("--base and --new also differ in "), "{said}");
    assert!(said.contains("digest (0.10.7 and 0.11.3)"), "{said}");
    // Right tags: those of our own library. What a library was built with is nobody's business.
    let with_ours = gate(present, "macs");
    assert!(json(&with_ours).1["wrong_tags"][0].is_null());
    assert!(!text(&with_ours.stderr).contains("also differ"), "{}", text(&with_ours.stderr));
    let line = refused(&gate(present, "crate:sha2@0.11.999"));
    assert!(line.contains("requirement `sha2 = \"=0.11.999\"`; candidate versions"), "{line}");
}

/// Every crate of the list, of both generations where it has them, with the right tags for all that
/// it offers. Some minutes of compiling.
#[test]
#[ignore = "compiles a worker for every crate"]
fn every_crate_of_the_list_builds_and_has_the_right_tags() {
    for pair in [
        &["aes@0.8.4", "aes@0.9.4"][..],
        &["aes-gcm@0.10.3", "aes-gcm@0.11.1"],
        &["blake2@0.10.6", "blake2@0.11.0"],
        &["blake3@1.5.0", "blake3@1.8.7"],
        &["cmac@0.7.2", "cmac@0.8.0"],
        &["ghash@0.5.1", "ghash@0.6.0"],
        &["hmac@0.12.1", "hmac@0.13.0"],
        &["keccak@0.1.6", "keccak@0.2.0"],
        &["poly1305@0.8.0", "poly1305@0.9.0"],
        &["polyval@0.6.2", "polyval@0.7.1"],
        &["sha1@0.10.6", "sha1@0.11.0"],
        &["sha2@0.10.8", "sha2@0.11.0"],
        &["sha3@0.10.8", "sha3@0.11.0"],
    ] {
        let bench = Bench::new();
        for revision in pair {
            let base = format!("crate:{revision}");
            let own = ["--base", &base, "--new", "macs", "--mac", "*", "--budget", "20"];
            let output = bench.gate_crates(&[&own[..], &["--format", "json"]].concat());
            if is_skipped(&output) {
                return;
            }
            let (_, told) = json(&output);
            let cells = told["cells"].as_array().unwrap();
            println!("{revision}: {} cells", cells.len());
            assert!(!cells.is_empty() && told["wrong_tags"][0].is_null(), "{revision}: {told}");
        }
    }
}

#[test]
fn without_cargo_or_a_network_there_is_one_line() {
    let bench = Bench::new();
    let own = ["gate", "--base", "crate:sha2@0.11.0", "--new", "crate:sha2@0.11.1"];
    let mut command = bench.command(&own);
    command.env("PATH", "relative").env("XDG_CACHE_HOME", bench.path("cache"));
    let line = refused(&command.output().unwrap());
    let said = "--base: sha2@0.11.0: cargo is not on PATH; rustup (https://rustup.rs) installs it";
    assert!(line.contains(said), "{line}");
    let mut command = bench.command(&own);
    // Where rustup has its toolchains is by the home of the user, not by this.
    command.env("CARGO_HOME", bench.path("empty")).env("CARGO_NET_OFFLINE", "true");
    let line = refused(&command.env("XDG_CACHE_HOME", bench.path("cache")).output().unwrap());
    assert!(line.contains("--base: sha2@0.11.0: ") && line.contains("offline"), "{line}");
    let left: Vec<PathBuf> = bench.files_below(&bench.path("cache"));
    assert!(left.iter().all(|file| file.ends_with("crate-sha2.lock")), "{left:?}");
}

#[test]
fn what_is_no_revision_is_one_line() {
    let bench = Bench::new();
    for (new, told) in [
        ("crate:sha5@0.11.0", "crate \"sha5\" cannot be compared here; available: aes, aes-gcm, "),
        ("crate:sha2", "sha2 needs a revision: sha2@VERSION (a release), sha2@path=FOLDER"),
        ("crate:sha2@", "sha2 needs a revision"),
        ("crate:sha2@0.11", "a release has three numbers, such as 0.11.0"),
        ("crate:sha2@0.11.0 0.11.1", "letters, digits and . _ / + -"),
        ("crate:sha2@--config=x", "no --config=: path=FOLDER or git=URL#REV"),
        ("crate:sha2@-x", "no - at the beginning"),
        ("crate:sha2@path=no/such", "no/such: no such folder"),
        ("crate:sha2@path=.", ".: has no Cargo.toml"),
        ("crate:sha2@git=https://example.org/a", "needs a commit, tag or branch behind #"),
        ("crate:sha2@git=--upload-pack=x#main", "a URL begins with https://, ssh://, file://"),
        (
            "crate:sha2@git=https://me:hidden@example.org/a#main",
            "--new <VERSION>': a URL must have",
        ),
        ("crate:sha2@git=https://hidden@example.org/a#main", "with https no user or token"),
        ("crate:sha2@git=https://hidden@example.org/a", "with https no user or token"),
        ("crate:sha2@git=ssh://me:hidden@example.org/a#main", "no password in it"),
        ("crate:sha2@0.9.9", "sha2 0.9.9: its traits are not supported; sha2 0.10 is"),
    ] {
        let error = bench.wrong(&["gate", "--base", "macs", "--new", new]);
        assert!(error.contains(told), "{new}: {error}");
        assert!(!error.contains("hidden"), "{error}");
        assert!(!bench.archive().exists(), "{error}");
    }
}
