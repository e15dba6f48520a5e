//! Language runtimes, each measured in its own language: a program in `workers/` that speaks the
//! worker protocol, a file here that finds the runtime, and its row in [`crate::ROWS`].

pub mod go;
pub mod java;
pub mod macs_python;
pub mod macs_wasm;
pub mod node;
pub mod python;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{Place, Unavailable};

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
fn word(path: PathBuf) -> Result<String, String> {
    let word = path.into_os_string().into_string();
    word.map_err(|path| format!("{path:?}: not a UTF-8 path"))
}

/// The first of these programs on `PATH`.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<_> = env::split_paths(&absolute_path()).collect();
    let files = |name: &&str| folders.iter().map(|folder| folder.join(name)).collect::<Vec<_>>();
    names.iter().flat_map(files).find(|file| runnable(file))
}

/// `PATH` without what depends on the current folder, for programs that start others.
pub(crate) fn absolute_path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    // What was split can be joined.
    env::join_paths(folders).unwrap_or_default()
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
