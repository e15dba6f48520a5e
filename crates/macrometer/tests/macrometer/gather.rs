//! `fleet gather`: every sample of every sound bundle arrives, what is not sound is named, and what
//! is written is whole. With DuckDB, the questions of docs/fleet.md have the answers printed there.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fleet::gather::tables::{Kind, TABLES, Table};
use serde_json::Value;

use crate::bench::Bench;
use crate::stores;

/// DuckDB: the program that the environment names, or one of the PATH.
fn duckdb() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("MACROMETER_TEST_DUCKDB") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|it| it.join("duckdb")).find(|it| it.is_file());
    if found.is_none() {
        println!("skipped: no DuckDB (the program duckdb, `pip install duckdb-cli`)");
    }
    found
}

fn with_store(machines: usize) -> Bench {
    let bench = Bench::new();
    stores::write(&bench.path("store"), machines, [150, 12, 2]);
    bench
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The bundles of the store.
fn bundles(bench: &Bench) -> Vec<PathBuf> {
    fleet::store::bundles(&bench.path("store"), &mut vec![]).unwrap()
}

/// Rows of a table by column, as CSV has them.
fn rows(file: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn every_sample_arrives_with_the_columns_that_are_documented() {
    let bench = with_store(3);
    bench.right(&["fleet", "gather", "store", "--csv", "-o", "out"]);
    let mut files: Vec<String> = TABLES.iter().map(|it| format!("{}.csv", it.name)).collect();
    files.extend(["gathered.json".into(), "datapackage.json".into()]);
    files.sort();
    assert_eq!(names(&bench.path("out")), files);
    let package = std::fs::read_to_string(bench.path("out/datapackage.json")).unwrap();
    let package: Value = serde_json::from_str(&package).unwrap();
    let described = package["resources"].as_array().unwrap();
    let described: Vec<&str> = described.iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert!(described.iter().all(|path| files.iter().any(|it| it == path)), "{described:?}");
    assert_eq!(described.len(), TABLES.len());
    assert_eq!(package["licenses"][0]["name"], "CC0-1.0");
    for table in &TABLES {
        let mut reader = csv::Reader::from_path(bench.path(format!("out/{}.csv", table.name)));
        let head = reader.as_mut().unwrap().headers().unwrap().clone();
        let columns: Vec<&str> = table.columns.iter().map(|it| it.name).collect();
        assert_eq!(head.iter().collect::<Vec<_>>(), columns, "{}", table.name);
        assert!(reader.unwrap().records().all(|it| it.is_ok_and(|it| it.len() == columns.len())));
    }
    let samples = rows(&bench.path("out/samples.csv"));
    let runs = rows(&bench.path("out/runs.csv"));
    assert_eq!((runs.len(), rows(&bench.path("out/machines.csv")).len()), (3, 3));
    for (bundle, run) in bundles(&bench).iter().zip(&runs) {
        let kept = fleet::Bundle::read(bundle).unwrap().run().unwrap();
        assert_eq!(run["run_id"], kept.id);
        assert_eq!((run["is_simulated"].as_str(), run["division"].as_str()), ("true", "open"));
        let own: Vec<_> = samples.iter().filter(|it| it["run_key"] == run["run_key"]).collect();
        assert_eq!(own.len(), kept.samples.len());
        for (row, sample) in own.iter().zip(&kept.samples) {
            assert_eq!(row["elapsed_ns"].parse(), Ok(sample.elapsed_ns));
            assert_eq!(row["iterations"].parse(), Ok(sample.iterations));
            let place = (row["cell_id"].parse(), row["launch"].parse(), row["block"].parse());
            assert_eq!(place, (Ok(sample.cell), Ok(sample.launch), Ok(sample.block)));
        }
        // Cells and claims are what the report of that run says.
        let findings = report::Findings::of(&kept);
        let cells = rows(&bench.path("out/cells.csv"));
        let cells = cells.iter().filter(|it| it["run_key"] == run["run_key"]);
        for (row, cell) in cells.zip(&findings.cells) {
            assert_eq!(row["cell"], cell.path);
            assert_eq!(row["median_ns"].parse().ok(), cell.median_ns);
            assert_eq!(row["low_ns"].parse().ok(), cell.interval_ns.map(|it| it.low));
        }
        let claims = rows(&bench.path("out/claims.csv"));
        let claims = claims.iter().filter(|it| it["run_key"] == run["run_key"]);
        let verdicts = findings.claims.iter().flat_map(|it| &it.panels);
        let verdicts: Vec<&str> = verdicts.map(|it| it.verdict.name()).collect();
        assert_eq!(claims.map(|it| it["verdict"].as_str()).collect::<Vec<_>>(), verdicts);
    }
}

#[test]
fn what_is_not_sound_is_named_and_the_others_are_gathered() {
    let bench = with_store(3);
    let first = bundles(&bench)[0].join("archive.sqlite");
    let mut bytes = std::fs::read(&first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&first, bytes).unwrap();
    let output = bench.output(&["fleet", "gather", "store", "--csv"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("refused: ") && said.contains("archive.sqlite"), "{said}");
    assert_eq!(rows(&bench.path("gathered/runs.csv")).len(), 2);
    let told = std::fs::read_to_string(bench.path("gathered/gathered.json")).unwrap();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["bundles"], told["refused"].as_array().unwrap().len()), (&2.into(), 1));
    // With nothing that is sound nothing is written.
    std::fs::create_dir(bench.path("empty")).unwrap();
    bench.write("empty/README", "");
    let said = bench.wrong(&["fleet", "gather", "empty", "--csv", "-o", "none"]);
    assert!(said.contains("no valid bundle"), "{said}");
    assert!(!bench.path("none").exists() && !bench.path("store/none").exists());
    assert!(
        bench.wrong(&["fleet", "gather", "nowhere", "--csv", "-o", "none"]).contains("nowhere")
    );
}

#[test]
fn only_what_was_gathered_before_is_replaced_and_nothing_half_written_stays() {
    let bench = with_store(1);
    bench.right(&["fleet", "gather", "store", "--csv"]);
    let before = names(bench.folder());
    bench.right(&["fleet", "gather", "store", "--csv"]);
    assert_eq!(names(bench.folder()), before);
    for inside in ["store/tables", "store/../store/all.duckdb"] {
        let said = bench.wrong(&["fleet", "gather", "store", "-o", inside]);
        assert!(said.contains("lies in the store"), "{said}");
    }
    bench.write("gathered/mine.txt", "mine");
    let said = bench.wrong(&["fleet", "gather", "store", "--csv"]);
    assert!(said.contains("mine.txt"), "{said}");
    assert_eq!(std::fs::read(bench.path("gathered/mine.txt")).unwrap(), b"mine");
    std::fs::create_dir(bench.path("other")).unwrap();
    bench.write("other/runs.csv", "mine");
    assert!(
        bench
            .wrong(&["fleet", "gather", "store", "--csv", "-o", "other"])
            .contains("gathered.json")
    );
    assert!(
        bench.wrong(&["fleet", "gather", "store", "--csv", "-o", "a.duckdb"]).contains("--csv")
    );
    // A database that fails in the middle, one that is none, and one that is too old.
    let programs = [
        (
            "[ \"$1\" = --version ] && exec echo v1.5.6; echo x > fleet.duckdb; echo full >&2; \
             exit 1",
            "full",
        ),
        ("[ \"$1\" = --version ] && echo v1.5.6 || cat > /dev/null", "not take all rows"),
        ("echo v0.9.2 3c695d7ba9", "v0.9.2"),
        ("echo hello", "not DuckDB"),
        ("exec yes v1.5.6", "printed more than"),
        ("[ \"$1\" = --version ] && echo v1.5.6 || exec yes", "printed more than"),
    ];
    for (script, told) in programs {
        bench.write("engine.sh", format!("#!/bin/sh\n{script}\n"));
        // By another process: what this one has open for writing while it starts others cannot run.
        let mut install = Command::new("install");
        install.args(["-m", "755", "engine.sh", "engine"]).current_dir(bench.folder());
        assert!(install.status().unwrap().success());
        for to in ["new", "new.duckdb"] {
            let said = bench.wrong(&["fleet", "gather", "store", "--duckdb", "./engine", "-o", to]);
            assert!(said.contains(told), "{said}");
            assert!(!bench.path(to).exists());
        }
    }
    let left = names(bench.folder());
    assert!(left.iter().all(|name| !name.ends_with(".part")), "{left:?}");
}

#[test]
fn without_duckdb_there_are_csv_files_and_a_word_on_what_brings_it() {
    let bench = with_store(1);
    let mut command = bench.command(&["fleet", "gather", "store"]);
    // A folder that is not absolute is nobody's to search.
    bench.script("bin/duckdb", "#!/bin/sh\ntouch ran\n");
    let output = command.env("PATH", "bin").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.lines().count()), (Some(0), 1), "{said}");
    assert!(said.contains("duckdb-cli") && !bench.path("ran").exists(), "{said}");
    assert!(bench.path("gathered/samples.csv").exists());
    // Where nothing is written, the one line says why.
    bench.write("file", "");
    std::fs::create_dir(bench.path("empty")).unwrap();
    for store in ["empty", "file", "nowhere"] {
        let mut command = bench.command(&["fleet", "gather", store, "-o", "none"]);
        let output = command.env("PATH", "bin").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains(store), "{said}");
    }
}

