//! Documents that are made from the catalog say what the catalog says. `UPDATE_DOCS=1` writes them
//! anew.

use std::fs;
use std::path::{Path, PathBuf};

use macs::{MacInfo, Mode, Primitive, catalog, ciphers};

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/macs.md")
}

/// In the order of their first mac's name.
fn firsts<T>(part: impl Fn(&'static MacInfo) -> &'static T) -> Vec<&'static T> {
    let mut all: Vec<&'static T> = Vec::new();
    for mac in catalog() {
        if !all.iter().any(|known| core::ptr::eq(*known, part(mac))) {
            all.push(part(mac));
        }
    }
    all
}

/// `cmac-CIPHER`, or the names themselves where there are few.
fn names(mode: &Mode) -> String {
    let names: Vec<&str> =
        catalog().iter().filter(|mac| core::ptr::eq(mac.mode, mode)).map(|mac| mac.name).collect();
    if names.len() <= 4 {
        return names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    }
    let shared = names.iter().skip(1).fold(names[0], |shared, name| {
        let len = shared.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        &shared[..len]
    });
    let is_named_after_its_primitive = |mac: &MacInfo| {
        mac.name.strip_prefix(shared).is_some_and(|rest| rest == mac.primitive.name)
    };
    let mut macs = catalog().iter().filter(|mac| core::ptr::eq(mac.mode, mode));
    let is_cipher = macs.clone().all(|mac| ciphers::find(mac.primitive.name).is_some());
    match macs.all(is_named_after_its_primitive) {
        true if is_cipher => format!("`{shared}CIPHER`"),
        true => format!("`{shared}HASH`"),
        false => format!("`{shared}*`"),
    }
}

fn row(cells: &[&str]) -> String {
    let cell = |text: &&str| if text.is_empty() { "–".into() } else { text.replace('|', "\\|") };
    format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "))
}

fn modes() -> String {
    let heads = [
        "mode",
        "macs",
        "standing",
        "proved",
        "bound",
        "nonce",
        "key life",
        "approved by",
        "attacks",
        "defined in",
    ];
    let mut text = row(&heads) + &row(&["---"; 10]);
    for mode in firsts(|mac| mac.mode) {
        text += &row(&[
            mode.title,
            &names(mode),
            mode.standing.name(),
            mode.proof,
            mode.bound,
            mode.nonce,
            mode.key_life,
            mode.approved_by,
            mode.attacks,
            mode.specification,
        ]);
    }
    text
}

fn primitives() -> String {
    let mut text = row(&["primitive", "standing", "in constant time", "to know"]);
    text += &row(&["---"; 4]);
    for primitive in firsts(|mac| mac.primitive) {
        let Primitive { title, standing, constant_time, note, .. } = primitive;
        text += &row(&[title, standing.name(), constant_time, note]);
    }
    text
}

/// The document with what is between the two comments of this name replaced.
fn with(text: &str, name: &str, table: &str) -> String {
    let begin = text.find(&format!("<!-- {name}:")).expect("the opening comment");
    let begin = begin + text[begin..].find("-->").expect("its end") + "-->\n".len();
    let end = text.find(&format!("<!-- /{name} -->")).expect("the closing comment");
    format!("{}{table}{}", &text[..begin], &text[end..])
}

#[test]
fn the_table_of_security_is_the_catalogs() {
    let text = fs::read_to_string(document()).unwrap();
    let made = with(&with(&text, "modes", &modes()), "primitives", &primitives());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        return fs::write(document(), &made).unwrap();
    }
    assert!(text == made, "docs/macs.md is behind the catalog: run this test with UPDATE_DOCS=1");
}

#[test]
fn every_mac_says_whether_it_is_constant_time() {
    for mac in catalog() {
        let word = mac.primitive.constant_time.split(':').next().unwrap();
        assert!(matches!(word, "yes" | "no" | "mostly"), "{}: {word}", mac.name);
    }
}
