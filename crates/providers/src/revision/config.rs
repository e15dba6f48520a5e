//! What cargo and rustup read by the folder that they are run in: files in it and in every folder
//! above. They say what is executed, so those of somebody else are refused; and they decide how
//! cargo builds.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, io};

use trust::{is_shared, is_trusted};

use super::error::{Doubt, RevisionError};
use crate::NotBuilt;

/// The configuration's folder, before its files.
const FILES: [&str; 5] =
    [".cargo", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];

/// Refuses what others have put, or could put, above a folder in which cargo is to run.
pub(super) fn check(folder: &Path) -> Result<(), RevisionError> {
    let whole = whole(folder)?;
    let all = whole.ancestors().flat_map(|above| FILES.map(|name| above.join(name)));
    all.into_iter().try_for_each(|file| check_one(&file))
}

/// As cargo sees the folder that it is in.
fn whole(folder: &Path) -> Result<PathBuf, NotBuilt> {
    folder.canonicalize().map_err(|error| NotBuilt::file(folder, error))
}

fn check_one(file: &Path) -> Result<(), RevisionError> {
    // What is not there, or is hidden from this user, is also not read.
    let Ok(link) = file.symlink_metadata() else { return Ok(()) };
    // A link that leads nowhere may lead somewhere by the time that cargo follows it.
    let known = file.metadata().unwrap_or_else(|_| link.clone());
    let stranger = [&link, &known].map(Metadata::uid).into_iter().find(|it| !is_trusted(*it));
    let doubt = match stranger {
        Some(owner) => Doubt::Owner(owner),
        None if !known.is_symlink() && is_shared(&known) => Doubt::Mode(known.mode()),
        None => return Ok(()),
    };
    Err(RevisionError::Untrusted { file: file.to_owned(), doubt })
}

/// What decides how cargo builds in a folder, and is not in a package: variables, and the user's
/// configuration.
pub(super) fn settings(folder: &Path) -> Result<Vec<String>, NotBuilt> {
    const VARIABLES: &[&str] = &[
        "CARGO_BUILD_",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_PROFILE_",
        "CARGO_TARGET_",
        "CC",
        "CFLAGS",
        "RUSTC_BOOTSTRAP",
        "RUSTFLAGS",
        "RUSTUP_TOOLCHAIN",
    ];
    let is_one = |name: &str| VARIABLES.iter().any(|begin| name.starts_with(begin));
    let variables = env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok().filter(|name| is_one(name))?;
        Some(format!("{name}={}", value.to_string_lossy()))
    });
    let mut settings: Vec<String> = variables.collect();
    settings.sort();
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(dirs::home_dir()?.join(".cargo"))).unwrap_or_default();
    settings.extend(texts(&whole(folder)?, &home)?);
    Ok(settings)
}

/// Configurations above a folder and in cargo's own one. Each is told apart from the next by its
/// place, since cargo prefers the nearer one.
fn texts(folder: &Path, home: &Path) -> Result<Vec<String>, NotBuilt> {
    let above = folder.ancestors().map(|above| above.join(".cargo"));
    let mut texts = vec![];
    for (place, folder) in above.chain([home.to_owned()]).enumerate() {
        for name in ["config.toml", "config"] {
            let file = folder.join(name);
            match fs::read_to_string(&file) {
                Ok(text) => texts.push(format!("{place} {name} {text}")),
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(NotBuilt::file(&file, error)),
            }
        }
    }
    Ok(texts)
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotADirectory | NotFound | PermissionDenied)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_could_have_cargo_execute_is_refused() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("cache/built");
        fs::create_dir_all(&folder).unwrap();
        let configuration = above.path().join(".cargo");
        fs::create_dir(&configuration).unwrap();
        let file = |name: &str| {
            let file = above.path().join(name);
            fs::write(&file, "").unwrap();
            set_mode(&file, 0o644);
            file
        };
        let files =
            [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];
        let files = files.map(file);
        check(&folder).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        for one in [configuration].iter().chain(&files) {
            let before = one.metadata().unwrap().mode();
            set_mode(one, 0o666 | before);
            let told = check(&folder).unwrap_err().to_string();
            let said = format!("{} can be written by others (mode 0", one.display());
            assert!(told.starts_with(&said) && !told.contains('\n'), "{told}");
            set_mode(one, before & 0o7777);
            // Only root can give something away.
            if is_root {
                chown(one, Some(12345), None).unwrap();
                let told = check(&folder).unwrap_err().to_string();
                let said = format!("{} belongs to user 12345, and cargo would", one.display());
                assert!(told.starts_with(&said), "{told}");
                chown(one, Some(0), None).unwrap();
            }
        }
        check(&folder).unwrap();
        if is_root {
            let link = folder.join("rust-toolchain");
            symlink("/no/such", &link).unwrap();
            check(&folder).unwrap();
            lchown(&link, Some(12345), None).unwrap();
            let told = check(&folder).unwrap_err().to_string();
            assert!(told.contains("belongs to user 12345"), "{told}");
        }
    }

    #[test]
    fn configurations_of_all_folders_above_decide_how_cargo_builds() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("cache/built");
        let home = above.path().join("home");
        for folder in [&folder.join(".cargo"), &above.path().join(".cargo"), &home] {
            fs::create_dir_all(folder).unwrap();
        }
        let mut known = vec![texts(&folder, &home).unwrap()];
        for name in ["cache/built/.cargo/config.toml", ".cargo/config", "home/config.toml"] {
            fs::write(above.path().join(name), "the same").unwrap();
            let now = texts(&folder, &home).unwrap();
            assert!(!known.contains(&now), "{name}: {now:?}");
            known.push(now);
            fs::remove_file(above.path().join(name)).unwrap();
        }
        assert_eq!(texts(&folder, &home).unwrap(), known[0]);
    }
}
