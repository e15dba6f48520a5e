//! What newcomers stumble over: lengths as people write them, names mistyped, lists and tables of a
//! narrow terminal, budgets, and folders that are given to others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bench::Bench;

impl Bench {
    /// What a run says while it measures.
    fn said(&self, arguments: &[&str]) -> String {
        let ended = self.output(arguments);
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{said}");
        said
    }

    /// A short run, narrowed; what it says.
    fn narrowed(&self) -> String {
        let run = ["run", "--provider", "macs", "--mac", "hmac-sha256,cmac-aes-128"];
        self.said(&[&run[..], &["--size", "64", "--budget", "12"]].concat())
    }

    /// Every file of a folder, by its path within it.
    fn names_below(&self, folder: &str) -> BTreeSet<String> {
        let root = self.path(folder);
        let name = |path: PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
        self.files_below(&root).into_iter().map(name).collect()
    }
}

/// Lengths of the cells of a plan.
fn lengths(plan: &Value) -> BTreeSet<u64> {
    let cells = plan["cells"].as_array().unwrap().iter();
    cells.map(|cell| cell.as_str().unwrap().rsplit('/').next().unwrap().parse().unwrap()).collect()
}

/// What is far off is told in few words, and with what would be right.
#[test]
fn numbers_out_of_range_are_told_shortly() {
    let bench = Bench::new();
    for (line, said) in [
        ("plan --budget -1", "--budget -1: must be more than 0"),
        ("plan --budget 1e300", "--budget 1e300: must be more than 0"),
        ("plan --patience -2", "--patience -2: must be more than 0"),
        ("plan --patience 1e300", "--patience 1e300: must be"),
        ("recommend --size 64 --rate 1e300", "--rate 1e300: must be"),
    ] {
        let told = bench.wrong(&line.split(' ').collect::<Vec<_>>());
        assert!(told.contains(said) && told.len() < 200, "{line}: {told}");
    }
    let told = bench.wrong(&["cite", "last", "--author", " "]);
    assert!(told.contains("--author \" \": must be a name"), "{told}");
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
        (&["list", "macs", "--mac", "cmac-aes"], "cmac-aes-128"),
        (&["plan", "--mac", "hmac"], "hmac-sha256"),
        (&["plan", "--mac", "HMAC-SHA-256"], "hmac-sha256"),
        (&["recommend", "--size", "64", "--mac", "hmac_sha256"], "hmac-sha256"),
        (&["keygen", "--mac", "HMAC-SHA256", "k"], "hmac-sha256"),
        (&["plan", "--provider", "golang"], "go"),
        (&["plan", "--provider", "nodejs"], "node"),
        (&["plan", "--provider", "libgcrypt"], "gcrypt"),
        (&["plan", "--not", "libsodium"], "sodium"),
        (&["plan", "--provider", "libcrypto"], "openssl"),
        (&["plan", "--provider", "boringssl"], "aws-lc-rs"),
        (&["report", "--format", "markdwn"], "markdown"),
    ] {
        let error = bench.wrong(arguments);
        let suggested = error.split("did you mean ").nth(1);
        let suggested = suggested.or(error.split("similar value exists: ").nth(1)).unwrap_or("");
        let first = suggested.split([',', '?', ' ', ')']).next().unwrap().trim_matches('\'');
        assert_eq!(first, name, "{arguments:?}: {error}");
    }
    // It is as near to hmac-sha224.
    assert!(bench.wrong(&["plan", "--mac", "hmac-sha265"]).contains("hmac-sha256"));
    let pattern = bench.wrong(&["plan", "--mac", "hmac"]);
    assert!(pattern.contains("'hmac-*' takes all"), "{pattern}");
    for (name, option) in [
        ("hmac-sha256", "--mac hmac-sha256"),
        ("HMAC-SHA-256", "--mac hmac-sha256"),
        ("openssl", "--provider openssl"),
    ] {
        let error = bench.wrong(&["run", name]);
        assert!(error.contains(&format!("did you mean `macrometer run {option}`?")), "{error}");
    }
}

