//! Language runtimes, each measured in its own language: a program in `workers/` that speaks the
//! worker protocol, a file here that finds the runtime, and its row in [`crate::ROWS`].

pub mod go;
pub mod java;
pub mod macs_python;
pub mod macs_wasm;
pub mod node;
pub mod python;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{NotBuilt, Place, Unavailable};

/// The program that runs a worker: the one the user names, or the first of `names` on `PATH`.
fn runtime(place: &Place, names: &[&str]) -> Result<String, Unavailable> {
    let found = match &place.path {
        Some(path) if !runnable(path) => {
            return Err(format!("{}: no such program", path.display()).into());
        }
        Some(path) => path.clone(),
        None => on_path(names).ok_or_else(|| {
            Unavailable::not_installed(format!("{} is not on PATH", names.join(" or ")))
        })?,
    };
    Ok(word(found)?)
}

/// A path as a word of a command line.
fn word(path: PathBuf) -> Result<String, NotBuilt> {
    path.into_os_string().into_string().map_err(NotBuilt::NotText)
}

/// The first of these programs on `PATH`.
#[must_use]
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let folders = folders();
    let files = |name: &&str| folders.iter().map(|folder| folder.join(name)).collect::<Vec<_>>();
    names.iter().flat_map(files).find(|file| runnable(file))
}

/// A program to be started. It finds others (a compiler its assembler and linker) as it was found
/// itself.
#[must_use]
pub fn command_of(file: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(file);
    match joined(&folders()) {
        Some(path) => command.env("PATH", path),
        None => command.env_remove("PATH"),
    };
    command
}

/// The folders of `PATH` that programs are looked for in.
fn folders() -> Vec<PathBuf> {
    absolute(&env::var_os("PATH").unwrap_or_default())
}

/// Those that do not depend on the current folder; an empty entry is that folder.
fn absolute(path: &OsStr) -> Vec<PathBuf> {
    env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
}

/// None where there is no folder: an empty `PATH` is the current one.
fn joined(folders: &[PathBuf]) -> Option<OsString> {
    // What was split can be joined.
    env::join_paths(folders).ok().filter(|path| !path.is_empty())
}

#[cfg(unix)]
fn runnable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runnable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_the_current_folder_is_left_out_of_a_path() {
        let kept = |path: &str| joined(&absolute(OsStr::new(path)));
        for path in [".:/a:/b/c", ":/a:/b/c", "/a::bin:../d:/b/c", "/a:/b/c:"] {
            assert_eq!(kept(path).as_deref(), Some(OsStr::new("/a:/b/c")), "{path}");
        }
        for path in ["", ".", ":", "bin:.", "./bin"] {
            assert_eq!(kept(path), None, "{path:?}");
        }
    }
}