/// What DuckDB answers, as Markdown.
fn answer(duckdb: &Path, folder: &Path, sql: &str) -> String {
    answer_as(&["-markdown"], duckdb, folder, sql)
}

/// The rows of a table or of a file, by column, as CSV has them.
fn rows_of(duckdb: &Path, folder: &Path, from: &str) -> Vec<BTreeMap<String, String>> {
    let as_csv = ["-csv", "-header", "-nullvalue", ""];
    let text = answer_as(&as_csv, duckdb, folder, &format!("FROM {from};"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

fn answer_as(mode: &[&str], duckdb: &Path, folder: &Path, sql: &str) -> String {
    let mut child = Command::new(duckdb)
        .args(["-init", "/dev/null", "-batch", "-bail", "-readonly"])
        .args(mode)
        .arg("fleet.duckdb")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), sql.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.trim().is_empty(), "{sql}\n{error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The cells of a table in Markdown, without its rule.
fn cells(table: &str) -> Vec<Vec<&str>> {
    let lines = table
        .lines()
        .filter(|it| it.starts_with('|') && !it.starts_with("|-") && !it.starts_with("|:"));
    lines.map(|it| it.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn a_database_has_the_same_rows_as_csv_and_parquet_files_beside_it() {
    let Some(duckdb) = duckdb() else { return };
    let (bench, program) = (with_store(2), duckdb.to_str().unwrap());
    bench.right(&["fleet", "gather", "store", "--csv", "-o", "csv"]);
    bench.right(&["fleet", "gather", "store", "--duckdb", program]);
    let only = ["fleet", "gather", "store", "--duckdb", program, "-o", "only.duckdb"];
    bench.right(&only);
    assert!(bench.wrong(&only).contains("only.duckdb is there already"));
    let out = bench.path("gathered");
    let mut files: Vec<String> = TABLES.iter().map(|it| format!("{}.parquet", it.name)).collect();
    files.extend(["fleet.duckdb".into(), "gathered.json".into(), "datapackage.json".into()]);
    files.sort();
    assert_eq!(names(&out), files);
    for table in &TABLES {
        let name = table.name;
        let right = rows(&bench.path(format!("csv/{name}.csv")));
        // Its runs claim nothing.
        assert!(!right.is_empty() || name == "claims", "{name}");
        for from in [name.to_owned(), format!("'{name}.parquet'")] {
            assert_same(table, &rows_of(&duckdb, &out, &from), &right);
        }
        let differ = format!(
            "ATTACH '../only.duckdb' AS it (READ_ONLY); \
             SELECT (SELECT count(*) FROM (FROM {name} EXCEPT ALL FROM it.{name})), \
                    (SELECT count(*) FROM (FROM it.{name} EXCEPT ALL FROM {name}));"
        );
        assert_eq!(cells(&answer(&duckdb, &out, &differ))[1], ["0", "0"], "{name}");
    }
}

/// All rows, and all fields of each. What is absent is NULL, and empty in CSV.
fn assert_same(
    table: &Table,
    told: &[BTreeMap<String, String>],
    right: &[BTreeMap<String, String>],
) {
    assert_eq!(told.len(), right.len(), "{}", table.name);
    for (number, (told, right)) in told.iter().zip(right).enumerate() {
        assert_eq!(told.len(), table.columns.len(), "{}", table.name);
        for column in table.columns {
            let (told, right) = (&told[column.name], &right[column.name]);
            // One number is written in several ways.
            let is_same = match (column.kind, told.parse::<f64>(), right.parse::<f64>()) {
                (Kind::Number, Ok(told), Ok(right)) => told == right,
                _ => told == right,
            };
            let (name, column) = (table.name, column.name);
            assert!(is_same, "{name}, row {number}, {column}: {told:?} instead of {right:?}");
        }
    }
}

/// Every block of SQL in docs/fleet.md, and where the table behind it stands.
fn questions(document: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let mut questions = Vec::new();
    let mut at = 0;
    while let Some(begin) = document[at..].find("```sql\n").map(|it| at + it + 7) {
        let end = begin + document[begin..].find("\n```\n").unwrap();
        let table = end + 5;
        let table = table + document[table..].len() - document[table..].trim_start().len();
        let lines = document[table..].split_inclusive('\n').take_while(|it| it.starts_with('|'));
        let past = table + lines.map(str::len).sum::<usize>();
        questions.push((document[begin..end].to_owned(), table..past));
        at = past;
    }
    questions
}

#[test]
fn questions_in_the_document_have_the_answers_printed_there() {
    let Some(duckdb) = duckdb() else { return };
    let bench = with_store(16);
    bench.right(&["fleet", "gather", "store", "--duckdb", duckdb.to_str().unwrap()]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fleet.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let asked = questions(&document);
    assert_eq!(asked.len(), 10);
    let mut anew = document.clone();
    for (sql, printed) in asked.into_iter().rev() {
        let told = answer(&duckdb, &bench.path("gathered"), &sql);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let gap = if printed.is_empty() { "\n" } else { "" };
            anew.replace_range(printed, &(told + gap));
        } else {
            assert_eq!(cells(&document[printed]), cells(&told), "{sql}");
        }
    }
    if anew != document {
        std::fs::write(path, anew).unwrap();
    }
}

#[test]
fn the_document_lists_every_column() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fleet.md");
    let document = std::fs::read_to_string(path).unwrap();
    for table in &TABLES {
        for column in table.columns {
            let row = format!("| `{}` | `{}` | {} |", table.name, column.name, column.what);
            assert!(document.contains(&row), "docs/fleet.md has no line {row}");
        }
    }
}

/// A user may have no thread left: what needs some says so or does without.
#[test]
fn without_threads_no_store_is_read_by_a_panic() {
    let bench = with_store(2);
    // Of a user who has nothing else: the limit is for all that a user runs.
    let words = ["setpriv", "--reuid", "64123", "--regid", "64123", "--clear-groups"];
    let mut shell = Command::new(words[0]);
    shell.args(&words[1..]).args(["bash", "-c"]);
    shell.arg(
        "cp \"$P\" m; for n in 1 2 3; do for c in 'compare --fleet store' \
               'fleet gather store --csv -o g' 'fleet site store -o s'; do \
               (ulimit -u $n; exec ./m $c); echo \"ended: $?\"; done; done 2>&1",
    );
    let folder = bench.path("store").parent().unwrap().to_owned();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
    shell.env("P", env!("CARGO_BIN_EXE_macrometer")).env("XDG_DATA_HOME", &folder);
    let Ok(told) = shell.current_dir(&folder).output() else {
        println!("skipped: no setpriv");
        return;
    };
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    if told.is_empty() {
        println!("skipped: only root can become another user");
        return;
    }
    let ended: Vec<&str> = told.lines().filter_map(|it| it.strip_prefix("ended: ")).collect();
    assert!(ended.len() == 9 && ended.iter().all(|it| matches!(*it, "0" | "2")), "{told}");
    assert!(!told.contains("panicked"), "{told}");
}
