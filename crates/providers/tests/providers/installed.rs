//! The in-process providers of this machine, for tests that hold for all of them. One that is not
//! here is printed by name; with `CHECK_STRICT=1` that is a failure.
//!
//! `MACROMETER_TEST_LIBCRYPTO` names further libcryptos, separated as in `PATH`.

use std::env;
use std::path::PathBuf;

use providers::{Kind, Place, Provider, ROWS, Unavailable};

/// A provider and the name it is reported under.
pub struct Installed {
    /// Name of the row, or alias of a further library.
    pub name: String,
    /// The open provider.
    pub provider: Box<dyn Provider>,
}

/// Opens every in-process provider that this machine has.
pub fn in_process() -> Vec<Installed> {
    let mut found = Vec::new();
    for row in ROWS {
        match row.kind {
            Kind::InProcess(open) => found.extend(opened(open, row.name, Place::default())),
            Kind::Program(_) => println!("skipped here: {}, a program of its own", row.name),
        }
    }
    let row = providers::row("openssl").expect("there is such a row");
    let Kind::InProcess(open) = row.kind else { panic!("openssl is in-process") };
    for (index, path) in further_libcryptos().into_iter().enumerate() {
        let name = format!("openssl-further-{index}");
        let place = Place { name: Some(name.clone()), path: Some(path) };
        found.extend(opened(open, &name, place));
    }
    found
}

/// Libraries named by the variable; none where it is not set.
pub fn further_libcryptos() -> Vec<PathBuf> {
    let list = env::var_os("MACROMETER_TEST_LIBCRYPTO").unwrap_or_default();
    env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect()
}

type Open = fn(&Place) -> Result<Box<dyn Provider>, Unavailable>;

fn opened(open: Open, name: &str, place: Place) -> Option<Installed> {
    match open(&place) {
        Ok(provider) => {
            let info = provider.info();
            println!("found: {name} {} at {}", info.version, info.path);
            Some(Installed { name: name.into(), provider })
        }
        Err(reason) => {
            skipped(&format!("{name}: {reason}"));
            None
        }
    }
}

/// Says what was not tested; fails where that is not allowed.
pub fn skipped(what: &str) {
    println!("skipped: {what}");
    assert!(
        env::var_os("CHECK_STRICT").is_none(),
        "CHECK_STRICT is set and this is absent: {what}"
    );
}
