//! The few rules of the house that a compiler does not hold. Each failure names file and line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a source file, tests in it included.
const FILE_LINES_MAX: usize = 500;

/// Lines of a function, signature and closing brace included.
const FUNCTION_LINES_MAX: usize = 60;

/// Files with longer ones: a block of assembly, or a circuit that a search has found, is one piece.
const UNDIVIDED: &[&str] = &[
    "crates/macs/src/kernels/aes/lanes/vaes_512/rounds.rs",
    "crates/macs/src/kernels/blake3/eight.rs",
    "crates/macs/src/kernels/chacha20/eight.rs",
    "crates/macs/src/kernels/tdes/sboxes.rs",
    "crates/macs/src/kernels/tdes/sboxes/last_four.rs",
    // The order of a run, which is read from top to bottom; a table of mistakes; an example.
    "crates/lab/src/measure/capacity.rs",
    "crates/lab/src/measure/launch.rs",
    "crates/lab/src/measure/mod.rs",
    "crates/lab/src/study/claim/tests.rs",
    "crates/report/examples/look.rs",
];

const COLUMNS_MAX: usize = 100;

/// Where `unsafe` may be: `macs`' kernels, what C and JavaScript call, where the Python module
/// looks at memory of others, the providers' FFI files, the lab's clock.
const UNSAFE_PLACES: &[&str] = &[
    "crates/macs/src/kernels/",
    "crates/c/src/edge/",
    "crates/python/src/edge/",
    "crates/wasm/src/edge.rs",
    "crates/providers/src/ffi/",
    "crates/lab/src/clock/",
];

/// Which of our crates each may use: the data's path, and never back.
const ARROWS: &[(&str, &[&str])] = &[
    ("macs", &["vectors"]),
    ("c", &["macs"]),
    ("stats", &[]),
    ("providers", &["macs", "trust", "words"]),
    ("python", &["macs"]),
    ("lab", &["stats", "trust", "words"]),
    // For tests alone: no crate may have it among its dependencies.
    ("synthetic", &["lab"]),
    ("report", &["lab", "stats", "words"]),
    ("fleet", &["lab", "report", "words"]),
    ("trust", &[]),
    ("vectors", &[]),
    ("wasm", &["macs"]),
    ("words", &[]),
    (
        "macrometer",
        &["fleet", "lab", "macs", "providers", "report", "stats", "trust", "vectors", "words"],
    ),
];

/// Files about kinds of regimes beside the folders `regimes`, by how their paths begin; all others
/// ask a regime what it means and never which it is.
const ROOMS: &[&str] = &[
    "crates/lab/src/measure/capacity.rs",
    "crates/lab/src/measure/cold.rs",
    "crates/lab/src/measure/load.rs",
    "crates/lab/src/measure/sessions.rs",
    "crates/lab/src/measure/workflow.rs",
    "crates/lab/src/record/sessions.rs",
    "crates/lab/src/segments/",
    "crates/lab/src/sessions/",
    "crates/lab/src/study/sessions.rs",
    "crates/lab/src/worker/client/segments.rs",
    "crates/lab/src/worker/serve/transactions.rs",
    "crates/macrometer/src/sessions.rs",
    // A server is planned by the sessions that it carries; papers have formats of their own.
    "crates/macrometer/src/verbs/recommend/servers.rs",
    "crates/macrometer/src/verbs/report.rs",
    "crates/report/src/charts/where_time_goes.rs",
    "crates/report/src/findings/sessions/",
    "crates/report/src/findings/transactions.rs",
    "crates/report/src/page/transactions.rs",
    "crates/synthetic/src/apparent.rs",
    "crates/synthetic/src/sms.rs",
];

