//! The libcrypto that is built in by the feature `openssl-vendored`: with it, it is there and no
//! other is taken for it; without it, the row says how to get it.

use std::path::PathBuf;

use providers::{Kind, Place, Provider};

fn open(name: &str, path: Option<&str>) -> Result<Box<dyn Provider>, String> {
    let row = providers::row(name).expect("there is such a row");
    assert_eq!(row.name, "openssl-vendored");
    let Kind::InProcess(open) = row.kind else { panic!("{name} is in-process") };
    open(&Place { name: Some(name.into()), path: path.map(PathBuf::from) })
        .map_err(|unavailable| unavailable.reason)
}

fn error(name: &str, path: Option<&str>) -> String {
    let error = open(name, path).err().expect("no such libcrypto");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

#[test]
#[cfg(feature = "openssl-vendored")]
fn it_is_there_and_of_the_version_that_was_built() {
    for name in ["openssl-vendored", "openssl-vendored[soft]"] {
        let info = open(name, None).expect("it is built in").info();
        assert_eq!(info.name, name);
        // Of the line that Cargo.toml names, and with its assembly.
        assert!(info.version.starts_with("3."), "{}", info.version);
        let detail = &info.detail;
        assert!(detail.contains("OPENSSL_") && detail.contains("cap="), "{detail}");
        // A second one finds the file that the first has left.
        assert_eq!(open(name, None).expect("it is built in").info().path, info.path);
    }
}

#[test]
#[cfg(feature = "openssl-vendored")]
fn a_file_of_the_users_own_is_not_taken_for_it() {
    for name in ["openssl-vendored", "openssl-vendored-2"] {
        let error = error(name, Some("libcrypto.so.3"));
        assert!(error.contains("built in") && error.contains("libcrypto.so.3"), "{error}");
    }
}

#[test]
#[cfg(not(feature = "openssl-vendored"))]
fn without_the_feature_the_row_says_how_to_get_it() {
    for path in [None, Some("libcrypto.so.3")] {
        assert!(error("openssl-vendored", path).contains("--features openssl-vendored"));
    }
}
