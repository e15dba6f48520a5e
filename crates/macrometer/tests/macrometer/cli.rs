//! The command as a user calls it: results, bad input, interruption.

use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use serde_json::Value;

use crate::bench::Bench;

/// A small run that takes a second or two.
const SMALL: &[&str] = &[
    "run",
    "survey",
    "--mac",
    "hmac-sha256,cmac-aes-128",
    "--size",
    "16,64",
    "--launches",
    "2",
    "--provider",
    "macs,rustcrypto,null",
];

impl Bench {
    /// A file of its folder, by its whole path.
    fn file(&self, name: &str, content: &str) -> String {
        self.write(name, content);
        self.path(name).display().to_string()
    }

    fn small(&self, budget_s: &str) -> String {
        self.right(&[SMALL, &["--budget", budget_s]].concat())
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_run_ends_with_a_ranking_and_a_page_and_has_charts_and_tables_on_request() {
    let bench = Bench::new();
    let text = bench.small("3");
    assert!(text.contains("cmac-aes-128") && text.contains("hmac-sha256"), "{text}");
    let page =
        text.lines().find_map(|line| line.strip_prefix("page: ")).expect("where the page is");
    let folder = Path::new(page).parent().unwrap();
    assert!(std::fs::read_to_string(page).unwrap().starts_with("<!"));
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    assert_eq!(names(), ["report.html"]);
    bench.right(&["report", "last", "--format", "files"]);
    let names = names();
    for ending in [".svg", "samples.csv", "findings.csv", "findings.json"] {
        assert!(names.iter().any(|name| name.ends_with(ending)), "no {ending} in {names:?}");
    }
    assert_eq!(bench.state(), "complete");
}

#[test]
fn a_kept_run_is_told_again_in_every_form() {
    let bench = Bench::new();
    bench.small("6");
    let raw = bench.right(&["report", "--format", "samples"]);
    assert_eq!(raw.lines().count() as i64, 1 + bench.count("sample"));
    let header = raw.lines().next().unwrap();
    for name in ["cell", "block", "iterations", "elapsed_ns"] {
        assert!(header.contains(name), "{header}");
    }
    let findings = bench.right(&["report", "last", "--format", "csv"]);
    assert!(findings.lines().count() > 8, "{findings}");
    assert!(json(&bench.right(&["report", "--format", "json"])).is_object());
    assert!(bench.right(&["report", "--format", "html"]).contains("</html>"));
    assert!(bench.right(&["report"]).contains("page: "));
    assert!(bench.right(&["compare", "last", "last"]).contains("hmac-sha256"));
    let cells = ["analyze", "--run", "last", "--cell", "*mac-*/single/prepared/64"];
    let analysis = json(&bench.right(&[&cells[..], &["--format", "json"]].concat()));
    assert_eq!(analysis["normality"].as_object().unwrap().len(), 4);
    assert!(analysis["alpha"] == 0.05 && analysis["rows"] == "blocks", "{analysis}");
    assert!(raw.contains(analysis["run"].as_str().unwrap()), "{}", analysis["run"]);
    assert_eq!(analysis["wilcoxon"].as_array().unwrap().len(), 6);
    let none = ["analyze", "--run", "last", "--cell", "umac/*"];
    assert!(bench.wrong(&none).contains("0 cells"));
    let mixed = ["analyze", "--run", "last", "--cell", "*/macs/*"];
    assert!(bench.wrong(&mixed).contains("share no blocks"));
}

/// Figures of the tables of *Comparing the Speeds of HMAC and CMAC*, and results of `go test`.
#[test]
fn printed_figures_and_results_of_other_programs_are_analyzed() {
    let bench = Bench::new();
    let counts = ["analyze", "--counts", "9,19,35,36,1", "--counts", "9,16,40,35,0"];
    let text = bench.right(&counts);
    assert!(
        text.starts_with("counts 9, 19, 35, 36, 1 (n = 100): chi-squared 12.8 with 2 "),
        "{text}"
    );
    assert!(
        text.contains("p = 0.0017") && text.contains("normality is rejected at 0.05"),
        "{text}"
    );
    let few = bench.right(&["analyze", "--counts", "1,0,1,0,0"]);
    assert!(few.contains("2 values are few, classes expect fewer than 5"), "{few}");
    let told = ["--t-plus", "1468", "--pairs", "71", "--format", "json"];
    let tested = json(&bench.right(&[&counts[..], &told].concat()));
    assert_eq!(tested["normality"].as_array().unwrap().len(), 2);
    assert_eq!(tested["wilcoxon"]["t_minus"], 1088.0);
    assert!((tested["wilcoxon"]["p_two_tailed"].as_f64().unwrap() - 0.2762).abs() < 1e-4);
    for (arguments, reason) in [
        (&["--counts", "1,2,3"][..], "five counts"),
        (&["--t-plus", "9", "--pairs", "3"], "--t-plus: "),
        (&["--t-plus", "5.5", "--pairs", "3"], "T- = 0.5: no rank is below 1"),
        (&["--t-plus", "5", "--pairs", "3", "--rows", "launches"], "--rows"),
        (&["--counts", "9,19,35,36,1", "--rows", "launches"], "--rows"),
        (&["--t-plus", "9"], "--pairs"),
        (&["--counts", "9,19,35,36,1", "--format", "latex"], "text or json"),
    ] {
        let error = bench.wrong(&[&["analyze"], arguments].concat());
        assert!(error.contains(reason), "{arguments:?}: {error}");
    }
    let line = |name: &str, ns: f64| format!("Benchmark{name}-2  100  {ns} ns/op\n");
    let all =
        (0..8_u8).map(|at| line("A", 10.0 + f64::from(at)) + &line("B", 30.0 - f64::from(at)));
    bench.write("go.txt", all.collect::<String>());
    let told = json(&bench.right(&["analyze", "go.txt", "--format", "json"]));
    assert_eq!(
        (told["values"].as_str(), told["normality"].as_object().unwrap().len()),
        (Some("times"), 2)
    );
    assert!(bench.wrong(&["analyze", "go.txt", "--speeds"]).contains("read as times"));
}

#[test]
fn providers_and_macs_are_listed_for_people_and_programs() {
    let bench = Bench::new();
    let providers = json(&bench.right(&["list", "providers", "--format", "json"]));
    let providers = providers.as_array().unwrap();
    let found = |name: &str| providers.iter().find(|row| row["name"] == name).unwrap();
    for name in ["macs", "null", "rustcrypto"] {
        assert_eq!(found(name)["found"], true, "{name}");
        assert!(!found(name)["version"].as_str().unwrap().is_empty());
    }
    for row in providers {
        assert!(row["macs"].is_array() && row["kernels"].is_array());
        assert_eq!(row["found"] == true, row["package"].is_null(), "{row}");
    }
    assert!(found("macs")["macs"].as_array().unwrap().iter().any(|mac| mac == "cmac-aes-128"));
    let macs = json(&bench.right(&["list", "macs", "--format", "json"]));
    assert!(macs.as_array().unwrap().iter().any(|row| row["name"] == "hmac-sha512-256"));
    assert!(bench.right(&["list", "studies"]).contains("hmac-vs-cmac"));
}

#[test]
fn a_missing_library_is_a_line_and_not_an_error() {
    let bench = Bench::new();
    let text = bench.file("libcrypto.so.3", "not a library");
    let list = ["list", "providers", "--format", "json", "--lib"];
    for path in ["/no/such/libcrypto.so", &text] {
        let lib = format!("openssl={path}");
        let providers = json(&bench.right(&[&list[..], &[&lib]].concat()));
        let rows = providers.as_array().unwrap();
        let openssl = rows.iter().find(|row| row["name"] == "openssl").unwrap();
        assert_eq!(openssl["found"], false);
        assert!(openssl["reason"].as_str().unwrap().contains(path), "{openssl}");
    }
    let lib = format!("openssl={text}");
    // To measure with, it must be there, whether or not it is also named.
    for provider in [&["--provider", "openssl"][..], &["--provider", "openssl,macs"], &[]] {
        let plan = ["plan", "--mac", "hmac-sha256", "--lib", &lib];
        let error = bench.wrong(&[&plan, provider].concat());
        assert!(error.contains("openssl") && error.contains(&text), "{error}");
    }
}

#[test]
fn a_plan_tells_what_would_be_measured() {
    let bench = Bench::new();
    let plan = json(&bench.right(&["plan", "survey", "--size", "16", "--format", "json"]));
    let cells = plan["cells"].as_array().unwrap();
    assert!(cells.iter().any(|cell| cell.as_str().unwrap().starts_with("hmac-sha256/macs/")));
    assert!(cells.iter().all(|cell| cell.as_str().unwrap().ends_with("/16")));
    let page = bench.right(&["plan", "hmac-vs-cmac"]);
    assert!(page.contains("128: 1024 to 131072 B"), "{page}");
    assert!(page.lines().count() <= 40 && page.lines().all(|line| line.chars().count() <= 100));
    let cells = bench.right(&["plan", "hmac-vs-cmac", "--part", "fixed", "--cells"]);
    assert!(cells.lines().all(|line| line.contains("/256")), "{cells}");
    let rows = bench.right(&["plan", "hmac-vs-cmac", "--part", "fixed", "--format", "csv"]);
    assert_eq!(rows.lines().count(), cells.lines().count() + 1);
}

#[test]
fn a_budget_without_room_for_six_launches_is_told_before_it_is_spent() {
    let bench = Bench::new();
    let little = ["plan", "hmac-vs-cmac", "--provider", "macs"];
    let page = bench.right(&[&little[..], &["--budget", "0.5"]].concat());
    assert!(page.contains("Too little: ") && page.contains("--budget "), "{page}");
    let enough = bench.right(&[&little[..], &["--budget", "900"]].concat());
    assert!(!enough.contains("Too little: "), "{enough}");
    let power = bench.right(&["plan", "hmac-vs-cmac", "--provider", "macs", "--power", "2%"]);
    assert!(
        power.replace("\n  ", " ").contains("This is an assumption")
            && power.contains("--launches "),
        "{power}"
    );
    let wrong = bench.wrong(&["plan", "hmac-vs-cmac", "--power", "0%"]);
    assert!(wrong.contains("must be a difference such as 2%"), "{wrong}");
}

#[test]
fn blocks_and_the_length_of_keys_are_the_users() {
    let bench = Bench::new();
    let start = ["hmac-vs-cmac", "--part", "fixed", "--provider", "macs", "--key-len", "24"];
    let cells = bench.right(&[&["plan", "--cells"], &start[..]].concat());
    assert!(cells.contains("cmac-aes-192/") && cells.contains("/key-24"), "{cells}");
    assert!(!cells.contains("cmac-aes-128/") && !cells.contains("/key-16"), "{cells}");
    let none = bench.wrong(&["plan", "cbc-mac-variants", "--key-len", "7"]);
    assert!(none.contains("takes 7-byte keys"), "{none}");
    let extent = ["--launches", "2", "--blocks", "4", "--budget", "20"];
    bench.right(&[&["run"], &start[..], &extent[..]].concat());
    let plan = json(&bench.right(&[&["plan", "--format", "json"], &start[..]].concat()));
    let cells = plan["parts"][0]["cells_measured"].as_i64().unwrap();
    assert_eq!(bench.count("sample"), 4 * cells);
    assert!(plan["estimated_from_run"].is_string(), "{plan}");
}

#[test]
fn a_composition_is_timed_when_it_is_named() {
    let bench = Bench::new();
    let eax = ["--mac", "eax-aes-128", "--size", "64", "--provider", "macs,rustcrypto"];
    let text = bench.right(&[&["run", "--budget", "2", "--launches", "2"], &eax[..]].concat());
    assert!(text.contains("eax-aes-128") && text.contains("rustcrypto"), "{text}");
    assert!(bench.count("sample") > 0);
    let plan = json(&bench.right(&["plan", "survey", "--format", "json"]));
    let is_composition = |cell: &str| {
        let mac = cell.split('/').next().and_then(macs::find);
        mac.is_some_and(macs::MacInfo::is_composition)
    };
    let cells = plan["cells"].as_array().unwrap();
    assert!(!cells.iter().any(|cell| is_composition(cell.as_str().unwrap())));
}

#[test]
fn help_of_help_is_help() {
    let bench = Bench::new();
    let help = |words: &[&str]| bench.right(words);
    assert_eq!(help(&["help", "--help"]), help(&["--help"]));
    assert_eq!(help(&["help", "-h"]), help(&["help"]));
    assert_eq!(help(&["help", "run", "--help"]), help(&["run", "--help"]));
    assert_eq!(help(&["help", "fleet", "-h"]), help(&["fleet", "--help"]));
    assert!(bench.wrong(&["help", "nosuch", "--help"]).contains("'nosuch'"));
    assert!(bench.wrong(&["--", "--help"]).contains("'--help'"));
}

#[test]
fn mistakes_on_the_command_line_get_one_line() {
    let bench = Bench::new();
    assert!(bench.wrong(&["frobnicate"]).contains("frobnicate"));
    assert!(bench.wrong(&["run", "nonsuch"]).contains("hmac-vs-cmac"));
    assert!(bench.wrong(&["run", "--mac", "hmac-sha265"]).contains("hmac-sha256"));
    assert!(bench.wrong(&["run", "--size", "1000000000000"]).contains("must be 0 to"));
    assert!(bench.wrong(&["run", "--size", "many"]).contains("many"));
    assert!(bench.wrong(&["run", "--budget", "-3"]).contains("-3"));
    assert!(bench.wrong(&["run", "--budget", "nan"]).contains("--budget"));
    assert!(bench.wrong(&["run", "--launches", "0"]).contains("1 to 1000"));
    assert!(bench.wrong(&["run", "--provider", "opensesame"]).contains("rustcrypto"));
    assert!(bench.wrong(&["run", "--key-life", "forever"]).contains("one-shot"));
    assert!(bench.wrong(&["run", "--lib", "openssl"]).contains("NAME=PATH"));
    assert!(bench.wrong(&["run", "--cpu", "9999"]).contains("9999"));
    assert!(bench.wrong(&["doctor", "--pairs", "0"]).contains("--pairs 0"));
}

#[test]
fn a_study_file_with_a_mistake_is_refused_with_its_line() {
    let bench = Bench::new();
    let study = bench.file("mine.toml", "name = \"mine\"\nbudgit_s = 3\n");
    let error = bench.wrong(&["run", &study]);
    assert!(error.contains("mine.toml: line 2") && error.contains("budgit_s"), "{error}");
    assert!(bench.wrong(&["run", "no/such.toml"]).contains("no/such.toml"));
}

#[test]
fn an_archive_that_is_none_is_refused_and_left_as_it_was() {
    let bench = Bench::new();
    let foreign = bench.archive();
    std::fs::create_dir(bench.path("macrometer")).unwrap();
    bench.write(&foreign, "a letter to my aunt");
    assert!(bench.wrong(SMALL).contains("not a macrometer archive"));
    assert!(bench.wrong(&["report"]).contains("not a macrometer archive"));
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "a letter to my aunt");

    std::fs::remove_file(&foreign).unwrap();
    let other = Connection::open(&foreign).unwrap();
    other.execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)").unwrap();
    drop(other);
    let before = std::fs::read(&foreign).unwrap();
    assert!(bench.wrong(SMALL).contains("not a macrometer archive"));
    assert_eq!(std::fs::read(&foreign).unwrap(), before);
}

