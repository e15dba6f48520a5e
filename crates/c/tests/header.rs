//! The committed header is the one that cbindgen makes of the source; `UPDATE_DOCS=1` writes it
//! anew. What is written by hand names every function.

use std::fs;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};

/// In the order of the header.
const SOURCES: [&str; 8] =
    ["version", "status", "options", "info", "key", "state", "batch", "composition"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).into()
}

/// The version by the package, so that no number is written twice.
fn versions() -> String {
    let [major, minor, patch] = [
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
        env!("CARGO_PKG_VERSION_PATCH"),
    ]
    .map(|number| number.parse::<u32>().expect("a number"));
    format!(
        "\n// Version of the library that this header is of.\n\
         #define MACS_VERSION \"{}\"\n\
         #define MACS_VERSION_MAJOR {major}\n\
         #define MACS_VERSION_MINOR {minor}\n\
         #define MACS_VERSION_PATCH {patch}\n\
         // To be compared: 0x00MMmmpp.\n\
         #define MACS_VERSION_NUMBER 0x{:06x}",
        env!("CARGO_PKG_VERSION"),
        major << 16 | minor << 8 | patch,
    )
}

fn generated() -> String {
    let mut config = Config::from_file(root().join("cbindgen.toml")).expect("a configuration");
    config.after_includes = Some(versions());
    let builder = SOURCES.iter().fold(Builder::new().with_config(config), |builder, name| {
        builder.with_src(root().join(format!("src/edge/{name}.rs")))
    });
    let mut text = Vec::new();
    builder.generate().expect("a header").write(&mut text);
    String::from_utf8(text).expect("text")
}

#[test]
fn the_header_is_that_of_the_source() {
    let (path, right) = (root().join("include/macs.h"), generated());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &right).expect("the header is written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == right,
        "{} is not what cbindgen makes of the source: \
         UPDATE_DOCS=1 cargo test -p macs-c --test header",
        path.display()
    );
}

/// Every word that begins with `macs_` and is followed by an opening bracket.
fn functions(header: &str) -> Vec<&str> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let lines = header.lines().filter(|line| !line.starts_with([' ', '*']));
    let mut names: Vec<&str> = lines
        .filter_map(|line| line.split_once('(')?.0.rsplit(|it| !is_name(it)).next())
        .filter(|name| name.starts_with("macs_"))
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn the_man_page_names_every_function_and_status() {
    let header = generated();
    let page = fs::read_to_string(root().join("man/macs.3")).expect("a man page");
    let page = page.replace("\\_", "_");
    let statuses = header.lines().filter_map(|line| line.trim().split_once(" = "));
    let names: Vec<&str> = functions(&header)
        .into_iter()
        .chain(statuses.map(|(name, _)| name).filter(|name| name.starts_with("MACS_")))
        .collect();
    assert!(names.len() > 45, "{names:?}");
    let is_named = |name: &str| {
        page.match_indices(name).any(|(at, _)| {
            let next = page[at + name.len()..].chars().next().unwrap_or(' ');
            !next.is_ascii_alphanumeric() && next != '_'
        })
    };
    let missing: Vec<&str> = names.into_iter().filter(|name| !is_named(name)).collect();
    assert!(missing.is_empty(), "not in man/macs.3: {missing:?}");
    assert!(!is_named("macs_tag_onc"), "part of a name is no name");
}

/// The version in the man page's first line.
#[test]
fn the_man_page_is_of_this_version() {
    let page = fs::read_to_string(root().join("man/macs.3")).expect("a man page");
    let title = page.lines().find(|line| line.starts_with(".TH ")).expect("a title");
    assert!(title.contains(&format!("\"macs {}\"", env!("CARGO_PKG_VERSION"))), "{title}");
}