#[test]
fn what_is_asked_for_is_never_missing_without_a_word() {
    let bench = Bench::new();
    for (arguments, told) in [
        (
            &["--provider", "rustcrypto", "--mac", "hmac-sha256,chaskey"][..],
            "left out   chaskey: no participating provider offers it",
        ),
        (
            &["--provider", "macs,rustcrypto", "--mac", "chaskey"],
            "left out   rustcrypto: offers nothing that was requested",
        ),
        (
            &["cbc-mac-variants", "--mac", "emac-aes-128,hmac-sha256"],
            "left out   hmac-sha256: the study \"cbc-mac-variants\" does not measure it",
        ),
    ] {
        let plan = bench.right(&[&["plan"], arguments].concat());
        assert!(plan.contains(told), "{plan}");
    }
}

#[test]
fn what_is_required_is_named_with_all_its_alternatives() {
    let bench = Bench::new();
    for (arguments, alternatives) in [
        (&["verify", "--mac", "hmac-sha256", "--key-file", "k"][..], &["--check", "--tag"][..]),
        (&["tag", "--mac", "hmac-sha256"], &["--key-file", "--key-fd"]),
        (&["verify"], &["--key-file", "--key-fd", "--check", "--tag"]),
    ] {
        let error = bench.wrong(arguments);
        assert!(alternatives.iter().all(|it| error.contains(it)), "{arguments:?}: {error}");
    }
}

#[test]
fn the_archive_may_be_named_before_the_verb() {
    let bench = Bench::new();
    bench.narrowed();
    let (own, other) = (bench.archive().display().to_string(), bench.path("other.db"));
    std::fs::rename(&own, &other).unwrap();
    let other = other.display().to_string();
    for verb in [&["runs"][..], &["list", "runs", "--format", "json"], &["report", "--tables"]] {
        let before = bench.right(&[&["--archive", &other], verb].concat());
        assert_eq!(before, bench.right(&[verb, &["--archive", &other]].concat()), "{verb:?}");
    }
    // What stands behind the verb is nearer to it.
    let told = bench.right(&["runs", "--archive", &other]);
    assert_eq!(bench.right(&["--archive", "nonsuch.db", "runs", "--archive", &other]), told);
    assert!(bench.wrong(&["--archive", "nonsuch.db", "runs"]).contains("nonsuch.db"));
    for verb in [&["worker", "null"][..], &["selftest"]] {
        let error = bench.wrong(&[&["--archive", &other], verb].concat());
        assert!(error.contains("--archive"), "{error}");
    }
}

#[test]
fn a_command_that_is_refused_makes_no_folder_for_its_archive() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("there")).unwrap();
    for (archive, wrong, named) in [
        ("typo/sub/x.db", &["--mac", "nosuch"][..], "typo"),
        ("typo/sub/x.db", &[], "typo"),
        ("there/sub/x.db", &["--mac", "nosuch"], "nosuch"),
        ("sub/x.db", &["--provider", "opensll"], "openssl"),
        ("sub/x.db", &["--provider", "openssl[soft]", "--mac", "gimac-aes-128"], "gimac"),
    ] {
        let error = bench.wrong(&[&["run", "--archive", archive], wrong].concat());
        assert!(error.contains(named), "{archive} {wrong:?}: {error}");
        assert!(!bench.path(archive).parent().unwrap().exists(), "{archive} {wrong:?}");
    }
    assert!(!bench.path("typo").exists());
    let small = ["run", "--mac", "cmac-aes-128", "--size", "64", "--provider", "macs"];
    bench.right(&[&small[..], &["--budget", "1", "--archive", "there/sub/x.db"]].concat());
    assert!(bench.path("there/sub/x.db").exists(), "its own folder is made");
}

