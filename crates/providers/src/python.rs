//! Python, measured in Python: `hmac` and `hashlib` of its standard library, and what there is of
//! `cryptography` and `pycryptodome`. The worker is a small program of its own,
//! workers/python/macrometer_worker.py, which is compiled in here and handed to the interpreter, so
//! that no file has to be installed.

use std::env;
use std::path::{Path, PathBuf};

use crate::{Kind, Place, Row};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "python",
    title: "Python: hmac and hashlib, cryptography, pycryptodome",
    package: "python3, python3-cryptography, python3-pycryptodome (Debian)",
    kind: Kind::Program(command),
    has_kernels: false,
};

const WORKER: &str = include_str!("../../../workers/python/macrometer_worker.py");

/// Names of the interpreter on `PATH`.
const NAMES: &[&str] = if cfg!(windows) { &["python3.exe", "python.exe"] } else { &["python3"] };

/// `-u`: the worker flushes its replies itself, but what it or a library says on standard error
/// must not wait either.
fn command(place: &Place) -> Result<Vec<String>, String> {
    let interpreter = match &place.path {
        Some(path) if !path.is_file() => {
            return Err(format!("{}: no such interpreter", path.display()));
        }
        Some(path) => path.clone(),
        None => find().ok_or_else(|| format!("{} is not on PATH", NAMES.join(" or ")))?,
    };
    let interpreter = interpreter.into_os_string().into_string();
    let interpreter = interpreter.map_err(|path| format!("{path:?}: not a name in UTF-8"))?;
    let name = place.name_or(ROW.name);
    Ok(vec![interpreter, "-u".into(), "-c".into(), WORKER.into(), name])
}

fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<_> = env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let files = |name: &&'static str| -> Vec<_> {
        folders.iter().map(|folder| folder.join(name)).collect()
    };
    NAMES.iter().flat_map(files).find(|file| runnable(file))
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
