//! Documents that are made from the catalog say what the catalog says. `UPDATE_DOCS=1` writes them
//! anew.

use std::fs;
use std::path::{Path, PathBuf};

use macs::{MacInfo, Mode, Primitive, Repeat, catalog, ciphers};

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
        "security bound",
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
    let mut text = row(&["primitive", "standing", "in constant time", "fast with", "to know"]);
    text += &row(&["---"; 5]);
    for primitive in firsts(|mac| mac.primitive) {
        let Primitive { title, standing, constant_time, hardware, note, .. } = primitive;
        let constant_time = constant_time.to_string();
        text += &row(&[title, standing.name(), &constant_time, hardware.name(), note]);
    }
    text
}

/// What is known of the macs of each mode, in a few words; where they differ, all that is said of
/// them.
fn facts() -> String {
    let heads = [
        "mode",
        "kind",
        "PRF",
        "nonce",
        "a repeat costs",
        "key, bits",
        "short tags",
        "tag, bits",
        "messages per key",
        "the mode is fast with",
        "quantum computers",
    ];
    let mut text = row(&heads) + &row(&["---"; 11]);
    for mode in firsts(|mac| mac.mode) {
        let of = |told: &dyn Fn(&MacInfo) -> String| {
            let mut all = Vec::new();
            for mac in catalog().iter().filter(|mac| core::ptr::eq(mac.mode, mode)) {
                let told = told(mac);
                if !all.contains(&told) {
                    all.push(told);
                }
            }
            all.sort_by_key(|told| (told.len(), told.clone()));
            all.join(", ")
        };
        let nonce = mode.facts.nonce;
        text += &row(&[
            mode.title,
            &of(&|mac| mac.kind().name().into()),
            &of(&|mac| mac.prf().name().into()),
            nonce.name(),
            nonce.repeat().map_or("", Repeat::name),
            &of(&|mac| mac.key_bits_min().to_string()),
            mode.facts.short_tags.name(),
            &of(&|mac| mac.tag_bits_min().map_or("unstated".into(), |bits| bits.to_string())),
            &of(&|mac| mac.key_limit().to_string()),
            mode.facts.hardware.name(),
            mode.facts.quantum.name(),
        ]);
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
    let made = with(&with(&text, "modes", &modes()), "facts", &facts());
    let made = with(&made, "primitives", &primitives());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        return fs::write(document(), &made).unwrap();
    }
    assert!(text == made, "docs/macs.md is behind the catalog: run this test with UPDATE_DOCS=1");
}

#[test]
fn the_readme_counts_the_macs_that_there_are() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let counted = format!(" {} MACs and compositions ", catalog().len());
    assert!(fs::read_to_string(place).unwrap().contains(&counted), "README.md lacks{counted:?}");
}

#[test]
fn what_is_published_has_the_text_of_its_licences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let text = |place: &str| fs::read_to_string(root.join(place).join(name)).unwrap();
        assert!(text(".").len() > 1000, "{name}");
        for place in ["crates/macs", "crates/python"] {
            assert_eq!(text(place), text("."), "{place}/{name}");
        }
    }
    // The npm package is given those of the root when it is built.
    let check = fs::read_to_string(root.join("crates/wasm/check")).unwrap();
    assert!(check.contains(" LICENSE-* \"$place/package\""), "crates/wasm/check copies none");
}