/// Names that say nothing of what is inside.
const EMPTY_NAMES: &[&str] = &["common", "helper", "helpers", "manager", "misc", "util", "utils"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Files below the root with this extension, by their path from the root; build output is not ours.
fn files(extension: &str) -> BTreeMap<String, String> {
    fn walk(folder: &Path, root: &Path, extension: &str, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && name != ".git" {
                    walk(&path, root, extension, found);
                }
            } else if path.extension().is_some_and(|e| e == extension) {
                let from_root = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.insert(from_root, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let (root, mut found) = (root(), BTreeMap::new());
    walk(&root, &root, extension, &mut found);
    assert!(!found.is_empty(), "no .{extension} file below {}", root.display());
    found
}

fn fail_on(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

#[test]
fn files_functions_and_lines_are_short() {
    let (mut offences, mut undivided) = (Vec::new(), BTreeSet::new());
    for (path, text) in files("rs") {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > FILE_LINES_MAX {
            offences.push(format!("{path}: {} lines, at most {FILE_LINES_MAX}", lines.len()));
        }
        for (number, line) in (1..).zip(&lines) {
            if line.chars().count() > COLUMNS_MAX && !line.contains("r#\"") {
                offences.push(format!("{path}:{number}: more than {COLUMNS_MAX} columns"));
            }
        }
        for (begin, length) in functions(&lines) {
            match UNDIVIDED.iter().find(|it| **it == path) {
                _ if length <= FUNCTION_LINES_MAX => {}
                Some(file) => _ = undivided.insert(file),
                None => {
                    offences.push(format!("{path}:{}: a function of {length} lines", begin + 1));
                }
            }
        }
    }
    let short = UNDIVIDED.iter().filter(|it| !undivided.contains(it));
    offences.extend(short.map(|file| format!("{file}: has no long function, and is listed")));
    fail_on(&offences);
}

/// Nine in ten functions are at most so long, tests aside.
const FUNCTION_LINES_P90: usize = 22;

#[test]
fn most_functions_are_short() {
    let is_of_tests = |path: &str| {
        path.contains("/tests/") || path.contains("/benches/") || path.ends_with("/tests.rs")
    };
    let mut lengths = Vec::new();
    for (_, text) in files("rs").iter().filter(|(path, _)| !is_of_tests(path)) {
        let lines: Vec<&str> = text.lines().collect();
        let is_tests = |two: &[&str]| {
            two[0] == "#[cfg(test)]" && two[1].starts_with("mod ") && two[1].ends_with('{')
        };
        let end = lines.windows(2).position(is_tests).unwrap_or(lines.len());
        lengths.extend(functions(&lines[..end]).iter().map(|it| it.1));
    }
    lengths.sort_unstable();
    let count = lengths.len();
    let [median, p90, longest] = [count / 2, count * 9 / 10, count - 1].map(|at| lengths[at]);
    println!("{count} functions: median {median} lines, p90 {p90}, the longest {longest}");
    assert!(p90 <= FUNCTION_LINES_P90, "p90 is {p90} lines, at most {FUNCTION_LINES_P90}");
}

/// First line and length of each function, by rustfmt's layout: it ends at the first closing brace
/// as far from the margin as it began.
fn functions(lines: &[&str]) -> Vec<(usize, usize)> {
    let is_function = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "fn");
        at.is_some_and(|at| {
            words[..at].iter().all(|word| word.starts_with("pub") || is_qualifier(word))
        })
    };
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate().filter(|(_, line)| is_function(line)) {
        let margin = &line[..line.len() - line.trim_start().len()];
        let closing = format!("{margin}}}");
        // The signature ends where the body opens; a declaration in a trait has none, and a body
        // may close on its own line.
        let Some(body) = (begin..lines.len()).find(|&at| lines[at].ends_with(['{', ';', '}']))
        else {
            continue;
        };
        let end = match lines[body].chars().last() {
            Some('{') => lines[body..].iter().position(|line| **line == closing),
            Some('}') => Some(0),
            _ => None,
        };
        found.extend(end.map(|length| (begin, body - begin + length + 1)));
    }
    found
}

fn is_qualifier(word: &str) -> bool {
    matches!(word, "const" | "unsafe" | "async" | "extern" | "\"C\"" | "in" | "super)" | "crate)")
}

#[test]
fn the_length_of_functions_is_seen() {
    let text = "    pub fn a() {\n        b();\n    }\n\nfn c() {}\nfn d()\n{\n}";
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(functions(&lines), [(0, 3), (4, 1), (5, 3)]);
}

#[test]
fn unsafe_is_fenced_and_explained() {
    let mut offences = Vec::new();
    for (path, text) in files("rs") {
        let allowed = UNSAFE_PLACES.iter().any(|place| path.starts_with(place));
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in (1..).zip(&lines) {
            let code = line.split("//").next().unwrap_or_default();
            let opens = ["unsafe {", "unsafe impl", "unsafe fn", "unsafe extern"];
            let used = opens.iter().any(|word| code.contains(word)) && !code.contains('"');
            if used && !allowed {
                offences.push(format!("{path}:{number}: unsafe outside {UNSAFE_PLACES:?}"));
            }
            // What is true of a block stands at it: what is above moves.
            if let Some((_, why)) = line.split_once("// SAFETY: ")
                && ["as ", "the same", "likewise"].iter().any(|word| why.starts_with(word))
            {
                offences.push(format!("{path}:{number}: SAFETY refers to another place"));
            }
        }
        let permits = ["(unsafe", "_code"].concat();
        if text.contains(&permits) && !allowed && !text.contains("#![forbid(unsafe_code)]") {
            offences.push(format!("{path}: permits unsafe outside {UNSAFE_PLACES:?}"));
        }
    }
    fail_on(&offences);
}

#[test]
fn our_crates_use_each_other_along_the_datas_path_only() {
    let mut offences = Vec::new();
    let manifests = files("toml");
    for (name, allowed) in ARROWS {
        let used = dependencies(&manifests[&format!("crates/{name}/Cargo.toml")]);
        assert!(!used.is_empty(), "crates/{name}/Cargo.toml: nothing was read");
        for (other, _) in ARROWS {
            if used.contains(other) && !allowed.contains(other) {
                offences.push(format!("crates/{name}/Cargo.toml: {name} must not use {other}"));
            }
        }
    }
    let folders = fs::read_dir(root().join("crates")).unwrap().count();
    assert_eq!(folders, ARROWS.len(), "a crate has no row in ARROWS");
    fail_on(&offences);
}

/// The names of what a crate is built with, however its manifest spells them; what only its tests
/// use is not among them.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let mut is_in = false;
    let names = manifest.lines().filter_map(|line| {
        if let Some(head) = line.strip_prefix('[') {
            let head = head.trim_end_matches(']');
            let is_for_tests = head.contains("dev-dependencies");
            is_in = !is_for_tests && head.ends_with("dependencies");
            let (_, name) = head.rsplit_once("dependencies.")?;
            return Some(name).filter(|_| !is_for_tests);
        }
        is_in.then(|| line.split(['.', ' ', '=']).next().unwrap_or_default())
    });
    names.filter(|name| !name.is_empty() && !name.starts_with('#')).collect()
}

#[test]
fn dependencies_are_seen_in_every_spelling() {
    let manifest = "[package]\nname = \"z\"\n\n[dependencies]\n# Why.\na.workspace = true\n\
                    b = { workspace = true }\nc=\"1\"\n\n[dev-dependencies]\nx.workspace = true\n\
                    [dev-dependencies.y]\npath = \"y\"\n[dependencies.d]\npath = \"d\"\n\
                    [target.'cfg(unix)'.dependencies]\ne.workspace = true\n\
                    [target.'cfg(unix)'.dependencies.f]\nworkspace = true\n\
                    [target.'cfg(unix)'.dev-dependencies]\nw = \"1\"\n\
                    [build-dependencies]\ng = \"1\"\n[features]\nv = []\n";
    assert_eq!(dependencies(manifest), BTreeSet::from(["a", "b", "c", "d", "e", "f", "g"]));
}

#[test]
fn every_source_file_is_in_its_parents_list() {
    let mut offences = Vec::new();
    let sources = files("rs");
    // Of tests, those that are one program: Cargo finds the others by itself.
    let is_in_program = |path: &str| {
        let Some((before, after)) = path.split_once("/tests/") else { return false };
        let folder = after.split_once('/').map_or("", |(folder, _)| folder);
        sources.contains_key(&format!("{before}/tests/{folder}/main.rs"))
    };
    for path in sources.keys().filter(|path| path.contains("/src/") || is_in_program(path)) {
        let file = Path::new(path);
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        if EMPTY_NAMES.contains(&stem.as_str()) {
            offences.push(format!("{path}: a name that says nothing of what is inside"));
        }
        let (name, folder) = match stem.as_str() {
            "lib" | "main" => continue,
            "mod" => {
                let folder = file.parent().unwrap();
                (folder.file_name().unwrap().to_string_lossy().into_owned(), folder.parent())
            }
            _ => (stem, file.parent()),
        };
        let folder = folder.unwrap().to_string_lossy().into_owned();
        let parents = ["lib.rs", "main.rs", "mod.rs"].map(|name| format!("{folder}/{name}"));
        let beside = format!("{folder}.rs");
        let listed = parents.iter().chain([&beside]).filter_map(|parent| sources.get(parent));
        let row = format!("mod {name};");
        if !listed.into_iter().any(|text| text.contains(&row)) {
            offences.push(format!("{path}: no `{row}` beside it, so nothing uses it"));
        }
    }
    fail_on(&offences);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut offences = Vec::new();
    for (path, text) in files("md") {
        let folder = root().join(&path).parent().unwrap().to_owned();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
            let file = target.split('#').next().unwrap_or_default();
            if !folder.join(file).exists() {
                offences.push(format!("{path}: ({target}) leads nowhere"));
            }
        }
    }
    fail_on(&offences);
}

