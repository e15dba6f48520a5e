//! What newcomers stumble over: lengths as people write them, names mistyped, lists and tables of a
//! narrow terminal, budgets, and folders that are given to others.

mod bench;

use std::collections::BTreeSet;
use std::path::Path;

use bench::Bench;
use serde_json::Value;

impl Bench {
    /// Without any file.
    fn new() -> Self {
        Self::with(&[])
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.right(&[arguments, &["--format", "json"]].concat())).unwrap()
    }

    /// What a run says while it measures.
    fn said(&self, arguments: &[&str]) -> String {
        let ended = self.output(arguments);
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{said}");
        said
    }

    /// A run of a second or two, narrowed; what it says.
    fn narrowed(&self) -> String {
        let run = ["run", "--provider", "macs", "--mac", "hmac-sha256,cmac-aes-128"];
        self.said(&[&run[..], &["--size", "64", "--budget", "2"]].concat())
    }

    /// Every file of a folder, by its path within it.
    fn files(&self, folder: &str) -> BTreeSet<String> {
        let (root, mut files) = (self.path(folder), BTreeSet::new());
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.strip_prefix(&root).unwrap().display().to_string());
                }
            }
        }
        files
    }
}

/// Lengths of the cells of a plan.
fn lengths(plan: &Value) -> BTreeSet<u64> {
    let cells = plan["cells"].as_array().unwrap().iter();
    cells.map(|cell| cell.as_str().unwrap().rsplit('/').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn lengths_are_taken_as_people_write_them() {
    let bench = Bench::new();
    let plan = ["plan", "--provider", "macs", "--mac", "hmac-sha256", "--key-life", "prepared"];
    let sizes = ["--size", "300B,1k,2K,1KiB,64KiB,1MiB"];
    let told = lengths(&bench.json(&[&plan[..], &sizes].concat()));
    assert_eq!(told, [300, 1000, 2000, 1024, 65_536, 1 << 20].into());
    for wrong in ["-5", "foo", "1.5k", "64,foo", "-5k"] {
        let error = bench.wrong(&["plan", "--size", wrong]);
        assert!(error.contains("--size") && error.contains("64KiB"), "{wrong}: {error}");
    }
}

#[test]
fn whoever_mistypes_a_name_is_told_the_nearest() {
    let bench = Bench::new();
    for (arguments, name) in [
        (&["plan", "sruvey"][..], "survey"),
        (&["run", "hmac-cmac"], "hmac-vs-cmac"),
        (&["claims", "kch"], "khc"),
        (&["plan", "--provider", "opensll"], "openssl"),
        (&["plan", "--provider", "rustcrpyto[soft]"], "rustcrypto"),
        (&["plan", "--not", "jaav"], "java"),
        (&["list", "providers", "--lib", "opensll=/x"], "openssl"),
        (&["plan", "--mac", "hmac-sha265"], "hmac-sha256"),
        (&["list", "macs", "--mac", "cmac-aes"], "cmac-aes-128"),
    ] {
        let error = bench.wrong(arguments);
        let suggested = error.split("did you mean ").nth(1).unwrap_or_default();
        assert!(suggested.split([',', '?', ' ']).any(|it| it == name), "{arguments:?}: {error}");
    }
}

#[test]
fn what_is_required_is_named_with_all_its_alternatives() {
    let bench = Bench::new();
    for (arguments, alternatives) in [
        (&["verify", "--mac", "hmac-sha256", "--key-file", "k"][..], &["--check", "--tag"][..]),
        (&["tag", "--mac", "hmac-sha256"], &["--key-file", "--key-fd"]),
        (&["verify"], &["--mac", "--key-file", "--key-fd", "--check", "--tag"]),
    ] {
        let error = bench.wrong(arguments);
        assert!(alternatives.iter().all(|it| error.contains(it)), "{arguments:?}: {error}");
    }
}

#[test]
fn errors_of_paths_say_what_was_tried() {
    let bench = Bench::new();
    bench.narrowed();
    bench.write("file", "");
    let inside = bench.path("file/deeper").display().to_string();
    for (arguments, tried) in [
        (&["report", "--out", &inside][..], "cannot write the report to "),
        (&["report", "--format", "latex", "--out", &inside], "cannot write the report to "),
        (&["report", "--format", "bundle", "--out", &inside], "cannot write the report to "),
        (&["run", &format!("{inside}.toml")], "cannot read the study "),
        (&["keygen", "--mac", "hmac-sha256", &inside], "cannot write the key to "),
    ] {
        let ended = bench.output(arguments);
        let error = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(tried) && error.contains(&inside), "{arguments:?}: {error}");
        assert!(!error.contains("os error") && !error.contains(".macrometer-key"), "{error}");
    }
}

#[test]
fn a_key_that_cannot_be_placed_leaves_nothing_behind() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("keys")).unwrap();
    bench.write("keys/mine", "old");
    let error = bench.wrong(&["keygen", "--mac", "hmac-sha256", "keys/mine"]);
    assert!(error.contains("keys/mine") && error.contains("never overwritten"), "{error}");
    assert_eq!(bench.files("keys"), ["mine".to_owned()].into());
    bench.right(&["keygen", "--mac", "hmac-sha256", "keys/other"]);
    assert_eq!(bench.files("keys"), ["mine".to_owned(), "other".into()].into());
    let mode =
        std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(bench.path("keys/other")).unwrap());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_first_run_warns_of_no_budget_that_it_cannot_know_to_be_too_little() {
    let bench = Bench::new();
    assert!(!bench.narrowed().contains("budget: "));
    let plan = bench.right(&["plan", "khc", "--budget", "15"]);
    assert!(!plan.contains("Too little"), "{plan}");
}