#[test]
fn json_is_short_for_its_format_wherever_there_is_one() {
    let bench = Bench::new();
    bench.narrowed();
    for verb in [
        &["runs"][..],
        &["runs", "check"],
        &["list", "macs"],
        &["report"],
        &["plan", "--provider", "macs", "--mac", "hmac-sha256"],
        &["compare", "last", "last"],
        &["claims", "khc"],
    ] {
        let short = bench.right(&[verb, &["--json"]].concat());
        assert_eq!(short, bench.right(&[verb, &["--format", "json"]].concat()), "{verb:?}");
        serde_json::from_str::<Value>(&short).unwrap_or_else(|error| panic!("{verb:?}: {error}"));
    }
    assert!(bench.wrong(&["report", "--json", "--format", "csv"]).contains("--format"));
    assert!(bench.wrong(&["tag", "--json"]).contains("--json"));
    assert!(bench.right(&["run", "--help"]).contains("Short for --format json"));
}

#[test]
fn shells_complete_and_man_pages_are_printed() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = bench.right(&["completions", shell]);
        for word in ["recommend", "archive", "key-life"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
        let file = bench.path(shell);
        bench.write(&file, &text);
        match std::process::Command::new(shell).arg("-n").arg(&file).output() {
            Ok(read) => assert!(read.status.success(), "{shell}: {read:?}"),
            Err(_) => eprintln!("skipped: no {shell} here"),
        }
    }
    assert!(bench.wrong(&["completions", "sh"]).contains("bash"));
    let (own, run) = (bench.right(&["man"]), bench.right(&["man", "run"]));
    assert!(own.contains(".TH macrometer 1") && own.contains("recommend"), "{own}");
    assert!(run.contains(".TH macrometer-run 1") && run.contains("\\-\\-budget"), "{run}");
    assert!(bench.wrong(&["man", "recomend"]).contains("did you mean recommend?"));
}

#[test]
fn a_new_study_runs_as_it_is() {
    let bench = Bench::new();
    let told = bench.right(&["new", "webhooks.toml"]);
    assert!(told.contains("`macrometer run webhooks.toml`"), "{told}");
    let run = ["run", "webhooks.toml", "--provider", "macs", "--budget", "2"];
    let run = bench.json(&run);
    assert_eq!(run["study"], "webhooks");
    // With its claim it is a study, too.
    let text = std::fs::read_to_string(bench.path("webhooks.toml")).unwrap();
    let (study, claim) = text.split_once("# [[claims]]").unwrap();
    let claim: String =
        claim.lines().map(|it| format!("{}\n", it.trim_start_matches("# "))).collect();
    bench.write("claimed.toml", format!("{study}[[claims]]{claim}"));
    assert!(
        bench.right(&["plan", "claimed.toml", "--provider", "macs", "--cells"]).contains("cmac")
    );
    assert!(bench.wrong(&["new", "webhooks.toml"]).contains("already exists"));
    assert_eq!(std::fs::read_to_string(bench.path("webhooks.toml")).unwrap(), text);
    assert!(bench.wrong(&["new", "webhooks"]).contains("ends in .toml"));
    assert!(bench.wrong(&["new", "no/such/it.toml"]).contains("no/such/it.toml: "));
}

#[test]
fn a_study_file_is_refused_with_all_that_is_wrong() {
    let bench = Bench::new();
    bench.write("mine.toml", "name = 'm'\nbudgit_s = 3\n[[panels]]\n[[parts]]\nname = 'p'\n");
    let error = bench.wrong(&["plan", "mine.toml"]);
    for part in [
        "mine.toml: line 2: unknown field `budgit_s`",
        "missing `title`, `summary`, `budget_s`, `launches`",
        "[[panels]] 1: missing `name`, `title`",
        "[[parts]] \"p\": missing `title`, `key_lives`, [[parts.cases]], `sizes`",
    ] {
        assert!(error.contains(part), "{part}: {error}");
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
        assert!(!error.contains("os error") && !error.contains(".macrometer-"), "{error}");
    }
}

