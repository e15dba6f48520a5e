//! What the compiler does not hold of the kernels' sources: a function is compiled for no
//! instructions but those that a token at hand proves, and a kernel asks the CPU for nothing more
//! than what it was pinned to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernels")
}

/// All source files below a folder.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// What stands between quotation marks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// The instructions that each token proves, as `cpu.rs` lists them.
fn tokens() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(kernels().join("cpu.rs")).unwrap();
    let lists = text.split("tokens! {").skip(1).map(|list| list.split("\n}").next().unwrap());
    let rows: String = lists.flat_map(str::lines).filter(|line| !line.contains("///")).collect();
    let rows = rows.split(';').filter(|row| row.contains('"'));
    rows.map(|row| {
        let name = row.split(',').next().unwrap().trim().to_owned();
        (name, quoted(row).map(str::to_owned).collect())
    })
    .collect()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word)
}

/// The instructions that are proved in a file: by the tokens that it names or, if it names none,
/// by those of the file above it.
fn proved(path: &Path, tokens: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    // Every AArch64 CPU has it.
    let always = ["neon".to_owned()];
    let text = fs::read_to_string(path).unwrap_or_default();
    let named: Vec<_> = tokens.iter().filter(|(token, _)| has_word(&text, token)).collect();
    if named.is_empty() && path.starts_with(kernels()) {
        return proved(&path.parent().unwrap().with_extension("rs"), tokens);
    }
    named.into_iter().flat_map(|(_, proves)| proves.clone()).chain(always).collect()
}

#[test]
fn functions_are_compiled_for_what_a_token_proves() {
    let tokens = tokens();
    assert!(tokens.len() >= 8 && tokens["Avx2"].contains("avx2"), "{tokens:?}");
    let known: BTreeSet<&str> = tokens.values().flatten().map(String::as_str).collect();
    let (mut offences, mut lists) = (vec![], 0);
    for (path, text) in sources(&kernels()).iter().filter(|(path, _)| !path.ends_with("cpu.rs")) {
        let enabled = text.split("target_feature(enable = ").skip(1);
        let enabled = enabled.filter_map(|rest| quoted(rest.lines().next()?).next());
        // Macros get them as text.
        let is_list =
            |text: &&str| text.contains(',') && text.split(',').all(|f| known.contains(f));
        let passed = text.lines().filter(|line| !line.contains("//")).flat_map(quoted);
        for list in enabled.chain(passed.filter(is_list)).filter(|list| !list.starts_with('$')) {
            lists += 1;
            let proved = proved(path, &tokens);
            for feature in list.split(',').filter(|feature| !proved.contains(*feature)) {
                offences.push(format!("{}: {feature} of \"{list}\"", path.display()));
            }
        }
    }
    assert!(lists > 100, "{lists} lists of instructions found");
    assert!(offences.is_empty(), "proved by no token:\n{}", offences.join("\n"));
}

/// Files that ask for a token where one is at hand already: the same one, or a lesser.
const ASK_AGAIN: &[&str] = &[
    "aes/armv8/lanes.rs",
    "serpent/avx2.rs",
    "serpent/avx512.rs",
    "tdes/avx2.rs",
    "tdes/avx512.rs",
];

#[test]
fn a_kernel_asks_for_no_more_than_it_was_pinned_to() {
    let tokens = tokens();
    let mut offences = vec![];
    for (path, text) in sources(&kernels()) {
        let file = path.strip_prefix(kernels()).unwrap().to_string_lossy().into_owned();
        // A primitive's own file lists its kernels; tests take them where they find them.
        let is_list = !file.contains('/') || file == "sha256/frame.rs" || file == "aes/cipher.rs";
        if is_list || file.ends_with("tests.rs") || ASK_AGAIN.contains(&file.as_str()) {
            continue;
        }
        let asks = |line: &str| {
            line.contains("::best()")
                || tokens.keys().any(|t| line.contains(&format!("{t}::get()")))
        };
        offences
            .extend(text.lines().filter(|line| asks(line)).map(|line| format!("{file}: {line}")));
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}