#[test]
fn what_is_not_there_or_cannot_be_written_is_named() {
    let bench = Bench::new();
    assert!(bench.wrong(&["report"]).contains("no archive here yet"));
    bench.small("2");
    assert!(bench.wrong(&["report", "20200101"]).contains("no run"));
    assert!(bench.wrong(&["run", "--resume", "20200101"]).contains("no run"));
    let complete = bench.wrong(&["run", "--resume", "last", "--budget", "0.001"]);
    assert!(complete.contains("is complete; continue it with a larger --budget"), "{complete}");
    let taken = bench.file("taken", "");
    assert!(bench.wrong(&["report", "--format", "files", "--out", &taken]).contains("taken"));
    let nowhere = bench.wrong(&["run", "--archive", "/proc/nowhere/archive.db"]);
    assert!(nowhere.contains("/proc/nowhere"));
}

#[test]
fn results_that_cannot_be_written_are_an_error() {
    let full = std::fs::File::create("/dev/full").unwrap();
    let bench = Bench::new();
    let mut command = bench.command(&["list", "macs"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("standard output"));
}

#[test]
fn a_table_of_ones_own_is_analysed() {
    let bench = Bench::new();
    let csv = bench.file("mine.csv", "a,b,c\n1,2,3.5\n2,3.25,4\n1.5,2.5,9\n1,4,5\n2,3,8\n1,3,4\n");
    let analysis = json(&bench.right(&["analyze", &csv, "--speeds", "--format", "json"]));
    assert_eq!(analysis["values"], "speeds");
    assert!(analysis["alpha"] == 0.05 && analysis["run"].is_null(), "{analysis}");
    assert_eq!(analysis["friedman"]["statistic"], 12.0);
    assert_eq!(analysis["friedman"]["rank_sums"]["a"], 6.0);
    assert_eq!(analysis["wilcoxon"].as_array().unwrap().len(), 3);
    assert_eq!(analysis["ordering"], "a < b < c");
    let text = bench.right(&["analyze", &csv, "--speeds"]);
    assert!(text.contains("Friedman") && text.contains("the speed of a < b < c."), "{text}");
    assert!(bench.right(&["analyze", &csv, "--times"]).contains("the time of a < b < c."));
    let latex = bench.right(&["analyze", &csv, "--times", "--format", "latex"]);
    let count = |word: &str| latex.matches(&format!("\\{word}{{tabular}}")).count();
    // Of three columns normality, Friedman over all, and two pairs of neighbours.
    assert_eq!((count("begin"), count("end")), (6, 6), "{latex}");
    assert!(latex.contains(r"the time of a \textless{} b \textless{} c."), "{latex}");
    assert!(latex.contains("\nWarning: "), "{latex}");
    assert!(bench.wrong(&["analyze", &csv]).contains("times or speeds? Add --times or --speeds"));
    for (names, words) in
        [("a_ns,b (ns),c ns/op", "the time of a_ns <"), ("a_per_s,b ops/s,c/s", "the speed of a")]
    {
        let text = std::fs::read_to_string(&csv).unwrap().replacen("a,b,c", names, 1);
        let told = bench.right(&["analyze", &bench.file("units.csv", &text)]);
        assert!(told.contains(words), "{told}");
    }
    for (content, words) in [
        ("a,b\n1,2\n3,four\n", &["line 3", "\"b\"", "four"][..]),
        ("a,b\n1,2\n3\n", &["line"]),
        ("a,b\n", &["block"]),
        ("a\n1\n", &["column"]),
        ("1,2\n3,4\n", &["line 1", "name"]),
        ("", &["empty"]),
        ("a,b\n1,inf\n", &["line 2"]),
    ] {
        let error = bench.wrong(&["analyze", "--times", &bench.file("bad.csv", content)]);
        assert!(words.iter().all(|word| error.contains(word)), "{content:?}: {error}");
    }
    assert!(bench.wrong(&["analyze", "/no/such.csv"]).contains("/no/such.csv"));
    assert!(bench.wrong(&["analyze", "/dev/zero"]).contains("the most that is accepted"));
    assert!(bench.wrong(&["analyze", &csv, "--delimiter", "é"]).contains("ASCII"));
}

#[test]
fn bounds_are_listed_with_what_is_reached() {
    let bench = Bench::new();
    let rows = json(&bench.right(&[
        "list",
        "macs",
        "--bounds",
        "--mac",
        "cmac-aes-128,hmac-md5,siphash-2-4",
        "--format",
        "json",
    ]));
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert!(row["reached_cycles_per_byte"].as_f64().is_none_or(|it| it > 0.0), "{row}");
        if let Some(bound) = row["bound_cycles_per_byte"].as_f64() {
            let ratio = row["reached_to_bound"].as_f64().unwrap();
            assert!(bound > 0.0 && ratio > 0.0, "{row}");
        }
    }
    // Absent is null, never 0.
    assert!(rows[2]["bound_cycles_per_byte"].is_null() && rows[2]["reached_to_bound"].is_null());
    #[cfg(target_arch = "x86_64")]
    {
        // 288 additions of a cycle each for 64 bytes.
        let md5 = rows[1]["bound_cycles_per_byte"].as_f64().unwrap();
        assert!((4.0..5.0).contains(&md5), "{md5}");
        if std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("avx")
        {
            // 10 rounds for 16 bytes.
            let latency = rows[0]["bound_cycles_per_byte"].as_f64().unwrap() * 1.6;
            assert!((1.0..20.0).contains(&latency), "{latency}");
        }
    }
    let text = bench.right(&["list", "macs", "--bounds", "--mac", "hmac-md5"]);
    assert!(text.contains("batch bound") && text.contains("hmac-md5"), "{text}");
    assert!(text.lines().last().unwrap().contains("cycles per byte"), "{text}");
    assert!(bench.wrong(&["list", "studies", "--bounds"]).contains("list macs --bounds"));
    assert!(bench.wrong(&["list", "macs", "--bounds", "--mac", "nomac"]).contains("nomac"));
    assert!(bench.wrong(&["list", "macs", "--bounds", "--mac", "ccm-*"]).contains("composition"));
}