#[test]
fn every_study_policy_and_provider_is_described() {
    let documents = files("md");
    let mut offences = Vec::new();
    for path in files("toml").keys() {
        let Some((folder @ ("studies" | "policies"), _)) = path.split_once('/') else { continue };
        let name = Path::new(path).file_stem().unwrap().to_string_lossy().into_owned();
        if !documents[&format!("docs/{folder}.md")].contains(&format!("`{name}`")) {
            offences.push(format!("{path}: `{name}` is not described in docs/{folder}.md"));
        }
    }
    for row in providers::ROWS {
        if !documents["docs/providers.md"].contains(&format!("`{}`", row.name)) {
            offences.push(format!("`{}` is not described in docs/providers.md", row.name));
        }
    }
    fail_on(&offences);
}

#[test]
fn kinds_of_regimes_are_named_in_their_rooms_only() {
    let sources = files("rs");
    let list = &sources["crates/lab/src/regimes/mod.rs"];
    let kinds = list.lines().filter_map(|it| it.strip_prefix("pub mod ")?.strip_suffix(';'));
    let names = kinds.flat_map(|kind| {
        let (first, rest) = kind.split_at(1);
        [format!("regimes::{kind}"), format!("Regime::{}{rest}(", first.to_uppercase())]
    });
    let answers = [".cold()", ".segments()", ".sessions()"].map(str::to_owned);
    let names: Vec<String> = names.chain(answers).collect();
    assert!(names.len() > 9, "no kinds in {list}");
    let (mut offences, mut used) = (Vec::new(), Vec::new());
    let is_generic = |path: &str| path.contains("/src/") && !path.contains("/src/regimes/");
    for (path, text) in sources.iter().filter(|(path, _)| is_generic(path)) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = (1..).zip(code.lines().map(|it| it.split("//").next().unwrap_or_default()));
        for (number, line) in lines.filter(|(_, it)| names.iter().any(|name| it.contains(name))) {
            match ROOMS.iter().find(|room| path.starts_with(**room)) {
                Some(room) => used.push(*room),
                None => offences.push(format!("{path}:{number}: {}", line.trim())),
            }
        }
    }
    let unused = ROOMS.iter().filter(|room| !used.contains(*room));
    offences.extend(unused.map(|room| format!("{room}: no kind of regime is named there")));
    fail_on(&offences);
}