#[test]
fn a_key_that_cannot_be_placed_leaves_nothing_behind() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("keys")).unwrap();
    bench.write("keys/mine", "old");
    let error = bench.wrong(&["keygen", "--mac", "hmac-sha256", "keys/mine"]);
    assert!(error.contains("keys/mine") && error.contains("never overwritten"), "{error}");
    assert_eq!(bench.names_below("keys"), ["mine".to_owned()].into());
    bench.right(&["keygen", "--mac", "hmac-sha256", "keys/other"]);
    assert_eq!(bench.names_below("keys"), ["mine".to_owned(), "other".into()].into());
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
    for option in ["--mac 'hmac-sha256,cmac-aes-128'", "--provider macs", "--size 64"] {
        assert!(options.contains(option), "{options}");
    }
    assert!(!options.contains("--budget") && !options.contains("--seed"), "{options}");
    assert!(run["cells"].as_u64().unwrap() > 0 && run["spent_s"].as_f64().unwrap() > 0.0);
    let table = bench.right(&["list", "runs"]);
    assert!(table.contains(options) && table.contains(" of 12 s"), "{table}");
    let told = bench.right(&["report", "last"]);
    assert!(told.contains("narrowed by --mac"), "{told}");
    assert!(!told.contains("Every MAC"), "{told}");
}

#[test]
fn a_quick_run_is_one_screen_of_what_is_in_wide_use() {
    let bench = Bench::new();
    let quick = ["run", "--quick", "--quiet", "--provider", "macs", "--budget", "6"];
    let ended = bench.output(&quick);
    assert_eq!(ended.status.code(), Some(0));
    let screen = String::from_utf8(ended.stdout).unwrap();
    assert!(screen.lines().count() <= 40, "{screen}");
    assert!(screen.contains("narrowed by --provider macs --quick\n"), "{screen}");
    for wanted in ["hmac-sha256", "64 B", "1 KiB", "16 KiB"] {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    // The command that measures it again is one that is taken: `--quick` chooses the study.
    let runs: Value =
        serde_json::from_str(&bench.right(&["list", "runs", "--format", "json"])).unwrap();
    let again = runs[0]["command"].as_str().unwrap();
    assert!(
        again.starts_with("macrometer run --provider macs --quick --budget 6 --seed "),
        "{again}"
    );
    // Nothing but warnings.
    let said = String::from_utf8(ended.stderr).unwrap();
    let is_warning = |line: &str| line.starts_with("this machine: ") || line.contains("warning");
    assert!(said.lines().all(is_warning), "{said}");
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
fn a_study_is_planned_without_the_code_paths_that_cannot_be_had() {
    let study = |forced: &str| {
        format!(
            "name = 'mine'\ntitle = 'M'\nsummary = 'S'\nbudget_s = 8\nlaunches = 2\n[[panels]]\n\
             name = 'p'\ntitle = 'P'\nproviders = ['macs', '{forced}']\n[[parts]]\nname = 'p'\n\
             title = 'P'\nsizes = [64]\nkey_lives = ['prepared']\n[[parts.cases]]\nname = 'c'\n\
             title = 'C'\nmacs = ['hmac-sha256']\n"
        )
    };
    // Other processors, and other builds of macrometer, have other code paths.
    let bench = Bench::with(&[("mine.toml", &study("rustcrypto[soft]"))]);
    let told = bench.right(&["plan", "mine.toml"]);
    for part in ["2 found: macs, null\n", "rustcrypto cannot be forced to a code path"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    bench.write("mine.toml", study("macs[sotf]"));
    let error = bench.wrong(&["plan", "mine.toml"]);
    assert!(error.contains("macs[sotf]: macs can be forced to "), "{error}");
    // One that is asked for by name must be there.
    let error = bench.wrong(&["plan", "--provider", "rustcrypto[soft]"]);
    assert!(error.contains("rustcrypto cannot be forced to a code path"), "{error}");
    // This one names crates that not every build has.
    bench.right(&["plan", "apparent-processing"]);
}

#[test]
fn a_bundle_is_a_tidy_tree_with_a_list_of_what_is_in_it() {
    let bench = Bench::new();
    bench.narrowed();
    bench.right(&["report", "--format", "bundle", "--out", "bundle"]);
    let files = bench.names_below("bundle");
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
