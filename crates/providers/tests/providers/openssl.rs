//! Opening libcrypto: what is not one is an error in one line that names the file, and the alias is
//! what the provider reports.

use std::path::{Path, PathBuf};

use providers::{Info, KeyLife, Kind, Place, Provider, openssl};

use crate::found::{further_libcryptos, skipped};

fn open(name: Option<&str>, path: Option<&Path>) -> Result<Box<dyn Provider>, String> {
    let Kind::InProcess(open) = openssl::ROW.kind else { panic!("openssl is in-process") };
    open(&Place { name: name.map(str::to_owned), path: path.map(Path::to_owned) })
}

fn error(path: &Path) -> String {
    let error = open(None, Some(path)).err().expect("this is no libcrypto");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(&path.display().to_string()), "{error}");
    error
}

#[test]
fn an_absent_library_is_an_error_that_names_it() {
    error(Path::new("/nonexistent/libcrypto.so.3"));
}

#[test]
fn a_file_that_is_no_library_is_an_error() {
    error(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
    error(Path::new("/bin/true"));
    error(Path::new("/"));
}

/// A library, but another one: what the C compiler's run-time needs is on every Linux.
#[test]
#[cfg(target_os = "linux")]
fn another_library_is_an_error() {
    assert!(error(Path::new("libm.so.6")).contains("not libcrypto"));
}

fn check(info: &Info) {
    assert!(Path::new(&info.path).is_absolute(), "{}", info.path);
    assert!(Path::new(&info.path).is_file(), "{}", info.path);
    let number = info.version.trim_start_matches(|c: char| !c.is_ascii_digit());
    assert!(number.split('.').count() >= 3, "{}", info.version);
    assert!(info.detail.contains(&info.version), "{}", info.detail);
    let macs: Vec<_> = info.offers.iter().map(|offer| offer.mac.as_str()).collect();
    assert!(macs.is_sorted() && macs.contains(&"hmac-sha256"), "{macs:?}");
    for offer in &info.offers {
        let (mac, lives) = (&offer.mac, &offer.key_lives);
        assert!(lives.contains(&KeyLife::Prepared) && lives.contains(&KeyLife::NewKey), "{mac}");
    }
}

#[test]
fn the_system_library_says_what_it_is() {
    match open(None, None) {
        Ok(provider) => {
            let info = provider.info();
            assert_eq!(info.name, "openssl");
            check(&info);
        }
        Err(reason) => skipped(&reason),
    }
}

#[test]
fn several_versions_beside_each_other() {
    let paths = further_libcryptos();
    if paths.is_empty() {
        println!("skipped: MACROMETER_TEST_LIBCRYPTO names no further libcrypto");
    }
    let opened: Vec<_> = paths
        .iter()
        .map(|path| open(Some("openssl-other"), Some(path)).expect("a libcrypto"))
        .collect();
    for (provider, path) in opened.iter().zip(&paths) {
        let info = provider.info();
        assert_eq!(info.name, "openssl-other");
        let real: PathBuf = path.canonicalize().expect("it was opened");
        assert_eq!(Path::new(&info.path), real);
        check(&info);
        println!("{} at {}: {}", info.version, info.path, info.detail);
        for offer in info.offers {
            println!("  {} {} {:?}", offer.mac, offer.kernel, offer.key_lives);
        }
    }
}