#[test]
fn a_run_keeps_what_instructions_cost_and_an_older_one_opens_without() {
    let bench = Bench::new();
    bench.small("3");
    let figures = |bench: &Bench| {
        let findings = json(&bench.right(&["report", "--format", "json"]));
        let cells = findings["cells"].as_array().unwrap().clone();
        cells.into_iter().filter(|cell| cell["bound_cycles_per_byte"].is_f64()).count()
    };
    let archive = bench.kept();
    let kept: i64 = archive
        .query_row("SELECT json_array_length(record, '$.instructions') FROM run", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(kept > 0, cfg!(target_arch = "x86_64"));
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sha") {
        assert!(figures(&bench) > 0);
    }
    let older = "UPDATE run SET record = json_remove(record, '$.instructions')";
    assert_eq!(archive.execute(older, []).unwrap(), 1);
    // An older one has no checksums either.
    archive.execute_batch("DROP TABLE seal; PRAGMA user_version = 0").unwrap();
    assert_eq!(figures(&bench), 0);
}

#[test]
fn a_killed_run_keeps_every_acknowledged_sample_and_is_resumed() {
    let bench = Bench::new();
    let (mut child, acknowledged) = bench.started(&[SMALL, &["--budget", "600"]].concat());
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = bench.count("sample");
    assert!(kept >= acknowledged, "{kept} kept of {acknowledged}");
    assert_eq!(bench.state(), "open");
    // More than what was spent and the report take, however busy the machine is.
    let text = bench.right(&["run", "--resume", "last", "--budget", "15"]);
    assert!(text.contains("page: "), "{text}");
    assert!(bench.count("sample") > kept);
    assert_eq!(bench.state(), "complete");
}

#[test]
fn an_interrupted_run_ends_cleanly_with_what_there_is() {
    let bench = Bench::new();
    let (child, acknowledged) = bench.started(&[SMALL, &["--budget", "600"]].concat());
    let interrupt = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(bench.state(), "interrupted");
    assert!(bench.count("sample") >= acknowledged);
    assert!(bench.right(&["report", "last"]).contains("page: "));
}