/// A claim that six blocks decide, whatever the machine.
const DECIDED: &str = r#"
name = "mine"
title = "A claim that is soon decided"
summary = "Small."
budget_s = 100
launches = 6
[[panels]]
name = "own"
title = "Our own"
providers = ["macs"]
[[parts]]
name = "p"
title = "P"
sizes = [16, 65536]
key_lives = ["prepared"]
blocks = 6
[[parts.cases]]
name = "c"
title = "C"
macs = ["hmac-sha256"]
[[claims]]
id = "falls"
text = "A byte costs less in longer messages."
source = "nowhere"
part = "p"
falling = ["*"]
"#;

#[test]
fn a_run_that_leaves_much_of_its_budget_says_why() {
    let bench = Bench::with(&[("mine.toml", DECIDED)]);
    let said = bench.said(&["run", "mine.toml"]);
    let end = said.lines().find(|line| line.starts_with("claims: ends after ")).unwrap();
    assert!(end.contains(" of 100 s: ") && end.ends_with("rests on is decided"), "{end}");
}

#[test]
fn a_narrowed_run_is_listed_with_what_narrowed_it() {
    let bench = Bench::new();
    bench.narrowed();
    let runs = bench.json(&["list", "runs"]);
    let run = &runs[0];
    assert_eq!(run["study"], "survey");
    let options = run["narrowed_by"].as_str().unwrap();
    for option in ["--mac 'hmac-sha256,cmac-aes-128'", "--provider 'macs'", "--size '64'"] {
        assert!(options.contains(option), "{options}");
    }
    assert!(!options.contains("--budget") && !options.contains("--seed"), "{options}");
    assert!(run["cells"].as_u64().unwrap() > 0 && run["spent_s"].as_f64().unwrap() > 0.0);
    let table = bench.right(&["list", "runs"]);
    assert!(table.contains(options) && table.contains(" of 2 s"), "{table}");
    let told = bench.right(&["report", "last"]);
    assert!(told.contains("narrowed by --mac"), "{told}");
    assert!(!told.contains("Every MAC"), "{told}");
}

#[test]
fn code_paths_that_are_listed_can_be_planned() {
    let bench = Bench::new();
    let mut names = Vec::new();
    for row in bench.json(&["list", "providers"]).as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let paths = row["forced"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
        names.extend(paths.map(|path| format!("{name}[{path}]")));
    }
    assert!(names.contains(&"macs[soft]".to_owned()), "{names:?}");
    // Those that are named must be there.
    bench.right(&["plan", "--provider", &names.join(","), "--mac", "hmac-sha256", "--size", "64"]);
}

#[test]
fn a_bundle_is_a_tidy_tree_with_a_list_of_what_is_in_it() {
    let bench = Bench::new();
    bench.narrowed();
    bench.right(&["report", "--format", "bundle", "--out", "bundle"]);
    let files = bench.files("bundle");
    let above = ["CITATION.cff", "README.md", "provenance.json", "report.html", "study.toml"];
    let top: Vec<&String> = files.iter().filter(|name| !name.contains('/')).collect();
    assert_eq!(top, above);
    let readme = std::fs::read_to_string(bench.path("bundle/README.md")).unwrap();
    for name in files.iter().filter(|name| *name != "README.md") {
        let path = Path::new(name);
        let told = match path.parent().and_then(Path::to_str) {
            Some("charts") => path.file_stem().unwrap().to_str().unwrap(),
            _ => name,
        };
        assert!(readme.contains(&format!("- `{told}`: ")), "{name}: {readme}");
    }
    for folder in ["charts/", "data/", "tables/"] {
        assert!(files.iter().any(|name| name.starts_with(folder)), "{folder}: {files:?}");
    }
    let citation = std::fs::read_to_string(bench.path("bundle/CITATION.cff")).unwrap();
    assert!(citation.contains("\ntype: software\n") && citation.contains("# preferred-citation:"));
    let named = ["report", "--format", "bundle", "--out", "named", "--author", "Doe, Jane"];
    bench.right(&named);
    let citation = std::fs::read_to_string(bench.path("named/CITATION.cff")).unwrap();
    assert!(citation.contains("family-names: \"Doe\"") && citation.contains("type: dataset"));
    assert!(bench.wrong(&["report", "--author", "Doe, Jane"]).contains("--format bundle"));
}
