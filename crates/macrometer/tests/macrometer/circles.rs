//! No circle of modules: what a file uses must not lead back to it. A module and those below it are
//! one thing here, so arrows between them do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The path of a module in its crate: `["verbs", "plan"]`; none for the root.
type Module = Vec<String>;

/// Where a name lies that a module only passes on.
type PassedOn = BTreeMap<(Module, String), Module>;

/// The modules that each uses.
type Arrows = BTreeMap<Module, BTreeSet<Module>>;

/// The code of every file below a crate's `src` without comments, strings and tests. The root is
/// not among them: it lists all.
fn modules(src: &Path) -> BTreeMap<Module, String> {
    fn walk(folder: &Path, module: &Module, found: &mut BTreeMap<Module, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let mut inner = module.clone();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                inner.push(stem);
                walk(&path, &inner, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                if !["lib", "main", "mod"].contains(&stem.as_str()) {
                    inner.push(stem);
                }
                if !inner.is_empty() && inner.last().is_none_or(|name| name != "tests") {
                    found.insert(inner, code(&fs::read_to_string(&path).unwrap()));
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(src, &Vec::new(), &mut found);
    found
}

/// A file without comments, what stands in quotes, and items for tests (by rustfmt's layout).
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let margin = &line[..line.len() - line.trim_start().len()];
        if line.trim_start().starts_with("#[cfg(test)]") {
            let closing = format!("{margin}}}");
            let mut item = lines.by_ref().skip_while(|line| line.trim_start().starts_with("#["));
            if item.next().is_some_and(|line| line.ends_with('{')) {
                lines.by_ref().find(|line| *line == closing);
            }
            continue;
        }
        for (number, part) in line.split("//").next().unwrap_or_default().split('"').enumerate() {
            code.push_str(if number % 2 == 0 { part } else { "\"\"" });
        }
        code.push('\n');
    }
    code
}

/// All paths that begin with `crate`, `super` or `self`, and those of `use` that begin with a
/// module of the file, with braces taken apart and without what they are called here.
fn paths(code: &str) -> Vec<Vec<String>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        if code[..at].chars().next_back().is_none_or(|c| !is_name(c)) {
            let tree = code[at + 4..].split(';').next().unwrap_or_default();
            expand(&[], tree, &mut found);
        }
    }
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_none_or(|c| !is_name(c) && c != ':') {
                let path = &code[at..];
                let end = path.find(|c| !is_name(c) && c != ':').unwrap_or(path.len());
                found.push(path[..end].split("::").map(str::to_owned).collect());
            }
        }
    }
    found
}

/// The paths of a tree of `use`: `a::{b, c::{d, e}}` has three.
fn expand(before: &[String], tree: &str, found: &mut Vec<Vec<String>>) {
    let (names, inner) = match tree.split_once('{') {
        Some((names, inner)) => (names, inner.rsplit_once('}').map(|(inner, _)| inner)),
        None => (tree, None),
    };
    let names = names.split(" as ").next().unwrap_or_default();
    let names = names.split("::").map(str::trim).filter(|name| !name.is_empty() && *name != "self");
    let path: Vec<String> = before.iter().cloned().chain(names.map(str::to_owned)).collect();
    // `self` at the beginning is the module itself, at the end the module named before.
    let path = if before.is_empty() && tree.trim_start().starts_with("self") {
        [vec!["self".to_owned()], path].concat()
    } else {
        path
    };
    let Some(inner) = inner else { return found.push(path) };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    expand(&path, &inner[start..at], found);
                }
                start = at + 1;
            }
            _ => (),
        }
    }
}

/// The module that a path leads to from `here`, and the name in it: the longest part of the path
/// that is a file. A path that names no root leads to a module below, or to another crate.
fn target(
    path: &[String],
    here: &Module,
    files: &BTreeMap<Module, String>,
) -> Option<(Module, Option<String>)> {
    let is_whole = path.first().is_some_and(|root| root == "crate");
    let (mut module, mut rest) =
        if is_whole { (Vec::new(), &path[1..]) } else { (here.clone(), path) };
    while let Some(step @ ("self" | "super")) = rest.first().map(String::as_str) {
        if step == "super" {
            module.pop()?;
        }
        rest = &rest[1..];
    }
    let full = [module, rest.to_vec()].concat();
    let len = (1..=full.len()).rev().find(|&len| files.contains_key(&full[..len]))?;
    Some((full[..len].to_vec(), full.get(len).cloned()))
}

/// What modules pass on by `pub use`, under its own name.
fn passed_on(files: &BTreeMap<Module, String>) -> PassedOn {
    let mut passed = PassedOn::new();
    for (here, code) in files {
        for line in code.split(';').filter_map(|item| item.rsplit_once("pub")) {
            let Some(("" | "(crate)" | "(super)", tree)) = line.1.split_once(" use ") else {
                continue;
            };
            let mut paths = Vec::new();
            expand(&[], tree, &mut paths);
            for path in paths {
                if let Some((there, Some(name))) = target(&path, here, files)
                    && there != *here
                {
                    passed.insert((here.clone(), name), there);
                }
            }
        }
    }
    passed
}

/// Which modules each uses, but for those above and below it.
fn arrows(files: &BTreeMap<Module, String>) -> Arrows {
    let (passed, mut arrows) = (passed_on(files), Arrows::new());
    for (here, code) in files {
        let targets = paths(code).into_iter().filter_map(|path| {
            let (mut there, name) = target(&path, here, files)?;
            let Some(name) = name else { return Some(there) };
            let mut key = (there.clone(), name);
            while let Some(further) = passed.get(&key) {
                there = further.clone();
                key.0 = there.clone();
            }
            Some(there)
        });
        let apart = targets.filter(|there| !there.starts_with(here) && !here.starts_with(there));
        arrows.insert(here.clone(), apart.collect());
    }
    arrows
}

/// All that can be reached from a module, itself only by a circle.
fn reached(from: &Module, arrows: &Arrows) -> BTreeSet<Module> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        for there in arrows.get(module).into_iter().flatten() {
            if seen.insert(there.clone()) {
                next.push(there);
            }
        }
    }
    seen
}

/// Modules of which each leads to each, the largest circle first.
fn circles(arrows: &Arrows) -> Vec<Vec<String>> {
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        arrows.keys().map(|module| (module, reached(module, arrows))).collect();
    let circle = |module: &Module| -> BTreeSet<String> {
        let there = reached[module].iter().filter(|there| reached[there].contains(module));
        there.map(|there| there.join("::")).collect()
    };
    let circles: BTreeSet<BTreeSet<String>> = arrows.keys().map(circle).collect();
    let mut circles: Vec<Vec<String>> = circles
        .into_iter()
        .filter(|circle| !circle.is_empty())
        .map(|circle| circle.into_iter().collect())
        .collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

#[test]
fn modules_form_no_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut offences = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy();
        let found = circles(&arrows(&modules(&folder.join("src"))));
        offences.extend(found.iter().map(|it| format!("{name}: a circle of {}", it.join(", "))));
    }
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

#[test]
fn a_circle_is_seen() {
    let file = |text: &str| code(text);
    let files: BTreeMap<Module, String> = [
        ("a", "use crate::b::{\n    c::D,\n    E,\n};\n// use crate::z::Z;"),
        ("b", "mod c;\npub use c::D;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}"),
        ("b::c", "fn f() -> crate::z::Z { \"crate::b\" }"),
        ("z", "use super::a::A as B;\npub(crate) use super::y::Y;"),
        ("y", "use crate::b::D;"),
    ]
    .map(|(name, text)| (name.split("::").map(str::to_owned).collect(), file(text)))
    .into();
    assert_eq!(circles(&arrows(&files)), [["a", "b::c", "y", "z"]]);
}
